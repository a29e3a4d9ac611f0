#include <algorithm>

#include "frazil/plan/make_logical.h"
#include "frazil/plan/watermark.h"
#include "frazil/streaming/aggregate_parts.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/keyed_state.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

/// Groups by `keys`, where those sessions that touch each other become one, from the first start to the last end; the
/// other columns are `of_parts`, which begins with the keys.
Result<plan::PlanPtr> MergeSessions(plan::PlanPtr rows, const std::vector<std::string>& keys, size_t session,
                                    const std::vector<std::string>& of_parts, Statements& statements) {
  const std::string& window = keys[session];
  std::vector<std::string> others;
  std::string partition = "PARTITION BY ";
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == session) continue;
    partition += (others.empty() ? "" : ", ") + keys[i];
    others.push_back(keys[i]);
  }
  if (others.empty()) partition.clear();
  const std::string order = partition + " ORDER BY " + window + ".start ";
  FRAZIL_ASSIGN_OR_RETURN(rows, statements.Select(std::move(rows), {"*", "max(" + window + ".end) OVER (" + order +
                                                                             "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
                                                                             "PRECEDING) AS end_before"}));
  // By range: rows of the same instant are of the same session, whichever of them comes first.
  FRAZIL_ASSIGN_OR_RETURN(
      rows, statements.Select(std::move(rows), {"*", "sum(CASE WHEN " + window +
                                                         ".start <= end_before THEN 0L ELSE 1L END) OVER (" + order +
                                                         "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "
                                                         "session_number"}));
  others.push_back("session_number");
  auto items = of_parts;
  items[session] = "named_struct('start', min(" + window + ".start), 'end', max(" + window + ".end)) AS " + window;
  return statements.Group(std::move(rows), others, items);
}

/// Puts the groups of a batch, `partial`, into what was kept; the groups that are given now. `is_complete`: SQL that
/// says that a group gets no more rows; empty: it has no event time.
Result<plan::PlanPtr> MergeIntoGroups(StateStore& store, const StatefulBatch& batch, const LogicalPlan& partial,
                                      const std::vector<std::string>& keys, const std::vector<std::string>& of_parts,
                                      const std::string& is_complete, Statements& statements,
                                      commands::CommandContext& context, StateReport* report) {
  KeyedState state(store, keys.size(), statements, context);
  FRAZIL_RETURN_IF_ERROR(state.Load(batch.id, plan::OutputSchema(partial)));
  const auto fresh = statements.Put(std::make_shared<plan::ArrowRowsNode>(partial.As<plan::ArrowRowsNode>()));
  FRAZIL_ASSIGN_OR_RETURN(const auto met_query,
                          statements.Join(state.rows(), fresh, plan::JoinType::kLeftSemi, SameKeys(keys.size())));
  FRAZIL_ASSIGN_OR_RETURN(const auto met, statements.Run(met_query));
  FRAZIL_ASSIGN_OR_RETURN(const auto merge_query,
                          statements.Group(Statements::UnionAll(statements.Put(met), fresh), keys, of_parts));
  FRAZIL_ASSIGN_OR_RETURN(const auto merged_rows, statements.Run(merge_query));
  const auto merged = statements.Put(merged_rows);
  FRAZIL_ASSIGN_OR_RETURN(const auto others,
                          statements.Join(state.rows(), fresh, plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  const auto all = Statements::UnionAll(others, merged);
  int64_t count = state.count() + RowCount(*merged_rows) - RowCount(*met);
  plan::PlanPtr completed;
  if (!is_complete.empty() && batch.mode != OutputMode::kComplete) {
    FRAZIL_ASSIGN_OR_RETURN(const auto completed_query, statements.Filter(all, is_complete));
    FRAZIL_ASSIGN_OR_RETURN(const auto completed_rows, statements.Run(completed_query));
    count -= RowCount(*completed_rows);
    completed = statements.Put(completed_rows);
  }
  FRAZIL_RETURN_IF_ERROR(state.Save(batch.id + 1, merged, completed, count));
  report->rows_total = count;
  switch (batch.mode) {
    case OutputMode::kComplete:
      return all;
    case OutputMode::kUpdate:
      return merged;
    case OutputMode::kAppend:
      return completed;
  }
  return Error::Internal("An output mode without a meaning.");
}

/// The same for groups of which one key is a session window: sessions that touch each other become one.
Result<plan::PlanPtr> MergeIntoSessions(StateStore& store, const StatefulBatch& batch, const LogicalPlan& partial,
                                        const std::vector<std::string>& keys, size_t session,
                                        const std::vector<std::string>& of_parts, const std::string& is_complete,
                                        Statements& statements, commands::CommandContext& context,
                                        StateReport* report) {
  KeyedState state(store, keys.size(), statements, context);
  FRAZIL_RETURN_IF_ERROR(state.Load(batch.id, plan::OutputSchema(partial)));
  const auto fresh = statements.Put(std::make_shared<plan::ArrowRowsNode>(partial.As<plan::ArrowRowsNode>()));
  // Those that are kept do not touch each other: each that becomes another one touches a fresh one itself.
  const std::string& window = keys[session];
  std::string touches =
      "l." + window + ".start <= r." + window + ".end AND r." + window + ".start <= l." + window + ".end";
  for (const auto& key : keys) {
    if (key != window) touches += " AND l." + key + " <=> r." + key;
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto met_query,
                          statements.Join(state.rows(), fresh, plan::JoinType::kLeftSemi, touches));
  FRAZIL_ASSIGN_OR_RETURN(const auto met_rows, statements.Run(met_query));
  const auto met = statements.Put(met_rows);
  FRAZIL_ASSIGN_OR_RETURN(const auto merge_query,
                          MergeSessions(Statements::UnionAll(met, fresh), keys, session, of_parts, statements));
  FRAZIL_ASSIGN_OR_RETURN(const auto merged_rows, statements.Run(merge_query));
  const auto merged = statements.Put(merged_rows);
  FRAZIL_ASSIGN_OR_RETURN(const auto others,
                          statements.Join(state.rows(), met, plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  const auto all = Statements::UnionAll(others, merged);
  int64_t count = state.count() + RowCount(*merged_rows) - RowCount(*met_rows);
  FRAZIL_ASSIGN_OR_RETURN(auto removed, statements.Join(met, merged, plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  FRAZIL_ASSIGN_OR_RETURN(const auto completed_query,
                          statements.Filter(all, is_complete.empty() ? "false" : is_complete));
  FRAZIL_ASSIGN_OR_RETURN(const auto completed_rows, statements.Run(completed_query));
  const auto completed = statements.Put(completed_rows);
  if (batch.mode != OutputMode::kComplete) {
    removed = Statements::UnionAll(removed, completed);
    count -= RowCount(*completed_rows);
  }
  FRAZIL_RETURN_IF_ERROR(state.Save(batch.id + 1, merged, removed, count));
  report->rows_total = count;
  switch (batch.mode) {
    case OutputMode::kComplete:
      return all;
    case OutputMode::kUpdate:
      return merged;
    case OutputMode::kAppend:
      return completed;
  }
  return Error::Internal("An output mode without a meaning.");
}

}  // namespace

std::optional<size_t> SessionKey(const plan::AggregateNode& node) {
  for (size_t i = 0; i < node.grouping.size(); ++i) {
    if (node.grouping[i]->kind != ExpressionKind::kColumn) continue;
    const auto id = node.grouping[i]->As<ColumnExpression>().id;
    const auto& columns = node.child->output;
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const Attribute& candidate) { return candidate.id == id; });
    if (column != columns.end() && column->metadata.contains(plan::kSessionWindowKey)) return i;
  }
  return std::nullopt;
}

Status CheckAggregate(const plan::AggregateNode& node) {
  if (!node.grouping_sets.empty()) return Error::Unsupported("ROLLUP, CUBE and GROUPING SETS over streams");
  for (const auto& expression : node.aggregates) {
    const auto& aggregate = expression->As<AggregateExpression>();
    // Source: UnsupportedOperationChecker.
    if (aggregate.distinct) {
      return Error::Of(ExceptionClass::kAnalysis, "_LEGACY_ERROR_TEMP_3102",
                       {{"msg",
                         "Distinct aggregations are not supported on streaming DataFrames/Datasets. Consider using "
                         "approx_count_distinct() instead."}});
    }
    if (!aggregate.order_by.empty()) return Error::Unsupported("WITHIN GROUP over streams");
    FRAZIL_ASSIGN_OR_RETURN(const auto parts, PartsOf(aggregate, {"a", "b"}, "p", 0));
    if (parts.of_two && SessionKey(node)) {
      return Error::Unsupported("The aggregate function " + aggregate.function + " over session windows of streams");
    }
  }
  return {};
}

Result<LogicalPlanPtr> StatefulOperators::Aggregate(const plan::AggregateNode& node, const LogicalPlanPtr& child,
                                                    const StatefulBatch& batch, const Watermarks& watermarks,
                                                    commands::CommandContext& context) {
  const auto session = SessionKey(node);
  if (session && node.grouping.size() == 1) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "Global aggregation with session window in streaming query is not supported.");
  }
  StateStore& store = NextStore();
  Statements statements(context);
  StateReport report;
  report.operator_name = "stateStoreSave";
  // The rows as keys k0, k1, ... and arguments a0, a1, ...
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> columns;
  const auto add = [&](ExpressionPtr expression, const std::string& name) {
    Attribute column;
    column.id = context.NextId();
    column.name = name;
    column.type = expression->type;
    column.nullable = true;
    columns.push_back(std::move(column));
    expressions.push_back(std::move(expression));
  };
  std::vector<std::string> keys, of_rows, of_parts, results;
  for (size_t i = 0; i < node.grouping.size(); ++i) {
    keys.push_back("k" + std::to_string(i));
    add(node.grouping[i], keys.back());
  }
  of_rows = of_parts = keys;
  for (size_t i = 0; i < node.aggregates.size(); ++i) {
    const auto& aggregate = node.aggregates[i]->As<AggregateExpression>();
    const std::string name = "p" + std::to_string(i);
    std::vector<std::string> arguments;
    auto values = aggregate.arguments;
    if (values.empty()) values.push_back(MakeLiteral(DataType::Integer(), Value(int64_t{1})));
    for (auto& value : values) {
      if (aggregate.filter != nullptr) {
        const auto type = value->type;
        value = MakeCall("case_when", {aggregate.filter, std::move(value), MakeNull(type)}, type, true, aggregate.mode);
      }
      arguments.push_back("a" + std::to_string(i) + "_" + std::to_string(arguments.size()));
      add(std::move(value), arguments.back());
    }
    FRAZIL_ASSIGN_OR_RETURN(const auto parts, PartsOf(aggregate, arguments, name, batch.id));
    for (size_t p = 0; p < parts.parts.size(); ++p) {
      const std::string column = name + "_" + std::to_string(p);
      of_rows.push_back(parts.parts[p].of_rows + " AS " + column);
      of_parts.push_back(parts.parts[p].of_parts + " AS " + column);
    }
    results.push_back(parts.result + " AS r" + std::to_string(i));
  }
  plan::PlanPtr rows = statements.Put(plan::MakeProject(child, std::move(expressions), std::move(columns)));
  const auto event_time = EventTimeColumn(*node.child, node.grouping);
  const std::string event_micros = event_time ? EventMicros(keys[*event_time], *node.grouping[*event_time]->type) : "";
  const std::string watermark = MicrosOf(watermarks.now_ms);
  if (event_time && watermarks.late_ms > 0 && (batch.mode != OutputMode::kComplete || session)) {
    // Rows of groups that were complete before are late; without an event time a row is in no such group.
    FRAZIL_ASSIGN_OR_RETURN(
        rows, statements.Filter(rows, "coalesce(" + event_micros + " > " + MicrosOf(watermarks.late_ms) + ", true)"));
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto partial_query, statements.Group(rows, keys, of_rows));
  FRAZIL_ASSIGN_OR_RETURN(auto partial, statements.Run(partial_query));
  report.rows_updated = RowCount(*partial);

  const std::string is_complete = event_time ? "coalesce(" + event_micros + " <= " + watermark + ", false)" : "";
  plan::PlanPtr given;
  if (session) {
    FRAZIL_ASSIGN_OR_RETURN(given,
                            MergeIntoSessions(store, batch, *partial, keys, *session, of_parts,
                                              watermarks.now_ms > 0 ? is_complete : "", statements, context, &report));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(
        given, MergeIntoGroups(store, batch, *partial, keys, of_parts, is_complete, statements, context, &report));
  }
  reports_.push_back(std::move(report));
  std::vector<std::string> items = keys;
  items.insert(items.end(), results.begin(), results.end());
  FRAZIL_ASSIGN_OR_RETURN(const auto result_query, statements.Select(given, items));
  FRAZIL_ASSIGN_OR_RETURN(auto result, statements.Run(result_query));
  std::vector<ExpressionPtr> outputs;
  for (size_t i = 0; i < node.output.size(); ++i) {
    auto value = MakeColumn(result->output[i]);
    if (!value->type->EqualsIgnoreNullability(*node.output[i].type))
      value = MakeCast(std::move(value), node.output[i].type, context.settings().eval_mode());
    outputs.push_back(std::move(value));
  }
  return plan::MakeProject(std::move(result), std::move(outputs), node.output);
}

}  // namespace frazil::streaming
