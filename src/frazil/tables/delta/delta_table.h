#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/tables/clustered_files.h"
#include "frazil/tables/delta/transaction.h"
#include "frazil/tables/feature_removal.h"
#include "frazil/tables/file_check.h"
#include "frazil/tables/micro_batches.h"
#include "frazil/tables/pinned_state.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/table.h"

namespace frazil::tables::delta {

/// A table that the first commit of its write creates or replaces.
struct StagedCreation {
  TableDefinition definition;
  bool replace = false;
  SnapshotPtr cloned;           ///< The state whose files the table takes; null: it is no clone.
  std::string cloned_location;  ///< Where they are.
};

/// A Delta table as loaded, or (staged) as it will be.
class DeltaTable : public Table,
                   public ChoosesRowChanges,
                   public ClusteredFiles,
                   public ChecksFiles,
                   public RemovesFeatures,
                   public MicroBatches,
                   public PinsState {
 public:
  /// `snapshot` may be null for a staged table.
  static Result<TablePtr> Make(CommitTarget target, SnapshotPtr snapshot,
                               std::shared_ptr<const StagedCreation> staged = nullptr);

  std::string provider() const override { return "delta"; }
  const DataTypePtr& schema() const override { return schema_; }
  std::string location() const override { return target_.log->table(); }
  std::map<std::string, std::string> properties() const override;
  std::vector<PartitionField> partitioning() const override { return partitioning_; }
  std::string comment() const override { return metadata_.description.value_or(""); }
  TableCapabilities capabilities() const override;

  Result<TableScanPtr> Scan(const ScanOptions& options) const override;
  Status CheckRows(const DataType& rows) const override;
  Result<std::unique_ptr<TableWrite>> StartWrite(const WriteOptions& options) const override;
  Result<std::unique_ptr<RowChanges>> StartRowChanges(const WriteOptions& options) const override;

  std::vector<RowConstraint> constraints() const override;
  std::vector<GeneratedColumn> generated_columns() const override { return generated_; }
  std::vector<std::vector<std::string>> clustering_columns() const override;
  Result<ClusteringChoice> ChooseFilesToCluster(bool is_full) const override;
  /// With delta.enableDeletionVectors every statement marks rows.
  bool MarksRows(std::string_view operation) const override;
  Result<bool> CanDeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options = {}) const override;
  Result<CommitOutcome> DeleteByMetadata(const PredicatePtr& filter, const WriteOptions& options) const override;
  Status Alter(const std::vector<TableChange>& changes) const override;
  Result<RowSet> History(std::optional<int64_t> limit) const override;
  Result<RowSet> Detail() const override;
  Result<RowSet> Restore(const ScanOptions& options) const override;
  Result<RowSet> Vacuum(const VacuumOptions& options) const override;
  Status GenerateManifest() const override;
  Result<TablePtr> AtState(const ScanOptions& options) const override;
  // file_check.cc
  Result<RowSet> CheckFiles(bool dry_run) const override;
  // drop_feature.cc
  Result<FeatureTraces> TurnOffFeature(const std::string& feature, bool truncate_history) const override;
  Status RemoveFeature(const std::string& feature, bool truncate_history, bool had_traces) const override;

  // micro_batches.cc
  std::string StreamDescription() const override { return "DeltaSource[" + location() + "]"; }
  Result<DataTypePtr> StreamSchema(const Options& options) const override;
  Result<std::optional<std::string>> FirstPlace(const Options& options) const override;
  Result<std::string> NextPlace(const std::string& start, bool all, const Options& options) const override;
  Result<MicroBatch> Between(const std::string& start, const std::string& end, const Options& options) const override;

  const SnapshotPtr& snapshot() const { return snapshot_; }
  const CommitTarget& target() const { return target_; }

 private:
  DeltaTable() = default;
  /// The versions whose changes are read: startingVersion or startingTimestamp, endingVersion or endingTimestamp (keys
  /// in lower case).
  Result<TableScanPtr> ChangesScan(const ScanOptions& options) const;
  /// The snapshot that options choose: by version, by time, or the newest.
  Result<SnapshotPtr> SnapshotFor(const ScanOptions& options) const;

  CommitTarget target_;
  SnapshotPtr snapshot_;
  std::shared_ptr<const StagedCreation> staged_;
  Metadata metadata_;  ///< Of the snapshot, or as a staged table will have it.
  Protocol protocol_;
  DataTypePtr schema_;
  std::vector<PartitionField> partitioning_;
  std::vector<GeneratedColumn> generated_;
};

}  // namespace frazil::tables::delta
