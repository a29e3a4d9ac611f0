#include "frazil/streaming/operations.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/plan/streaming.h"
#include "frazil/streaming/stateful.h"

namespace frazil::streaming {
namespace {

using plan::LogicalKind;

/// An operation that Spark does not have over streams.
Error Refused(const std::string& message) {
  return Error::Of(ExceptionClass::kAnalysis, "_LEGACY_ERROR_TEMP_3102", {{"msg", message}});
}

bool HasAggregate(const plan::LogicalPlan& plan) {
  if (plan.kind == LogicalKind::kAggregate && plan::IsStreaming(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasAggregate(*input); });
}

Status CheckJoin(const plan::JoinNode& join) {
  const bool left = plan::IsStreaming(*join.left), right = plan::IsStreaming(*join.right);
  if (left && right) return Error::Unsupported("Joins of two streams");
  const auto refuse = [](const char* type, const char* side) {
    return Refused(std::string(type) + " join with a streaming DataFrame/Dataset on the " + side +
                   " and a static DataFrame/Dataset on the " + (side == std::string("right") ? "left" : "right") +
                   " is not supported");
  };
  switch (join.type) {
    case plan::JoinType::kInner:
    case plan::JoinType::kCross:
      return {};
    case plan::JoinType::kLeftOuter:
      return right ? Status(refuse("LeftOuter", "right")) : Status();
    case plan::JoinType::kLeftSemi:
      return right ? Status(refuse("LeftSemi", "right")) : Status();
    case plan::JoinType::kLeftAnti:
      return right ? Status(refuse("LeftAnti", "right")) : Status();
    case plan::JoinType::kRightOuter:
      return left ? Status(refuse("RightOuter", "left")) : Status();
    case plan::JoinType::kFullOuter:
      return Refused("FullOuter joins with streaming DataFrames/Datasets on one side are not supported");
  }
  return {};
}

Error WindowError(const plan::WindowNode& node) {
  const auto& window = node.windows[0]->As<WindowExpression>();
  return Error::Of("NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING", {{"windowFunc", AsciiUpper(window.function) + "()"},
                                                                  {"columnName", "`" + window.sql + "`"},
                                                                  {"windowSpec", AsciiUpper(window.sql)}});
}

Status CheckAggregation(const plan::AggregateNode& node, OutputMode mode) {
  FRAZIL_RETURN_IF_ERROR(CheckAggregate(node));
  if (HasStatefulOperators(*node.child)) return Error::Unsupported("Several stateful operators over one stream");
  if (mode == OutputMode::kAppend && !EventTimeColumn(*node.child, node.grouping)) {
    return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                     {{"outputMode", "append"}, {"operation", "streaming aggregations without watermark"}});
  }
  return {};
}

Status Check(const plan::LogicalPlan& plan, OutputMode mode) {
  if (!plan::IsStreaming(plan)) return {};
  for (const auto& expression : plan::NodeExpressions(plan)) {
    bool streams = false;
    VisitExpression(*expression, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kSubquery)
        streams =
            streams || plan::IsStreaming(static_cast<const plan::LogicalPlan&>(*part.As<SubqueryExpression>().plan));
      return !streams;
    });
    if (streams) return Error::Of("INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY");
  }
  switch (plan.kind) {
    case LogicalKind::kScan:
    case LogicalKind::kRows:
    case LogicalKind::kArrowRows:
    case LogicalKind::kRange:
    case LogicalKind::kOneRow:
    case LogicalKind::kProject:
    case LogicalKind::kFilter:
    case LogicalKind::kGenerate:
    case LogicalKind::kRepartition:
    case LogicalKind::kUnpivot:
    case LogicalKind::kWith:
    case LogicalKind::kCteReference:
    case LogicalKind::kSample:
    case LogicalKind::kCollectMetrics:
      break;
    case LogicalKind::kJoin:
      FRAZIL_RETURN_IF_ERROR(CheckJoin(plan.As<plan::JoinNode>()));
      break;
    case LogicalKind::kSetOperation: {
      const auto& operation = plan.As<plan::SetOperationNode>();
      if (operation.type == plan::SetOperationType::kIntersect)
        return Refused("Intersect of streaming DataFrames/Datasets is not supported");
      if (operation.type == plan::SetOperationType::kExcept)
        return Refused("Except on a streaming DataFrame/Dataset on the right is not supported");
      if (!operation.all) return Error::Unsupported("DISTINCT over streams");
      const auto inputs = plan::Inputs(plan);
      if (!std::all_of(inputs.begin(), inputs.end(), [](const auto& input) { return plan::IsStreaming(*input); }))
        return Refused("Union between streaming and batch DataFrames/Datasets is not supported");
      break;
    }
    case LogicalKind::kSort:
      if (mode == OutputMode::kComplete && HasAggregate(plan)) break;
      return Refused(
          "Sorting is not supported on streaming DataFrames/Datasets, unless it is on aggregated DataFrame/Dataset in "
          "Complete output mode");
    case LogicalKind::kWindow:
      return WindowError(plan.As<plan::WindowNode>());
    case LogicalKind::kTail:
      return Refused("Tail is not supported on streaming DataFrames/Datasets");
    case LogicalKind::kLimit:
      if (mode == OutputMode::kComplete && HasAggregate(plan)) break;
      if (mode == OutputMode::kUpdate)
        return Refused("Limits are not supported on streaming DataFrames/Datasets in Update output mode");
      return Error::Unsupported("LIMIT and OFFSET over streams");
    case LogicalKind::kAggregate:
      FRAZIL_RETURN_IF_ERROR(CheckAggregation(plan.As<plan::AggregateNode>(), mode));
      break;
    case LogicalKind::kDistinct:
    case LogicalKind::kDeduplicate:
      if (HasStatefulOperators(*plan::Inputs(plan)[0]))
        return Error::Unsupported("Several stateful operators over one stream");
      break;
    case LogicalKind::kRecursiveCte:
      return Error::Unsupported("WITH RECURSIVE over streams");
  }
  for (const auto& input : plan::Inputs(plan)) FRAZIL_RETURN_IF_ERROR(Check(*input, mode));
  return {};
}

}  // namespace

Status CheckOperations(const plan::LogicalPlan& plan, OutputMode mode) {
  if (mode == OutputMode::kComplete && !HasAggregate(plan)) {
    return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                     {{"outputMode", AsciiLower(OutputModeName(mode))}, {"operation", "no streaming aggregations"}});
  }
  return Check(plan, mode);
}

}  // namespace frazil::streaming
