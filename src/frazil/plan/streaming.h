#pragma once

#include <set>
#include <vector>

#include "frazil/plan/logical_plan.h"
#include "frazil/tables/streaming_scan.h"

namespace frazil::plan {

/// The streaming relation that a node is, or null: a ScanNode over a tables::StreamingScan.
const tables::StreamingScan* StreamingScanOf(const LogicalPlan& node);
/// Whether the plan reads a streaming relation, also in the definitions of its common table expressions and its
/// subqueries.
bool IsStreaming(const LogicalPlan& plan);
/// In a micro-batch's plan a source whose rows are a relation stands below a CollectMetricsNode that counts them, whose
/// name is this, ':' and the source's place in the plan.
inline constexpr const char* kSourceMetric = "__source__";
/// Whether a node is what a streaming source gives to a micro-batch; `bound_scans`: the scans (tables::TableScan) that
/// are the batch's sources.
bool IsBatchSource(const LogicalPlan& node, const std::set<const void*>& bound_scans);
/// Whether the plan reads a streaming relation, or what one gives to a micro-batch.
bool ReadsStream(const LogicalPlan& plan, const std::set<const void*>& bound_scans);
/// The plan with common table expressions in the place of each reference to them, so that what stands over a reference
/// to a stream is seen to stand over a stream. Recursive ones stay.
LogicalPlanPtr WithoutCtes(const LogicalPlanPtr& plan);
/// The streaming relations of a plan, from the top down and from left to right, each once.
std::vector<const tables::StreamingScan*> StreamingScans(const LogicalPlan& plan);

}  // namespace frazil::plan
