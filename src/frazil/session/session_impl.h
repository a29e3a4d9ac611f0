#pragma once

#include "frazil/session/session_state.h"
#include "frazil/session/statement_context.h"

namespace frazil::session {

class SessionImpl : public Session {
 public:
  explicit SessionImpl(SessionStatePtr state) : state_(std::move(state)) {}

  const std::string& id() const override { return state_->session_id; }
  const std::string& user_id() const override { return state_->user_id; }
  const std::string& server_side_id() const override { return state_->server_side_id; }
  const SessionStatePtr& state() const { return state_; }

  Result<StatementResult> Execute(const plan::PlanPtr& plan, const OperationPtr& operation) override;
  Result<SqlResult> Sql(const plan::SqlQueryPlan& query, const OperationPtr& operation) override;
  Result<plan::LogicalPlanPtr> Analyze(const plan::PlanPtr& plan, const OperationPtr& operation) override;
  Result<std::string> Explain(const plan::PlanPtr& plan, plan::ExplainMode mode,
                              const OperationPtr& operation) override;
  Result<DataTypePtr> ParseDdl(const std::string& text) override;
  Result<std::vector<std::string>> InputFiles(const plan::PlanPtr& plan, const OperationPtr& operation) override;
  Result<bool> SameSemantics(const plan::PlanPtr& left, const plan::PlanPtr& right,
                             const OperationPtr& operation) override;
  Result<int32_t> SemanticHash(const plan::PlanPtr& plan, const OperationPtr& operation) override;
  Result<bool> IsLocal(const plan::PlanPtr& plan) override;
  Status Persist(const plan::PlanPtr& plan, const std::string& storage_level, const OperationPtr& operation) override;
  Status Unpersist(const plan::PlanPtr& plan, const OperationPtr& operation) override;
  Result<std::string> StorageLevel(const plan::PlanPtr& plan, const OperationPtr& operation) override;
  void RemoveCachedRelation(const std::string& relation_id) override;

  Result<std::shared_ptr<streaming::StreamingQuery>> StartStream(const streaming::StreamWrite& write) override;
  streaming::StreamingQueries& streams() override { return state_->streams; }

  Result<OperationPtr> StartOperation(const std::string& id, const std::vector<std::string>& tags) override;
  void EndOperation(const std::string& id) override;
  std::vector<std::string> InterruptAll() override;
  std::vector<std::string> InterruptTag(const std::string& tag) override;
  std::vector<std::string> InterruptOperation(const std::string& id) override;

  Status SetConfig(const std::string& key, const std::string& value) override {
    return SetSessionConfig(*state_, key, value);
  }
  Status UnsetConfig(const std::string& key) override { return UnsetSessionConfig(*state_, key); }
  std::optional<std::string> GetConfig(const std::string& key) const override;
  std::vector<ConfigEntry> AllConfigs(const std::string& prefix) const override;
  bool IsModifiable(const std::string& key) const override;

  Status StoreArtifact(const std::string& name, std::string data) override;
  bool HasArtifact(const std::string& name) const override;
  Result<std::string> LoadArtifact(const std::string& name) const override;

 private:
  /// Rows of a command, a show() or a catalog call as a stream.
  Result<StatementResult> StreamOf(RowSet rows, StatementContext& context);
  /// The text of a typed plan in which two plans are equal where they mean the same: ids numbered by first appearance.
  Result<std::string> MeaningOf(const plan::PlanPtr& plan, const OperationPtr& operation);
  template <typename Matches>
  std::vector<std::string> Interrupt(Matches matches);

  SessionStatePtr state_;
};

}  // namespace frazil::session
