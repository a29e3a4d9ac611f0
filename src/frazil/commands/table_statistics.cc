// CALL system.compute_table_stats: how many distinct values each column has, as theta sketches in a statistics file.
// Source: https://iceberg.apache.org/docs/latest/spark-procedures/#compute_table_stats

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/plan/make_logical.h"

namespace frazil::commands {

namespace {

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// Of the hashes of a column's values so many are kept: one more than a theta sketch has by default, which tells that
/// there are more.
constexpr int64_t kLeastHashes = 4096 + 1;

bool HasSketch(const DataType& type) {
  switch (type.id()) {
    case TypeId::kBoolean:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kBinary:
      return true;
    default:
      return type.IsString();
  }
}

/// The columns of the statistics: those that were asked for, or all that can have them.
Result<std::vector<size_t>> ColumnsOf(const Value& wanted, const DataType& schema) {
  std::vector<size_t> columns;
  if (wanted.is_null()) {
    for (size_t i = 0; i < schema.fields().size(); ++i) {
      if (HasSketch(*schema.fields()[i].type)) columns.push_back(i);
    }
  } else {
    for (const auto& name : wanted.list()) {
      const int index = name.is_null() ? -1 : schema.FieldIndex(name.string());
      if (index < 0) return Illegal("Can't find column " + (name.is_null() ? "null" : name.string()) + " in the table");
      const auto column = static_cast<size_t>(index);
      if (!HasSketch(*schema.fields()[column].type)) {
        return Illegal("Can't compute stats on non-primitive type column: " + schema.fields()[column].name + " (" +
                       schema.fields()[column].type->SimpleString() + ")");
      }
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
  }
  if (columns.empty()) return Illegal("No columns found to compute stats");
  return columns;
}

/// The least hashes of a column's values, ascending.
Result<Value::List> LeastHashes(const plan::LogicalPlanPtr& rows, const Attribute& column, CommandContext& context) {
  Attribute hash;
  hash.id = context.NextId();
  hash.name = "hash";
  hash.type = DataType::Long();
  auto hashes = plan::MakeProject(rows, {MakeCall("theta_hash", {MakeColumn(column)}, DataType::Long(), true)}, {hash});
  auto present = plan::MakeFilter(hashes, MakeCall("is_not_null", {MakeColumn(hash)}, DataType::Boolean(), false));
  auto distinct = plan::MakeDistinct(present);
  auto least =
      plan::MakeLimit(plan::MakeSort(distinct, {SortKey{MakeColumn(distinct->output[0]), true, true}}), kLeastHashes);
  FRAZIL_ASSIGN_OR_RETURN(auto found, context.engine().Collect(least, context.execution()));
  Value::List values;
  for (const auto& row : found.rows) values.push_back(row[0]);
  return values;
}

Result<RowSet> Run(const analysis::ResolvedTable& table, const std::vector<Value>& values, CommandContext& context) {
  RowSet result{DataType::Struct({{"statistics_file", DataType::String()}}), {}};
  tables::ScanOptions state;
  if (!values[0].is_null()) {
    state.snapshot_id = values[0].integer();
  } else {
    const auto properties = table.table->properties();
    const auto newest = properties.find("current-snapshot-id");
    if (newest != properties.end()) state.snapshot_id = ParseInteger<int64_t>(newest->second);
  }
  if (!state.snapshot_id) return result;  // Nothing was ever written.
  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.table->Scan(state));
  FRAZIL_ASSIGN_OR_RETURN(auto columns, ColumnsOf(values[1], *scan->schema()));
  Value::List names, hashes;
  for (const size_t column : columns) {
    auto rows = analysis::MakeTableScan(scan, Join(table.full_name, "."), table.full_name, context);
    FRAZIL_ASSIGN_OR_RETURN(auto least, LeastHashes(rows, rows->output[column], context));
    names.emplace_back(scan->schema()->fields()[column].name);
    hashes.emplace_back(std::move(least));
  }
  const auto format = context.formats().Find(table.table->provider());
  const auto* store = format == nullptr ? nullptr : format->FindProcedure("#store_table_stats");
  if (store == nullptr) return Error::Unsupported("compute_table_stats of " + table.table->provider() + " tables");
  FRAZIL_ASSIGN_OR_RETURN(auto stored, store->call(*table.table, {Value(*state.snapshot_id), Value(std::move(names)),
                                                                  Value(std::move(hashes))}));
  result.rows = std::move(stored.rows);
  return result;
}

}  // namespace

EngineProcedure ComputeTableStatistics() {
  return {"iceberg",
          "compute_table_stats",
          {{"snapshot_id", DataType::Long()}, {"columns", DataType::Array(DataType::String(), true)}},
          Run};
}

}  // namespace frazil::commands
