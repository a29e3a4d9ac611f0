#pragma once

// One statement on DuckDB: a connection of its own, interruptible, its result as a stream of chunks. Internal to
// engine/.

#include <chrono>
#include <functional>
#include <memory>

#include <duckdb.hpp>
#include <duckdb/main/stream_query_result.hpp>
#include <duckdb/parser/sql_statement.hpp>

#include "frazil/engine/engine.h"
#include "frazil/engine/functions/function_lowering.h"
#include "frazil/engine/statement_state.h"

namespace frazil::engine {

class Statement {
 public:
  Statement(duckdb::DatabaseInstance& database, const FunctionLoweringRegistry& registry,
            const ExecutionContext& context);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Lowers and plans a query; run tasks follow with NextChunk.
  Status StartQuery(const plan::LogicalPlanPtr& plan);
  /// Plans any statement that `make` builds (on a thread with a deep stack).
  Status Start(const std::function<Result<duckdb::unique_ptr<duckdb::SQLStatement>>(StatementState&)>& make);

  /// The next rows; null at the end. After an error only destruction is allowed.
  Result<duckdb::unique_ptr<duckdb::DataChunk>> NextChunk();
  /// Ends a statement that has failed or is given up: when this returns, none of its tasks runs.
  void Stop();

  /// Nodes whose aggregates are to be reported when the query has ended.
  const std::vector<const plan::CollectMetricsNode*>& observed() const { return observed_; }
  void SetObserved(std::vector<const plan::CollectMetricsNode*> nodes) { observed_ = std::move(nodes); }
  duckdb::ClientContext& client() { return *connection_->context; }
  StatementState& state() { return *state_; }

 private:
  Status WaitForResult();
  /// Forgets the tasks that no thread has begun, so that a cancelled statement need not run them to their end.
  void DropWaitingTasks();
  Error Failure(const duckdb::ErrorData& error) const;
  /// Now and then: tells how much of the running plan is done. The last that was known stays where nothing is known.
  void UpdateProgress();

  const FunctionLoweringRegistry& registry_;
  std::shared_ptr<duckdb::Connection> connection_;
  duckdb::shared_ptr<StatementState> state_;
  duckdb::unique_ptr<duckdb::PendingQueryResult> pending_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  std::vector<const plan::CollectMetricsNode*> observed_;
  plan::LogicalPlanPtr plan_;
  int64_t interrupt_id_ = 0;
  std::chrono::steady_clock::time_point next_progress_;
};

}  // namespace frazil::engine
