#include <algorithm>

#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/parser/expression/subquery_expression.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>
#include <duckdb/parser/tableref/joinref.hpp>

#include "frazil/engine/lowering.h"

namespace frazil::engine {
namespace {

bool HasSubquery(const duckdb::ParsedExpression& expression) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::SUBQUERY) return true;
  bool found = false;
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::ParsedExpression& child) { found = found || HasSubquery(child); });
  return found;
}

// Whether an expression uses columns of an outer query and else only those named.
bool IsCorrelatedOnly(const Expression& expression, const std::vector<Attribute>& columns) {
  bool has_outer = false, has_other = false;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kSubquery) has_other = true;
    if (part.kind != ExpressionKind::kColumn) return true;
    const auto& column = part.As<ColumnExpression>();
    has_outer = has_outer || column.is_outer;
    has_other = has_other || (!column.is_outer && std::none_of(columns.begin(), columns.end(),
                                                               [&](const Attribute& a) { return a.id == column.id; }));
    return true;
  });
  return has_outer && !has_other;
}

// Takes the parts of an outer join's condition that compare only the side without rows of its own kept with an outer
// query: DuckDB cannot decorrelate them in the join, but as a filter below it.
void TakeCorrelated(const ExpressionPtr& condition, const std::vector<Attribute>& columns,
                    std::vector<ExpressionPtr>* taken, std::vector<ExpressionPtr>* rest) {
  if (condition->kind == ExpressionKind::kCall && condition->As<CallExpression>().function == "and") {
    for (const auto& part : condition->As<CallExpression>().arguments) TakeCorrelated(part, columns, taken, rest);
    return;
  }
  (IsCorrelatedOnly(*condition, columns) ? taken : rest)->push_back(condition);
}

duckdb::JoinType ToDuckDb(plan::JoinType type) {
  switch (type) {
    case plan::JoinType::kInner:
    case plan::JoinType::kCross:
      return duckdb::JoinType::INNER;
    case plan::JoinType::kLeftOuter:
      return duckdb::JoinType::LEFT;
    case plan::JoinType::kRightOuter:
      return duckdb::JoinType::RIGHT;
    case plan::JoinType::kFullOuter:
      return duckdb::JoinType::OUTER;
    case plan::JoinType::kLeftSemi:
      return duckdb::JoinType::SEMI;
    case plan::JoinType::kLeftAnti:
      return duckdb::JoinType::ANTI;
  }
  return duckdb::JoinType::INNER;
}

}  // namespace

Result<Block> Lowering::LowerJoin(const plan::JoinNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto left, LowerPlan(*node.left));
  FRAZIL_ASSIGN_OR_RETURN(auto right, LowerPlan(*node.right));
  LoweredExpression condition;
  const bool is_left = node.type == plan::JoinType::kLeftOuter, is_right = node.type == plan::JoinType::kRightOuter;
  std::vector<ExpressionPtr> taken, rest;
  if (node.condition != nullptr && (is_left || is_right) && !node.is_lateral)
    TakeCorrelated(node.condition, (is_left ? node.right : node.left)->output, &taken, &rest);
  if (!taken.empty()) {
    Block& side = is_left ? right : left;
    side = Wrap(std::move(side));
    for (const auto& part : taken) {
      FRAZIL_ASSIGN_OR_RETURN(auto filter, Lower(*part));
      side.where.push_back(std::move(filter));
    }
    for (const auto& part : rest) {
      FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(*part));
      condition = condition == nullptr
                      ? std::move(lowered)
                      : LoweredExpression(duckdb::make_uniq<duckdb::ConjunctionExpression>(
                            duckdb::ExpressionType::CONJUNCTION_AND, std::move(condition), std::move(lowered)));
    }
  } else if (node.condition != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(condition, Lower(*node.condition));
  }
  const bool one_sided = node.type == plan::JoinType::kLeftSemi || node.type == plan::JoinType::kLeftAnti;
  const bool inner = node.type == plan::JoinType::kInner || node.type == plan::JoinType::kCross;
  std::vector<std::string> columns = left.columns;
  if (!one_sided) columns.insert(columns.end(), right.columns.begin(), right.columns.end());

  if (one_sided && condition == nullptr) {
    // Semi without a condition: whether the right side has any row.
    condition = ConstantOf(duckdb::Value::BOOLEAN(true));
  }
  if (one_sided && (HasSubquery(*condition) || condition->GetExpressionClass() == duckdb::ExpressionClass::CONSTANT)) {
    // DuckDB's join conditions cannot hold these; EXISTS can.
    Block exists = Open(std::move(right));
    exists.where.push_back(std::move(condition));
    auto subquery = duckdb::make_uniq<duckdb::SubqueryExpression>();
    subquery->subquery_type = duckdb::SubqueryType::EXISTS;
    subquery->subquery = duckdb::make_uniq<duckdb::SelectStatement>();
    subquery->subquery->node = ToQueryNode(std::move(exists));
    Block block = Wrap(std::move(left));
    LoweredExpression found = std::move(subquery);
    if (node.type == plan::JoinType::kLeftAnti) {
      found = duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_NOT, std::move(found));
    }
    block.where.push_back(std::move(found));
    return block;
  }

  auto join = duckdb::make_uniq<duckdb::JoinRef>();
  join->type = ToDuckDb(node.type);
  join->left = ToTableRef(std::move(left));
  join->right = ToTableRef(std::move(right));
  if (inner && (condition == nullptr || HasSubquery(*condition) || node.is_lateral)) {
    join->ref_type = duckdb::JoinRefType::CROSS;
    Block block = FromTable(std::move(join), std::move(columns));
    if (condition != nullptr) block.where.push_back(std::move(condition));
    return block;
  }
  join->condition = condition != nullptr ? std::move(condition) : ConstantOf(duckdb::Value::BOOLEAN(true));
  return FromTable(std::move(join), std::move(columns));
}

}  // namespace frazil::engine
