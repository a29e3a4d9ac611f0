#pragma once

#include <string>
#include <vector>

#include "frazil/commands/command_context.h"

namespace frazil::commands {

/// The rows in an order in which rows that are close in any of the columns stand close to each other: along a Z curve
/// over the columns' ranks, as OPTIMIZE ... ZORDER BY of Delta. `columns`: indexes of the plan's output, one or more.
Result<plan::LogicalPlanPtr> AlongZCurve(const plan::LogicalPlanPtr& rows, const std::vector<size_t>& columns,
                                         CommandContext& context);

}  // namespace frazil::commands
