#include "frazil/tables/delta/row_tracking.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/row_lineage.h"

namespace frazil::tables::delta {
namespace {

constexpr const char* kHighWaterMark = "rowIdHighWaterMark";
constexpr const char* kRowIdName = "delta.rowTracking.materializedRowIdColumnName";
constexpr const char* kRowCommitVersionName = "delta.rowTracking.materializedRowCommitVersionColumnName";

int64_t GreatestRowId(const Snapshot* base) {
  if (base == nullptr) return -1;
  auto domain = base->domains.find(kRowTrackingDomain);
  if (domain == base->domains.end()) return -1;
  auto content = ParseJson(domain->second.configuration);
  const JsonValue* mark = content.ok() ? content->Find(kHighWaterMark) : nullptr;
  return mark != nullptr ? ParseInteger<int64_t>(mark->text).value_or(-1) : -1;
}

}  // namespace

Status AssignRowIds(const Snapshot* base, int64_t version, std::vector<FileAction>* files,
                    std::vector<DomainMetadata>* domains) {
  const int64_t former = GreatestRowId(base);
  int64_t greatest = former;
  // Files may come with the ids that they have in another table.
  for (const auto& file : *files) {
    if (!file.is_removed && file.base_row_id)
      greatest = std::max(greatest, *file.base_row_id + std::max<int64_t>(file.record_count, 0) - 1);
  }
  for (auto& file : *files) {
    if (file.is_removed || file.base_row_id) continue;
    if (file.record_count < 0) return Error::Unsupported("row ids for files that do not tell how many rows they have");
    file.base_row_id = greatest + 1;
    file.default_row_commit_version = version;
    greatest += file.record_count;
  }
  if (greatest == former) return {};
  DomainMetadata domain;
  domain.domain = kRowTrackingDomain;
  domain.configuration = std::string("{\"") + kHighWaterMark + "\":" + std::to_string(greatest) + "}";
  domains->push_back(std::move(domain));
  return {};
}

void NameRowTrackingColumns(const Metadata* former, Metadata* metadata) {
  if (!metadata->IsTrue("delta.enableRowTracking")) return;
  for (const auto& [key, prefix] :
       {std::pair{kRowIdName, "_row-id-col-"}, std::pair{kRowCommitVersionName, "_row-commit-version-col-"}}) {
    const std::string* name = former != nullptr ? former->Property(key) : nullptr;
    metadata->configuration.emplace(key, name != nullptr ? *name : prefix + RandomUuidText());
  }
}

Result<std::vector<ScanColumn>> RowTrackingColumns(const Metadata& metadata) {
  std::vector<ScanColumn> columns;
  if (!metadata.IsTrue("delta.enableRowTracking")) return columns;
  for (const auto& [key, lineage] :
       {std::pair{kRowIdName, kRowIdColumn}, std::pair{kRowCommitVersionName, kLastUpdatedColumn}}) {
    const std::string* name = metadata.Property(key);
    if (name == nullptr)
      return Error::Unsupported(std::string("delta.enableRowTracking of a Delta table without ") + key);
    ScanColumn column;
    column.name = *name;
    column.type = DataType::Long();
    column.field_id = lineage.field_id;
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace frazil::tables::delta
