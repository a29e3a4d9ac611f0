// CALL: which procedure a name means, and its arguments. The procedures themselves are a table format's (tables/procedure.h), or stand beside this file
// where they need the engine.

#include "frazil/commands/procedures_internal.h"

#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

const EngineProcedure* FindEngineProcedure(std::string_view name) {
  static const std::vector<EngineProcedure> procedures = {RewriteDataFiles()};
  for (const auto& procedure : procedures) {
    if (EqualsIgnoreCase(procedure.name, name)) return &procedure;
  }
  return nullptr;
}

namespace {

using Parameters = std::vector<tables::ProcedureParameter>;

/// The expressions in the order of the parameters; null where a parameter that is not required has none.
Result<std::vector<plan::ExprPtr>> Arrange(const plan::CallCommand& command, const Parameters& parameters, const std::string& routine) {
  std::vector<plan::ExprPtr> arranged(parameters.size());
  std::vector<bool> by_name(parameters.size(), false);
  std::string last_named;
  size_t position = 0;
  for (const auto& [name, expression] : command.arguments) {
    if (name.empty()) {
      if (!last_named.empty()) {
        return Error::Of("UNEXPECTED_POSITIONAL_ARGUMENT", {{"routineName", routine}, {"parameterName", QuoteIdentifier(last_named)}});
      }
      if (position >= parameters.size()) {
        return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", routine},
                                                               {"expectedNum", std::to_string(parameters.size())},
                                                               {"actualNum", std::to_string(command.arguments.size())},
                                                               {"docroot", "https://spark.apache.org/docs/latest"}});
      }
      arranged[position++] = expression;
      continue;
    }
    last_named = name;
    size_t found = 0;
    while (found < parameters.size() && !EqualsIgnoreCase(parameters[found].name, name)) ++found;
    if (found == parameters.size()) {
      std::vector<std::string> names;
      for (const auto& parameter : parameters) names.push_back(parameter.name);
      std::vector<std::string> proposal;
      for (const auto& candidate : MostSimilar(name, names)) proposal.push_back(QuoteIdentifier(candidate));
      return Error::Of("UNRECOGNIZED_PARAMETER_NAME",
                       {{"routineName", routine}, {"argumentName", QuoteIdentifier(name)}, {"proposal", Join(proposal, ", ")}});
    }
    if (arranged[found] != nullptr) {
      return Error::Of(by_name[found] ? "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE"
                                      : "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED",
                       {{"routineName", routine}, {"parameterName", QuoteIdentifier(name)}});
    }
    by_name[found] = true;
    arranged[found] = expression;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (arranged[i] == nullptr && parameters[i].required) {
      return Error::Of("REQUIRED_PARAMETER_NOT_FOUND",
                       {{"routineName", routine}, {"parameterName", QuoteIdentifier(parameters[i].name)}, {"index", std::to_string(i)}});
    }
  }
  return arranged;
}

/// The table of an argument: a name in the procedure's catalog, which it may begin with.
Result<analysis::ResolvedTable> TableOf(const std::string& text, const catalogs::Catalog& catalog, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(text, context.parser_options()));
  if (!context.HasCatalog(parts[0])) {
    catalogs::Namespace name_space;
    if (parts.size() == 1) name_space = context.current_catalog() == catalog.name() ? context.current_namespace() : catalog.default_namespace();
    parts.insert(parts.begin(), name_space.begin(), name_space.end());
    parts.insert(parts.begin(), catalog.name());
  }
  if (!EqualsIgnoreCase(parts[0], catalog.name())) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "Cannot run procedure in catalog '" + catalog.name() + "': '" + text +
                                                              "' is a table in catalog '" + parts[0] + "'");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table, analysis::ResolveTable(parts, context));
  if (table.table->provider() != "iceberg" || table.full_name.size() != table.identifier.name_space.size() + 2) {
    return Error::Plain(ExceptionClass::kIllegalArgument, Join(table.full_name, ".") + " is not an Iceberg table");
  }
  return table;
}

}  // namespace

Result<RowSet> RunCall(const plan::CallCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  std::string routine = QuoteIdentifier(parts);
  bool names_catalog = parts.size() > 1 && context.HasCatalog(parts[0]);
  FRAZIL_ASSIGN_OR_RETURN(auto catalog, context.ResolveCatalog(names_catalog ? parts[0] : context.current_catalog()));
  std::vector<std::string> path(parts.begin() + (names_catalog ? 1 : 0), parts.end());
  const EngineProcedure* own = nullptr;
  const tables::TableProcedure* of_format = nullptr;
  if (path.size() == 2 && EqualsIgnoreCase(path[0], "system")) {
    own = FindEngineProcedure(path[1]);
    auto format = context.formats().Find("iceberg");
    if (own == nullptr && format != nullptr) of_format = format->FindProcedure(path[1]);
  }
  if (own == nullptr && of_format == nullptr) return Error::Of("ROUTINE_NOT_FOUND", {{"routineName", routine}});

  Parameters parameters = {{"table", DataType::String(), true}};
  const Parameters& others = own != nullptr ? own->parameters : of_format->parameters;
  parameters.insert(parameters.end(), others.begin(), others.end());
  FRAZIL_ASSIGN_OR_RETURN(auto expressions, Arrange(command, parameters, routine));
  std::vector<Value> values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Value value;
    if (expressions[i] != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(value, analysis::AnalyzeConstant(expressions[i], parameters[i].type, context));
    }
    if (value.is_null() && parameters[i].required) {
      return Error::Plain(ExceptionClass::kIllegalArgument, "Parameter '" + parameters[i].name + "' of " + routine + " must not be null");
    }
    values.push_back(std::move(value));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table, TableOf(values[0].string(), *catalog, context));
  values.erase(values.begin());
  return own != nullptr ? own->call(table, values, context) : of_format->call(*table.table, values);
}

}  // namespace frazil::commands
