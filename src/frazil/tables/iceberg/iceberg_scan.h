#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frazil/tables/iceberg/table_operations.h"
#include "frazil/tables/partition_evolution.h"
#include "frazil/tables/scan.h"
#include "frazil/tables/stored_files.h"
#include "frazil/tables/table.h"

namespace frazil::tables::iceberg {

/// What a read asks for, found in the table: a snapshot and its schema, or the appends between two snapshots.
struct ScanTarget {
  const Snapshot* snapshot = nullptr;  ///< Null: an empty table. Owned by the metadata.
  SchemaPtr schema;
  /// Incremental: only files that these snapshots appended.
  std::optional<std::set<int64_t>> appended_by;
  bool time_travel = false;
};

/// Resolves options (also "snapshot-id", "as-of-timestamp", "branch", "tag", "start-snapshot-id", "end-snapshot-id" by
/// name). Errors have Iceberg's texts: "Cannot find snapshot with ID 42", "Cannot find a snapshot older than ...".
Result<ScanTarget> FindScanTarget(const TableMetadata& metadata, const ScanOptions& options);

/// Plans the files of a snapshot. Immutable.
class IcebergScan : public TableScan,
                    public StoredFiles,
                    public PartitionEvolution,
                    public std::enable_shared_from_this<IcebergScan> {
 public:
  static Result<TableScanPtr> Make(TableOperationsPtr operations, TableMetadataPtr metadata, ScanTarget target);

  const DataTypePtr& schema() const override { return spark_schema_; }
  storage::ObjectStorePtr file_store() const override { return operations_->context().store; }
  int32_t current_spec_id() const override { return metadata_->default_spec_id; }
  Result<ScanPlan> Plan(const PredicatePtr& filter) const override;
  /// _spec_id; _partition, where the table has partition fields; _deleted; from v3 on the columns of row lineage.
  std::vector<StructField> metadata_columns() const override { return metadata_columns_; }
  std::optional<int64_t> exact_row_count() const override;
  std::optional<int64_t> estimated_row_count() const override;
  Result<TableScanPtr> RestrictTo(const std::vector<std::string>& paths) const override;

 private:
  IcebergScan() = default;
  /// Manifests of the snapshot; of an incremental scan those that its snapshots added.
  Result<std::vector<ManifestFile>> ManifestsToRead() const;

  TableOperationsPtr operations_;
  TableMetadataPtr metadata_;
  ScanTarget target_;
  DataTypePtr spark_schema_;
  std::vector<StructField> metadata_columns_;
  std::optional<std::set<std::string>> only_paths_;  ///< As storage::LocalPath gives them.
};

/// Which columns of a scan have the value of an identity partition field: (column, position in the spec).
std::vector<std::pair<size_t, size_t>> ConstantColumns(const PartitionSpec& spec, const Schema& schema);
/// The values of such columns in a file, as ScanFile::constants has them.
std::map<size_t, Value> ConstantsOf(const std::vector<std::pair<size_t, size_t>>& columns, const Schema& schema,
                                    const DataFile& file);

/// Struct of all partition fields of all specs, by field id, newest names first (the type of the column _partition and
/// of metadata tables).
struct UnifiedPartition {
  std::vector<int32_t> field_ids;
  std::vector<TypePtr> types;
  DataTypePtr spark_type;

  /// A file's values in this order, null for fields that its spec lacks.
  std::vector<Value> Arrange(const PartitionSpec& spec, const std::vector<Value>& values) const;
};
Result<UnifiedPartition> UnifyPartitions(const TableMetadata& metadata);

}  // namespace frazil::tables::iceberg
