#pragma once

// Calls of the user's Python functions. Internal to analysis/.

#include <functional>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"
#include "frazil/plan/unresolved_expression.h"
#include "frazil/sql/parser.h"

namespace frazil::analysis {

/// Makes collect_list(struct(arguments)).
using CollectRows = std::function<Result<ExpressionPtr>(std::vector<ExpressionPtr> arguments)>;

/// The call of a function: scalar (pickled values, Arrow, pandas), an aggregate (over the collected rows of a group),
/// or one over all rows of a batch or a group, whose value is an array of rows. `sources` are the arguments as written,
/// for their names, `arguments` the same typed. Other kinds of Python functions are an error Unsupported.
Result<ExpressionPtr> MakePythonCall(const plan::PythonFunctionExpr& function,
                                     const std::vector<plan::ExprPtr>& sources, std::vector<ExpressionPtr> arguments,
                                     const sql::ParserOptions& options, const CollectRows& collect);

/// UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_PYTHON_UDF where the body of a lambda calls a Python function.
Status CheckNoPythonCall(const Expression& lambda_body);

}  // namespace frazil::analysis
