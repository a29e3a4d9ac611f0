#pragma once

// The engine on one embedded DuckDB. Internal to engine/.

#include <memory>
#include <mutex>

#include <duckdb.hpp>

#include "frazil/engine/engine.h"
#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

class DuckDbEngine : public Engine {
 public:
  explicit DuckDbEngine(const EngineOptions& options);
  ~DuckDbEngine() override;

  Result<std::unique_ptr<ResultStream>> Execute(const plan::LogicalPlanPtr& plan,
                                                const ExecutionContext& context) override;
  Result<RowSet> Collect(const plan::LogicalPlanPtr& plan, const ExecutionContext& context) override;
  Result<std::vector<tables::WrittenFile>> Write(const plan::LogicalPlanPtr& plan, const tables::WriteTask& task,
                                                 const ExecutionContext& context) override;
  Result<Value> Evaluate(const ExpressionPtr& expression, const ExecutionContext& context) override;
  Result<DataTypePtr> InferSchema(const std::string& format, const std::vector<std::string>& paths,
                                  const std::map<std::string, std::string>& options,
                                  const ExecutionContext& context) override;
  bool HasFunction(std::string_view name) const override;

  /// The database of statements that begin now. DuckDB refuses all further work after an error of its own making;
  /// nothing lasting is in it, so a fresh one takes its place. Statements that run keep theirs.
  duckdb::shared_ptr<duckdb::DuckDB> Database();
  const FunctionLoweringRegistry& registry() const { return registry_; }

  /// Computes the aggregates of df.observe nodes and reports them.
  Status ReportObserved(const std::vector<const plan::CollectMetricsNode*>& nodes, const ExecutionContext& context);

 private:
  /// The metrics of df.observe are computed by a second run over the rows: where that could see other rows, they are
  /// put in memory first.
  Result<plan::LogicalPlanPtr> WithObservedRows(const plan::LogicalPlanPtr& plan, const ExecutionContext& context);

  FunctionLoweringRegistry registry_;
  duckdb::shared_ptr<duckdb::DuckDB> OpenDatabase();

  const EngineOptions options_;
  std::mutex database_mutex_;
  duckdb::shared_ptr<duckdb::DuckDB> database_;
  std::string spill_directory_;
  bool owns_spill_directory_ = false;
};

}  // namespace frazil::engine
