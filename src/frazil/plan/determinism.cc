#include "frazil/plan/determinism.h"

#include <algorithm>
#include <array>

#include "frazil/expressions/python_call.h"

namespace frazil::plan {
namespace {

constexpr std::array<std::string_view, 14> kNondeterministic = {"rand",
                                                                "randn",
                                                                "random",
                                                                "uuid",
                                                                "shuffle",
                                                                "monotonically_increasing_id",
                                                                "spark_partition_id",
                                                                "randstr",
                                                                "uniform",
                                                                "input_file_name",
                                                                "sample",
                                                                "reflect",
                                                                "aes_encrypt",
                                                                kNondeterministicPythonFunction};

bool CallsNondeterministicFunctionIn(const LogicalPlan& plan) {
  const auto expressions = NodeExpressions(plan);
  const auto inputs = Inputs(plan);
  return std::any_of(expressions.begin(), expressions.end(),
                     [](const ExpressionPtr& expression) { return CallsNondeterministicFunction(*expression); }) ||
         std::any_of(inputs.begin(), inputs.end(),
                     [](const LogicalPlanPtr& input) { return CallsNondeterministicFunctionIn(*input); });
}

bool IsDeterministicExpression(const Expression& expression) {
  bool found = false;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kCall)
      found = found || IsNondeterministicFunction(part.As<CallExpression>().function);
    if (part.kind == ExpressionKind::kSubquery)
      found = found || !IsDeterministic(static_cast<const LogicalPlan&>(*part.As<SubqueryExpression>().plan));
    return !found;
  });
  return !found;
}

}  // namespace

bool IsNondeterministicFunction(std::string_view name) {
  return std::find(kNondeterministic.begin(), kNondeterministic.end(), name) != kNondeterministic.end();
}

bool CallsNondeterministicFunction(const Expression& expression) {
  bool found = false;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kCall)
      found = found || IsNondeterministicFunction(part.As<CallExpression>().function);
    if (part.kind == ExpressionKind::kSubquery)
      found = found ||
              CallsNondeterministicFunctionIn(static_cast<const LogicalPlan&>(*part.As<SubqueryExpression>().plan));
    return !found;
  });
  return found;
}

bool IsDeterministic(const LogicalPlan& plan) {
  const auto inputs = Inputs(plan);
  const bool chooses_rows =
      plan.kind == LogicalKind::kSample || plan.kind == LogicalKind::kLimit || plan.kind == LogicalKind::kTail;
  if (chooses_rows && (inputs.empty() || inputs[0]->kind != LogicalKind::kSort)) return false;
  const auto expressions = NodeExpressions(plan);
  return std::all_of(expressions.begin(), expressions.end(),
                     [](const ExpressionPtr& expression) { return IsDeterministicExpression(*expression); }) &&
         std::all_of(inputs.begin(), inputs.end(), [](const LogicalPlanPtr& input) { return IsDeterministic(*input); });
}

}  // namespace frazil::plan
