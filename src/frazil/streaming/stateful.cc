#include "frazil/streaming/stateful.h"

#include <algorithm>

#include "frazil/base/json.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/streaming.h"
#include "frazil/plan/watermark.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

using plan::LogicalKind;
using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

/// A filter over an inner join as a condition of the join: it may say how far apart the sides' times are.
LogicalPlanPtr WithJoinCondition(const LogicalPlanPtr& plan) {
  if (plan->kind != LogicalKind::kFilter) return plan;
  const auto& filter = plan->As<plan::FilterNode>();
  if (filter.child->kind != LogicalKind::kJoin) return plan;
  const auto& join = filter.child->As<plan::JoinNode>();
  const bool is_inner = join.type == plan::JoinType::kInner || join.type == plan::JoinType::kCross;
  if (!is_inner || join.is_lateral) return plan;
  auto condition = filter.condition;
  if (join.condition != nullptr) condition = MakeCall("and", {join.condition, condition}, DataType::Boolean(), true);
  return plan::MakeJoin(join.left, join.right, plan::JoinType::kInner, std::move(condition));
}

bool IsStreamJoin(const LogicalPlan& plan, const StatefulBatch& batch) {
  if (plan.kind != LogicalKind::kJoin) return false;
  const auto& join = plan.As<plan::JoinNode>();
  return plan::ReadsStream(*join.left, batch.bound_scans) && plan::ReadsStream(*join.right, batch.bound_scans);
}

}  // namespace

std::string StateReport::Json() const {
  return "{\"operatorName\":" + JsonString(operator_name) + ",\"numRowsTotal\":" + std::to_string(rows_total) +
         ",\"numRowsUpdated\":" + std::to_string(rows_updated) +
         ",\"allUpdatesTimeMs\":0,\"numRowsRemoved\":0,\"allRemovalsTimeMs\":0,\"commitTimeMs\":0,\"memoryUsedBytes\":"
         "0,"
         "\"numRowsDroppedByWatermark\":" +
         std::to_string(rows_dropped_by_watermark) +
         ",\"numShufflePartitions\":1,\"numStateStoreInstances\":1,\"customMetrics\":{}}";
}

std::set<AttributeId> ScanMetadataColumns(const LogicalPlan& plan) {
  std::set<AttributeId> ids;
  if (plan.kind == LogicalKind::kScan) {
    const auto& columns = plan.As<plan::ScanNode>().columns;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].index < 0) ids.insert(plan.output[i].id);
    }
  }
  for (const auto& input : plan::Inputs(plan)) ids.merge(ScanMetadataColumns(*input));
  return ids;
}

bool TimesOutByClock(const LogicalPlan& plan) {
  const auto call = GroupStateCallOf(plan);
  if (call && call->by_clock() && plan::IsStreaming(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return TimesOutByClock(*input); });
}

namespace {

bool HasAggregate(const LogicalPlan& plan) {
  if (plan.kind == LogicalKind::kAggregate && !GroupStateCallOf(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasAggregate(*input); });
}

}  // namespace

bool IsLimitOfAllBatches(const LogicalPlan& limit, OutputMode mode) {
  if (limit.kind != LogicalKind::kLimit || !limit.As<plan::LimitNode>().limit) return false;
  return mode == OutputMode::kAppend || !HasAggregate(*limit.As<plan::LimitNode>().child);
}

bool HasStatefulOperators(const LogicalPlan& plan) {
  const bool is_stateful = plan.kind == LogicalKind::kAggregate || plan.kind == LogicalKind::kDeduplicate ||
                           plan.kind == LogicalKind::kDistinct || plan.kind == LogicalKind::kLimit;
  if (is_stateful && plan::IsStreaming(plan)) return true;
  if (plan.kind == LogicalKind::kJoin && plan::IsStreaming(*plan.As<plan::JoinNode>().left) &&
      plan::IsStreaming(*plan.As<plan::JoinNode>().right)) {
    return true;
  }
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasStatefulOperators(*input); });
}

StateStore& StatefulOperators::NextStore() {
  const size_t index = next_++;
  if (index == stores_.size()) {
    // One partition, 0, in Spark's layout.
    const std::string folder = storage::JoinPath(storage::JoinPath(folder_, std::to_string(index)), "0");
    stores_.push_back(std::make_unique<StateStore>(store_, folder));
  }
  return *stores_[index];
}

Status StatefulOperators::RemoveBefore(int64_t version) {
  for (auto& store : stores_) FRAZIL_RETURN_IF_ERROR(store->RemoveBefore(version));
  return {};
}

Result<LogicalPlanPtr> StatefulOperators::Apply(const LogicalPlanPtr& plan, const StatefulBatch& batch,
                                                commands::CommandContext& context) {
  next_ = 0;
  reports_.clear();
  FRAZIL_ASSIGN_OR_RETURN(auto stream, Rewrite(plan, batch, context));
  return std::move(stream.plan);
}

Result<StatefulOperators::Stream> StatefulOperators::Rewrite(const LogicalPlanPtr& original, const StatefulBatch& batch,
                                                             commands::CommandContext& context) {
  const LogicalPlanPtr plan = WithJoinCondition(original);
  Stream stream{plan, {batch.late_watermark_ms, batch.watermark_ms}};
  if (!plan::ReadsStream(*plan, batch.bound_scans) || plan::IsBatchSource(*plan, batch.bound_scans)) return stream;
  const auto with_state = GroupStateCallOf(*plan);
  // The function's groups are its own matter.
  auto inputs = with_state ? plan::Inputs(*with_state->groups) : plan::Inputs(*plan);
  bool changed = false;
  for (auto& input : inputs) {
    FRAZIL_ASSIGN_OR_RETURN(auto rewritten, Rewrite(input, batch, context));
    changed = changed || rewritten.plan != input;
    input = std::move(rewritten.plan);
    stream.watermarks.late_ms = std::min(stream.watermarks.late_ms, rewritten.watermarks.late_ms);
    stream.watermarks.now_ms = std::min(stream.watermarks.now_ms, rewritten.watermarks.now_ms);
  }
  if (with_state) {
    FRAZIL_ASSIGN_OR_RETURN(stream.plan, CallWithState(plan->As<plan::ProjectNode>(), *with_state, inputs[0], batch,
                                                       stream.watermarks, context));
  } else if (plan->kind == LogicalKind::kAggregate) {
    FRAZIL_ASSIGN_OR_RETURN(stream.plan,
                            Aggregate(plan->As<plan::AggregateNode>(), inputs[0], batch, stream.watermarks, context));
  } else if (plan->kind == LogicalKind::kDistinct || plan->kind == LogicalKind::kDeduplicate) {
    FRAZIL_ASSIGN_OR_RETURN(stream.plan, Deduplicate(*plan, inputs[0], batch, stream.watermarks, context));
  } else if (IsLimitOfAllBatches(*plan, batch.mode)) {
    FRAZIL_ASSIGN_OR_RETURN(stream.plan, Limit(plan->As<plan::LimitNode>(), inputs[0], batch, context));
  } else if (IsStreamJoin(*plan, batch)) {
    return Join(plan->As<plan::JoinNode>(), inputs[0], inputs[1], batch, stream.watermarks, context);
  } else if (changed) {
    stream.plan = plan::WithInputs(*plan, std::move(inputs));
  }
  return stream;
}
}  // namespace frazil::streaming
