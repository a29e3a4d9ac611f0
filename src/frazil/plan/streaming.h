#pragma once

#include <vector>

#include "frazil/plan/logical_plan.h"
#include "frazil/tables/streaming_scan.h"

namespace frazil::plan {

/// The streaming relation that a node is, or null: a ScanNode over a tables::StreamingScan.
const tables::StreamingScan* StreamingScanOf(const LogicalPlan& node);
/// Whether the plan reads a streaming relation, also in the definitions of its common table expressions and its
/// subqueries.
bool IsStreaming(const LogicalPlan& plan);
/// The streaming relations of a plan, from the top down and from left to right, each once.
std::vector<const tables::StreamingScan*> StreamingScans(const LogicalPlan& plan);

}  // namespace frazil::plan
