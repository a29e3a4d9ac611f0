#pragma once

// Operators of a streaming query that remember earlier batches: aggregation, dropDuplicates.
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
#include "frazil/streaming/state_store.h"
#include "frazil/streaming/stream_write.h"

namespace frazil::streaming {

/// In a batch's plan a source whose rows are a relation stands below a CollectMetricsNode that counts them, whose name
/// is this, ':' and the source's place in the plan.
inline constexpr const char* kSourceMetric = "__source__";

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
  int64_t watermark_ms = 0;           ///< Rows of event times up to here are late, and groups up to here are complete.
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
  Result<plan::LogicalPlanPtr> Rewrite(const plan::LogicalPlanPtr& plan, const StatefulBatch& batch,
                                       commands::CommandContext& context);
  Result<plan::LogicalPlanPtr> Aggregate(const plan::AggregateNode& node, const plan::LogicalPlanPtr& child,
                                         const StatefulBatch& batch, commands::CommandContext& context);
  Result<plan::LogicalPlanPtr> Deduplicate(const plan::LogicalPlan& node, const std::vector<Attribute>& keys,
                                           const plan::LogicalPlanPtr& child, const StatefulBatch& batch,
                                           commands::CommandContext& context);
  StateStore& NextStore();

  storage::ObjectStorePtr store_;
  std::string folder_;
  std::vector<std::unique_ptr<StateStore>> stores_;  ///< By operator, from the sources on.
  size_t next_ = 0;
  std::vector<StateReport> reports_;
};

/// Whether a plan (of the query, or of a batch) has stateful operators over streams.
bool HasStatefulOperators(const plan::LogicalPlan& plan);

/// Whether the aggregate can be kept from batch to batch: error of kind kUnsupported that names what cannot.
Status CheckAggregate(const plan::AggregateNode& node);

/// The column of `columns` that tells event time for a watermark below `plan`: the watermark's own column, or a window
/// that was made from it. Nullopt: there is no watermark, or no such column.
std::optional<size_t> EventTimeColumn(const plan::LogicalPlan& plan, const std::vector<ExpressionPtr>& columns);

}  // namespace frazil::streaming
