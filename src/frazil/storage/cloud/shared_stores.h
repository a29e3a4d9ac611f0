#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// The stores of the options that were asked for last, so that statement after statement finds their connections.
/// `Options` has Equals. Thread-safe.
template <typename Options>
class SharedStores {
 public:
  Result<ObjectStorePtr> Get(const Options& options, const std::function<Result<ObjectStorePtr>()>& make) {
    std::lock_guard lock(mutex_);
    for (const auto& [known, store] : recent_) {
      if (known.Equals(options)) return store;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto store, make());
    if (recent_.size() == kKept) recent_.erase(recent_.begin());
    recent_.emplace_back(options, store);
    return store;
  }

 private:
  static constexpr size_t kKept = 32;
  std::mutex mutex_;
  std::vector<std::pair<Options, ObjectStorePtr>> recent_;
};

}  // namespace frazil::storage
