// The DataFrame operations on columns and rows that have no SELECT around them.

#include <algorithm>
#include <random>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/bound_parameters.h"
#include "frazil/analysis/bound_streams_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/name_scope_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/streaming.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/plan/watermark.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/variable_substitution.h"
#include "frazil/types/float_text.h"
#include "frazil/types/interval.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

Result<Relation> Analyzer::AnalyzeSubqueryAlias(const plan::SubqueryAliasPlan& alias) {
  const bool names_values = alias.child->kind == plan::PlanKind::kInlineTable;
  FRAZIL_ASSIGN_OR_RETURN(
      auto child, names_values ? AnalyzeInlineTable(alias.child->As<plan::InlineTablePlan>(), alias.column_aliases)
                               : AnalyzePlan(alias.child));
  if (!alias.column_aliases.empty() && alias.column_aliases.size() != child.output.size()) {
    return Error::Of("NUM_TABLE_VALUE_ALIASES_MISMATCH", {{"funcName", QuoteIdentifier(alias.alias)},
                                                          {"aliasesNum", std::to_string(alias.column_aliases.size())},
                                                          {"outColsNum", std::to_string(child.output.size())}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto relation, ApplyColumnAliases(child, alias.alias, alias.column_aliases));
  // What lies below an alias is out of reach, but for metadata columns.
  relation.select = nullptr;
  relation.select_root = nullptr;
  std::erase_if(relation.hidden, [](const HiddenColumn& hidden) { return hidden.qualified_only; });
  const std::vector<std::string> qualifier =
      alias.alias.empty() ? std::vector<std::string>() : std::vector<std::string>{alias.alias};
  for (auto& attribute : relation.output) attribute.qualifier = qualifier;
  for (auto& hidden : relation.hidden) hidden.attribute.qualifier = qualifier;
  return relation;
}

Result<Relation> Analyzer::AnalyzeToDf(const plan::ToDfPlan& to_df) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(to_df.child));
  if (to_df.names.size() != child.output.size()) {
    return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numExpr", std::to_string(to_df.names.size())},
                                                   {"numTarget", std::to_string(child.output.size())}});
  }
  std::vector<ExprPtr> items;
  for (size_t i = 0; i < to_df.names.size(); ++i) {
    auto column = MakeTypedExpr(child.output[i]);
    items.push_back(child.output[i].name == to_df.names[i] ? column : plan::MakeAliasExpr(column, to_df.names[i]));
  }
  return AnalyzeSelect(child, SelectStage(child, &context_), items, false, nullptr, nullptr);
}

Result<Relation> Analyzer::AnalyzeWithColumns(const plan::WithColumnsPlan& with_columns) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(with_columns.child));
  const auto same = [&](const std::string& a, const std::string& b) {
    return settings_.case_sensitive ? a == b : EqualsIgnoreCase(a, b);
  };
  std::vector<ExprPtr> aliases = with_columns.aliases;
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (aliases[i]->kind != ExprKind::kAlias) return Error::Internal("withColumns needs named columns.");
    for (size_t j = 0; j < i; ++j) {
      const auto& name = aliases[i]->As<plan::AliasExpr>().names[0];
      if (same(name, aliases[j]->As<plan::AliasExpr>().names[0])) {
        return Error::Of("COLUMN_ALREADY_EXISTS",
                         {{"columnName", QuoteIdentifier(settings_.case_sensitive ? name : AsciiLower(name))}});
      }
    }
  }
  if (with_columns.is_pipe_set) {
    for (const auto& alias : aliases) {
      const auto& name = alias->As<plan::AliasExpr>().names[0];
      const bool known = std::any_of(child.output.begin(), child.output.end(),
                                     [&](const Attribute& column) { return same(column.name, name); });
      if (known) continue;
      std::vector<std::string> names;
      for (const auto& column : child.output) names.push_back(QuoteIdentifier(column.name));
      return At(Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                          {{"objectName", QuoteIdentifier(name)}, {"proposal", Join(names, ", ")}}),
                alias->origin);
    }
  }
  std::vector<ExprPtr> items;
  std::set<size_t> placed;
  for (const auto& column : child.output) {
    ExprPtr item = MakeTypedExpr(column);
    for (size_t i = 0; i < aliases.size(); ++i) {
      if (!same(column.name, aliases[i]->As<plan::AliasExpr>().names[0])) continue;
      item = aliases[i];
      placed.insert(i);
    }
    items.push_back(std::move(item));
  }
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (placed.count(i) == 0) items.push_back(aliases[i]);
  }
  if (with_columns.is_pipe_set) FRAZIL_RETURN_IF_ERROR(RefuseAggregates(aliases, child, "SET"));
  return WithTimeWindows(
      &child, [&] { return AnalyzeSelect(child, SelectStage(child, &context_), items, false, nullptr, nullptr); });
}

Result<Relation> Analyzer::AnalyzeWithColumnsRenamed(const plan::WithColumnsRenamedPlan& renamed) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(renamed.child));
  std::vector<std::string> names;
  for (const auto& column : child.output) names.push_back(column.name);
  for (const auto& [from, to] : renamed.renames) {
    for (auto& name : names) {
      if (settings_.case_sensitive ? name == from : EqualsIgnoreCase(name, from)) name = to;
    }
  }
  std::vector<ExprPtr> items;
  for (size_t i = 0; i < names.size(); ++i) {
    auto column = MakeTypedExpr(child.output[i]);
    items.push_back(child.output[i].name == names[i] ? column : plan::MakeAliasExpr(column, names[i]));
  }
  return AnalyzeSelect(child, SelectStage(child, &context_), items, false, nullptr, nullptr);
}

Result<Relation> Analyzer::AnalyzeDropColumns(const plan::DropColumnsPlan& drop) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(drop.child));
  std::set<AttributeId> dropped;
  for (const auto& column : drop.columns) {
    Scope scope;
    scope.input = &child;
    auto typed = AnalyzeScalar(column, scope);
    // Columns that are not there are no matter.
    if (!typed.ok()) {
      const auto& condition = typed.error().condition;
      if (condition.starts_with("UNRESOLVED_COLUMN") || condition == "CANNOT_RESOLVE_DATAFRAME_COLUMN") continue;
      return std::move(typed).error();
    }
    if ((*typed)->kind == ExpressionKind::kColumn) dropped.insert((*typed)->As<ColumnExpression>().id);
  }
  Relation relation = child;
  std::erase_if(relation.output, [&](const Attribute& column) {
    if (dropped.count(column.id) > 0) return true;
    return std::any_of(drop.names.begin(), drop.names.end(), [&](const std::string& name) {
      return settings_.case_sensitive ? name == column.name : EqualsIgnoreCase(name, column.name);
    });
  });
  return relation;
}

Result<ExpressionPtr> Analyzer::CastToField(ExpressionPtr expression, const StructField& field,
                                            const std::string& path) {
  if (expression->nullable && !field.nullable) return Error::Of("NULLABLE_COLUMN_OR_FIELD", {{"name", path}});
  const auto& from = expression->type;
  const auto& to = field.type;
  if (from->EqualsIgnoreNullability(*to)) return expression;
  if (from->id() == TypeId::kStruct && to->id() == TypeId::kStruct) {
    std::vector<ExpressionPtr> arguments;
    std::vector<StructField> fields;
    for (const auto& wanted : to->fields()) {
      const int index = from->FieldIndex(wanted.name, settings_.case_sensitive);
      if (index < 0 && !wanted.nullable)
        return Error::Of("UNRESOLVED_FIELD.WITHOUT_SUGGESTION",
                         {{"fieldName", QuoteIdentifier(wanted.name)}, {"columnPath", path}});
      ExpressionPtr member = MakeNull(wanted.type);
      if (index >= 0) {
        FRAZIL_ASSIGN_OR_RETURN(member, ExtractField(expression, from->fields()[static_cast<size_t>(index)].name));
        FRAZIL_ASSIGN_OR_RETURN(member, CastToField(member, wanted, path + "." + QuoteIdentifier(wanted.name)));
      }
      fields.emplace_back(wanted.name, member->type, member->nullable);
      arguments.push_back(MakeLiteral(DataType::String(), Value(wanted.name)));
      arguments.push_back(std::move(member));
    }
    auto type = DataType::Struct(std::move(fields));
    auto made = MakeCall("named_struct", std::move(arguments), type, false);
    if (!expression->nullable) return made;
    return MakeCall("if", {MakeCall("is_null", {expression}, DataType::Boolean(), false), MakeNull(type), made}, type,
                    true);
  }
  // Only casts that Spark calls safe ("up-cast or ANSI store assignment").
  const bool same_family = (from->IsNumeric() && to->IsNumeric()) || to->IsString() || from->id() == TypeId::kNull ||
                           (from->IsDatetime() && to->IsDatetime()) || from->id() == to->id();
  if (!same_family) {
    return Error::Of("INVALID_COLUMN_OR_FIELD_DATA_TYPE",
                     {{"name", path}, {"type", "\"" + from->Sql() + "\""}, {"expectedType", "\"" + to->Sql() + "\""}});
  }
  return MakeCast(std::move(expression), to, EvalMode::kAnsi);
}

Result<Relation> Analyzer::AnalyzeToSchema(const plan::ToSchemaPlan& to_schema) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(to_schema.child));
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> output;
  for (const auto& field : to_schema.schema->fields()) {
    const Attribute* found = nullptr;
    for (const auto& column : child.output) {
      if (settings_.case_sensitive ? column.name != field.name : !EqualsIgnoreCase(column.name, field.name)) continue;
      if (found != nullptr) {
        return Error::Of("AMBIGUOUS_COLUMN_OR_FIELD", {{"name", QuoteIdentifier(field.name)}, {"n", "2"}});
      }
      found = &column;
    }
    ExpressionPtr expression;
    if (found != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(expression, CastToField(MakeColumn(*found), field, QuoteIdentifier(field.name)));
    } else if (field.nullable) {
      expression = MakeNull(field.type);
    } else {
      std::vector<std::string> names;
      for (const auto& column : child.output) names.push_back(QuoteIdentifier(column.name));
      return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                       {{"objectName", QuoteIdentifier(field.name)}, {"proposal", Join(names, ", ")}});
    }
    auto attribute = NewAttribute(field.name, expression->type, field.nullable);
    if (found != nullptr) attribute.metadata = found->metadata;
    for (const auto& [key, value] : field.metadata) attribute.metadata[key] = value;
    expressions.push_back(std::move(expression));
    output.push_back(std::move(attribute));
  }
  Relation relation = RelationOf(plan::MakeProject(child.plan, std::move(expressions), std::move(output)));
  return relation;
}

Result<Relation> Analyzer::AnalyzeDeduplicate(const plan::DeduplicatePlan& deduplicate) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(deduplicate.child));
  Relation exact = ExactRelation(child);
  for (size_t i = 0; i < exact.output.size(); ++i) exact.output[i].qualifier = child.output[i].qualifier;
  if (deduplicate.within_watermark) {
    if (!plan::ReadsStream(*exact.plan, BoundScans(context_))) {
      return Error::Of(ExceptionClass::kAnalysis, "_LEGACY_ERROR_TEMP_3102",
                       {{"msg", "dropDuplicatesWithinWatermark is not supported with batch DataFrames/DataSets"}});
    }
    auto within = std::make_shared<plan::CollectMetricsNode>();
    within->name = plan::kWithinWatermark;
    within->output = exact.plan->output;
    within->child = exact.plan;
    exact.plan = std::move(within);
  }
  if (deduplicate.columns.empty()) {
    FRAZIL_RETURN_IF_ERROR(CheckComparable(exact.output));
    return OnTop(exact, plan::MakeDistinct(exact.plan));
  }
  auto node = std::make_shared<plan::DeduplicateNode>();
  for (const auto& name : deduplicate.columns) {
    bool found = false;
    for (const auto& column : exact.output) {
      if (settings_.case_sensitive ? column.name != name : !EqualsIgnoreCase(column.name, name)) continue;
      FRAZIL_RETURN_IF_ERROR(CheckComparable({column}));
      node->keys.push_back(column.id);
      found = true;
    }
    if (!found) {
      std::vector<std::string> names;
      for (const auto& column : exact.output) names.push_back(QuoteIdentifier(column.name));
      return Error::Of("UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", {{"colName", name}, {"fieldNames", Join(names, ", ")}});
    }
  }
  node->output = exact.plan->output;
  node->child = exact.plan;
  return OnTop(exact, std::move(node));
}

Result<Relation> Analyzer::AnalyzeSample(const plan::SamplePlan& sample) {
  if (sample.unit == plan::SamplePlan::Unit::kFraction) {
    constexpr double kRounding = 1e-6;
    const double fraction = sample.upper_bound - sample.lower_bound;
    const bool fits = fraction >= -kRounding && (sample.with_replacement || fraction <= 1 + kRounding);
    if (!fits) {
      return Error::Plain(
          ExceptionClass::kIllegalArgument,
          "requirement failed: Sampling fraction (" + DoubleToString(fraction) + ") must be " +
              (sample.with_replacement ? "nonnegative with replacement" : "on interval [0, 1] without replacement"));
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(sample.child));
  if (sample.unit == plan::SamplePlan::Unit::kRows) {
    int64_t rows = sample.rows;
    if (sample.rows_expression != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(rows, LimitValue(sample.rows_expression, "limit", child));
    }
    if (rows < 0) {
      return Error::Of("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                       {{"name", "limit"}, {"expr", "\"" + std::to_string(rows) + "\""}, {"v", std::to_string(rows)}});
    }
    return OnTop(child, plan::MakeLimit(child.plan, rows));
  }
  auto node = std::make_shared<plan::SampleNode>();
  node->output = child.plan->output;
  node->child = child.plan;
  node->lower_bound = sample.lower_bound;
  node->upper_bound = sample.upper_bound;
  node->with_replacement = sample.with_replacement;
  node->seed = sample.seed.value_or(static_cast<int64_t>(std::random_device{}()));
  return OnTop(child, std::move(node));
}

Result<Relation> Analyzer::AnalyzeRepartition(const plan::RepartitionPlan& repartition) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(repartition.child));
  auto node = std::make_shared<plan::RepartitionNode>();
  // coalesce asks for no more than so many, which one is; ranges are in order in one.
  if (repartition.shuffle && !repartition.by_range) node->partitions = repartition.partitions;
  Scope scope;
  scope.input = &child;
  if (child.select != nullptr) scope.fallback = &child.select->input();
  for (const auto& expression : repartition.expressions) {
    ExprPtr source =
        expression->kind == ExprKind::kSortOrder ? expression->As<plan::SortOrderExpr>().child : expression;
    FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(source, scope));
    FRAZIL_ASSIGN_OR_RETURN(typed, AddMissing(typed, &child));
    node->expressions.push_back(std::move(typed));
    scope.fallback = child.select != nullptr ? &child.select->input() : nullptr;
  }
  node->output = child.plan->output;
  node->child = child.plan;
  return OnTop(child, std::move(node));
}

Result<Relation> Analyzer::AnalyzeCollectMetrics(const plan::CollectMetricsPlan& metrics,
                                                 std::optional<int64_t> plan_id) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(metrics.child));
  auto node = std::make_shared<plan::CollectMetricsNode>();
  node->name = metrics.name;
  node->plan_id = plan_id.value_or(0);
  Scope scope;
  scope.input = &child;
  scope.allow_aggregates = true;
  FRAZIL_ASSIGN_OR_RETURN(auto sources, ExpandStars(metrics.metrics, child));
  for (const auto& source : sources) {
    FRAZIL_ASSIGN_OR_RETURN(auto item, AnalyzeSelectItem(source, scope));
    if (!ContainsKind(*item.expression, ExpressionKind::kAggregate) && !ReferencedColumns(*item.expression).empty()) {
      return Error::Of("INVALID_OBSERVED_METRICS.NON_AGGREGATE_FUNC_ARG_IS_ATTRIBUTE",
                       {{"expr", "\"" + item.expression->sql + "\""}});
    }
    node->metrics.push_back(item.expression);
    node->metric_names.push_back(item.attribute.name);
  }
  node->output = child.plan->output;
  node->child = child.plan;
  return OnTop(child, std::move(node));
}

Result<Relation> Analyzer::AnalyzeWithRelations(const plan::WithRelationsPlan& with_relations) {
  const Restored plans(&referenced_plans_, referenced_plans_);
  const Restored views(&referenced_views_, referenced_views_);
  for (const auto& reference : with_relations.references) {
    if (reference->plan_id) referenced_plans_[*reference->plan_id] = reference;
    if (reference->kind == plan::PlanKind::kSubqueryAlias) {
      referenced_views_[AsciiLower(reference->As<plan::SubqueryAliasPlan>().alias)] =
          reference->As<plan::SubqueryAliasPlan>().child;
    }
  }
  return AnalyzePlan(with_relations.root);
}

Result<Relation> Analyzer::AnalyzeSqlQuery(const plan::SqlQueryPlan& query) {
  const auto text = sql::SubstituteVariables(query.text, settings_.lookup);
  FRAZIL_ASSIGN_OR_RETURN(auto parsed,
                          sql::ParseStatement(text, WithParameters(context_.parser_options(), query.named_arguments,
                                                                   query.positional_arguments)));
  const Restored views(&referenced_views_, referenced_views_);
  for (const auto& reference : query.references) {
    if (reference->kind != plan::PlanKind::kSubqueryAlias) continue;
    referenced_views_[AsciiLower(reference->As<plan::SubqueryAliasPlan>().alias)] =
        reference->As<plan::SubqueryAliasPlan>().child;
  }
  const Restored own(&own_parameters_, true);
  const Restored named(&named_parameters_, query.named_arguments);
  const Restored positional(&positional_parameters_, query.positional_arguments);
  return AnalyzePlan(parsed);
}

}  // namespace frazil::analysis
