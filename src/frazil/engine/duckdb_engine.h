#pragma once

// The engine on one embedded DuckDB. Internal to engine/.

#include <duckdb.hpp>

#include <memory>

#include "frazil/engine/engine.h"
#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

class DuckDbEngine : public Engine {
 public:
  explicit DuckDbEngine(const EngineOptions& options);
  ~DuckDbEngine() override;

  Result<std::unique_ptr<ResultStream>> Execute(const plan::LogicalPlanPtr& plan, const ExecutionContext& context) override;
  Result<RowSet> Collect(const plan::LogicalPlanPtr& plan, const ExecutionContext& context) override;
  Result<std::vector<tables::WrittenFile>> Write(const plan::LogicalPlanPtr& plan, const tables::WriteTask& task,
                                                 const ExecutionContext& context) override;
  Result<Value> Evaluate(const ExpressionPtr& expression, const ExecutionContext& context) override;
  Result<DataTypePtr> InferSchema(const std::string& format, const std::vector<std::string>& paths,
                                  const std::map<std::string, std::string>& options, const ExecutionContext& context) override;
  bool HasFunction(std::string_view name) const override;

  duckdb::DatabaseInstance& database() { return *database_->instance; }
  const FunctionLoweringRegistry& registry() const { return registry_; }

  /// Computes the aggregates of df.observe nodes and reports them.
  Status ReportObserved(const std::vector<const plan::CollectMetricsNode*>& nodes, const ExecutionContext& context);

 private:
  FunctionLoweringRegistry registry_;
  std::unique_ptr<duckdb::DuckDB> database_;
  std::string spill_directory_;
  bool owns_spill_directory_ = false;
};

}  // namespace frazil::engine
