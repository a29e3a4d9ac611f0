#pragma once

// Our object stores as a file system of DuckDB: every path with a scheme that is not the local disk's. Internal to
// engine/.

#include <duckdb.hpp>
#include <duckdb/common/file_system.hpp>

namespace frazil::engine {

/// Adds it to a database. Stores are found by the running statement's settings.
void RegisterStoreFileSystem(duckdb::DatabaseInstance& database);

}  // namespace frazil::engine
