#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frazil/tables/columnar_files.h"
#include "frazil/tables/delta/log_files.h"
#include "frazil/tables/delta/snapshot.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

/// The log of one table: its newest state, which is kept and brought up to date by reading the new commits alone.
/// Thread-safe.
class DeltaLog {
 public:
  DeltaLog(std::string table, ColumnarFilesPtr files);

  const std::string& table() const { return table_; }
  const std::string& log() const { return log_; }
  const ColumnarFiles& columnar_files() const { return *files_; }

  /// The newest version; null where the folder holds no Delta table. Errors: a log that cannot be read whole, a
  /// protocol that cannot be read.
  Result<SnapshotPtr> Update(const TableContext& context);
  /// The state at a version. Error DELTA_VERSION_NOT_FOUND, with the versions that there are.
  Result<SnapshotPtr> At(const TableContext& context, int64_t version);
  /// The newest version that was committed at or before an instant. Errors
  /// DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION, DELTA_TIMESTAMP_GREATER_THAN_COMMIT.
  Result<int64_t> VersionAt(const TableContext& context, int64_t timestamp_micros);
  /// A commit that was written by this process: the next state follows from its text without reading it. Returns it, or
  /// null where the known state is not the version before.
  SnapshotPtr Advance(const SnapshotPtr& base, std::vector<Action> actions, const CommitFile& commit);

 private:
  /// Brings a state up to the last commit that exists; null where the state is not one of this log any more.
  Result<SnapshotPtr> Follow(const TableContext& context, SnapshotPtr known);
  Result<SnapshotPtr> Load(const TableContext& context, std::optional<int64_t> wanted);
  Result<SnapshotPtr> LoadFrom(const TableContext& context, const LogListing& listing,
                               const CheckpointFiles* checkpoint, int64_t version);

  const std::string table_;
  const std::string log_;
  const ColumnarFilesPtr files_;
  std::mutex mutex_;          ///< Guards newest_.
  std::mutex loading_mutex_;  ///< One thread reads the log at a time, the others want the same.
  SnapshotPtr newest_;
};
using DeltaLogPtr = std::shared_ptr<DeltaLog>;

/// The logs that are known to this process, by their table's folder. Thread-safe.
class DeltaLogs {
 public:
  explicit DeltaLogs(ColumnarFilesPtr files) : files_(std::move(files)) {}
  DeltaLogPtr For(const std::string& table);

 private:
  static constexpr size_t kMost = 256;
  const ColumnarFilesPtr files_;
  std::mutex mutex_;
  std::map<std::string, DeltaLogPtr> logs_;
};

}  // namespace frazil::tables::delta
