// spark_range(start, end, step): the numbers of a range, which unlike DuckDB's own tells how far it is.

#include <algorithm>
#include <atomic>

#include <duckdb/storage/statistics/node_statistics.hpp>

#include "frazil/engine/scan_functions.h"

namespace frazil::engine {
namespace {

struct RangeBindData : duckdb::TableFunctionData {
  int64_t start = 0, step = 1;
  uint64_t count = 0;
};

struct RangeState : duckdb::GlobalTableFunctionState {
  // One thread reads: rows keep their order, and generators with a seed give what they give for one partition.
  duckdb::idx_t MaxThreads() const override { return 1; }
  std::atomic<uint64_t> next{0};
};

uint64_t CountOf(int64_t start, int64_t end, int64_t step) {
  // 128 bits: from one end of the type to the other are more numbers than a BIGINT counts.
  const __int128 distance = static_cast<__int128>(end) - start;
  if (distance == 0 || (distance > 0) != (step > 0)) return 0;
  const __int128 width = step > 0 ? step : -static_cast<__int128>(step);
  const __int128 length = distance > 0 ? distance : -distance;
  return static_cast<uint64_t>((length + width - 1) / width);
}

duckdb::unique_ptr<duckdb::FunctionData> BindRange(duckdb::ClientContext&, duckdb::TableFunctionBindInput& input,
                                                   duckdb::vector<duckdb::LogicalType>& return_types,
                                                   duckdb::vector<std::string>& names) {
  auto data = duckdb::make_uniq<RangeBindData>();
  data->start = input.inputs[0].GetValue<int64_t>();
  data->step = input.inputs[2].GetValue<int64_t>();
  data->count = CountOf(data->start, input.inputs[1].GetValue<int64_t>(), data->step);
  return_types.push_back(duckdb::LogicalType::BIGINT);
  names.push_back("id");
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitRange(duckdb::ClientContext&,
                                                               duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<RangeState>();
}

void ReadRange(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  const auto& data = input.bind_data->Cast<RangeBindData>();
  auto& state = input.global_state->Cast<RangeState>();
  const uint64_t at = state.next.load();
  const uint64_t rows = std::min<uint64_t>(data.count - at, STANDARD_VECTOR_SIZE);
  // In unsigned numbers: the product may not fit where the sum does.
  const auto first = static_cast<int64_t>(static_cast<uint64_t>(data.start) + at * static_cast<uint64_t>(data.step));
  output.data[0].Sequence(first, data.step, rows);
  output.SetCardinality(rows);
  state.next.store(at + rows);
}

duckdb::unique_ptr<duckdb::NodeStatistics> RangeCardinality(duckdb::ClientContext&,
                                                            const duckdb::FunctionData* bind_data) {
  const auto count = bind_data->Cast<RangeBindData>().count;
  return duckdb::make_uniq<duckdb::NodeStatistics>(count, count);
}

double RangeProgress(duckdb::ClientContext&, const duckdb::FunctionData* bind_data,
                     const duckdb::GlobalTableFunctionState* state) {
  const auto count = bind_data->Cast<RangeBindData>().count;
  if (count == 0) return 100;
  return 100.0 * static_cast<double>(state->Cast<RangeState>().next.load()) / static_cast<double>(count);
}

}  // namespace

void RegisterRangeFunction(duckdb::ExtensionLoader& loader) {
  using duckdb::LogicalType;
  duckdb::TableFunction range("spark_range", {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BIGINT}, ReadRange,
                              BindRange, InitRange);
  range.cardinality = RangeCardinality;
  range.table_scan_progress = RangeProgress;
  loader.RegisterFunction(range);
}

}  // namespace frazil::engine
