#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/types/arrow_c.h"

namespace frazil::streaming {

/// The rows that one stateful operator keeps between the batches of its query: a table for each version, where version
/// N is what batch N begins with. Below the checkpoint's folder state/<operator>, files <version>.arrow of Arrow IPC.
class StateStore {
 public:
  StateStore(storage::ObjectStorePtr store, std::string folder)
      : store_(std::move(store)), folder_(std::move(folder)) {}

  /// The rows of a version; those of version 0 are none. Error where the version is gone, or has other columns.
  Result<ArrowTablePtr> Load(int64_t version, const DataTypePtr& schema);
  /// Writes a version, or writes it again: the same batch makes the same rows.
  Status Save(int64_t version, ArrowTablePtr rows);
  /// Versions before this one are not asked for any more.
  Status RemoveBefore(int64_t version);

 private:
  std::string PathOf(int64_t version) const;

  storage::ObjectStorePtr store_;
  std::string folder_;
  // The newest one, which the next batch wants.
  std::optional<int64_t> version_;
  ArrowTablePtr rows_;
  std::optional<int64_t> oldest_;
};

}  // namespace frazil::streaming
