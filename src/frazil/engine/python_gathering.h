#pragma once

// Python functions get more rows at a time than a vector of DuckDB holds. Internal to engine/.
//
// A call costs the same for few rows and for many: one message there, one back, and pandas' own work. DuckDB evaluates
// expressions over 2,048 rows. Hence calls that every row of a projection, filter or aggregate needs are taken out of
// it when DuckDB has optimized a plan, and put into an operator below, which keeps rows until they are enough. Where a
// consumer tells rows apart by the part of the source that they come from, they cannot be kept, and each vector is a
// call as before.

#include <duckdb/main/config.hpp>

namespace frazil::engine {

/// How many rows a function gets at once, unless they are large.
constexpr duckdb::idx_t kPythonBatchRows = 8192;

/// Lets the statements of this database gather rows.
void RegisterPythonGathering(duckdb::DBConfig& config);

}  // namespace frazil::engine
