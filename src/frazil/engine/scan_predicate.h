#pragma once

// DuckDB's filters over a scan as the predicates that tables prune by. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_list.hpp>
#include <duckdb/planner/expression.hpp>

#include "frazil/engine/statement_state.h"
#include "frazil/expressions/predicate.h"

namespace frazil::engine {

/// A predicate that is true for every row for which all filters are (what cannot be said becomes kTrue). `schema` is
/// the scan's struct type.
PredicatePtr PredicateOf(const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters,
                         const duckdb::MultiFilePushdownInfo& info, const std::vector<ScanSlot>& slots,
                         const DataType& schema);

}  // namespace frazil::engine
