#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/expressions/predicate.h"
#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

/// A change of a table, to be committed as the next version. Source: PROTOCOL.md; what conflicts: Delta's "Concurrency
/// control" and ConflictChecker.
struct Change {
  SnapshotPtr base;  ///< The state that the change was made from; null: the table comes into being.
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;
  std::vector<FileAction> files;  ///< Added files and tombstones.
  std::vector<ChangeFile> change_files;
  std::vector<Transaction> transactions;
  std::vector<DomainMetadata> domains;

  /// What the statement read of the table: commits that came in between and changed that are conflicts. Null: nothing
  /// (a blind append).
  PredicatePtr read_filter;
  bool changes_data = true;

  // What the history tells.
  std::string operation;                                        ///< "WRITE", "DELETE", ...
  std::vector<std::pair<std::string, std::string>> parameters;  ///< Name and JSON of the value.
  std::vector<std::pair<std::string, std::string>> metrics;     ///< Name and number.
  std::string user_metadata;
};

/// Where a table commits.
struct CommitTarget {
  TableContext context;
  DeltaLogPtr log;
  CommitPointPtr commit_point;
  std::optional<int64_t> pinned_version = {};  ///< The version that a path chose (folder@v5): nothing can be committed.
};

/// Error DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION where a path chose the version.
Status CheckNotPinned(const CommitTarget& target);

/// Commits the change, over later versions where they do not conflict with it. Checks that the table may be written.
/// Writes a checkpoint where one is due. Errors: DELTA_CONCURRENT_*, DELTA_METADATA_CHANGED, DELTA_PROTOCOL_CHANGED
/// (kind kConflict); kUnknownCommit.
Result<SnapshotPtr> CommitChange(const CommitTarget& target, Change change);

/// JSON of a list of texts within a text, as operation parameters have it: "[\"a\",\"b\"]".
std::string ListParameter(const std::vector<std::string>& texts);

}  // namespace frazil::tables::delta
