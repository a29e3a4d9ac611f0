#pragma once

#include "frazil/commands/command_context.h"
#include "frazil/session/session_state.h"
#include "frazil/streaming/stream_host.h"

namespace frazil::session {

/// One statement of a session: what the analysis and the commands see of it. Settings are those at its start.
class StatementContext : public commands::CommandContext {
 public:
  /// What runs where the analysis meets a command: the command, or nothing at all (a question about a plan).
  enum class Commands : uint8_t { kRun, kAnalyze };

  StatementContext(SessionStatePtr state, OperationPtr operation, Commands commands = Commands::kRun);

  /// Takes this part of a streaming query's run: its time, and who hears of observed metrics.
  void RunAs(const streaming::StatementRun& run);

  // analysis::AnalysisContext
  const functions::ExpressionSettings& settings() const override { return execution_.settings; }
  sql::ParserOptions parser_options() const override;
  std::string current_catalog() const override { return state_->CurrentCatalog(); }
  catalogs::Namespace current_namespace() const override;
  bool HasCatalog(const std::string& name) const override;
  Result<catalogs::CatalogPtr> ResolveCatalog(const std::string& name) override { return state_->Catalog(name); }
  std::optional<analysis::TempView> FindTempView(const std::string& name) override;
  std::optional<analysis::TempView> FindGlobalTempView(const std::string& name) override;
  std::optional<analysis::SessionVariable> FindVariable(const std::string& name) override;
  std::optional<analysis::SqlFunction> FindSqlFunction(const std::vector<std::string>& name) override;
  Result<analysis::OpenedDataSource> OpenDataSource(const plan::DataSourcePlan& source) override;
  bool IsDataSourceName(const std::string& name) const override;
  Result<PathTable> OpenPathTable(const std::string& format, const std::string& path) override;
  Result<Value> EvaluateConstant(const ExpressionPtr& expression) override;
  Result<RowSet> CollectRows(const plan::LogicalPlanPtr& plan) override;
  Result<analysis::CachedRelation> FindCachedRelation(const std::string& relation_id) override;
  Result<std::shared_ptr<const RowSet>> CallCatalog(const plan::CatalogCallPlan& call) override;
  Result<std::shared_ptr<const RowSet>> RunCommand(const plan::PlanPtr& command) override;

  // commands::CommandContext
  engine::Engine& engine() override { return *state_->shared->parts.engine; }
  const engine::ExecutionContext& execution() const override { return execution_; }
  const tables::FormatRegistry& formats() const override { return *state_->shared->parts.formats; }
  const storage::StoreRegistry& stores() const override { return *state_->shared->parts.stores; }
  Status SetConfig(const std::string& key, const std::string& value) override;
  Status UnsetConfig(const std::string& key) override;
  void ResetConfigs() override;
  std::optional<std::string> GetConfig(const std::string& key) const override { return state_->Setting(key); }
  std::vector<commands::ConfigItem> Configs(bool all) const override;
  std::vector<std::string> CatalogNames() override { return state_->CatalogNames(); }
  Status SetCurrentCatalog(const std::string& name) override;
  void SetCurrentNamespace(const catalogs::Namespace& name_space) override;
  void PutTempView(const std::string& name, analysis::TempView view, bool global) override;
  bool DropTempView(const std::string& name, bool global) override;
  std::vector<std::string> TempViewNames(bool global) override;
  std::shared_ptr<const std::map<std::string, analysis::TempView>> CaptureTempViews() override;
  void PutVariable(analysis::SessionVariable variable) override;
  bool DropVariable(const std::string& name) override;
  std::vector<analysis::SessionVariable> Variables() override;
  void PutSqlFunction(analysis::SqlFunction function) override;
  bool DropSqlFunction(const std::string& name) override;
  std::vector<std::string> SqlFunctionNames() override;
  void PutPythonDataSource(const std::string& name, commands::PythonDataSource source) override;
  std::optional<commands::PythonDataSource> FindPythonDataSource(const std::string& name) const override;
  void PutPythonTableFunction(analysis::PythonTableFunction function) override;
  std::optional<analysis::PythonTableFunction> FindPythonTableFunction(const std::string& name) override;
  void MarkCached(const std::string& name, bool cached) override;
  bool IsCached(const std::string& name) override;
  void ClearCached() override;
  std::string PutCachedRelation(analysis::CachedRelation relation) override;
  void DropCachedRelation(const std::string& id) override;
  void BeginStatement() override;
  Result<RowSet> RunStatement(const plan::PlanPtr& plan) override;
  Result<std::string> Explain(const plan::PlanPtr& plan, plan::ExplainMode mode) override;

 protected:
  Result<analysis::OpenedDataSource> DescribeStream(const plan::Plan& source, size_t place) override;

 private:
  Result<analysis::OpenedDataSource> OpenFiles(const plan::DataSourcePlan& source, const std::string& format);
  Result<analysis::OpenedDataSource> OpenFormatTable(const plan::DataSourcePlan& source,
                                                     const tables::TableFormat& format);

  /// The settings as they are now.
  void ReadSettings();
  /// The schema that a read is given; null: none.
  Result<DataTypePtr> SchemaOf(const plan::DataSourcePlan& source);
  Result<analysis::OpenedDataSource> OpenPythonDataSource(const plan::DataSourcePlan& source, const std::string& name);
  /// The plan of SQL text, as long as it can be read; any other plan itself.
  plan::PlanPtr ParsedOf(const plan::PlanPtr& plan) const;
  /// A command for EXPLAIN: what it is, above its analyzed relation.
  Result<std::string> CommandTree(const plan::PlanPtr& parsed);
  /// What a command would answer, as far as the columns go, without its effects. Commands that only read answer truly.
  Result<RowSet> AnalyzeCommand(const plan::Command& command);

  SessionStatePtr state_;
  OperationPtr operation_;
  const Commands commands_;
  engine::ExecutionContext execution_;
};

/// Sets a session's setting: checks the value, refuses static keys (CANNOT_MODIFY_STATIC_CONFIG, CANNOT_MODIFY_CONFIG).
Status SetSessionConfig(SessionState& state, const std::string& key, const std::string& value);
Status UnsetSessionConfig(SessionState& state, const std::string& key);

}  // namespace frazil::session
