// OPTIMIZE: small files become large ones, and rows that are close in some columns stand together.
// https://docs.delta.io/latest/optimizations-oss.html

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/commands/delta_commands_internal.h"
#include "frazil/commands/file_footers.h"
#include "frazil/commands/rewrite_files.h"
#include "frazil/commands/table_writer.h"
#include "frazil/tables/clustered_files.h"
#include "frazil/types/cast_rules.h"

namespace frazil::commands {
namespace {

constexpr int64_t kSmallFile = 1LL << 30;  // spark.databricks.delta.optimize.minFileSize

/// Files of one partition that become new ones together.
struct Bin {
  std::vector<const tables::ScanFile*> files;
  std::string partition;
};

std::vector<Bin> ChooseBins(const tables::ScanPlan& plan, bool reorders, bool purges) {
  std::map<std::string, std::vector<const tables::ScanFile*>> by_partition;
  for (const auto& file : plan.files) {
    if (!reorders && !purges && file.size >= kSmallFile && file.deleted_positions == nullptr) continue;
    std::string key;
    for (const auto& [index, value] : file.constants) key += QuotedLiteralSql(*plan.columns[index].type, value) + "|";
    by_partition[key].push_back(&file);
  }
  std::vector<Bin> bins;
  for (const auto& [key, files] : by_partition) {
    Bin bin{{}, key};
    int64_t bytes = 0;
    for (const auto* file : files) {
      if (!reorders && !bin.files.empty() && bytes + file->size > kSmallFile) {
        bins.push_back(std::exchange(bin, {{}, key}));
        bytes = 0;
      }
      bin.files.push_back(file);
      bytes += std::max<int64_t>(file->size, 0);
    }
    if (!bin.files.empty()) bins.push_back(std::move(bin));
  }
  // One file alone gets no better, unless something of it is deleted or its rows shall stand in another order.
  std::erase_if(bins, [&](const Bin& bin) {
    return bin.files.size() == 1 && !reorders && !purges && bin.files[0]->deleted_positions == nullptr;
  });
  return bins;
}

/// The columns by which the rows of new files are ordered: those of ZORDER BY, or of a clustered table. Indexes of the
/// table's schema.
Result<std::vector<size_t>> OrderOf(const plan::MaintenanceCommand& command, bool is_full,
                                    const analysis::ResolvedTable& table,
                                    const std::vector<std::vector<std::string>>& clustering) {
  if (!clustering.empty() && !command.order_by.empty()) {
    std::vector<std::string> names;
    for (const auto& column : command.order_by) names.push_back(Join(column, "."));
    return Error::Of("DELTA_CLUSTERING_WITH_ZORDER_BY", {{"zOrderBy", Join(names, ", ")}});
  }
  if (!clustering.empty() && command.condition != nullptr)
    return Error::Of("DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", {{"predicates", command.condition_text}});
  if (clustering.empty() && is_full) return Error::Of("DELTA_OPTIMIZE_FULL_NOT_SUPPORTED");
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

/// A column of the filter by which the table is not partitioned; empty: there is none.
std::string OtherColumn(const Predicate& filter, const std::vector<std::string>& partitions) {
  const auto is_column = [&](const std::string& name) { return EqualsIgnoreCase(filter.column[0], name); };
  if (!filter.column.empty() && std::none_of(partitions.begin(), partitions.end(), is_column))
    return Join(filter.column, ".");
  for (const auto& child : filter.children) {
    if (auto name = OtherColumn(*child, partitions); !name.empty()) return name;
  }
  return {};
}

DataTypePtr Numbers(std::initializer_list<const char*> names) {
  std::vector<StructField> fields;
  for (const char* name : names) fields.emplace_back(name, DataType::Long());
  return DataType::Struct(std::move(fields));
}

Value FileFigures(int64_t files, int64_t bytes) { return Value(Value::List{Value(files), Value(bytes)}); }

/// What files of these sizes are like together: Delta's FileSizeMetrics.
Value SizeFigures(const std::vector<int64_t>& sizes) {
  if (sizes.empty()) return Value(Value::List{Value(), Value(), Value(0.0), Value(int64_t{0}), Value(int64_t{0})});
  int64_t total = 0;
  for (int64_t size : sizes) total += size;
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return Value(Value::List{Value(*least), Value(*most),
                           Value(static_cast<double>(total) / static_cast<double>(sizes.size())),
                           Value(static_cast<int64_t>(sizes.size())), Value(total)});
}

/// The row that OPTIMIZE answers, figure by figure: Delta's OptimizeMetrics.
class Figures {
 public:
  void Add(const char* name, DataTypePtr type, Value value) {
    fields_.emplace_back(name, std::move(type));
    values_.push_back(std::move(value));
  }
  void Add(const char* name, int64_t value) { Add(name, DataType::Long(), Value(value)); }

  RowSet Row(const std::string& path) {
    RowSet rows{DataType::Struct({{"path", DataType::String()}, {"metrics", DataType::Struct(std::move(fields_))}}),
                {}};
    rows.rows.push_back({Value(path), Value(Value::List(std::move(values_)))});
    return rows;
  }

 private:
  std::vector<StructField> fields_;
  std::vector<Value> values_;
};

/// Of how many columns at most the table keeps statistics; nullopt: of all.
std::optional<int64_t> IndexedColumns(const tables::Table& table) {
  constexpr int64_t kUsual = 32;
  const auto properties = table.properties();
  auto found = properties.find("delta.dataSkippingNumIndexedCols");
  const int64_t count = found == properties.end() ? kUsual : ParseInteger<int64_t>(found->second).value_or(kUsual);
  return count < 0 ? std::nullopt : std::optional<int64_t>(count);
}

}  // namespace

Result<RowSet> RunOptimize(const plan::MaintenanceCommand& command, const analysis::ResolvedTable& table,
                           CommandContext& context) {
  const int64_t start_ms = NowMicros() / 1000;
  const auto* statement = dynamic_cast<const plan::OptimizeCommand*>(&command);
  const bool is_full = statement != nullptr && statement->full;
  PredicatePtr filter = Predicate::True();
  if (command.condition != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(filter, ExactFilter(command.condition, table, context));
  }
  const bool purges = statement != nullptr && statement->purges;
  const auto clustering = purges ? std::vector<std::vector<std::string>>() : table.table->clustering_columns();
  FRAZIL_ASSIGN_OR_RETURN(auto order, OrderOf(command, is_full, table, clustering));
  const bool clusters = !clustering.empty();
  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.table->Scan({}));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(filter));
  // Only whole partitions can be named: what the condition says of other columns is not told by files.
  std::vector<std::string> partition_columns;
  for (const auto& field : table.table->partitioning()) partition_columns.push_back(field.source[0]);
  if (const std::string other = OtherColumn(*filter, partition_columns); !other.empty()) {
    return Error::Of("DELTA_NON_PARTITION_COLUMN_REFERENCE",
                     {{"columnName", other}, {"columnList", Join(partition_columns, ", ")}});
  }
  const auto considered = static_cast<int64_t>(plan.files.size());
  std::optional<tables::ClusteringChoice> choice;
  if (clusters) {
    if (const auto* clustered = dynamic_cast<const tables::ClusteredFiles*>(table.table.get())) {
      FRAZIL_ASSIGN_OR_RETURN(choice, clustered->ChooseFilesToCluster(is_full));
      const std::set<std::string> chosen(choice->files.begin(), choice->files.end());
      std::erase_if(plan.files, [&](const auto& file) { return !chosen.contains(file.path); });
    }
  }
  if (purges) FRAZIL_RETURN_IF_ERROR(KeepFilesToPurge(*scan, &plan, context));
  const auto bins = ChooseBins(plan, !order.empty(), purges);
  tables::WriteOptions options;
  options.mode = tables::WriteMode::kRewriteFiles;
  options.operation = "rewrite";
  options.filter = filter;
  options.filter_text = command.condition_text;
  std::string names;
  for (size_t index : order)
    names += (names.empty() ? "\"" : ",\"") + table.table->schema()->fields()[index].name + "\"";
  if (purges) {
    options.summary["applyPurge"] = "true";
  } else {
    options.summary["zOrderBy"] = clusters ? "[]" : "[" + names + "]";
  }
  if (clusters) options.summary["clusterBy"] = "[" + names + "]";
  std::optional<CurveOrder> curve;
  if (!order.empty()) curve = CurveOrder{/*is_hilbert=*/clusters, order};

  std::vector<std::vector<std::string>> groups;
  std::set<std::string> partitions;
  std::vector<int64_t> removed_bytes;
  int64_t vectors = 0, deleted_rows = 0, bytes = 0;
  for (const auto& bin : bins) {
    partitions.insert(bin.partition);
    groups.emplace_back();
    for (const auto* file : bin.files) {
      groups.back().push_back(file->path);
      removed_bytes.push_back(file->size);
      bytes += std::max<int64_t>(file->size, 0);
      if (file->deleted_positions == nullptr) continue;
      ++vectors;
      deleted_rows += std::ssize(*file->deleted_positions);
    }
  }
  RewrittenFiles rewritten;
  if (!groups.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(rewritten, RewriteFiles(table, scan, groups, options, context, curve));
  }

  Figures figures;
  const DataTypePtr file_figures = DataType::Struct({{"min", DataType::Long()},
                                                     {"max", DataType::Long()},
                                                     {"avg", DataType::Double(), false},
                                                     {"totalFiles", DataType::Long(), false},
                                                     {"totalSize", DataType::Long(), false}});
  const auto merged = FileFigures(rewritten.removed, bytes);
  const auto bin_count = static_cast<int64_t>(bins.size());
  figures.Add("numFilesAdded", rewritten.added);
  figures.Add("numFilesRemoved", rewritten.removed);
  figures.Add("filesAdded", file_figures, SizeFigures(rewritten.added_bytes));
  figures.Add("filesRemoved", file_figures, SizeFigures(removed_bytes));
  figures.Add("partitionsOptimized", static_cast<int64_t>(partitions.size()));
  const DataTypePtr cube_figures = Numbers({"num", "size"});
  figures.Add("zOrderStats",
              DataType::Struct({{"strategyName", DataType::String()},
                                {"inputCubeFiles", cube_figures},
                                {"inputOtherFiles", cube_figures},
                                {"inputNumCubes", DataType::Long(), false},
                                {"mergedFiles", cube_figures},
                                {"numOutputCubes", DataType::Long(), false},
                                {"mergedNumCubes", DataType::Long()}}),
              order.empty() || clusters
                  ? Value()
                  : Value(Value::List{Value("all"), FileFigures(0, 0), merged, Value(int64_t{0}), merged,
                                      Value(static_cast<int64_t>(partitions.size())), Value()}));
  const DataTypePtr clustering_figures = Numbers({"numFiles", "size"});
  figures.Add("clusteringStats",
              DataType::Struct({{"inputZCubeFiles", clustering_figures},
                                {"inputOtherFiles", clustering_figures},
                                {"inputNumZCubes", DataType::Long(), false},
                                {"mergedFiles", clustering_figures},
                                {"numOutputZCubes", DataType::Long(), false}}),
              !choice ? Value()
                      : Value(Value::List{FileFigures(choice->cube_files, choice->cube_bytes),
                                          FileFigures(choice->other_files, choice->other_bytes), Value(choice->cubes),
                                          merged, Value(bin_count)}));
  figures.Add("numBins", bin_count);
  figures.Add("numBatches", bin_count > 0 ? 1 : 0);
  figures.Add("totalConsideredFiles", considered);
  figures.Add("totalFilesSkipped", considered - rewritten.removed);
  figures.Add("preserveInsertionOrder", DataType::Boolean(), Value(false));
  figures.Add("numFilesSkippedToReduceWriteAmplification", 0);
  figures.Add("numBytesSkippedToReduceWriteAmplification", 0);
  figures.Add("startTimeMs", start_ms);
  figures.Add("endTimeMs", NowMicros() / 1000);
  figures.Add("totalClusterParallelism", 1);
  figures.Add("totalScheduledTasks", bin_count);
  figures.Add("autoCompactParallelismStats",
              Numbers({"maxClusterActiveParallelism", "minClusterActiveParallelism", "maxSessionActiveParallelism",
                       "minSessionActiveParallelism"}),
              Value());
  figures.Add("deletionVectorStats", Numbers({"numDeletionVectorsRemoved", "numDeletionVectorRowsRemoved"}),
              vectors == 0 ? Value() : Value(Value::List{Value(vectors), Value(deleted_rows)}));
  const auto columns = std::ssize(table.table->schema()->fields());
  figures.Add("numTableColumns", columns);
  figures.Add("numTableColumnsWithStats", std::min(columns - std::ssize(table.table->partitioning()),
                                                   IndexedColumns(*table.table).value_or(columns)));
  return figures.Row(table.table->location());
}

}  // namespace frazil::commands
