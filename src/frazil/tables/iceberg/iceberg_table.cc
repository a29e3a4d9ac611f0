#include "frazil/tables/iceberg/iceberg_table.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/tables/iceberg/iceberg_write.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/sort_text.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/iceberg/write_audit_publish.h"
#include "frazil/tables/schema_changes.h"

namespace frazil::tables::iceberg {

Error TableExists(const std::string& table_name) {
  return Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(Split(table_name, '.'))}});
}

Result<TableMetadata> ApplyStaged(const StagedCreation& staged, const TableMetadata* base,
                                  const std::string& table_name) {
  if (base != nullptr && !staged.replace) return TableExists(table_name);
  int32_t next = 0;
  FRAZIL_ASSIGN_OR_RETURN(auto fields, FromSparkSchema(*staged.definition.schema, [&] { return ++next; }));
  std::map<std::string, std::string> properties = staged.definition.properties;
  if (!staged.definition.comment.empty()) properties["comment"] = staged.definition.comment;
  if (base != nullptr) {
    return ReplaceTableMetadata(*base, fields, staged.definition.partitioning, staged.definition.sort_order,
                                staged.location, properties);
  }
  return NewTableMetadata(fields, staged.definition.partitioning, staged.definition.sort_order, staged.location,
                          properties);
}

Result<TablePtr> IcebergTable::Make(TableOperationsPtr operations, TableMetadataPtr metadata,
                                    std::shared_ptr<const StagedCreation> staged) {
  std::shared_ptr<IcebergTable> table(new IcebergTable());
  FRAZIL_ASSIGN_OR_RETURN(table->schema_, ToSparkSchema(*metadata->schema()));
  // Fields with transforms that are not known here do not keep the table from being read.
  auto partitioning = ToPartitionFields(metadata->spec(), *metadata->schema());
  if (partitioning.ok()) {
    for (auto& field : *partitioning) {
      if (field.transform != TransformKind::kVoid) table->partitioning_.push_back(std::move(field));
    }
  }
  auto sort = ToSortFields(metadata->sort_order(), *metadata->schema());
  if (sort.ok()) table->sort_order_ = *std::move(sort);
  table->operations_ = std::move(operations);
  table->metadata_ = std::move(metadata);
  table->staged_ = std::move(staged);
  return TablePtr(std::move(table));
}

std::map<std::string, std::string> IcebergTable::properties() const {
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : metadata_->properties) {
    if (key != "comment") result[key] = value;
  }
  result["format"] = "iceberg/" + metadata_->Property("write.format.default", "parquet");
  result["current-snapshot-id"] =
      metadata_->current_snapshot_id ? std::to_string(*metadata_->current_snapshot_id) : "none";
  result["format-version"] = std::to_string(metadata_->format_version);
  if (!metadata_->sort_order().fields.empty())
    result["sort-order"] = SortOrderText(metadata_->sort_order(), *metadata_->schema());
  std::vector<std::string> identifiers;
  for (int32_t id : metadata_->schema()->identifier_field_ids()) identifiers.push_back(metadata_->schema()->NameOf(id));
  if (!identifiers.empty()) result["identifier-fields"] = "[" + Join(identifiers, ",") + "]";
  return result;
}

bool IcebergTable::MarksRows(std::string_view operation) const {
  return EqualsIgnoreCase(metadata_->Property("write." + std::string(operation) + ".mode", "copy-on-write"),
                          "merge-on-read");
}

TableCapabilities IcebergTable::capabilities() const {
  TableCapabilities result;
  result.write = true;
  result.row_level_changes = true;
  result.time_travel = true;
  result.alter_columns = true;
  result.truncate = true;
  result.deletes_rows = MarksRows("delete");
  result.any_schema = metadata_->PropertyAsBoolean("write.spark.accept-any-schema", false);
  return result;
}

Result<bool> IcebergTable::IsBranch(const std::string& name) const {
  const auto found = metadata_->refs.find(name);
  if (found != metadata_->refs.end()) return found->second.is_branch;
  // A table without rows has no branch yet.
  if (name == kMainBranch) return true;
  return Validation("Cannot use branch (does not exist): " + name);
}

Result<TableScanPtr> IcebergTable::Scan(const ScanOptions& options) const {
  ScanOptions effective = options;
  bool names_state = options.snapshot_id || options.timestamp_micros || options.start_snapshot_id ||
                     options.end_snapshot_id || !options.reference.empty();
  for (const char* key : {"snapshot-id", "as-of-timestamp", "branch", "tag", "start-snapshot-id", "end-snapshot-id"}) {
    names_state = names_state || options.options.count(key) != 0;
  }
  if (!names_state) effective.reference = AuditBranch(*operations_, *metadata_).value_or("");
  FRAZIL_ASSIGN_OR_RETURN(ScanTarget target, FindScanTarget(*metadata_, effective));
  return IcebergScan::Make(operations_, metadata_, std::move(target));
}

Result<std::unique_ptr<TableWrite>> IcebergTable::StartWrite(const WriteOptions& options) const {
  if (options.schema != nullptr) {
    // The columns come first, in a commit of their own, as Iceberg's Spark runtime does it.
    const auto changes = ChangesBetween(schema_, options.schema);
    if (!changes.empty()) FRAZIL_RETURN_IF_ERROR(Alter(changes));
    FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr evolved, operations_->Load());
    if (evolved == nullptr)
      return ConflictingCommit("Cannot commit to " + operations_->name() + ": the table was dropped");
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr columns, ToSparkSchema(*evolved->schema()));
    if (!columns->EqualsIgnoreNullability(*options.schema))
      return ConflictingCommit("Cannot commit to " + operations_->name() + ": its columns have changed");
    WriteOptions rest = options;
    rest.schema = nullptr;
    FRAZIL_ASSIGN_OR_RETURN(auto write, IcebergWrite::Start(operations_, std::move(evolved), staged_, rest));
    return std::unique_ptr<TableWrite>(std::move(write));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto write, IcebergWrite::Start(operations_, metadata_, staged_, options));
  return std::unique_ptr<TableWrite>(std::move(write));
}

Result<std::unique_ptr<RowChanges>> IcebergTable::StartRowChanges(const WriteOptions& options) const {
  FRAZIL_ASSIGN_OR_RETURN(auto write, IcebergWrite::Start(operations_, metadata_, staged_, options));
  FRAZIL_RETURN_IF_ERROR(write->MarkRows());
  return std::unique_ptr<RowChanges>(std::move(write));
}

Result<bool> IcebergTable::CanDeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options) const {
  SnapshotChange target;
  ApplyCommonOptions(options, &target);
  if (!NamesBranch(options)) FRAZIL_RETURN_IF_ERROR(ApplyAudit(*operations_, *metadata_, &target));
  const Snapshot* head = metadata_->BranchHead(target.branch);
  if (head == nullptr) return true;
  FileEvaluators evaluators(Bind(filter, *metadata_->schema()), metadata_->schema());
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_->ReadManifests(*metadata_, *head));
  for (const auto& manifest : *manifests) {
    if (manifest.content != ManifestContent::kData || !(manifest.MayHaveAdded() || manifest.MayHaveExisting()))
      continue;
    const PartitionSpec* spec = metadata_->FindSpec(manifest.spec_id);
    if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
    const FileEvaluator& evaluator = evaluators.For(*spec);
    if (!evaluator.ManifestMayMatch(manifest)) continue;
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_->ReadEntries(*metadata_, manifest));
    for (const auto& entry : *entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      if (evaluator.MayMatch(*entry.file) && !evaluator.AllMatch(*entry.file)) return false;
    }
  }
  return true;
}

Result<CommitOutcome> IcebergTable::DeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options) const {
  SnapshotChange change;
  change.kind = SnapshotChange::Kind::kDelete;
  change.delete_filter = filter != nullptr ? filter : Predicate::True();
  ApplyCommonOptions(options, &change);
  if (!NamesBranch(options)) FRAZIL_RETURN_IF_ERROR(ApplyAudit(*operations_, *metadata_, &change));
  return CommitSnapshot(operations_, std::move(change), {}, [&](const TableMetadataPtr& base) -> Result<TableMetadata> {
    if (base == nullptr || !metadata_->IsSameTable(*base)) {
      return ConflictingCommit("Cannot commit to " + operations_->name() + ": the table was dropped");
    }
    return *base;
  });
}

}  // namespace frazil::tables::iceberg
