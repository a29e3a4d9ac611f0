#include <algorithm>

#include "frazil/analysis/analyzer.h"
#include "frazil/base/text.h"
#include "frazil/commands/generated_columns.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/commands/view_names.h"

namespace frazil::commands {

namespace {

/// CREATE TABLE t USING format LOCATION 'folder' without columns: those of the files.
Result<DataTypePtr> InferredSchema(const plan::CreateTableCommand& command, CommandContext& context) {
  plan::DataSourcePlan source;
  source.format = command.provider.value_or("");
  source.options = command.options;
  if (command.location.has_value()) source.paths.push_back(*command.location);
  FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenDataSource(source));
  return opened.scan->schema();
}

/// CREATE TABLE t LIKE source: the source's columns and partitioning, none of its rows.
Result<RowSet> CreateLike(const plan::CreateTableCommand& command, const analysis::ResolvedIdentifier& name,
                          CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, ResolveTableName(*command.like, context));
  DefinitionClauses clauses;
  clauses.schema = source.table->schema();
  clauses.provider =
      command.provider.has_value() ? command.provider : std::optional<std::string>(source.table->provider());
  clauses.is_stored_as = !command.serde_text.empty();
  clauses.options = command.options;
  clauses.location = command.location;
  clauses.properties = command.properties;
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, *name.catalog, context));
  for (auto field : source.table->partitioning()) {
    field.name.clear();
    definition.partitioning.push_back(std::move(field));
  }
  FRAZIL_RETURN_IF_ERROR(name.catalog->CreateTable(name.identifier, definition));
  return NoRows();
}

/// The newest version of a table that was committed at or before an instant.
Result<int64_t> VersionAt(const tables::Table& table, int64_t timestamp_micros) {
  tables::ScanOptions options;
  options.timestamp_micros = timestamp_micros;
  // An instant before or behind all versions is the scan's error.
  FRAZIL_RETURN_IF_ERROR(table.Scan(options).status());
  FRAZIL_ASSIGN_OR_RETURN(auto history, table.History(std::nullopt));
  for (const auto& row : history.rows) {
    if (row[1].integer() <= timestamp_micros) return row[0].integer();
  }
  return Error::Internal("a version that can be read is not in the history");
}

/// CREATE TABLE t SHALLOW CLONE source: a table of its own over the same files.
Result<RowSet> CreateClone(const plan::CreateTableCommand& command, const analysis::ResolvedIdentifier& name,
                           bool exists, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, ResolveTableName(*command.clone_of, context));
  if (source.table->provider() != "delta") {
    return Error::Of("DELTA_CLONE_UNSUPPORTED_SOURCE",
                     {{"name", Join(source.full_name, ".")}, {"format", source.table->provider()}});
  }
  DefinitionClauses clauses;
  clauses.schema = source.table->schema();
  clauses.provider = "delta";
  clauses.location = command.location;
  clauses.properties = command.properties;
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, *name.catalog, context));
  definition.clone_of = source.table;
  definition.clone_version = command.clone_version ? command.clone_version : source.scan_options.snapshot_id;
  std::optional<int64_t> timestamp = source.scan_options.timestamp_micros;
  if (command.clone_timestamp != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto value,
                            analysis::AnalyzeConstant(command.clone_timestamp, DataType::Timestamp(), context));
    if (value.is_null()) return Error::Of("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", {{"expr", "NULL"}});
    timestamp = value.integer();
  }
  if (timestamp && !definition.clone_version) {
    FRAZIL_ASSIGN_OR_RETURN(definition.clone_version, VersionAt(*source.table, *timestamp));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto staged, name.catalog->StageTable(name.identifier, definition, exists));
  tables::WriteOptions options;
  options.mode = exists ? tables::WriteMode::kReplaceTable : tables::WriteMode::kAppend;
  FRAZIL_ASSIGN_OR_RETURN(auto write, staged.table->StartWrite(options));
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return NoRows();
}

/// CLUSTERED BY (a) INTO n BUCKETS of an Iceberg table, whose partition transform it is.
Result<plan::PartitionTransform> BucketTransform(const plan::BucketSpecification& buckets) {
  if (buckets.columns.size() > 1 || !buckets.sort_columns.empty()) {
    const std::string columns = Join(buckets.columns, ", "), count = std::to_string(buckets.count);
    std::string text = "bucket(" + count + ", " + columns + ")";
    if (!buckets.sort_columns.empty()) {
      std::vector<std::string> sorted;
      for (const auto& [column, ascending] : buckets.sort_columns) sorted.push_back(column);
      text = "sorted_bucket(" + columns + ", " + count + ", " + Join(sorted, ", ") + ")";
    }
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot convert transform with more than one column reference: " + text);
  }
  plan::PartitionTransform transform;
  transform.transform = "bucket";
  transform.column = {buckets.columns[0]};
  transform.arguments = {Value(buckets.count)};
  return transform;
}

}  // namespace

Result<RowSet> RunCreateTable(const plan::CreateTableCommand& command, CommandContext& context) {
  using Mode = plan::CreateTableCommand::Mode;
  FRAZIL_ASSIGN_OR_RETURN(auto name, ResolveName(command.name, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, name.catalog->TableExists(name.identifier));
  if (command.mode == Mode::kCreate && exists) {
    if (command.if_not_exists) return NoRows();
    return catalogs::TableExistsAlready(*name.catalog, name.identifier);
  }
  if (command.mode == Mode::kReplace && !exists) return catalogs::TableNotFound(*name.catalog, name.identifier);
  if (command.like.has_value()) return CreateLike(command, name, context);
  if (command.clone_of.has_value()) return CreateClone(command, name, exists, context);
  if (!command.constraints.empty()) {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                     {{"tableName", QuoteIdentifier(catalogs::FullName(*name.catalog, name.identifier))},
                      {"operation", "constraints"}});
  }

  std::vector<std::string> keys;
  for (const auto& [key, value] : command.properties) keys.push_back(key);
  FRAZIL_RETURN_IF_ERROR(CheckProperties(keys, context));
  DefinitionClauses clauses;
  clauses.full_name = catalogs::FullName(*name.catalog, name.identifier);
  clauses.provider = command.provider;
  clauses.is_stored_as = !command.serde_text.empty();
  clauses.partitioning = command.partitioning;
  clauses.options = command.options;
  clauses.properties = command.properties;
  clauses.comment = command.comment;
  clauses.location = command.location;
  clauses.is_external = command.is_external;
  plan::LogicalPlanPtr query;
  if (command.query != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(query, analysis::AnalyzeRelation(command.query, context));
    clauses.schema = AsNullable(plan::OutputSchema(*query));
  } else if (!command.columns.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(clauses.schema, SchemaOf(command.columns));
  } else if (command.location.has_value() || command.options.contains("path")) {
    FRAZIL_ASSIGN_OR_RETURN(clauses.schema, InferredSchema(command, context));
  } else {
    clauses.schema = DataType::Struct({});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, *name.catalog, context));
  const std::string quoted = QuoteIdentifier(catalogs::FullName(*name.catalog, name.identifier));
  if (command.bucketing.has_value()) {
    if (definition.provider != "iceberg") {
      return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                       {{"tableName", quoted}, {"operation", "CLUSTERED BY (bucketing)"}});
    }
    FRAZIL_ASSIGN_OR_RETURN(auto bucket, BucketTransform(*command.bucketing));
    clauses.partitioning.push_back(std::move(bucket));
    FRAZIL_ASSIGN_OR_RETURN(definition, MakeDefinition(clauses, *name.catalog, context));
  }
  const bool has_default = std::any_of(command.columns.begin(), command.columns.end(),
                                       [](const auto& column) { return column.default_text.has_value(); });
  if (has_default && definition.provider == "iceberg") {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                     {{"tableName", quoted}, {"operation", "column default value"}});
  }
  FRAZIL_RETURN_IF_ERROR(NoteGeneratedColumns(command.columns, quoted, &definition, context));
  if (!command.cluster_by.empty() && definition.provider != "delta") {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION", {{"tableName", quoted}, {"operation", "CLUSTER BY"}});
  }
  definition.clustering_columns = command.cluster_by;
  if (query != nullptr) {
    FRAZIL_RETURN_IF_ERROR(CreateTableAsSelect(name, definition, query, command.mode != Mode::kCreate,
                                               clauses.is_stored_as ? plan::Options() : command.options, context));
    return NoRows();
  }
  if (command.mode != Mode::kCreate && exists) {
    // REPLACE TABLE without a query: one commit that empties it.
    FRAZIL_ASSIGN_OR_RETURN(auto staged, name.catalog->StageTable(name.identifier, definition, true));
    tables::WriteOptions options;
    options.mode = tables::WriteMode::kReplaceTable;
    FRAZIL_ASSIGN_OR_RETURN(auto write, staged.table->StartWrite(options));
    FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
    return NoRows();
  }
  FRAZIL_RETURN_IF_ERROR(name.catalog->CreateTable(name.identifier, definition));
  return NoRows();
}

namespace {

/// A table says by gc.enabled that its files may be those of other tables too. One that cannot be loaded says nothing.
Status CheckPurge(const analysis::ResolvedIdentifier& name) {
  auto table = name.catalog->LoadTable(name.identifier);
  if (!table.ok()) return {};
  const auto properties = (*table)->properties();
  auto enabled = properties.find("gc.enabled");
  if (enabled == properties.end() || !EqualsIgnoreCase(enabled->second, "false")) return {};
  return Error::Plain(ExceptionClass::kSpark,
                      "Cannot purge table: GC is disabled (deleting files may corrupt other tables)");
}

}  // namespace

Result<RowSet> RunDropTable(const plan::DropTableCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  // DROP TABLE of a temporary view drops the view, as Spark does.
  if (parts.size() == 1 && context.FindTempView(parts[0]).has_value()) {
    context.DropTempView(parts[0], false);
    return NoRows();
  }
  auto resolved = ResolveParts(parts, context);
  if (!resolved.ok()) {
    if (command.if_exists) return NoRows();
    return std::move(resolved).error();
  }
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved->catalog->TableExists(resolved->identifier));
  if (!exists) {
    FRAZIL_RETURN_IF_ERROR(CheckNamespace(*resolved));
    FRAZIL_ASSIGN_OR_RETURN(auto view, resolved->catalog->LoadView(resolved->identifier));
    if (view.has_value()) {
      return Error::Of("WRONG_COMMAND_FOR_OBJECT_TYPE",
                       {{"operation", "DROP TABLE"},
                        {"requiredType", "EXTERNAL or MANAGED"},
                        {"objectName", catalogs::DottedName(*resolved->catalog, resolved->identifier)},
                        {"foundType", "VIEW"},
                        {"alternative", "DROP VIEW"}});
    }
    if (command.if_exists) return NoRows();
    return catalogs::TableNotFound(*resolved->catalog, resolved->identifier);
  }
  if (command.purge) FRAZIL_RETURN_IF_ERROR(CheckPurge(*resolved));
  FRAZIL_RETURN_IF_ERROR(resolved->catalog->DropTable(resolved->identifier, command.purge));
  return NoRows();
}

Result<RowSet> RunRenameTable(const plan::RenameTableCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (parts.size() == 1) {
    if (auto view = context.FindTempView(parts[0]); view.has_value()) {
      if (context.FindTempView(command.new_name.back()).has_value()) {
        return Error::Of("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(command.new_name)}});
      }
      context.PutTempView(command.new_name.back(), *view, false);
      context.DropTempView(parts[0], false);
      return NoRows();
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto from, analysis::ResolveIdentifier(parts, context));
  // The new name stays in the table's catalog; one part alone in its namespace too.
  catalogs::Identifier to{from.identifier.name_space, command.new_name.back()};
  if (command.new_name.size() > 1) {
    to.name_space.assign(command.new_name.begin(), command.new_name.end() - 1);
    if (to.name_space.size() > 1 && to.name_space[0] == from.catalog->name())
      to.name_space.erase(to.name_space.begin());
  }
  FRAZIL_ASSIGN_OR_RETURN(auto view, from.catalog->LoadView(from.identifier));
  if (view.has_value() && !command.is_view) {
    return Error::Of("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW",
                     {{"viewName", QuoteIdentifier(from.identifier.name)}, {"operation", "ALTER TABLE"}});
  }
  if (!view.has_value() && command.is_view) {
    FRAZIL_ASSIGN_OR_RETURN(bool is_table, from.catalog->TableExists(from.identifier));
    if (is_table) return ExpectView("ALTER VIEW", "USE_ALTER_TABLE", {from.identifier.name});
  }
  if (view.has_value()) {
    FRAZIL_ASSIGN_OR_RETURN(bool taken, from.catalog->TableExists(to));
    if (taken) return catalogs::TableExistsAlready(*from.catalog, to);
    FRAZIL_RETURN_IF_ERROR(from.catalog->CreateView(to, *view, false));
    FRAZIL_RETURN_IF_ERROR(from.catalog->DropView(from.identifier));
    return NoRows();
  }
  FRAZIL_RETURN_IF_ERROR(from.catalog->RenameTable(from.identifier, to));
  return NoRows();
}

}  // namespace frazil::commands
