#include "frazil/plan/streaming.h"

#include <algorithm>

namespace frazil::plan {
namespace {

void Collect(const LogicalPlan& plan, std::vector<const tables::StreamingScan*>* scans) {
  if (const auto* scan = StreamingScanOf(plan);
      scan != nullptr && std::find(scans->begin(), scans->end(), scan) == scans->end()) {
    scans->push_back(scan);
  }
  for (const auto& input : Inputs(plan)) Collect(*input, scans);
  for (const auto& expression : NodeExpressions(plan)) {
    VisitExpression(*expression, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kSubquery)
        Collect(static_cast<const LogicalPlan&>(*part.As<SubqueryExpression>().plan), scans);
      return true;
    });
  }
}

}  // namespace

const tables::StreamingScan* StreamingScanOf(const LogicalPlan& node) {
  if (node.kind != LogicalKind::kScan) return nullptr;
  return dynamic_cast<const tables::StreamingScan*>(node.As<ScanNode>().scan.get());
}

bool IsStreaming(const LogicalPlan& plan) { return !StreamingScans(plan).empty(); }

bool IsBatchSource(const LogicalPlan& node, const std::set<const void*>& bound_scans) {
  if (node.kind == LogicalKind::kScan) return bound_scans.contains(node.As<ScanNode>().scan.get());
  return node.kind == LogicalKind::kCollectMetrics && node.As<CollectMetricsNode>().name.starts_with(kSourceMetric);
}

bool ReadsStream(const LogicalPlan& plan, const std::set<const void*>& bound_scans) {
  if (StreamingScanOf(plan) != nullptr || IsBatchSource(plan, bound_scans)) return true;
  const auto inputs = Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return ReadsStream(*input, bound_scans); });
}

std::vector<const tables::StreamingScan*> StreamingScans(const LogicalPlan& plan) {
  std::vector<const tables::StreamingScan*> scans;
  Collect(plan, &scans);
  return scans;
}

}  // namespace frazil::plan
