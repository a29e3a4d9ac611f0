#include <algorithm>

#include "frazil/plan/make_logical.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/join_times.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"

namespace frazil::streaming {

using plan::JoinType;
using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

/// The rows of one side: those of earlier batches and those of this one. Columns: v0, v1, ... (with the ids of the
/// side's own), then whether the row has had a partner, whether it is of this batch, and its number; `prefix` is in
/// front of each name.
struct SideRows {
  std::string prefix;
  std::vector<Attribute> columns;  ///< Of the join.
  std::vector<std::string> values;
  LogicalPlanPtr rows;  ///< ArrowRowsNode.
  Attribute matched, fresh, number;

  std::string Name(const char* column) const { return prefix + column; }
};

Result<SideRows> ReadSide(const std::string& prefix, const LogicalPlan& node, const LogicalPlanPtr& child,
                          StateStore& store, int64_t version, int64_t late_ms, Statements& statements,
                          commands::CommandContext& context, StateReport* report) {
  SideRows side;
  side.prefix = prefix;
  std::vector<Attribute> columns;
  std::vector<ExpressionPtr> expressions;
  std::vector<StructField> fields;
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
  auto kept = std::make_shared<plan::ArrowRowsNode>();
  for (auto& column : columns) {
    column.id = context.NextId();
    column.nullable = true;
  }
  columns.push_back(NewColumn(context, side.Name("matched"), DataType::Boolean()));
  kept->output = std::move(columns);
  FRAZIL_ASSIGN_OR_RETURN(kept->data, store.Load(version, DataType::Struct(std::move(fields))));
  auto items = side.values;
  items.push_back("false AS " + side.Name("matched"));
  items.push_back("true AS " + side.Name("fresh"));
  FRAZIL_ASSIGN_OR_RETURN(fresh, statements.Select(fresh, items));
  FRAZIL_ASSIGN_OR_RETURN(const auto fresh_rows, statements.Run(fresh));
  report->rows_updated += RowCount(*fresh_rows);
  fresh = statements.Put(fresh_rows);
  FRAZIL_ASSIGN_OR_RETURN(auto former,
                          statements.Select(statements.Put(kept), {"*", "false AS " + side.Name("fresh")}));
  FRAZIL_ASSIGN_OR_RETURN(auto all,
                          statements.Select(Statements::UnionAll(fresh, former),
                                            {"*", "monotonically_increasing_id() AS " + side.Name("number")}));
  FRAZIL_ASSIGN_OR_RETURN(const auto rows, statements.Run(all));
  auto named = std::make_shared<plan::ArrowRowsNode>(rows->As<plan::ArrowRowsNode>());
  const size_t n = side.columns.size();
  for (size_t i = 0; i < n; ++i) named->output[i].id = side.columns[i].id;
  side.matched = named->output[n];
  side.fresh = named->output[n + 1];
  side.number = named->output[n + 2];
  side.rows = std::move(named);
  return side;
}

/// What becomes of a side's rows after a batch.
struct Kept {
  plan::PlanPtr stays;           ///< Columns v0, v1, ..., matched.
  plan::PlanPtr goes_unmatched;  ///< Columns v0, v1, ...
};

/// `pairs`: the joined rows of the batch. `notes`: whether it matters that a row has had a partner.
Result<Kept> Forget(const SideRows& side, const JoinSide& times, const plan::PlanPtr& pairs, bool notes, int64_t now_ms,
                    Statements& statements, commands::CommandContext& context) {
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
  Kept kept;
  if (notes) {
    FRAZIL_ASSIGN_OR_RETURN(auto found,
                            statements.Group(pairs, {side.Name("number")}, {side.Name("number") + " AS found"}));
    FRAZIL_ASSIGN_OR_RETURN(
        rows, statements.Join(rows, found, JoinType::kLeftOuter, "l." + side.Name("number") + " = r.found"));
    items.push_back("(" + side.Name("matched") + " OR found IS NOT NULL) AS " + side.Name("matched"));
  } else {
    items.push_back(side.Name("matched"));
  }
  if (gone.empty()) gone = "false";
  items.push_back("(" + gone + ") AS gone");
  FRAZIL_ASSIGN_OR_RETURN(rows, statements.Select(rows, items));
  FRAZIL_ASSIGN_OR_RETURN(const auto noted, statements.Run(rows));
  rows = statements.Put(noted);
  items = side.values;
  FRAZIL_ASSIGN_OR_RETURN(const auto unmatched, statements.Filter(rows, "gone AND NOT " + side.Name("matched")));
  FRAZIL_ASSIGN_OR_RETURN(kept.goes_unmatched, statements.Select(unmatched, items));
  items.push_back(side.Name("matched"));
  FRAZIL_ASSIGN_OR_RETURN(const auto stays, statements.Filter(rows, "NOT gone"));
  FRAZIL_ASSIGN_OR_RETURN(kept.stays, statements.Select(stays, items));
  return kept;
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
  FRAZIL_ASSIGN_OR_RETURN(const auto left, ReadSide("l", *node.left, left_child, left_store, batch.id,
                                                    watermarks.late_ms, statements, context, &report));
  FRAZIL_ASSIGN_OR_RETURN(const auto right, ReadSide("r", *node.right, right_child, right_store, batch.id,
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
  FRAZIL_ASSIGN_OR_RETURN(
      auto left_kept, Forget(left, times.left, pairs, keeps_left || is_semi, watermarks.now_ms, statements, context));
  FRAZIL_ASSIGN_OR_RETURN(auto right_kept,
                          Forget(right, times.right, pairs, keeps_right, watermarks.now_ms, statements, context));
  plan::PlanPtr given;
  if (is_semi) {
    // Each row once, with its first partner; it needs no other.
    FRAZIL_ASSIGN_OR_RETURN(const auto unmatched, statements.Filter(statements.Put(left.rows), "NOT lmatched"));
    FRAZIL_ASSIGN_OR_RETURN(const auto found,
                            statements.Join(unmatched, pairs, JoinType::kLeftSemi, "l.lnumber = r.lnumber"));
    FRAZIL_ASSIGN_OR_RETURN(given, statements.Select(found, left.values));
    FRAZIL_ASSIGN_OR_RETURN(left_kept.stays, statements.Filter(left_kept.stays, "NOT lmatched"));
  } else {
    auto items = left.values;
    items.insert(items.end(), right.values.begin(), right.values.end());
    FRAZIL_ASSIGN_OR_RETURN(given, statements.Select(pairs, items));
  }
  if (keeps_left) {
    FRAZIL_ASSIGN_OR_RETURN(auto alone, Padded(left_kept.goes_unmatched, right, true, statements, context));
    given = Statements::UnionAll(std::move(given), std::move(alone));
  }
  if (keeps_right) {
    FRAZIL_ASSIGN_OR_RETURN(auto alone, Padded(right_kept.goes_unmatched, left, false, statements, context));
    given = Statements::UnionAll(std::move(given), std::move(alone));
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto left_stays, statements.Run(left_kept.stays));
  FRAZIL_ASSIGN_OR_RETURN(const auto right_stays, statements.Run(right_kept.stays));
  FRAZIL_RETURN_IF_ERROR(left_store.Save(batch.id + 1, left_stays->As<plan::ArrowRowsNode>().data));
  FRAZIL_RETURN_IF_ERROR(right_store.Save(batch.id + 1, right_stays->As<plan::ArrowRowsNode>().data));
  report.rows_total = RowCount(*left_stays) + RowCount(*right_stays);
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
