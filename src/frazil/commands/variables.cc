#include <algorithm>
#include <utility>

#include "frazil/analysis/bound_parameters.h"
#include "frazil/base/text.h"
#include "frazil/commands/run_command.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parameter_markers.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

Error NoVariable(const std::vector<std::string>& name) {
  return Error::Of("UNRESOLVED_VARIABLE",
                   {{"variableName", QuoteIdentifier(name)}, {"searchPath", "`SYSTEM`.`SESSION`"}});
}

/// A variable's name may have "session" or "system.session" in front.
Result<std::string> VariableName(const std::vector<std::string>& name) {
  bool plain = name.size() == 1 || (name.size() == 2 && EqualsIgnoreCase(name[0], "session")) ||
               (name.size() == 3 && EqualsIgnoreCase(name[0], "system") && EqualsIgnoreCase(name[1], "session"));
  if (!plain) {
    std::vector<std::string> qualifier(name.begin(), name.end() - 1);
    return Error::Of("UNRESOLVED_VARIABLE",
                     {{"variableName", QuoteIdentifier(name)}, {"searchPath", "`SYSTEM`.`SESSION`"}});
  }
  return name.back();
}

/// A variable that a statement sets: one of the script that it stands in, else one of the session.
struct Target {
  analysis::SessionVariable variable;
  analysis::SessionVariable* local = nullptr;
};

Result<Target> FindTarget(const std::vector<std::string>& name, CommandContext& context) {
  if (const auto found = context.FindLocalVariable(name); found.variable != nullptr && found.parts == name.size())
    return Target{*found.variable, found.variable};
  FRAZIL_ASSIGN_OR_RETURN(const auto plain, VariableName(name));
  auto variable = context.FindVariable(plain);
  if (!variable.has_value()) return NoVariable(name);
  return Target{*std::move(variable), nullptr};
}

void Put(Target target, CommandContext& context) {
  if (target.local != nullptr) {
    target.local->value = std::move(target.variable.value);
  } else {
    context.PutVariable(std::move(target.variable));
  }
}

/// DECLARE in a script: the innermost scope gets the variable.
Status CheckLocalName(const plan::VariableCommand& command, const std::vector<std::string>& name,
                      const analysis::LocalScope& scope) {
  if (name.size() > 1)
    return Error::Of("INVALID_VARIABLE_DECLARATION.QUALIFIED_LOCAL_VARIABLE", {{"varName", QuoteIdentifier(name)}});
  if (command.or_replace)
    return Error::Of("INVALID_VARIABLE_DECLARATION.REPLACE_LOCAL_VARIABLE", {{"varName", QuoteIdentifier(name)}});
  for (const auto& other : scope.variables) {
    if (!EqualsIgnoreCase(other.name, name[0])) continue;
    return Error::Of("VARIABLE_ALREADY_EXISTS",
                     {{"variableName", QuoteIdentifier({scope.label, AsciiLower(name[0])})}});
  }
  return {};
}

Result<RowSet> Declare(const plan::VariableCommand& command, CommandContext& context) {
  const bool is_local = !context.local_scopes.empty();
  for (auto name = command.names.begin(); name != command.names.end(); ++name) {
    const bool is_repeated = std::any_of(
        command.names.begin(), name, [&](const auto& other) { return EqualsIgnoreCase(other.back(), name->back()); });
    if (is_repeated) {
      return Error::Of("DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE",
                       {{"variableName", QuoteIdentifier(AsciiLower(name->back()))}});
    }
  }
  for (const auto& name : command.names) {
    if (is_local) FRAZIL_RETURN_IF_ERROR(CheckLocalName(command, name, context.local_scopes.back()));
    FRAZIL_ASSIGN_OR_RETURN(auto plain, VariableName(name));
    if (!is_local && context.FindVariable(plain).has_value() && !command.or_replace) {
      return Error::Of("VARIABLE_ALREADY_EXISTS",
                       {{"variableName", "`system`.`session`." + QuoteIdentifier(AsciiLower(plain))}});
    }
    analysis::SessionVariable variable;
    variable.name = plain;
    variable.type = command.data_type;
    if (command.value != nullptr) {
      if (variable.type == nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(auto typed, analysis::AnalyzeExpression(command.value, {}, context));
        variable.type = typed->type;
      }
      FRAZIL_ASSIGN_OR_RETURN(variable.value, analysis::AnalyzeConstant(command.value, variable.type, context));
    }
    if (is_local) {
      context.local_scopes.back().variables.push_back(std::move(variable));
    } else {
      context.PutVariable(std::move(variable));
    }
  }
  return NoRows();
}

Result<RowSet> Assign(const plan::VariableCommand& command, CommandContext& context) {
  std::vector<Target> variables;
  std::vector<std::string> seen;
  for (const auto& name : command.names) {
    FRAZIL_ASSIGN_OR_RETURN(auto target, FindTarget(name, context));
    const std::string& plain = name.back();
    for (const auto& other : seen) {
      if (EqualsIgnoreCase(other, plain))
        return Error::Of("DUPLICATE_ASSIGNMENTS", {{"nameList", QuoteIdentifier(AsciiLower(plain))}});
    }
    seen.push_back(plain);
    variables.push_back(std::move(target));
  }
  if (command.query != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto query, analysis::AnalyzeRelation(command.query, context));
    if (query->output.size() != variables.size()) {
      return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(variables.size())},
                                                     {"numExpr", std::to_string(query->output.size())}});
    }
    std::vector<ExpressionPtr> casts;
    std::vector<Attribute> output;
    for (size_t i = 0; i < variables.size(); ++i) {
      Attribute attribute = query->output[i];
      casts.push_back(MakeCast(MakeColumn(attribute), variables[i].variable.type, context.settings().eval_mode()));
      attribute.id = context.NextId();
      attribute.type = variables[i].variable.type;
      output.push_back(std::move(attribute));
    }
    auto rows = context.CollectRows(plan::MakeLimit(plan::MakeProject(query, std::move(casts), std::move(output)), 2));
    if (!rows.ok()) return std::move(rows).error();
    if (rows->rows.size() > 1) return Error::Of(ExceptionClass::kSparkRuntime, "ROW_SUBQUERY_TOO_MANY_ROWS");
    for (size_t i = 0; i < variables.size(); ++i)
      variables[i].variable.value = rows->rows.empty() ? Value() : rows->rows[0][i];
  } else {
    if (command.values.size() != variables.size()) {
      return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(variables.size())},
                                                     {"numExpr", std::to_string(command.values.size())}});
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      if (command.values[i]->kind == plan::ExprKind::kDefault) {
        variables[i].variable.value = Value();
        continue;
      }
      FRAZIL_ASSIGN_OR_RETURN(variables[i].variable.value,
                              analysis::AnalyzeConstant(command.values[i], variables[i].variable.type, context));
    }
  }
  for (auto& variable : variables) Put(std::move(variable), context);
  return NoRows();
}

struct Arguments {
  std::vector<std::pair<std::string, plan::ExprPtr>> named;
  std::vector<plan::ExprPtr> positional;
};

/// The arguments of EXECUTE IMMEDIATE for a statement with such markers, as literals. They are evaluated where they
/// stand, for they may name variables of a script; a variable has its own name.
Result<Arguments> ArgumentsOf(const plan::ExecuteImmediateCommand& command, const sql::ParameterMarkers& markers,
                              CommandContext& context) {
  if (markers.has_named && markers.has_positional) return Error::Of("INVALID_QUERY_MIXED_QUERY_PARAMETERS");
  Arguments arguments;
  std::string without_name;
  for (const auto& argument : command.arguments) {
    std::string name;
    plan::ExprPtr value = argument;
    if (argument->kind == plan::ExprKind::kAlias) {
      name = argument->As<plan::AliasExpr>().names[0];
      value = argument->As<plan::AliasExpr>().child;
    } else if (argument->kind == plan::ExprKind::kAttribute) {
      name = argument->As<plan::AttributeExpr>().name.back();
    }
    if (value->kind == plan::ExprKind::kSubquery) {
      return AtOrigin(Error::Of("UNSUPPORTED_EXPR_FOR_PARAMETER", {{"invalidExprSql", "\"scalarsubquery()\""}}),
                      value->origin);
    }
    FRAZIL_ASSIGN_OR_RETURN(const auto typed, analysis::AnalyzeExpression(value, {}, context));
    FRAZIL_ASSIGN_OR_RETURN(auto constant, analysis::AnalyzeConstant(value, typed->type, context));
    auto literal = plan::MakeLiteralExpr(typed->type, std::move(constant));
    if (!markers.has_named) {
      arguments.positional.push_back(std::move(literal));
    } else if (name.empty()) {
      without_name += (without_name.empty() ? "\"" : ", \"") + typed->sql + "\"";
    } else {
      arguments.named.emplace_back(std::move(name), std::move(literal));
    }
  }
  if (!without_name.empty()) return Error::Of("ALL_PARAMETERS_MUST_BE_NAMED", {{"exprs", without_name}});
  return arguments;
}

}  // namespace

Result<RowSet> RunVariable(const plan::VariableCommand& command, CommandContext& context) {
  switch (command.type) {
    case plan::VariableCommand::Type::kDeclare:
      return Declare(command, context);
    case plan::VariableCommand::Type::kSet:
      return Assign(command, context);
    case plan::VariableCommand::Type::kDrop:
      for (const auto& name : command.names) {
        FRAZIL_ASSIGN_OR_RETURN(auto plain, VariableName(name));
        if (!context.DropVariable(plain) && !command.if_exists) {
          return Error::Of("VARIABLE_NOT_FOUND",
                           {{"variableName", "`system`.`session`." + QuoteIdentifier(AsciiLower(plain))}});
        }
      }
      return NoRows();
  }
  return Error::Internal("unknown variable statement");
}

Result<RowSet> RunExecuteImmediate(const plan::ExecuteImmediateCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto typed, analysis::AnalyzeExpression(command.query, {}, context));
  if (!typed->type->IsString() && typed->type->id() != TypeId::kNull) {
    return Error::Of("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", {{"exprType", "\"" + typed->type->Sql() + "\""}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto text, analysis::AnalyzeConstant(command.query, DataType::String(), context));
  if (text.is_null()) return Error::Of("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", {{"varName", ""}});
  FRAZIL_ASSIGN_OR_RETURN(Arguments arguments, ArgumentsOf(command, sql::FindParameterMarkers(text.string()), context));
  const auto options = analysis::WithParameters(context.parser_options(), arguments.named, arguments.positional);
  FRAZIL_ASSIGN_OR_RETURN(auto statement, sql::ParseStatement(text.string(), options));
  const bool is_script = statement->kind == plan::PlanKind::kCommand &&
                         statement->As<plan::Command>().command_kind == plan::CommandKind::kScript;
  if (is_script) return Error::Of("SQL_SCRIPT_IN_EXECUTE_IMMEDIATE", {{"sqlString", text.string()}});
  if (!command.into.empty() && statement->kind == plan::PlanKind::kCommand) {
    return Error::Of("INVALID_STATEMENT_FOR_EXECUTE_INTO", {{"sqlString", AsciiUpper(text.string())}});
  }
  // The statement has parameters of its own, and does not see the variables of a script.
  auto scopes = std::exchange(context.local_scopes, {});
  auto named = std::exchange(context.named_parameters, std::move(arguments.named));
  auto positional = std::exchange(context.positional_parameters, std::move(arguments.positional));
  auto result = context.RunStatement(statement);
  context.local_scopes = std::move(scopes);
  context.named_parameters = std::move(named);
  context.positional_parameters = std::move(positional);
  if (!result.ok() || command.into.empty()) return result;
  if (result->schema->fields().size() != command.into.size()) {
    return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(command.into.size())},
                                                   {"numExpr", std::to_string(result->schema->fields().size())}});
  }
  for (auto name = command.into.begin(); name != command.into.end(); ++name) {
    const bool is_repeated = std::any_of(
        command.into.begin(), name, [&](const auto& other) { return EqualsIgnoreCase(other.back(), name->back()); });
    if (is_repeated)
      return Error::Of("DUPLICATE_ASSIGNMENTS", {{"nameList", QuoteIdentifier(AsciiLower(name->back()))}});
  }
  if (result->rows.size() > 1) return Error::Of(ExceptionClass::kSparkRuntime, "ROW_SUBQUERY_TOO_MANY_ROWS");
  for (size_t i = 0; i < command.into.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto target, FindTarget(command.into[i], context));
    auto& variable = target.variable;
    if (result->rows.empty()) {
      variable.value = Value();
    } else {
      auto literal = plan::MakeLiteralExpr(result->schema->fields()[i].type, result->rows[0][i]);
      FRAZIL_ASSIGN_OR_RETURN(variable.value, analysis::AnalyzeConstant(literal, variable.type, context));
    }
    Put(std::move(target), context);
  }
  return NoRows();
}

}  // namespace frazil::commands
