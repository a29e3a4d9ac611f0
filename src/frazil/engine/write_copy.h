#pragma once

// Rows of a query that go into Parquet files by DuckDB's own COPY: each of its threads encodes what it has computed,
// and row groups stand in the order of the rows. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/parser/query_node.hpp>
#include <duckdb/parser/sql_statement.hpp>

namespace frazil::engine {

/// A statement that hands the rows to StatementState::copy_target. Its result is no row of the query.
duckdb::unique_ptr<duckdb::SQLStatement> CopyOf(duckdb::unique_ptr<duckdb::QueryNode> rows);

void RegisterRowCopy(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
