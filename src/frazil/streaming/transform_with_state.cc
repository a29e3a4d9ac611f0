// transformWithState and transformWithStateInPandas: what a processor of Python keeps of a group is one binary value,
// which the worker reads and writes (python/frazil/stateful_worker.py); here stand when its next timer is up, and when
// all of it will have outlived its time.

#include "frazil/plan/make_logical.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

constexpr const char* kInitialRows = "initial_rows";

/// The struct of an initial row; NULL where there is no initial state.
DataTypePtr InitialRowType(const GroupStateCall& function) {
  if (function.initial == nullptr) return DataType::Boolean();
  return function.initial->type->element_type()->fields().back().type;
}

/// Columns k0, k1, ... and initial_rows.
Result<plan::PlanPtr> InitialStates(const GroupStateCall& function, const std::vector<std::string>& keys,
                                    Statements& statements) {
  // Behind the pointer is a plan of this analysis (SubqueryPlan).
  const auto plan = std::static_pointer_cast<const LogicalPlan>(function.initial->plan);
  FRAZIL_ASSIGN_OR_RETURN(const auto rows, statements.RunTyped(plan));
  FRAZIL_ASSIGN_OR_RETURN(auto flat, statements.Select(statements.Put(rows), {"inline(" + rows->output[0].name + ")"}));
  auto items = keys;
  items.push_back(std::string("collect_list(initial_row) AS ") + kInitialRows);
  return statements.Group(std::move(flat), keys, items);
}

}  // namespace

Result<LogicalPlanPtr> StatefulOperators::TransformWithState(const plan::ProjectNode& node,
                                                             const GroupStateCall& function,
                                                             const LogicalPlanPtr& child, const StatefulBatch& batch,
                                                             const Watermarks& watermarks,
                                                             commands::CommandContext& context) {
  StateStore& store = NextStore();
  Statements statements(context);
  StateReport report;
  report.operator_name = "transformWithStateExec";
  FRAZIL_ASSIGN_OR_RETURN(auto grouped, GroupRows(function, child, watermarks.late_ms, statements, context));
  const auto& keys = grouped.keys;

  // What is kept. A query's first batch has none, but the initial states.
  std::vector<StructField> fields = grouped.key_fields;
  fields.emplace_back("state", DataType::Binary(), true);
  fields.emplace_back("timer_ms", DataType::Long(), true);
  fields.emplace_back("ends_ms", DataType::Long(), true);
  KeyedState state(store, keys.size(), statements, context);
  FRAZIL_RETURN_IF_ERROR(state.Load(batch.id, DataType::Struct(std::move(fields))));
  const std::string now = std::to_string(function.by_event_time() ? watermarks.now_ms : batch.timestamp_ms) + "L";
  KnownGroups known;
  plan::PlanPtr former;
  if (batch.id == 0 && function.initial != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(former, InitialStates(function, keys, statements));
    FRAZIL_ASSIGN_OR_RETURN(former, statements.Select(former, {"*", "CAST(NULL AS BINARY) AS state"}));
    known.rows = state.rows();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(
        known, GroupsToCall(state, grouped.rows, keys.size(), "timer_ms >= 0L AND timer_ms <= " + now, statements));
    FRAZIL_ASSIGN_OR_RETURN(const auto rows, statements.Run(known.rows));
    auto columns = rows->output;
    std::vector<ExpressionPtr> expressions;
    for (auto& column : columns) {
      expressions.push_back(MakeColumn(column));
      column.id = context.NextId();
    }
    const auto initial_type = DataType::Array(InitialRowType(function));
    columns.push_back(NewColumn(context, kInitialRows, initial_type));
    expressions.push_back(MakeNull(initial_type));
    former = statements.Put(plan::MakeProject(rows, std::move(expressions), std::move(columns)));
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto joined, statements.Join(grouped.rows, std::move(former), plan::JoinType::kFullOuter, SameKeys(keys.size())));
  std::vector<std::string> items;
  for (const auto& key : keys)
    items.push_back("CASE WHEN group_rows IS NULL THEN r." + key + " ELSE l." + key + " END AS " + key);
  items.insert(items.end(), {"group_rows", kInitialRows, "state"});
  FRAZIL_ASSIGN_OR_RETURN(const auto called, statements.Select(joined, items));
  FRAZIL_ASSIGN_OR_RETURN(const auto inputs, statements.Run(called));
  report.rows_updated = RowCount(*inputs);
  const auto input = [&](size_t behind_keys) { return MakeColumn(inputs->output[keys.size() + behind_keys]); };
  const auto result_type = DataType::Struct(
      {StructField("group_rows", function.call->type, true), StructField("state", DataType::Binary(), true),
       StructField("timer_ms", DataType::Long(), true), StructField("ends_ms", DataType::Long(), true)});
  FRAZIL_ASSIGN_OR_RETURN(
      const auto answers,
      AnswersOf(function, inputs, keys, {input(0), input(1)},
                {input(2), MakeLiteral(DataType::Long(), Value(batch.timestamp_ms)),
                 MakeLiteral(DataType::Long(), Value(grouped.has_watermark ? watermarks.now_ms : int64_t{0}))},
                result_type, statements, context));

  // The state of the next batch.
  items = keys;
  items.insert(items.end(), {"answer.state AS state", "answer.timer_ms AS timer_ms", "answer.ends_ms AS ends_ms"});
  FRAZIL_ASSIGN_OR_RETURN(auto states, statements.Select(answers, items));
  FRAZIL_ASSIGN_OR_RETURN(states, statements.Filter(states, "state IS NOT NULL"));
  FRAZIL_ASSIGN_OR_RETURN(const auto next, statements.Run(states));
  states = statements.Put(next);
  // Groups that have no state any more, and those of which all has outlived its time.
  FRAZIL_ASSIGN_OR_RETURN(
      auto ended,
      statements.Filter(state.rows(), "ends_ms >= 0L AND ends_ms <= " + std::to_string(batch.timestamp_ms) + "L"));
  FRAZIL_ASSIGN_OR_RETURN(ended, statements.Join(ended, known.rows, plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  FRAZIL_ASSIGN_OR_RETURN(const auto ended_rows, statements.Run(ended));
  FRAZIL_ASSIGN_OR_RETURN(const auto gone, statements.Join(Statements::UnionAll(known.rows, statements.Put(ended_rows)),
                                                           states, plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  report.rows_total = state.count() - known.count - RowCount(*ended_rows) + RowCount(*next);
  FRAZIL_RETURN_IF_ERROR(state.Save(batch.id + 1, states, gone, report.rows_total));
  reports_.push_back(std::move(report));
  return RowsGiven(answers, node, statements);
}

}  // namespace frazil::streaming
