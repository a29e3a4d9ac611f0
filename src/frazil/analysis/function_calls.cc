// Calls of functions and operators: which function a name means, its arguments, and what surrounds them (DISTINCT,
// FILTER, WITHIN GROUP).

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/lateral_alias_internal.h"
#include "frazil/analysis/partition_functions.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/internal_functions.h"
#include "frazil/plan/file_metadata.h"

namespace frazil::analysis {

using functions::FunctionCall;
using functions::FunctionClass;
using functions::FunctionDefinition;
using plan::ExprKind;
using plan::ExprPtr;
using plan::FunctionExpr;

namespace {

// Stands for a lambda until the types of its parameters are known.
ExpressionPtr LambdaToCome() {
  auto to_come = std::make_shared<LambdaExpression>();
  to_come->body = MakeNull(DataType::Null());
  to_come->type = DataType::Null();
  to_come->sql = "lambdafunction()";
  return to_come;
}

const Expression* AsStructField(const Expression& expression) {
  return expression.kind == ExpressionKind::kCall && expression.As<CallExpression>().function == "get_field"
             ? &expression
             : nullptr;
}

Error UnsupportedSyntax(const std::string& name, const char* syntax) {
  return Error::Of("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                   {{"prettyName", QuoteIdentifier(name)}, {"syntax", syntax}});
}

}  // namespace

std::string Analyzer::FunctionName(const std::vector<std::string>& name) {
  if (name.size() == 1) return AsciiLower(name[0]);
  if (name.size() == 3 && EqualsIgnoreCase(name[0], "system") &&
      (EqualsIgnoreCase(name[1], "builtin") || EqualsIgnoreCase(name[1], "session"))) {
    return AsciiLower(name[2]);
  }
  if (name.size() == 2 && EqualsIgnoreCase(name[0], "builtin")) return AsciiLower(name[1]);
  return {};
}

Error Analyzer::UnresolvedRoutine(const std::vector<std::string>& name) const {
  // A name of more parts than the session catalog's functions have.
  if (name.size() > 2 && !context_.HasCatalog(name[0]) && !EqualsIgnoreCase(name[0], "system")) {
    const Error nested = TableNotFound(name);
    if (nested.condition == "REQUIRES_SINGLE_PART_NAMESPACE") return nested;
  }
  std::vector<std::string> current{context_.current_catalog()};
  const auto name_space = context_.current_namespace();
  current.insert(current.end(), name_space.begin(), name_space.end());
  return Error::Of("UNRESOLVED_ROUTINE",
                   {{"routineName", QuoteIdentifier(name)},
                    {"searchPath", "[`system`.`builtin`, `system`.`session`, " + QuoteIdentifier(current) + "]"}});
}

Result<ExpressionPtr> Analyzer::AnalyzeFunction(const FunctionExpr& call) {
  const std::string name = FunctionName(call.name);
  const bool for_window = std::exchange(in_window_function_, false);
  if (!call.is_operator) {
    if (const auto function = FindSqlFunction(call.name)) {
      if (function->returns_table)
        return Error::Of("NOT_A_SCALAR_FUNCTION", {{"functionName", QuoteIdentifier(SqlFunctionName(*function))}});
      if (function->body != nullptr && function->body->kind == ExprKind::kPythonFunction) {
        // spark.udf.register: the arguments are those of the call.
        if (call.filter != nullptr) return UnsupportedSyntax(name, "FILTER clause");
        if (call.is_distinct) return UnsupportedSyntax(name, "DISTINCT");
        if (!call.within_group.empty()) return UnsupportedSyntax(name, "WITHIN GROUP (ORDER BY ...)");
        if (call.ignore_nulls.has_value()) return UnsupportedSyntax(name, "IGNORE NULLS");
        auto python = std::make_shared<plan::PythonFunctionExpr>(function->body->As<plan::PythonFunctionExpr>());
        python->arguments = call.arguments;
        return Analyze(python);
      }
      return AnalyzeSqlFunction(*function, call);
    }
  }
  if (const auto transform = FindPartitionFunction(call.name, context_)) {
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, AnalyzeAll(call.arguments));
    return BindPartitionFunction(*transform, std::move(arguments));
  }
  if (name == "struct") return AnalyzeStruct(call);
  if (name == "window" || name == "session_window") return FindTimeWindow(call, name);
  if (name == "window_time" && call.arguments.size() == 1) {
    // The last instant of a window, whose end is outside of it.
    FRAZIL_ASSIGN_OR_RETURN(auto window, Analyze(call.arguments[0]));
    FRAZIL_ASSIGN_OR_RETURN(auto end, ExtractField(window, "end"));
    Attribute unnamed;
    unnamed.name = "end";
    const auto micros = plan::MakeFunctionExpr("unix_micros", {MakeTypedExpr(unnamed, end)});
    const auto last =
        plan::MakeFunctionExpr("-", {micros, plan::MakeLiteralExpr(DataType::Long(), Value(int64_t{1}))}, {}, true);
    FRAZIL_ASSIGN_OR_RETURN(auto time, Analyze(plan::MakeFunctionExpr("timestamp_micros", {last})));
    return WithSql(time, "window_time(" + window->sql + ")");
  }
  if (name == "grouping" || name == "grouping_id" || name == "grouping__id") {
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, AnalyzeAll(call.arguments));
    if (name == "grouping" && arguments.size() != 1) {
      return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`grouping`"},
                                                             {"expectedNum", "1"},
                                                             {"actualNum", std::to_string(arguments.size())},
                                                             {"docroot", "https://spark.apache.org/docs/latest"}});
    }
    auto grouping = MakeCall(name == "grouping" ? "grouping" : "grouping_id", std::move(arguments),
                             name == "grouping" ? DataType::Byte() : DataType::Long(), false);
    return name == "grouping__id" ? WithSql(grouping, name) : grouping;
  }
  if (name == "input_file_name" && call.arguments.empty()) {
    // The scan's own column, as a URI; queries without files have none, and then the function gives an empty text.
    const auto file = plan::MakeAttributeExpr({plan::kFilePathColumn});
    if (Analyze(file).ok()) {
      const auto text = [](const char* value) { return plan::MakeLiteralExpr(DataType::String(), Value(value)); };
      const auto is_local = plan::MakeFunctionExpr("startswith", {file, text("/")});
      const auto uri = plan::MakeFunctionExpr("concat", {text("file://"), file});
      FRAZIL_ASSIGN_OR_RETURN(auto found, Analyze(plan::MakeFunctionExpr("when", {is_local, uri, file}, {}, true)));
      return WithSql(found, "input_file_name()");
    }
  }
  if ((name == "input_file_block_start" || name == "input_file_block_length") && call.arguments.empty()) {
    // A file is read as one block.
    const std::string field = name.substr(std::string_view("input_").size());
    auto found = Analyze(plan::MakeAttributeExpr({plan::kFileMetadataColumn, field}));
    if (found.ok()) return WithSql(*found, name + "()");
  }
  const FunctionDefinition* definition = name.empty() ? nullptr : functions::FindFunction(name);
  if (definition == nullptr && call.is_internal) definition = functions::FindInternalFunction(name);
  if (definition == nullptr) return UnresolvedRoutine(call.name);
  switch (definition->function_class) {
    case FunctionClass::kTable:
      return Error::Of("NOT_A_SCALAR_FUNCTION", {{"functionName", QuoteIdentifier(call.name)}});
    case FunctionClass::kGenerator: {
      FRAZIL_ASSIGN_OR_RETURN(auto prepared, PrepareCall(call, definition));
      std::string sql = name + "(";
      for (size_t i = 0; i < prepared.arguments.size(); ++i) sql += (i > 0 ? ", " : "") + prepared.arguments[i]->sql;
      return Error::Of("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", {{"expression", "\"" + sql + ")\""}});
    }
    case FunctionClass::kWindow:
      if (!for_window) {
        FRAZIL_ASSIGN_OR_RETURN(auto prepared, PrepareCall(call, definition));
        std::string sql = name + "(";
        for (size_t i = 0; i < prepared.arguments.size(); ++i) sql += (i > 0 ? ", " : "") + prepared.arguments[i]->sql;
        return Error::Of("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", {{"funcName", "\"" + sql + ")\""}});
      }
      break;
    case FunctionClass::kScalar:
    case FunctionClass::kAggregate:
      break;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto prepared, PrepareCall(call, definition));
  FRAZIL_ASSIGN_OR_RETURN(auto bound, BindCall(call, *definition, std::move(prepared)));
  if (definition->function_class == FunctionClass::kAggregate && !for_window) {
    if (const auto alias = LateralAliasIn({bound})) {
      return Error::Of("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC",
                       {{"lca", QuoteIdentifier(*alias)}, {"aggFunc", "\"" + bound->sql + "\""}});
    }
  }
  return bound;
}

Result<FunctionCall> Analyzer::PrepareCall(const FunctionExpr& call, const FunctionDefinition* definition) {
  FunctionCall prepared;
  prepared.name = FunctionName(call.name);
  prepared.distinct = call.is_distinct;
  prepared.ignore_nulls = call.ignore_nulls;
  prepared.settings = &settings_;
  // DataFrame operators are calls by name, and show as such.
  prepared.is_operator = call.is_operator && call.origin.text != nullptr;
  std::vector<ExprPtr> arguments = call.arguments;
  for (auto& argument : arguments) {
    // F.count(F.expr("*")): the text may be a star.
    if (argument->kind != ExprKind::kSqlText) continue;
    FRAZIL_ASSIGN_OR_RETURN(argument, ParseText(argument->As<plan::SqlTextExpr>().text));
  }
  if (prepared.name == "count" && arguments.size() == 1 && arguments[0]->kind == ExprKind::kStar) {
    const auto& star = arguments[0]->As<plan::StarExpr>();
    if (star.target.empty() && star.except.empty() && !call.is_distinct) {
      // count(*) counts rows: count(1).
      arguments = {plan::MakeLiteralExpr(DataType::Integer(), Value(1), call.origin)};
    } else if (!star.target.empty() && !call.is_distinct) {
      const auto setting = settings_.lookup
                               ? settings_.lookup("spark.sql.legacy.allowStarWithSingleTableIdentifierInCount")
                               : std::nullopt;
      if (setting.value_or("false") != "true")
        return Error::Of("_LEGACY_ERROR_TEMP_1021", {{"targetString", Join(star.target, ".")}});
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(arguments, ExpandStarArguments(arguments));
  const bool has_names = std::any_of(arguments.begin(), arguments.end(), [](const ExprPtr& argument) {
    return argument->kind == ExprKind::kNamedArgument;
  });
  if (has_names && definition != nullptr) {
    FunctionExpr named = call;
    named.arguments = arguments;
    FRAZIL_ASSIGN_OR_RETURN(arguments, OrderNamedArguments(named, *definition));
  }
  for (const auto& argument : arguments) {
    if (argument == nullptr) {
      prepared.arguments.push_back(nullptr);
      continue;
    }
    if (argument->kind == ExprKind::kLambda) {
      if (definition != nullptr && definition->lambda_types == nullptr) {
        return Error::Of("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", {{"class", prepared.name}});
      }
      prepared.arguments.push_back(LambdaToCome());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto typed, Analyze(argument));
      prepared.arguments.push_back(std::move(typed));
    }
    prepared.argument_names.emplace_back();
  }
  FRAZIL_ASSIGN_OR_RETURN(prepared.within_group, AnalyzeSortKeys(call.within_group));
  if (definition != nullptr && definition->lambda_types != nullptr) {
    const bool has_lambda = std::any_of(arguments.begin(), arguments.end(),
                                        [](const ExprPtr& argument) { return argument->kind == ExprKind::kLambda; });
    if (has_lambda) {
      FRAZIL_ASSIGN_OR_RETURN(auto types, definition->lambda_types(prepared));
      for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i]->kind != ExprKind::kLambda) continue;
        if (i >= types.size() || types[i].empty()) {
          return Error::Of("INVALID_LAMBDA_FUNCTION_CALL.PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION");
        }
        FRAZIL_ASSIGN_OR_RETURN(prepared.arguments[i], AnalyzeLambda(arguments[i]->As<plan::LambdaExpr>(), types[i]));
      }
    }
  }
  const bool is_higher_order = std::any_of(arguments.begin(), arguments.end(), [](const ExprPtr& argument) {
    return argument != nullptr && argument->kind == ExprKind::kLambda;
  });
  for (const auto& argument : prepared.arguments) {
    if (is_higher_order && ContainsKind(*argument, ExpressionKind::kSubquery))
      return Error::Of("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION");
  }
  return prepared;
}

Result<ExpressionPtr> Analyzer::BindCall(const FunctionExpr& call, const FunctionDefinition& definition,
                                         FunctionCall bound) {
  if (call.filter != nullptr && definition.function_class != FunctionClass::kAggregate)
    return UnsupportedSyntax(bound.name, "FILTER clause");
  FRAZIL_ASSIGN_OR_RETURN(auto typed, functions::BindFunction(definition, bound));
  if (call.filter == nullptr) return typed;
  FRAZIL_ASSIGN_OR_RETURN(auto filter, Analyze(call.filter));
  if (filter->type->id() == TypeId::kNull) filter = MakeCast(filter, DataType::Boolean(), settings_.eval_mode());
  if (filter->type->id() != TypeId::kBoolean) {
    return Error::Of("INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", {{"filterExpr", "\"" + filter->sql + "\""}});
  }
  if (ContainsKind(*filter, ExpressionKind::kAggregate)) {
    return Error::Of("INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE",
                     {{"filterExpr", "\"" + filter->sql + "\""}, {"aggExpr", "\"" + filter->sql + "\""}});
  }
  if (ContainsKind(*filter, ExpressionKind::kWindow)) {
    return Error::Of("INVALID_AGGREGATE_FILTER.CONTAINS_WINDOW_FUNCTION",
                     {{"filterExpr", "\"" + filter->sql + "\""}, {"windowExpr", "\"" + filter->sql + "\""}});
  }
  const std::string suffix = " FILTER (WHERE " + filter->sql + ")";
  auto filtered = TransformExpression(typed, [&](const ExpressionPtr& part) -> ExpressionPtr {
    if (part->kind != ExpressionKind::kAggregate) return nullptr;
    auto copy = std::make_shared<AggregateExpression>(part->As<AggregateExpression>());
    copy->filter = filter;
    copy->sql += suffix;
    return copy;
  });
  return WithSql(filtered, typed->sql + suffix);
}

Result<std::vector<ExprPtr>> Analyzer::ExpandStarArguments(const std::vector<ExprPtr>& arguments) {
  std::vector<ExprPtr> expanded;
  for (const auto& argument : arguments) {
    if (argument->kind != ExprKind::kStar && argument->kind != ExprKind::kRegexColumn) {
      expanded.push_back(argument);
      continue;
    }
    if (scopes_.empty() || scopes_.back()->input == nullptr) {
      return Error::Of("INVALID_USAGE_OF_STAR_OR_REGEX", {{"elem", "'*'"}, {"prettyName", "expression"}});
    }
    FRAZIL_ASSIGN_OR_RETURN(auto columns, ExpandStars({argument}, *scopes_.back()->input));
    expanded.insert(expanded.end(), columns.begin(), columns.end());
  }
  return expanded;
}

Result<std::vector<ExprPtr>> Analyzer::OrderNamedArguments(const FunctionExpr& call,
                                                           const FunctionDefinition& definition) {
  const auto routine = QuoteIdentifier(call.name);
  const auto& parameters = definition.parameter_names;
  if (parameters.empty()) return Error::Of("NAMED_PARAMETERS_NOT_SUPPORTED", {{"functionName", routine}});
  std::vector<ExprPtr> ordered(parameters.size());
  std::string last_named;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& argument = call.arguments[i];
    if (argument->kind != ExprKind::kNamedArgument) {
      if (!last_named.empty()) {
        return Error::Of("UNEXPECTED_POSITIONAL_ARGUMENT",
                         {{"routineName", routine}, {"parameterName", QuoteIdentifier(last_named)}});
      }
      if (i >= ordered.size()) ordered.resize(i + 1);
      ordered[i] = argument;
      continue;
    }
    const auto& named = argument->As<plan::NamedArgumentExpr>();
    last_named = named.name;
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& name) { return EqualsIgnoreCase(name, named.name); });
    if (found == parameters.end()) {
      const auto similar = MostSimilar(named.name, parameters, 5);
      std::string proposal;
      for (const auto& name : similar) proposal += (proposal.empty() ? "" : ", ") + QuoteIdentifier(name);
      return Error::Of(
          "UNRECOGNIZED_PARAMETER_NAME",
          {{"routineName", routine}, {"argumentName", QuoteIdentifier(named.name)}, {"proposal", proposal}});
    }
    auto& slot = ordered[static_cast<size_t>(found - parameters.begin())];
    if (slot != nullptr) {
      const bool twice = slot->kind == ExprKind::kNamedArgument;
      return Error::Of(twice ? "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE"
                             : "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED",
                       {{"routineName", routine}, {"parameterName", QuoteIdentifier(named.name)}});
    }
    slot = argument;
  }
  while (!ordered.empty() && ordered.back() == nullptr) ordered.pop_back();
  for (size_t i = 0; i < ordered.size(); ++i) {
    if (ordered[i] == nullptr) {
      // The function knows what stands for one that it can do without.
      if (i >= static_cast<size_t>(definition.min_arguments)) continue;
      return Error::Of(
          "REQUIRED_PARAMETER_NOT_FOUND",
          {{"routineName", routine}, {"parameterName", QuoteIdentifier(parameters[i])}, {"index", std::to_string(i)}});
    }
    if (ordered[i]->kind == ExprKind::kNamedArgument) ordered[i] = ordered[i]->As<plan::NamedArgumentExpr>().value;
  }
  return ordered;
}

Result<ExpressionPtr> Analyzer::AnalyzeStruct(const FunctionExpr& call) {
  FRAZIL_ASSIGN_OR_RETURN(auto sources, ExpandStarArguments(call.arguments));
  std::vector<ExpressionPtr> arguments;
  std::vector<StructField> fields;
  // (a, b) shows as the function that it stands for.
  const auto& origin = call.origin;
  const bool is_row = call.is_operator && origin.text != nullptr && origin.start >= 0 &&
                      static_cast<size_t>(origin.start) < origin.text->size() &&
                      (*origin.text)[static_cast<size_t>(origin.start)] == '(';
  std::string sql = is_row ? "named_struct(" : "struct(";
  for (size_t i = 0; i < sources.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto typed, Analyze(sources[i]));
    std::string name = "col" + std::to_string(i + 1);
    if (sources[i]->kind == ExprKind::kAlias) {
      name = sources[i]->As<plan::AliasExpr>().names[0];
    } else if (const auto* column = AsTypedExpr(*sources[i])) {
      name = column->name[0];
    } else if (typed->kind == ExpressionKind::kColumn) {
      name = typed->As<ColumnExpression>().name;
    } else if (typed->kind == ExpressionKind::kLambdaVariable) {
      name = typed->As<LambdaVariableExpression>().name;
    } else if (AsStructField(*typed) != nullptr) {
      name = typed->sql.substr(typed->sql.rfind('.') + 1);
    }
    sql += (i > 0 ? ", " : "") + (is_row ? name + ", " : std::string()) + typed->sql;
    fields.emplace_back(name, typed->type, typed->nullable);
    arguments.push_back(MakeLiteral(DataType::String(), Value(name)));
    arguments.push_back(std::move(typed));
  }
  if (arguments.empty()) {
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`struct`"},
                                                           {"expectedNum", "> 0"},
                                                           {"actualNum", "0"},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  auto type = DataType::Struct(std::move(fields));
  return MakeCall("named_struct", std::move(arguments), type, false, EvalMode::kAnsi, sql + ")");
}

}  // namespace frazil::analysis
