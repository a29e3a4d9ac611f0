#include <duckdb/parser/expression/case_expression.hpp>
#include <duckdb/parser/expression/comparison_expression.hpp>
#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>

#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/functions/order_key.h"

namespace frazil::engine {
namespace {

using duckdb::ExpressionType;

Implementation Conjunction(ExpressionType type) {
  return Build(
      [type](LoweringContext&, const CallExpression&, LoweredArguments arguments) -> Result<LoweredExpression> {
        // One flat list of conditions: DuckDB looks for what OR's sides have in common (join keys) one level deep only.
        LoweredArguments conditions;
        for (auto& argument : arguments) {
          if (argument->GetExpressionType() != type) {
            conditions.push_back(std::move(argument));
            continue;
          }
          auto& inner = argument->Cast<duckdb::ConjunctionExpression>().children;
          if (conditions.empty()) {
            conditions = std::move(inner);
          } else {
            for (auto& condition : inner) conditions.push_back(std::move(condition));
          }
        }
        return LoweredExpression(duckdb::make_uniq<duckdb::ConjunctionExpression>(type, std::move(conditions)));
      });
}

// Strings of the case-blind collation compare by their lower-case form. Others are refused by name: a bytewise
// comparison would be wrong.
Result<LoweredExpression> ComparisonKey(const DataType& type, LoweredExpression value) {
  if (!type.IsString() || type.collation().empty() || type.collation() == "UTF8_BINARY") return value;
  if (type.collation() == "UTF8_LCASE") return CallOf("lower", std::move(value));
  return Error::Unsupported("comparisons under the collation " + type.collation());
}

Implementation Comparison(ExpressionType type, bool orders = false) {
  return Build([type, orders](LoweringContext&, const CallExpression& call,
                              LoweredArguments arguments) -> Result<LoweredExpression> {
    FRAZIL_ASSIGN_OR_RETURN(auto left, ComparisonKey(*call.arguments[0]->type, std::move(arguments[0])));
    FRAZIL_ASSIGN_OR_RETURN(auto right, ComparisonKey(*call.arguments[1]->type, std::move(arguments[1])));
    if (orders) {
      left = OrderKeyOf(*call.arguments[0]->type, std::move(left));
      right = OrderKeyOf(*call.arguments[1]->type, std::move(right));
    }
    return LoweredExpression(duckdb::make_uniq<duckdb::ComparisonExpression>(type, std::move(left), std::move(right)));
  });
}

Implementation Operator(ExpressionType type) {
  return Build(
      [type](LoweringContext&, const CallExpression&, LoweredArguments arguments) -> Result<LoweredExpression> {
        return LoweredExpression(duckdb::make_uniq<duckdb::OperatorExpression>(type, std::move(arguments)));
      });
}

// add, subtract, multiply: decimals and intervals have kernels of their own; under ANSI numbers use DuckDB's checked
// operator.
Implementation Checked(const std::string& name, const std::string& symbol, const std::string& suffix) {
  return Build(
      [=](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        const TypeId type = call.type->id();
        if (type == TypeId::kDecimal) return LowerDecimalOperation(name, *call.type, call.mode, std::move(arguments));
        if (call.type->IsAnsiInterval() && call.mode != EvalMode::kTry)
          return CallOf("spark_" + name + "_interval", std::move(arguments));
        if (suffix.empty() || type == TypeId::kFloat || type == TypeId::kDouble || type == TypeId::kCalendarInterval) {
          return CallOf(symbol, std::move(arguments));
        }
        return CallOf("spark_" + name + suffix, std::move(arguments));
      });
}

// divide, remainder, pmod, div: an error or NULL where the divisor is zero.
Implementation ZeroChecked(const std::string& name, const std::string& kernel) {
  return Build(
      [=](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        if (call.arguments[0]->type->id() == TypeId::kDecimal)
          return LowerDecimalOperation(name, *call.type, call.mode, std::move(arguments));
        return CallOf(kernel, std::move(arguments));
      });
}

Implementation Sign(const std::string& name, const std::string& suffix, bool absolute) {
  return Build(
      [=](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        const TypeId type = call.type->id();
        if (type == TypeId::kDecimal || type == TypeId::kCalendarInterval) {
          return CallOf(absolute ? "abs" : "-", std::move(arguments));
        }
        return CallOf("spark_" + name + suffix, std::move(arguments));
      });
}

}  // namespace

void RegisterOperators(FunctionLoweringRegistry& registry) {
  registry.AddScalar("and", Conjunction(ExpressionType::CONJUNCTION_AND));
  registry.AddScalar("or", Conjunction(ExpressionType::CONJUNCTION_OR));
  registry.AddScalar("not", Operator(ExpressionType::OPERATOR_NOT));
  registry.AddScalar("equal", Comparison(ExpressionType::COMPARE_EQUAL));
  registry.AddScalar("not_equal", Comparison(ExpressionType::COMPARE_NOTEQUAL));
  registry.AddScalar("less", Comparison(ExpressionType::COMPARE_LESSTHAN, true));
  registry.AddScalar("less_or_equal", Comparison(ExpressionType::COMPARE_LESSTHANOREQUALTO, true));
  registry.AddScalar("greater", Comparison(ExpressionType::COMPARE_GREATERTHAN, true));
  registry.AddScalar("greater_or_equal", Comparison(ExpressionType::COMPARE_GREATERTHANOREQUALTO, true));
  registry.AddScalar("null_safe_equal", Comparison(ExpressionType::COMPARE_NOT_DISTINCT_FROM));

  registry.AddScalar("add",
                     ByMode(Checked("add", "+", "_legacy"), Checked("add", "+", ""), Checked("add", "+", "_try")));
  registry.AddScalar("subtract", ByMode(Checked("subtract", "-", "_legacy"), Checked("subtract", "-", ""),
                                        Checked("subtract", "-", "_try")));
  registry.AddScalar("multiply", ByMode(Checked("multiply", "*", "_legacy"), Checked("multiply", "*", ""),
                                        Checked("multiply", "*", "_try")));
  registry.AddScalar(
      "divide", NullOrError(ZeroChecked("divide", "spark_divide_null"), ZeroChecked("divide", "spark_divide_error")));
  registry.AddScalar("remainder", NullOrError(ZeroChecked("remainder", "spark_remainder_null"),
                                              ZeroChecked("remainder", "spark_remainder_error")));
  registry.AddScalar("pmod",
                     NullOrError(ZeroChecked("pmod", "spark_pmod_null"), ZeroChecked("pmod", "spark_pmod_error")));
  registry.AddScalar("div", ByMode(ZeroChecked("div", "spark_div_legacy"), ZeroChecked("div", "spark_div_ansi"),
                                   ZeroChecked("div", "spark_div_try")));
  registry.AddScalar("negative", ByMode(Sign("negative", "_legacy", false), Sign("negative", "_ansi", false),
                                        Sign("negative", "_try", false)));
  registry.AddScalar("abs",
                     ByMode(Sign("abs", "_legacy", true), Sign("abs", "_ansi", true), Sign("abs", "_try", true)));
  registry.AddScalar("positive", Template("$1"));
  registry.AddKernels(RegisterArithmeticKernels);
}

}  // namespace frazil::engine
