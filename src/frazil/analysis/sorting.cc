// WHERE, ORDER BY, LIMIT. Conditions and sort keys may use columns below the projection: these become hidden columns of
// it.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/generator_errors_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/common_type.h"
#include "frazil/functions/constant.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

namespace {

bool IsAvailable(const Expression& expression, const plan::LogicalPlan& plan, const std::vector<AttributeId>& own) {
  if (ContainsKind(expression, ExpressionKind::kAggregate) || ContainsKind(expression, ExpressionKind::kWindow))
    return false;
  for (const AttributeId id : own) {
    const bool there = std::any_of(plan.output.begin(), plan.output.end(),
                                   [&](const Attribute& attribute) { return attribute.id == id; });
    if (!there) return false;
  }
  return true;
}

// The columns of the expression that its own plan (not one around it) puts out.
std::vector<AttributeId> OwnColumns(const Expression& expression, const Relation& below) {
  std::vector<AttributeId> ids;
  for (const AttributeId id : ReferencedColumns(expression)) {
    const auto& output = below.plan->output;
    if (std::any_of(output.begin(), output.end(), [&](const Attribute& attribute) { return attribute.id == id; }))
      ids.push_back(id);
  }
  return ids;
}

}  // namespace

Error Analyzer::UngroupedAbove(Error error, const Relation& relation) const {
  if (error.condition != "MISSING_AGGREGATION" && error.condition != "MISSING_GROUP_BY") return error;
  std::vector<std::string> names;
  for (const auto& column : relation.output) names.push_back(QuoteIdentifier(column.name));
  std::string wanted = error.parameters.empty() ? std::string("column") : error.parameters[0].second;
  if (wanted.size() >= 2 && wanted.front() == '"') wanted = wanted.substr(1, wanted.size() - 2);
  return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                   {{"objectName", QuoteIdentifier(wanted)}, {"proposal", Join(names, ", ")}});
}

Result<ExpressionPtr> Analyzer::AddMissing(const ExpressionPtr& expression, Relation* relation) {
  if (relation->select == nullptr) return expression;
  const bool has_grouping = relation->select->is_aggregate() && ContainsKind(*expression, ExpressionKind::kCall);
  const auto below = OwnColumns(*expression, relation->select->input());
  if (!has_grouping && IsAvailable(*expression, *relation->plan, below)) return expression;
  if (IsAvailable(*expression, *relation->plan, below)) {
    bool grouping_call = false;
    VisitExpression(*expression, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kCall) {
        const auto& name = part.As<CallExpression>().function;
        grouping_call = grouping_call || name == "grouping" || name == "grouping_id";
      }
      return true;
    });
    if (!grouping_call) return expression;
  }
  auto stage = std::make_shared<SelectStage>(*relation->select);
  auto hidden = stage->AddHidden(expression, !relation->select_is_distinct);
  if (!hidden.ok()) return UngroupedAbove(std::move(hidden).error(), *relation);
  const auto attribute = *hidden;
  if (!attribute) {
    std::vector<std::string> names;
    for (const auto& column : relation->output) names.push_back(QuoteIdentifier(column.name));
    std::string wanted;
    VisitExpression(*expression, [&](const Expression& part) {
      if (wanted.empty() && part.kind == ExpressionKind::kColumn) wanted = part.As<ColumnExpression>().name;
      return true;
    });
    if (wanted.empty()) wanted = expression->sql;
    return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                     {{"objectName", QuoteIdentifier(wanted)}, {"proposal", Join(names, ", ")}});
  }
  auto root = stage->Build();
  relation->plan = ReplaceNode(relation->plan, relation->select_root, root);
  relation->select_root = std::move(root);
  relation->select = std::move(stage);
  return WithSql(MakeColumn(*attribute), expression->sql);
}

Result<Relation> Analyzer::AnalyzeFilter(const plan::FilterPlan& filter) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(filter.child));
  return WithTimeWindows(&child, [&]() -> Result<Relation> {
    Relation filtered = child;
    Scope scope;
    scope.input = &child;
    if (child.select != nullptr) scope.fallback = &child.select->input();
    auto analyzed = AnalyzeFilterCondition(filter.condition, scope, "Filter");
    if (!analyzed.ok()) {
      const Error& error = analyzed.error();
      const bool is_whole =
          filter.origin.text != nullptr &&
          (error.condition == "INVALID_WHERE_CONDITION" || error.condition == "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN");
      // The fault of the filter, not of a part of its condition.
      if (is_whole) return At(Error::Of(error.condition, error.parameters), filter.origin);
      return OutsideOfSelect(error, "'Filter");
    }
    auto condition = *std::move(analyzed);
    FRAZIL_ASSIGN_OR_RETURN(condition, At(AddMissing(condition, &filtered), filter.condition->origin));
    return OnTop(filtered, plan::MakeFilter(filtered.plan, std::move(condition)));
  });
}

namespace {

// ORDER BY computes no IN or EXISTS over queries, and no scalar ones that depend on the row.
Status RefuseSubqueries(const Expression& expression) {
  const char* refused = nullptr;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind != ExpressionKind::kSubquery) return refused == nullptr;
    const auto& subquery = part.As<SubqueryExpression>();
    if (subquery.subquery_kind != SubqueryKind::kScalar) {
      refused = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_IN_EXISTS_SUBQUERY";
    } else if (subquery.is_correlated) {
      refused = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY";
    }
    return refused == nullptr;
  });
  if (refused == nullptr) return Status::Ok();
  return Error::Of(refused, {{"treeNode", "Sort [" + expression.sql + "]"}});
}

}  // namespace

Result<Relation> Analyzer::AnalyzeSort(const plan::SortPlan& sort) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(sort.child));
  std::vector<SortKey> keys;
  if (sort.order_by_all) {
    for (const auto& attribute : child.output) {
      keys.push_back({MakeColumn(attribute), sort.all_ascending, sort.all_nulls_first.value_or(sort.all_ascending)});
    }
    return OnTop(child, plan::MakeSort(child.plan, std::move(keys)));
  }
  Scope scope;
  scope.allow_aggregates = true;
  scope.allow_windows = true;
  for (const auto& item : sort.order_by) {
    SortKey key;
    ExprPtr source = item;
    if (item->kind == ExprKind::kSortOrder) {
      const auto& order = item->As<plan::SortOrderExpr>();
      source = order.child;
      key.ascending = order.ascending;
      key.nulls_first = order.nulls_first.value_or(order.ascending);
    }
    if (source->kind == ExprKind::kSqlText) {
      FRAZIL_ASSIGN_OR_RETURN(source, ParseText(source->As<plan::SqlTextExpr>().text));
    }
    if (source->kind == ExprKind::kLiteral && source->As<plan::LiteralExpr>().type->id() == TypeId::kInteger &&
        !source->As<plan::LiteralExpr>().value.is_null()) {
      const auto setting = settings_.lookup ? settings_.lookup("spark.sql.orderByOrdinal") : std::nullopt;
      if (setting.value_or("true") == "true") {
        const int64_t position = source->As<plan::LiteralExpr>().value.integer();
        if (position < 1 || position > static_cast<int64_t>(child.output.size())) {
          return At(Error::Of("ORDER_BY_POS_OUT_OF_RANGE",
                              {{"index", std::to_string(position)}, {"size", std::to_string(child.output.size())}}),
                    source->origin);
        }
        key.expression = MakeColumn(child.output[static_cast<size_t>(position - 1)]);
        keys.push_back(std::move(key));
        continue;
      }
    }
    scope.input = &child;
    // Held here: AddMissing may give the child another stage.
    const auto stage = child.select;
    scope.fallback = stage != nullptr ? &stage->input() : nullptr;
    auto analyzed = AnalyzeScalar(source, scope);
    // What does not fit the columns of SELECT may fit those below.
    if (!analyzed.ok() && scope.fallback != nullptr) {
      Scope below = scope;
      below.input = scope.fallback;
      below.fallback = &child;
      auto second = AnalyzeScalar(source, below);
      if (second.ok()) analyzed = std::move(second);
    }
    if (!analyzed.ok()) return OutsideOfSelect(std::move(analyzed).error(), "Sort");
    const auto typed = *std::move(analyzed);
    if (Status refused = RefuseSubqueries(*typed); !refused.ok()) return At(std::move(refused).error(), source->origin);
    if (!functions::IsOrderable(*typed->type)) {
      return At(Error::Of("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                          {{"sqlExpr", "\"" + typed->sql + (key.ascending ? " ASC" : " DESC") +
                                           (key.nulls_first ? " NULLS FIRST" : " NULLS LAST") + "\""},
                           {"functionName", "`sortorder`"},
                           {"dataType", "\"" + typed->type->Sql() + "\""}}),
                source->origin);
    }
    FRAZIL_ASSIGN_OR_RETURN(key.expression, At(AddMissing(typed, &child), source->origin));
    keys.push_back(std::move(key));
  }
  // Sorting within partitions has no meaning beside a global sort; rows may come sorted all the same.
  return OnTop(child, plan::MakeSort(child.plan, std::move(keys)));
}

Result<int64_t> Analyzer::LimitValue(const ExprPtr& expression, const char* name, const Relation& child) {
  Scope scope;
  scope.input = &child;
  auto analyzed = AnalyzeScalar(expression, scope);
  if (!analyzed.ok()) return OutsideOfSelect(std::move(analyzed).error(), "LocalLimit");
  const auto typed = *std::move(analyzed);
  const std::string shown = "\"" + typed->sql + "\"";
  if (!functions::IsFoldable(*typed)) {
    return At(Error::Of("INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", {{"name", name}, {"expr", shown}}),
              expression->origin);
  }
  const auto id = typed->type->id();
  if (id != TypeId::kInteger && id != TypeId::kShort && id != TypeId::kByte && id != TypeId::kNull) {
    return At(Error::Of("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE",
                        {{"name", name}, {"expr", shown}, {"dataType", "\"" + typed->type->Sql() + "\""}}),
              expression->origin);
  }
  Value value;
  if (auto constant = functions::ConstantValue(*typed)) {
    value = *constant;
  } else {
    FRAZIL_ASSIGN_OR_RETURN(value, context_.EvaluateConstant(typed));
  }
  if (value.is_null())
    return At(Error::Of("INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", {{"name", name}, {"expr", shown}}),
              expression->origin);
  if (value.integer() < 0) {
    return At(Error::Of("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                        {{"name", name}, {"expr", shown}, {"v", std::to_string(value.integer())}}),
              expression->origin);
  }
  return value.integer();
}

Result<Relation> Analyzer::AnalyzeLimit(const plan::PlanPtr& child_plan, const ExprPtr& limit, const char* name) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(child_plan));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t value, LimitValue(limit, name, child));
  const std::string_view kind = name;
  if (kind == "tail") {
    auto node = std::make_shared<plan::TailNode>();
    node->output = child.plan->output;
    node->child = child.plan;
    node->limit = value;
    return OnTop(child, std::move(node));
  }
  if (kind == "offset") return OnTop(child, plan::MakeLimit(child.plan, std::nullopt, value));
  // LIMIT right above OFFSET: one node.
  if (child.plan->kind == plan::LogicalKind::kLimit && !child.plan->As<plan::LimitNode>().limit) {
    const auto& below = child.plan->As<plan::LimitNode>();
    return OnTop(child, plan::MakeLimit(below.child, value, below.offset));
  }
  return OnTop(child, plan::MakeLimit(child.plan, value));
}

}  // namespace frazil::analysis
