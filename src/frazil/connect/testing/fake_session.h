#pragma once

// Sessions without an engine behind them, for tests of the protocol: they answer every relation with fixed rows and
// keep what they were asked.

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "frazil/base/uuid.h"
#include "frazil/session/session.h"
#include "frazil/streaming/queries.h"

namespace frazil::connect::testing {

/// One batch with one BIGINT column: the numbers from `start`.
inline ArrowBatch MakeLongBatch(int64_t start, int64_t count) {
  struct Owned {
    std::vector<int64_t> values;
    const void* column_buffers[2];
    const void* struct_buffers[1] = {nullptr};
    ArrowArray column;
    ArrowArray* children[1];
  };
  auto* owned = new Owned();
  for (int64_t i = 0; i < count; ++i) owned->values.push_back(start + i);
  owned->column_buffers[0] = nullptr;
  owned->column_buffers[1] = owned->values.data();
  owned->column = ArrowArray{
      count,  0, 0, 2, 0, owned->column_buffers, nullptr, nullptr, [](ArrowArray* array) { array->release = nullptr; },
      nullptr};
  owned->children[0] = &owned->column;
  ArrowArray batch{count,
                   0,
                   0,
                   1,
                   1,
                   owned->struct_buffers,
                   owned->children,
                   nullptr,
                   [](ArrowArray* array) {
                     delete static_cast<Owned*>(array->private_data);
                     array->release = nullptr;
                   },
                   owned};
  return ArrowBatch(&batch);
}

/// What the fake answers, shared by all of its sessions.
struct FakeAnswers {
  DataTypePtr schema = DataType::Struct({StructField("id", DataType::Long(), false)});
  int64_t rows = 5;
  int64_t rows_in_batch = 2;
  std::chrono::milliseconds pause{
      0};  ///< Before each batch, and during an analysis; ends early when the operation is cancelled.
  std::shared_ptr<const Error> execute_error;
  std::atomic<bool> sql_is_command = false;  ///< Tests change it between calls.
  std::vector<engine::ObservedMetrics> observed;
};

class FakeStream : public engine::ResultStream {
 public:
  FakeStream(std::shared_ptr<const FakeAnswers> answers, session::OperationPtr operation)
      : answers_(std::move(answers)), operation_(std::move(operation)) {}
  const DataTypePtr& schema() const override { return answers_->schema; }
  Result<std::unique_ptr<ArrowBatch>> Next() override {
    const auto until = std::chrono::steady_clock::now() + answers_->pause;
    do {
      if (operation_->cancel->cancelled()) return Error::Of(ExceptionClass::kSpark, "OPERATION_CANCELED");
      if (answers_->pause.count() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (std::chrono::steady_clock::now() < until);
    if (sent_ >= answers_->rows) return std::unique_ptr<ArrowBatch>();
    const int64_t count = std::min(answers_->rows_in_batch, answers_->rows - sent_);
    auto batch = std::make_unique<ArrowBatch>(MakeLongBatch(sent_, count));
    sent_ += count;
    operation_->metrics->rows_out = sent_;
    operation_->metrics->progress = static_cast<double>(sent_) / static_cast<double>(answers_->rows);
    return batch;
  }

 private:
  std::shared_ptr<const FakeAnswers> answers_;
  session::OperationPtr operation_;
  int64_t sent_ = 0;
};

class FakeSession : public session::Session {
 public:
  FakeSession(std::string user_id, std::string id, std::shared_ptr<const FakeAnswers> answers)
      : user_id_(std::move(user_id)),
        id_(std::move(id)),
        server_side_id_(RandomUuidText()),
        answers_(std::move(answers)) {}

  const std::string& id() const override { return id_; }
  const std::string& user_id() const override { return user_id_; }
  const std::string& server_side_id() const override { return server_side_id_; }

  Result<session::StatementResult> Execute(const plan::PlanPtr& plan, const session::OperationPtr& operation) override {
    Remember(plan);
    if (answers_->execute_error != nullptr) return *answers_->execute_error;
    {
      const std::lock_guard lock(operation->observed_mutex);
      operation->observed = answers_->observed;
    }
    return session::StatementResult{answers_->schema, std::make_unique<FakeStream>(answers_, operation)};
  }
  Result<session::SqlResult> Sql(const plan::SqlQueryPlan& query, const session::OperationPtr& operation) override {
    Remember(std::make_shared<plan::SqlQueryPlan>(query));
    if (answers_->execute_error != nullptr) return *answers_->execute_error;
    if (!answers_->sql_is_command) return session::SqlResult{std::make_shared<plan::SqlQueryPlan>(query), false};
    auto table = std::make_shared<ArrowTable>();
    table->schema = answers_->schema;
    FakeStream stream(answers_, operation);
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto batch, stream.Next());
      if (batch == nullptr) break;
      table->batches.push_back(std::move(*batch));
    }
    auto relation = std::make_shared<plan::LocalRelationPlan>();
    relation->data = std::move(table);
    return session::SqlResult{std::move(relation), true};
  }
  Result<plan::LogicalPlanPtr> Analyze(const plan::PlanPtr& plan, const session::OperationPtr& operation) override {
    Remember(plan);
    const auto until = std::chrono::steady_clock::now() + answers_->pause;
    while (std::chrono::steady_clock::now() < until) {
      FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(operation->cancel.get()));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    auto node = std::make_shared<plan::OneRowNode>();
    Attribute attribute;
    attribute.name = "id";
    attribute.type = DataType::Long();
    attribute.nullable = false;
    node->output.push_back(std::move(attribute));
    return plan::LogicalPlanPtr(std::move(node));
  }
  Result<std::string> Explain(const plan::PlanPtr& plan, plan::ExplainMode mode,
                              const session::OperationPtr&) override {
    Remember(plan);
    return "plan in mode " + std::to_string(static_cast<int>(mode));
  }
  Result<DataTypePtr> ParseDdl(const std::string& text) override {
    if (text != "id BIGINT") return Error::Parse("PARSE_SYNTAX_ERROR", {{"error", text}, {"hint", ""}});
    return answers_->schema;
  }
  Result<std::vector<std::string>> InputFiles(const plan::PlanPtr&, const session::OperationPtr&) override {
    return std::vector<std::string>{"file:///a", "file:///b"};
  }
  Result<std::shared_ptr<streaming::StreamingQuery>> StartStream(const streaming::StreamWrite&) override {
    return Error::Unsupported("streaming queries of a fake session");
  }
  streaming::StreamingQueries& streams() override { return streams_; }
  Result<bool> SameSemantics(const plan::PlanPtr& left, const plan::PlanPtr& right,
                             const session::OperationPtr&) override {
    return left->kind == right->kind;
  }
  Result<int32_t> SemanticHash(const plan::PlanPtr& plan, const session::OperationPtr&) override {
    return static_cast<int32_t>(plan->kind);
  }
  Result<bool> IsLocal(const plan::PlanPtr& plan) override { return plan->kind == plan::PlanKind::kLocalRelation; }
  Status Persist(const plan::PlanPtr&, const std::string& level, const session::OperationPtr&) override {
    const std::lock_guard lock(mutex_);
    storage_level_ = level;
    return Status::Ok();
  }
  Status Unpersist(const plan::PlanPtr&, const session::OperationPtr&) override {
    const std::lock_guard lock(mutex_);
    storage_level_.clear();
    return Status::Ok();
  }
  Result<std::string> StorageLevel(const plan::PlanPtr&, const session::OperationPtr&) override {
    const std::lock_guard lock(mutex_);
    return storage_level_;
  }
  void RemoveCachedRelation(const std::string&) override {}

  Result<session::OperationPtr> StartOperation(const std::string& id, const std::vector<std::string>& tags) override {
    const std::lock_guard lock(mutex_);
    if (operations_.contains(id)) return Error::Of("INVALID_HANDLE.OPERATION_ALREADY_EXISTS", {{"handle", id}});
    auto operation = std::make_shared<session::Operation>();
    operation->id = id;
    operation->tags = tags;
    operations_[id] = operation;
    return operation;
  }
  void EndOperation(const std::string& id) override {
    const std::lock_guard lock(mutex_);
    operations_.erase(id);
  }
  std::vector<std::string> InterruptAll() override {
    return Interrupt([](const session::Operation&) { return true; });
  }
  std::vector<std::string> InterruptTag(const std::string& tag) override {
    return Interrupt([&](const session::Operation& operation) {
      return std::find(operation.tags.begin(), operation.tags.end(), tag) != operation.tags.end();
    });
  }
  std::vector<std::string> InterruptOperation(const std::string& id) override {
    return Interrupt([&](const session::Operation& operation) { return operation.id == id; });
  }

  Status SetConfig(const std::string& key, const std::string& value) override {
    if (key.starts_with("spark.driver.")) return Error::Of("CANNOT_MODIFY_CONFIG", {{"key", key}, {"docroot", ""}});
    const std::lock_guard lock(mutex_);
    settings_[key] = value;
    return Status::Ok();
  }
  Status UnsetConfig(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    settings_.erase(key);
    return Status::Ok();
  }
  std::optional<std::string> GetConfig(const std::string& key) const override {
    const std::lock_guard lock(mutex_);
    const auto found = settings_.find(key);
    if (found == settings_.end()) return std::nullopt;
    return found->second;
  }
  std::vector<session::ConfigEntry> AllConfigs(const std::string& prefix) const override {
    const std::lock_guard lock(mutex_);
    std::vector<session::ConfigEntry> entries;
    for (const auto& [key, value] : settings_) {
      if (key.starts_with(prefix)) entries.push_back({key.substr(prefix.size()), value});
    }
    return entries;
  }
  bool IsModifiable(const std::string& key) const override { return !key.starts_with("spark.driver."); }

  Status StoreArtifact(const std::string& name, std::string data) override {
    const std::lock_guard lock(mutex_);
    if (const auto found = artifacts_.find(name); found != artifacts_.end() && found->second != data) {
      return Error::Of(ExceptionClass::kSparkRuntime, "ARTIFACT_ALREADY_EXISTS",
                       {{"normalizedRemoteRelativePath", name}});
    }
    artifacts_[name] = std::move(data);
    return Status::Ok();
  }
  bool HasArtifact(const std::string& name) const override {
    const std::lock_guard lock(mutex_);
    return artifacts_.contains(name);
  }
  Result<std::string> LoadArtifact(const std::string& name) const override {
    const std::lock_guard lock(mutex_);
    const auto found = artifacts_.find(name);
    if (found == artifacts_.end())
      return Error::Plain(ExceptionClass::kIllegalArgument, "There is no artifact " + name);
    return found->second;
  }

  /// The last plan that a call came with.
  plan::PlanPtr last_plan() const {
    const std::lock_guard lock(mutex_);
    return last_plan_;
  }

 private:
  void Remember(plan::PlanPtr plan) {
    const std::lock_guard lock(mutex_);
    last_plan_ = std::move(plan);
  }
  template <typename Matches>
  std::vector<std::string> Interrupt(Matches matches) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> ids;
    for (const auto& [id, operation] : operations_) {
      if (!matches(*operation)) continue;
      operation->cancel->Cancel();
      ids.push_back(id);
    }
    return ids;
  }

  const std::string user_id_;
  const std::string id_;
  const std::string server_side_id_;
  const std::shared_ptr<const FakeAnswers> answers_;
  streaming::StreamingQueries streams_{std::make_shared<streaming::ActiveRuns>()};
  mutable std::mutex mutex_;
  std::map<std::string, session::OperationPtr> operations_;
  std::map<std::string, std::string> settings_ = {{"spark.sql.session.timeZone", "UTC"}};
  std::map<std::string, std::string> artifacts_;
  std::string storage_level_;
  plan::PlanPtr last_plan_;
};

class FakeServer : public session::Server {
 public:
  explicit FakeServer(std::shared_ptr<const FakeAnswers> answers) : answers_(std::move(answers)) {}

  Result<session::SessionPtr> OpenSession(const std::string& user_id, const std::string& session_id,
                                          const std::string& observed_server_side_id) override {
    const std::lock_guard lock(mutex_);
    auto& session = sessions_[{user_id, session_id}];
    if (session == nullptr) session = std::make_shared<FakeSession>(user_id, session_id, answers_);
    if (!observed_server_side_id.empty() && observed_server_side_id != session->server_side_id()) {
      return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.SESSION_CHANGED", {{"handle", session_id}});
    }
    return session::SessionPtr(session);
  }
  Result<session::SessionPtr> ReopenSession(const std::string& user_id, const std::string& session_id,
                                            const std::string& observed_server_side_id) override {
    if (Find(user_id, session_id) == nullptr) {
      return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.SESSION_NOT_FOUND", {{"handle", session_id}});
    }
    return OpenSession(user_id, session_id, observed_server_side_id);
  }
  session::SessionPtr FindSession(const std::string& user_id, const std::string& session_id) override {
    return Find(user_id, session_id);
  }
  Result<session::SessionPtr> CloneSession(const std::string& user_id, const std::string&,
                                           const std::string& new_session_id) override {
    return OpenSession(user_id, new_session_id, "");
  }
  void CloseSession(const std::string& user_id, const std::string& session_id, bool /*allow_reconnect*/) override {
    const std::lock_guard lock(mutex_);
    sessions_.erase({user_id, session_id});
  }
  void CloseIdleSessions() override {}
  std::string spark_version() const override { return "4.1.3"; }

  std::shared_ptr<FakeSession> Find(const std::string& user_id, const std::string& session_id) {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find({user_id, session_id});
    return found == sessions_.end() ? nullptr : found->second;
  }

 private:
  const std::shared_ptr<const FakeAnswers> answers_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<FakeSession>> sessions_;
};

}  // namespace frazil::connect::testing
