// CALL system.snapshot and system.migrate: an Iceberg table over the files of a table of Parquet files, beside it or in
// its place. https://iceberg.apache.org/docs/latest/spark-procedures/#table-migration

#include "frazil/base/logging.h"
#include "frazil/catalogs/table_migration.h"
#include "frazil/commands/imported_files.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/storage/object_store.h"

namespace frazil::commands {
namespace {

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// A map argument's entries.
void AddEntries(const Value& map, std::map<std::string, std::string>* properties) {
  if (map.is_null()) return;
  const auto& entries = map.list();  // Keys and values by turns.
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (!entries[i + 1].is_null()) (*properties)[entries[i].string()] = entries[i + 1].string();
  }
}

struct NewTable {
  std::optional<std::string> location;
  std::map<std::string, std::string> properties;
};

/// Makes an Iceberg table with the columns, partitions and files of the source, in one commit. The number of files.
Result<int64_t> ImportTable(catalogs::Catalog& catalog, const catalogs::Identifier& identifier,
                            const std::string& source_name, const NewTable& table, size_t threads,
                            CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, OpenImportSource(source_name, context));
  DefinitionClauses clauses;
  clauses.schema = AsNullable(source.scan->schema());
  clauses.provider = "iceberg";
  for (const auto& column : source.partition_columns) {
    plan::PartitionTransform transform;
    transform.column = {column};
    clauses.partitioning.push_back(std::move(transform));
  }
  clauses.location = table.location;
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, catalog, context));
  for (const auto& [key, value] : table.properties) definition.properties[key] = value;
  tables::WriteOptions options;
  options.operation = "add_files";  // The files are not the write's own: they stay whatever becomes of it.
  FRAZIL_ASSIGN_OR_RETURN(auto probe, catalog.StageTable(identifier, definition, false));
  if (storage::LocalPath(probe.table->location()) == storage::LocalPath(source.location))
    return Illegal("The snapshot table location cannot be same as the source table location");
  FRAZIL_ASSIGN_OR_RETURN(auto probed, probe.table->StartWrite(options));
  ImportTarget target{DottedName(catalog, identifier), {}, probed->task().columns};
  probed->Abort();
  definition.properties[kNameMapping] = NameMappingOf(target.columns);
  FRAZIL_ASSIGN_OR_RETURN(auto staged, catalog.StageTable(identifier, definition, false));
  target.fields = staged.table->partitioning();
  FRAZIL_ASSIGN_OR_RETURN(auto files, ImportedFiles(source.scan, source_name, target, Value(), threads, context));
  FRAZIL_ASSIGN_OR_RETURN(auto write, staged.table->StartWrite(options));
  const auto count = static_cast<int64_t>(files.size());
  write->AddFiles(std::move(files));
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return count;
}

RowSet CountRow(const char* name, int64_t count) {
  return RowSet{DataType::Struct({{name, DataType::Long(), false}}), {{Value(count)}}};
}

Result<RowSet> RunSnapshot(catalogs::Catalog& catalog, const catalogs::Identifier& identifier,
                           const std::vector<Value>& arguments, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const size_t threads, ThreadsOf(arguments[4]));
  NewTable table;
  if (!arguments[2].is_null()) table.location = arguments[2].string();
  // The files are the source's: what is done to this table must not take them away.
  table.properties = {{"gc.enabled", "false"}, {"snapshot", "true"}};
  AddEntries(arguments[3], &table.properties);
  FRAZIL_ASSIGN_OR_RETURN(int64_t count,
                          ImportTable(catalog, identifier, arguments[0].string(), table, threads, context));
  return CountRow("imported_files_count", count);
}

Result<RowSet> RunMigrate(catalogs::Catalog& catalog, const catalogs::Identifier& identifier,
                          const std::vector<Value>& arguments, CommandContext& context) {
  auto* migration = dynamic_cast<catalogs::TableMigration*>(&catalog);
  if (migration == nullptr) {
    return Error::Of("UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                     {{"catalogName", QuoteIdentifier(catalog.name())}, {"operation", "migrate"}});
  }
  if (!arguments[5].is_null() && arguments[5].boolean()) return Error::Unsupported("migrate with ignore_missing_files");
  FRAZIL_ASSIGN_OR_RETURN(const size_t threads, ThreadsOf(arguments[4]));
  catalogs::Identifier backup = identifier;
  backup.name = arguments[3].is_null() ? identifier.name + "_BACKUP_" : arguments[3].string();
  // Before the name is touched: the table is one whose files can be taken.
  FRAZIL_ASSIGN_OR_RETURN(auto source, catalog.LoadTable(identifier));
  FRAZIL_RETURN_IF_ERROR(OpenImportSource(QuoteIdentifier(catalogs::FullName(catalog, identifier)), context));
  NewTable table;
  table.properties = source->properties();
  table.properties["migrated"] = "true";
  AddEntries(arguments[1], &table.properties);
  // Nobody writes to the table from here on.
  FRAZIL_ASSIGN_OR_RETURN(auto former, migration->SetAside(identifier, backup));
  table.location = former.location;
  auto count =
      ImportTable(catalog, identifier, QuoteIdentifier(catalogs::FullName(catalog, backup)), table, threads, context);
  // Where the commit's outcome is unknown, the new table may be there: nothing is put in its place.
  if (!count.ok() && count.error().kind != ErrorKind::kUnknownCommit) {
    Status restored = migration->PutBack(backup, identifier, former);
    if (!restored.ok()) {
      return Error::Plain(ExceptionClass::kSpark, "The table was not migrated (" + count.error().message +
                                                      ") and is now called " + DottedName(catalog, backup) +
                                                      ", since renaming it back failed: " + restored.error().message);
    }
  }
  if (!count.ok()) return count.error();
  // The files stay: they are the new table's.
  if (!arguments[2].is_null() && arguments[2].boolean()) FRAZIL_RETURN_IF_ERROR(catalog.DropTable(backup, false));
  return CountRow("migrated_files_count", *count);
}

}  // namespace

CatalogProcedure Snapshot() {
  return {"snapshot",
          {{"source_table", DataType::String(), true},
           {"table", DataType::String(), true},
           {"location", DataType::String()},
           {"properties", DataType::Map(DataType::String(), DataType::String(), true)},
           {"parallelism", DataType::Integer()}},
          1,
          RunSnapshot};
}

CatalogProcedure Migrate() {
  return {"migrate",
          {{"table", DataType::String(), true},
           {"properties", DataType::Map(DataType::String(), DataType::String(), true)},
           {"drop_backup", DataType::Boolean()},
           {"backup_table_name", DataType::String()},
           {"parallelism", DataType::Integer()},
           {"ignore_missing_files", DataType::Boolean()}},
          0,
          RunMigrate};
}

}  // namespace frazil::commands
