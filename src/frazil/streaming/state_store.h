#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/types/arrow_c.h"

namespace frazil::streaming {

/// The rows that one stateful operator keeps between the batches of its query, in versions, where version N is what
/// batch N begins with. Below the checkpoint's folder state/<operator>, files of Arrow IPC: <version>.arrow, a
/// snapshot, or <version>.delta.arrow, what differs from the version before (keyed_state.h).
class StateStore {
 public:
  StateStore(storage::ObjectStorePtr store, std::string folder)
      : store_(std::move(store)), folder_(std::move(folder)) {}

  /// The rows of a version that is a snapshot; those of version 0 are none. Error where the version is gone, or has
  /// other columns.
  Result<ArrowTablePtr> Load(int64_t version, const DataTypePtr& schema);
  /// Writes a version, or writes it again: the same batch makes the same rows.
  Status Save(int64_t version, ArrowTablePtr rows);
  /// The same for what differs from the version before.
  Status SaveDelta(int64_t version, const ArrowTable& changes);
  /// Versions before this one are not asked for any more.
  Status RemoveBefore(int64_t version);

  /// The newest snapshot up to a version; 0: none, or no such version.
  Result<int64_t> SnapshotUpTo(int64_t version);
  Result<ArrowTablePtr> ReadSnapshot(int64_t version, const DataTypePtr& schema) const;
  Result<ArrowTablePtr> ReadDelta(int64_t version, const DataTypePtr& schema) const;

  /// The version that `rows` and `changes` are of: what the next batch wants.
  struct Kept {
    int64_t version = -1;
    ArrowTablePtr rows;
    ArrowTablePtr changes;  ///< Null: there are none.
    int64_t count = 0;      ///< How many rows both come to.
    int64_t deltas = 0;     ///< How many have been written since the last snapshot.
  };
  Kept kept;

 private:
  Result<ArrowTablePtr> Read(const std::string& path, int64_t version, const DataTypePtr& schema) const;
  Status Write(int64_t version, bool is_snapshot, const ArrowTable& rows);
  std::string PathOf(int64_t version, bool is_snapshot) const;
  Status ListFiles();

  storage::ObjectStorePtr store_;
  std::string folder_;
  bool is_of_others_ = false;                     ///< Spark's files of state are there.
  std::optional<std::map<int64_t, bool>> files_;  ///< Versions that are there: whether they are snapshots.
};

}  // namespace frazil::streaming
