// OPTIMIZE, VACUUM, RESTORE. https://docs.delta.io/latest/delta-utility.html

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "frazil/base/text.h"
#include "frazil/commands/rewrite_files.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_writer.h"
#include "frazil/types/cast_rules.h"

namespace frazil::commands {
namespace {

constexpr int64_t kSmallFile = 1LL << 30;  // spark.databricks.delta.optimize.minFileSize

/// The paths of files that become new ones together: each bin has files of one partition.
std::vector<std::vector<std::string>> ChooseBins(const tables::ScanPlan& plan, bool reorders) {
  std::map<std::string, std::vector<const tables::ScanFile*>> by_partition;
  for (const auto& file : plan.files) {
    if (!reorders && file.size >= kSmallFile && file.deleted_positions == nullptr) continue;
    std::string key;
    for (const auto& [index, value] : file.constants) key += QuotedLiteralSql(*plan.columns[index].type, value) + "|";
    by_partition[key].push_back(&file);
  }
  std::vector<std::vector<std::string>> bins;
  for (const auto& [key, files] : by_partition) {
    std::vector<std::string> bin;
    int64_t bytes = 0;
    for (const auto* file : files) {
      if (!reorders && !bin.empty() && bytes + file->size > kSmallFile) {
        bins.push_back(std::exchange(bin, {}));
        bytes = 0;
      }
      bin.push_back(file->path);
      bytes += std::max<int64_t>(file->size, 0);
    }
    // One file alone gets no better, unless rows of it are deleted or its rows shall stand in another order.
    bool has_deletes =
        std::any_of(files.begin(), files.end(), [](const auto* file) { return file->deleted_positions != nullptr; });
    if (bin.size() > 1 || (!bin.empty() && (reorders || has_deletes))) bins.push_back(std::move(bin));
  }
  return bins;
}

/// The columns by which the rows of new files are ordered: those of ZORDER BY, or of a clustered table. Indexes of the
/// table's schema.
Result<std::vector<size_t>> OrderOf(const plan::MaintenanceCommand& command, const analysis::ResolvedTable& table,
                                    const std::vector<std::vector<std::string>>& clustering) {
  if (!clustering.empty() && !command.order_by.empty()) {
    std::vector<std::string> names;
    for (const auto& column : command.order_by) names.push_back(Join(column, "."));
    return Error::Of("DELTA_CLUSTERING_WITH_ZORDER_BY", {{"zOrderBy", Join(names, ", ")}});
  }
  if (!clustering.empty() && command.condition != nullptr)
    return Error::Of("DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", {{"predicates", command.condition_text}});
  std::vector<size_t> order;
  for (const auto& column : clustering.empty() ? command.order_by : clustering) {
    const DataType& schema = *table.table->schema();
    const int index = column.size() == 1 ? schema.FieldIndex(column[0]) : -1;
    if (index < 0 && !clustering.empty())
      return Error::Unsupported("OPTIMIZE of a table that is clustered by a field of a column");
    if (index < 0) return Error::Of("DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", {{"columnName", Join(column, ".")}});
    const std::string& name = schema.fields()[static_cast<size_t>(index)].name;
    for (const auto& field : table.table->partitioning()) {
      if (EqualsIgnoreCase(field.source[0], name))
        return Error::Of("DELTA_ZORDERING_ON_PARTITION_COLUMN", {{"colName", name}});
    }
    order.push_back(static_cast<size_t>(index));
  }
  return order;
}

Result<RowSet> RunOptimize(const plan::MaintenanceCommand& command, const analysis::ResolvedTable& table,
                           CommandContext& context) {
  PredicatePtr filter = Predicate::True();
  if (command.condition != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(filter, ExactFilter(command.condition, table, context));
  }
  const auto clustering = table.table->clustering_columns();
  FRAZIL_ASSIGN_OR_RETURN(auto order, OrderOf(command, table, clustering));
  const bool clusters = !clustering.empty();
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
  std::string names;
  for (size_t index : order)
    names += (names.empty() ? "\"" : ",\"") + table.table->schema()->fields()[index].name + "\"";
  options.summary["zOrderBy"] = clusters ? "[]" : "[" + names + "]";
  if (clusters) options.summary["clusterBy"] = "[" + names + "]";
  std::optional<CurveOrder> curve;
  if (!order.empty()) curve = CurveOrder{/*is_hilbert=*/false, order};
  RewrittenFiles rewritten;
  if (!bins.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(rewritten, RewriteFiles(table, scan, bins, options, context, curve));
  }
  RowSet result;
  result.schema = DataType::Struct({{"path", DataType::String()},
                                    {"metrics", DataType::Struct({{"numFilesAdded", DataType::Long(), false},
                                                                  {"numFilesRemoved", DataType::Long(), false}})}});
  result.rows.push_back(
      {Value(table.table->location()), Value(Value::List{Value(rewritten.added), Value(rewritten.removed)})});
  return result;
}

}  // namespace

Result<RowSet> RunMaintenance(const plan::MaintenanceCommand& command, CommandContext& context) {
  if (command.type == plan::MaintenanceCommand::Type::kConvert) return RunConvertToDelta(command, context);
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, context));
  if (table.table->provider() != "delta") {
    const char* names[] = {"OPTIMIZE", "VACUUM", "RESTORE", "CONVERT TO DELTA", "GENERATE"};
    return Error::Of("DELTA_ONLY_OPERATION", {{"operation", names[static_cast<size_t>(command.type)]}});
  }
  switch (command.type) {
    case plan::MaintenanceCommand::Type::kOptimize:
      return RunOptimize(command, table, context);
    case plan::MaintenanceCommand::Type::kVacuum: {
      tables::VacuumOptions options;
      options.retention_hours = command.retain_hours;
      options.dry_run = command.dry_run;
      options.lite = command.lite;
      options.check_retention = !EqualsIgnoreCase(
          context.GetConfig("spark.databricks.delta.retentionDurationCheck.enabled").value_or("true"), "false");
      return table.table->Vacuum(options);
    }
    case plan::MaintenanceCommand::Type::kGenerateManifest:
      FRAZIL_RETURN_IF_ERROR(table.table->GenerateManifest());
      return NoRows();
    case plan::MaintenanceCommand::Type::kConvert:
      break;
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
