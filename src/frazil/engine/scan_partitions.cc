// spark_partitions_scan(index of the statement's scan): rows that a program hands out (tables/partitioned_rows.h), one
// partition a thread.

#include <algorithm>
#include <atomic>

#include <duckdb/common/arrow/arrow_wrapper.hpp>
#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/function/table/arrow.hpp>

#include "frazil/engine/arrow_source.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/scan_functions.h"
#include "frazil/engine/scan_predicate.h"
#include "frazil/engine/statement_state.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/tables/partitioned_rows.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;

struct PartitionsBindData : duckdb::TableFunctionData {
  size_t scan_index = 0;
  PredicatePtr filter = Predicate::True();
};

const StatementScan& ScanOf(duckdb::ClientContext& client, const PartitionsBindData& data) {
  return StatementState::Of(client).scans[data.scan_index];
}

const tables::PartitionedRows& RowsOf(const StatementScan& scan) {
  return dynamic_cast<const tables::PartitionedRows&>(*scan.node->scan);
}

tables::ReadWatch WatchOf(duckdb::ClientContext& client) {
  return [cancel = StatementState::Of(client).context.cancel](std::function<void()> stop) -> std::function<void()> {
    if (cancel == nullptr) return [] {};
    return [cancel, id = cancel->AddInterrupt(std::move(stop))] { cancel->RemoveInterrupt(id); };
  };
}

struct PartitionsState : duckdb::GlobalTableFunctionState {
  idx_t MaxThreads() const override { return std::max<idx_t>(planned.partitions.size(), 1); }
  tables::PartitionedRows::Partitions planned;
  std::atomic<size_t> next{0};
};

// What one thread reads.
struct PartitionState : duckdb::LocalTableFunctionState {
  ArrowTablePtr table;
  size_t next_batch = 0;
  duckdb::unique_ptr<duckdb::ArrowScanLocalState> batch;
  idx_t batch_rows = 0, offset = 0;
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::ArrowTableSchema columns;
  duckdb::DataChunk raw;
};

duckdb::unique_ptr<duckdb::FunctionData> BindPartitions(duckdb::ClientContext& client,
                                                        duckdb::TableFunctionBindInput& input,
                                                        duckdb::vector<duckdb::LogicalType>& return_types,
                                                        duckdb::vector<std::string>& names) {
  auto data = duckdb::make_uniq<PartitionsBindData>();
  data->scan_index = static_cast<size_t>(input.inputs[0].GetValue<int64_t>());
  for (const auto& slot : ScanOf(client, *data).slots) {
    return_types.push_back(MappedType(*slot.type));
    names.push_back(slot.name);
  }
  if (names.empty()) {
    // Only rows are counted: DuckDB needs some column to exist.
    return_types.push_back(duckdb::LogicalType::BOOLEAN);
    names.push_back("no_columns");
  }
  return data;
}

void PushFilters(duckdb::ClientContext& client, duckdb::LogicalGet& get, duckdb::FunctionData* bind_data,
                 duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<PartitionsBindData>();
  const auto& scan = ScanOf(client, data);
  const duckdb::MultiFilePushdownInfo info(get);
  auto predicate = PredicateOf(filters, info, scan.slots, *scan.node->scan->schema());
  if (predicate->op == PredicateOp::kTrue) return;
  data.filter = data.filter->op == PredicateOp::kTrue ? std::move(predicate)
                                                      : Predicate::And({data.filter, std::move(predicate)});
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitPartitions(duckdb::ClientContext& client,
                                                                    duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<PartitionsBindData>();
  auto state = duckdb::make_uniq<PartitionsState>();
  state->planned = ValueOrThrow(RowsOf(ScanOf(client, data)).PlanPartitions(data.filter, WatchOf(client)));
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitThread(duckdb::ExecutionContext& context,
                                                               duckdb::TableFunctionInitInput& input,
                                                               duckdb::GlobalTableFunctionState*) {
  const auto& schema = *ScanOf(context.client, input.bind_data->Cast<PartitionsBindData>()).node->scan->schema();
  auto state = duckdb::make_uniq<PartitionState>();
  for (const auto& field : schema.fields()) state->types.push_back(MappedType(*field.type));
  duckdb::ArrowSchemaWrapper arrow_schema;
  FillSchemaForDuckDb(schema, &arrow_schema.arrow_schema);
  duckdb::ArrowTableFunction::PopulateArrowTableSchema(context.client, state->columns, arrow_schema.arrow_schema);
  state->raw.Initialize(context.client, state->types);
  return state;
}

void CheckColumns(const DataType& found, const PartitionState& state, const DataType& expected) {
  const bool fits = found.fields().size() == state.types.size() &&
                    std::equal(state.types.begin(), state.types.end(), found.fields().begin(),
                               [](const auto& type, const StructField& field) {
                                 return ToDuckDbType(*field.type).ok() && MappedType(*field.type) == type;
                               });
  if (fits) return;
  ThrowSparkError(Error::Plain(ExceptionClass::kSpark, "A data source gave rows of the type " + found.SimpleString() +
                                                           " instead of " + expected.SimpleString()));
}

void ReadPartitions(duckdb::ClientContext& client, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& global = input.global_state->Cast<PartitionsState>();
  auto& state = input.local_state->Cast<PartitionState>();
  const auto& scan = ScanOf(client, input.bind_data->Cast<PartitionsBindData>());
  while (state.offset >= state.batch_rows) {
    if (state.table == nullptr || state.next_batch >= state.table->batches.size()) {
      state.table = nullptr;
      state.batch.reset();
      const size_t partition = global.next.fetch_add(1);
      if (partition >= global.planned.partitions.size()) return;
      state.table = ValueOrThrow(RowsOf(scan).ReadPartition(global.planned, partition, WatchOf(client)));
      state.next_batch = 0;
      CheckColumns(*state.table->schema, state, *scan.node->scan->schema());
      continue;
    }
    // The table keeps its batches: DuckDB gets a view of one that it does not release.
    auto wrapper = duckdb::make_uniq<duckdb::ArrowArrayWrapper>();
    wrapper->arrow_array = state.table->batches[state.next_batch++].array();
    wrapper->arrow_array.release = [](ArrowArray* array) { array->release = nullptr; };
    state.batch_rows = static_cast<idx_t>(wrapper->arrow_array.length);
    state.offset = 0;
    state.batch = duckdb::make_uniq<duckdb::ArrowScanLocalState>(std::move(wrapper), client);
  }
  const idx_t count = std::min<idx_t>(STANDARD_VECTOR_SIZE, state.batch_rows - state.offset);
  state.raw.Reset();
  state.raw.SetCardinality(count);
  if (!state.types.empty()) {
    state.batch->chunk_offset = state.offset;
    duckdb::ArrowTableFunction::ArrowToDuckDB(*state.batch, state.columns.GetColumns(), state.raw);
  }
  for (size_t i = 0; i < scan.slots.size(); ++i) {
    // A copy: what comes from Arrow points into the batch, which may go before the chunk does.
    duckdb::VectorOperations::Copy(state.raw.data[static_cast<size_t>(scan.slots[i].index)], output.data[i], count, 0,
                                   0);
  }
  if (scan.slots.empty()) output.data[0].Reference(duckdb::Value::BOOLEAN(true));
  output.SetCardinality(count);
  state.offset += count;
  if (const auto& metrics = StatementState::Of(client).context.metrics; metrics != nullptr)
    metrics->rows_read.fetch_add(static_cast<int64_t>(count));
}

}  // namespace

void RegisterPartitionsFunction(duckdb::ExtensionLoader& loader) {
  duckdb::TableFunction scan("spark_partitions_scan", {duckdb::LogicalType::BIGINT}, ReadPartitions, BindPartitions,
                             InitPartitions, InitThread);
  scan.pushdown_complex_filter = PushFilters;
  loader.RegisterFunction(scan);
}

}  // namespace frazil::engine
