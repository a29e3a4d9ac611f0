#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/columnar_files.h"
#include "frazil/tables/iceberg/manifest_cache.h"
#include "frazil/tables/iceberg/manifest_reader.h"
#include "frazil/tables/iceberg/table_metadata.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::iceberg {

/// What all tables of this process share.
struct SharedState {
  ManifestCache manifests;
  ColumnarFilesPtr files;  ///< Null in tests without the engine.
  /// One lock for each table that this process commits to: commits of its sessions queue instead of losing to each
  /// other.
  std::shared_ptr<std::mutex> CommitLock(const std::string& location);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<std::mutex>> locks_;
};

/// How commits are tried again: commit.retry.* of the table.
struct RetryPolicy {
  int64_t retries = 4;
  int64_t min_wait_ms = 100;
  int64_t max_wait_ms = 60000;
  int64_t total_ms = 1800000;
  static RetryPolicy Of(const TableMetadata& metadata);
};

/// Reads and commits one table: its store, its commit point, and the caches. Thread-safe; holds no state of the table
/// itself.
class TableOperations {
 public:
  TableOperations(TableContext context, CommitPointPtr commit_point, std::shared_ptr<SharedState> shared);

  const TableContext& context() const { return context_; }
  const std::string& name() const { return context_.name; }
  storage::ObjectStore& store() const { return *context_.store; }
  CommitPoint& commit_point() const { return *commit_point_; }
  /// Error where files cannot be read or written as vectors.
  Result<ColumnarFilesPtr> files() const;

  /// The newest committed state; null where the table does not exist.
  Result<TableMetadataPtr> Load() const;
  Result<TableMetadataPtr> ReadMetadata(const std::string& location) const;

  Result<std::shared_ptr<const std::vector<ManifestFile>>> ReadManifests(const TableMetadata& metadata,
                                                                         const Snapshot& snapshot) const;
  Result<ManifestEntries> ReadEntries(const TableMetadata& metadata, const ManifestFile& manifest) const;

  /// Makes `next`, which was derived from `base` (null: a new table), the newest state. kConflict: `base` is no longer
  /// the newest. On kCommitted `committed` is the state with its location.
  Result<CommitState> Commit(const TableMetadataPtr& base, TableMetadata next, TableMetadataPtr* committed) const;

  /// Applies a change to the newest state and commits, again and again as the table's retry policy says. `change` sees
  /// each base (null: no table) and may fail; an error of kind kConflict or any other ends the trying. Giving up is an
  /// error of kind kConflict (CommitFailedException). Returns the committed state, or the base where the change gave
  /// back nullopt ("nothing to do").
  Result<TableMetadataPtr> CommitChange(
      const std::function<Result<std::optional<TableMetadata>>(const TableMetadataPtr& base)>& change) const;

  /// Path of a new file in the metadata folder.
  static std::string MetadataPath(const TableMetadata& metadata, const std::string& name);
  /// Folder of new data files.
  static std::string DataLocation(const TableMetadata& metadata);

  /// Deletes files that no committed state names. Failures are logged only: what stays is an orphan.
  void DeleteQuietly(const std::vector<std::string>& paths) const;

 private:
  std::optional<std::string> HeldMetadata(const std::string& location) const;

  TableContext context_;
  CommitPointPtr commit_point_;
  std::shared_ptr<SharedState> shared_;
};
using TableOperationsPtr = std::shared_ptr<const TableOperations>;

}  // namespace frazil::tables::iceberg
