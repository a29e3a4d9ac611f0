// CONVERT TO DELTA: files that are there become a Delta table's. https://docs.delta.io/latest/delta-utility.html

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/commands/delta_commands_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/storage/object_store.h"

namespace frazil::commands {
namespace {

/// format.`path`.
bool IsFolderName(const std::vector<std::string>& parts) {
  return parts.size() == 2 && parts[1].find('/') != std::string::npos;
}

/// The files of a folder as a scan; partition columns have the types that are declared.
Result<tables::TableScanPtr> OpenFolder(const std::string& folder, const DataType& partition_columns,
                                        CommandContext& context) {
  plan::DataSourcePlan source;
  source.format = "parquet";
  source.paths.push_back(folder);
  FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenDataSource(source));
  std::vector<StructField> fields = opened.scan->schema()->fields();
  for (auto& field : fields) {
    const int index = partition_columns.FieldIndex(field.name);
    if (index >= 0) field.type = partition_columns.fields()[static_cast<size_t>(index)].type;
  }
  source.schema = DataType::Struct(std::move(fields))->Json();
  FRAZIL_ASSIGN_OR_RETURN(opened, context.OpenDataSource(source));
  return opened.scan;
}

/// The conversion itself; nothing where the table is one of Delta Lake already.
Status Convert(const plan::MaintenanceCommand& command, const std::vector<std::string>& parts,
               CommandContext& context) {
  const bool by_path = IsFolderName(parts);
  if (by_path && EqualsIgnoreCase(parts[0], "delta")) return Status::Ok();
  if (by_path && !EqualsIgnoreCase(parts[0], "parquet")) {
    return Error::Of("DELTA_CONVERT_NON_PARQUET_TABLE",
                     {{"sourceName", parts[0]}, {"tableId", parts[0] + ".`" + parts[1] + "`"}});
  }
  std::string folder = by_path ? parts[1] : "";
  std::vector<StructField> partition_fields;
  analysis::ResolvedIdentifier name;
  if (by_path) {
    FRAZIL_ASSIGN_OR_RETURN(name, ResolveParts({"delta", folder}, context));
    FRAZIL_ASSIGN_OR_RETURN(bool exists, name.catalog->TableExists(name.identifier));
    if (exists) return Status::Ok();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, context));
    if (table.table->provider() == "delta") return Status::Ok();
    if (table.table->provider() != "parquet") {
      return Error::Of("DELTA_CONVERT_NON_PARQUET_TABLE",
                       {{"sourceName", table.table->provider()}, {"tableId", Join(table.full_name, ".")}});
    }
    FRAZIL_ASSIGN_OR_RETURN(name, ResolveParts(parts, context));
    folder = table.table->location();
    for (const auto& field : table.table->partitioning()) {
      const auto& schema = *table.table->schema();
      partition_fields.push_back(schema.fields()[static_cast<size_t>(schema.FieldIndex(field.source[0]))]);
    }
  }
  if (!command.partition_columns.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto declared, SchemaOf(command.partition_columns));
    partition_fields = declared->fields();
  }
  const DataTypePtr partitions = DataType::Struct(partition_fields);
  FRAZIL_ASSIGN_OR_RETURN(auto scan, OpenFolder(folder, *partitions, context));
  FRAZIL_ASSIGN_OR_RETURN(auto planned, scan->Plan(Predicate::True()));

  DefinitionClauses clauses;
  clauses.schema = AsNullable(scan->schema());
  clauses.provider = "delta";
  for (const auto& field : partition_fields) {
    plan::PartitionTransform transform;
    transform.column = {field.name};
    clauses.partitioning.push_back(std::move(transform));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, *name.catalog, context));

  FRAZIL_ASSIGN_OR_RETURN(auto row_counts, CountRowsByFile(scan, folder, context));
  for (const auto& file : planned.files) {
    std::vector<std::string> found, expected;
    for (const auto& [index, value] : file.constants) found.push_back(planned.columns[index].name);
    for (const auto& field : partition_fields) expected.push_back(field.name);
    if (found.size() != expected.size()) {
      return Error::Of("DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
                       {{"expectedColsSize", std::to_string(expected.size())},
                        {"expectedCols", Join(expected, ", ")},
                        {"parsedColsSize", std::to_string(found.size())},
                        {"parsedCols", Join(found, ", ")},
                        {"path", file.path}});
    }
    tables::WrittenFile adopted;
    adopted.path = storage::LocalPath(file.path);
    adopted.size = file.size;
    adopted.record_count = row_counts[adopted.path];
    for (const auto& field : partition_fields) {
      for (const auto& [index, value] : file.constants) {
        if (EqualsIgnoreCase(planned.columns[index].name, field.name)) adopted.partition.push_back(value);
      }
    }
    definition.adopted_files.push_back(std::move(adopted));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto staged, name.catalog->StageTable(name.identifier, definition, !by_path));
  FRAZIL_ASSIGN_OR_RETURN(auto write, staged.table->StartWrite({}));
  return CommitWrite(*write);
}

}  // namespace

Result<RowSet> RunConvertToDelta(const plan::MaintenanceCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.table, context));
  FRAZIL_RETURN_IF_ERROR(Convert(command, parts, context));
  if (dynamic_cast<const plan::ConvertToDeltaCommand*>(&command) == nullptr) return NoRows();
  if (IsFolderName(parts)) parts[0] = "delta";
  std::string name;
  for (const auto& part : parts) name += (name.empty() ? "" : ".") + QuoteIdentifier(part);
  return TextRows({"value"}, {{name}});
}

}  // namespace frazil::commands
