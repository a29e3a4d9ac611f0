#pragma once

#include <string>
#include <utility>

#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// The same stores, but that paths at or below `location` are `store`'s: for a table whose catalog says how to get at
/// its files. `stores` outlives the result.
inline StoreRegistry WithLocation(const StoreRegistry& stores, const std::string& location, ObjectStorePtr store) {
  StoreRegistry located = stores;
  located.Register(SchemeOf(location),
                   [&stores, location, store = std::move(store)](
                       const std::string& path, const SettingLookup& settings) -> Result<ObjectStorePtr> {
                     if (path.starts_with(location)) return store;
                     return stores.StoreFor(path, settings);
                   });
  return located;
}

}  // namespace frazil::storage
