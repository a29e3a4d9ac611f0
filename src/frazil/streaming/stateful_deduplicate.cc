#include <algorithm>

#include "frazil/plan/make_logical.h"
#include "frazil/plan/watermark.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/keyed_state.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

bool IsWithinWatermark(const LogicalPlan& node) {
  const auto& child = *plan::Inputs(node)[0];
  return child.kind == plan::LogicalKind::kCollectMetrics &&
         child.As<plan::CollectMetricsNode>().name == plan::kWithinWatermark;
}

/// The columns by which the rows of a DistinctNode or DeduplicateNode are told apart.
std::vector<Attribute> KeysOf(const LogicalPlan& node) {
  if (node.kind == plan::LogicalKind::kDistinct) return node.output;
  const auto& ids = node.As<plan::DeduplicateNode>().keys;
  std::vector<Attribute> keys;
  for (const auto& column : node.output) {
    if (std::find(ids.begin(), ids.end(), column.id) != ids.end()) keys.push_back(column);
  }
  return keys;
}

}  // namespace

Status CheckDeduplicate(const LogicalPlan& node) {
  if (!IsWithinWatermark(node)) return {};
  std::vector<ExpressionPtr> columns;
  for (const auto& column : node.output) columns.push_back(MakeColumn(column));
  if (EventTimeColumn(*plan::Inputs(node)[0], columns)) return {};
  return Error::Of(
      ExceptionClass::kAnalysis, "_LEGACY_ERROR_TEMP_3102",
      {{"msg", "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark"}});
}

Result<LogicalPlanPtr> StatefulOperators::Deduplicate(const LogicalPlan& node, const LogicalPlanPtr& child,
                                                      const StatefulBatch& batch, const Watermarks& watermarks,
                                                      commands::CommandContext& context) {
  StateStore& store = NextStore();
  Statements statements(context);
  StateReport report;
  const bool within_watermark = IsWithinWatermark(node);
  const auto key_columns = KeysOf(node);
  report.operator_name = within_watermark ? "dedupeWithinWatermark" : "dedupe";
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> columns;
  std::vector<std::string> keys, values, of_group;
  const auto add = [&](const Attribute& from, const std::string& name) {
    Attribute column = from;
    column.id = context.NextId();
    column.name = name;
    columns.push_back(column);
    expressions.push_back(MakeColumn(from));
  };
  for (size_t i = 0; i < key_columns.size(); ++i) {
    keys.push_back("k" + std::to_string(i));
    add(key_columns[i], keys.back());
  }
  of_group = keys;
  for (size_t i = 0; i < node.output.size(); ++i) {
    values.push_back("v" + std::to_string(i));
    add(node.output[i], values.back());
  }
  plan::PlanPtr rows = statements.Put(plan::MakeProject(child, std::move(expressions), std::move(columns)));
  // Rows are late by their own time; keys are forgotten by the time that they hold, or that was kept for them.
  const auto times = EventTimeColumns(*plan::Inputs(node)[0]);
  std::string event_micros, expiry;
  int64_t delay_ms = 0;
  for (size_t i = 0; i < node.output.size() && event_micros.empty(); ++i) {
    const auto time = times.find(node.output[i].id);
    if (time == times.end()) continue;
    event_micros = EventMicros(values[i], *node.output[i].type);
    delay_ms = time->second;
  }
  if (within_watermark) {
    expiry = "expires";
  } else {
    std::vector<ExpressionPtr> key_expressions;
    for (const auto& key : key_columns) key_expressions.push_back(MakeColumn(key));
    if (const auto key = EventTimeColumn(*plan::Inputs(node)[0], key_expressions))
      expiry = EventMicros(keys[*key], *key_columns[*key].type);
  }
  const std::string watermark = MicrosOf(watermarks.now_ms);
  if (!event_micros.empty() && watermarks.late_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(
        rows, statements.Filter(rows, "coalesce(" + event_micros + " > " + MicrosOf(watermarks.late_ms) + ", true)"));
  }
  // One row a key: all of its values together.
  std::string all_values = "struct(";
  for (size_t i = 0; i < values.size(); ++i) all_values += (i > 0 ? ", " : "") + values[i];
  of_group.push_back("first(" + all_values + ")) AS v");
  std::vector<std::string> kept_names = keys;
  if (within_watermark) {
    // By the key's first row: later ones do not make it stay for longer.
    of_group.push_back("coalesce(first(" + event_micros + "), 0L) + " + MicrosOf(delay_ms) + " AS expires");
    kept_names.push_back("expires");
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto distinct_query, statements.Group(rows, keys, of_group));
  FRAZIL_ASSIGN_OR_RETURN(auto distinct, statements.Run(distinct_query));
  const auto distinct_relation = statements.Put(distinct);

  std::vector<StructField> fields;
  for (size_t i = 0; i < kept_names.size(); ++i) {
    // Behind the keys and the values.
    const Attribute& column = distinct->output[i < keys.size() ? i : i + 1];
    fields.emplace_back(column.name, column.type, true);
  }
  KeyedState state(store, keys.size(), statements, context);
  FRAZIL_RETURN_IF_ERROR(state.Load(batch.id, DataType::Struct(std::move(fields))));
  FRAZIL_ASSIGN_OR_RETURN(const auto new_query, statements.Join(distinct_relation, state.rows(),
                                                                plan::JoinType::kLeftAnti, SameKeys(keys.size())));
  FRAZIL_ASSIGN_OR_RETURN(auto fresh, statements.Run(new_query));
  report.rows_updated = RowCount(*fresh);
  const auto fresh_relation = statements.Put(fresh);
  FRAZIL_ASSIGN_OR_RETURN(const auto fresh_keys, statements.Select(fresh_relation, kept_names));
  report.rows_total = state.count() + RowCount(*fresh);
  plan::PlanPtr forgotten;
  if (!expiry.empty() && watermarks.now_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(const auto gone_query, statements.Filter(Statements::UnionAll(state.rows(), fresh_keys),
                                                                     expiry + " <= " + watermark));
    FRAZIL_ASSIGN_OR_RETURN(const auto gone, statements.Run(gone_query));
    report.rows_total -= RowCount(*gone);
    forgotten = statements.Put(gone);
  }
  FRAZIL_RETURN_IF_ERROR(state.Save(batch.id + 1, fresh_keys, forgotten, report.rows_total));
  reports_.push_back(std::move(report));
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back("v." + value);
  FRAZIL_ASSIGN_OR_RETURN(const auto result_query, statements.Select(fresh_relation, items));
  FRAZIL_ASSIGN_OR_RETURN(auto result, statements.Run(result_query));
  std::vector<ExpressionPtr> outputs;
  for (const auto& column : result->output) outputs.push_back(MakeColumn(column));
  return plan::MakeProject(std::move(result), std::move(outputs), node.output);
}

}  // namespace frazil::streaming
