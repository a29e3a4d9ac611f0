#pragma once

// Rows that came as Arrow batches, read by DuckDB's arrow_scan. Internal to engine/.

#include <memory>

#include <duckdb.hpp>

#include "frazil/types/arrow_c.h"

namespace frazil::engine {

/// Hands a table's batches to DuckDB without copying them. Lives as long as the statement.
struct ArrowSource {
  explicit ArrowSource(ArrowTablePtr source_table) : table(std::move(source_table)) {}
  ArrowTablePtr table;

  /// Arguments of arrow_scan: address of this, and the two functions that it calls.
  duckdb::vector<duckdb::Value> Arguments() const;
  static std::string ColumnName(size_t index) { return "a" + std::to_string(index); }
};

/// The Arrow schema of a struct type as DuckDB shall read batches of the layouts of types/arrow_c.h: structs by
/// position, intervals as the integers they are. The caller releases it.
void FillSchemaForDuckDb(const DataType& schema, ArrowSchema* out);

}  // namespace frazil::engine
