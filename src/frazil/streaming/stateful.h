#pragma once

// Operators of a streaming query that remember earlier batches: aggregation, dropDuplicates, joins of two streams.
//
// A batch's plan is the query's plan over the rows of the batch. Its stateful operators are computed one after the
// other, from the sources on: each takes its rows, merges them into what it keeps, and its place in the plan is taken
// by the rows that it gives.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/streaming/group_state.h"
#include "frazil/streaming/state_store.h"
#include "frazil/streaming/stream_write.h"

namespace frazil::streaming {

/// What an operator did in a batch, for progress reports.
struct StateReport {
  std::string operator_name;
  int64_t rows_total = 0, rows_updated = 0, rows_dropped_by_watermark = 0;
  std::string Json() const;
};

/// One batch.
struct StatefulBatch {
  int64_t id = 0;
  OutputMode mode = OutputMode::kAppend;
  int64_t watermark_ms = 0;           ///< What has event times up to here is complete.
  int64_t timestamp_ms = 0;           ///< When the batch was planned.
  int64_t late_watermark_ms = 0;      ///< Rows of event times up to here are late: the former batch's watermark.
  std::set<const void*> bound_scans;  ///< The scans (tables::TableScan) that are the batch's sources.
};

class StatefulOperators {
 public:
  StatefulOperators(storage::ObjectStorePtr store, std::string folder)
      : store_(std::move(store)), folder_(std::move(folder)) {}

  /// The plan without stateful operators over the batch's sources; their new state is saved as version id + 1.
  Result<plan::LogicalPlanPtr> Apply(const plan::LogicalPlanPtr& plan, const StatefulBatch& batch,
                                     commands::CommandContext& context);
  /// Of the last batch.
  const std::vector<StateReport>& reports() const { return reports_; }
  Status RemoveBefore(int64_t version);

 private:
  /// The watermarks of a batch as an operator sees them: operators below it may hold rows back.
  struct Watermarks {
    int64_t late_ms = 0, now_ms = 0;
  };
  struct Stream {
    plan::LogicalPlanPtr plan;
    Watermarks watermarks;
  };

  Result<Stream> Rewrite(const plan::LogicalPlanPtr& plan, const StatefulBatch& batch,
                         commands::CommandContext& context);
  // Of each: `node` is the operator in the batch's plan; `child` its input without stateful operators.
  Result<plan::LogicalPlanPtr> Aggregate(const plan::AggregateNode& node, const plan::LogicalPlanPtr& child,
                                         const StatefulBatch& batch, const Watermarks& watermarks,
                                         commands::CommandContext& context);
  Result<plan::LogicalPlanPtr> Deduplicate(const plan::LogicalPlan& node, const plan::LogicalPlanPtr& child,
                                           const StatefulBatch& batch, const Watermarks& watermarks,
                                           commands::CommandContext& context);
  Result<plan::LogicalPlanPtr> Limit(const plan::LimitNode& node, const plan::LogicalPlanPtr& child,
                                     const StatefulBatch& batch, commands::CommandContext& context);
  Result<Stream> Join(const plan::JoinNode& node, const plan::LogicalPlanPtr& left, const plan::LogicalPlanPtr& right,
                      const StatefulBatch& batch, const Watermarks& watermarks, commands::CommandContext& context);
  Result<plan::LogicalPlanPtr> CallWithState(const plan::ProjectNode& node, const GroupStateCall& function,
                                             const plan::LogicalPlanPtr& child, const StatefulBatch& batch,
                                             const Watermarks& watermarks, commands::CommandContext& context);
  Result<plan::LogicalPlanPtr> TransformWithState(const plan::ProjectNode& node, const GroupStateCall& function,
                                                  const plan::LogicalPlanPtr& child, const StatefulBatch& batch,
                                                  const Watermarks& watermarks, commands::CommandContext& context);
  StateStore& NextStore();

  storage::ObjectStorePtr store_;
  std::string folder_;
  std::vector<std::unique_ptr<StateStore>> stores_;  ///< By operator, from the sources on.
  size_t next_ = 0;
  std::vector<StateReport> reports_;
};

/// Whether a limit counts the rows of all batches: one over rows that are appended, not over an aggregate that is given
/// whole in each batch.
bool IsLimitOfAllBatches(const plan::LogicalPlan& limit, OutputMode mode);

/// Whether a plan (of the query, or of a batch) has stateful operators over streams.
bool HasStatefulOperators(const plan::LogicalPlan& plan);

/// The columns of a plan that scans add to those of their tables: where a row came from. Joins of two streams do not
/// keep them, and batches without files do not have them.
std::set<AttributeId> ScanMetadataColumns(const plan::LogicalPlan& plan);

/// Whether a plan calls functions whose groups may time out by the clock, so that each trigger has a batch.
bool TimesOutByClock(const plan::LogicalPlan& plan);

/// Whether the aggregate can be kept from batch to batch: error of kind kUnsupported that names what cannot.
Status CheckAggregate(const plan::AggregateNode& node);

/// Whether a DistinctNode or DeduplicateNode over a stream has what it needs. Spark's errors.
Status CheckDeduplicate(const plan::LogicalPlan& node);

/// The grouping key that is a session window, which grows with the rows of later batches.
std::optional<size_t> SessionKey(const plan::AggregateNode& node);

}  // namespace frazil::streaming
