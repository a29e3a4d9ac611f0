// Functions whose body is SQL (CREATE FUNCTION ... RETURN): in expressions and in FROM.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/name_scope_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;
using plan::FunctionExpr;

namespace {

Error WrongArgumentCount(const SqlFunction& function, size_t actual) {
  return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", QuoteIdentifier(SqlFunctionName(function))},
                                                         {"expectedNum", std::to_string(function.parameters.size())},
                                                         {"actualNum", std::to_string(actual)},
                                                         {"docroot", "https://spark.apache.org/docs/latest"}});
}

// What a failing cast of an argument or of the result gives.
EvalMode ModeOf(const SqlFunction& function, const functions::ExpressionSettings& settings) {
  return function.ansi.value_or(settings.ansi) ? EvalMode::kAnsi : EvalMode::kLegacy;
}

size_t CountUses(const Expression& body, AttributeId parameter) {
  size_t uses = 0;
  VisitExpression(body, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kColumn && part.As<ColumnExpression>().id == parameter) ++uses;
    // Each row of a subquery may use it.
    if (part.kind == ExpressionKind::kSubquery) uses += 2;
    return true;
  });
  return uses;
}

}  // namespace

template <typename Work>
auto Analyzer::InSqlFunction(const SqlFunction& function, Work&& work) -> decltype(work()) {
  const auto open = std::find(open_functions_.begin(), open_functions_.end(), function.name);
  if (open != open_functions_.end()) {
    std::string path;
    for (auto step = open; step != open_functions_.end(); ++step) path += *step + " -> ";
    return Error::Of("CYCLIC_FUNCTION_REFERENCE", {{"path", path + function.name}});
  }
  open_functions_.push_back(function.name);
  auto result = [&] {
    const Restored scopes(&scopes_, {});
    const Restored lambdas(&lambda_scopes_, {});
    const Restored ctes(&ctes_, {});
    const Restored windows(&named_windows_, {});
    const Restored subqueries(&subqueries_, {});
    const Restored catalog(&view_catalog_, function.full_name.empty() ? view_catalog_ : function.current_catalog);
    const Restored name_space(&view_namespace_,
                              function.full_name.empty() ? view_namespace_ : function.current_namespace);
    const Restored permanent(&permanent_function_, function.full_name.empty() ? permanent_function_ : &function);
    auto settings = settings_;
    settings.ansi = function.ansi.value_or(settings.ansi);
    const Restored own_settings(&settings_, settings);
    return work();
  }();
  open_functions_.pop_back();
  return result;
}

Result<std::vector<ExpressionPtr>> Analyzer::SqlFunctionArguments(const SqlFunction& function, const FunctionExpr& call,
                                                                  std::string* shown) {
  if (!function.class_name.empty()) {
    return Error::Of("CANNOT_LOAD_FUNCTION_CLASS", {{"className", function.class_name},
                                                    {"functionName", QuoteIdentifier(SqlFunctionName(function))}});
  }
  if (call.filter != nullptr || call.is_distinct || !call.within_group.empty() || call.ignore_nulls.has_value()) {
    const char* syntax = call.filter != nullptr       ? "FILTER clause"
                         : call.is_distinct           ? "DISTINCT"
                         : !call.within_group.empty() ? "WITHIN GROUP (ORDER BY ...)"
                                                      : "IGNORE NULLS";
    return Error::Of("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                     {{"prettyName", QuoteIdentifier(SqlFunctionName(function))}, {"syntax", syntax}});
  }
  if (function.full_name.empty()) FRAZIL_RETURN_IF_ERROR(CheckNothingTemporary("FUNCTION", function.name));
  std::vector<ExpressionPtr> arguments(function.parameters.size());
  *shown = function.name + "(";
  size_t position = 0;
  for (const auto& argument : call.arguments) {
    size_t index = position;
    ExprPtr value = argument;
    if (argument->kind == ExprKind::kNamedArgument) {
      const auto& named = argument->As<plan::NamedArgumentExpr>();
      value = named.value;
      index = 0;
      while (index < function.parameters.size() && !EqualsIgnoreCase(function.parameters[index].name, named.name))
        ++index;
      if (index < arguments.size() && arguments[index] != nullptr) {
        return Error::Of(index < position ? "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"
                                          : "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE",
                         {{"routineName", QuoteIdentifier(SqlFunctionName(function))},
                          {"parameterName", QuoteIdentifier(named.name)}});
      }
    } else {
      ++position;
    }
    if (index >= function.parameters.size()) return WrongArgumentCount(function, call.arguments.size());
    FRAZIL_ASSIGN_OR_RETURN(arguments[index], Analyze(value));
    *shown += (&argument == &call.arguments.front() ? "" : ", ") + arguments[index]->sql;
  }
  *shown += ")";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& parameter = function.parameters[i];
    if (arguments[i] == nullptr) {
      if (!parameter.default_text) return WrongArgumentCount(function, call.arguments.size());
      auto value = InSqlFunction(function, [&]() -> Result<ExpressionPtr> {
        FRAZIL_ASSIGN_OR_RETURN(auto parsed, ParseText(*parameter.default_text));
        const Scope nothing;
        return AnalyzeScalar(parsed, nothing);
      });
      if (!value.ok()) return std::move(value).error();
      arguments[i] = *std::move(value);
    }
    arguments[i] = MakeCast(arguments[i], parameter.type, ModeOf(function, settings_));
  }
  return arguments;
}

std::optional<SqlFunction> Analyzer::FindSqlFunction(const std::vector<std::string>& name) {
  if (name.size() != 1 || view_catalog_.empty()) return context_.FindSqlFunction(name);
  auto found = context_.FindSqlFunction(name);
  const bool is_temporary = found.has_value() && found->full_name.empty();
  const bool is_hidden = permanent_function_ != nullptr && !permanent_function_->is_being_created;
  if ((is_temporary && !is_hidden) || functions::FindFunction(AsciiLower(name[0])) != nullptr) return found;
  std::vector<std::string> qualified = {view_catalog_};
  qualified.insert(qualified.end(), view_namespace_.begin(), view_namespace_.end());
  qualified.push_back(name[0]);
  return context_.FindSqlFunction(qualified);
}

Status Analyzer::CheckNothingTemporary(const char* kind, const std::string& name) const {
  if (permanent_function_ == nullptr || !permanent_function_->is_being_created) return Status::Ok();
  const auto& full_name = permanent_function_->full_name;
  return Error::Of("INVALID_TEMP_OBJ_REFERENCE",
                   {{"obj", "FUNCTION"},
                    {"objName", QuoteIdentifier(std::vector<std::string>(full_name.begin() + 1, full_name.end()))},
                    {"tempObj", kind},
                    {"tempObjName", QuoteIdentifier(name)}});
}

// The body with the arguments in the place of the parameters.
Result<ExpressionPtr> Analyzer::AnalyzeSqlFunction(const SqlFunction& function, const FunctionExpr& call) {
  std::string shown;
  FRAZIL_ASSIGN_OR_RETURN(const auto arguments, SqlFunctionArguments(function, call, &shown));
  Relation parameters;
  std::map<AttributeId, ExpressionPtr> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto attribute = NewAttribute(function.parameters[i].name, function.parameters[i].type);
    attribute.qualifier = {SqlFunctionName(function).back()};
    parameters.output.push_back(attribute);
    values[attribute.id] = arguments[i];
  }
  auto rows = std::make_shared<plan::RowsNode>();
  rows->output = parameters.output;
  parameters.plan = rows;
  auto body = InSqlFunction(function, [&]() -> Result<ExpressionPtr> {
    Scope scope;
    scope.input = &parameters;
    if (function.body != nullptr) return AnalyzeScalar(function.body, scope);
    plan::SubqueryExpr subquery;
    subquery.plan = function.body_query;
    scopes_.push_back(&scope);
    auto typed = AnalyzeSubquery(subquery);
    scopes_.pop_back();
    return typed;
  });
  if (!body.ok()) return std::move(body).error();
  for (const auto& [id, value] : values) {
    // It would be computed once for each use instead of once for each call.
    if (IsNondeterministic(*value) && CountUses(**body, id) > 1) {
      return Error::Unsupported("the argument " + value->sql + " of " + function.name +
                                ", which is not deterministic and which the body uses more than once");
    }
  }
  auto result = SubstituteColumns(*body, values);
  if (function.return_type != nullptr) result = MakeCast(result, function.return_type, ModeOf(function, settings_));
  return WithSql(result, shown);
}

// The body is a query over its parameters: lateral to one row of them.
Result<Relation> Analyzer::AnalyzeSqlTableFunction(const SqlFunction& function, const FunctionExpr& call) {
  std::string shown;
  const Scope nothing;
  scopes_.push_back(&nothing);
  auto bound = SqlFunctionArguments(function, call, &shown);
  scopes_.pop_back();
  if (!bound.ok()) return std::move(bound).error();
  const std::string qualifier = SqlFunctionName(function).back();
  Relation parameters;
  for (const auto& parameter : function.parameters) {
    auto attribute = NewAttribute(parameter.name, parameter.type);
    attribute.qualifier = {qualifier};
    parameters.output.push_back(std::move(attribute));
  }
  parameters.plan = plan::MakeProject(plan::MakeOneRow(), *std::move(bound), parameters.output);
  auto body = InSqlFunction(function, [&]() -> Result<plan::LogicalPlanPtr> {
    Scope scope;
    scope.input = &parameters;
    scopes_.push_back(&scope);
    subqueries_.push_back({scopes_.size(), false});
    auto analyzed = AnalyzeRoot(function.body_query);
    subqueries_.pop_back();
    scopes_.pop_back();
    return analyzed;
  });
  if (!body.ok()) return std::move(body).error();
  Relation result = RelationOf(plan::MakeJoin(parameters.plan, *body, plan::JoinType::kInner, nullptr, true));
  result.output = (*body)->output;
  if (function.return_type != nullptr) {
    const auto& fields = function.return_type->fields();
    if (fields.size() != result.output.size()) {
      return Error::Of("USER_DEFINED_FUNCTIONS.RETURN_COLUMN_COUNT_MISMATCH",
                       {{"name", function.name},
                        {"outputSize", std::to_string(result.output.size())},
                        {"returnParamSize", std::to_string(fields.size())}});
    }
    std::vector<DataTypePtr> types;
    for (const auto& field : fields) types.push_back(field.type);
    result.plan = CastOutput(Exact(result), types);
    result.output = result.plan->output;
    for (size_t i = 0; i < types.size(); ++i) result.output[i].name = fields[i].name;
  }
  for (auto& attribute : result.output) attribute.qualifier = {qualifier};
  return result;
}

}  // namespace frazil::analysis
