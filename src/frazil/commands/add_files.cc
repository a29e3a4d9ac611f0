// CALL system.add_files: files of a Parquet folder or table become files of an Iceberg table, where they lie.
// https://iceberg.apache.org/docs/latest/spark-procedures/#add_files

#include <algorithm>
#include <set>

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/files/file_listing.h"

namespace frazil::commands {
namespace {

constexpr const char* kNameMapping = "schema.name-mapping.default";

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// The files that are to be added: of parquet.`folder`, or of a table of Parquet files.
struct Source {
  tables::TableScanPtr scan;
  std::vector<std::string> partition_columns;  ///< Of a table.
  std::string location;
};
Result<Source> OpenSource(const std::string& name, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(name, context.parser_options()));
  const bool by_path = parts.size() == 2 && parts[1].find('/') != std::string::npos;
  if (by_path) {
    if (!EqualsIgnoreCase(parts[0], "parquet")) return Error::Unsupported("add_files of files of format " + parts[0]);
    plan::DataSourcePlan source;
    source.format = "parquet";
    source.paths.push_back(parts[1]);
    FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenDataSource(source));
    return Source{opened.scan, {}, parts[1]};
  }
  FRAZIL_ASSIGN_OR_RETURN(auto table, analysis::ResolveTable(parts, context));
  if (!EqualsIgnoreCase(table.table->provider(), "parquet"))
    return Error::Unsupported("add_files of a table of provider " + table.table->provider());
  Source source;
  FRAZIL_ASSIGN_OR_RETURN(source.scan, table.table->Scan({}));
  for (const auto& field : table.table->partitioning()) source.partition_columns.push_back(field.source.back());
  source.location = table.table->location();
  return source;
}

JsonValue MappingOf(const std::vector<tables::ScanColumn>& columns) {
  JsonValue list;
  list.kind = JsonValue::Kind::kArray;
  for (const auto& column : columns) {
    JsonValue names;
    names.kind = JsonValue::Kind::kArray;
    names.items.push_back(JsonValue::OfString(column.name));
    JsonValue entry;
    entry.kind = JsonValue::Kind::kObject;
    entry.members = {{"field-id", JsonValue::OfNumber(std::to_string(column.field_id))}, {"names", std::move(names)}};
    if (!column.children.empty()) entry.members.emplace_back("fields", MappingOf(column.children));
    list.items.push_back(std::move(entry));
  }
  return list;
}

/// Files without field ids are read by the names that the table had when they were added.
Status EnsureNameMapping(const tables::Table& table, const std::vector<tables::ScanColumn>& columns) {
  if (table.properties().contains(kNameMapping)) return {};
  tables::TableChange change;
  change.type = tables::TableChange::Type::kSetProperty;
  change.new_name = kNameMapping;
  change.value = MappingOf(columns).Write();
  return table.Alter({change});
}

/// A file's value of a column that its folder says; null where it says none.
const Value* FolderValue(const tables::ScanFile& file, const tables::ScanPlan& plan, const std::string& column,
                         DataTypePtr* type) {
  for (const auto& [index, value] : file.constants) {
    if (!EqualsIgnoreCase(plan.columns[index].name, column)) continue;
    *type = plan.columns[index].type;
    return &value;
  }
  return nullptr;
}

Result<bool> PassesFilter(const tables::ScanFile& file, const tables::ScanPlan& plan, const Value& filter) {
  if (filter.is_null()) return true;
  const auto& entries = filter.list();  // Keys and values by turns.
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    const Value& key = entries[i];
    const Value& text = entries[i + 1];
    if (text.is_null()) return Illegal("The value of a partition filter must not be null");
    DataTypePtr type;
    const Value* value = FolderValue(file, plan, key.string(), &type);
    if (value == nullptr) return Illegal("The source has no partition column " + key.string());
    FRAZIL_ASSIGN_OR_RETURN(const Value wanted, tables::PartitionTextToValue(text.string(), *type));
    if (!(*value == wanted)) return false;
  }
  return true;
}

/// The partition that a file belongs to in the table, by the names of the table's partition columns.
Result<std::vector<Value>> PartitionOf(const tables::ScanFile& file, const tables::ScanPlan& plan,
                                       const std::vector<tables::PartitionField>& fields) {
  std::vector<Value> partition;
  for (const auto& field : fields) {
    DataTypePtr type;
    const Value* value = FolderValue(file, plan, field.source.back(), &type);
    if (field.transform != tables::TransformKind::kIdentity || value == nullptr) {
      return Illegal("Cannot add data files to a table that is partitioned by " + field.name +
                     ", which the folders of the source do not say");
    }
    if (type->SimpleString() != field.result_type->SimpleString()) {
      return Illegal("The partition column " + field.name + " is " + type->SimpleString() + " in the source and " +
                     field.result_type->SimpleString() + " in the table");
    }
    partition.push_back(*value);
  }
  return partition;
}

/// The files of a scan that pass a filter on their folders, as a table with these partition fields has them.
Result<std::vector<tables::WrittenFile>> FilesOf(const tables::TableScanPtr& scan, const std::string& name,
                                                 const std::vector<tables::PartitionField>& fields, const Value& filter,
                                                 CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(Predicate::True()));
  FRAZIL_ASSIGN_OR_RETURN(auto counts, CountRowsByFile(scan, name, context));
  std::vector<tables::WrittenFile> files;
  for (const auto& file : plan.files) {
    FRAZIL_ASSIGN_OR_RETURN(bool passes, PassesFilter(file, plan, filter));
    if (!passes) continue;
    tables::WrittenFile added;
    added.path = storage::LocalPath(file.path);
    added.size = file.size;
    added.record_count = counts[added.path];
    FRAZIL_ASSIGN_OR_RETURN(added.partition, PartitionOf(file, plan, fields));
    files.push_back(std::move(added));
  }
  return files;
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
  FRAZIL_ASSIGN_OR_RETURN(auto source, OpenSource(name, context));
  FRAZIL_ASSIGN_OR_RETURN(auto files, FilesOf(source.scan, name, table.table->partitioning(), arguments[1], context));
  const bool check = arguments[2].is_null() || arguments[2].boolean();
  if (check) FRAZIL_RETURN_IF_ERROR(CheckNotThere(*table.table, files));
  const auto count = static_cast<int64_t>(files.size());
  if (!files.empty()) {
    tables::WriteOptions options;
    options.operation = "add_files";  // The files are not the write's own: they stay whatever becomes of it.
    FRAZIL_ASSIGN_OR_RETURN(auto probe, table.table->StartWrite(options));
    FRAZIL_RETURN_IF_ERROR(EnsureNameMapping(*table.table, probe->task().columns));
    probe->Abort();
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

/// CALL system.snapshot(source_table, table): an Iceberg table over the files of another one, which stays. One commit.
Result<RowSet> RunSnapshot(catalogs::Catalog& catalog, const catalogs::Identifier& identifier,
                           const std::vector<Value>& arguments, CommandContext& context) {
  const std::string& name = arguments[0].string();
  FRAZIL_ASSIGN_OR_RETURN(auto source, OpenSource(name, context));
  DefinitionClauses clauses;
  clauses.schema = AsNullable(source.scan->schema());
  clauses.provider = "iceberg";
  for (const auto& column : source.partition_columns) {
    plan::PartitionTransform transform;
    transform.column = {column};
    clauses.partitioning.push_back(std::move(transform));
  }
  if (!arguments[2].is_null()) clauses.location = arguments[2].string();
  FRAZIL_ASSIGN_OR_RETURN(auto definition, MakeDefinition(clauses, catalog, context));
  // The files are the source's: what is done to this table must not take them away.
  definition.properties["gc.enabled"] = "false";
  definition.properties["snapshot"] = "true";
  if (!arguments[3].is_null()) {
    const auto& entries = arguments[3].list();
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      if (!entries[i + 1].is_null()) definition.properties[entries[i].string()] = entries[i + 1].string();
    }
  }
  tables::WriteOptions options;
  options.operation = "add_files";
  FRAZIL_ASSIGN_OR_RETURN(auto probe, catalog.StageTable(identifier, definition, false));
  if (storage::LocalPath(probe.table->location()) == storage::LocalPath(source.location))
    return Illegal("The snapshot table location cannot be same as the source table location");
  FRAZIL_ASSIGN_OR_RETURN(auto probed, probe.table->StartWrite(options));
  definition.properties[kNameMapping] = MappingOf(probed->task().columns).Write();
  probed->Abort();
  FRAZIL_ASSIGN_OR_RETURN(auto staged, catalog.StageTable(identifier, definition, false));
  FRAZIL_ASSIGN_OR_RETURN(auto files, FilesOf(source.scan, name, staged.table->partitioning(), Value(), context));
  FRAZIL_ASSIGN_OR_RETURN(auto write, staged.table->StartWrite(options));
  const auto count = static_cast<int64_t>(files.size());
  write->AddFiles(std::move(files));
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return RowSet{DataType::Struct({{"imported_files_count", DataType::Long(), false}}), {{Value(count)}}};
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

}  // namespace frazil::commands
