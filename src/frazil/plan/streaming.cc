#include "frazil/plan/streaming.h"

#include <algorithm>
#include <map>

#include "frazil/plan/make_logical.h"

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

using Definitions = std::map<uint64_t, LogicalPlanPtr>;

LogicalPlanPtr WithDefinitions(const LogicalPlanPtr& plan, Definitions* definitions) {
  if (plan->kind == LogicalKind::kWith) {
    const auto& with = plan->As<WithNode>();
    for (const auto& definition : with.definitions)
      (*definitions)[definition.id] = WithDefinitions(definition.plan, definitions);
    return WithDefinitions(with.child, definitions);
  }
  if (plan->kind == LogicalKind::kCteReference) {
    const auto found = definitions->find(plan->As<CteReferenceNode>().id);
    if (found == definitions->end()) return plan;
    std::vector<ExpressionPtr> columns;
    for (size_t i = 0; i < plan->output.size(); ++i) columns.push_back(MakeColumn(found->second->output[i]));
    return MakeProject(found->second, std::move(columns), plan->output);
  }
  auto inputs = Inputs(*plan);
  bool changed = false;
  for (auto& input : inputs) {
    auto inlined = WithDefinitions(input, definitions);
    changed = changed || inlined != input;
    input = std::move(inlined);
  }
  return changed ? WithInputs(*plan, std::move(inputs)) : plan;
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

LogicalPlanPtr WithoutCtes(const LogicalPlanPtr& plan) {
  Definitions definitions;
  return WithDefinitions(plan, &definitions);
}

std::vector<const tables::StreamingScan*> StreamingScans(const LogicalPlan& plan) {
  std::vector<const tables::StreamingScan*> scans;
  Collect(plan, &scans);
  return scans;
}

}  // namespace frazil::plan
