#pragma once

// Walks over typed expressions and plans that the analysis needs in many places.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"
#include "frazil/plan/logical_plan.h"

namespace frazil::analysis {

/// Parents first: where `replace` returns an expression, it stands in the place of the old one and is not looked into.
/// A changed child keeps its parents' `sql`.
ExpressionPtr TransformExpression(const ExpressionPtr& expression,
                                  const std::function<ExpressionPtr(const ExpressionPtr&)>& replace);
Result<ExpressionPtr> TryTransformExpression(const ExpressionPtr& expression,
                                             const std::function<Result<ExpressionPtr>(const ExpressionPtr&)>& replace);

/// Two expressions mean the same exactly if these texts are equal. Ids of lambda variables and `sql` play no part.
std::string MeaningOf(const Expression& expression);

bool ContainsKind(const Expression& expression, ExpressionKind kind);
/// Ids of the columns that an expression uses, also those that subqueries in it take from outside.
std::vector<AttributeId> ReferencedColumns(const Expression& expression);
/// Ids that a plan takes from around it: outer columns that no node inside puts out.
std::vector<AttributeId> OuterReferences(const plan::LogicalPlan& plan);
/// A function whose value differs from call to call: rand, uuid, monotonically_increasing_id, ...
bool IsNondeterministic(const Expression& expression);

/// Puts `columns` in the place of column references by id, also inside subqueries' plans (as outer references).
ExpressionPtr SubstituteColumns(const ExpressionPtr& expression, const std::map<AttributeId, ExpressionPtr>& columns);

/// The type with STRING in the place of CHAR and VARCHAR at every level.
DataTypePtr StringsWithoutLength(const DataTypePtr& type);

/// The plan with `replacement` in the place of `old` (compared by address); only below nodes with one input.
plan::LogicalPlanPtr ReplaceNode(const plan::LogicalPlanPtr& plan, const plan::LogicalPlanPtr& old,
                                 const plan::LogicalPlanPtr& replacement);

}  // namespace frazil::analysis
