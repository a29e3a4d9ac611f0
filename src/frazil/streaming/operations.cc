#include "frazil/streaming/operations.h"

#include <algorithm>
#include <set>

#include "frazil/base/text.h"
#include "frazil/plan/streaming.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/group_state.h"
#include "frazil/streaming/join_times.h"
#include "frazil/streaming/stateful.h"

namespace frazil::streaming {
namespace {

using plan::LogicalKind;

/// An operation that Spark does not have over streams.
Error Refused(const std::string& message) {
  return Error::Of(ExceptionClass::kAnalysis, "_LEGACY_ERROR_TEMP_3102", {{"msg", message}});
}

bool HasAggregate(const plan::LogicalPlan& plan) {
  if (const auto call = GroupStateCallOf(plan)) return HasAggregate(*call->groups->child);
  if (plan.kind == LogicalKind::kAggregate && plan::IsStreaming(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasAggregate(*input); });
}

Status CheckStreamJoin(const plan::JoinNode& join, OutputMode mode) {
  if (mode != OutputMode::kAppend) {
    return Refused("Join between two streaming DataFrames/Datasets is not supported in " + OutputModeName(mode) +
                   " output mode, only in Append output mode");
  }
  if (join.is_lateral) return Error::Unsupported("LATERAL joins of two streams");
  const JoinTimes times = TimesOfJoin(join);
  std::string type;
  bool has_range = false;
  switch (join.type) {
    case plan::JoinType::kInner:
    case plan::JoinType::kCross:
      return {};
    case plan::JoinType::kLeftAnti:
      return Refused("LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported");
    case plan::JoinType::kLeftOuter:
      type = "LeftOuter";
      has_range = times.left.has_range;
      break;
    case plan::JoinType::kLeftSemi:
      type = "LeftSemi";
      has_range = times.left.has_range;
      break;
    case plan::JoinType::kRightOuter:
      type = "RightOuter";
      has_range = times.right.has_range;
      break;
    case plan::JoinType::kFullOuter:
      type = "FullOuter";
      has_range = times.left.has_range || times.right.has_range;
      break;
  }
  if (times.watermark_in_keys || has_range) return {};
  return Refused("Stream-stream " + type +
                 " join between two streaming DataFrame/Datasets is not supported without a watermark in the join "
                 "keys, or a watermark on the nullable side and an appropriate range condition");
}

Status CheckJoin(const plan::JoinNode& join, OutputMode mode) {
  const bool left = plan::IsStreaming(*join.left), right = plan::IsStreaming(*join.right);
  if (left && right) return CheckStreamJoin(join, mode);
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

/// Rows that an operator gives again, or late, are no input for the next one.
Error PossiblyLateRows() {
  return Refused(
      "Detected pattern of possible 'correctness' issue due to global watermark. The query contains stateful operation "
      "which can emit rows older than the current watermark plus allowed late record delay, which are \"late rows\" in "
      "downstream stateful operations and these rows can be discarded. Please refer the programming guide doc for more "
      "details. If you understand the possible risk of correctness issue and still need to run the query, you can "
      "disable this check by setting the config `spark.sql.streaming.statefulOperator.checkCorrectness.enabled` to "
      "false.");
}

bool HasAggregateOrDistinct(const plan::LogicalPlan& plan) {
  if (const auto call = GroupStateCallOf(plan)) return HasAggregateOrDistinct(*call->groups->child);
  const bool is_one = plan.kind == LogicalKind::kAggregate || plan.kind == LogicalKind::kDistinct;
  if (is_one && plan::IsStreaming(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasAggregateOrDistinct(*input); });
}

Error WindowError(const plan::WindowNode& node) {
  const auto& window = node.windows[0]->As<WindowExpression>();
  return Error::Of("NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING", {{"windowFunc", AsciiUpper(window.function) + "()"},
                                                                  {"columnName", "`" + window.sql + "`"},
                                                                  {"windowSpec", AsciiUpper(window.sql)}});
}

Status CheckAggregation(const plan::AggregateNode& node, OutputMode mode) {
  FRAZIL_RETURN_IF_ERROR(CheckAggregate(node));
  if (mode != OutputMode::kAppend && HasAggregateOrDistinct(*node.child)) return PossiblyLateRows();
  if (mode == OutputMode::kUpdate && SessionKey(node)) {
    return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                     {{"outputMode", "update"}, {"operation", "session window streaming aggregations"}});
  }
  if (mode == OutputMode::kAppend && !EventTimeColumn(*node.child, node.grouping)) {
    return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                     {{"outputMode", "append"}, {"operation", "streaming aggregations without watermark"}});
  }
  return {};
}

/// How many calls of applyInPandasWithState a plan has.
size_t CountGroupStates(const plan::LogicalPlan& plan) {
  const auto call = GroupStateCallOf(plan);
  size_t count = call && !call->is_transform && plan::IsStreaming(plan) ? 1 : 0;
  for (const auto& input : plan::Inputs(plan)) count += CountGroupStates(*input);
  return count;
}

/// Aggregation that is not a function's groups.
bool HasOtherAggregate(const plan::LogicalPlan& plan) {
  if (const auto call = GroupStateCallOf(plan)) return HasOtherAggregate(*call->groups->child);
  if (plan.kind == LogicalKind::kAggregate && plan::IsStreaming(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasOtherAggregate(*input); });
}

Status CheckTransformWithState(const GroupStateCall& call, OutputMode mode) {
  if (mode == OutputMode::kComplete) {
    return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                     {{"outputMode", "complete"}, {"operation", "no streaming aggregations"}});
  }
  if (call.by_event_time() && EventTimeColumns(*call.groups->child).empty()) {
    return Refused(
        "Watermark must be specified in the query using '[Dataset/DataFrame].withWatermark()' for using event-time "
        "timeout in a transformWithState. Event-time timeout not supported without watermark.");
  }
  return {};
}

Status CheckGroupState(const GroupStateCall& call, bool is_aggregated, OutputMode mode) {
  if (call.is_transform) return CheckTransformWithState(call, mode);
  const std::string name = "applyInPandasWithState in " + call.output_mode + " mode is not supported ";
  const bool is_append = call.output_mode == "append";
  if (HasOtherAggregate(*call.groups->child)) {
    return Refused(name + (is_append ? "after" : "with") + " aggregation on a streaming DataFrame/Dataset");
  }
  if (is_aggregated) {
    if (!is_append) return Refused(name + "with aggregation on a streaming DataFrame/Dataset");
  } else if (AsciiLower(OutputModeName(mode)) != call.output_mode) {
    return Refused(name + "with " + OutputModeName(mode) + " output mode on a streaming DataFrame/Dataset");
  }
  std::vector<ExpressionPtr> columns;
  for (const auto& column : call.groups->child->output) columns.push_back(MakeColumn(column));
  if (call.timeout == "EventTimeTimeout" && !EventTimeColumn(*call.groups->child, columns)) {
    return Refused(
        "Watermark must be specified in the query using '[Dataset/DataFrame].withWatermark()' for using event-time "
        "timeout in a applyInPandasWithState. Event-time timeout not supported without watermark.");
  }
  return {};
}

Status Check(const plan::LogicalPlan& plan, OutputMode mode, bool is_aggregated = false) {
  if (!plan::IsStreaming(plan)) return {};
  if (const auto call = GroupStateCallOf(plan)) {
    FRAZIL_RETURN_IF_ERROR(CheckGroupState(*call, is_aggregated, mode));
    return Check(*call->groups->child, mode, is_aggregated);
  }
  is_aggregated = is_aggregated || plan.kind == LogicalKind::kAggregate;
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
      FRAZIL_RETURN_IF_ERROR(CheckJoin(plan.As<plan::JoinNode>(), mode));
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
      if (plan.As<plan::LimitNode>().offset > 0) return Error::Unsupported("OFFSET over streams");
      break;
    case LogicalKind::kAggregate:
      FRAZIL_RETURN_IF_ERROR(CheckAggregation(plan.As<plan::AggregateNode>(), mode));
      break;
    case LogicalKind::kDistinct:
    case LogicalKind::kDeduplicate:
      FRAZIL_RETURN_IF_ERROR(CheckDeduplicate(plan));
      break;
    case LogicalKind::kRecursiveCte:
      return Error::Unsupported("WITH RECURSIVE over streams");
  }
  for (const auto& input : plan::Inputs(plan)) FRAZIL_RETURN_IF_ERROR(Check(*input, mode, is_aggregated));
  return {};
}

bool IsStreamJoin(const plan::LogicalPlan& plan) {
  return plan.kind == LogicalKind::kJoin && plan::IsStreaming(*plan.As<plan::JoinNode>().left) &&
         plan::IsStreaming(*plan.As<plan::JoinNode>().right);
}

/// Whether expressions above joins of two streams make something of these columns.
bool UsesAboveJoins(const plan::LogicalPlan& plan, const std::set<AttributeId>& columns) {
  bool uses = false;
  for (const auto& expression : plan::NodeExpressions(plan)) {
    if (expression->kind == ExpressionKind::kColumn) continue;
    VisitExpression(*expression, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kColumn) uses = uses || columns.contains(part.As<ColumnExpression>().id);
      return !uses;
    });
  }
  if (uses || IsStreamJoin(plan)) return uses;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return UsesAboveJoins(*input, columns); });
}

bool HasStreamJoin(const plan::LogicalPlan& plan) {
  if (IsStreamJoin(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasStreamJoin(*input); });
}

Status CheckScanMetadata(const plan::LogicalPlan& plan) {
  if (!HasStreamJoin(plan)) return {};
  const auto columns = ScanMetadataColumns(plan);
  bool is_put_out = false;
  for (const auto& column : plan.output) is_put_out = is_put_out || columns.contains(column.id);
  if (is_put_out || UsesAboveJoins(plan, columns))
    return Error::Unsupported("The column _metadata behind a join of two streams");
  return {};
}

}  // namespace

Status CheckOperations(const plan::LogicalPlan& plan, OutputMode mode) {
  if (mode == OutputMode::kComplete && !HasAggregate(plan)) {
    return Error::Of(ExceptionClass::kAnalysis, "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                     {{"outputMode", AsciiLower(OutputModeName(mode))}, {"operation", "no streaming aggregations"}});
  }
  if (CountGroupStates(plan) > 1)
    return Refused("Multiple applyInPandasWithStates are not supported on a streaming DataFrames/Datasets");
  FRAZIL_RETURN_IF_ERROR(Check(plan, mode));
  return CheckScanMetadata(plan);
}

}  // namespace frazil::streaming
