#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/write.h"

namespace frazil::tables::delta {

/// A write of data files and its commit.
class DeltaWrite : public TableWrite {
 public:
  /// `metadata` and `protocol`: of the table, or as a staged one will have them.
  static Result<std::unique_ptr<TableWrite>> Start(CommitTarget target, SnapshotPtr snapshot, Metadata metadata,
                                                   Protocol protocol, std::shared_ptr<const StagedCreation> staged,
                                                   const WriteOptions& options);
  ~DeltaWrite() override;

  const WriteTask& task() const override { return task_; }
  void AddFiles(std::vector<WrittenFile> files) override;
  void RemoveFiles(std::vector<std::string> paths) override;
  void SetRowCounts(const RowCounts& counts) override { counts_ = counts; }
  Result<CommitOutcome> Commit() override;
  void Abort() override;

 private:
  DeltaWrite() = default;
  Status PrepareTask(const DataTypePtr& schema);
  /// The added files as actions.
  std::vector<FileAction> AddedFiles(int64_t now_ms) const;
  /// Tombstones of what the mode replaces.
  Result<std::vector<FileAction>> ReplacedFiles(const std::vector<FileAction>& added, int64_t now_ms) const;
  void Describe(Change* change) const;
  void DeleteAddedFiles();

  CommitTarget target_;
  SnapshotPtr snapshot_;
  Metadata metadata_;
  Protocol protocol_;
  std::shared_ptr<const StagedCreation> staged_;
  WriteOptions options_;
  bool changes_metadata_ = false;
  WriteTask task_;
  std::vector<DataTypePtr> partition_types_;
  std::vector<WrittenFile> added_;
  std::vector<std::string> removed_paths_;
  RowCounts counts_;
  bool ended_ = false;
};

}  // namespace frazil::tables::delta
