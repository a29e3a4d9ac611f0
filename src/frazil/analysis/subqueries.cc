// Scalar, EXISTS and IN subqueries, correlated or not.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/functions/common_type.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {
namespace {

// Names of the columns that a subquery takes from around it, in the order in which they stand.
void CollectOuterNames(const plan::LogicalPlan& plan, const std::vector<AttributeId>& outer,
                       std::vector<std::string>* names) {
  for (const auto& expression : plan::NodeExpressions(plan)) {
    VisitExpression(*expression, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kColumn &&
          std::find(outer.begin(), outer.end(), part.As<ColumnExpression>().id) != outer.end()) {
        const auto& name = part.As<ColumnExpression>().name;
        if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
      }
      if (part.kind == ExpressionKind::kSubquery) {
        CollectOuterNames(static_cast<const plan::LogicalPlan&>(*part.As<SubqueryExpression>().plan), outer, names);
      }
      return true;
    });
  }
  for (const auto& input : plan::Inputs(plan)) CollectOuterNames(*input, outer, names);
}

std::string SubqueryText(const char* kind, const plan::LogicalPlan& plan) {
  std::vector<std::string> names;
  CollectOuterNames(plan, OuterReferences(plan), &names);
  std::string text = std::string(kind) + "(";
  for (size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + ")";
}

}  // namespace

Result<ExpressionPtr> Analyzer::AnalyzeSubquery(const plan::SubqueryExpr& subquery) {
  plan::PlanPtr source = subquery.plan;
  if (source == nullptr) {
    const auto found = subquery.plan_id ? referenced_plans_.find(*subquery.plan_id) : referenced_plans_.end();
    if (found == referenced_plans_.end()) return Error::Internal("A subquery refers to a plan that was not sent.");
    source = found->second;
  }
  subqueries_.push_back({scopes_.size(), false});
  auto lambdas = std::exchange(lambda_scopes_, {});
  auto relation = AnalyzeRoot(source);
  lambda_scopes_ = std::move(lambdas);
  const bool is_correlated = subqueries_.back().is_correlated;
  subqueries_.pop_back();
  if (!relation.ok()) return std::move(relation).error();
  auto plan = *std::move(relation);
  if (subquery.subquery_kind == SubqueryKind::kIn) return MakeInSubquery(subquery, std::move(plan), is_correlated);

  auto typed = std::make_shared<SubqueryExpression>();
  typed->subquery_kind = subquery.subquery_kind;
  typed->is_correlated = is_correlated;
  if (subquery.subquery_kind == SubqueryKind::kExists) {
    typed->type = DataType::Boolean();
    typed->nullable = false;
    typed->sql = SubqueryText("exists", *plan);
  } else {
    if (plan->output.size() != 1) {
      return Error::Of("INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
                       {{"number", std::to_string(plan->output.size())}});
    }
    typed->type = plan->output[0].type;
    typed->nullable = true;
    typed->sql = SubqueryText("scalarsubquery", *plan);
  }
  typed->plan = std::move(plan);
  return ExpressionPtr(std::move(typed));
}

Result<ExpressionPtr> Analyzer::MakeInSubquery(const plan::SubqueryExpr& subquery, plan::LogicalPlanPtr plan,
                                               bool is_correlated) {
  FRAZIL_ASSIGN_OR_RETURN(auto values, AnalyzeAll(subquery.values));
  if (values.size() == 1 && values[0]->type->id() == TypeId::kStruct && plan->output.size() > 1) {
    // (a, b) IN (SELECT ...): a struct is compared column by column.
    const auto whole = values[0];
    values.clear();
    if (whole->kind == ExpressionKind::kCall && whole->As<CallExpression>().function == "named_struct") {
      const auto& members = whole->As<CallExpression>().arguments;
      for (size_t i = 1; i < members.size(); i += 2) values.push_back(members[i]);
    } else {
      for (const auto& field : whole->type->fields()) {
        FRAZIL_ASSIGN_OR_RETURN(auto member, ExtractField(whole, field.name));
        values.push_back(std::move(member));
      }
    }
  }
  const std::string query_text = SubqueryText("listquery", *plan);
  std::string left_text;
  for (size_t i = 0; i < values.size(); ++i) left_text += (i > 0 ? ", " : "") + values[i]->sql;
  if (values.size() > 1) left_text = "named_struct(" + left_text + ")";
  const std::string sql = "(" + left_text + " IN (" + query_text + "))";
  const auto list = [](const auto& items, const auto& text) {
    std::string joined;
    for (const auto& item : items) joined += (joined.empty() ? "" : ", ") + ("\"" + text(item) + "\"");
    return joined;
  };
  if (values.size() != plan->output.size()) {
    return Error::Of("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
                     {{"sqlExpr", "\"" + sql + "\""},
                      {"leftLength", std::to_string(values.size())},
                      {"leftColumns", list(values, [](const ExpressionPtr& value) { return value->sql; })},
                      {"rightLength", std::to_string(plan->output.size())},
                      {"rightColumns", list(plan->output, [](const Attribute& column) { return column.name; })}});
  }
  std::vector<DataTypePtr> types;
  bool nullable = false;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& right = plan->output[i];
    auto type = values[i]->type->EqualsIgnoreNullability(*right.type)
                    ? right.type
                    : functions::WiderType(values[i]->type, right.type, settings_.ansi);
    if (type == nullptr) {
      return Error::Of("DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH",
                       {{"sqlExpr", "\"" + sql + "\""},
                        {"mismatchedColumns", "(\"" + values[i]->sql + "\":\"" + values[i]->type->Sql() + "\", \"" +
                                                  right.name + "\":\"" + right.type->Sql() + "\")"},
                        {"leftType", list(values, [](const ExpressionPtr& value) { return value->type->Sql(); })},
                        {"rightType", list(plan->output, [](const Attribute& column) { return column.type->Sql(); })}});
    }
    nullable = nullable || values[i]->nullable || right.nullable;
    values[i] = MakeCast(values[i], type, settings_.eval_mode());
    types.push_back(std::move(type));
  }
  auto typed = std::make_shared<SubqueryExpression>();
  typed->subquery_kind = SubqueryKind::kIn;
  typed->values = std::move(values);
  typed->plan = CastOutput(plan, types);
  typed->is_correlated = is_correlated;
  typed->type = DataType::Boolean();
  typed->nullable = nullable;
  typed->sql = sql;
  return ExpressionPtr(std::move(typed));
}

}  // namespace frazil::analysis
