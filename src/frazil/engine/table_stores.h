#pragma once

// The stores of a statement's tables. Internal to engine/.

#include <mutex>
#include <string>
#include <unordered_map>

#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>

#include "frazil/storage/object_store.h"

namespace frazil::engine {

/// By the files that are read: of tables whose catalogs say how to get at them. Two catalogs may have objects of one
/// name in stores of different makers; then the table that was planned last has it. In practice such names are not
/// given twice (a UUID is in them). Thread-safe.
struct TableStores : duckdb::ClientContextState {
  void Add(const std::string& path, const storage::ObjectStorePtr& store) {
    std::lock_guard<std::mutex> lock(mutex);
    by_path[path] = store;
  }
  /// Null where no table has the file.
  storage::ObjectStorePtr Find(const std::string& path) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = by_path.find(path);
    return found == by_path.end() ? nullptr : found->second;
  }

  static constexpr const char* kKey = "frazil_table_stores";
  /// Of the statement that runs on this connection.
  static duckdb::shared_ptr<TableStores> Of(duckdb::ClientContext& client) {
    return client.registered_state->GetOrCreate<TableStores>(kKey);
  }

  std::mutex mutex;
  std::unordered_map<std::string, storage::ObjectStorePtr> by_path;
};

}  // namespace frazil::engine
