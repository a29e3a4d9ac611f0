#include "frazil/tables/delta/delta_scan.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/file_statistics.h"
#include "frazil/tables/delta/partition_values.h"
#include "frazil/tables/delta/paths.h"
#include "frazil/tables/delta/row_tracking.h"
#include "frazil/tables/row_lineage.h"

namespace frazil::tables::delta {

Result<std::shared_ptr<const TimeZone>> SessionZone(const TableContext& context) {
  std::optional<std::string> name = context.settings ? context.settings("spark.sql.session.timeZone") : std::nullopt;
  if (!name) return TimeZone::Utc();
  return TimeZone::Find(*name);
}

Result<FilePruner> FilePruner::Make(const Snapshot& snapshot, const TableContext& context) {
  FilePruner pruner;
  pruner.schema_ = snapshot.schema;
  FRAZIL_ASSIGN_OR_RETURN(pruner.mapping_, ColumnMappingOf(*snapshot.metadata));
  FRAZIL_ASSIGN_OR_RETURN(pruner.partition_indexes_, PartitionIndexes(*snapshot.metadata, *snapshot.schema));
  FRAZIL_ASSIGN_OR_RETURN(pruner.zone_, SessionZone(context));
  return pruner;
}

Result<std::map<size_t, Value>> FilePruner::PartitionValues(const FileAction& file) const {
  std::map<size_t, Value> values;
  for (size_t index : partition_indexes_) {
    const StructField& field = schema_->fields()[index];
    const std::string name = PhysicalName(field, mapping_);
    auto found = std::find_if(file.partition.begin(), file.partition.end(),
                              [&](const auto& entry) { return entry.first == name; });
    FRAZIL_ASSIGN_OR_RETURN(
        values[index],
        ReadPartitionValue(found == file.partition.end() ? std::nullopt : found->second, *field.type, *zone_));
  }
  return values;
}

std::optional<ColumnBounds> FilePruner::PartitionBounds(const std::vector<std::string>& path,
                                                        const std::map<size_t, Value>& partition) const {
  if (path.size() != 1) return std::nullopt;
  for (const auto& [index, value] : partition) {
    const StructField& field = schema_->fields()[index];
    if (EqualsIgnoreCase(field.name, path[0])) return ConstantBounds(*field.type, value);
  }
  return std::nullopt;
}

const std::vector<std::string>& FilePruner::PhysicalPath(const std::vector<std::string>& path) const {
  for (const auto& [logical, known] : physical_paths_) {
    if (logical == path) return known;
  }
  return physical_paths_.emplace_back(path, FindPhysicalPath(path)).second;
}

std::vector<std::string> FilePruner::FindPhysicalPath(const std::vector<std::string>& path) const {
  std::vector<std::string> physical;
  const DataType* type = schema_.get();
  for (const auto& name : path) {
    int index = type != nullptr && type->id() == TypeId::kStruct ? type->FieldIndex(name) : -1;
    if (index < 0) return {};
    const StructField& field = type->fields()[static_cast<size_t>(index)];
    physical.push_back(PhysicalName(field, mapping_));
    type = field.type.get();
  }
  return physical;
}

bool FilePruner::MayMatch(const Predicate& filter, const FileAction& file,
                          const std::map<size_t, Value>& partition) const {
  return frazil::MayMatch(
      filter, [&](const std::vector<std::string>& path, const DataType& type) -> std::optional<ColumnBounds> {
        if (auto bounds = PartitionBounds(path, partition)) return bounds;
        if (file.stats.empty()) return std::nullopt;
        const std::vector<std::string>& physical = PhysicalPath(path);
        if (physical.empty()) return std::nullopt;
        if (file.bounds != nullptr) return file.bounds->Find(file.stats, physical, type);
        auto json = ParseJson(file.stats);
        return json.ok() ? BoundsOf(*json, physical, type) : std::nullopt;
      });
}

bool FilePruner::MustMatch(const Predicate& filter, const std::map<size_t, Value>& partition) const {
  return frazil::MustMatch(
      filter, [&](const std::vector<std::string>& path, const DataType&) { return PartitionBounds(path, partition); });
}

Result<TableScanPtr> DeltaScan::Make(TableContext context, std::string table, SnapshotPtr snapshot) {
  std::shared_ptr<DeltaScan> scan(new DeltaScan());
  scan->context_ = std::move(context);
  scan->table_ = std::move(table);
  scan->visible_schema_ = VisibleSchema(snapshot->schema);
  FRAZIL_ASSIGN_OR_RETURN(scan->row_tracking_columns_, RowTrackingColumns(*snapshot->metadata));
  scan->snapshot_ = std::move(snapshot);
  return TableScanPtr(std::move(scan));
}

Result<ScanPlan> DeltaScan::Plan(const PredicatePtr& filter) const {
  FRAZIL_ASSIGN_OR_RETURN(FilePruner pruner, FilePruner::Make(*snapshot_, context_));
  ScanPlan plan;
  plan.columns = ToScanColumns(*snapshot_->schema, pruner.mapping());
  plan.match_by_field_id = pruner.mapping() == ColumnMapping::kId;
  plan.columns.insert(plan.columns.end(), row_tracking_columns_.begin(), row_tracking_columns_.end());
  bool prunes = filter != nullptr && filter->op != PredicateOp::kTrue;
  for (const auto& file : snapshot_->LiveFiles()) {
    FRAZIL_ASSIGN_OR_RETURN(auto partition, pruner.PartitionValues(*file));
    if (prunes && !pruner.MayMatch(*filter, *file, partition)) continue;
    std::string path = FilePathOf(table_, file->path);
    if (only_paths_ && !only_paths_->contains(storage::LocalPath(path))) continue;
    ScanFile scanned;
    scanned.path = std::move(path);
    scanned.size = file->size;
    scanned.record_count = file->record_count;
    scanned.constants = std::move(partition);
    if (tracks_rows()) {
      scanned.first_row_id = file->base_row_id;
      scanned.data_sequence_number = file->default_row_commit_version.value_or(0);
    }
    if (file->deletion_vector) {
      FRAZIL_ASSIGN_OR_RETURN(scanned.deleted_positions,
                              ReadDeletionVector(*context_.store, table_, *file->deletion_vector));
    }
    plan.files.push_back(std::move(scanned));
  }
  return plan;
}

std::vector<StructField> DeltaScan::metadata_columns() const {
  if (!tracks_rows()) return {};
  return {{kRowIdColumn.name, DataType::Long(), true}, {kLastUpdatedColumn.name, DataType::Long(), true}};
}

std::optional<int64_t> DeltaScan::exact_row_count() const {
  return only_paths_ ? std::nullopt : snapshot_->files.live_rows();
}

Result<TableScanPtr> DeltaScan::RestrictTo(const std::vector<std::string>& paths) const {
  std::shared_ptr<DeltaScan> scan(new DeltaScan(*this));
  scan->only_paths_.emplace();
  for (const auto& path : paths) scan->only_paths_->insert(storage::LocalPath(path));
  return TableScanPtr(std::move(scan));
}

}  // namespace frazil::tables::delta
