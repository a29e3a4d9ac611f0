#include "frazil/streaming/stateful.h"

#include <algorithm>

#include "frazil/analysis/analyzer.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/streaming.h"
#include "frazil/plan/watermark.h"
#include "frazil/sql/parser.h"

namespace frazil::streaming {
namespace {

using plan::LogicalKind;
using plan::LogicalPlan;
using plan::LogicalPlanPtr;

bool IsBatchSource(const LogicalPlan& node, const StatefulBatch& batch) {
  if (node.kind == LogicalKind::kScan) return batch.bound_scans.contains(node.As<plan::ScanNode>().scan.get());
  return node.kind == LogicalKind::kCollectMetrics &&
         node.As<plan::CollectMetricsNode>().name.starts_with(kSourceMetric);
}

bool ReadsBatch(const LogicalPlan& node, const StatefulBatch& batch) {
  if (IsBatchSource(node, batch)) return true;
  const auto inputs = plan::Inputs(node);
  return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return ReadsBatch(*input, batch); });
}

/// The columns whose event times watermarks below a plan observe.
void WatermarkColumns(const LogicalPlan& node, std::set<AttributeId>* columns) {
  if (node.kind == LogicalKind::kCollectMetrics &&
      node.As<plan::CollectMetricsNode>().name.starts_with(plan::kWatermarkMetric)) {
    for (const auto& metric : node.As<plan::CollectMetricsNode>().metrics) {
      VisitExpression(*metric, [&](const Expression& part) {
        if (part.kind == ExpressionKind::kColumn) columns->insert(part.As<ColumnExpression>().id);
        return true;
      });
    }
  }
  // Columns that are made from these alone, by projections, are such columns too.
  for (const auto& input : plan::Inputs(node)) WatermarkColumns(*input, columns);
  if (node.kind == LogicalKind::kGenerate) {
    // Sliding windows: one row for each window that a time falls into.
    const auto& generate = node.As<plan::GenerateNode>();
    bool all = generate.generator == "explode";
    for (const auto& argument : generate.arguments) {
      VisitExpression(*argument, [&](const Expression& part) {
        if (part.kind == ExpressionKind::kColumn) all = all && columns->contains(part.As<ColumnExpression>().id);
        return all;
      });
    }
    if (all) columns->insert(node.output.back().id);
  }
  if (node.kind != LogicalKind::kProject) return;
  const auto& project = node.As<plan::ProjectNode>();
  for (size_t i = 0; i < project.expressions.size(); ++i) {
    const auto& expression = *project.expressions[i];
    const bool is_window = expression.type->id() == TypeId::kStruct;
    const bool is_column = expression.kind == ExpressionKind::kColumn;
    if (!is_window && !is_column) continue;
    bool all = true, any = false;
    VisitExpression(expression, [&](const Expression& part) {
      if (part.kind != ExpressionKind::kColumn) return true;
      any = true;
      all = all && columns->contains(part.As<ColumnExpression>().id);
      return true;
    });
    if (any && all) columns->insert(project.output[i].id);
  }
}

bool IsWindow(const DataType& type) {
  return type.id() == TypeId::kStruct && type.fields().size() == 2 && type.fields()[0].name == "start" &&
         type.fields()[1].name == "end";
}

plan::PlanPtr Relation(const std::string& id) {
  auto relation = std::make_shared<plan::CachedRelationPlan>();
  relation->relation_id = id;
  return relation;
}

/// Statements over relations of the batch, as SQL expressions over their columns.
class Sheet {
 public:
  explicit Sheet(commands::CommandContext& context) : context_(context) {}
  ~Sheet() {
    for (const auto& id : relations_) context_.DropCachedRelation(id);
  }
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  plan::PlanPtr Put(LogicalPlanPtr plan) {
    relations_.push_back(context_.PutCachedRelation({std::move(plan)}));
    return Relation(relations_.back());
  }
  Result<plan::PlanPtr> Filter(plan::PlanPtr child, const std::string& condition) {
    auto filter = std::make_shared<plan::FilterPlan>();
    filter->child = std::move(child);
    FRAZIL_ASSIGN_OR_RETURN(filter->condition, Expr(condition));
    return plan::PlanPtr(filter);
  }
  Result<plan::PlanPtr> Select(plan::PlanPtr child, const std::vector<std::string>& items) {
    auto project = std::make_shared<plan::ProjectPlan>();
    project->child = std::move(child);
    FRAZIL_ASSIGN_OR_RETURN(project->expressions, Exprs(items));
    return plan::PlanPtr(project);
  }
  Result<plan::PlanPtr> Group(plan::PlanPtr child, const std::vector<std::string>& keys,
                              const std::vector<std::string>& items) {
    auto group = std::make_shared<plan::AggregatePlan>();
    group->child = std::move(child);
    for (const auto& key : keys) {
      FRAZIL_ASSIGN_OR_RETURN(auto expression, Expr(key));
      group->grouping.emplace_back().sets = {{std::move(expression)}};
    }
    FRAZIL_ASSIGN_OR_RETURN(group->aggregates, Exprs(items));
    return plan::PlanPtr(group);
  }
  static plan::PlanPtr UnionAll(plan::PlanPtr left, plan::PlanPtr right) {
    auto both = std::make_shared<plan::SetOperationPlan>();
    both->left = std::move(left);
    both->right = std::move(right);
    both->all = true;
    return both;
  }
  Result<plan::PlanPtr> Join(plan::PlanPtr left, plan::PlanPtr right, plan::JoinType type,
                             const std::string& condition) {
    const auto named = [](plan::PlanPtr child, const char* name) {
      auto alias = std::make_shared<plan::SubqueryAliasPlan>();
      alias->child = std::move(child);
      alias->alias = name;
      return alias;
    };
    auto join = std::make_shared<plan::JoinPlan>();
    join->left = named(std::move(left), "l");
    join->right = named(std::move(right), "r");
    join->type = type;
    FRAZIL_ASSIGN_OR_RETURN(join->condition, Expr(condition));
    return plan::PlanPtr(join);
  }
  Result<LogicalPlanPtr> Typed(const plan::PlanPtr& plan) { return analysis::AnalyzeRelation(plan, context_); }
  /// The rows of a plan in memory.
  Result<LogicalPlanPtr> Run(const plan::PlanPtr& plan) {
    FRAZIL_ASSIGN_OR_RETURN(auto typed, Typed(plan));
    return engine::Materialize(context_.engine(), typed, context_.execution());
  }

 private:
  Result<plan::ExprPtr> Expr(const std::string& text) { return sql::ParseExpression(text, context_.parser_options()); }
  Result<std::vector<plan::ExprPtr>> Exprs(const std::vector<std::string>& texts) {
    std::vector<plan::ExprPtr> expressions;
    for (const auto& text : texts) {
      // "expression AS name"
      const size_t as = text.rfind(" AS ");
      FRAZIL_ASSIGN_OR_RETURN(auto expression, Expr(as == std::string::npos ? text : text.substr(0, as)));
      if (as != std::string::npos) expression = plan::MakeAliasExpr(std::move(expression), text.substr(as + 4));
      expressions.push_back(std::move(expression));
    }
    return expressions;
  }

  commands::CommandContext& context_;
  std::vector<std::string> relations_;
};

int64_t CountOf(const LogicalPlan& rows) {
  int64_t count = 0;
  for (const auto& batch : rows.As<plan::ArrowRowsNode>().data->batches) count += batch.num_rows();
  return count;
}

/// How the parts of an aggregate are kept: for each part its column, how the rows of a batch give it and how two are
/// put together; and what the parts give in the end.
struct AggregateParts {
  struct Part {
    std::string of_rows;   ///< Over the argument columns.
    std::string of_parts;  ///< Over the part's own column.
  };
  std::vector<Part> parts;
  std::string result;
};

/// `argument`: the aggregate's argument column. `name`: prefix of the parts' columns.
Result<AggregateParts> PartsOf(const AggregateExpression& aggregate, const std::string& argument,
                               const std::string& name) {
  const std::string& function = aggregate.function;
  const auto part = [&](int i) { return name + "_" + std::to_string(i); };
  const std::string type = aggregate.type->Sql();
  if (function == "count")
    return AggregateParts{{{"count(" + argument + ")", "sum(" + part(0) + ")"}}, "coalesce(" + part(0) + ", 0L)"};
  if (function == "sum") {
    return AggregateParts{
        {{"CAST(sum(" + argument + ") AS " + type + ")", "CAST(sum(" + part(0) + ") AS " + type + ")"}}, part(0)};
  }
  if (function == "min" || function == "max")
    return AggregateParts{{{function + "(" + argument + ")", function + "(" + part(0) + ")"}}, part(0)};
  if (function == "bool_and" || function == "bool_or")
    return AggregateParts{{{function + "(" + argument + ")", function + "(" + part(0) + ")"}}, part(0)};
  if (function == "avg") {
    const bool is_decimal = aggregate.type->id() == TypeId::kDecimal;
    const std::string sum = is_decimal ? "sum(" + argument + ")" : "sum(CAST(" + argument + " AS DOUBLE))";
    const std::string sum_type =
        is_decimal ? "DECIMAL(38, " + std::to_string(aggregate.arguments[0]->type->scale()) + ")" : "DOUBLE";
    return AggregateParts{{{"CAST(" + sum + " AS " + sum_type + ")", "CAST(sum(" + part(0) + ") AS " + sum_type + ")"},
                           {"count(" + argument + ")", "sum(" + part(1) + ")"}},
                          "CAST(" + part(0) + " / nullif(CAST(" + part(1) + " AS " +
                              (is_decimal ? "DECIMAL(20, 0)" : "DOUBLE") + "), 0) AS " + type + ")"};
  }
  if (function == "collect_list" || function == "collect_set") {
    const bool is_set = function == "collect_set";
    const std::string merged = "flatten(collect_list(" + part(0) + "))";
    return AggregateParts{{{function + "(" + argument + ")", is_set ? "array_distinct(" + merged + ")" : merged}},
                          part(0)};
  }
  return Error::Unsupported("The aggregate function " + function + " over streams");
}

/// Null-safe equality of all columns of two relations l and r.
std::string SameKeys(size_t keys) {
  if (keys == 0) return "true";
  std::string condition;
  for (size_t i = 0; i < keys; ++i) {
    const std::string name = "k" + std::to_string(i);
    condition += (i > 0 ? " AND " : "") + ("l." + name + " <=> r." + name);
  }
  return condition;
}

/// The milliseconds of a key's event time: of a window its end.
std::string EventMillis(size_t key, const DataType& type) {
  const std::string name = "k" + std::to_string(key);
  return "unix_millis(to_timestamp_ltz(" + (IsWindow(type) ? name + ".end" : name) + "))";
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

std::optional<size_t> EventTimeColumn(const LogicalPlan& plan, const std::vector<ExpressionPtr>& columns) {
  std::set<AttributeId> times;
  WatermarkColumns(plan, &times);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i]->kind == ExpressionKind::kColumn && times.contains(columns[i]->As<ColumnExpression>().id) &&
        (columns[i]->type->id() != TypeId::kStruct || IsWindow(*columns[i]->type))) {
      return i;
    }
  }
  return std::nullopt;
}

bool HasStatefulOperators(const LogicalPlan& plan) {
  const bool is_stateful = plan.kind == LogicalKind::kAggregate || plan.kind == LogicalKind::kDeduplicate ||
                           plan.kind == LogicalKind::kDistinct;
  if (is_stateful && plan::IsStreaming(plan)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return HasStatefulOperators(*input); });
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
    if (aggregate.arguments.size() > 1)
      return Error::Unsupported("Aggregate functions of several arguments over streams");
    FRAZIL_RETURN_IF_ERROR(PartsOf(aggregate, "a", "p").status());
  }
  return {};
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
  return Rewrite(plan, batch, context);
}

Result<LogicalPlanPtr> StatefulOperators::Rewrite(const LogicalPlanPtr& plan, const StatefulBatch& batch,
                                                  commands::CommandContext& context) {
  if (!ReadsBatch(*plan, batch) || IsBatchSource(*plan, batch)) return plan;
  auto inputs = plan::Inputs(*plan);
  bool changed = false;
  for (auto& input : inputs) {
    FRAZIL_ASSIGN_OR_RETURN(auto rewritten, Rewrite(input, batch, context));
    changed = changed || rewritten != input;
    input = std::move(rewritten);
  }
  if (plan->kind == LogicalKind::kAggregate)
    return Aggregate(plan->As<plan::AggregateNode>(), inputs[0], batch, context);
  if (plan->kind == LogicalKind::kDistinct) return Deduplicate(*plan, plan->output, inputs[0], batch, context);
  if (plan->kind == LogicalKind::kDeduplicate) {
    std::vector<Attribute> keys;
    for (const auto& column : plan->output) {
      const auto& ids = plan->As<plan::DeduplicateNode>().keys;
      if (std::find(ids.begin(), ids.end(), column.id) != ids.end()) keys.push_back(column);
    }
    return Deduplicate(*plan, keys, inputs[0], batch, context);
  }
  return changed ? plan::WithInputs(*plan, std::move(inputs)) : plan;
}

Result<LogicalPlanPtr> StatefulOperators::Aggregate(const plan::AggregateNode& node, const LogicalPlanPtr& child,
                                                    const StatefulBatch& batch, commands::CommandContext& context) {
  StateStore& store = NextStore();
  Sheet sheet(context);
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
    const std::string argument = "a" + std::to_string(i), name = "p" + std::to_string(i);
    ExpressionPtr value =
        aggregate.arguments.empty() ? MakeLiteral(DataType::Integer(), Value(int64_t{1})) : aggregate.arguments[0];
    if (aggregate.filter != nullptr) {
      const auto type = value->type;
      value = MakeCall("case_when", {aggregate.filter, std::move(value), MakeNull(type)}, type, true, aggregate.mode);
    }
    add(std::move(value), argument);
    FRAZIL_ASSIGN_OR_RETURN(const auto parts, PartsOf(aggregate, argument, name));
    for (size_t p = 0; p < parts.parts.size(); ++p) {
      const std::string column = name + "_" + std::to_string(p);
      of_rows.push_back(parts.parts[p].of_rows + " AS " + column);
      of_parts.push_back(parts.parts[p].of_parts + " AS " + column);
    }
    results.push_back(parts.result + " AS r" + std::to_string(i));
  }
  plan::PlanPtr rows = sheet.Put(plan::MakeProject(child, std::move(expressions), std::move(columns)));
  const auto event_time = EventTimeColumn(*child, node.grouping);
  const std::string event_millis = event_time ? EventMillis(*event_time, *node.grouping[*event_time]->type) : "";
  const std::string watermark = std::to_string(batch.watermark_ms) + "L";
  if (event_time && batch.watermark_ms > 0) {
    // Rows of groups that were complete before are late.
    FRAZIL_ASSIGN_OR_RETURN(rows, sheet.Filter(rows, event_millis + " > " + watermark));
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto partial_query, sheet.Group(rows, keys, of_rows));
  FRAZIL_ASSIGN_OR_RETURN(auto partial, sheet.Run(partial_query));
  report.rows_updated = CountOf(*partial);
  const auto partial_relation = sheet.Put(partial);

  // What was kept, with the types that the parts have.
  std::vector<Attribute> kept_columns;
  for (const auto& column : partial->output) {
    Attribute kept = column;
    kept.id = context.NextId();
    kept.nullable = true;
    kept_columns.push_back(std::move(kept));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto former, store.Load(batch.id, plan::OutputSchema(*partial)));
  auto kept_node = std::make_shared<plan::ArrowRowsNode>();
  kept_node->data = former;
  kept_node->output = std::move(kept_columns);
  FRAZIL_ASSIGN_OR_RETURN(const auto merge_query,
                          sheet.Group(Sheet::UnionAll(sheet.Put(kept_node), partial_relation), keys, of_parts));
  FRAZIL_ASSIGN_OR_RETURN(auto merged, sheet.Run(merge_query));
  auto merged_relation = sheet.Put(merged);

  // What is given now, and what is kept for the next batch.
  plan::PlanPtr given = merged_relation;
  LogicalPlanPtr kept = merged;
  switch (batch.mode) {
    case OutputMode::kComplete:
      break;
    case OutputMode::kUpdate: {
      if (!keys.empty()) {
        FRAZIL_ASSIGN_OR_RETURN(
            given, sheet.Join(merged_relation, partial_relation, plan::JoinType::kLeftSemi, SameKeys(keys.size())));
      }
      break;
    }
    case OutputMode::kAppend: {
      FRAZIL_ASSIGN_OR_RETURN(given, sheet.Filter(merged_relation, event_millis + " <= " + watermark));
      break;
    }
  }
  if (event_time && batch.mode != OutputMode::kComplete && batch.watermark_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(const auto rest, sheet.Filter(merged_relation, "NOT coalesce(" + event_millis +
                                                                               " <= " + watermark + ", false)"));
    FRAZIL_ASSIGN_OR_RETURN(kept, sheet.Run(rest));
  }
  FRAZIL_RETURN_IF_ERROR(store.Save(batch.id + 1, kept->As<plan::ArrowRowsNode>().data));
  report.rows_total = CountOf(*kept);
  reports_.push_back(std::move(report));
  std::vector<std::string> items = keys;
  items.insert(items.end(), results.begin(), results.end());
  FRAZIL_ASSIGN_OR_RETURN(const auto result_query, sheet.Select(given, items));
  FRAZIL_ASSIGN_OR_RETURN(auto result, sheet.Run(result_query));
  std::vector<ExpressionPtr> outputs;
  for (size_t i = 0; i < node.output.size(); ++i) {
    auto value = MakeColumn(result->output[i]);
    if (!value->type->EqualsIgnoreNullability(*node.output[i].type))
      value = MakeCast(std::move(value), node.output[i].type, context.settings().eval_mode());
    outputs.push_back(std::move(value));
  }
  return plan::MakeProject(std::move(result), std::move(outputs), node.output);
}

Result<LogicalPlanPtr> StatefulOperators::Deduplicate(const LogicalPlan& node,
                                                      const std::vector<Attribute>& key_columns,
                                                      const LogicalPlanPtr& child, const StatefulBatch& batch,
                                                      commands::CommandContext& context) {
  StateStore& store = NextStore();
  Sheet sheet(context);
  StateReport report;
  report.operator_name = "dedupe";
  std::vector<ExpressionPtr> expressions, key_expressions;
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
    key_expressions.push_back(MakeColumn(key_columns[i]));
    add(key_columns[i], keys.back());
  }
  of_group = keys;
  for (size_t i = 0; i < node.output.size(); ++i) {
    values.push_back("v" + std::to_string(i));
    add(node.output[i], values.back());
  }
  plan::PlanPtr rows = sheet.Put(plan::MakeProject(child, std::move(expressions), std::move(columns)));
  const auto event_time = EventTimeColumn(*child, key_expressions);
  const std::string event_millis = event_time ? EventMillis(*event_time, *key_expressions[*event_time]->type) : "";
  const std::string watermark = std::to_string(batch.watermark_ms) + "L";
  if (event_time && batch.watermark_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(rows, sheet.Filter(rows, event_millis + " > " + watermark));
  }
  // One row a key: all of its values together.
  std::string all_values = "struct(";
  for (size_t i = 0; i < values.size(); ++i) all_values += (i > 0 ? ", " : "") + values[i];
  of_group.push_back("first(" + all_values + ")) AS v");
  FRAZIL_ASSIGN_OR_RETURN(const auto distinct_query, sheet.Group(rows, keys, of_group));
  FRAZIL_ASSIGN_OR_RETURN(auto distinct, sheet.Run(distinct_query));
  const auto distinct_relation = sheet.Put(distinct);

  auto kept_node = std::make_shared<plan::ArrowRowsNode>();
  std::vector<StructField> fields;
  for (size_t i = 0; i < keys.size(); ++i) {
    Attribute column = distinct->output[i];
    column.id = context.NextId();
    column.nullable = true;
    fields.emplace_back(column.name, column.type, true);
    kept_node->output.push_back(std::move(column));
  }
  FRAZIL_ASSIGN_OR_RETURN(kept_node->data, store.Load(batch.id, DataType::Struct(std::move(fields))));
  const auto kept_relation = sheet.Put(kept_node);
  FRAZIL_ASSIGN_OR_RETURN(const auto new_query, sheet.Join(distinct_relation, kept_relation, plan::JoinType::kLeftAnti,
                                                           SameKeys(keys.size())));
  FRAZIL_ASSIGN_OR_RETURN(auto fresh, sheet.Run(new_query));
  report.rows_updated = CountOf(*fresh);
  const auto fresh_relation = sheet.Put(fresh);
  FRAZIL_ASSIGN_OR_RETURN(const auto fresh_keys, sheet.Select(fresh_relation, keys));
  plan::PlanPtr all_keys = Sheet::UnionAll(kept_relation, fresh_keys);
  if (event_time && batch.watermark_ms > 0) {
    FRAZIL_ASSIGN_OR_RETURN(all_keys,
                            sheet.Filter(all_keys, "NOT coalesce(" + event_millis + " <= " + watermark + ", false)"));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto kept, sheet.Run(all_keys));
  FRAZIL_RETURN_IF_ERROR(store.Save(batch.id + 1, kept->As<plan::ArrowRowsNode>().data));
  report.rows_total = CountOf(*kept);
  reports_.push_back(std::move(report));
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back("v." + value);
  FRAZIL_ASSIGN_OR_RETURN(const auto result_query, sheet.Select(fresh_relation, items));
  FRAZIL_ASSIGN_OR_RETURN(auto result, sheet.Run(result_query));
  std::vector<ExpressionPtr> outputs;
  for (const auto& column : result->output) outputs.push_back(MakeColumn(column));
  return plan::MakeProject(std::move(result), std::move(outputs), node.output);
}

}  // namespace frazil::streaming
