#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/tables/iceberg/iceberg_table.h"
#include "frazil/tables/iceberg/position_deletes.h"
#include "frazil/tables/iceberg/snapshot_producer.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/stored_files.h"
#include "frazil/tables/write.h"

namespace frazil::tables::iceberg {

/// A write of data files that ends with one snapshot. Not thread-safe.
class IcebergWrite : public RowChanges, public StoredFiles {
 public:
  static Result<std::unique_ptr<IcebergWrite>> Start(TableOperationsPtr operations, TableMetadataPtr metadata,
                                                     std::shared_ptr<const StagedCreation> staged,
                                                     const WriteOptions& options);
  ~IcebergWrite() override;

  const WriteTask& task() const override { return task_; }
  storage::ObjectStorePtr file_store() const override { return operations_->context().store; }
  void AddFiles(std::vector<WrittenFile> files) override;
  void RemoveFiles(std::vector<std::string> paths) override;
  /// Merge-on-read: the write deletes rows by position, whether or not any is found.
  Status MarkRows();
  void SetReadsTable() override;
  void DeleteRows(const std::string& path, std::vector<int64_t> positions) override;
  const WriteTask* change_task() const override { return nullptr; }
  void AddChangeFiles(std::vector<WrittenFile>) override {}
  Result<CommitOutcome> Commit() override;
  void Abort() override;

 private:
  IcebergWrite() = default;
  Result<SnapshotChange> BuildChange();
  /// Writes the files that delete the marked rows of `head`, into the change.
  Status AddDeletes(const Snapshot* head, SnapshotChange* change);
  void RemoveEmptyLocation() const;
  /// What goes where the write comes to nothing: the added files, but those that were there before it (add_files).
  std::vector<std::string> OwnFiles() const;
  /// The state that the new snapshot goes on top of.
  Result<TableMetadata> Prepare(const TableMetadataPtr& base) const;
  /// REPLACE TABLE without rows: the new definition, no snapshot.
  Result<CommitOutcome> CommitStagedOnly() const;

  TableOperationsPtr operations_;
  TableMetadataPtr metadata_;
  std::shared_ptr<const StagedCreation> staged_;
  WriteOptions options_;
  const PartitionSpec* spec_ = nullptr;
  int32_t sort_order_id_ = 0;
  WriteTask task_;
  std::vector<WrittenFile> added_;
  std::vector<std::string> removed_;
  bool marks_rows_ = false;
  PositionsByFile deleted_rows_;
  std::vector<std::string> delete_paths_;  ///< Files of deletes that were written.
  bool done_ = false;
};

/// Commits a change of snapshots; on a conflict or certain failure what was written for it (manifests, and
/// `data_files`) is deleted.
Result<CommitOutcome> CommitSnapshot(const TableOperationsPtr& operations, SnapshotChange change,
                                     const std::vector<std::string>& data_files,
                                     const std::function<Result<TableMetadata>(const TableMetadataPtr& base)>& prepare);

/// A write option (keys in lower case), or nullopt.
std::optional<std::string> WriteOption(const WriteOptions& options, const std::string& key);
/// Whether a statement says itself which branch it is about, main included: that is not the one being audited.
bool NamesBranch(const WriteOptions& options);
/// What options say about branch, summary and staging, in the change.
void ApplyCommonOptions(const WriteOptions& options, SnapshotChange* change);

}  // namespace frazil::tables::iceberg
