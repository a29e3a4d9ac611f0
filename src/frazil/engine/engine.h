#pragma once

// Runs typed plans on DuckDB. The only folder that includes DuckDB; its types stay inside.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/functions/function.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/write.h"
#include "frazil/types/arrow_c.h"

namespace frazil::engine {

struct EngineOptions {
  int64_t memory_limit_bytes = 0;  ///< 0: four fifths of the machine's memory.
  int threads = 0;                 ///< 0: all cores.
  std::string spill_directory;     ///< Empty: a folder below the system's temporary one.
};

/// Lets another thread stop a running statement. Thread-safe.
class CancelToken {
 public:
  CancelToken();
  /// From then on the statement ends with an error of kind kCancelled, within 200 ms.
  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  /// What interrupts a part of the statement while it runs; called at once when already cancelled. One statement may
  /// have several parts under way (a stream, and the query that measures what it observed).
  int64_t AddInterrupt(std::function<void()> interrupt);
  /// Takes an interrupt back; afterwards it is not called any more. `id` is what AddInterrupt gave.
  void RemoveInterrupt(int64_t id);

 private:
  std::atomic<bool> cancelled_{false};
  struct State;
  std::shared_ptr<State> state_;
};

/// An error of kind kCancelled once `cancel` (null: never) was cancelled.
Status CheckNotCancelled(const CancelToken* cancel);

/// Figures of a running or finished statement.
struct ExecutionMetrics {
  std::atomic<int64_t> rows_read{0};
  std::atomic<int64_t> bytes_read{0};
  std::atomic<int64_t> files_read{0};
  std::atomic<int64_t> rows_out{0};
  std::atomic<double> progress{0};  ///< 0..1; negative: unknown.
};

struct ObservedMetrics {
  std::string name;
  int64_t plan_id = 0;
  std::vector<std::string> keys;
  std::vector<DataTypePtr> types;
  std::vector<Value> values;
};

/// What a statement runs under.
struct ExecutionContext {
  functions::ExpressionSettings settings;
  std::shared_ptr<CancelToken> cancel;
  std::shared_ptr<ExecutionMetrics> metrics;
  storage::SettingLookup store_settings;
  const storage::StoreRegistry* stores = nullptr;
  int64_t batch_rows = 10000;             ///< Most rows in an Arrow batch.
  int64_t batch_bytes = 4 * 1024 * 1024;  ///< Aim for the most bytes.
  std::function<void(ObservedMetrics)> on_observed;
};

/// Rows of a running query as they come; ends with nullptr. Dropping the stream stops the query.
class ResultStream {
 public:
  virtual ~ResultStream() = default;
  virtual const DataTypePtr& schema() const = 0;
  virtual Result<std::unique_ptr<ArrowBatch>> Next() = 0;
};

/// One embedded DuckDB for all sessions. Thread-safe.
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> Open(const EngineOptions& options);
  virtual ~Engine() = default;

  /// Starts a query; batches are laid out as types/arrow_c.h says, column names and types those of plan.output.
  virtual Result<std::unique_ptr<ResultStream>> Execute(const plan::LogicalPlanPtr& plan,
                                                        const ExecutionContext& context) = 0;
  /// Runs a query to its end and returns its rows as values: small results (SHOW, subqueries of commands, files
  /// touched).
  virtual Result<RowSet> Collect(const plan::LogicalPlanPtr& plan, const ExecutionContext& context) = 0;
  /// Writes the plan's rows (columns in the task's order) as files; on error everything written is deleted.
  virtual Result<std::vector<tables::WrittenFile>> Write(const plan::LogicalPlanPtr& plan,
                                                         const tables::WriteTask& task,
                                                         const ExecutionContext& context) = 0;
  /// Value of a constant expression (no columns).
  virtual Result<Value> Evaluate(const ExpressionPtr& expression, const ExecutionContext& context) = 0;
  /// Columns and types of files: format parquet, csv, json, text, binaryfile; options as Spark's reader names them,
  /// keys in lower case.
  virtual Result<DataTypePtr> InferSchema(const std::string& format, const std::vector<std::string>& paths,
                                          const std::map<std::string, std::string>& options,
                                          const ExecutionContext& context) = 0;
  /// Whether the engine has an implementation of a scalar ("s"), aggregate ("a") or window ("w") function by its
  /// canonical name.
  virtual bool HasFunction(std::string_view name) const = 0;
};

/// Runs a query to its end and returns a plan of the same columns (and ids) over its rows in memory.
Result<plan::LogicalPlanPtr> Materialize(Engine& engine, const plan::LogicalPlanPtr& plan,
                                         const ExecutionContext& context);

}  // namespace frazil::engine
