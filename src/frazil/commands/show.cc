#include <algorithm>
#include <optional>

#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/commands/partition_commands.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_text.h"
#include "frazil/commands/view_names.h"
#include "frazil/functions/function.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::commands {

namespace {

bool Matches(const std::string& name, const std::optional<std::string>& pattern) {
  return !pattern.has_value() || MatchesShowPattern(name, *pattern);
}

RowSet NameRows(const std::vector<std::string>& columns,
                const std::vector<std::tuple<std::string, std::string, bool>>& rows) {
  RowSet result{DataType::Struct({{columns[0], DataType::String(), false},
                                  {columns[1], DataType::String(), false},
                                  {columns[2], DataType::Boolean(), false}}),
                {}};
  for (const auto& [name_space, name, temporary] : rows)
    result.rows.push_back({Value(name_space), Value(name), Value(temporary)});
  return result;
}

Result<ResolvedNamespace> NamespaceOf(const plan::ShowCommand& command, CommandContext& context) {
  std::vector<std::string> parts;
  if (command.name.has_value()) {
    FRAZIL_ASSIGN_OR_RETURN(parts, NameParts(*command.name, context));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
  if (!exists) return NoNamespace(*resolved.catalog, resolved.name_space);
  return resolved;
}

bool IsGlobalTemp(const plan::ShowCommand& command, CommandContext& context) {
  return command.name.has_value() && command.name->parts.size() == 1 &&
         EqualsIgnoreCase(command.name->parts[0], context.global_temp_database());
}

Result<RowSet> ShowTables(const plan::ShowCommand& command, CommandContext& context) {
  std::vector<std::tuple<std::string, std::string, bool>> rows;
  if (IsGlobalTemp(command, context)) {
    for (const auto& name : context.TempViewNames(true)) {
      if (Matches(name, command.pattern)) rows.emplace_back(context.global_temp_database(), name, true);
    }
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, NamespaceOf(command, context));
    FRAZIL_ASSIGN_OR_RETURN(auto tables, resolved.catalog->ListTables(resolved.name_space));
    FRAZIL_ASSIGN_OR_RETURN(auto views, resolved.catalog->ListViews(resolved.name_space));
    tables.insert(tables.end(), views.begin(), views.end());
    std::sort(tables.begin(), tables.end());
    for (const auto& name : tables) {
      if (Matches(name, command.pattern)) rows.emplace_back(Join(resolved.name_space, "."), name, false);
    }
    if (resolved.catalog->supports_views()) {
      for (const auto& name : context.TempViewNames(false)) {
        if (Matches(name, command.pattern)) rows.emplace_back("", name, true);
      }
    }
  }
  return NameRows({"namespace", "tableName", "isTemporary"}, rows);
}

Result<RowSet> ShowViews(const plan::ShowCommand& command, CommandContext& context) {
  std::vector<std::tuple<std::string, std::string, bool>> rows;
  if (IsGlobalTemp(command, context)) {
    for (const auto& name : context.TempViewNames(true)) {
      if (Matches(name, command.pattern)) rows.emplace_back(context.global_temp_database(), name, true);
    }
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, NamespaceOf(command, context));
    FRAZIL_ASSIGN_OR_RETURN(auto views, resolved.catalog->ListViews(resolved.name_space));
    for (const auto& name : views) {
      if (Matches(name, command.pattern)) rows.emplace_back(Join(resolved.name_space, "."), name, false);
    }
  }
  for (const auto& name : context.TempViewNames(false)) {
    if (Matches(name, command.pattern)) rows.emplace_back("", name, true);
  }
  return NameRows({"namespace", "viewName", "isTemporary"}, rows);
}

Result<RowSet> ShowTableExtended(const plan::ShowCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, NamespaceOf(command, context));
  FRAZIL_ASSIGN_OR_RETURN(auto tables, resolved.catalog->ListTables(resolved.name_space));
  RowSet result{DataType::Struct({{"namespace", DataType::String(), false},
                                  {"tableName", DataType::String(), false},
                                  {"isTemporary", DataType::Boolean(), false},
                                  {"information", DataType::String(), false}}),
                {}};
  if (!command.partition.empty()) {
    // The pattern is a table's name then.
    const std::string name = command.pattern.value_or("");
    analysis::ResolvedTable table;
    table.full_name = catalogs::FullName(*resolved.catalog, {resolved.name_space, name});
    FRAZIL_ASSIGN_OR_RETURN(table.table, resolved.catalog->LoadTable({resolved.name_space, name}));
    FRAZIL_ASSIGN_OR_RETURN(const auto information, DescribePartition(table, command.partition, context));
    result.rows.push_back(
        {Value(Join(resolved.name_space, ".")), Value(name), Value(false), Value(information + "\n")});
    return result;
  }
  for (const auto& name : tables) {
    if (!Matches(name, command.pattern)) continue;
    catalogs::Identifier identifier{resolved.name_space, name};
    FRAZIL_ASSIGN_OR_RETURN(auto table, resolved.catalog->LoadTable(identifier));
    std::string information;
    FRAZIL_ASSIGN_OR_RETURN(const auto type, TableTypeText(*table, resolved.catalog.get(), identifier));
    for (const auto& [key, value] : TableDetails(*table, catalogs::FullName(*resolved.catalog, identifier), type)) {
      information += key + ": " + value + "\n";
    }
    information += "Schema: " + SchemaTreeString(*table->schema()) + "\n";
    result.rows.push_back({Value(Join(resolved.name_space, ".")), Value(name), Value(false), Value(information)});
  }
  return result;
}

Result<RowSet> ShowNamespaces(const plan::ShowCommand& command, CommandContext& context) {
  std::vector<std::string> parts;
  if (command.name.has_value()) {
    FRAZIL_ASSIGN_OR_RETURN(parts, NameParts(*command.name, context));
  }
  catalogs::CatalogPtr catalog;
  catalogs::Namespace parent;
  if (parts.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(catalog, context.ResolveCatalog(context.current_catalog()));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
    catalog = resolved.catalog;
    parent = resolved.name_space;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto found, catalog->ListNamespaces(parent));
  std::vector<std::vector<std::string>> rows;
  for (const auto& name_space : found) {
    if (Matches(name_space.back(), command.pattern)) rows.push_back({Join(name_space, ".")});
  }
  return TextRows({"namespace"}, std::move(rows));
}

/// A table's or view's columns.
Result<DataTypePtr> SchemaOfName(const std::vector<std::string>& parts, CommandContext& context) {
  auto named = std::make_shared<plan::NamedTablePlan>();
  named->name = parts;
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(named, context));
  return plan::OutputSchema(*analyzed);
}

Result<RowSet> ShowColumns(const plan::ShowCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(*command.name, context));
  if (!command.from.empty()) {
    if (parts.size() > 1 && !EqualsIgnoreCase(parts[parts.size() - 2], command.from.back())) {
      return Error::Of("SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE",
                       {{"namespaceA", QuoteIdentifier(command.from)},
                        {"namespaceB", QuoteIdentifier(std::vector<std::string>(parts.begin(), parts.end() - 1))}});
    }
    std::vector<std::string> qualified = command.from;
    qualified.push_back(parts.back());
    parts = std::move(qualified);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto schema, SchemaOfName(parts, context));
  std::vector<std::vector<std::string>> rows;
  for (const auto& field : schema->fields()) rows.push_back({field.name});
  return TextRows({"col_name"}, std::move(rows));
}

Result<RowSet> ShowProperties(const plan::ShowCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(*command.name, context));
  if (parts.size() == 1 && context.FindTempView(parts[0]).has_value()) return TextRows({"key", "value"}, {});
  FRAZIL_ASSIGN_OR_RETURN(auto name, ResolveParts(parts, context));
  std::map<std::string, std::string> properties;
  FRAZIL_ASSIGN_OR_RETURN(auto view, name.catalog->LoadView(name.identifier));
  if (view.has_value()) {
    properties = view->properties;
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto table, name.catalog->LoadTable(name.identifier));
    properties = table->properties();
  }
  if (!command.key.empty()) {
    auto found = properties.find(command.key);
    std::string value = found != properties.end() ? found->second
                                                  : "Table " + catalogs::DottedName(*name.catalog, name.identifier) +
                                                        " does not have property: " + command.key;
    return TextRows({"key", "value"}, {{command.key, value}});
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : properties) rows.push_back({key, value});
  return TextRows({"key", "value"}, std::move(rows));
}

Result<RowSet> ShowCreateTable(const plan::ShowCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(*command.name, context));
  if (IsTempView(parts, context)) {
    return AtOrigin(Error::Of("EXPECT_PERMANENT_VIEW_NOT_TEMP",
                              {{"operation", "SHOW CREATE TABLE"}, {"viewName", QuoteIdentifier(parts)}}),
                    command.name->origin);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto name, ResolveParts(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(auto view, name.catalog->LoadView(name.identifier));
  auto full_name = catalogs::FullName(*name.catalog, name.identifier);
  if (view.has_value()) return TextRows({"createtab_stmt"}, {{CreateViewText(*view, full_name)}});
  FRAZIL_ASSIGN_OR_RETURN(auto table, name.catalog->LoadTable(name.identifier));
  FRAZIL_ASSIGN_OR_RETURN(const auto type, TableTypeText(*table, name.catalog.get(), name.identifier));
  return TextRows({"createtab_stmt"}, {{CreateTableText(*table, full_name, type)}});
}

Result<RowSet> ShowPartitions(const plan::ShowCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(*command.name, {"SHOW PARTITIONS"}, context));
  auto partitioning = table.table->partitioning();
  if (table.table->provider() != "delta") {
    FRAZIL_ASSIGN_OR_RETURN(const auto found, ListPartitions(table, command.partition, context));
    std::vector<std::vector<std::string>> partitions;
    for (const auto& folder : found) partitions.push_back({folder});
    return TextRows({"partition"}, std::move(partitions));
  }
  if (partitioning.empty()) {
    return Error::Of("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY",
                     {{"name", QuoteIdentifier(table.full_name)}});
  }
  if (!command.partition.empty()) return Error::Unsupported("SHOW PARTITIONS ... PARTITION");
  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.table->Scan({}));
  FRAZIL_ASSIGN_OR_RETURN(auto planned, scan->Plan(Predicate::True()));
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : planned.files) {
    std::string text;
    for (const auto& [index, value] : file.constants) {
      const auto& column = planned.columns[index];
      std::optional<std::string> shown;
      if (!value.is_null()) shown = ValueToString(*column.type, value, context.settings().time_zone);
      text += (text.empty() ? "" : "/") + tables::PartitionFolder(column.name, shown);
    }
    rows.push_back({text});
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return TextRows({"partition"}, std::move(rows));
}

// All procedures stand in the namespace `system` of each catalog.
Result<RowSet> ShowProcedures(const plan::ShowCommand& command, CommandContext& context) {
  std::vector<std::string> parts;
  if (command.name.has_value()) {
    FRAZIL_ASSIGN_OR_RETURN(parts, NameParts(*command.name, context));
  } else {
    parts = context.current_namespace();
  }
  std::string catalog = context.current_catalog();
  if (!parts.empty() && context.HasCatalog(parts[0])) {
    catalog = parts[0];
    parts.erase(parts.begin());
  }
  RowSet result;
  result.schema = DataType::Struct({StructField("catalog", DataType::String(), false),
                                    StructField("namespace", DataType::Array(DataType::String(), false), false),
                                    StructField("schema", DataType::String(), true),
                                    StructField("procedure_name", DataType::String(), false)});
  if (parts.size() != 1 || !EqualsIgnoreCase(parts[0], "system")) return result;
  for (const auto& name : ProcedureNames(context)) {
    result.rows.push_back({Value(catalog), Value(Value::List{Value("system")}), Value("system"), Value(name)});
  }
  return result;
}

}  // namespace

Result<RowSet> RunShow(const plan::ShowCommand& command, CommandContext& context) {
  using Type = plan::ShowCommand::Type;
  switch (command.type) {
    case Type::kCatalogs: {
      std::vector<std::vector<std::string>> rows;
      for (const auto& name : context.CatalogNames()) {
        if (Matches(name, command.pattern)) rows.push_back({name});
      }
      return TextRows({"catalog"}, std::move(rows));
    }
    case Type::kNamespaces:
      return ShowNamespaces(command, context);
    case Type::kTables:
      return ShowTables(command, context);
    case Type::kTableExtended:
      return ShowTableExtended(command, context);
    case Type::kViews:
      return ShowViews(command, context);
    case Type::kColumns:
      return ShowColumns(command, context);
    case Type::kFunctions:
      return ShowFunctions(command, context);
    case Type::kPartitions:
      return ShowPartitions(command, context);
    case Type::kProperties:
      return ShowProperties(command, context);
    case Type::kCreateTable:
      return ShowCreateTable(command, context);
    case Type::kCurrentNamespace:
      return TextRows({"catalog", "namespace"}, {{context.current_catalog(), Join(context.current_namespace(), ".")}});
    case Type::kVariables: {
      std::vector<std::vector<std::string>> rows;
      for (const auto& variable : context.Variables()) {
        rows.push_back({variable.name, variable.type->SimpleString(),
                        variable.value.is_null()
                            ? "NULL"
                            : ValueToString(*variable.type, variable.value, context.settings().time_zone)});
      }
      return TextRows({"name", "data_type", "value"}, std::move(rows));
    }
    case Type::kProcedures:
      return ShowProcedures(command, context);
  }
  return Error::Internal("unknown SHOW statement");
}

}  // namespace frazil::commands
