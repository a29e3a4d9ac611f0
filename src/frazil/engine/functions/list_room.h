#pragma once

// What kernels ask before they make long lists: DuckDB's memory limit does not count the vectors of expressions, and an
// interrupt reaches a query only between chunks of rows, not within one value. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/execution/expression_executor_state.hpp>

namespace frazil::engine {

/// Raises UNABLE_TO_ACQUIRE_MEMORY where `elements` of `element_bytes` each do not fit below the memory limit beside
/// what is in use. While a constant is folded a long list ends the attempt: the value is then made when the query runs,
/// where it is a vector and not one object for each element.
void CheckListRoom(duckdb::ExpressionState& state, duckdb::idx_t elements, duckdb::idx_t element_bytes);

/// Ends the query here if it was interrupted. To be asked every some ten thousand elements.
void CheckInterrupted(duckdb::ExpressionState& state);

/// Bytes of an element of that type in a vector, without what it points to.
duckdb::idx_t ElementBytes(const duckdb::LogicalType& type);

/// spark_list_room(list, bytes): the list, after CheckListRoom for its own elements and as many of so many bytes.
/// spark_interruptible(value): the value, after CheckInterrupted.
void RegisterListRoomKernels(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
