// CREATE FUNCTION, DROP FUNCTION, SHOW FUNCTIONS, DESCRIBE FUNCTION.

#include <algorithm>
#include <chrono>
#include <set>

#include "frazil/base/text.h"
#include "frazil/catalogs/function_catalog.h"
#include "frazil/commands/sql_functions.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_text.h"
#include "frazil/functions/function.h"
#include "frazil/functions/spark_class.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

constexpr const char* kAnsi = "spark.sql.ansi.enabled";

bool HasBoundedText(const DataType& type) {
  switch (type.id()) {
    case TypeId::kString:
      return type.length_kind() != StringLength::kUnbounded;
    case TypeId::kArray:
      return HasBoundedText(*type.element_type());
    case TypeId::kMap:
      return HasBoundedText(*type.key_type()) || HasBoundedText(*type.value_type());
    case TypeId::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return HasBoundedText(*field.type); });
    default:
      return false;
  }
}

/// Names that stand twice among the columns, in the form in which they come first in lower case.
std::vector<std::string> Duplicates(const std::vector<plan::ColumnDefinition>& columns) {
  std::set<std::string> seen, twice;
  for (const auto& column : columns) {
    const std::string name = AsciiLower(column.name.back());
    if (!seen.insert(name).second) twice.insert(QuoteIdentifier(name));
  }
  return {twice.begin(), twice.end()};
}

std::string ColumnsText(const std::vector<plan::ColumnDefinition>& columns) {
  std::vector<std::string> texts;
  for (const auto& column : columns)
    texts.push_back(column.name.back() + " " + column.type->Sql() + (column.nullable ? "" : " NOT NULL"));
  return Join(texts, ", ");
}

/// What can be told of a function from its statement alone.
Status CheckDefinition(const plan::FunctionDdlCommand& command, const std::string& name) {
  if (const auto twice = Duplicates(command.parameters); !twice.empty())
    return Error::Of("DUPLICATE_ROUTINE_PARAMETER_NAMES", {{"routineName", name}, {"names", Join(twice, ", ")}});
  if (const auto twice = Duplicates(command.return_columns); !twice.empty())
    return Error::Of("DUPLICATE_ROUTINE_RETURNS_COLUMNS", {{"routineName", name}, {"columns", Join(twice, ", ")}});
  for (const auto* columns : {&command.parameters, &command.return_columns}) {
    for (const auto& column : *columns) {
      if (!column.nullable) {
        return Error::Of("USER_DEFINED_FUNCTIONS.NOT_NULL_ON_FUNCTION_PARAMETERS", {{"input", ColumnsText(*columns)}});
      }
      if (HasBoundedText(*column.type)) return Error::Of("UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING");
    }
  }
  if (command.return_type != nullptr && HasBoundedText(*command.return_type))
    return Error::Of("UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING");
  for (size_t i = 1; i < command.parameters.size(); ++i) {
    if (command.parameters[i - 1].default_text.has_value() && !command.parameters[i].default_text.has_value()) {
      return Error::Of("USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
                       {{"functionName", name},
                        {"parameterName", command.parameters[i - 1].name.back()},
                        {"nextParameterName", command.parameters[i].name.back()}});
    }
  }
  if (command.returns_table && command.body_query == nullptr)
    return Error::Of("USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY", {{"name", name}});
  return Status::Ok();
}

/// A default is an expression without subqueries that casts to the parameter's type.
Status CheckDefaults(const plan::FunctionDdlCommand& command, const std::string& name, CommandContext& context) {
  for (const auto& parameter : command.parameters) {
    if (!parameter.default_text.has_value()) continue;
    FRAZIL_ASSIGN_OR_RETURN(const auto query, sql::ParseQuery("SELECT CAST((" + *parameter.default_text + ") AS " +
                                                                  parameter.type->Sql() + ")",
                                                              context.parser_options()));
    FRAZIL_ASSIGN_OR_RETURN(const auto analyzed, analysis::AnalyzeRelation(query, context));
    bool has_subquery = false;
    for (const auto& expression : plan::NodeExpressions(*analyzed)) {
      VisitExpression(*expression, [&](const Expression& part) {
        has_subquery = has_subquery || part.kind == ExpressionKind::kSubquery;
        return true;
      });
    }
    if (has_subquery) {
      return Error::Of("USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_EXPRESSION",
                       {{"functionName", name}, {"parameterName", parameter.name.back()}});
    }
  }
  return Status::Ok();
}

bool HasComplexFunctions(const plan::LogicalPlan& plan) {
  if (plan.kind == plan::LogicalKind::kAggregate || plan.kind == plan::LogicalKind::kWindow ||
      plan.kind == plan::LogicalKind::kGenerate)
    return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const plan::LogicalPlanPtr& input) { return HasComplexFunctions(*input); });
}

/// Analyses a call with NULLs, the function being known in this session while that lasts.
Status CheckBody(const plan::FunctionDdlCommand& command, const analysis::SqlFunction& function,
                 CommandContext& context) {
  std::vector<std::string> arguments;
  for (const auto& parameter : function.parameters) arguments.push_back("CAST(NULL AS " + parameter.type->Sql() + ")");
  const std::string call = QuoteIdentifier(analysis::SqlFunctionName(function)) + "(" + Join(arguments, ", ") + ")";
  FRAZIL_ASSIGN_OR_RETURN(
      const auto query,
      sql::ParseQuery((function.returns_table ? "SELECT * FROM " : "SELECT ") + call, context.parser_options()));
  context.PutSqlFunction(function);
  const auto analyzed = analysis::AnalyzeRelation(query, context);
  context.DropSqlFunction(function.name);
  if (!analyzed.ok()) return analyzed.error();
  if (command.body != nullptr && HasComplexFunctions(**analyzed)) {
    return Error::Of("USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS", {{"queryText", command.body_text}});
  }
  return Status::Ok();
}

Error AlreadyThere(const std::vector<std::string>& name) {
  return Error::Of(
      "ROUTINE_ALREADY_EXISTS",
      {{"routineName", QuoteIdentifier(name)}, {"newRoutineType", "routine"}, {"existingRoutineType", "routine"}});
}

Result<catalogs::FunctionCatalog*> FunctionsOf(const catalogs::CatalogPtr& catalog) {
  auto* functions = dynamic_cast<catalogs::FunctionCatalog*>(catalog.get());
  if (functions == nullptr) {
    return Error::Of("UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                     {{"catalogName", QuoteIdentifier(catalog->name())}, {"operation", "CREATE FUNCTION"}});
  }
  return functions;
}

Result<RowSet> CreateTemporary(const plan::FunctionDdlCommand& command, const std::vector<std::string>& parts,
                               CommandContext& context) {
  const std::string& name = parts.back();
  if (!command.class_name.empty()) {
    return Error::Of("CANNOT_LOAD_FUNCTION_CLASS",
                     {{"className", command.class_name}, {"functionName", QuoteIdentifier(name)}});
  }
  const bool is_python = command.body != nullptr && command.body->kind == plan::ExprKind::kPythonFunction;
  if (!is_python) FRAZIL_RETURN_IF_ERROR(CheckDefinition(command, name));
  const auto existing = context.FindSqlFunction({name});
  if (existing.has_value() && existing->full_name.empty() && !command.or_replace) {
    if (command.if_not_exists) return NoRows();
    return AlreadyThere(parts);
  }
  auto function = MakeSqlFunction(command, {name});
  function.ansi = context.settings().ansi;
  context.PutSqlFunction(std::move(function));
  return NoRows();
}

Result<RowSet> CreatePermanent(const plan::FunctionDdlCommand& command, const std::vector<std::string>& parts,
                               CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto resolved, analysis::ResolveIdentifier(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(auto* functions, FunctionsOf(resolved.catalog));
  const std::string& name = resolved.identifier.name;
  if (command.class_name.empty()) FRAZIL_RETURN_IF_ERROR(CheckDefinition(command, name));
  FRAZIL_ASSIGN_OR_RETURN(const auto existing, functions->LoadFunction(resolved.identifier));
  const auto full_name = catalogs::FullName(*resolved.catalog, resolved.identifier);
  if (existing.has_value() && !command.or_replace) {
    if (command.if_not_exists) return NoRows();
    return AlreadyThere(full_name);
  }
  catalogs::FunctionDefinition definition;
  if (command.origin.text == nullptr) return Error::Internal("a function without its statement's text");
  definition.statement = *command.origin.text;
  definition.current_catalog = context.current_catalog();
  definition.current_namespace = context.current_namespace();
  for (const auto& item : context.Configs(false)) {
    if (item.key.starts_with("spark.sql.") && !item.key.starts_with("spark.sql.catalog."))
      definition.settings[item.key] = item.value;
  }
  definition.settings[kAnsi] = context.settings().ansi ? "true" : "false";
  definition.owner = context.settings().current_user;
  definition.created_millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  if (command.class_name.empty()) {
    FRAZIL_RETURN_IF_ERROR(CheckDefaults(command, name, context));
    auto function = MakeSqlFunction(command, full_name);
    function.current_catalog = definition.current_catalog;
    function.current_namespace = definition.current_namespace;
    function.ansi = context.settings().ansi;
    function.is_being_created = true;
    FRAZIL_RETURN_IF_ERROR(CheckBody(command, function, context));
  }
  FRAZIL_ASSIGN_OR_RETURN(const bool made,
                          functions->CreateFunction(resolved.identifier, definition, command.or_replace));
  if (!made && !command.if_not_exists) return AlreadyThere(full_name);
  return NoRows();
}

Result<RowSet> Drop(const plan::FunctionDdlCommand& command, const std::vector<std::string>& parts,
                    CommandContext& context) {
  if (parts.size() == 1) {
    if (context.DropSqlFunction(parts[0])) return NoRows();
    if (!command.temporary && functions::FindFunction(AsciiLower(parts[0])) != nullptr) {
      return Error::Of("FORBIDDEN_OPERATION",
                       {{"statement", "DROP"}, {"objectType", "FUNCTION"}, {"objectName", QuoteIdentifier(parts[0])}});
    }
  }
  if (!command.temporary) {
    FRAZIL_ASSIGN_OR_RETURN(const auto resolved, analysis::ResolveIdentifier(parts, context));
    if (auto* functions = dynamic_cast<catalogs::FunctionCatalog*>(resolved.catalog.get())) {
      FRAZIL_ASSIGN_OR_RETURN(const bool dropped, functions->DropFunction(resolved.identifier));
      if (dropped) return NoRows();
    }
  }
  if (command.if_exists) return NoRows();
  return Error::Of("ROUTINE_NOT_FOUND", {{"routineName", QuoteIdentifier(parts)}});
}

std::string Padded(const char* label) {
  std::string text = label;
  text.resize(std::max<size_t>(text.size(), 13), ' ');
  return text;
}

}  // namespace

analysis::SqlFunction MakeSqlFunction(const plan::FunctionDdlCommand& command, const std::vector<std::string>& name) {
  analysis::SqlFunction function;
  function.name = Join(name, ".");
  if (name.size() > 1) function.full_name = name;
  for (const auto& parameter : command.parameters)
    function.parameters.push_back({parameter.name.back(), parameter.type, parameter.default_text});
  function.return_type = command.return_type;
  if (command.returns_table && !command.return_columns.empty()) {
    std::vector<StructField> fields;
    for (const auto& column : command.return_columns) fields.emplace_back(column.name.back(), column.type);
    function.return_type = DataType::Struct(std::move(fields));
  }
  function.returns_table = command.returns_table;
  function.class_name = command.class_name;
  function.description = command.body_text;
  function.body = command.body;
  function.body_query = command.body_query;
  return function;
}

Result<std::optional<analysis::SqlFunction>> LoadSqlFunction(catalogs::FunctionCatalog& functions,
                                                             const catalogs::Identifier& identifier,
                                                             const std::vector<std::string>& full_name,
                                                             const sql::ParserOptions& options) {
  FRAZIL_ASSIGN_OR_RETURN(const auto definition, functions.LoadFunction(identifier));
  if (!definition.has_value()) return std::optional<analysis::SqlFunction>();
  FRAZIL_ASSIGN_OR_RETURN(const auto statement, sql::ParseStatement(definition->statement, options));
  const auto* command = dynamic_cast<const plan::FunctionDdlCommand*>(statement.get());
  if (command == nullptr) return Error::Internal("the statement of the function " + Join(full_name, ".") + " is none");
  auto function = MakeSqlFunction(*command, full_name);
  function.current_catalog = definition->current_catalog;
  function.current_namespace = definition->current_namespace;
  if (const auto ansi = definition->settings.find(kAnsi); ansi != definition->settings.end())
    function.ansi = ansi->second == "true";
  return std::optional<analysis::SqlFunction>(std::move(function));
}

Result<std::vector<std::string>> PermanentFunctionNames(CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto catalog, context.ResolveCatalog(context.current_catalog()));
  auto* functions = dynamic_cast<catalogs::FunctionCatalog*>(catalog.get());
  if (functions == nullptr) return std::vector<std::string>();
  return functions->ListFunctions(context.current_namespace());
}

Result<RowSet> RunFunctionDdl(const plan::FunctionDdlCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto parts, NameParts(command.name, context));
  if (command.is_drop) return Drop(command, parts, context);
  return command.temporary ? CreateTemporary(command, parts, context) : CreatePermanent(command, parts, context);
}

Result<RowSet> ShowFunctions(const plan::ShowCommand& command, CommandContext& context) {
  std::vector<std::string> names;
  const std::string scope = AsciiLower(command.scope);
  std::optional<std::string> pattern = command.pattern;
  if (!pattern.has_value() && command.name.has_value() && !command.name->parts.empty())
    pattern = command.name->parts.back();
  const auto add = [&](const std::string& name, const std::string& shown) {
    if (!pattern.has_value() || MatchesShowPattern(name, *pattern)) names.push_back(shown);
  };
  if (scope != "user") {
    for (const auto* function : functions::AllFunctions()) {
      add(function->name, function->name);
      for (const auto& alias : function->aliases) add(alias, alias);
    }
  }
  if (scope != "system") {
    for (const auto& name : context.SqlFunctionNames()) add(name, name);
    std::vector<std::string> place = {context.current_catalog()};
    for (const auto& part : context.current_namespace()) place.push_back(part);
    FRAZIL_ASSIGN_OR_RETURN(const auto permanent, PermanentFunctionNames(context));
    for (const auto& name : permanent) add(name, Join(place, ".") + "." + name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::vector<std::string>> rows;
  for (auto& name : names) rows.push_back({std::move(name)});
  return TextRows({"function"}, std::move(rows));
}

Result<RowSet> DescribeFunction(const plan::DescribeCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto parts, NameParts(command.name, context));
  if (const auto own = context.FindSqlFunction(parts)) {
    if (!own->class_name.empty()) {
      return TextRows({"function_desc"}, {{"Function: " + own->name}, {"Class: " + own->class_name}, {"Usage: N/A."}});
    }
    const bool is_python = own->body != nullptr && own->body->kind == plan::ExprKind::kPythonFunction;
    if (is_python) return TextRows({"function_desc"}, {{"Function: " + own->name}, {"Usage: N/A."}});
    std::vector<std::vector<std::string>> rows = {{Padded("Function:") + own->name},
                                                  {Padded("Type:") + (own->returns_table ? "TABLE" : "SCALAR")}};
    std::string label = "Input:";
    for (const auto& parameter : own->parameters) {
      rows.push_back({Padded(label.c_str()) + parameter.name + " " + parameter.type->Sql() +
                      (parameter.default_text ? " DEFAULT " + *parameter.default_text : "")});
      label.clear();
    }
    if (own->parameters.empty()) rows.push_back({Padded("Input:") + "()"});
    if (own->returns_table && own->return_type != nullptr) {
      label = "Returns:";
      for (const auto& field : own->return_type->fields()) {
        rows.push_back({Padded(label.c_str()) + field.name + " " + field.type->Sql()});
        label.clear();
      }
    } else if (own->return_type != nullptr) {
      rows.push_back({Padded("Returns:") + own->return_type->Sql()});
    }
    if (command.extended && !own->description.empty()) rows.push_back({Padded("Body:") + own->description});
    return TextRows({"function_desc"}, std::move(rows));
  }
  const auto* function = functions::FindFunction(AsciiLower(parts.back()));
  if (function == nullptr) {
    return Error::Of("UNRESOLVED_ROUTINE",
                     {{"routineName", QuoteIdentifier(parts)},
                      {"searchPath", "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]"}});
  }
  const std::string name = AsciiLower(parts.back());
  std::vector<std::vector<std::string>> rows = {{"Function: " + name}};
  if (const auto implementation = functions::SparkClassOf(name); !implementation.empty())
    rows.push_back({"Class: " + implementation});
  rows.push_back({"Usage: " + function->usage});
  if (command.extended && !function->since.empty()) rows.push_back({"Since: " + function->since});
  return TextRows({"function_desc"}, std::move(rows));
}

}  // namespace frazil::commands
