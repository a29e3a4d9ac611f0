// CALL: which procedure a name means, and its arguments. The procedures themselves are a table format's
// (tables/procedure.h), or stand beside this file where they need the engine.

#include <functional>

#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

using Parameters = std::vector<tables::ProcedureParameter>;

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// What a name means for the tables of one format.
struct Procedure {
  std::string format;
  Parameters parameters;  ///< With the first one, "table".
  std::function<Result<RowSet>(const analysis::ResolvedTable& table, const std::vector<Value>& arguments)> call;
};

/// All procedures, in the order of Iceberg's Spark runtime, and what it says of them: the name of the class.
constexpr std::pair<const char*, const char*> kKnownProcedures[] = {
    {"rollback_to_snapshot", "RollbackToSnapshotProcedure"},
    {"rollback_to_timestamp", "RollbackToTimestampProcedure"},
    {"set_current_snapshot", "SetCurrentSnapshotProcedure"},
    {"cherrypick_snapshot", "CherrypickSnapshotProcedure"},
    {"rewrite_data_files", "RewriteDataFilesProcedure"},
    {"rewrite_manifests", "RewriteManifestsProcedure"},
    {"remove_orphan_files", "RemoveOrphanFilesProcedure"},
    {"expire_snapshots", "ExpireSnapshotProcedure"},
    {"migrate", "MigrateTableProcedure"},
    {"snapshot", "SnapshotTableProcedure"},
    {"add_files", "AddFiles"},
    {"ancestors_of", "AncestorsOf"},
    {"register_table", "RegisterTableProcedure"},
    {"publish_changes", "ApplyWapChangesProcedure"},
    {"create_changelog_view", "CreateChangelogViewProcedure"},
    {"rewrite_position_delete_files", "RewritePositionDeleteFilesProcedure"},
    {"fast_forward", "FastForwardBranchProcedure"},
    {"compute_table_stats", "ComputeTableStatsProcedure"},
    {"compute_partition_stats", "ComputePartitionStatsProcedure"},
    {"rewrite_table_path", "RewriteTablePathProcedure"},
    {"remove_dangling_deletes", "RemoveDanglingDeletesProcedure"},
};

std::vector<Procedure> FindProcedures(std::string_view name, CommandContext& context) {
  static const std::vector<EngineProcedure> of_engine = {RewriteDataFiles(), AddFiles(), CreateChangelogView(),
                                                         ComputeTableStatistics()};
  std::vector<Procedure> found;
  if (name.starts_with('#')) return found;  // What procedures of the engine end with.
  auto add = [&](const std::string& format, const Parameters& parameters, auto call) {
    Procedure procedure{format, {{"table", DataType::String(), true}}, std::move(call)};
    procedure.parameters.insert(procedure.parameters.end(), parameters.begin(), parameters.end());
    found.push_back(std::move(procedure));
  };
  for (const auto& own : of_engine) {
    if (!EqualsIgnoreCase(own.name, name)) continue;
    add(own.format, own.parameters,
        [&](const auto& table, const auto& arguments) { return own.call(table, arguments, context); });
  }
  for (const auto& [format_name, format] : context.formats().all()) {
    const tables::TableProcedure* of_format = format->FindProcedure(name);
    if (of_format == nullptr) continue;
    add(format_name, of_format->parameters,
        [of_format](const auto& table, const auto& arguments) { return of_format->call(*table.table, arguments); });
  }
  return found;
}

/// The expressions in the order of the parameters; null where a parameter that is not required has none.
Result<std::vector<plan::ExprPtr>> Arrange(const plan::CallCommand& command, const Parameters& parameters,
                                           const std::string& routine) {
  std::vector<plan::ExprPtr> arranged(parameters.size());
  std::vector<bool> by_name(parameters.size(), false);
  std::string last_named;
  size_t position = 0;
  for (const auto& [name, expression] : command.arguments) {
    if (name.empty()) {
      if (!last_named.empty()) {
        return Error::Of("UNEXPECTED_POSITIONAL_ARGUMENT",
                         {{"routineName", routine}, {"parameterName", QuoteIdentifier(last_named)}});
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
      for (const auto& candidate : MostSimilar(name, names, 3)) proposal.push_back(QuoteIdentifier(candidate));
      return Error::Of(
          "UNRECOGNIZED_PARAMETER_NAME",
          {{"routineName", routine}, {"argumentName", QuoteIdentifier(name)}, {"proposal", Join(proposal, " ")}});
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
      return Error::Of("REQUIRED_PARAMETER_NOT_FOUND", {{"routineName", routine},
                                                        {"parameterName", QuoteIdentifier(parameters[i].name)},
                                                        {"index", std::to_string(i)}});
    }
  }
  return arranged;
}

/// The full name of an argument's table: in the procedure's catalog, which it may begin with.
Result<std::vector<std::string>> NameOf(const std::string& parameter, const std::string& text,
                                        const catalogs::Catalog& catalog, CommandContext& context) {
  if (text.empty()) return Illegal("Cannot handle an empty identifier for parameter '" + parameter + "'");
  auto parsed = sql::ParseMultipartIdentifier(text, context.parser_options());
  if (!parsed.ok()) return Illegal("Cannot parse identifier for parameter '" + parameter + "': " + text);
  auto parts = *std::move(parsed);
  if (!context.HasCatalog(parts[0])) {
    catalogs::Namespace name_space;
    if (parts.size() == 1)
      name_space =
          context.current_catalog() == catalog.name() ? context.current_namespace() : catalog.default_namespace();
    parts.insert(parts.begin(), name_space.begin(), name_space.end());
    parts.insert(parts.begin(), catalog.name());
  }
  if (!EqualsIgnoreCase(parts[0], catalog.name())) {
    return Illegal("Cannot run procedure in catalog '" + catalog.name() + "': '" + text + "' is a table in catalog '" +
                   parts[0] + "'");
  }
  return parts;
}

Result<analysis::ResolvedTable> TableOf(const std::string& text, const catalogs::Catalog& catalog,
                                        CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameOf("table", text, catalog, context));
  auto table = analysis::ResolveTable(parts, context);
  if (table.ok() || table.error().condition != "TABLE_OR_VIEW_NOT_FOUND") return table;
  return Error::Plain(ExceptionClass::kSpark, "java.lang.RuntimeException: Couldn't load table '" + text +
                                                  "' in catalog '" + catalog.name() + "'");
}

/// The procedure of a catalog of this name; null where there is none.
const CatalogProcedure* FindCatalogProcedure(std::string_view name) {
  static const std::vector<CatalogProcedure> all = {RegisterTable(), Snapshot(), Migrate()};
  for (const auto& procedure : all) {
    if (EqualsIgnoreCase(procedure.name, name)) return &procedure;
  }
  return nullptr;
}

/// Of procedures with one name the one for the format of the table that the call names.
Result<Procedure> ChooseProcedure(std::vector<Procedure> procedures, const plan::CallCommand& command,
                                  const catalogs::Catalog& catalog, CommandContext& context) {
  if (procedures.size() == 1) return std::move(procedures[0]);
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const auto& [name, expression] = command.arguments[i];
    if (name.empty() ? i > 0 : !EqualsIgnoreCase(name, "table")) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto value, analysis::AnalyzeConstant(expression, DataType::String(), context));
    if (value.is_null()) break;
    FRAZIL_ASSIGN_OR_RETURN(auto table, TableOf(value.string(), catalog, context));
    for (auto& procedure : procedures) {
      if (procedure.format == table.table->provider()) return std::move(procedure);
    }
  }
  return std::move(procedures[0]);
}

}  // namespace

std::vector<std::string> ProcedureNames(CommandContext& context) {
  std::vector<std::string> names;
  for (const auto& [name, description] : kKnownProcedures) {
    if (FindCatalogProcedure(name) != nullptr || !FindProcedures(name, context).empty()) names.emplace_back(name);
  }
  return names;
}

Result<RowSet> DescribeProcedure(const plan::DescribeCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  const bool names_catalog = parts.size() > 1 && context.HasCatalog(parts[0]);
  std::vector<std::string> path(parts.begin() + (names_catalog ? 1 : 0), parts.end());
  if (!names_catalog) parts.insert(parts.begin(), context.current_catalog());
  for (const auto& [name, description] : kKnownProcedures) {
    if (path.size() != 2 || !EqualsIgnoreCase(path[0], "system") || !EqualsIgnoreCase(path[1], name)) continue;
    return RowSet{DataType::Struct({{"procedure_desc", DataType::String(), false}}),
                  {{Value("Procedure:   " + std::string(name))}, {Value("Description: " + std::string(description))}}};
  }
  return Error::Of("FAILED_TO_LOAD_ROUTINE", {{"routineName", QuoteIdentifier(parts)}});
}

Result<RowSet> RunCall(const plan::CallCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  std::string routine = QuoteIdentifier(parts);
  bool names_catalog = parts.size() > 1 && context.HasCatalog(parts[0]);
  FRAZIL_ASSIGN_OR_RETURN(auto catalog, context.ResolveCatalog(names_catalog ? parts[0] : context.current_catalog()));
  std::vector<std::string> path(parts.begin() + (names_catalog ? 1 : 0), parts.end());
  std::vector<Procedure> procedures;
  if (path.size() == 2 && EqualsIgnoreCase(path[0], "system")) procedures = FindProcedures(path[1], context);
  const CatalogProcedure* of_catalog =
      path.size() == 2 && EqualsIgnoreCase(path[0], "system") ? FindCatalogProcedure(path[1]) : nullptr;
  if (of_catalog != nullptr) {
    Procedure procedure;
    procedure.parameters = of_catalog->parameters;
    procedures = {std::move(procedure)};
  }
  if (procedures.empty()) return Error::Of("FAILED_TO_LOAD_ROUTINE", {{"routineName", routine}});
  FRAZIL_ASSIGN_OR_RETURN(auto procedure, ChooseProcedure(std::move(procedures), command, *catalog, context));
  FRAZIL_ASSIGN_OR_RETURN(auto expressions, Arrange(command, procedure.parameters, QuoteIdentifier(path.back())));
  std::vector<Value> values;
  for (size_t i = 0; i < procedure.parameters.size(); ++i) {
    const auto& parameter = procedure.parameters[i];
    Value value;
    if (expressions[i] != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(value, analysis::AnalyzeConstant(expressions[i], parameter.type, context));
    }
    if (value.is_null() && parameter.required) {
      return Illegal("Parameter '" + parameter.name + "' is not set");
    }
    values.push_back(std::move(value));
  }
  if (of_catalog != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto name, NameOf(procedure.parameters[of_catalog->table].name,
                                              values[of_catalog->table].string(), *catalog, context));
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, analysis::ResolveIdentifier(name, context));
    return of_catalog->call(*resolved.catalog, resolved.identifier, values, context);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table, TableOf(values[0].string(), *catalog, context));
  if (table.table->provider() != procedure.format || IsMetadataTable(table)) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        Join(table.full_name, ".") + " is not a table of format " + procedure.format);
  }
  values.erase(values.begin());
  return procedure.call(table, values);
}

}  // namespace frazil::commands
