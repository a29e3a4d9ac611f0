#include "frazil/streaming/statements.h"

#include "frazil/analysis/analyzer.h"
#include "frazil/engine/engine.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"

namespace frazil::streaming {

using plan::LogicalPlan;
using plan::LogicalPlanPtr;

namespace {

plan::PlanPtr Relation(const std::string& id) {
  auto relation = std::make_shared<plan::CachedRelationPlan>();
  relation->relation_id = id;
  return relation;
}

}  // namespace

Attribute NewColumn(commands::CommandContext& context, std::string name, DataTypePtr type) {
  Attribute column;
  column.id = context.NextId();
  column.name = std::move(name);
  column.type = std::move(type);
  return column;
}

Statements::~Statements() {
  for (const auto& id : relations_) context_.DropCachedRelation(id);
}

plan::PlanPtr Statements::Put(LogicalPlanPtr plan) {
  relations_.push_back(context_.PutCachedRelation({std::move(plan)}));
  return Relation(relations_.back());
}

Result<plan::PlanPtr> Statements::Filter(plan::PlanPtr child, const std::string& condition) {
  auto filter = std::make_shared<plan::FilterPlan>();
  filter->child = std::move(child);
  FRAZIL_ASSIGN_OR_RETURN(filter->condition, Expr(condition));
  return plan::PlanPtr(filter);
}

Result<plan::PlanPtr> Statements::Select(plan::PlanPtr child, const std::vector<std::string>& items) {
  auto project = std::make_shared<plan::ProjectPlan>();
  project->child = std::move(child);
  FRAZIL_ASSIGN_OR_RETURN(project->expressions, Exprs(items));
  return plan::PlanPtr(project);
}

Result<plan::PlanPtr> Statements::Group(plan::PlanPtr child, const std::vector<std::string>& keys,
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

plan::PlanPtr Statements::UnionAll(plan::PlanPtr left, plan::PlanPtr right) {
  auto both = std::make_shared<plan::SetOperationPlan>();
  both->left = std::move(left);
  both->right = std::move(right);
  both->all = true;
  return both;
}

Result<plan::PlanPtr> Statements::Join(plan::PlanPtr left, plan::PlanPtr right, plan::JoinType type,
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

Result<LogicalPlanPtr> Statements::Run(const plan::PlanPtr& plan) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, analysis::AnalyzeRelation(plan, context_));
  return RunTyped(typed);
}

Result<LogicalPlanPtr> Statements::RunTyped(const LogicalPlanPtr& plan) {
  return engine::Materialize(context_.engine(), plan, context_.execution());
}

Result<plan::ExprPtr> Statements::Expr(const std::string& text) {
  return sql::ParseExpression(text, context_.parser_options());
}
Result<std::vector<plan::ExprPtr>> Statements::Exprs(const std::vector<std::string>& texts) {
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

int64_t RowCount(const LogicalPlan& rows) {
  int64_t count = 0;
  for (const auto& batch : rows.As<plan::ArrowRowsNode>().data->batches) count += batch.num_rows();
  return count;
}

std::string SameKeys(size_t keys) {
  if (keys == 0) return "true";
  std::string condition;
  for (size_t i = 0; i < keys; ++i) {
    const std::string name = "k" + std::to_string(i);
    condition += (i > 0 ? " AND " : "") + ("l." + name + " <=> r." + name);
  }
  return condition;
}

}  // namespace frazil::streaming
