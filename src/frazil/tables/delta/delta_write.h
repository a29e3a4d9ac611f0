#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/stored_files.h"

namespace frazil::tables::delta {

/// A write of data files and its commit.
class DeltaWrite : public RowChanges, public StoredFiles {
 public:
  /// `metadata` and `protocol`: of the table, or as a staged one will have them. `with_change_rows`: the statement
  /// writes to the change feed where there is one.
  static Result<std::unique_ptr<DeltaWrite>> Start(CommitTarget target, SnapshotPtr snapshot, Metadata metadata,
                                                   Protocol protocol, std::shared_ptr<const StagedCreation> staged,
                                                   const WriteOptions& options, bool with_change_rows = false);
  ~DeltaWrite() override;

  const WriteTask& task() const override { return task_; }
  storage::ObjectStorePtr file_store() const override { return target_.context.store; }
  void AddFiles(std::vector<WrittenFile> files) override;
  void RemoveFiles(std::vector<std::string> paths) override;
  void DeleteRows(const std::string& path, std::vector<int64_t> positions) override;
  const WriteTask* change_task() const override { return change_task_ ? &*change_task_ : nullptr; }
  void AddChangeFiles(std::vector<WrittenFile> files) override;
  void SetReadsTable() override { reads_table_ = true; }
  void SetRowCounts(const RowCounts& counts) override { counts_ = counts; }
  void SetFigures(const RowChangeFigures& figures) override { row_figures_ = figures; }
  Result<CommitOutcome> Commit() override;
  void Abort() override;

 private:
  DeltaWrite() = default;
  Status PrepareTask(const DataTypePtr& schema);
  /// The columns in which rows that come from other files keep their ids, where the table tracks rows.
  Status AddLineageColumns();
  /// The added files as actions.
  std::vector<FileAction> AddedFiles(int64_t now_ms) const;
  /// Files whose rows are deleted by position: with a new deletion vector, or gone where no row is left.
  Status MarkDeletedRows(int64_t now_ms, std::vector<FileAction>* actions);
  PartitionTexts PartitionOf(const WrittenFile& file) const;
  /// Files that are there and become the table's own when it comes into being: those of a clone's source, or those in
  /// its folder.
  Status TakeFiles(int64_t now_ms, Change* change) const;
  /// What a new table says of itself beside its metadata.
  Status AddDomains(Change* change) const;
  /// Notes the last values that identity columns have given.
  Status NoteIdentities();
  /// Tombstones of what the mode replaces.
  Result<std::vector<FileAction>> ReplacedFiles(const std::vector<FileAction>& added, int64_t now_ms) const;
  // write_description.cc
  struct Figures;
  static Figures FiguresOf(const std::vector<FileAction>& files);
  void Describe(Change* change) const;
  void DescribeRowChange(const Figures& figures, Change* change) const;
  void DeleteAddedFiles();

  CommitTarget target_;
  SnapshotPtr snapshot_;
  Metadata metadata_;
  Protocol protocol_;
  std::shared_ptr<const StagedCreation> staged_;
  WriteOptions options_;
  bool changes_metadata_ = false;
  WriteTask task_;
  std::vector<std::string> lineage_columns_;  ///< The last of the task's columns.
  std::vector<DataTypePtr> partition_types_;
  std::vector<WrittenFile> added_;
  std::vector<std::string> removed_paths_;
  std::optional<WriteTask> change_task_;
  std::vector<WrittenFile> change_files_;
  std::map<std::string, std::vector<int64_t>> deleted_rows_;  ///< By path as storage::LocalPath gives it.
  std::optional<std::string> vector_file_;                    ///< The file of new deletion vectors.
  RowCounts counts_;
  RowChangeFigures row_figures_;
  bool reads_table_ = false;
  bool ended_ = false;
};

}  // namespace frazil::tables::delta
