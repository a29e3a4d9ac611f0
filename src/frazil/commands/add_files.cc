// CALL system.add_files: files of a Parquet folder or table become files of an Iceberg table, where they lie.
// https://iceberg.apache.org/docs/latest/spark-procedures/#add_files

#include <set>

#include "frazil/base/text.h"
#include "frazil/commands/imported_files.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/storage/object_store.h"

namespace frazil::commands {
namespace {

/// Files without field ids are read by the names that the table had when they were added.
Status EnsureNameMapping(const tables::Table& table, const std::vector<tables::ScanColumn>& columns) {
  if (table.properties().contains(kNameMapping)) return {};
  tables::TableChange change;
  change.type = tables::TableChange::Type::kSetProperty;
  change.new_name = kNameMapping;
  change.value = NameMappingOf(columns);
  return table.Alter({change});
}

Status CheckNotThere(const tables::Table& table, const std::vector<tables::WrittenFile>& files) {
  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.Scan({}));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(Predicate::True()));
  std::set<std::string> present;
  for (const auto& file : plan.files) present.insert(storage::LocalPath(file.path));
  for (const auto& file : files) {
    if (!present.contains(file.path)) continue;
    return Error::Plain(ExceptionClass::kSpark,
                        "Cannot complete import because data files to be imported already exist within the target "
                        "table: " +
                            file.path +
                            ". This is disabled by default as Iceberg is not designed for multiple "
                            "references to the same file within the same table. If you are sure, you may set "
                            "'check_duplicate_files' to false to force the import.");
  }
  return {};
}

Result<RowSet> Run(const analysis::ResolvedTable& table, const std::vector<Value>& arguments, CommandContext& context) {
  const std::string& name = arguments[0].string();
  FRAZIL_ASSIGN_OR_RETURN(const size_t threads, ThreadsOf(arguments[3]));
  FRAZIL_ASSIGN_OR_RETURN(auto source, OpenImportSource(name, context));
  tables::WriteOptions options;
  options.operation = "add_files";  // The files are not the write's own: they stay whatever becomes of it.
  FRAZIL_ASSIGN_OR_RETURN(auto probe, table.table->StartWrite(options));
  const ImportTarget target{Join(table.full_name, "."), table.table->partitioning(), probe->task().columns};
  probe->Abort();
  FRAZIL_ASSIGN_OR_RETURN(auto files, ImportedFiles(source.scan, name, target, arguments[1], threads, context));
  const bool check = arguments[2].is_null() || arguments[2].boolean();
  if (check) FRAZIL_RETURN_IF_ERROR(CheckNotThere(*table.table, files));
  const auto count = static_cast<int64_t>(files.size());
  if (!files.empty()) {
    FRAZIL_RETURN_IF_ERROR(EnsureNameMapping(*table.table, target.columns));
    FRAZIL_ASSIGN_OR_RETURN(auto newest, analysis::ResolveTable(table.full_name, context));
    FRAZIL_ASSIGN_OR_RETURN(auto write, newest.table->StartWrite(options));
    write->AddFiles(std::move(files));
    FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  }
  // Iceberg's AddFilesProcedure appends manifests, whose summary has no changed-partition-count: it answers NULL.
  return RowSet{DataType::Struct({{"added_files_count", DataType::Long(), false},
                                  {"changed_partition_count", DataType::Long(), true}}),
                {{Value(count), Value()}}};
}

}  // namespace

EngineProcedure AddFiles() {
  return {"iceberg",
          "add_files",
          {{"source_table", DataType::String(), true},
           {"partition_filter", DataType::Map(DataType::String(), DataType::String(), true)},
           {"check_duplicate_files", DataType::Boolean()},
           {"parallelism", DataType::Integer()}},
          Run};
}

}  // namespace frazil::commands
