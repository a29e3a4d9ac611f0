#include "frazil/commands/imported_files.h"

#include <algorithm>

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/codec/parquet_footer.h"
#include "frazil/commands/file_footers.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/files/partition_types.h"

namespace frazil::commands {
namespace {

constexpr size_t kReaders = 8;  // Of footers, at once, at least: they wait for the store most of the time.

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

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

Result<bool> PassesFilter(const tables::ScanFile& file, const tables::ScanPlan& plan, const Value& filter,
                          const TimeZone& zone) {
  if (filter.is_null()) return true;
  const auto& entries = filter.list();  // Keys and values by turns.
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    const Value& key = entries[i];
    const Value& text = entries[i + 1];
    if (text.is_null()) return Illegal("The value of a partition filter must not be null");
    DataTypePtr type;
    const Value* value = FolderValue(file, plan, key.string(), &type);
    if (value == nullptr) return Illegal("The source has no partition column " + key.string());
    FRAZIL_ASSIGN_OR_RETURN(const Value wanted, tables::PartitionTextToValue(text.string(), *type, zone));
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

/// Columns that only the folders say would be lost in a table that is not partitioned by them.
Status CheckFolderColumns(const tables::ScanFile& file, const tables::ScanPlan& plan, const ImportTarget& target) {
  std::vector<std::string> columns;
  bool known = true;
  for (const auto& [index, value] : file.constants) {
    const std::string& column = plan.columns[index].name;
    columns.push_back(column);
    known = known && std::any_of(target.fields.begin(), target.fields.end(), [&](const tables::PartitionField& field) {
              return EqualsIgnoreCase(field.source.back(), column);
            });
  }
  if (known) return {};
  return Illegal("Cannot find a partition spec in Iceberg table " + target.name +
                 " that matches the partition columns ([" + Join(columns, ", ") + "]) in input table");
}

/// Counts, sizes and bounds by the files' footers, which is all that is read of them.
Status ReadFooters(const std::vector<tables::ScanColumn>& columns, size_t threads, CommandContext& context,
                   std::vector<tables::WrittenFile>& files) {
  const auto wanted = FileColumnsOf(columns);
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(files[0].path, context.execution().store_settings));
  return ForEachFile(files.size(), threads, [&](size_t i) -> Status {
    auto& file = files[i];
    FRAZIL_ASSIGN_OR_RETURN(const auto reader, store->Open(file.path));
    FRAZIL_ASSIGN_OR_RETURN(auto footer, codec::ReadParquetFooter(*reader, file.path, wanted));
    file.record_count = footer.record_count;
    file.split_offsets = std::move(footer.split_offsets);
    for (auto& [id, figures] : footer.by_column) {
      auto& statistics = file.columns[id];
      statistics.compressed_size = figures.compressed_size;
      // Without a count of the NULLs nothing but the size is known.
      statistics.value_count = figures.null_count ? figures.value_count : -1;
      statistics.null_count = figures.null_count.value_or(0);
      statistics.lower = std::move(figures.lower);
      statistics.upper = std::move(figures.upper);
    }
    return {};
  });
}

Error NoSuchTable(const std::vector<std::string>& name) {
  return Error::Plain(ExceptionClass::kSpark, "org.apache.iceberg.exceptions.NoSuchTableException: Table " +
                                                  QuoteIdentifier(name) + " does not exist");
}

/// Formats of which a table's data files may be.
bool IsImportable(const std::string& format) {
  return EqualsIgnoreCase(format, "parquet") || EqualsIgnoreCase(format, "orc") || EqualsIgnoreCase(format, "avro");
}

}  // namespace

Result<ImportSource> OpenImportSource(const std::string& name, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(name, context.parser_options()));
  const bool by_path = parts.size() == 2 && parts[1].find('/') != std::string::npos;
  if (by_path) {
    // Spark takes it for a table's name.
    if (!IsImportable(parts[0])) return NoSuchTable(parts);
    plan::DataSourcePlan source;
    source.format = AsciiLower(parts[0]);
    source.paths.push_back(parts[1]);
    FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenDataSource(source));
    return ImportSource{opened.scan, {}, parts[1]};
  }
  auto table = analysis::ResolveTable(parts, context);
  if (!table.ok()) return table.error().condition == "TABLE_OR_VIEW_NOT_FOUND" ? NoSuchTable(parts) : table.error();
  if (!IsImportable(table->table->provider()))
    return Error::Unsupported("add_files of a table of provider " + table->table->provider());
  ImportSource source;
  FRAZIL_ASSIGN_OR_RETURN(source.scan, table->table->Scan({}));
  for (const auto& field : table->table->partitioning()) source.partition_columns.push_back(field.source.back());
  source.location = table->table->location();
  return source;
}

std::string NameMappingOf(const std::vector<tables::ScanColumn>& columns) { return MappingOf(columns).Write(); }

Result<size_t> ThreadsOf(const Value& parallelism) {
  if (parallelism.is_null()) return kReaders;
  if (parallelism.integer() <= 0) return Illegal("Parallelism should be larger than 0");
  return std::max(kReaders, static_cast<size_t>(parallelism.integer()));
}

Result<std::vector<tables::WrittenFile>> ImportedFiles(const tables::TableScanPtr& scan, const std::string& name,
                                                       const ImportTarget& target, const Value& filter, size_t threads,
                                                       CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(Predicate::True()));
  FRAZIL_ASSIGN_OR_RETURN(const auto zone, TimeZone::Find(context.settings().time_zone));
  std::vector<tables::WrittenFile> files;
  for (const auto& file : plan.files) {
    FRAZIL_ASSIGN_OR_RETURN(bool passes, PassesFilter(file, plan, filter, *zone));
    if (!passes) continue;
    tables::WrittenFile added;
    added.path = storage::LocalPath(file.path);
    added.format = file.format;
    added.size = file.size;
    FRAZIL_ASSIGN_OR_RETURN(added.partition, PartitionOf(file, plan, target.fields));
    FRAZIL_RETURN_IF_ERROR(CheckFolderColumns(file, plan, target));
    files.push_back(std::move(added));
  }
  if (files.empty() && !filter.is_null()) return Illegal("Cannot find any matching partitions in table " + name);
  if (files.empty()) return files;
  if (scan->format() == tables::FileFormat::kParquet) {
    FRAZIL_RETURN_IF_ERROR(ReadFooters(target.columns, threads, context, files));
    return files;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto counts, CountRowsByFile(scan, name, context));
  for (auto& file : files) file.record_count = counts[file.path];
  return files;
}

}  // namespace frazil::commands
