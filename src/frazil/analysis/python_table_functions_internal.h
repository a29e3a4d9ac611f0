#pragma once

// Calls of table functions written in Python, as plans of what there is already. Internal to analysis/.

#include <functional>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"
#include "frazil/plan/unresolved_plan.h"

namespace frazil::analysis {

/// What the plan of a call asks of the analyzer.
struct TableFunctionScope {
  std::function<Result<ExpressionPtr>(const plan::ExprPtr&)> analyze_argument;
  std::function<Result<std::vector<Attribute>>(const plan::PlanPtr&)> columns_of;
};

/// SELECT inline(f(arguments)); with TABLE(query): SELECT inline(f(collect_list(row), arguments)) FROM query GROUP BY
/// the partition. A function without a return type is asked for it (analyze). Errors:
/// TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS, TABLE_VALUED_FUNCTION_FAILED_TO_ANALYZE_IN_PYTHON,
/// TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INCOMPATIBLE_WITH_CALL.
Result<plan::PlanPtr> PlanPythonTableFunction(const PythonTableFunction& function,
                                              const std::vector<plan::ExprPtr>& arguments,
                                              const TableFunctionScope& scope, AnalysisContext& context);

}  // namespace frazil::analysis
