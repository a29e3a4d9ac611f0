#include "frazil/engine/write_copy.h"

#include <mutex>

#include <duckdb/common/types/column/column_data_collection.hpp>
#include <duckdb/execution/execution_context.hpp>
#include <duckdb/execution/operator/persistent/physical_copy_to_file.hpp>
#include <duckdb/function/copy_function.hpp>
#include <duckdb/parser/parsed_data/copy_info.hpp>
#include <duckdb/parser/statement/copy_statement.hpp>

#include "frazil/engine/statement_state.h"
#include "frazil/engine/write_parquet.h"

namespace frazil::engine {
namespace {

constexpr const char* kFormat = "frazil_rows";
// DuckDB looks whether the file is there, and removes it after an error. No file can be here.
constexpr const char* kNoFile = "/dev/null/rows";

struct CopyTarget : duckdb::FunctionData {
  CopyTarget(ParquetPartitionWriter& writer_in, std::shared_ptr<ExecutionMetrics> metrics_in)
      : writer(writer_in), metrics(std::move(metrics_in)) {}
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<CopyTarget>(writer, metrics);
  }
  bool Equals(const duckdb::FunctionData& other) const override { return this == &other; }
  void Count(duckdb::idx_t rows) const {
    if (metrics != nullptr) metrics->rows_out.fetch_add(static_cast<int64_t>(rows));
  }

  ParquetPartitionWriter& writer;
  std::shared_ptr<ExecutionMetrics> metrics;
};

struct CopyRun : duckdb::GlobalFunctionData {
  bool one_thread = true;  ///< All rows come from one thread, in their order.
  std::mutex mutex;        ///< Of what several threads add in any order.
};

struct CopyThread : duckdb::LocalFunctionData {
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
};

void AddRows(CopyTarget& target, CopyRun& run, CopyThread& thread) {
  auto encoded = target.writer.Encode(std::move(thread.rows));
  std::lock_guard<std::mutex> lock(run.mutex);
  target.writer.Add(*encoded);
}

void Sink(duckdb::ExecutionContext& /*context*/, duckdb::FunctionData& data, duckdb::GlobalFunctionData& global,
          duckdb::LocalFunctionData& local, duckdb::DataChunk& chunk) {
  auto& target = data.Cast<CopyTarget>();
  auto& run = global.Cast<CopyRun>();
  auto& thread = local.Cast<CopyThread>();
  target.Count(chunk.size());
  if (run.one_thread) {
    target.writer.Append(chunk);
    return;
  }
  if (thread.rows == nullptr) thread.rows = target.writer.NewRows();
  thread.rows->Append(chunk);
  if (target.writer.FillRowGroup(*thread.rows)) AddRows(target, run, thread);
}

void Combine(duckdb::ExecutionContext& /*context*/, duckdb::FunctionData& data, duckdb::GlobalFunctionData& global,
             duckdb::LocalFunctionData& local) {
  auto& thread = local.Cast<CopyThread>();
  if (thread.rows != nullptr) AddRows(data.Cast<CopyTarget>(), global.Cast<CopyRun>(), thread);
}

}  // namespace

duckdb::unique_ptr<duckdb::SQLStatement> CopyOf(duckdb::unique_ptr<duckdb::QueryNode> rows) {
  auto statement = duckdb::make_uniq<duckdb::CopyStatement>();
  statement->info->is_from = false;
  statement->info->format = kFormat;
  statement->info->is_format_auto_detected = false;
  statement->info->file_path = kNoFile;
  statement->info->options["use_tmp_file"] = {duckdb::Value::BOOLEAN(false)};
  statement->info->select_statement = std::move(rows);
  return duckdb::unique_ptr<duckdb::SQLStatement>(std::move(statement));
}

void RegisterRowCopy(duckdb::ExtensionLoader& loader) {
  duckdb::CopyFunction function(kFormat);
  function.copy_to_bind =
      [](duckdb::ClientContext& client, duckdb::CopyFunctionBindInput& /*input*/,
         const duckdb::vector<std::string>& /*names*/,
         const duckdb::vector<duckdb::LogicalType>& /*types*/) -> duckdb::unique_ptr<duckdb::FunctionData> {
    auto& state = StatementState::Of(client);
    return duckdb::make_uniq<CopyTarget>(*state.copy_target, state.context.metrics);
  };
  function.execution_mode = [](bool preserve_insertion_order, bool supports_batch_index) {
    if (!preserve_insertion_order) return duckdb::CopyFunctionExecutionMode::PARALLEL_COPY_TO_FILE;
    return supports_batch_index ? duckdb::CopyFunctionExecutionMode::BATCH_COPY_TO_FILE
                                : duckdb::CopyFunctionExecutionMode::REGULAR_COPY_TO_FILE;
  };
  function.copy_to_initialize_global =
      [](duckdb::ClientContext& /*client*/, duckdb::FunctionData& /*data*/,
         const std::string& /*path*/) -> duckdb::unique_ptr<duckdb::GlobalFunctionData> {
    return duckdb::make_uniq<CopyRun>();
  };
  function.initialize_operator = [](duckdb::GlobalFunctionData& global, const duckdb::PhysicalOperator& copy) {
    global.Cast<CopyRun>().one_thread =
        copy.type == duckdb::PhysicalOperatorType::COPY_TO_FILE && !copy.Cast<duckdb::PhysicalCopyToFile>().parallel;
  };
  function.copy_to_initialize_local = [](duckdb::ExecutionContext& /*context*/, duckdb::FunctionData& /*data*/)
      -> duckdb::unique_ptr<duckdb::LocalFunctionData> { return duckdb::make_uniq<CopyThread>(); };
  function.copy_to_sink = Sink;
  function.copy_to_combine = Combine;
  // In order, and by several threads: rows come in batches of any size, each of which one thread encodes.
  function.prepare_batch =
      [](duckdb::ClientContext& /*client*/, duckdb::FunctionData& data, duckdb::GlobalFunctionData& /*global*/,
         duckdb::unique_ptr<duckdb::ColumnDataCollection> rows) -> duckdb::unique_ptr<duckdb::PreparedBatchData> {
    auto& target = data.Cast<CopyTarget>();
    target.Count(rows->Count());
    return target.writer.Encode(std::move(rows));
  };
  function.flush_batch = [](duckdb::ClientContext& /*client*/, duckdb::FunctionData& data,
                            duckdb::GlobalFunctionData& /*global*/,
                            duckdb::PreparedBatchData& batch) { data.Cast<CopyTarget>().writer.Add(batch); };
  loader.RegisterFunction(std::move(function));
}

}  // namespace frazil::engine
