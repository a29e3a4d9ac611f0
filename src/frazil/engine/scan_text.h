#pragma once

// CSV, JSON, text and binary files. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace frazil::engine {

void RegisterTextScanFunctions(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
