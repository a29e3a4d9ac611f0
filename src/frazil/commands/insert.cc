#include <algorithm>
#include <functional>
#include <utility>

#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/metastore/hive_formats.h"
#include "frazil/commands/generated_columns.h"
#include "frazil/commands/partition_commands.h"
#include "frazil/commands/schema_evolution.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/commands/view_names.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/multi_insert.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/files/file_table.h"

namespace frazil::commands {

namespace {

/// Tables of plain files keep partition values as the names of folders: constants of any type are their texts.
bool KeepsPartitionTexts(const tables::Table& table) { return tables::FileFormatByName(table.provider()).has_value(); }

/// The filter of PARTITION (a = 1): equality with every constant. True without one.
Result<PredicatePtr> StaticFilter(const PartitionSpecification& partition, const analysis::ResolvedTable& table,
                                  CommandContext& context) {
  std::vector<PredicatePtr> tests;
  for (const auto& [name, value] : partition) {
    if (value == nullptr) continue;
    int index = table.table->schema()->FieldIndex(name);
    if (index < 0) return Error::Of("NON_PARTITION_COLUMN", {{"columnName", QuoteIdentifier(name)}});
    const auto& field = table.table->schema()->fields()[index];
    auto given = value;
    if (KeepsPartitionTexts(*table.table)) {
      FRAZIL_ASSIGN_OR_RETURN(auto text, analysis::AnalyzeConstant(value, DataType::String(), context));
      given = plan::MakeLiteralExpr(DataType::String(), std::move(text));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto constant, analysis::AnalyzeConstant(given, field.type, context));
    tests.push_back(constant.is_null() ? Predicate::Test(PredicateOp::kIsNull, {field.name}, field.type)
                                       : Predicate::Test(PredicateOp::kEqual, {field.name}, field.type, {constant}));
  }
  if (tests.empty()) return Predicate::True();
  return tests.size() == 1 ? tests[0] : Predicate::And(std::move(tests));
}

/// The columns of the query under the names that they get in the table: those beyond the table's own, by position, keep
/// theirs.
DataTypePtr IncomingColumns(const plan::LogicalPlan& query, const analysis::InsertShape& shape) {
  std::vector<StructField> fields = plan::OutputSchema(query)->fields();
  std::vector<std::string> names = shape.columns;
  if (names.empty() && !shape.by_name) {
    for (const auto& field : shape.table_schema->fields()) {
      const auto is_static = [&](const auto& part) {
        return part.second != nullptr && EqualsIgnoreCase(part.first, field.name);
      };
      if (std::none_of(shape.static_partition.begin(), shape.static_partition.end(), is_static))
        names.push_back(field.name);
    }
  }
  for (size_t i = 0; i < std::min(names.size(), fields.size()); ++i) fields[i].name = names[i];
  return DataType::Struct(std::move(fields));
}

/// Which columns the query has values for: by position all of them.
std::function<bool(const std::string&)> GivenColumns(const plan::LogicalPlan& query,
                                                     const analysis::InsertShape& shape) {
  if (shape.columns.empty() && !shape.by_name) return [](const std::string&) { return true; };
  std::vector<std::string> names = shape.columns;
  if (names.empty()) {
    for (const auto& column : query.output) names.push_back(column.name);
  }
  for (const auto& [name, value] : shape.static_partition) {
    if (value != nullptr) names.push_back(name);
  }
  return [names](const std::string& column) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return EqualsIgnoreCase(name, column); });
  };
}

Result<RowSet> InsertDirectory(const plan::InsertCommand& command, CommandContext& context) {
  tables::TableDefinition definition;
  definition.provider = AsciiLower(command.directory_format.empty() ? "parquet" : command.directory_format);
  FRAZIL_ASSIGN_OR_RETURN(auto query, analysis::AnalyzeRelation(command.query, context));
  definition.schema = plan::OutputSchema(*query);
  tables::WriteOptions options;
  options.mode = tables::WriteMode::kReplaceTable;
  if (definition.provider == "hive") {
    definition.options = command.options;
    FRAZIL_ASSIGN_OR_RETURN(definition, catalogs::AsFiles(std::move(definition)));
  } else {
    options.options = LowerKeys(command.options);
  }
  const auto format = tables::FileFormatByName(definition.provider);
  if (!format.has_value()) return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", command.directory_format}});
  definition.location = storage::LocalPath(*command.directory);
  FRAZIL_ASSIGN_OR_RETURN(auto store,
                          context.stores().StoreFor(*definition.location, context.execution().store_settings));
  tables::FileTable table({store, context.execution().store_settings, *definition.location}, definition, *format);
  FRAZIL_RETURN_IF_ERROR(WriteRows(table, options, query, context));
  return NoRows();
}

}  // namespace

Result<RowSet> RunInsert(const plan::InsertCommand& command, CommandContext& context) {
  if (const auto others = plan::OtherInserts(command); !others.empty()) {
    // What is wrong with any of them comes out before the first one writes.
    std::vector<analysis::ResolvedTable> written;
    const auto note_target = [&](const plan::InsertCommand& one) -> Status {
      if (one.directory) return {};
      FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(one.table, {"INSERT"}, context));
      FRAZIL_RETURN_IF_ERROR(BranchToWrite(table, "write to").status());
      written.push_back(std::move(table));
      return {};
    };
    FRAZIL_RETURN_IF_ERROR(note_target(command));
    for (const auto& other : others) {
      FRAZIL_ASSIGN_OR_RETURN(auto query, analysis::AnalyzeRelation(other->query, context));
      for (const auto& table : written) {
        // Iceberg's snapshot is that of the statement's begin; others would be read with what it has just written.
        if (table.table->provider() != "iceberg" && ReadsTable(*query, *table.table, ReadPlace::kAnywhere)) {
          return Error::Unsupported("an INSERT that reads the table " + QuoteIdentifier(table.full_name) +
                                    ", which an earlier INSERT of the same statement writes");
        }
      }
      FRAZIL_RETURN_IF_ERROR(note_target(*other));
    }
    FRAZIL_RETURN_IF_ERROR(RunInsert(plan::InsertCommand(command), context).status());
    for (const auto& other : others) FRAZIL_RETURN_IF_ERROR(RunInsert(*other, context).status());
    return NoRows();
  }
  if (command.directory.has_value()) return InsertDirectory(command, context);
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, {"INSERT"}, context));
  const bool evolves =
      table.table->capabilities().schema_evolution &&
      (command.with_schema_evolution ||
       EqualsIgnoreCase(context.GetConfig("spark.databricks.delta.schema.autoMerge.enabled").value_or("false"),
                        "true"));
  if (command.with_schema_evolution && !evolves) return Error::Unsupported("INSERT WITH SCHEMA EVOLUTION");
  std::string quoted = QuoteIdentifier(table.full_name);
  if (!table.table->capabilities().write) {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION", {{"tableName", quoted}, {"operation", "INSERT"}});
  }
  analysis::InsertShape shape;
  shape.table = {quoted, table.table->provider() == "delta"};
  shape.table_schema = table.table->schema();
  shape.by_name = command.by_name;
  shape.fills_fields = evolves;
  shape.columns = command.columns;
  shape.static_partition = command.partition;
  shape.partition_texts = KeepsPartitionTexts(*table.table);
  for (const auto& [name, value] : command.partition) {
    bool known = false;
    for (const auto& field : table.table->partitioning()) known = known || EqualsIgnoreCase(field.source[0], name);
    if (!known) return Error::Of("NON_PARTITION_COLUMN", {{"columnName", QuoteIdentifier(name)}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto source, analysis::ReplaceDefaults(command.query, shape));
  FRAZIL_ASSIGN_OR_RETURN(auto query, analysis::AnalyzeRelation(source, context));
  tables::WriteOptions options;
  FRAZIL_ASSIGN_OR_RETURN(options.branch, BranchToWrite(table, "write to"));
  if (evolves) {
    DataTypePtr evolved = MergeSchemas(shape.table_schema, IncomingColumns(*query, shape));
    if (!evolved->Equals(*shape.table_schema)) shape.table_schema = options.schema = std::move(evolved);
  } else if (shape.columns.empty()) {
    FRAZIL_RETURN_IF_ERROR(table.table->CheckRows(*IncomingColumns(*query, shape)));
  }
  const DataTypePtr schema = std::exchange(shape.table_schema, WithOptionalColumns(*table.table, shape.table_schema));
  const auto given = GivenColumns(*query, shape);
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ShapeForTable(std::move(query), shape, context));
  FRAZIL_ASSIGN_OR_RETURN(rows, WithGeneratedValues(*table.table, schema, rows, given, &options, context));
  options.operation = "insert";
  options.options = LowerKeys(command.options);
  if (command.replace_where != nullptr && table.table->provider() == "delta") {
    FRAZIL_RETURN_IF_ERROR(ReplaceWhere(table, command.replace_where,
                                        ConditionText(command.replace_where, table, context), options, rows, context));
    return NoRows();
  }
  if (command.replace_where != nullptr) {
    options.mode = tables::WriteMode::kOverwriteByFilter;
    FRAZIL_ASSIGN_OR_RETURN(options.filter, ExactFilter(command.replace_where, table, context));
  } else if (command.overwrite) {
    if (!table.table->partitioning().empty() && IsDynamicOverwrite(options.options, context)) {
      options.mode = tables::WriteMode::kOverwriteDynamic;
    } else {
      options.mode = tables::WriteMode::kOverwriteByFilter;
      FRAZIL_RETURN_IF_ERROR(CheckOverwrite(*table.table, table.full_name, *rows));
      FRAZIL_ASSIGN_OR_RETURN(options.filter, StaticFilter(command.partition, table, context));
    }
  }
  FRAZIL_RETURN_IF_ERROR(WriteRows(*table.table, options, rows, context));
  return NoRows();
}

Result<RowSet> RunTruncate(const plan::TruncateCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, {"TRUNCATE TABLE"}, context));
  std::string quoted = QuoteIdentifier(table.full_name);
  FRAZIL_RETURN_IF_ERROR(CheckTruncatable(table, command.partition, context));
  if (!table.table->capabilities().truncate) {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION", {{"tableName", quoted}, {"operation", "TRUNCATE"}});
  }
  tables::WriteOptions options;
  options.operation = "delete";
  FRAZIL_ASSIGN_OR_RETURN(options.branch, BranchToWrite(table, "delete from"));
  if (table.table->provider() == "delta") options.summary["truncates"] = "true";
  options.mode = tables::WriteMode::kOverwriteByFilter;
  FRAZIL_ASSIGN_OR_RETURN(options.filter, StaticFilter(command.partition, table, context));
  if (table.table->capabilities().row_level_changes) {
    FRAZIL_RETURN_IF_ERROR(table.table->DeleteByMetadata(Predicate::True(), options));
    return NoRows();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto write, table.table->StartWrite(options));
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return NoRows();
}

}  // namespace frazil::commands
