#include "frazil/tables/iceberg/iceberg_scan.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/delete_file_index.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/file_evaluator.h"
#include "frazil/tables/iceberg/name_mapping.h"
#include "frazil/tables/iceberg/parallel_for.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/row_lineage.h"

namespace frazil::tables::iceberg {
std::vector<std::pair<size_t, size_t>> ConstantColumns(const PartitionSpec& spec, const Schema& schema) {
  std::vector<std::pair<size_t, size_t>> result;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const SpecField& field = spec.fields[i];
    if (field.transform != TransformKind::kIdentity || !field.unknown_transform.empty()) continue;
    for (size_t column = 0; column < schema.fields().size(); ++column) {
      if (schema.fields()[column].id == field.source_id && schema.fields()[column].type->IsPrimitive())
        result.emplace_back(column, i);
    }
  }
  return result;
}

std::map<size_t, Value> ConstantsOf(const std::vector<std::pair<size_t, size_t>>& columns, const Schema& schema,
                                    const DataFile& file) {
  std::map<size_t, Value> constants;
  for (auto [column, field] : columns) {
    if (field >= file.partition.size()) continue;
    constants[column] = Promoted(schema.fields()[column].type->kind == TypeKind::kDouble, file.partition[field]);
  }
  return constants;
}

Result<UnifiedPartition> UnifyPartitions(const TableMetadata& metadata) {
  UnifiedPartition unified;
  std::vector<StructField> fields;
  std::map<int32_t, size_t> position;
  // From the oldest spec on, so that fields stand in the order in which they came; the newest name of a field is used,
  // and of a field that became void in v1 its former type.
  std::vector<const PartitionSpec*> specs;
  for (const auto& spec : metadata.specs) specs.push_back(&spec);
  std::sort(specs.begin(), specs.end(), [](const auto* a, const auto* b) { return a->spec_id < b->spec_id; });
  for (const PartitionSpec* spec : specs) {
    for (const auto& field : spec->fields) {
      // What came of columns that are gone tells nothing any more.
      if (!field.unknown_transform.empty() || metadata.schema()->Find(field.source_id) == nullptr) continue;
      TypePtr type = PartitionFieldType(field, *metadata.SchemaForSpec(*spec));
      auto spark = ToSparkType(*type);
      if (!spark.ok()) continue;
      auto [known, is_new] = position.emplace(field.field_id, fields.size());
      if (is_new) {
        unified.field_ids.push_back(field.field_id);
        unified.types.push_back(type);
        fields.emplace_back(field.name, *spark, true);
      } else {
        fields[known->second].name = field.name;
        if (field.transform != TransformKind::kVoid) {
          unified.types[known->second] = type;
          fields[known->second].type = *spark;
        }
      }
    }
  }
  std::vector<size_t> order(fields.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return unified.field_ids[a] < unified.field_ids[b]; });
  UnifiedPartition sorted;
  std::vector<StructField> sorted_fields;
  for (size_t i : order) {
    sorted.field_ids.push_back(unified.field_ids[i]);
    sorted.types.push_back(unified.types[i]);
    sorted_fields.push_back(std::move(fields[i]));
  }
  sorted.spark_type = DataType::Struct(std::move(sorted_fields));
  return sorted;
}

std::vector<Value> UnifiedPartition::Arrange(const PartitionSpec& spec, const std::vector<Value>& values) const {
  std::vector<Value> result(field_ids.size());
  for (size_t i = 0; i < spec.fields.size() && i < values.size(); ++i) {
    for (size_t k = 0; k < field_ids.size(); ++k) {
      if (field_ids[k] == spec.fields[i].field_id) result[k] = Promoted(types[k]->kind == TypeKind::kDouble, values[i]);
    }
  }
  return result;
}

Result<TableScanPtr> IcebergScan::Make(TableOperationsPtr operations, TableMetadataPtr metadata, ScanTarget target) {
  std::shared_ptr<IcebergScan> scan(new IcebergScan());
  FRAZIL_ASSIGN_OR_RETURN(scan->spark_schema_, ToSparkSchema(*target.schema));
  FRAZIL_ASSIGN_OR_RETURN(UnifiedPartition partition, UnifyPartitions(*metadata));
  auto& columns = scan->metadata_columns_;
  columns.emplace_back("_spec_id", DataType::Integer(), true);
  if (!partition.spark_type->fields().empty()) columns.emplace_back("_partition", partition.spark_type, true);
  columns.emplace_back("_deleted", DataType::Boolean(), false);
  if (metadata->format_version >= 3) {
    columns.emplace_back(kRowIdColumn.name, DataType::Long(), true);
    columns.emplace_back(kLastUpdatedColumn.name, DataType::Long(), true);
  }
  scan->operations_ = std::move(operations);
  scan->metadata_ = std::move(metadata);
  scan->target_ = std::move(target);
  return TableScanPtr(std::move(scan));
}

Result<std::vector<ManifestFile>> IcebergScan::ManifestsToRead() const {
  std::vector<ManifestFile> result;
  if (!target_.appended_by) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_->ReadManifests(*metadata_, *target_.snapshot));
    return *manifests;
  }
  // What was appended may be gone again in later snapshots: each appending snapshot is asked for its own manifests.
  for (int64_t id : *target_.appended_by) {
    const Snapshot* snapshot = metadata_->FindSnapshot(id);
    if (snapshot == nullptr) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations_->ReadManifests(*metadata_, *snapshot));
    for (const auto& manifest : *manifests) {
      if (manifest.content == ManifestContent::kData && manifest.added_snapshot_id == id) result.push_back(manifest);
    }
  }
  return result;
}

Result<ScanPlan> IcebergScan::Plan(const PredicatePtr& filter) const {
  ScanPlan plan;
  plan.match_by_field_id = true;
  FRAZIL_ASSIGN_OR_RETURN(plan.columns, ToScanColumns(target_.schema->fields()));
  auto mapping = metadata_->properties.find("schema.name-mapping.default");
  if (mapping != metadata_->properties.end()) FRAZIL_RETURN_IF_ERROR(ApplyNameMapping(mapping->second, &plan.columns));
  FRAZIL_ASSIGN_OR_RETURN(UnifiedPartition partition, UnifyPartitions(*metadata_));
  plan.partition_type = partition.spark_type;
  if (target_.snapshot == nullptr) return plan;

  FRAZIL_ASSIGN_OR_RETURN(auto manifests, ManifestsToRead());
  FileEvaluators evaluators(Bind(filter, *target_.schema), target_.schema);
  struct Work {
    const ManifestFile* manifest;
    const PartitionSpec* spec;
    const FileEvaluator* evaluator;
  };
  std::vector<Work> work;
  for (const auto& manifest : manifests) {
    if (manifest.content != ManifestContent::kData) continue;
    if (target_.appended_by) {
      if (!manifest.MayHaveAdded()) continue;
    } else if (!manifest.MayHaveAdded() && !manifest.MayHaveExisting()) {
      continue;
    }
    const PartitionSpec* spec = metadata_->FindSpec(manifest.spec_id);
    if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
    const FileEvaluator& evaluator = evaluators.For(*spec);
    if (evaluator.ManifestMayMatch(manifest)) work.push_back({&manifest, spec, &evaluator});
  }
  FRAZIL_ASSIGN_OR_RETURN(DeleteFileIndex deletes, DeleteFileIndex::Build(*operations_, *metadata_, manifests));
  std::vector<std::vector<ScanFile>> found(work.size());
  FRAZIL_RETURN_IF_ERROR(ParallelFor(work.size(), ReadThreads(), [&](size_t i) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations_->ReadEntries(*metadata_, *work[i].manifest));
    auto constants = ConstantColumns(*work[i].spec, *target_.schema);
    for (const auto& entry : *entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      if (target_.appended_by &&
          (entry.status != EntryStatus::kAdded || target_.appended_by->count(entry.snapshot_id) == 0))
        continue;
      const DataFile& file = *entry.file;
      if (only_paths_ && only_paths_->count(storage::LocalPath(file.path)) == 0) continue;
      if (!work[i].evaluator->MayMatch(file)) continue;
      ScanFile scan_file;
      scan_file.path = file.path;
      FRAZIL_ASSIGN_OR_RETURN(scan_file.format, ParseFileFormat(file.format));
      scan_file.size = file.size;
      scan_file.record_count = file.record_count;
      scan_file.partition_spec_id = file.spec_id;
      scan_file.constants = ConstantsOf(constants, *target_.schema, file);
      scan_file.partition = partition.Arrange(*work[i].spec, file.partition);
      scan_file.data_sequence_number = entry.sequence_number.value_or(0);
      scan_file.first_row_id = file.first_row_id;
      // Files that were appended between two snapshots are read as they were appended.
      if (!target_.appended_by) FRAZIL_RETURN_IF_ERROR(deletes.Apply(*operations_, entry, &scan_file));
      found[i].push_back(std::move(scan_file));
    }
    return {};
  }));
  for (auto& files : found) {
    plan.files.insert(plan.files.end(), std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
  }
  return plan;
}

std::optional<int64_t> IcebergScan::exact_row_count() const {
  if (only_paths_ || target_.appended_by) return std::nullopt;
  if (target_.snapshot == nullptr) return 0;
  auto manifests = operations_->ReadManifests(*metadata_, *target_.snapshot);
  if (!manifests.ok()) return std::nullopt;  // The error comes up again, and is told, when the scan is planned.
  int64_t rows = 0;
  for (const auto& manifest : **manifests) {
    bool live = manifest.MayHaveAdded() || manifest.MayHaveExisting();
    if (manifest.content == ManifestContent::kDeletes) {
      if (live) return std::nullopt;
      continue;
    }
    if (!manifest.added_rows || !manifest.existing_rows) return std::nullopt;
    rows += *manifest.added_rows + *manifest.existing_rows;
  }
  return rows;
}

std::optional<int64_t> IcebergScan::estimated_row_count() const {
  if (only_paths_ || target_.appended_by) return std::nullopt;
  if (auto exact = exact_row_count()) return exact;
  auto manifests = operations_->ReadManifests(*metadata_, *target_.snapshot);
  if (!manifests.ok()) return std::nullopt;
  int64_t rows = 0;
  for (const auto& manifest : **manifests) {
    if (manifest.content == ManifestContent::kData)
      rows += manifest.added_rows.value_or(0) + manifest.existing_rows.value_or(0);
  }
  return rows;
}

Result<TableScanPtr> IcebergScan::RestrictTo(const std::vector<std::string>& paths) const {
  std::shared_ptr<IcebergScan> scan(new IcebergScan());
  scan->operations_ = operations_;
  scan->metadata_ = metadata_;
  scan->target_ = target_;
  scan->spark_schema_ = spark_schema_;
  scan->metadata_columns_ = metadata_columns_;
  scan->only_paths_.emplace();
  for (const auto& path : paths) scan->only_paths_->insert(storage::LocalPath(path));
  return TableScanPtr(std::move(scan));
}

}  // namespace frazil::tables::iceberg
