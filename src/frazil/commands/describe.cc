#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_text.h"
#include "frazil/commands/view_names.h"
#include "frazil/plan/describe_procedure.h"
#include "frazil/tables/files/file_table.h"

namespace frazil::commands {

namespace {

RowSet ColumnRows() {
  return {DataType::Struct({{"col_name", DataType::String(), false},
                            {"data_type", DataType::String(), false},
                            {"comment", DataType::String(), true}}),
          {}};
}

void AddRow(RowSet* rows, const std::string& name, const std::string& type = "",
            const std::optional<std::string>& comment = "") {
  rows->rows.push_back({Value(name), Value(type), comment.has_value() ? Value(*comment) : Value()});
}

void AddColumns(RowSet* rows, const DataType& schema) {
  for (const auto& field : schema.fields()) {
    AddRow(rows, field.name, field.type->SimpleString(),
           field.Comment().empty() ? std::nullopt : std::optional<std::string>(field.Comment()));
  }
}

// Spark shows the defaults of plain files' columns, not those of other formats.
void AddDefaults(RowSet* rows, const tables::Table& table) {
  if (!tables::FileFormatByName(table.provider()).has_value()) return;
  bool first = true;
  for (const auto& field : table.schema()->fields()) {
    const auto value = analysis::DefaultText(field);
    if (!value.has_value()) continue;
    if (first) {
      AddRow(rows, "");
      AddRow(rows, "# Column Default Values");
    }
    first = false;
    AddRow(rows, field.name, field.type->SimpleString(), *value);
  }
}

void AddPartitioning(RowSet* rows, const tables::Table& table) {
  auto partitioning = table.partitioning();
  if (partitioning.empty()) return;
  bool identity = true;
  for (const auto& field : partitioning)
    identity = identity && field.transform == tables::TransformKind::kIdentity && field.source.size() == 1;
  if (identity) {
    AddRow(rows, "# Partition Information");
    AddRow(rows, "# col_name", "data_type", "comment");
    for (const auto& field : partitioning) {
      int index = table.schema()->FieldIndex(field.source[0]);
      if (index < 0) continue;
      const auto& column = table.schema()->fields()[index];
      AddRow(rows, column.name, column.type->SimpleString(),
             column.Comment().empty() ? std::nullopt : std::optional<std::string>(column.Comment()));
    }
    return;
  }
  AddRow(rows, "");
  AddRow(rows, "# Partitioning");
  for (size_t i = 0; i < partitioning.size(); ++i)
    AddRow(rows, "Part " + std::to_string(i), TransformText(partitioning[i]));
}

Result<RowSet> DescribeTable(const plan::DescribeCommand& command, CommandContext& context) {
  if (command.as_json) return Error::Unsupported("DESCRIBE TABLE ... AS JSON");
  if (!command.partition.empty()) return Error::Unsupported("DESCRIBE TABLE ... PARTITION");
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  RowSet rows = ColumnRows();
  bool temporary = (parts.size() == 1 && context.FindTempView(parts[0]).has_value()) ||
                   (parts.size() == 2 && EqualsIgnoreCase(parts[0], context.global_temp_database()) &&
                    context.FindGlobalTempView(parts[1]).has_value());
  if (temporary) {
    auto named = std::make_shared<plan::NamedTablePlan>();
    named->name = parts;
    FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(named, context));
    AddColumns(&rows, *plan::OutputSchema(*analyzed));
    return rows;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto name, analysis::ResolveIdentifier(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(auto view, name.catalog->LoadView(name.identifier));
  auto full_name = catalogs::FullName(*name.catalog, name.identifier);
  if (view.has_value()) {
    AddColumns(&rows, *view->schema);
    if (command.extended) {
      AddRow(&rows, "");
      AddRow(&rows, "# Detailed Table Information");
      AddRow(&rows, "Catalog", full_name[0]);
      AddRow(&rows, "Database", full_name[full_name.size() - 2]);
      AddRow(&rows, "Table", full_name.back());
      AddRow(&rows, "Type", "VIEW");
      if (!view->comment.empty()) AddRow(&rows, "Comment", view->comment);
      AddRow(&rows, "View Text", view->query_text);
      AddRow(&rows, "View Schema Mode", view->schema_binding);
      AddRow(&rows, "View Catalog and Namespace", view->current_catalog + "." + Join(view->current_namespace, "."));
      std::vector<std::string> columns;
      for (const auto& column : view->query_column_names) columns.push_back(QuoteIdentifier(column));
      AddRow(&rows, "View Query Output Columns", "[" + Join(columns, ", ") + "]");
    }
    return rows;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table, analysis::ResolveTable(parts, context));
  AddColumns(&rows, *table.table->schema());
  AddPartitioning(&rows, *table.table);
  if (command.extended) {
    if (table.table->provider() == "iceberg") {
      AddRow(&rows, "");
      AddRow(&rows, "# Metadata Columns");
      FRAZIL_ASSIGN_OR_RETURN(const auto scan, table.table->Scan({}));
      const auto found = DataType::Struct(scan->metadata_columns());
      const auto add = [&](const char* column, const char* otherwise) {
        const int index = found->FieldIndex(column);
        if (index >= 0) {
          AddRow(&rows, column, found->fields()[static_cast<size_t>(index)].type->SimpleString());
        } else if (otherwise != nullptr) {
          AddRow(&rows, column, otherwise);
        }
      };
      add("_spec_id", "int");
      add("_partition", "struct<>");
      add("_file", "string");
      add("_pos", "bigint");
      add("_deleted", "boolean");
      add("_row_id", nullptr);
      add("_last_updated_sequence_number", nullptr);
    }
    AddRow(&rows, "");
    AddRow(&rows, "# Detailed Table Information");
    FRAZIL_ASSIGN_OR_RETURN(const auto type, TableTypeText(*table.table, table.catalog.get(), table.identifier));
    for (const auto& [key, value] : TableDetails(*table.table, table.full_name, type)) AddRow(&rows, key, value);
  }
  AddDefaults(&rows, *table.table);
  return rows;
}

Result<RowSet> DescribeColumn(const plan::DescribeCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  auto named = std::make_shared<plan::NamedTablePlan>();
  named->name = parts;
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(named, context));
  auto schema = plan::OutputSchema(*analyzed);
  int index = schema->FieldIndex(command.column[0]);
  if (index < 0)
    return Error::Of("COLUMN_NOT_FOUND", {{"colName", QuoteIdentifier(command.column)},
                                          {"caseSensitiveConfig", "\"spark.sql.caseSensitive\""}});
  if (command.column.size() > 1) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "DESC TABLE COLUMN does not support nested column: " + QuoteIdentifier(command.column));
  }
  const auto& field = schema->fields()[index];
  std::vector<std::vector<std::string>> rows = {{"col_name", field.name},
                                                {"data_type", field.type->SimpleString()},
                                                {"comment", field.Comment().empty() ? "NULL" : field.Comment()}};
  return TextRows({"info_name", "info_value"}, std::move(rows));
}

Result<RowSet> DescribeNamespace(const plan::DescribeCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  if (resolved.name_space.size() > 1) {
    FRAZIL_ASSIGN_OR_RETURN(const bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
    if (!exists) return NoNamespace(*resolved.catalog, resolved.name_space);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto properties, resolved.catalog->LoadNamespace(resolved.name_space));
  std::vector<std::vector<std::string>> rows = {
      {"Catalog Name", resolved.catalog->name()},
      {"Namespace Name", resolved.name_space.empty() ? "" : resolved.name_space.back()}};
  for (auto [key, label] :
       {std::pair{"comment", "Comment"}, std::pair{"location", "Location"}, std::pair{"owner", "Owner"}}) {
    auto found = properties.find(key);
    if (found == properties.end()) continue;
    bool is_path = std::string(key) == "location" && storage::SchemeOf(found->second).empty();
    rows.push_back({label, (is_path ? "file:" : "") + found->second});
    properties.erase(found);
  }
  if (command.extended) {
    std::vector<std::string> texts;
    for (const auto& [key, value] : properties) texts.push_back("(" + key + "," + value + ")");
    rows.push_back({"Properties", texts.empty() ? "" : "(" + Join(texts, ", ") + ")"});
  }
  return TextRows({"info_name", "info_value"}, std::move(rows));
}

}  // namespace

Result<RowSet> RunDescribe(const plan::DescribeCommand& command, CommandContext& context) {
  using Type = plan::DescribeCommand::Type;
  switch (command.type) {
    case Type::kTable:
      return DescribeTable(command, context);
    case Type::kColumn:
      return DescribeColumn(command, context);
    case Type::kNamespace:
      return DescribeNamespace(command, context);
    case Type::kFunction:
      if (dynamic_cast<const plan::DescribeProcedureCommand*>(&command) != nullptr)
        return DescribeProcedure(command, context);
      return DescribeFunction(command, context);
    case Type::kCatalog: {
      FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
      FRAZIL_RETURN_IF_ERROR(context.ResolveCatalog(parts[0]));
      return TextRows({"info_name", "info_value"}, {{"Catalog Name", parts[0]}});
    }
    case Type::kHistory:
    case Type::kDetail: {
      FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.name, context));
      return command.type == Type::kHistory ? table.table->History(command.limit) : table.table->Detail();
    }
    case Type::kQuery: {
      FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(command.query, context));
      RowSet rows = ColumnRows();
      AddColumns(&rows, *plan::OutputSchema(*analyzed));
      return rows;
    }
  }
  return Error::Internal("unknown DESCRIBE statement");
}

}  // namespace frazil::commands
