#include <algorithm>

#include "frazil/plan/make_logical.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/join_times.h"
#include "frazil/streaming/keyed_state.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"
#include "frazil/tables/arrow_column.h"

namespace frazil::streaming {

using plan::JoinType;
using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

/// The rows of one side: those of earlier batches and those of this one. Columns: v0, v1, ... (with the ids of the
/// side's own), then whether the row has had a partner, whether it is of this batch, and its number, by which the state
/// keeps it; `prefix` is in front of each name.
struct SideRows {
  std::string prefix;
  std::vector<Attribute> columns;  ///< Of the join.
  std::vector<std::string> values;
  LogicalPlanPtr rows;  ///< ArrowRowsNode.
  Attribute matched, fresh, number;

  std::string Name(const char* column) const { return prefix + column; }
};

Result<SideRows> ReadSide(const std::string& prefix, const LogicalPlan& node, const LogicalPlanPtr& child,
                          KeyedState& state, int64_t version, int64_t late_ms, Statements& statements,
                          commands::CommandContext& context, StateReport* report) {
  SideRows side;
  side.prefix = prefix;
  std::vector<Attribute> columns;
  std::vector<ExpressionPtr> expressions;
  std::vector<StructField> fields = {{"k0", DataType::Long(), true}};
  std::string late;
  const auto event_times = EventTimeColumns(node);
  const auto not_kept = ScanMetadataColumns(node);
  for (size_t i = 0; i < node.output.size(); ++i) {
    const auto& column = node.output[i];
    if (not_kept.contains(column.id)) continue;
    side.columns.push_back(column);
    side.values.push_back(prefix + std::to_string(side.values.size()));
    columns.push_back(NewColumn(context, side.values.back(), column.type));
    expressions.push_back(MakeColumn(column));
    fields.emplace_back(side.values.back(), column.type, true);
    if (late.empty() && event_times.contains(column.id)) late = EventMicros(side.values.back(), *column.type);
  }
  plan::PlanPtr fresh = statements.Put(plan::MakeProject(child, std::move(expressions), columns));
  if (!late.empty() && late_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(fresh,
                            statements.Filter(fresh, "coalesce(" + late + " > " + MicrosOf(late_ms) + ", true)"));
  }
  fields.emplace_back(side.Name("matched"), DataType::Boolean(), true);
  FRAZIL_RETURN_IF_ERROR(state.Load(version, DataType::Struct(std::move(fields))));
  // New rows are numbered on from those that are there.
  FRAZIL_ASSIGN_OR_RETURN(const auto last_query,
                          statements.Group(state.rows(), {}, {"coalesce(max(k0), -1L) + 1L AS next"}));
  FRAZIL_ASSIGN_OR_RETURN(const auto last, statements.Run(last_query));
  const auto& last_data = *last->As<plan::ArrowRowsNode>().data;
  const int64_t next =
      tables::ArrowColumn::OfBatch(last_data.batches.at(0), *last_data.schema).Field("next").Integer(0);
  auto items = side.values;
  items.push_back("false AS " + side.Name("matched"));
  items.push_back("true AS " + side.Name("fresh"));
  items.push_back("monotonically_increasing_id() + " + std::to_string(next) + "L AS " + side.Name("number"));
  FRAZIL_ASSIGN_OR_RETURN(fresh, statements.Select(fresh, items));
  FRAZIL_ASSIGN_OR_RETURN(const auto fresh_rows, statements.Run(fresh));
  report->rows_updated += RowCount(*fresh_rows);
  items = side.values;
  items.push_back(side.Name("matched"));
  items.push_back("false AS " + side.Name("fresh"));
  items.push_back("k0 AS " + side.Name("number"));
  FRAZIL_ASSIGN_OR_RETURN(const auto former, statements.Select(state.rows(), items));
  FRAZIL_ASSIGN_OR_RETURN(const auto rows, statements.Run(Statements::UnionAll(statements.Put(fresh_rows), former)));
  auto named = std::make_shared<plan::ArrowRowsNode>(rows->As<plan::ArrowRowsNode>());
  const size_t n = side.columns.size();
  for (size_t i = 0; i < n; ++i) named->output[i].id = side.columns[i].id;
  side.matched = named->output[n];
  side.fresh = named->output[n + 1];
  side.number = named->output[n + 2];
  side.rows = std::move(named);
  return side;
}

/// Saves what stays of a side's rows after a batch. `pairs`: the joined rows of the batch. `notes`: whether it matters
/// that a row has had a partner; `wants_one`: with it a row is done. The rows that go without any: v0, v1, ...
Result<plan::PlanPtr> SaveSide(const SideRows& side, KeyedState& state, int64_t version, const JoinSide& times,
                               const plan::PlanPtr& pairs, bool notes, bool wants_one, int64_t now_ms,
                               Statements& statements, commands::CommandContext& context, StateReport* report) {
  auto columns = side.rows->output;
  std::vector<ExpressionPtr> expressions;
  for (const auto& column : columns) expressions.push_back(MakeColumn(column));
  std::string gone;
  if (times.time != nullptr && now_ms > 0) {
    columns.push_back(NewColumn(context, side.Name("time"), times.time->type));
    expressions.push_back(times.time);
    gone = "coalesce(" + EventMicros(side.Name("time"), *times.time->type) +
           " <= " + MicrosOf(now_ms + times.behind_ms) + ", false)";
  }
  for (size_t i = 0; i < times.conditions.size(); ++i) {
    const std::string name = side.Name("condition") + std::to_string(i);
    columns.push_back(NewColumn(context, name, DataType::Boolean()));
    expressions.push_back(times.conditions[i]);
    gone += (gone.empty() ? "NOT coalesce(" : " OR NOT coalesce(") + name + ", false)";
  }
  plan::PlanPtr rows = statements.Put(plan::MakeProject(side.rows, std::move(expressions), std::move(columns)));
  auto items = side.values;
  items.insert(items.end(), {side.Name("fresh"), side.Name("number") + " AS k0"});
  std::string matched = side.Name("matched");
  if (notes) {
    FRAZIL_ASSIGN_OR_RETURN(auto found,
                            statements.Group(pairs, {side.Name("number")}, {side.Name("number") + " AS found"}));
    FRAZIL_ASSIGN_OR_RETURN(
        rows, statements.Join(rows, found, JoinType::kLeftOuter, "l." + side.Name("number") + " = r.found"));
    matched = "(" + matched + " OR found IS NOT NULL)";
  }
  if (gone.empty()) gone = "false";
  if (wants_one) gone += " OR " + matched;
  items.push_back(matched + " <> " + side.Name("matched") + " AS changes");
  items.push_back(matched + " AS " + side.Name("matched"));
  items.push_back("(" + gone + ") AS gone");
  FRAZIL_ASSIGN_OR_RETURN(rows, statements.Select(rows, items));
  FRAZIL_ASSIGN_OR_RETURN(const auto noted, statements.Run(rows));
  rows = statements.Put(noted);
  std::vector<std::string> of_state = {"k0"};
  of_state.insert(of_state.end(), side.values.begin(), side.values.end());
  of_state.push_back(side.Name("matched"));
  const auto those = [&](const std::string& condition) -> Result<LogicalPlanPtr> {
    FRAZIL_ASSIGN_OR_RETURN(const auto found, statements.Filter(rows, condition));
    FRAZIL_ASSIGN_OR_RETURN(const auto columns, statements.Select(found, of_state));
    return statements.Run(columns);
  };
  FRAZIL_ASSIGN_OR_RETURN(const auto added, those("NOT gone AND " + side.Name("fresh")));
  FRAZIL_ASSIGN_OR_RETURN(const auto changed, those("NOT gone AND changes AND NOT " + side.Name("fresh")));
  FRAZIL_ASSIGN_OR_RETURN(const auto removed, those("gone AND NOT " + side.Name("fresh")));
  const int64_t count = state.count() + RowCount(*added) - RowCount(*removed);
  FRAZIL_RETURN_IF_ERROR(state.Save(version, Statements::UnionAll(statements.Put(added), statements.Put(changed)),
                                    statements.Put(removed), count));
  report->rows_total += count;
  FRAZIL_ASSIGN_OR_RETURN(const auto unmatched, statements.Filter(rows, "gone AND NOT " + side.Name("matched")));
  return statements.Select(unmatched, side.values);
}

/// The rows of one side with NULLs in the place of the other's, `other`.
Result<plan::PlanPtr> Padded(const plan::PlanPtr& rows, const SideRows& other, bool is_left, Statements& statements,
                             commands::CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto side, statements.Run(rows));
  std::vector<Attribute> columns;
  std::vector<ExpressionPtr> expressions;
  const auto add_nulls = [&] {
    for (const auto& column : other.columns) {
      columns.push_back(NewColumn(context, "none" + std::to_string(columns.size()), column.type));
      expressions.push_back(MakeNull(column.type));
    }
  };
  if (!is_left) add_nulls();
  for (const auto& column : side->output) {
    columns.push_back(NewColumn(context, column.name, column.type));
    expressions.push_back(MakeColumn(column));
  }
  if (is_left) add_nulls();
  return statements.Put(plan::MakeProject(side, std::move(expressions), std::move(columns)));
}

}  // namespace

Result<StatefulOperators::Stream> StatefulOperators::Join(const plan::JoinNode& node, const LogicalPlanPtr& left_child,
                                                          const LogicalPlanPtr& right_child, const StatefulBatch& batch,
                                                          const Watermarks& watermarks,
                                                          commands::CommandContext& context) {
  StateStore& left_store = NextStore();
  StateStore& right_store = NextStore();
  const JoinTimes times = TimesOfJoin(node);
  if (!times.has_equality) return Error::Of("_LEGACY_ERROR_TEMP_1181");
  Statements statements(context);
  StateReport report;
  report.operator_name = "symmetricHashJoin";
  KeyedState left_state(left_store, 1, statements, context), right_state(right_store, 1, statements, context);
  FRAZIL_ASSIGN_OR_RETURN(const auto left, ReadSide("l", *node.left, left_child, left_state, batch.id,
                                                    watermarks.late_ms, statements, context, &report));
  FRAZIL_ASSIGN_OR_RETURN(const auto right, ReadSide("r", *node.right, right_child, right_state, batch.id,
                                                     watermarks.late_ms, statements, context, &report));
  // Rows of this batch meet all of the other side, those of earlier batches what is new there.
  const auto left_new = plan::MakeFilter(left.rows, MakeColumn(left.fresh));
  const auto left_old = plan::MakeFilter(
      left.rows, MakeCall("not", {MakeColumn(left.fresh)}, DataType::Boolean(), true, context.settings().eval_mode()));
  const auto right_new = plan::MakeFilter(right.rows, MakeColumn(right.fresh));
  FRAZIL_ASSIGN_OR_RETURN(const auto with_all,
                          statements.RunTyped(plan::MakeJoin(left_new, right.rows, JoinType::kInner, node.condition)));
  FRAZIL_ASSIGN_OR_RETURN(const auto with_new,
                          statements.RunTyped(plan::MakeJoin(left_old, right_new, JoinType::kInner, node.condition)));
  const auto pairs = Statements::UnionAll(statements.Put(with_all), statements.Put(with_new));

  const bool is_semi = node.type == JoinType::kLeftSemi;
  const bool keeps_left = node.type == JoinType::kLeftOuter || node.type == JoinType::kFullOuter;
  const bool keeps_right = node.type == JoinType::kRightOuter || node.type == JoinType::kFullOuter;
  FRAZIL_ASSIGN_OR_RETURN(const auto left_alone,
                          SaveSide(left, left_state, batch.id + 1, times.left, pairs, keeps_left || is_semi, is_semi,
                                   watermarks.now_ms, statements, context, &report));
  FRAZIL_ASSIGN_OR_RETURN(const auto right_alone,
                          SaveSide(right, right_state, batch.id + 1, times.right, pairs, keeps_right, false,
                                   watermarks.now_ms, statements, context, &report));
  plan::PlanPtr given;
  if (is_semi) {
    // Each row once, with its first partner; it needs no other.
    FRAZIL_ASSIGN_OR_RETURN(const auto unmatched, statements.Filter(statements.Put(left.rows), "NOT lmatched"));
    FRAZIL_ASSIGN_OR_RETURN(const auto found,
                            statements.Join(unmatched, pairs, JoinType::kLeftSemi, "l.lnumber = r.lnumber"));
    FRAZIL_ASSIGN_OR_RETURN(given, statements.Select(found, left.values));
  } else {
    auto items = left.values;
    items.insert(items.end(), right.values.begin(), right.values.end());
    FRAZIL_ASSIGN_OR_RETURN(given, statements.Select(pairs, items));
  }
  if (keeps_left) {
    FRAZIL_ASSIGN_OR_RETURN(auto alone, Padded(left_alone, right, true, statements, context));
    given = Statements::UnionAll(std::move(given), std::move(alone));
  }
  if (keeps_right) {
    FRAZIL_ASSIGN_OR_RETURN(auto alone, Padded(right_alone, left, false, statements, context));
    given = Statements::UnionAll(std::move(given), std::move(alone));
  }
  reports_.push_back(std::move(report));
  FRAZIL_ASSIGN_OR_RETURN(const auto result, statements.Run(given));
  std::vector<ExpressionPtr> outputs;
  size_t next = 0;
  const auto not_kept = ScanMetadataColumns(node);
  for (const auto& column : node.output)
    outputs.push_back(not_kept.contains(column.id) ? MakeNull(column.type) : MakeColumn(result->output[next++]));
  Stream stream{plan::MakeProject(result, std::move(outputs), node.output), watermarks};
  // Rows that wait for their partner come out as late as they are kept.
  for (const auto* side : {&times.left, &times.right}) {
    if (side->time == nullptr) continue;
    stream.watermarks.late_ms = std::min(stream.watermarks.late_ms, watermarks.late_ms + side->behind_ms);
    stream.watermarks.now_ms = std::min(stream.watermarks.now_ms, watermarks.now_ms + side->behind_ms);
  }
  return stream;
}

}  // namespace frazil::streaming
