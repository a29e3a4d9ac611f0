#pragma once

// What a plan looks at of a scan's columns. Internal to engine/.

#include <optional>
#include <set>

#include "frazil/plan/logical_plan.h"

namespace frazil::engine {

/// Whether an expression of the plan, or of its subqueries, names a column.
bool Mentions(const plan::LogicalPlan& plan, AttributeId id);

/// The columns of `scan` that the plan `root` needs, as Spark prunes them. Nothing where the nodes above the scan are
/// others than those that filter, sort, cut off and project.
std::optional<std::set<AttributeId>> RequiredColumns(const plan::LogicalPlan& root, const plan::ScanNode& scan);

}  // namespace frazil::engine
