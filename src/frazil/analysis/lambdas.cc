// Lambda functions and their variables.

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/python_functions_internal.h"
#include "frazil/base/text.h"

namespace frazil::analysis {

namespace {

// Aggregates and window functions run over rows, of which the variables of a lambda function are no part.
Status CheckNoAggregate(const Expression& body) {
  Status status;
  VisitExpression(body, [&](const Expression& part) {
    const bool is_window = part.kind == ExpressionKind::kWindow;
    if (!status.ok() || (!is_window && part.kind != ExpressionKind::kAggregate)) return status.ok();
    VisitExpression(part, [&](const Expression& inner) {
      if (inner.kind == ExpressionKind::kLambdaVariable) {
        status = Error::Unsupported(std::string(is_window ? "Window" : "Aggregate") +
                                    " functions over the variables of a lambda function");
      }
      return status.ok();
    });
    return status.ok();
  });
  return status;
}

}  // namespace

ExpressionPtr Analyzer::FindLambdaVariable(const std::string& name) const {
  for (auto scope = lambda_scopes_.rbegin(); scope != lambda_scopes_.rend(); ++scope) {
    const auto found = scope->find(settings_.case_sensitive ? name : AsciiLower(name));
    if (found != scope->end()) return found->second;
  }
  return nullptr;
}

Result<ExpressionPtr> Analyzer::AnalyzeLambda(const plan::LambdaExpr& lambda,
                                              const std::vector<StructField>& parameters) {
  if (lambda.parameters.size() > parameters.size()) {
    return At(Error::Of("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                        {{"expectedNumArgs", std::to_string(lambda.parameters.size())},
                         {"actualNumArgs", std::to_string(parameters.size())}}),
              lambda.origin);
  }
  auto typed = std::make_shared<LambdaExpression>();
  std::map<std::string, ExpressionPtr> names;
  for (size_t i = 0; i < lambda.parameters.size(); ++i) {
    auto variable = std::make_shared<LambdaVariableExpression>();
    variable->id = context_.NextId();
    variable->name = lambda.parameters[i];
    variable->type = parameters[i].type;
    variable->nullable = parameters[i].nullable;
    variable->sql = "namedlambdavariable()";
    const auto key = settings_.case_sensitive ? variable->name : AsciiLower(variable->name);
    if (!names.emplace(key, variable).second) {
      std::string all;
      for (const auto& parameter : lambda.parameters) all += (all.empty() ? "" : ", ") + QuoteIdentifier(parameter);
      return At(Error::Of("INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES",
                          {{"args", all}, {"caseSensitiveConfig", "\"spark.sql.caseSensitive\""}}),
                lambda.origin);
    }
    typed->parameters.push_back(variable);
  }
  lambda_scopes_.push_back(std::move(names));
  auto body = Analyze(lambda.body);
  lambda_scopes_.pop_back();
  if (!body.ok()) return std::move(body).error();
  FRAZIL_RETURN_IF_ERROR(CheckNoPythonCall(**body));
  FRAZIL_RETURN_IF_ERROR(CheckNoAggregate(**body));
  typed->body = *body;
  typed->type = typed->body->type;
  typed->nullable = typed->body->nullable;
  typed->sql = "lambdafunction(" + typed->body->sql;
  for (size_t i = 0; i < typed->parameters.size(); ++i) typed->sql += ", namedlambdavariable()";
  typed->sql += ")";
  return ExpressionPtr(std::move(typed));
}

}  // namespace frazil::analysis
