#include "frazil/tables/iceberg/changes_table.h"

#include <algorithm>
#include <set>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/delete_file_index.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/tables/iceberg/name_mapping.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/stored_files.h"

namespace frazil::tables::iceberg {
namespace {

/// Oldest first.
using Snapshots = std::vector<const Snapshot*>;

class ChangesScan : public TableScan, public StoredFiles {
 public:
  ChangesScan(TableOperationsPtr operations, TableMetadataPtr metadata, DataTypePtr schema, Snapshots snapshots)
      : operations_(std::move(operations)),
        metadata_(std::move(metadata)),
        schema_(std::move(schema)),
        snapshots_(std::move(snapshots)) {}

  const DataTypePtr& schema() const override { return schema_; }
  storage::ObjectStorePtr file_store() const override { return operations_->context().store; }

  Result<ScanPlan> Plan(const PredicatePtr&) const override {
    ScanPlan plan;
    plan.match_by_field_id = true;
    const auto& fields = metadata_->schema()->fields();
    FRAZIL_ASSIGN_OR_RETURN(plan.columns, ToScanColumns(fields));
    auto mapping = metadata_->properties.find("schema.name-mapping.default");
    if (mapping != metadata_->properties.end())
      FRAZIL_RETURN_IF_ERROR(ApplyNameMapping(mapping->second, &plan.columns));
    for (size_t i = fields.size(); i < schema_->fields().size(); ++i) {
      ScanColumn column;
      column.name = schema_->fields()[i].name;
      column.type = schema_->fields()[i].type;
      plan.columns.push_back(std::move(column));
    }
    int64_t ordinal = 0;
    for (const Snapshot* snapshot : snapshots_) {
      if (snapshot->operation == "replace") continue;  // The same rows in other files.
      FRAZIL_RETURN_IF_ERROR(AddChanges(*snapshot, ordinal++, &plan));
    }
    return plan;
  }

 private:
  Status AddChanges(const Snapshot& snapshot, int64_t ordinal, ScanPlan* plan) const {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_->ReadManifests(*metadata_, snapshot));
    if (std::any_of(manifests->begin(), manifests->end(),
                    [](const auto& manifest) { return manifest.content == ManifestContent::kDeletes; }))
      return UnsupportedOperation("Delete files are currently not supported in changelog scans");
    const size_t kind = metadata_->schema()->fields().size();
    for (const auto& manifest : *manifests) {
      if (manifest.added_snapshot_id != snapshot.snapshot_id) continue;
      const PartitionSpec* spec = metadata_->FindSpec(manifest.spec_id);
      if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
      const auto constants = ConstantColumns(*spec, *metadata_->schema());
      FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_->ReadEntries(*metadata_, manifest));
      for (const auto& entry : *entries) {
        if (entry.snapshot_id != snapshot.snapshot_id || entry.status == EntryStatus::kExisting) continue;
        ScanFile file;
        file.path = entry.file->path;
        FRAZIL_ASSIGN_OR_RETURN(file.format, ParseFileFormat(entry.file->format));
        file.size = entry.file->size;
        file.record_count = entry.file->record_count;
        file.constants = ConstantsOf(constants, *metadata_->schema(), *entry.file);
        file.constants[kind] = Value(entry.status == EntryStatus::kAdded ? "INSERT" : "DELETE");
        file.constants[kind + 1] = Value(ordinal);
        file.constants[kind + 2] = Value(snapshot.snapshot_id);
        plan->files.push_back(std::move(file));
      }
    }
    return {};
  }

  TableOperationsPtr operations_;
  TableMetadataPtr metadata_;
  DataTypePtr schema_;
  Snapshots snapshots_;
};

Result<std::optional<int64_t>> TimeOption(const ScanOptions& options, const char* key) {
  auto found = options.options.find(key);
  if (found == options.options.end()) return std::optional<int64_t>();
  auto number = ParseInteger<int64_t>(TrimBlanks(found->second));
  if (!number) return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + found->second + "\"");
  return number;
}

/// The snapshots that a read asks for.
Result<Snapshots> ChosenSnapshots(const TableMetadata& metadata, const ScanOptions& options) {
  if (options.snapshot_id || options.timestamp_micros || !options.reference.empty())
    return IllegalArgument("Cannot use time travel in changelog scans");
  FRAZIL_ASSIGN_OR_RETURN(auto from_ms, TimeOption(options, "start-timestamp"));
  FRAZIL_ASSIGN_OR_RETURN(auto to_ms, TimeOption(options, "end-timestamp"));
  if ((options.start_snapshot_id && from_ms) || (options.end_snapshot_id && to_ms))
    return IllegalArgument("Cannot set both a snapshot and a timestamp for the same end of a changelog");
  if (from_ms && to_ms && *from_ms > *to_ms)
    return IllegalArgument("Cannot set start-timestamp to be greater than end-timestamp for changelogs");
  const Snapshot* current = metadata.current_snapshot();
  if (options.end_snapshot_id) {
    current = metadata.FindSnapshot(*options.end_snapshot_id);
    if (current == nullptr)
      return IllegalArgument("Cannot find snapshot with ID " + std::to_string(*options.end_snapshot_id));
  }
  Snapshots chosen;
  const Snapshot* end = current;
  bool found_start = !options.start_snapshot_id;
  while (current != nullptr) {
    if (options.start_snapshot_id && current->snapshot_id == *options.start_snapshot_id) {
      found_start = true;
      break;
    }
    if (from_ms && current->timestamp_ms < *from_ms) break;
    // The snapshot of the very time is where the changes begin, so it is not among them.
    if (from_ms && current->timestamp_ms == *from_ms) break;
    if (!to_ms || current->timestamp_ms <= *to_ms) chosen.push_back(current);
    if (!current->parent_id) break;
    if (options.start_snapshot_id && *current->parent_id == *options.start_snapshot_id) {
      found_start = true;  // The start itself may be expired.
      break;
    }
    current = metadata.FindSnapshot(*current->parent_id);
  }
  if (!found_start) {
    return IllegalArgument("Starting snapshot (exclusive) " + std::to_string(*options.start_snapshot_id) +
                           " is not a parent ancestor of end snapshot " +
                           (end == nullptr ? std::string("null") : std::to_string(end->snapshot_id)));
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

class ChangesTable : public Table {
 public:
  ChangesTable(TableOperationsPtr operations, TableMetadataPtr metadata, DataTypePtr schema)
      : operations_(std::move(operations)), metadata_(std::move(metadata)), schema_(std::move(schema)) {}

  std::string provider() const override { return "iceberg"; }
  const DataTypePtr& schema() const override { return schema_; }
  std::string location() const override { return metadata_->location; }
  std::map<std::string, std::string> properties() const override { return {}; }
  TableCapabilities capabilities() const override { return {}; }
  Result<TableScanPtr> Scan(const ScanOptions& options) const override {
    FRAZIL_ASSIGN_OR_RETURN(Snapshots snapshots, ChosenSnapshots(*metadata_, options));
    return TableScanPtr(std::make_shared<ChangesScan>(operations_, metadata_, schema_, std::move(snapshots)));
  }

 private:
  TableOperationsPtr operations_;
  TableMetadataPtr metadata_;
  DataTypePtr schema_;
};

}  // namespace

Result<TablePtr> MakeChangesTable(TableOperationsPtr operations, TableMetadataPtr metadata) {
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr table_schema, ToSparkSchema(*metadata->schema()));
  std::vector<StructField> fields = table_schema->fields();
  fields.emplace_back(kChangeTypeColumn, DataType::String(), false);
  fields.emplace_back(kChangeOrdinalColumn, DataType::Integer(), false);
  fields.emplace_back(kCommitSnapshotColumn, DataType::Long(), false);
  const char* comments[] = {"Record type in changelog", "Change ordinal in changelog", "Commit snapshot ID"};
  for (size_t i = 0; i < 3; ++i) fields[fields.size() - 3 + i].SetComment(comments[i]);
  return TablePtr(
      std::make_shared<ChangesTable>(std::move(operations), std::move(metadata), DataType::Struct(std::move(fields))));
}

}  // namespace frazil::tables::iceberg
