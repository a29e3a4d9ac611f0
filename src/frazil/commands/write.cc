// DataFrameWriter and DataFrameWriterV2.
// https://spark.apache.org/docs/latest/sql-data-sources-load-save-functions.html

#include <algorithm>

#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/text.h"
#include "frazil/commands/generated_columns.h"
#include "frazil/commands/kafka.h"
#include "frazil/commands/python_data_source.h"
#include "frazil/commands/schema_evolution.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/commands/view_names.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/streaming.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/folder.h"
#include "frazil/tables/files/file_table.h"

namespace frazil::commands {

namespace {

using Mode = plan::WriteCommand::Mode;

Error NotFound(const analysis::ResolvedIdentifier& name) {
  return catalogs::TableNotFound(*name.catalog, name.identifier);
}

/// Rows of a DataFrame as a table's: by name, as writeTo and saveAsTable do, or by position (insertInto).
Result<plan::LogicalPlanPtr> Shaped(const plan::LogicalPlanPtr& query, const DataTypePtr& schema,
                                    const analysis::AssignedTable& table, bool by_name, bool fills_fields,
                                    CommandContext& context) {
  analysis::InsertShape shape;
  shape.table = table;
  shape.table_schema = schema;
  shape.by_name = by_name;
  shape.fills_fields = fills_fields;
  return analysis::ShapeForTable(query, shape, context);
}

/// Rows for a table that exists, with the values of the columns that it generates.
Result<plan::LogicalPlanPtr> RowsFor(const analysis::ResolvedTable& table, const plan::LogicalPlanPtr& query,
                                     bool by_name, tables::WriteOptions* options, CommandContext& context) {
  const DataTypePtr& schema = options->schema != nullptr ? options->schema : table.table->schema();
  FRAZIL_ASSIGN_OR_RETURN(auto rows,
                          Shaped(query, WithOptionalColumns(*table.table, schema),
                                 {QuoteIdentifier(table.full_name), table.table->provider() == "delta"}, by_name,
                                 options->schema != nullptr || table.table->capabilities().schema_evolution, context));
  const auto is_given = [&](const std::string& name) {
    return !by_name || std::any_of(query->output.begin(), query->output.end(),
                                   [&](const Attribute& column) { return EqualsIgnoreCase(column.name, name); });
  };
  return WithGeneratedValues(*table.table, schema, rows, is_given, options, context);
}

Status CheckWritable(const tables::Table& table, const std::vector<std::string>& full_name) {
  if (table.capabilities().write) return Status::Ok();
  return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                   {{"tableName", QuoteIdentifier(full_name)}, {"operation", "append in batch mode"}});
}

/// What Spark calls the source of a format of plain files.
std::string SourceName(const std::string& format) {
  static const std::map<std::string, std::string, std::less<>> kNames = {
      {"csv", "CSV"}, {"json", "Json"}, {"orc", "Orc"}, {"parquet", "Parquet"}, {"text", "Text"}};
  const auto found = kNames.find(AsciiLower(format));
  return found == kNames.end() ? format : found->second + "DataSourceV2";
}

/// saveAsTable in the mode append: a table of plain files must have the format, the columns and the partition columns
/// that the write says. Errors _LEGACY_ERROR_TEMP_1159 and 1161 to 1163.
Status CheckAppend(const plan::WriteCommand& command, const analysis::ResolvedTable& table,
                   const plan::LogicalPlan& query, const CommandContext& context) {
  if (dynamic_cast<const tables::FileTable*>(table.table.get()) == nullptr) return Status::Ok();
  const std::string name = Join(table.full_name, ".");
  const std::string format =
      command.format.value_or(context.GetConfig("spark.sql.sources.default").value_or("parquet"));
  if (!EqualsIgnoreCase(format, table.table->provider())) {
    return Error::Of("_LEGACY_ERROR_TEMP_1159", {{"tableName", name},
                                                 {"existingProvider", SourceName(table.table->provider())},
                                                 {"specifiedProvider", SourceName(format)}});
  }
  const auto& existing = *table.table->schema();
  const auto incoming = plan::OutputSchema(query);
  if (existing.fields().size() != incoming->fields().size()) {
    return Error::Of("_LEGACY_ERROR_TEMP_1161", {{"tableName", name},
                                                 {"existingTableSchema", existing.SimpleString()},
                                                 {"querySchema", incoming->SimpleString()}});
  }
  std::vector<std::string> given;
  for (const auto& field : incoming->fields()) given.push_back(field.name);
  for (const auto& field : existing.fields()) {
    if (incoming->FieldIndex(field.name, context.settings().case_sensitive) >= 0) continue;
    return Error::Of("_LEGACY_ERROR_TEMP_1162", {{"col", field.name}, {"inputColumns", Join(given, ", ")}});
  }
  std::vector<std::string> partitions;
  for (const auto& field : table.table->partitioning()) partitions.push_back(field.source[0]);
  const bool same = std::equal(partitions.begin(), partitions.end(), command.partition_columns.begin(),
                               command.partition_columns.end(),
                               [](const std::string& a, const std::string& b) { return EqualsIgnoreCase(a, b); });
  if (same) return Status::Ok();
  return Error::Of("_LEGACY_ERROR_TEMP_1163", {{"tableName", name},
                                               {"specifiedPartCols", Join(command.partition_columns, ", ")},
                                               {"existingPartCols", Join(partitions, ", ")}});
}

/// Overwrites the partitions that get rows, where the write or the session asks for that; else all rows.
void OverwriteAll(const tables::Table& table, const CommandContext& context, tables::WriteOptions* options) {
  options->mode = IsDynamicOverwrite(options->options, context) && !table.partitioning().empty()
                      ? tables::WriteMode::kOverwriteDynamic
                      : tables::WriteMode::kOverwriteByFilter;
  options->filter = Predicate::True();
}

/// clusterBy(columns).
std::vector<std::vector<std::string>> ColumnNames(const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> names;
  for (const auto& column : columns) names.push_back({column});
  return names;
}

/// partitionBy(columns).
Result<std::vector<tables::PartitionField>> PartitionsBy(const std::vector<std::string>& columns,
                                                         const DataType& schema) {
  std::vector<tables::PartitionField> partitioning;
  for (const auto& column : columns) {
    const int index = schema.FieldIndex(column);
    if (index < 0) {
      return Error::Of("_LEGACY_ERROR_TEMP_1155", {{"col", column}, {"schemaCatalog", schema.SimpleString()}});
    }
    tables::PartitionField field;
    field.source = {schema.fields()[static_cast<size_t>(index)].name};
    partitioning.push_back(std::move(field));
  }
  return partitioning;
}

}  // namespace

Status WriteInto(const analysis::ResolvedTable& table, const plan::LogicalPlanPtr& query, tables::WriteOptions options,
                 bool by_name, CommandContext& context, const std::vector<std::string>& partition_columns) {
  FRAZIL_RETURN_IF_ERROR(CheckWritable(*table.table, table.full_name));
  if (options.mode == tables::WriteMode::kOverwriteByFilter)
    FRAZIL_RETURN_IF_ERROR(CheckOverwrite(*table.table, table.full_name, *query));
  auto where = options.options.find("replacewhere");
  bool replaces_where = where != options.options.end() && options.mode != tables::WriteMode::kAppend &&
                        table.table->provider() == "delta";
  plan::ExprPtr condition;
  if (replaces_where) {
    if (options.options.contains("partitionoverwritemode") && options.mode == tables::WriteMode::kOverwriteDynamic) {
      return Error::Of("DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE");
    }
    FRAZIL_ASSIGN_OR_RETURN(condition, sql::ParseExpression(where->second, context.parser_options()));
    options.mode = tables::WriteMode::kOverwriteByFilter;
    auto overwrites_schema = options.options.find("overwriteschema");
    if (overwrites_schema != options.options.end() && EqualsIgnoreCase(overwrites_schema->second, "true")) {
      // What changes nothing of the schema may be asked for.
      const auto merged = MergeSchemas(table.table->schema(), plan::OutputSchema(*query));
      if (!merged->Equals(*table.table->schema())) return Error::Of("DELTA_METADATA_MISMATCH.OVERWRITE_REQUIRED");
      options.options.erase(overwrites_schema);
    }
  }
  FRAZIL_RETURN_IF_ERROR(
      EvolveSchema(*table.table, *plan::OutputSchema(*query), partition_columns, by_name, &options, context));
  FRAZIL_ASSIGN_OR_RETURN(auto rows, RowsFor(table, query, by_name, &options, context));
  FRAZIL_ASSIGN_OR_RETURN(auto branch, BranchToWrite(table, "write to"));
  if (options.branch.empty()) options.branch = std::move(branch);
  if (replaces_where) return ReplaceWhere(table, condition, where->second, options, rows, context);
  return WriteRows(*table.table, options, rows, context);
}

namespace {

Result<RowSet> SaveAsTable(const plan::WriteCommand& command, const plan::LogicalPlanPtr& query,
                           CommandContext& context) {
  if (command.insert_into && !command.partition_columns.empty()) return Error::Of("_LEGACY_ERROR_TEMP_1309");
  FRAZIL_ASSIGN_OR_RETURN(auto name, ResolveParts(command.table, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, name.catalog->TableExists(name.identifier));
  if (!exists && !CheckNamespace(name).ok())
    return Error::Of("_LEGACY_ERROR_TEMP_1310", {{"quote", Join(command.table, ".")}});
  tables::WriteOptions options;
  options.operation = "append";
  options.options = LowerKeys(command.options);
  if (command.insert_into) {
    if (!exists && !ViewNamed(command.table, context)) return NotFound(name);
    FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName({command.table, nullptr, {}}, {"INSERT"}, context));
    if (command.mode == Mode::kOverwrite) {
      OverwriteAll(*table.table, context, &options);
    }
    FRAZIL_RETURN_IF_ERROR(WriteInto(table, query, options, false, context));
    return NoRows();
  }
  const auto view = exists ? std::nullopt : ViewNamed(catalogs::FullName(*name.catalog, name.identifier), context);
  if (view && command.mode == Mode::kAppend) return Error::Of("_LEGACY_ERROR_TEMP_1158");
  if (view && (command.mode == Mode::kErrorIfExists || command.mode == Mode::kUnspecified))
    return catalogs::TableExistsAlready(*name.catalog, name.identifier);
  if ((exists || view) && command.mode == Mode::kIgnore) return NoRows();
  // The table takes the view's place, as Spark's does.
  if (view) FRAZIL_RETURN_IF_ERROR(name.catalog->DropView(name.identifier));
  if (exists && (command.mode == Mode::kErrorIfExists || command.mode == Mode::kUnspecified)) {
    return catalogs::TableExistsAlready(*name.catalog, name.identifier);
  }
  if (exists && command.mode == Mode::kAppend) {
    FRAZIL_ASSIGN_OR_RETURN(auto table, analysis::ResolveTable(command.table, context));
    FRAZIL_RETURN_IF_ERROR(CheckAppend(command, table, *query, context));
    FRAZIL_RETURN_IF_ERROR(WriteInto(table, query, options, true, context, command.partition_columns));
    return NoRows();
  }
  if (exists && command.mode == Mode::kOverwrite) {
    // Tables whose schema evolves keep what they are; others are made anew.
    FRAZIL_ASSIGN_OR_RETURN(auto table, analysis::ResolveTable(command.table, context));
    FRAZIL_RETURN_IF_ERROR(CheckOverwrite(*table.table, table.full_name, *query));
    bool same_provider = !command.format || EqualsIgnoreCase(*command.format, table.table->provider());
    if (table.table->capabilities().schema_evolution && same_provider) {
      FRAZIL_RETURN_IF_ERROR(CheckMergeable(*table.table, *plan::OutputSchema(*query), options.options));
      OverwriteAll(*table.table, context, &options);
      FRAZIL_RETURN_IF_ERROR(WriteInto(table, query, options, true, context, command.partition_columns));
      return NoRows();
    }
  }
  DefinitionClauses clauses;
  clauses.full_name = catalogs::FullName(*name.catalog, name.identifier);
  clauses.schema = AsNullable(plan::OutputSchema(*query));
  clauses.provider = command.format;
  clauses.options = command.options;
  clauses.location = command.path;
  for (const auto& column : command.partition_columns) {
    plan::PartitionTransform transform;
    FRAZIL_ASSIGN_OR_RETURN(transform.column, sql::ParseMultipartIdentifier(column, context.parser_options()));
    clauses.partitioning.push_back(std::move(transform));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, *name.catalog, context));
  definition.clustering_columns = ColumnNames(command.clustering_columns);
  // The rows go into the columns' order of the new table, which for plain files has partition columns last.
  const bool replace = exists || command.mode == Mode::kOverwrite;
  FRAZIL_RETURN_IF_ERROR(CreateTableAsSelect(name, definition, query, replace, command.options, context));
  return NoRows();
}

/// df.write.parquet(path) and the like: a folder of files.
Result<RowSet> SaveFiles(const plan::WriteCommand& command, tables::FileFormat format, const std::string& provider,
                         const plan::LogicalPlanPtr& query, CommandContext& context) {
  tables::TableDefinition definition;
  definition.schema = plan::OutputSchema(*query);
  definition.provider = provider;
  auto options = LowerKeys(command.options);
  std::string path = command.path.value_or(options.contains("path") ? options["path"] : "");
  if (path.empty())
    return Error::Plain(ExceptionClass::kIllegalArgument, "Expected exactly one path to be specified, but got: ");
  path = storage::FolderOf(path);
  options.erase("path");
  definition.location = path;
  FRAZIL_ASSIGN_OR_RETURN(definition.partitioning, PartitionsBy(command.partition_columns, *definition.schema));
  if (definition.partitioning.size() == definition.schema->fields().size() && !definition.partitioning.empty()) {
    return Error::Of("ALL_PARTITION_COLUMNS_NOT_ALLOWED");
  }
  if (format == tables::FileFormat::kText && definition.schema->fields().size() - definition.partitioning.size() != 1) {
    return Error::Plain(ExceptionClass::kAnalysis, "Text data source supports only a single column, and you have " +
                                                       std::to_string(definition.schema->fields().size()) +
                                                       " columns.");
  }
  FRAZIL_RETURN_IF_ERROR(CheckNamesDiffer(*definition.schema));
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(path, context.execution().store_settings));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, store->Exists(path));
  if (exists && (command.mode == Mode::kErrorIfExists || command.mode == Mode::kUnspecified)) {
    return Error::Of("PATH_ALREADY_EXISTS", {{"outputPath", storage::SchemeOf(path).empty() ? "file:" + path : path}});
  }
  if (exists && command.mode == Mode::kIgnore) return NoRows();
  tables::FileTable table({store, context.execution().store_settings, path}, definition, format);
  FRAZIL_RETURN_IF_ERROR(CheckWritable(table, {provider, path}));
  tables::WriteOptions write;
  write.options = std::move(options);
  if (command.mode == Mode::kOverwrite) {
    write.mode = IsDynamicOverwrite(write.options, context) && !definition.partitioning.empty()
                     ? tables::WriteMode::kOverwriteDynamic
                     : tables::WriteMode::kReplaceTable;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto rows,
                          Shaped(query, table.schema(), {QuoteIdentifier({provider, path})}, true, false, context));
  FRAZIL_RETURN_IF_ERROR(WriteRows(table, write, rows, context));
  return NoRows();
}

/// df.write.format("delta").save("folder") where there is no table yet.
Result<RowSet> CreateAtPath(const plan::WriteCommand& command, const tables::TableFormat& format,
                            const std::string& folder, const tables::TableContext& table_context,
                            tables::CommitPointPtr commit_point, const plan::LogicalPlanPtr& query,
                            CommandContext& context) {
  tables::TableDefinition definition;
  definition.schema = AsNullable(plan::OutputSchema(*query));
  definition.provider = format.name();
  definition.location = folder;
  definition.is_external = true;
  definition.options = command.options;
  definition.clustering_columns = ColumnNames(command.clustering_columns);
  FRAZIL_ASSIGN_OR_RETURN(definition.partitioning, PartitionsBy(command.partition_columns, *definition.schema));
  FRAZIL_ASSIGN_OR_RETURN(auto staged, format.Stage(table_context, definition, folder, std::move(commit_point), false));
  tables::WriteOptions options;
  options.operation = "append";
  options.mode = command.mode == Mode::kOverwrite ? tables::WriteMode::kOverwriteByFilter : tables::WriteMode::kAppend;
  options.options = LowerKeys(command.options);
  FRAZIL_ASSIGN_OR_RETURN(auto rows, Shaped(query, staged.table->schema(), {QuoteIdentifier({format.name(), folder})},
                                            true, false, context));
  FRAZIL_RETURN_IF_ERROR(WriteRows(*staged.table, options, rows, context));
  return NoRows();
}

/// Error where the mode is none of those that sources without tables of their own take.
Status CheckAppendsOrOverwrites(plan::WriteCommand::Mode mode, const std::string& source) {
  using Mode = plan::WriteCommand::Mode;
  if (mode == Mode::kAppend || mode == Mode::kOverwrite) return {};
  return Error::Of("UNSUPPORTED_DATA_SOURCE_SAVE_MODE",
                   {{"source", source}, {"createMode", mode == Mode::kIgnore ? "\"Ignore\"" : "\"ErrorIfExists\""}});
}

/// df.write.format("iceberg").save("folder or table name").
Result<RowSet> SaveFormatTable(const plan::WriteCommand& command, const tables::TableFormat& format,
                               const plan::LogicalPlanPtr& query, CommandContext& context) {
  auto options = LowerKeys(command.options);
  std::string path = command.path.value_or(options.contains("path") ? options["path"] : "");
  options.erase("path");
  if (path.empty())
    return Error::Plain(ExceptionClass::kIllegalArgument, "Expected exactly one path to be specified, but got: ");
  if (path.find('/') == std::string::npos) {
    plan::WriteCommand named = command;
    named.path.reset();
    named.options.erase("path");
    FRAZIL_ASSIGN_OR_RETURN(named.table, sql::ParseMultipartIdentifier(path, context.parser_options()));
    return SaveAsTable(named, query, context);
  }
  const std::string folder = storage::FolderOf(path);
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(folder, context.execution().store_settings));
  tables::TableContext table_context{store, context.execution().store_settings, folder};
  auto commit_point = format.PathCommitPoint(table_context, folder);
  FRAZIL_ASSIGN_OR_RETURN(auto current, commit_point->Current());
  if (!current.has_value() && format.creates_at_path())
    return CreateAtPath(command, format, folder, table_context, std::move(commit_point), query, context);
  if (!current.has_value())
    return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier({format.name(), folder})}});
  if (format.creates_at_path() && command.mode == Mode::kIgnore) return NoRows();
  if (format.creates_at_path() && (command.mode == Mode::kErrorIfExists || command.mode == Mode::kUnspecified)) {
    return Error::Of("DELTA_PATH_EXISTS", {{"path", folder}});
  }
  FRAZIL_RETURN_IF_ERROR(CheckAppendsOrOverwrites(command.mode, format.name()));
  analysis::ResolvedTable table;
  FRAZIL_ASSIGN_OR_RETURN(table.table, format.Load(table_context, folder, std::move(commit_point)));
  table.full_name = {format.name(), folder};
  tables::WriteOptions write;
  write.operation = "append";
  write.options = std::move(options);
  FRAZIL_RETURN_IF_ERROR(CheckMergeable(*table.table, *plan::OutputSchema(*query), write.options));
  if (command.mode == Mode::kOverwrite) {
    OverwriteAll(*table.table, context, &write);
  }
  FRAZIL_RETURN_IF_ERROR(WriteInto(table, query, write, true, context, command.partition_columns));
  return NoRows();
}

Result<RowSet> SaveToPython(const plan::WriteCommand& command, const PythonDataSource& source,
                            const plan::LogicalPlanPtr& query, CommandContext& context) {
  FRAZIL_RETURN_IF_ERROR(CheckAppendsOrOverwrites(command.mode, *command.format));
  if (!command.partition_columns.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "requirement failed: The provided partitioning or clustering columns do not match the existing "
                        "table's.\n - provided: identity(" +
                            Join(command.partition_columns, "), identity(") + ")\n - table: ");
  }
  plan::Options options = command.options;
  if (command.path) options["path"] = *command.path;
  FRAZIL_RETURN_IF_ERROR(WriteToPython(source, *command.format, options,
                                       command.mode == plan::WriteCommand::Mode::kOverwrite, query, context));
  return NoRows();
}

/// bucketBy and sortBy: tables alone may have them.
Status CheckBuckets(const plan::WriteCommand& command) {
  const bool is_sorted = !command.sort_columns.empty();
  if (!command.bucketing) return is_sorted ? Status(Error::Of("SORT_BY_WITHOUT_BUCKETING")) : Status();
  if (!command.table.empty() && !command.insert_into) return Error::Unsupported("bucketBy and sortBy");
  return Error::Of(is_sorted ? "_LEGACY_ERROR_TEMP_1313" : "_LEGACY_ERROR_TEMP_1312",
                   {{"operation", command.insert_into ? "insertInto" : "save"}});
}

Status CheckNoStream(const plan::LogicalPlan& query, const std::string& method) {
  if (!plan::IsStreaming(query)) return {};
  return Error::Of("CALL_ON_STREAMING_DATASET_UNSUPPORTED", {{"methodName", QuoteIdentifier(method)}});
}

}  // namespace

Result<RowSet> RunWrite(const plan::WriteCommand& command, CommandContext& context) {
  FRAZIL_RETURN_IF_ERROR(CheckBuckets(command));
  if (!command.clustering_columns.empty() && !EqualsIgnoreCase(command.format.value_or(""), "delta"))
    return Error::Unsupported("clusterBy");
  FRAZIL_ASSIGN_OR_RETURN(auto query, analysis::AnalyzeRelation(command.input, context));
  FRAZIL_RETURN_IF_ERROR(CheckNoStream(*query, "write"));
  if (!command.table.empty()) return SaveAsTable(command, query, context);
  std::string provider =
      AsciiLower(command.format.value_or(context.GetConfig("spark.sql.sources.default").value_or("parquet")));
  if (provider == "noop") {
    // Runs the query and keeps nothing.
    FRAZIL_ASSIGN_OR_RETURN(auto stream, context.engine().Execute(query, context.execution()));
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto batch, stream->Next());
      if (batch == nullptr) return NoRows();
    }
  }
  if (provider == "kafka") return SaveToKafka(command, query, context);
  if (auto format = tables::FileFormatByName(provider)) return SaveFiles(command, *format, provider, query, context);
  if (auto format = context.formats().Find(provider); format != nullptr && format->self_describing())
    return SaveFormatTable(command, *format, query, context);
  if (const auto source = context.FindPythonDataSource(provider)) return SaveToPython(command, *source, query, context);
  return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", provider}});
}

Result<RowSet> RunWriteV2(const plan::WriteV2Command& command, CommandContext& context) {
  using ModeV2 = plan::WriteV2Command::Mode;
  FRAZIL_ASSIGN_OR_RETURN(auto query, analysis::AnalyzeRelation(command.input, context));
  FRAZIL_RETURN_IF_ERROR(CheckNoStream(*query, "writeTo"));
  if (!command.clustering_columns.empty() && !EqualsIgnoreCase(command.provider.value_or(""), "delta"))
    return Error::Unsupported("clusterBy");
  tables::WriteOptions options;
  options.operation = "append";
  options.options = LowerKeys(command.options);
  switch (command.mode) {
    case ModeV2::kCreate:
    case ModeV2::kReplace:
    case ModeV2::kCreateOrReplace: {
      FRAZIL_ASSIGN_OR_RETURN(auto name, ResolveParts(command.table, context));
      FRAZIL_ASSIGN_OR_RETURN(bool exists, name.catalog->TableExists(name.identifier));
      if (command.mode == ModeV2::kCreate && exists)
        return catalogs::TableExistsAlready(*name.catalog, name.identifier);
      if (command.mode == ModeV2::kReplace && !exists) return NotFound(name);
      DefinitionClauses clauses;
      clauses.full_name = catalogs::FullName(*name.catalog, name.identifier);
      clauses.schema = AsNullable(plan::OutputSchema(*query));
      clauses.provider = command.provider;
      clauses.properties = command.properties;
      for (const auto& expression : command.partitioning) {
        FRAZIL_ASSIGN_OR_RETURN(auto transform, ToPartitionTransform(expression));
        clauses.partitioning.push_back(std::move(transform));
      }
      FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, *name.catalog, context));
      definition.clustering_columns = ColumnNames(command.clustering_columns);
      FRAZIL_RETURN_IF_ERROR(
          CreateTableAsSelect(name, definition, query, command.mode != ModeV2::kCreate, command.options, context));
      return NoRows();
    }
    case ModeV2::kAppend:
      break;
    case ModeV2::kOverwritePartitions:
      options.mode = tables::WriteMode::kOverwriteDynamic;
      break;
    case ModeV2::kOverwrite:
      options.mode = tables::WriteMode::kOverwriteByFilter;
      break;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table,
                          ResolveTableName({command.table, nullptr, {}}, {"", "_LEGACY_ERROR_TEMP_1011"}, context));
  if (command.mode == ModeV2::kOverwrite && table.table->provider() == "delta") {
    FRAZIL_RETURN_IF_ERROR(EvolveSchema(*table.table, *plan::OutputSchema(*query), {}, true, &options, context));
    FRAZIL_ASSIGN_OR_RETURN(auto rows, RowsFor(table, query, true, &options, context));
    FRAZIL_RETURN_IF_ERROR(ReplaceWhere(table, command.overwrite_condition,
                                        ConditionText(command.overwrite_condition, table, context), options, rows,
                                        context));
    return NoRows();
  }
  if (command.mode == ModeV2::kOverwrite) {
    FRAZIL_ASSIGN_OR_RETURN(options.filter, ExactFilter(command.overwrite_condition, table, context));
  }
  FRAZIL_RETURN_IF_ERROR(WriteInto(table, query, options, true, context));
  return NoRows();
}

}  // namespace frazil::commands
