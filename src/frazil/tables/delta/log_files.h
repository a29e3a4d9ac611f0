#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"

namespace frazil::tables::delta {

// The files of _delta_log and their names. Source: PROTOCOL.md, "File Types".

/// "<table>/_delta_log".
std::string LogFolder(const std::string& table);
/// "<log>/00000000000000000007.json".
std::string CommitPath(const std::string& log, int64_t version);
/// The version of a commit's path; nullopt for other files.
std::optional<int64_t> CommitVersion(std::string_view path);

struct CommitFile {
  int64_t version = 0;
  std::string path;
  int64_t size = 0;
  int64_t modified_micros = 0;
};

/// One whole checkpoint: a classic one, all parts of a multi-part one, or the top-level file of a V2 one.
struct CheckpointFiles {
  int64_t version = 0;
  std::vector<std::string> paths;
};

/// What a log folder holds, each in the order of versions.
struct LogListing {
  std::vector<CommitFile> commits;
  std::vector<CheckpointFiles> checkpoints;  ///< Complete ones; several of one version are possible.

  std::optional<int64_t> latest_version() const;
  /// The oldest version whose state can be made: of a checkpoint, or 0 where its commit is there.
  std::optional<int64_t> EarliestVersion() const;
};

/// An empty listing where the folder does not exist.
Result<LogListing> ListLog(storage::ObjectStore& store, const std::string& log);

}  // namespace frazil::tables::delta
