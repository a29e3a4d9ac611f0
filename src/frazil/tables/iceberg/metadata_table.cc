#include "frazil/tables/iceberg/metadata_table.h"

#include <map>

#include "frazil/base/text.h"
#include "frazil/tables/chosen_columns.h"
#include "frazil/tables/iceberg/changes_table.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_table.h"

namespace frazil::tables::iceberg {
namespace {

class MetadataScan : public TableScan, public ChosenColumns {
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
  Result<std::shared_ptr<const RowSet>> RowsOf(const std::set<size_t>& columns) const override {
    if (!kind_->chosen) return Rows();
    auto result = std::make_shared<RowSet>();
    result->schema = schema_;
    FRAZIL_ASSIGN_OR_RETURN(result->rows, kind_->chosen(source_, target_.snapshot, columns));
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
    result.time_travel = true;
    return result;
  }
  Result<TableScanPtr> Scan(const ScanOptions& options) const override {
    FRAZIL_ASSIGN_OR_RETURN(ScanTarget target, FindScanTarget(*source_.metadata, options));
    // Those about the whole table (history, refs) are the same for each of its snapshots, as Iceberg has it.
    if (target.time_travel && AsciiLower(kind_->name).starts_with("all_")) {
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

namespace {

/// The comments that Iceberg has for columns about files.
void AddComments(std::vector<StructField>* fields) {
  static const std::map<std::string, const char*, std::less<>> comments = {
      {"content", "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"},
      {"file_path", "Location URI with FS scheme"},
      {"file_format", "File format name: avro, orc, or parquet"},
      {"spec_id", "Partition spec ID"},
      {"partition", "Partition data tuple, schema based on the partition spec"},
      {"record_count", "Number of records in the file"},
      {"file_size_in_bytes", "Total file size in bytes"},
      {"column_sizes", "Map of column id to total size on disk"},
      {"value_counts", "Map of column id to total count, including null and NaN"},
      {"null_value_counts", "Map of column id to null value count"},
      {"nan_value_counts", "Map of column id to number of NaN values in the column"},
      {"lower_bounds", "Map of column id to lower bound"},
      {"upper_bounds", "Map of column id to upper bound"},
      {"key_metadata", "Encryption key metadata blob"},
      {"split_offsets", "Splittable offsets"},
      {"equality_ids", "Equality comparison field IDs"},
      {"sort_order_id", "Sort order ID"},
      {"first_row_id", "The first row ID assigned to the first row in the data file"},
      {"referenced_data_file",
       "Fully qualified location (URI with FS scheme) of a data file that all deletes reference"},
      {"content_offset", "The offset in the file where the content starts"},
      {"content_size_in_bytes", "The length of referenced content stored in the file"},
      {"readable_metrics", "Column metrics in readable form"},
  };
  for (auto& field : *fields) {
    const auto comment = comments.find(field.name);
    if (comment != comments.end() && field.Comment().empty()) field.SetComment(comment->second);
  }
}

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
  if (schema->FieldIndex("readable_metrics") >= 0) {
    std::vector<StructField> fields = schema->fields();
    AddComments(&fields);
    schema = DataType::Struct(std::move(fields));
  }
  return TablePtr(std::make_shared<MetadataTableView>(std::move(source), kind, std::move(schema)));
}

}  // namespace frazil::tables::iceberg
