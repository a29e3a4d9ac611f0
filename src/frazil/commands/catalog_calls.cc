#include "frazil/commands/catalog_calls.h"

#include <algorithm>
#include <map>

#include "frazil/base/text.h"
#include "frazil/commands/run_command.h"
#include "frazil/commands/sql_functions.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_text.h"
#include "frazil/commands/view_names.h"
#include "frazil/functions/function.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

using Call = plan::CatalogCallPlan;

RowSet One(const std::string& text) {
  return {DataType::Struct({{"value", DataType::String(), false}}), {{Value(text)}}};
}
RowSet One(bool flag) { return {DataType::Struct({{"value", DataType::Boolean(), false}}), {{Value(flag)}}}; }

std::optional<std::string> Argument(const Call& call, const char* name) {
  auto found = call.arguments.find(name);
  if (found == call.arguments.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

bool Matches(const std::string& name, const std::optional<std::string>& pattern) {
  return !pattern.has_value() || MatchesShowPattern(name, *pattern);
}

Result<std::vector<std::string>> Parts(const std::string& name, CommandContext& context) {
  return sql::ParseMultipartIdentifier(name, context.parser_options());
}

/// table_name, with db_name in front where given.
Result<std::vector<std::string>> TableParts(const Call& call, const char* key, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, Parts(Argument(call, key).value_or(""), context));
  if (auto database = Argument(call, "db_name")) {
    FRAZIL_ASSIGN_OR_RETURN(auto qualified, Parts(*database, context));
    qualified.insert(qualified.end(), parts.begin(), parts.end());
    return qualified;
  }
  return parts;
}

Result<ResolvedNamespace> NamespaceOf(const Call& call, CommandContext& context) {
  std::vector<std::string> parts;
  if (auto name = Argument(call, "db_name")) {
    FRAZIL_ASSIGN_OR_RETURN(parts, Parts(*name, context));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
  if (!exists) return catalogs::NamespaceNotFound(*resolved.catalog, resolved.name_space);
  return resolved;
}

// --- databases

RowSet DatabaseRows() {
  return {DataType::Struct({{"name", DataType::String(), false},
                            {"catalog", DataType::String()},
                            {"description", DataType::String()},
                            {"locationUri", DataType::String()}}),
          {}};
}

Status AddDatabase(catalogs::Catalog& catalog, const catalogs::Namespace& name_space, RowSet* rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto properties, catalog.LoadNamespace(name_space));
  std::string location = properties["location"];
  if (!location.empty() && storage::SchemeOf(location).empty()) location = "file:" + location;
  rows->rows.push_back(
      {Value(Join(name_space, ".")), Value(catalog.name()), Value(properties["comment"]), Value(location)});
  return Status::Ok();
}

Result<RowSet> ListDatabases(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto catalog, context.ResolveCatalog(context.current_catalog()));
  FRAZIL_ASSIGN_OR_RETURN(auto found, catalog->ListNamespaces({}));
  RowSet rows = DatabaseRows();
  for (const auto& name_space : found) {
    if (Matches(name_space.back(), Argument(call, "pattern")))
      FRAZIL_RETURN_IF_ERROR(AddDatabase(*catalog, name_space, &rows));
  }
  return rows;
}

Result<RowSet> GetDatabase(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, NamespaceOf(call, context));
  RowSet rows = DatabaseRows();
  FRAZIL_RETURN_IF_ERROR(AddDatabase(*resolved.catalog, resolved.name_space, &rows));
  return rows;
}

Result<RowSet> DatabaseExists(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, Parts(Argument(call, "db_name").value_or(""), context));
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
  return One(exists);
}

Result<RowSet> SetCurrentDatabase(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, NamespaceOf(call, context));
  FRAZIL_RETURN_IF_ERROR(context.SetCurrentCatalog(resolved.catalog->name()));
  context.SetCurrentNamespace(resolved.name_space);
  return NoRows();
}

// --- tables

RowSet TableRows() {
  return {DataType::Struct({{"name", DataType::String(), false},
                            {"catalog", DataType::String()},
                            {"namespace", DataType::Array(DataType::String())},
                            {"description", DataType::String()},
                            {"tableType", DataType::String(), false},
                            {"isTemporary", DataType::Boolean(), false}}),
          {}};
}

void AddTempView(const std::string& name, const std::optional<std::string>& database, RowSet* rows) {
  Value name_space = Value(database.has_value() ? Value::List{Value(*database)} : Value::List{});
  rows->rows.push_back({Value(name), Value(), name_space, Value(), Value("TEMPORARY"), Value(true)});
}

Status AddTable(catalogs::Catalog& catalog, const catalogs::Identifier& identifier, RowSet* rows) {
  Value::List name_space;
  for (const auto& part : identifier.name_space) name_space.emplace_back(part);
  FRAZIL_ASSIGN_OR_RETURN(auto view, catalog.LoadView(identifier));
  std::string type = "VIEW", comment;
  if (view.has_value()) {
    comment = view->comment;
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto table, catalog.LoadTable(identifier));
    FRAZIL_ASSIGN_OR_RETURN(type, TableTypeText(*table, &catalog, identifier));
    comment = table->comment();
  }
  rows->rows.push_back({Value(identifier.name), Value(catalog.name()), Value(std::move(name_space)),
                        comment.empty() ? Value() : Value(comment), Value(type), Value(false)});
  return Status::Ok();
}

Result<RowSet> ListTables(const Call& call, CommandContext& context) {
  RowSet rows = TableRows();
  auto pattern = Argument(call, "pattern");
  auto database = Argument(call, "db_name");
  if (database.has_value() && EqualsIgnoreCase(*database, context.global_temp_database())) {
    for (const auto& name : context.TempViewNames(true)) {
      if (Matches(name, pattern)) AddTempView(name, context.global_temp_database(), &rows);
    }
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, NamespaceOf(call, context));
    FRAZIL_ASSIGN_OR_RETURN(auto names, resolved.catalog->ListTables(resolved.name_space));
    FRAZIL_ASSIGN_OR_RETURN(auto views, resolved.catalog->ListViews(resolved.name_space));
    names.insert(names.end(), views.begin(), views.end());
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      if (Matches(name, pattern))
        FRAZIL_RETURN_IF_ERROR(AddTable(*resolved.catalog, {resolved.name_space, name}, &rows));
    }
  }
  for (const auto& name : context.TempViewNames(false)) {
    if (Matches(name, pattern)) AddTempView(name, std::nullopt, &rows);
  }
  return rows;
}

Result<RowSet> GetTable(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, TableParts(call, "table_name", context));
  RowSet rows = TableRows();
  if (IsTempView(parts, context)) {
    AddTempView(parts.back(), parts.size() == 2 ? std::optional<std::string>(parts[0]) : std::nullopt, &rows);
    return rows;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, analysis::ResolveIdentifier(parts, context));
  FRAZIL_RETURN_IF_ERROR(AddTable(*resolved.catalog, resolved.identifier, &rows));
  return rows;
}

Result<RowSet> TableExists(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, TableParts(call, "table_name", context));
  if (IsTempView(parts, context)) return One(true);
  auto resolved = analysis::ResolveIdentifier(parts, context);
  if (!resolved.ok()) return One(false);
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved->catalog->TableExists(resolved->identifier));
  if (exists) return One(true);
  FRAZIL_RETURN_IF_ERROR(CheckNamespace(*resolved));
  FRAZIL_ASSIGN_OR_RETURN(auto view, resolved->catalog->LoadView(resolved->identifier));
  return One(view.has_value());
}

Result<RowSet> ListColumns(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, TableParts(call, "table_name", context));
  auto named = std::make_shared<plan::NamedTablePlan>();
  named->name = parts;
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(named, context));
  std::vector<tables::PartitionField> partitioning;
  if (!IsTempView(parts, context)) {
    auto table = analysis::ResolveTable(parts, context);
    if (table.ok()) partitioning = table->table->partitioning();
  }
  RowSet rows{DataType::Struct({{"name", DataType::String(), false},
                                {"description", DataType::String()},
                                {"dataType", DataType::String(), false},
                                {"nullable", DataType::Boolean(), false},
                                {"isPartition", DataType::Boolean(), false},
                                {"isBucket", DataType::Boolean(), false},
                                {"isCluster", DataType::Boolean(), false}}),
              {}};
  auto schema = plan::OutputSchema(*analyzed);
  for (const auto& field : schema->fields()) {
    bool partition = false, bucket = false;
    for (const auto& term : partitioning) {
      if (!EqualsIgnoreCase(term.source[0], field.name)) continue;
      partition = partition || term.transform == tables::TransformKind::kIdentity;
      bucket = bucket || term.transform == tables::TransformKind::kBucket;
    }
    rows.rows.push_back({Value(field.name), field.Comment().empty() ? Value() : Value(field.Comment()),
                         Value(field.type->SimpleString()), Value(field.nullable), Value(partition), Value(bucket),
                         Value(false)});
  }
  return rows;
}

Result<RowSet> CreateTable(const Call& call, CommandContext& context) {
  plan::CreateTableCommand create;
  FRAZIL_ASSIGN_OR_RETURN(create.name.parts, Parts(Argument(call, "table_name").value_or(""), context));
  create.provider = Argument(call, "source");
  create.location = Argument(call, "path");
  create.comment = Argument(call, "description");
  create.options = call.options;
  if (call.schema != nullptr) {
    for (const auto& field : call.schema->fields()) {
      plan::ColumnDefinition column;
      column.name = {field.name};
      column.type = field.type;
      column.nullable = field.nullable;
      if (!field.Comment().empty()) column.comment = field.Comment();
      create.columns.push_back(std::move(column));
    }
  }
  FRAZIL_RETURN_IF_ERROR(RunCreateTable(create, context));
  auto named = std::make_shared<plan::NamedTablePlan>();
  named->name = create.name.parts;
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(named, context));
  return context.CollectRows(analyzed);
}

// --- functions

RowSet FunctionRows() {
  return {DataType::Struct({{"name", DataType::String(), false},
                            {"catalog", DataType::String()},
                            {"namespace", DataType::Array(DataType::String())},
                            {"description", DataType::String()},
                            {"className", DataType::String(), false},
                            {"isTemporary", DataType::Boolean(), false}}),
          {}};
}

void AddFunction(const std::string& name, const std::string& usage, RowSet* rows) {
  rows->rows.push_back({Value(name), Value(), Value(), Value(usage), Value("frazil." + name), Value(true)});
}

void AddPermanentFunction(const analysis::SqlFunction& function, RowSet* rows) {
  const auto& name = function.full_name;
  Value::List name_space;
  for (size_t i = 1; i + 1 < name.size(); ++i) name_space.push_back(Value(name[i]));
  const std::string class_name =
      function.class_name.empty() ? "org.apache.spark.sql.catalyst.expressions.SQLFunction" : function.class_name;
  rows->rows.push_back({Value(name.back()), Value(name.front()), Value(std::move(name_space)), Value("N/A."),
                        Value(class_name), Value(false)});
}

Result<RowSet> ListFunctions(const Call& call, CommandContext& context) {
  RowSet rows = FunctionRows();
  std::map<std::string, std::string> names;
  for (const auto* function : functions::AllFunctions()) {
    names[function->name] = function->usage;
    for (const auto& alias : function->aliases) names[alias] = function->usage;
  }
  for (const auto& name : context.SqlFunctionNames()) names[name] = "";
  FRAZIL_ASSIGN_OR_RETURN(const auto permanent, PermanentFunctionNames(context));
  for (const auto& name : permanent) {
    if (!Matches(name, Argument(call, "pattern"))) continue;
    FRAZIL_ASSIGN_OR_RETURN(const auto resolved, analysis::ResolveIdentifier({name}, context));
    if (const auto function = context.FindSqlFunction(catalogs::FullName(*resolved.catalog, resolved.identifier)))
      AddPermanentFunction(*function, &rows);
  }
  for (const auto& [name, usage] : names) {
    if (Matches(name, Argument(call, "pattern"))) AddFunction(name, usage, &rows);
  }
  return rows;
}

Result<RowSet> GetFunction(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, TableParts(call, "function_name", context));
  RowSet rows = FunctionRows();
  if (const auto* function = functions::FindFunction(AsciiLower(parts.back()))) {
    AddFunction(function->name, function->usage, &rows);
    return rows;
  }
  if (const auto function = context.FindSqlFunction(parts)) {
    if (function->full_name.empty()) {
      AddFunction(parts.back(), "", &rows);
    } else {
      AddPermanentFunction(*function, &rows);
    }
    return rows;
  }
  return Error::Of("UNRESOLVED_ROUTINE",
                   {{"routineName", QuoteIdentifier(parts)},
                    {"searchPath", "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]"}});
}

Result<RowSet> FunctionExists(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, TableParts(call, "function_name", context));
  return One(functions::FindFunction(AsciiLower(parts.back())) != nullptr ||
             context.FindSqlFunction(parts).has_value());
}

Result<RowSet> ListCatalogs(const Call& call, CommandContext& context) {
  RowSet rows{DataType::Struct({{"name", DataType::String(), false}, {"description", DataType::String()}}), {}};
  for (const auto& name : context.CatalogNames()) {
    if (Matches(name, Argument(call, "pattern"))) rows.rows.push_back({Value(name), Value()});
  }
  return rows;
}

// --- caching

Result<RowSet> MarkCached(const Call& call, bool cached, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, Parts(Argument(call, "table_name").value_or(""), context));
  FRAZIL_ASSIGN_OR_RETURN(auto name, CachedName(parts, context));
  context.MarkCached(name, cached);
  return NoRows();
}

Result<RowSet> CheckTable(const Call& call, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, Parts(Argument(call, "table_name").value_or(""), context));
  FRAZIL_RETURN_IF_ERROR(CachedName(parts, context));
  return NoRows();
}

/// DeltaTable.isDeltaTable: whether a path is in a table's folder, or one below it.
Result<RowSet> IsDeltaTable(const Call& call, CommandContext& context) {
  std::string path = Argument(call, "path").value_or("");
  if (path.find('/') == std::string::npos) path = "./" + path;
  const std::string scheme = storage::SchemeOf(path);
  const size_t root = scheme.empty() ? 0 : path.find('/', scheme.size() + 3);
  while (root != std::string::npos && path.size() > root + 1) {
    FRAZIL_ASSIGN_OR_RETURN(auto name, ResolveParts({"delta", path}, context));
    FRAZIL_ASSIGN_OR_RETURN(bool exists, name.catalog->TableExists(name.identifier));
    if (exists) return One(true);
    path.resize(path.rfind('/'));
  }
  return One(false);
}

}  // namespace

Result<RowSet> RunCatalogCall(const Call& call, CommandContext& context) {
  using Run = Result<RowSet> (*)(const Call&, CommandContext&);
  static const std::map<std::string, Run, std::less<>> kCalls = {
      {"CurrentDatabase",
       [](const Call&, CommandContext& c) -> Result<RowSet> { return One(Join(c.current_namespace(), ".")); }},
      {"SetCurrentDatabase", SetCurrentDatabase},
      {"ListDatabases", ListDatabases},
      {"ListTables", ListTables},
      {"ListFunctions", ListFunctions},
      {"ListColumns", ListColumns},
      {"GetDatabase", GetDatabase},
      {"GetTable", GetTable},
      {"GetFunction", GetFunction},
      {"DatabaseExists", DatabaseExists},
      {"TableExists", TableExists},
      {"FunctionExists", FunctionExists},
      {"CreateExternalTable", CreateTable},
      {"CreateTable", CreateTable},
      {"DropTempView",
       [](const Call& call, CommandContext& c) -> Result<RowSet> {
         return One(c.DropTempView(Argument(call, "view_name").value_or(""), false));
       }},
      {"DropGlobalTempView",
       [](const Call& call, CommandContext& c) -> Result<RowSet> {
         return One(c.DropTempView(Argument(call, "view_name").value_or(""), true));
       }},
      {"RecoverPartitions", CheckTable},
      {"IsCached",
       [](const Call& call, CommandContext& c) -> Result<RowSet> {
         FRAZIL_ASSIGN_OR_RETURN(auto parts, Parts(Argument(call, "table_name").value_or(""), c));
         FRAZIL_ASSIGN_OR_RETURN(auto name, CachedName(parts, c));
         return One(c.IsCached(name));
       }},
      {"CacheTable", [](const Call& call, CommandContext& c) { return MarkCached(call, true, c); }},
      {"UncacheTable", [](const Call& call, CommandContext& c) { return MarkCached(call, false, c); }},
      {"ClearCache",
       [](const Call&, CommandContext& c) -> Result<RowSet> {
         c.ClearCached();
         return NoRows();
       }},
      {"RefreshTable", CheckTable},
      {"RefreshByPath", [](const Call&, CommandContext&) -> Result<RowSet> { return NoRows(); }},
      {"CurrentCatalog", [](const Call&, CommandContext& c) -> Result<RowSet> { return One(c.current_catalog()); }},
      {"SetCurrentCatalog",
       [](const Call& call, CommandContext& c) -> Result<RowSet> {
         FRAZIL_RETURN_IF_ERROR(c.SetCurrentCatalog(Argument(call, "catalog_name").value_or("")));
         return NoRows();
       }},
      {"ListCatalogs", ListCatalogs},
      {"IsDeltaTable", IsDeltaTable},
  };
  auto found = kCalls.find(call.call);
  if (found == kCalls.end()) return Error::Unsupported("spark.catalog: " + call.call);
  return found->second(call, context);
}

}  // namespace frazil::commands
