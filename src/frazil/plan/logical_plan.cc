#include "frazil/plan/logical_plan.h"

namespace frazil::plan {

std::vector<LogicalPlanPtr> Inputs(const LogicalPlan& plan) {
  switch (plan.kind) {
    case LogicalKind::kScan:
    case LogicalKind::kRows:
    case LogicalKind::kArrowRows:
    case LogicalKind::kRange:
    case LogicalKind::kOneRow:
    case LogicalKind::kCteReference:
      return {};
    case LogicalKind::kProject:
      return {plan.As<ProjectNode>().child};
    case LogicalKind::kFilter:
      return {plan.As<FilterNode>().child};
    case LogicalKind::kJoin:
      return {plan.As<JoinNode>().left, plan.As<JoinNode>().right};
    case LogicalKind::kSetOperation:
      return plan.As<SetOperationNode>().inputs;
    case LogicalKind::kSort:
      return {plan.As<SortNode>().child};
    case LogicalKind::kLimit:
      return {plan.As<LimitNode>().child};
    case LogicalKind::kTail:
      return {plan.As<TailNode>().child};
    case LogicalKind::kAggregate:
      return {plan.As<AggregateNode>().child};
    case LogicalKind::kWindow:
      return {plan.As<WindowNode>().child};
    case LogicalKind::kGenerate:
      return {plan.As<GenerateNode>().child};
    case LogicalKind::kDistinct:
      return {plan.As<DistinctNode>().child};
    case LogicalKind::kDeduplicate:
      return {plan.As<DeduplicateNode>().child};
    case LogicalKind::kSample:
      return {plan.As<SampleNode>().child};
    case LogicalKind::kRepartition:
      return {plan.As<RepartitionNode>().child};
    case LogicalKind::kWith: {
      std::vector<LogicalPlanPtr> inputs;
      for (const auto& definition : plan.As<WithNode>().definitions) inputs.push_back(definition.plan);
      inputs.push_back(plan.As<WithNode>().child);
      return inputs;
    }
    case LogicalKind::kRecursiveCte:
      return {plan.As<RecursiveCteNode>().anchor, plan.As<RecursiveCteNode>().recursive};
    case LogicalKind::kUnpivot:
      return {plan.As<UnpivotNode>().child};
    case LogicalKind::kCollectMetrics:
      return {plan.As<CollectMetricsNode>().child};
  }
  return {};
}

namespace {

void AppendKeys(const std::vector<SortKey>& keys, std::vector<ExpressionPtr>* expressions) {
  for (const auto& key : keys) expressions->push_back(key.expression);
}

}  // namespace

std::vector<ExpressionPtr> NodeExpressions(const LogicalPlan& plan) {
  switch (plan.kind) {
    case LogicalKind::kScan:
    case LogicalKind::kRows:
    case LogicalKind::kArrowRows:
    case LogicalKind::kRange:
    case LogicalKind::kOneRow:
    case LogicalKind::kCteReference:
    case LogicalKind::kSetOperation:
    case LogicalKind::kLimit:
    case LogicalKind::kTail:
    case LogicalKind::kDistinct:
    case LogicalKind::kDeduplicate:
    case LogicalKind::kSample:
    case LogicalKind::kWith:
    case LogicalKind::kRecursiveCte:
      return {};
    case LogicalKind::kProject:
      return plan.As<ProjectNode>().expressions;
    case LogicalKind::kFilter:
      return {plan.As<FilterNode>().condition};
    case LogicalKind::kJoin:
      if (plan.As<JoinNode>().condition == nullptr) return {};
      return {plan.As<JoinNode>().condition};
    case LogicalKind::kSort: {
      std::vector<ExpressionPtr> expressions;
      AppendKeys(plan.As<SortNode>().keys, &expressions);
      return expressions;
    }
    case LogicalKind::kAggregate: {
      auto expressions = plan.As<AggregateNode>().grouping;
      const auto& aggregates = plan.As<AggregateNode>().aggregates;
      expressions.insert(expressions.end(), aggregates.begin(), aggregates.end());
      return expressions;
    }
    case LogicalKind::kWindow:
      return plan.As<WindowNode>().windows;
    case LogicalKind::kGenerate:
      return plan.As<GenerateNode>().arguments;
    case LogicalKind::kRepartition:
      return plan.As<RepartitionNode>().expressions;
    case LogicalKind::kUnpivot: {
      auto expressions = plan.As<UnpivotNode>().ids;
      for (const auto& group : plan.As<UnpivotNode>().groups) {
        expressions.insert(expressions.end(), group.values.begin(), group.values.end());
      }
      return expressions;
    }
    case LogicalKind::kCollectMetrics:
      return plan.As<CollectMetricsNode>().metrics;
  }
  return {};
}

DataTypePtr OutputSchema(const LogicalPlan& plan) {
  std::vector<StructField> fields;
  fields.reserve(plan.output.size());
  for (const auto& attribute : plan.output) {
    StructField field(attribute.name, attribute.type, attribute.nullable);
    field.metadata = attribute.metadata;
    fields.push_back(std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace frazil::plan
