#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frazil/tables/delta/actions.h"
#include "frazil/types/data_type.h"

namespace frazil::tables::delta {

/// The logical files of a table by their key: those that are live, and the tombstones of those that were. In two
/// layers, so that the next version's set costs only what changed. Immutable once shared.
class FileSet {
 public:
  /// Of each file: the live ones and the tombstones, in no order.
  void ForEach(const std::function<void(const FileActionPtr&)>& visit) const;
  FileActionPtr Find(const std::string& key) const;
  int64_t live_count() const { return live_count_; }
  int64_t live_bytes() const { return live_bytes_; }
  /// Rows of the live files without those that are deleted; nullopt where a file does not tell.
  std::optional<int64_t> live_rows() const {
    return live_unknown_ == 0 ? std::optional<int64_t>(live_rows_) : std::nullopt;
  }

  void Put(FileActionPtr file);
  /// Folds the upper layer into the lower one where it has become large.
  void Consolidate();

 private:
  using Layer = std::unordered_map<std::string, FileActionPtr>;
  std::shared_ptr<const Layer> base_ = std::make_shared<const Layer>();
  Layer changes_;
  int64_t live_count_ = 0, live_bytes_ = 0, live_rows_ = 0;
  int64_t live_unknown_ = 0;  ///< Live files whose number of rows is not known.
};

/// What the log says of a table at one version.
struct SnapshotState {
  int64_t version = -1;
  /// Milliseconds: of the commit by its in-commit timestamp, else by the time of its file; 0 where its commit is gone.
  int64_t timestamp_ms = 0;
  Protocol protocol;
  MetadataPtr metadata;
  DataTypePtr schema;  ///< Of metadata, with the fields' metadata.
  FileSet files;
  std::map<std::string, Transaction> transactions;
  std::map<std::string, DomainMetadata> domains;
  int64_t next_order = 0;
  // The commit file of this version, by which a changed log is told from a known one.
  int64_t commit_size = -1, commit_modified_micros = 0;
};

/// A table at one version. Immutable once shared.
struct Snapshot : SnapshotState {
  /// Live files in the order in which they came into the table. Made once for a snapshot.
  const std::vector<FileActionPtr>& LiveFiles() const;

  Snapshot() = default;
  /// The list of live files is the copy's own matter: it is copied to be changed.
  Snapshot(const Snapshot& other) : SnapshotState(other) {}
  Snapshot(Snapshot&& other) noexcept : SnapshotState(std::move(other)) {}

 private:
  mutable std::once_flag live_made_;
  mutable std::vector<FileActionPtr> live_;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// Plays actions one after the other. Source: PROTOCOL.md, "Action Reconciliation".
class SnapshotBuilder {
 public:
  SnapshotBuilder() = default;
  /// The state that the actions change.
  explicit SnapshotBuilder(const Snapshot& base) : snapshot_(base) {}

  void Apply(Action action);
  /// All actions of one commit, whose order does not matter: a file that one action removes and another adds again is
  /// live.
  void ApplyCommit(std::vector<Action> actions);
  /// The in-commit timestamp of the commit applied last; nullopt: it has none.
  std::optional<int64_t> in_commit_timestamp() const { return in_commit_timestamp_; }
  /// Checks that protocol and metadata are there, and parses the schema. Error DELTA_STATE_RECOVER_ERROR.
  Result<SnapshotPtr> Finish(int64_t version, int64_t timestamp_ms);
  Snapshot& snapshot() { return snapshot_; }

 private:
  void ApplyFile(FileAction file);

  Snapshot snapshot_;
  bool has_protocol_ = false;
  std::optional<int64_t> in_commit_timestamp_;
};

}  // namespace frazil::tables::delta
