#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_text.h"
#include "frazil/commands/view_names.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

/// Schema of a view: the query's columns under the names that the view gives them, with comments.
Result<DataTypePtr> ViewSchema(const plan::CreateViewCommand& command, const DataTypePtr& query_schema,
                               const std::string& view_name) {
  auto fields = query_schema->fields();
  if (!command.columns.empty()) {
    if (command.columns.size() != fields.size()) {
      std::vector<std::string> given, present;
      for (const auto& [name, comment] : command.columns) given.push_back(QuoteIdentifier(name));
      for (const auto& field : fields) present.push_back(QuoteIdentifier(field.name));
      return Error::Of(
          command.columns.size() > fields.size() ? "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
                                                 : "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
          {{"viewName", view_name}, {"viewColumns", Join(given, ", ")}, {"dataColumns", Join(present, ", ")}});
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      fields[i].name = command.columns[i].first;
      if (command.columns[i].second.has_value()) fields[i].SetComment(*command.columns[i].second);
    }
  }
  auto result = DataType::Struct(std::move(fields));
  FRAZIL_RETURN_IF_ERROR(CheckNamesDiffer(*result));
  return result;
}

/// The query as a text of its own: places in it count from its beginning. Views of DataFrames have no text.
Result<plan::PlanPtr> OwnQuery(const plan::PlanPtr& query, const std::string& text, CommandContext& context) {
  return text.empty() ? query : sql::ParseQuery(text, context.parser_options());
}

Result<RowSet> CreateTemporaryView(const plan::CreateViewCommand& command, const std::vector<std::string>& parts,
                                   CommandContext& context) {
  bool global = command.scope == plan::ViewScope::kGlobalTemporary;
  if (parts.size() > 1 &&
      !(global && parts.size() == 2 && EqualsIgnoreCase(parts[0], context.global_temp_database()))) {
    return Error::Of("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", {{"actualName", QuoteIdentifier(parts)}});
  }
  const std::string& name = parts.back();
  auto existing = global ? context.FindGlobalTempView(name) : context.FindTempView(name);
  if (existing.has_value() && !command.or_replace) {
    if (command.if_not_exists) return NoRows();
    return Error::Of("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(name)}});
  }
  analysis::TempView view;
  view.current_catalog = context.current_catalog();
  view.current_namespace = context.current_namespace();
  view.query_text = command.query_text;
  if (command.provider.has_value()) {
    auto source = std::make_shared<plan::DataSourcePlan>();
    source->format = *command.provider;
    source->options = command.options;
    if (!command.schema.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(auto schema, SchemaOf(command.schema));
      source->schema = schema->Json();
    }
    view.plan = source;
    FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(view.plan, context));
    FRAZIL_ASSIGN_OR_RETURN(view.schema, ViewSchema(command, plan::OutputSchema(*analyzed), QuoteIdentifier(name)));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(command.query, context));
    FRAZIL_ASSIGN_OR_RETURN(view.plan, OwnQuery(command.query, command.query_text, context));
    // A view that replaces one which it reads goes on to read the old one.
    if (existing.has_value()) view.captured_views = context.CaptureTempViews();
    FRAZIL_ASSIGN_OR_RETURN(view.schema, ViewSchema(command, plan::OutputSchema(*analyzed), QuoteIdentifier(name)));
  }
  context.PutTempView(name, std::move(view), global);
  return NoRows();
}

Result<catalogs::ViewDefinition> DefineView(const plan::PlanPtr& query, const std::string& text,
                                            CommandContext& context, DataTypePtr* query_schema) {
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(query, context));
  *query_schema = plan::OutputSchema(*analyzed);
  catalogs::ViewDefinition view;
  view.query_text = text;
  view.current_catalog = context.current_catalog();
  view.current_namespace = context.current_namespace();
  for (const auto& field : (*query_schema)->fields()) view.query_column_names.push_back(field.name);
  for (const auto& item : context.Configs(false)) {
    if (item.key.starts_with("spark.sql.") && !item.key.starts_with("spark.sql.catalog."))
      view.settings[item.key] = item.value;
  }
  view.owner = context.settings().current_user;
  return view;
}

}  // namespace

Result<RowSet> RunCreateView(const plan::CreateViewCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (command.scope != plan::ViewScope::kPersistent) return CreateTemporaryView(command, parts, context);
  FRAZIL_ASSIGN_OR_RETURN(auto name, analysis::ResolveIdentifier(parts, context));
  if (!name.catalog->supports_views()) {
    return Error::Of("UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                     {{"catalogName", QuoteIdentifier(name.catalog->name())}, {"operation", "views"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto existing, name.catalog->LoadView(name.identifier));
  FRAZIL_ASSIGN_OR_RETURN(bool is_table, name.catalog->TableExists(name.identifier));
  if (existing.has_value() && command.if_not_exists) return NoRows();
  if (is_table && command.if_not_exists) return NoRows();
  if (is_table && command.or_replace) {
    return ExpectView("CREATE OR REPLACE VIEW", "NO_ALTERNATIVE", catalogs::FullName(*name.catalog, name.identifier));
  }
  if (is_table || (existing.has_value() && !command.or_replace))
    return catalogs::TableExistsAlready(*name.catalog, name.identifier);
  DataTypePtr query_schema;
  FRAZIL_ASSIGN_OR_RETURN(auto view, DefineView(command.query, command.query_text, context, &query_schema));
  FRAZIL_ASSIGN_OR_RETURN(view.schema, ViewSchema(command, query_schema,
                                                  QuoteIdentifier(catalogs::FullName(*name.catalog, name.identifier))));
  view.comment = command.comment.value_or("");
  view.properties.insert(command.properties.begin(), command.properties.end());
  if (command.schema_binding.has_value()) view.schema_binding = *command.schema_binding;
  FRAZIL_RETURN_IF_ERROR(name.catalog->CreateView(name.identifier, view, command.or_replace));
  return NoRows();
}

Result<RowSet> RunDropView(const plan::DropViewCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (parts.size() == 1 && context.DropTempView(parts[0], false)) return NoRows();
  if (parts.size() == 2 && EqualsIgnoreCase(parts[0], context.global_temp_database())) {
    if (context.DropTempView(parts[1], true) || command.if_exists) return NoRows();
    return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier(parts)}});
  }
  auto name = analysis::ResolveIdentifier(parts, context);
  if (!name.ok()) {
    if (command.if_exists) return NoRows();
    return std::move(name).error();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto view, name->catalog->LoadView(name->identifier));
  if (!view.has_value()) {
    FRAZIL_ASSIGN_OR_RETURN(bool is_table, name->catalog->TableExists(name->identifier));
    if (is_table) {
      FRAZIL_ASSIGN_OR_RETURN(auto table, name->catalog->LoadTable(name->identifier));
      FRAZIL_ASSIGN_OR_RETURN(auto type, TableTypeText(*table, name->catalog.get(), name->identifier));
      return Error::Of("WRONG_COMMAND_FOR_OBJECT_TYPE",
                       {{"operation", "DROP VIEW"},
                        {"requiredType", "VIEW"},
                        {"objectName", catalogs::DottedName(*name->catalog, name->identifier)},
                        {"foundType", std::move(type)},
                        {"alternative", "DROP TABLE"}});
    }
    FRAZIL_RETURN_IF_ERROR(CheckNamespace(*name));
    if (command.if_exists) return NoRows();
    return catalogs::TableNotFound(*name->catalog, name->identifier);
  }
  FRAZIL_RETURN_IF_ERROR(name->catalog->DropView(name->identifier));
  return NoRows();
}

Result<RowSet> RunAlterView(const plan::AlterViewCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (parts.size() == 1 && command.query != nullptr) {
    if (auto temporary = context.FindTempView(parts[0]); temporary.has_value()) {
      FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(command.query, context));
      analysis::TempView view;
      FRAZIL_ASSIGN_OR_RETURN(view.plan, OwnQuery(command.query, command.query_text, context));
      view.current_catalog = context.current_catalog();
      view.current_namespace = context.current_namespace();
      view.schema = plan::OutputSchema(*analyzed);
      view.query_text = command.query_text;
      context.PutTempView(parts[0], std::move(view), false);
      return NoRows();
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto name, analysis::ResolveIdentifier(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(auto view, name.catalog->LoadView(name.identifier));
  if (!view.has_value()) {
    FRAZIL_ASSIGN_OR_RETURN(bool is_table, name.catalog->TableExists(name.identifier));
    if (!is_table) return catalogs::TableNotFound(*name.catalog, name.identifier);
    const bool is_query = command.query != nullptr;
    const char* operation = is_query                      ? "ALTER VIEW ... AS"
                            : command.schema_binding      ? "ALTER VIEW ... WITH SCHEMA"
                            : !command.unset_keys.empty() ? "ALTER VIEW ... UNSET TBLPROPERTIES"
                                                          : "ALTER VIEW ... SET TBLPROPERTIES";
    return AtOrigin(ExpectView(operation, is_query || command.schema_binding ? "NO_ALTERNATIVE" : "USE_ALTER_TABLE",
                               catalogs::FullName(*name.catalog, name.identifier)),
                    command.name.origin);
  }
  if (command.query != nullptr) {
    DataTypePtr query_schema;
    FRAZIL_ASSIGN_OR_RETURN(auto changed, DefineView(command.query, command.query_text, context, &query_schema));
    changed.schema = query_schema;
    changed.comment = view->comment;
    changed.properties = view->properties;
    changed.schema_binding = view->schema_binding;
    view = std::move(changed);
  }
  for (const auto& [key, value] : command.properties) view->properties[key] = value;
  for (const auto& key : command.unset_keys) {
    if (view->properties.erase(key) == 0 && !command.if_exists) {
      return Error::Of("UNSET_NONEXISTENT_PROPERTIES",
                       {{"properties", QuoteIdentifier(key)},
                        {"table", QuoteIdentifier(catalogs::FullName(*name.catalog, name.identifier))}});
    }
  }
  if (command.schema_binding.has_value()) view->schema_binding = *command.schema_binding;
  FRAZIL_RETURN_IF_ERROR(name.catalog->CreateView(name.identifier, *view, true));
  return NoRows();
}

Result<RowSet> RunCreateDataFrameView(const plan::CreateDataFrameViewCommand& command, CommandContext& context) {
  auto existing = command.is_global ? context.FindGlobalTempView(command.name) : context.FindTempView(command.name);
  if (existing.has_value() && !command.replace) {
    return Error::Of("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(command.name)}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(command.input, context));
  analysis::TempView view;
  view.plan = command.input;
  view.current_catalog = context.current_catalog();
  view.current_namespace = context.current_namespace();
  // Data is read anew with each use of the view; what its names mean stays as it is now.
  view.captured_views = context.CaptureTempViews();
  view.schema = plan::OutputSchema(*analyzed);
  context.PutTempView(command.name, std::move(view), command.is_global);
  return NoRows();
}

}  // namespace frazil::commands
