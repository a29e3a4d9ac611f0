#pragma once

#include <duckdb/main/client_context.hpp>

#include "frazil/tables/scan.h"

namespace frazil::engine {

/// Makes DuckDB forget what it has cached (footers, ranges of bytes) of those local files of a plan that no table's
/// metadata vouches for and that were changed since they were last planned. Anybody may have written such a file anew
/// in place, and DuckDB tells that by its size and by the second of its last change alone.
void ForgetChangedFiles(duckdb::ClientContext& client, const tables::ScanPlan& plan);

}  // namespace frazil::engine
