#include "frazil/tables/delta/delta_format.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/storage/folder.h"
#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/log_commit_point.h"
#include "frazil/types/datetime.h"

namespace frazil::tables::delta {
namespace {

Error ExistsAlready(const std::string& name) {
  return Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(Split(name, '.'))}});
}

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

DeltaFormat::DeltaFormat(ColumnarFilesPtr files) : logs_(std::make_unique<DeltaLogs>(std::move(files))) {}
DeltaFormat::~DeltaFormat() = default;

PathReference DeltaFormat::ReadPath(const std::string& path) const {
  PathReference reference;
  reference.folder = path;
  size_t at = path.rfind('@');
  if (at == std::string::npos) return reference;
  std::string_view suffix = std::string_view(path).substr(at + 1);
  if (suffix.starts_with('v') && AllDigits(suffix.substr(1))) {
    const auto version = ParseInteger<int64_t>(suffix.substr(1));
    if (!version) return reference;
    reference.scan.snapshot_id = version;
  } else if (suffix.size() == 17 && AllDigits(suffix)) {
    // yyyyMMddHHmmssSSS
    std::string text(suffix);
    auto micros =
        ParseTimestamp(text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6, 2) + " " + text.substr(8, 2) +
                           ":" + text.substr(10, 2) + ":" + text.substr(12, 2) + "." + text.substr(14, 3),
                       *TimeZone::Utc());
    if (!micros) return reference;
    reference.scan.timestamp_micros = *micros;
  } else {
    return reference;
  }
  reference.folder = path.substr(0, at);
  return reference;
}

Status DeltaFormat::CheckDefinition(const Table& existing, const TableDefinition& definition) const {
  // Without columns the definition takes the table's own.
  if (definition.schema == nullptr || definition.schema->fields().empty()) return {};
  if (!definition.schema->EqualsIgnoreNullability(*existing.schema())) {
    return Error::Of("DELTA_CREATE_TABLE_SCHEME_MISMATCH", {{"path", existing.location()},
                                                            {"specifiedSchema", SchemaTreeString(*definition.schema)},
                                                            {"existingSchema", SchemaTreeString(*existing.schema())},
                                                            {"schemaDifferences", ""}});
  }
  std::vector<std::string> wanted, present;
  for (const auto& field : definition.partitioning) wanted.push_back(AsciiLower(field.source[0]));
  for (const auto& field : existing.partitioning()) present.push_back(AsciiLower(field.source[0]));
  if (!wanted.empty() && wanted != present) {
    return Error::Of("DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING", {{"path", existing.location()},
                                                                        {"specifiedColumns", Join(wanted, ", ")},
                                                                        {"existingColumns", Join(present, ", ")}});
  }
  return {};
}

CommitPointPtr DeltaFormat::PathCommitPoint(const TableContext& context, const std::string& location) const {
  return std::make_shared<LogCommitPoint>(context, logs_->For(storage::FolderOf(location)));
}

Result<TablePtr> DeltaFormat::Load(const TableContext& context, const std::string& location,
                                   CommitPointPtr commit_point) const {
  DeltaLogPtr log = logs_->For(storage::FolderOf(location));
  FRAZIL_ASSIGN_OR_RETURN(auto snapshot, log->Update(context));
  if (snapshot == nullptr) return Error::Of("DELTA_PATH_DOES_NOT_EXIST", {{"path", location}});
  return DeltaTable::Make({context, std::move(log), std::move(commit_point)}, std::move(snapshot));
}

Result<TablePtr> DeltaFormat::Create(const TableContext& context, const TableDefinition& definition,
                                     const std::string& location, CommitPointPtr commit_point) const {
  FRAZIL_ASSIGN_OR_RETURN(auto staged, Stage(context, definition, location, commit_point, false));
  WriteOptions options;
  FRAZIL_ASSIGN_OR_RETURN(auto write, staged.table->StartWrite(options));
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, write->Commit());
  if (outcome.state == CommitState::kConflict) return ExistsAlready(context.name);
  return Load(context, location, std::move(commit_point));
}

Result<StagedTable> DeltaFormat::Stage(const TableContext& context, const TableDefinition& definition,
                                       const std::string& location, CommitPointPtr commit_point, bool replace) const {
  DeltaLogPtr log = logs_->For(storage::FolderOf(location));
  FRAZIL_ASSIGN_OR_RETURN(auto snapshot, log->Update(context));
  if (snapshot != nullptr && !replace) return ExistsAlready(context.name);
  StagedCreation creation{definition, replace, nullptr, {}};
  if (definition.clone_of != nullptr) {
    const auto* source = dynamic_cast<const DeltaTable*>(definition.clone_of.get());
    if (source == nullptr) {
      return Error::Of("DELTA_CLONE_UNSUPPORTED_SOURCE",
                       {{"name", definition.clone_of->location()}, {"format", definition.clone_of->provider()}});
    }
    creation.cloned = source->snapshot();
    creation.cloned_location = source->location();
    if (definition.clone_version) {
      FRAZIL_ASSIGN_OR_RETURN(creation.cloned,
                              source->target().log->At(source->target().context, *definition.clone_version));
    }
  }
  auto staged = std::make_shared<const StagedCreation>(std::move(creation));
  FRAZIL_ASSIGN_OR_RETURN(auto table, DeltaTable::Make({context, std::move(log), std::move(commit_point)},
                                                       std::move(snapshot), std::move(staged)));
  return StagedTable{std::move(table)};
}

}  // namespace frazil::tables::delta
