#include "frazil/engine/functions/kernel_arguments.h"

#include <duckdb/execution/expression_executor.hpp>

#include "frazil/engine/functions/kernel_error.h"

namespace frazil::engine {

duckdb::vector<duckdb::Value> ConstantArguments(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments,
                                                size_t count) {
  if (arguments.size() < count) ThrowSparkError(Error::Internal("Too few arguments for the kernel " + function.name));
  duckdb::vector<duckdb::Value> values;
  const size_t first = arguments.size() - count;
  for (size_t i = first; i < arguments.size(); ++i) {
    if (!arguments[i]->IsFoldable())
      ThrowSparkError(Error::Internal("An argument of the kernel " + function.name + " must be constant"));
    values.push_back(duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i]));
    if (i < function.arguments.size()) function.arguments[i] = arguments[i]->return_type;
  }
  return values;
}

}  // namespace frazil::engine
