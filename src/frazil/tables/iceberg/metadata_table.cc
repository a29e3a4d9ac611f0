#include "frazil/tables/iceberg/metadata_table.h"

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/changes_table.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_table.h"

namespace frazil::tables::iceberg {
namespace {

class MetadataScan : public TableScan {
 public:
  MetadataScan(MetadataSource source, const MetadataTableKind* kind, DataTypePtr schema, ScanTarget target)
      : source_(std::move(source)), kind_(kind), schema_(std::move(schema)), target_(std::move(target)) {}

  const DataTypePtr& schema() const override { return schema_; }
  Result<ScanPlan> Plan(const PredicatePtr&) const override {
    return Error::Internal("a metadata table has rows, not files");
  }
  bool has_rows() const override { return true; }
  Result<std::shared_ptr<const RowSet>> Rows() const override {
    auto result = std::make_shared<RowSet>();
    result->schema = schema_;
    FRAZIL_ASSIGN_OR_RETURN(result->rows, kind_->rows(source_, target_.snapshot));
    return std::shared_ptr<const RowSet>(std::move(result));
  }

 private:
  MetadataSource source_;
  const MetadataTableKind* kind_;
  DataTypePtr schema_;
  ScanTarget target_;
};

class MetadataTableView : public Table {
 public:
  MetadataTableView(MetadataSource source, const MetadataTableKind* kind, DataTypePtr schema)
      : source_(std::move(source)), kind_(kind), schema_(std::move(schema)) {}

  std::string provider() const override { return "iceberg"; }
  const DataTypePtr& schema() const override { return schema_; }
  std::string location() const override { return source_.metadata->location; }
  std::map<std::string, std::string> properties() const override { return {}; }
  TableCapabilities capabilities() const override {
    TableCapabilities result;
    result.time_travel = kind_->of_snapshot;
    return result;
  }
  Result<TableScanPtr> Scan(const ScanOptions& options) const override {
    FRAZIL_ASSIGN_OR_RETURN(ScanTarget target, FindScanTarget(*source_.metadata, options));
    if (target.time_travel && !kind_->of_snapshot) {
      return UnsupportedOperation("Cannot select snapshot in table: " + AsciiUpper(kind_->name));
    }
    return TableScanPtr(std::make_shared<MetadataScan>(source_, kind_, schema_, std::move(target)));
  }

 private:
  MetadataSource source_;
  const MetadataTableKind* kind_;
  DataTypePtr schema_;
};

}  // namespace

const MetadataTableKind* FindMetadataTable(std::string_view name) {
  static const std::vector<MetadataTableKind> kinds = [] {
    std::vector<MetadataTableKind> all;
    for (auto& group : {HistoryTables(), FileTables(), DeleteTables(), ManifestTables()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  for (const auto& kind : kinds) {
    if (EqualsIgnoreCase(kind.name, name)) return &kind;
  }
  return nullptr;
}

Result<TablePtr> IcebergTable::MetadataTable(const std::string& name) const {
  if (EqualsIgnoreCase(name, "changes")) return MakeChangesTable(operations_, metadata_);
  const MetadataTableKind* kind = FindMetadataTable(name);
  if (kind == nullptr) return TablePtr();
  MetadataSource source{operations_, metadata_, {}};
  FRAZIL_ASSIGN_OR_RETURN(source.partition, UnifyPartitions(*metadata_));
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr schema, kind->schema(source));
  return TablePtr(std::make_shared<MetadataTableView>(std::move(source), kind, std::move(schema)));
}

}  // namespace frazil::tables::iceberg
