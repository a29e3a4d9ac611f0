#pragma once

#include "frazil/plan/logical_plan.h"

namespace frazil::plan {

/// A function whose value differs from call to call: rand, uuid, monotonically_increasing_id, ...
bool IsNondeterministicFunction(std::string_view name);

/// Whether such a function stands in the expression or in one of its subqueries.
bool CallsNondeterministicFunction(const Expression& expression);

/// Whether the plan gives the same rows each time it runs over the same tables: no nondeterministic function in it or
/// in its subqueries, and no choice of rows by their order (samples, limits and tails without a sort right below).
bool IsDeterministic(const LogicalPlan& plan);

}  // namespace frazil::plan
