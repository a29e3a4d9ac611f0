#include "frazil/engine/error_origins.h"

#include <cstdlib>
#include <functional>
#include <set>
#include <string_view>

#include <duckdb/common/error_data.hpp>
#include <duckdb/common/exception.hpp>
#include <duckdb/function/lambda_functions.hpp>
#include <duckdb/optimizer/optimizer_extension.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>
#include <duckdb/planner/expression/bound_case_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <duckdb/planner/expression_iterator.hpp>
#include <duckdb/planner/logical_operator_visitor.hpp>

#include "frazil/engine/statement_state.h"

namespace frazil::engine {
namespace {

constexpr const char* kOriginKey = "spark_origin";

// Of an origin that is not known.
constexpr duckdb::idx_t kUnknown = 0;

// Numbers begin above every offset in a text: parsed templates have such offsets as their locations.
constexpr duckdb::idx_t kFirstNumber = duckdb::idx_t{1} << 32;

bool IsOriginNumber(duckdb::optional_idx location) { return location.IsValid() && location.GetIndex() >= kFirstNumber; }

// Errors of the statement as a whole, wherever they come out.
bool IsOfNoPlace(duckdb::ExceptionType type) {
  return type == duckdb::ExceptionType::INTERRUPT || type == duckdb::ExceptionType::OUT_OF_MEMORY ||
         type == duckdb::ExceptionType::INTERNAL || type == duckdb::ExceptionType::FATAL;
}

// Small and without resources, so that std::function holds it in place: DuckDB copies it for every vector.
struct LocatedCall {
  const ErrorOrigins::LocatedFunction* located;

  void operator()(duckdb::DataChunk& input, duckdb::ExpressionState& state, duckdb::Vector& result) const {
    try {
      located->function(input, state, result);
    } catch (const std::exception& exception) {
      const duckdb::ErrorData error(exception);
      if (IsOfNoPlace(error.Type()) || error.ExtraInfo().count(kOriginKey) != 0) throw;
      auto info = error.ExtraInfo();
      info[kOriginKey] = located->number;
      throw duckdb::Exception(info, error.Type(), error.RawMessage());
    }
  }
};

// Exact arithmetic on one value: Spark has no hint for it, and no context.
bool IsOfExactArithmetic(const Error& error) {
  bool has_hint = true, is_exact = false;
  for (const auto& [name, value] : error.parameters) {
    if (name == "alternative") has_hint = !value.empty();
    if (name == "message") {
      is_exact = value == "integer overflow" || value == "long overflow" || value == "short overflow" ||
                 value == "byte overflow";
    }
  }
  return is_exact && !has_hint;
}

// Spark gives a context to the errors of expressions that support one (SupportQueryContext), and there only to these.
bool HasContext(const Error& error) {
  static const std::set<std::string_view> kConditions = {"ARITHMETIC_OVERFLOW",
                                                         "CAST_INVALID_INPUT",
                                                         "DIVIDE_BY_ZERO",
                                                         "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
                                                         "INTERVAL_DIVIDED_BY_ZERO",
                                                         "INVALID_ARRAY_INDEX",
                                                         "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                                                         "INVALID_INDEX_OF_ZERO",
                                                         "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                                                         "REMAINDER_BY_ZERO"};
  return kConditions.count(error.condition) != 0 &&
         (error.condition != "ARITHMETIC_OVERFLOW" || !IsOfExactArithmetic(error));
}

void AttachOrigins(duckdb::OptimizerExtensionInput& input, duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  if (const auto state = input.context.registered_state->Get<StatementState>(StatementState::kKey)) {
    state->origins.Attach(*plan);
  }
}

}  // namespace

void ErrorOrigins::Mark(duckdb::ParsedExpression& expression, const std::shared_ptr<const Origin>& origin) {
  if (IsOriginNumber(expression.GetQueryLocation())) return;
  if (origins_.back() != origin) origins_.push_back(origin);
  expression.SetQueryLocation(kFirstNumber + origins_.size() - 1);
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expression, [&](duckdb::unique_ptr<duckdb::ParsedExpression>& child) { Mark(*child, origin); });
}

void ErrorOrigins::Replace(duckdb::ParsedExpression& expression, Errors errors, Error named,
                           std::shared_ptr<const Origin> origin) {
  origins_.push_back(origins_[kUnknown]);
  const auto number = origins_.size() - 1;
  replacements_[number] = Replacement{errors, std::move(named), std::move(origin)};
  const std::function<void(duckdb::ParsedExpression&)> mark = [&](duckdb::ParsedExpression& part) {
    if (errors == Errors::kOverflow && IsOriginNumber(part.GetQueryLocation())) return;
    part.SetQueryLocation(kFirstNumber + number);
    duckdb::ParsedExpressionIterator::EnumerateChildren(
        part, [&](duckdb::unique_ptr<duckdb::ParsedExpression>& child) { mark(*child); });
  };
  mark(expression);
}

void ErrorOrigins::MarkAsUnknown(duckdb::ParsedExpression& call) { call.SetQueryLocation(kFirstNumber + kUnknown); }

void ErrorOrigins::AttachTo(duckdb::Expression& expression, duckdb::optional_idx outer) {
  const auto own = expression.GetQueryLocation();
  const auto location = IsOriginNumber(own) ? own : outer;
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_FUNCTION) {
    auto& call = expression.Cast<duckdb::BoundFunctionExpression>();
    auto& function = call.function.function;
    if (location.IsValid() && function != nullptr && function.target<LocatedCall>() == nullptr) {
      functions_.push_back({std::move(function), std::to_string(location.GetIndex() - kFirstNumber)});
      function = LocatedCall{&functions_.back()};
    }
    if (call.function.HasBindLambdaCallback() && call.bind_info != nullptr) {
      const auto& lambda = call.bind_info->Cast<duckdb::ListLambdaBindData>().lambda_expr;
      if (lambda != nullptr) AttachTo(*lambda, location);
    }
  }
  duckdb::ExpressionIterator::EnumerateChildren(expression,
                                                [&](duckdb::Expression& child) { AttachTo(child, location); });
}

void ErrorOrigins::LocateSubqueryCheck(duckdb::LogicalOperator& plan) {
  // CASE WHEN count > 1 THEN error(...) ELSE first END, over the aggregates, over the subquery.
  if (plan.type != duckdb::LogicalOperatorType::LOGICAL_PROJECTION || plan.expressions.size() != 1) return;
  if (plan.expressions[0]->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CASE) return;
  auto& checks = plan.expressions[0]->Cast<duckdb::BoundCaseExpression>().case_checks;
  if (checks.size() != 1 || checks[0].then_expr->GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION)
    return;
  auto& call = checks[0].then_expr->Cast<duckdb::BoundFunctionExpression>();
  if (call.function.name != "error" || IsOriginNumber(call.GetQueryLocation())) return;
  const duckdb::LogicalOperator* below = &plan;
  do {
    if (below->children.empty()) return;
    below = below->children[0].get();
  } while (below->type != duckdb::LogicalOperatorType::LOGICAL_PROJECTION);
  if (!below->expressions.empty()) call.SetQueryLocation(below->expressions[0]->GetQueryLocation());
}

void ErrorOrigins::Attach(duckdb::LogicalOperator& plan) {
  LocateSubqueryCheck(plan);
  duckdb::LogicalOperatorVisitor::EnumerateExpressions(
      plan, [&](duckdb::unique_ptr<duckdb::Expression>* expression) { AttachTo(**expression, {}); });
  for (auto& child : plan.children) Attach(*child);
}

Error ErrorOrigins::Locate(Error error, const duckdb::ErrorData& raised) const {
  const auto found = raised.ExtraInfo().find(kOriginKey);
  const auto number = found == raised.ExtraInfo().end() ? kUnknown : std::strtoull(found->second.c_str(), nullptr, 10);
  if (const auto replacement = replacements_.find(number); replacement != replacements_.end()) {
    const auto& [errors, named, origin] = replacement->second;
    const bool is_meant = errors == Errors::kAny || error.condition == "CAST_OVERFLOW" ||
                          error.condition == "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION";
    if (is_meant && error.kind == ErrorKind::kUser) return origin == nullptr ? named : AtOrigin(named, *origin);
  }
  if (error.condition == "SCALAR_SUBQUERY_TOO_MANY_ROWS") {
    // Of a correlated subquery it is an error of the rows.
    if (number == kUnknown) error.exception_class = ExceptionClass::kSparkRuntime;
    return AtOrigin(std::move(error), *origins_.at(number));
  }
  if (!HasContext(error)) return error;
  error = AtOrigin(std::move(error), *origins_.at(number));
  if (error.query_contexts.empty()) error.query_contexts.emplace_back();
  return error;
}

void RegisterErrorOrigins(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension extension;
  extension.pre_optimize_function = AttachOrigins;
  duckdb::OptimizerExtension::Register(config, extension);
}

}  // namespace frazil::engine
