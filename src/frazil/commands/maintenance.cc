// OPTIMIZE, VACUUM, RESTORE. https://docs.delta.io/latest/delta-utility.html

#include <algorithm>
#include <map>

#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/types/cast_rules.h"

namespace frazil::commands {
namespace {

constexpr int64_t kSmallFile = 1LL << 30;  // spark.databricks.delta.optimize.minFileSize

/// The files of one partition that become new ones.
struct Bin {
  std::vector<std::string> paths;
  int64_t bytes = 0;
};

std::vector<Bin> ChooseBins(const tables::ScanPlan& plan, bool reorders) {
  std::map<std::string, std::vector<const tables::ScanFile*>> by_partition;
  for (const auto& file : plan.files) {
    if (!reorders && file.size >= kSmallFile && file.deleted_positions == nullptr) continue;
    std::string key;
    for (const auto& [index, value] : file.constants) key += QuotedLiteralSql(*plan.columns[index].type, value) + "|";
    by_partition[key].push_back(&file);
  }
  std::vector<Bin> bins;
  for (const auto& [key, files] : by_partition) {
    Bin bin;
    for (const auto* file : files) {
      if (!reorders && !bin.paths.empty() && bin.bytes + file->size > kSmallFile) {
        bins.push_back(std::move(bin));
        bin = Bin();
      }
      bin.paths.push_back(file->path);
      bin.bytes += std::max<int64_t>(file->size, 0);
    }
    // One file alone gets no better, unless rows of it are deleted or its rows shall stand in another order.
    bool has_deletes =
        std::any_of(files.begin(), files.end(), [](const auto* file) { return file->deleted_positions != nullptr; });
    if (bin.paths.size() > 1 || (!bin.paths.empty() && (reorders || has_deletes))) bins.push_back(std::move(bin));
  }
  return bins;
}

Result<RowSet> RunOptimize(const plan::MaintenanceCommand& command, const analysis::ResolvedTable& table,
                           CommandContext& context) {
  PredicatePtr filter = Predicate::True();
  if (command.condition != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(filter, ExactFilter(command.condition, table, context));
  }
  std::vector<tables::SortField> order;
  std::vector<std::string> names;
  for (const auto& column : command.order_by) {
    const DataType& schema = *table.table->schema();
    int index = column.size() == 1 ? schema.FieldIndex(column[0]) : -1;
    if (index < 0) return Error::Of("DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", {{"columnName", Join(column, ".")}});
    const std::string& name = schema.fields()[static_cast<size_t>(index)].name;
    for (const auto& field : table.table->partitioning()) {
      if (EqualsIgnoreCase(field.source[0], name))
        return Error::Of("DELTA_ZORDERING_ON_PARTITION_COLUMN", {{"colName", name}});
    }
    tables::SortField sort;
    sort.term.name = name;
    sort.term.source = {name};
    order.push_back(std::move(sort));
    names.push_back(name);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.table->Scan({}));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(filter));
  // Only whole partitions can be named: what the condition says of other columns is not told by files.
  FRAZIL_ASSIGN_OR_RETURN(bool whole_files, table.table->CanDeleteByMetadata(filter));
  if (!whole_files) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "Predicate references non-partition column. Only the partition columns may be referenced in "
                        "OPTIMIZE ... WHERE: " +
                            command.condition_text);
  }
  auto bins = ChooseBins(plan, !order.empty());
  tables::WriteOptions options;
  options.mode = tables::WriteMode::kRewriteFiles;
  options.operation = "rewrite";
  options.filter = filter;
  options.filter_text = command.condition_text;
  std::string order_json = "[";
  for (const auto& name : names) order_json += (order_json.size() > 1 ? "," : "") + ("\"" + name + "\"");
  options.summary["zOrderBy"] = order_json + "]";
  int64_t added = 0, removed = 0;
  if (!bins.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto write, table.table->StartWrite(options));
    size_t number = 0;
    for (auto& bin : bins) {
      FRAZIL_ASSIGN_OR_RETURN(auto part, scan->RestrictTo(bin.paths));
      auto rows = analysis::MakeTableScan(part, Join(table.full_name, "."), table.full_name, context);
      tables::WriteTask task = write->task();
      // One name for each bin: its files are numbered from the start again.
      if (number++ > 0) task.file_name_prefix += "-g" + std::to_string(number);
      task.sort = order;
      auto files = context.engine().Write(rows, task, context.execution());
      if (!files.ok()) {
        write->Abort();
        return std::move(files).error();
      }
      added += static_cast<int64_t>(files->size());
      removed += static_cast<int64_t>(bin.paths.size());
      write->AddFiles(*std::move(files));
      write->RemoveFiles(std::move(bin.paths));
    }
    FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  }
  RowSet result;
  result.schema = DataType::Struct({{"path", DataType::String()},
                                    {"metrics", DataType::Struct({{"numFilesAdded", DataType::Long(), false},
                                                                  {"numFilesRemoved", DataType::Long(), false}})}});
  result.rows.push_back({Value(table.table->location()), Value(Value::List{Value(added), Value(removed)})});
  return result;
}

}  // namespace

Result<RowSet> RunMaintenance(const plan::MaintenanceCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, context));
  if (table.table->provider() != "delta") {
    const char* names[] = {"OPTIMIZE", "VACUUM", "RESTORE"};
    return Error::Of("DELTA_ONLY_OPERATION", {{"operation", names[static_cast<size_t>(command.type)]}});
  }
  switch (command.type) {
    case plan::MaintenanceCommand::Type::kOptimize:
      return RunOptimize(command, table, context);
    case plan::MaintenanceCommand::Type::kVacuum: {
      tables::VacuumOptions options;
      options.retention_hours = command.retain_hours;
      options.dry_run = command.dry_run;
      options.check_retention = !EqualsIgnoreCase(
          context.GetConfig("spark.databricks.delta.retentionDurationCheck.enabled").value_or("true"), "false");
      return table.table->Vacuum(options);
    }
    case plan::MaintenanceCommand::Type::kRestore: {
      tables::ScanOptions options;
      options.snapshot_id = command.version;
      if (command.timestamp != nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(auto value,
                                analysis::AnalyzeConstant(command.timestamp, DataType::Timestamp(), context));
        if (value.is_null()) return Error::Of("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", {{"expr", "NULL"}});
        options.timestamp_micros = value.integer();
      }
      return table.table->Restore(options);
    }
  }
  return Error::Internal("unknown maintenance command");
}

}  // namespace frazil::commands
