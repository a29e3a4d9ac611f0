#include "frazil/base/text.h"
#include "frazil/commands/run_command.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/plan/make_logical.h"
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

Result<RowSet> Declare(const plan::VariableCommand& command, CommandContext& context) {
  for (const auto& name : command.names) {
    FRAZIL_ASSIGN_OR_RETURN(auto plain, VariableName(name));
    if (context.FindVariable(plain).has_value() && !command.or_replace) {
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
    context.PutVariable(std::move(variable));
  }
  return NoRows();
}

Result<RowSet> Assign(const plan::VariableCommand& command, CommandContext& context) {
  std::vector<analysis::SessionVariable> variables;
  std::vector<std::string> seen;
  for (const auto& name : command.names) {
    FRAZIL_ASSIGN_OR_RETURN(auto plain, VariableName(name));
    auto variable = context.FindVariable(plain);
    if (!variable.has_value()) return NoVariable(name);
    for (const auto& other : seen) {
      if (EqualsIgnoreCase(other, plain))
        return Error::Of("DUPLICATE_ASSIGNMENTS", {{"nameList", QuoteIdentifier(AsciiLower(plain))}});
    }
    seen.push_back(plain);
    variables.push_back(*std::move(variable));
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
      casts.push_back(MakeCast(MakeColumn(attribute), variables[i].type, context.settings().eval_mode()));
      attribute.id = context.NextId();
      attribute.type = variables[i].type;
      output.push_back(std::move(attribute));
    }
    auto rows = context.CollectRows(plan::MakeLimit(plan::MakeProject(query, std::move(casts), std::move(output)), 2));
    if (!rows.ok()) return std::move(rows).error();
    if (rows->rows.size() > 1) return Error::Of(ExceptionClass::kSparkRuntime, "ROW_SUBQUERY_TOO_MANY_ROWS");
    for (size_t i = 0; i < variables.size(); ++i) variables[i].value = rows->rows.empty() ? Value() : rows->rows[0][i];
  } else {
    if (command.values.size() != variables.size()) {
      return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(variables.size())},
                                                     {"numExpr", std::to_string(command.values.size())}});
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      if (command.values[i]->kind == plan::ExprKind::kDefault) {
        variables[i].value = Value();
        continue;
      }
      FRAZIL_ASSIGN_OR_RETURN(variables[i].value,
                              analysis::AnalyzeConstant(command.values[i], variables[i].type, context));
    }
  }
  for (auto& variable : variables) context.PutVariable(std::move(variable));
  return NoRows();
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
  FRAZIL_ASSIGN_OR_RETURN(auto text, analysis::AnalyzeConstant(command.query, DataType::String(), context));
  if (text.is_null()) return Error::Of("NULL_QUERY_STRING_EXECUTE_IMMEDIATE", {{"varName", ""}});
  FRAZIL_ASSIGN_OR_RETURN(auto statement, sql::ParseStatement(text.string(), context.parser_options()));
  if (statement->kind == plan::PlanKind::kCommand &&
      statement->As<plan::Command>().command_kind == plan::CommandKind::kExecuteImmediate) {
    return Error::Of("NESTED_EXECUTE_IMMEDIATE", {{"sqlString", AsciiUpper(text.string())}});
  }
  if (!command.into.empty() && statement->kind == plan::PlanKind::kCommand) {
    return Error::Of("INVALID_STATEMENT_FOR_EXECUTE_INTO", {{"sqlString", AsciiUpper(text.string())}});
  }
  // The statement has parameters of its own.
  auto named = std::move(context.named_parameters);
  auto positional = std::move(context.positional_parameters);
  context.named_parameters.clear();
  context.positional_parameters.clear();
  for (const auto& argument : command.arguments) {
    if (argument->kind == plan::ExprKind::kAlias) {
      const auto& alias = argument->As<plan::AliasExpr>();
      context.named_parameters.emplace_back(alias.names[0], alias.child);
    } else {
      context.positional_parameters.push_back(argument);
    }
  }
  auto result = context.RunStatement(statement);
  context.named_parameters = std::move(named);
  context.positional_parameters = std::move(positional);
  if (!result.ok() || command.into.empty()) return result;
  if (result->rows.size() > 1) return Error::Of(ExceptionClass::kSparkRuntime, "ROW_SUBQUERY_TOO_MANY_ROWS");
  if (result->schema->fields().size() != command.into.size()) {
    return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numTarget", std::to_string(command.into.size())},
                                                   {"numExpr", std::to_string(result->schema->fields().size())}});
  }
  for (size_t i = 0; i < command.into.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto plain, VariableName(command.into[i]));
    auto variable = context.FindVariable(plain);
    if (!variable.has_value()) return NoVariable(command.into[i]);
    if (result->rows.empty()) {
      variable->value = Value();
    } else {
      auto literal = plan::MakeLiteralExpr(result->schema->fields()[i].type, result->rows[0][i]);
      FRAZIL_ASSIGN_OR_RETURN(variable->value, analysis::AnalyzeConstant(literal, variable->type, context));
    }
    context.PutVariable(*std::move(variable));
  }
  return NoRows();
}

}  // namespace frazil::commands
