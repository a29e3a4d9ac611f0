#include "frazil/streaming/group_state.h"

#include "frazil/expressions/python_call.h"
#include "frazil/plan/make_logical.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

constexpr int kGroupedMapPandasWithState = 208;  // pyspark.util.PythonEvalType.
constexpr int kFirstTransformWithState = 211, kLastTransformWithState = 214;
constexpr size_t kArgumentsBehindKeys = 3;
constexpr const char* kNoTimeout = "-1L";  // GroupState.NO_TIMESTAMP.

}  // namespace

Result<GroupedRows> GroupRows(const GroupStateCall& function, const LogicalPlanPtr& child, int64_t late_ms,
                              Statements& statements, commands::CommandContext& context) {
  const auto& groups = *function.groups;
  const auto event_times = EventTimeColumns(*groups.child);
  GroupedRows grouped;
  std::vector<Attribute> columns;
  std::vector<ExpressionPtr> expressions;
  for (size_t i = 0; i < groups.grouping.size(); ++i) {
    grouped.keys.push_back("k" + std::to_string(i));
    columns.push_back(NewColumn(context, grouped.keys.back(), groups.grouping[i]->type));
    expressions.push_back(groups.grouping[i]);
    grouped.key_fields.emplace_back(grouped.keys.back(), groups.grouping[i]->type, true);
  }
  const auto& row = groups.aggregates[0]->As<AggregateExpression>().arguments[0];
  columns.push_back(NewColumn(context, "value", row->type));
  expressions.push_back(row);
  std::string late;
  for (const auto& column : groups.child->output) {
    if (!event_times.contains(column.id)) continue;
    grouped.has_watermark = true;
    columns.push_back(NewColumn(context, "event_time", column.type));
    expressions.push_back(MakeColumn(column));
    late = EventMicros("event_time", *column.type);
    break;
  }
  grouped.rows = statements.Put(plan::MakeProject(child, std::move(expressions), std::move(columns)));
  if (function.by_event_time() && grouped.has_watermark && late_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(
        grouped.rows, statements.Filter(grouped.rows, "coalesce(" + late + " > " + MicrosOf(late_ms) + ", true)"));
  }
  auto items = grouped.keys;
  items.push_back("collect_list(value) AS group_rows");
  FRAZIL_ASSIGN_OR_RETURN(const auto group_query, statements.Group(grouped.rows, grouped.keys, items));
  FRAZIL_ASSIGN_OR_RETURN(const auto groups_with_rows, statements.Run(group_query));
  grouped.rows = statements.Put(groups_with_rows);
  return grouped;
}

Result<KnownGroups> GroupsToCall(const KeyedState& state, const plan::PlanPtr& rows, size_t keys,
                                 const std::string& is_up, Statements& statements) {
  FRAZIL_ASSIGN_OR_RETURN(auto known, statements.Join(state.rows(), rows, plan::JoinType::kLeftSemi, SameKeys(keys)));
  if (!is_up.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto others, statements.Filter(state.rows(), is_up));
    FRAZIL_ASSIGN_OR_RETURN(others, statements.Join(others, rows, plan::JoinType::kLeftAnti, SameKeys(keys)));
    known = Statements::UnionAll(std::move(known), std::move(others));
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto found, statements.Run(known));
  return KnownGroups{statements.Put(found), RowCount(*found)};
}

std::optional<GroupStateCall> GroupStateCallOf(const LogicalPlan& node) {
  if (node.kind != plan::LogicalKind::kProject) return std::nullopt;
  const auto& project = node.As<plan::ProjectNode>();
  if (project.child->kind != plan::LogicalKind::kAggregate) return std::nullopt;
  for (const auto& expression : project.expressions) {
    if (!IsPythonCall(*expression) || expression->kind != ExpressionKind::kCall) continue;
    const auto& call = expression->As<CallExpression>();
    if (call.arguments[0]->kind != ExpressionKind::kLiteral) continue;
    const auto code = PythonFunction::Decode(call.arguments[0]->As<LiteralExpression>().value.string());
    if (!code.ok()) continue;
    GroupStateCall found;
    found.is_transform = code->eval_type >= kFirstTransformWithState && code->eval_type <= kLastTransformWithState;
    if (!found.is_transform && code->eval_type != kGroupedMapPandasWithState) continue;
    found.groups = &project.child->As<plan::AggregateNode>();
    found.call = &call;
    const size_t behind = call.arguments.size() - kArgumentsBehindKeys;
    found.timeout = call.arguments[behind]->As<LiteralExpression>().value.string();
    found.output_mode = call.arguments[behind + 1]->As<LiteralExpression>().value.string();
    const auto& last = call.arguments[behind + 2];
    if (!found.is_transform) {
      found.state = last->type;
    } else if (last->kind == ExpressionKind::kSubquery) {
      found.initial = &last->As<SubqueryExpression>();
    }
    return found;
  }
  return std::nullopt;
}

Result<plan::PlanPtr> AnswersOf(const GroupStateCall& function, const LogicalPlanPtr& inputs,
                                const std::vector<std::string>& keys, std::vector<ExpressionPtr> before,
                                std::vector<ExpressionPtr> behind, const DataTypePtr& type, Statements& statements,
                                commands::CommandContext& context) {
  std::vector<ExpressionPtr> arguments = {function.call->arguments[0]};
  arguments.insert(arguments.end(), before.begin(), before.end());
  std::vector<Attribute> columns;
  std::vector<ExpressionPtr> expressions;
  for (size_t i = 0; i < keys.size(); ++i) {
    arguments.push_back(MakeColumn(inputs->output[i]));
    columns.push_back(NewColumn(context, keys[i], inputs->output[i].type));
    expressions.push_back(arguments.back());
  }
  arguments.insert(arguments.end(), behind.begin(), behind.end());
  columns.push_back(NewColumn(context, "answer", type));
  expressions.push_back(MakeCall(kPythonFunction, std::move(arguments), type, true));
  FRAZIL_ASSIGN_OR_RETURN(const auto answers,
                          statements.RunTyped(plan::MakeProject(inputs, std::move(expressions), std::move(columns))));
  return statements.Put(answers);
}

Result<LogicalPlanPtr> RowsGiven(const plan::PlanPtr& answers, const LogicalPlan& node, Statements& statements) {
  FRAZIL_ASSIGN_OR_RETURN(const auto given, statements.Select(answers, {"answer.group_rows AS group_rows"}));
  FRAZIL_ASSIGN_OR_RETURN(const auto result, statements.Run(given));
  return plan::MakeProject(result, {MakeColumn(result->output[0])}, node.output);
}

Result<LogicalPlanPtr> StatefulOperators::CallWithState(const plan::ProjectNode& node, const GroupStateCall& function,
                                                        const LogicalPlanPtr& child, const StatefulBatch& batch,
                                                        const Watermarks& watermarks,
                                                        commands::CommandContext& context) {
  if (node.output.size() != 1 || function.groups->aggregates.size() != 1)
    return Error::Internal("A function with state is not alone in its projection.");
  if (function.is_transform) return TransformWithState(node, function, child, batch, watermarks, context);
  StateStore& store = NextStore();
  Statements statements(context);
  StateReport report;
  report.operator_name = "applyInPandasWithState";
  const bool by_event_time = function.by_event_time();
  FRAZIL_ASSIGN_OR_RETURN(auto grouped, GroupRows(function, child, watermarks.late_ms, statements, context));
  const auto& keys = grouped.keys;
  std::vector<StructField> fields = grouped.key_fields;

  // What is kept: whether there is a state, the state, and when the group's time is up.
  fields.emplace_back("state", function.state, true);
  fields.emplace_back("has_state", DataType::Boolean(), true);
  fields.emplace_back("timeout_ms", DataType::Long(), true);
  KeyedState state(store, keys.size(), statements, context);
  FRAZIL_RETURN_IF_ERROR(state.Load(batch.id, DataType::Struct(std::move(fields))));
  const int64_t now_ms = by_event_time ? watermarks.now_ms : batch.timestamp_ms;
  const std::string is_late = "timeout_ms >= 0L AND timeout_ms < " + std::to_string(now_ms) + "L";
  const bool times_out = function.timeout != "NoTimeout";
  FRAZIL_ASSIGN_OR_RETURN(const auto known,
                          GroupsToCall(state, grouped.rows, keys.size(), times_out ? is_late : "", statements));
  FRAZIL_ASSIGN_OR_RETURN(auto joined,
                          statements.Join(grouped.rows, known.rows, plan::JoinType::kFullOuter, SameKeys(keys.size())));
  std::vector<std::string> items;
  for (const auto& key : keys)
    items.push_back("CASE WHEN group_rows IS NULL THEN r." + key + " ELSE l." + key + " END AS " + key);
  items.insert(items.end(), {"group_rows", "state", "coalesce(has_state, false) AS has_state",
                             "coalesce(timeout_ms, " + std::string(kNoTimeout) + ") AS timeout_ms"});
  FRAZIL_ASSIGN_OR_RETURN(joined, statements.Select(joined, items));
  // Groups without rows are there because their time is up.
  FRAZIL_ASSIGN_OR_RETURN(const auto called, statements.Select(joined, {"*", "(group_rows IS NULL) AS is_up"}));
  FRAZIL_ASSIGN_OR_RETURN(const auto inputs, statements.Run(called));
  report.rows_updated = RowCount(*inputs);
  const auto input = [&](size_t behind_keys) { return MakeColumn(inputs->output[keys.size() + behind_keys]); };
  const auto result_type = DataType::Struct(
      {StructField("group_rows", function.call->type, true), StructField("state", function.state, true),
       StructField("has_state", DataType::Boolean(), true), StructField("timeout_ms", DataType::Long(), true)});
  FRAZIL_ASSIGN_OR_RETURN(
      const auto answers,
      AnswersOf(function, inputs, keys, {input(0)},
                {input(1), input(2), input(4), MakeLiteral(DataType::Long(), Value(batch.timestamp_ms)),
                 MakeLiteral(DataType::Long(), Value(grouped.has_watermark ? watermarks.now_ms : int64_t{-1})),
                 MakeLiteral(DataType::String(), Value(function.timeout))},
                result_type, statements, context));

  items = keys;
  items.insert(items.end(),
               {"answer.state AS state", "answer.has_state AS has_state", "answer.timeout_ms AS timeout_ms"});
  FRAZIL_ASSIGN_OR_RETURN(auto states, statements.Select(answers, items));
  FRAZIL_ASSIGN_OR_RETURN(states, statements.Filter(states, "has_state OR timeout_ms >= 0L"));
  FRAZIL_ASSIGN_OR_RETURN(const auto kept, statements.Run(states));
  states = statements.Put(kept);
  FRAZIL_ASSIGN_OR_RETURN(const auto gone,
                          statements.Join(known.rows, states, plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  report.rows_total = state.count() - known.count + RowCount(*kept);
  FRAZIL_RETURN_IF_ERROR(state.Save(batch.id + 1, states, gone, report.rows_total));
  reports_.push_back(std::move(report));
  return RowsGiven(answers, node, statements);
}

}  // namespace frazil::streaming
