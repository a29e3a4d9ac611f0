#pragma once

// applyInPandasWithState and transformWithState: Python functions that get the rows of a group and what they kept of
// the group's earlier rows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/streaming/keyed_state.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

/// Calls of such a function, which a ProjectNode over an AggregateNode is: f(collect_list(struct(*)), keys...,
/// time-out, output mode, NULL of the state's type). Of transformWithState the last one is the initial state: a scalar
/// subquery that gives array<struct<k0, k1, ..., initial_row>>, or NULL.
struct GroupStateCall {
  const plan::AggregateNode* groups = nullptr;
  const CallExpression* call = nullptr;
  bool is_transform = false;  ///< transformWithState.
  std::string timeout;      ///< "NoTimeout", "ProcessingTimeTimeout", "EventTimeTimeout"; "none", "processingtime", ...
  std::string output_mode;  ///< "append", "update"; transformWithState: "complete" too.
  DataTypePtr state;        ///< A struct; null: transformWithState.
  const SubqueryExpression* initial = nullptr;  ///< Null: there is no initial state.

  bool by_event_time() const { return timeout == "EventTimeTimeout" || timeout == "eventtime"; }
  bool by_clock() const { return timeout == "ProcessingTimeTimeout" || timeout == "processingtime"; }
  /// As Spark calls it in errors and reports.
  const char* name() const { return is_transform ? "transformWithStateInPySpark" : "applyInPandasWithState"; }
};

/// Nullopt: the node is something else.
std::optional<GroupStateCall> GroupStateCallOf(const plan::LogicalPlan& node);

/// The rows of a batch by group: columns k0, k1, ... and group_rows, an array of structs.
struct GroupedRows {
  plan::PlanPtr rows;
  std::vector<std::string> keys;
  std::vector<StructField> key_fields;
  bool has_watermark = false;
};

/// `child`: the input of the function's groups. Of functions by event time rows up to `late_ms` are left out.
Result<GroupedRows> GroupRows(const GroupStateCall& function, const plan::LogicalPlanPtr& child, int64_t late_ms,
                              Statements& statements, commands::CommandContext& context);

/// Groups of which something is kept and that are called in a batch: a relation with the columns of the state.
struct KnownGroups {
  plan::PlanPtr rows;
  int64_t count = 0;
};

/// Those that have rows, and those for which `is_up`, SQL over the state's columns, holds (empty: for none).
Result<KnownGroups> GroupsToCall(const KeyedState& state, const plan::PlanPtr& rows, size_t keys,
                                 const std::string& is_up, Statements& statements);

/// What the function answers for each row of `inputs`, an ArrowRowsNode that begins with the columns `keys`: a relation
/// of these columns and `answer`, of `type`, a struct that begins with group_rows, the rows that the group gives. The
/// function's arguments are its code, `before`, the keys and `behind`.
Result<plan::PlanPtr> AnswersOf(const GroupStateCall& function, const plan::LogicalPlanPtr& inputs,
                                const std::vector<std::string>& keys, std::vector<ExpressionPtr> before,
                                std::vector<ExpressionPtr> behind, const DataTypePtr& type, Statements& statements,
                                commands::CommandContext& context);
/// The rows that the groups give, as the output of `node`.
Result<plan::LogicalPlanPtr> RowsGiven(const plan::PlanPtr& answers, const plan::LogicalPlan& node,
                                       Statements& statements);

}  // namespace frazil::streaming
