#pragma once

// One user's state, and the way in for everything that a client asks: SQL, plans, settings.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/engine/engine.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/plan/unresolved_plan.h"

namespace frazil::streaming {
class StreamingQueries;
class StreamingQuery;
struct StreamWrite;
}  // namespace frazil::streaming

namespace frazil::session {

class Server;
class Session;
using SessionPtr = std::shared_ptr<Session>;

/// One statement under way: what cancel, progress and metrics speak of.
struct Operation {
  std::string id;
  std::vector<std::string> tags;
  std::shared_ptr<engine::CancelToken> cancel = std::make_shared<engine::CancelToken>();
  std::shared_ptr<engine::ExecutionMetrics> metrics = std::make_shared<engine::ExecutionMetrics>();
  std::mutex observed_mutex;
  std::vector<engine::ObservedMetrics> observed;
};
using OperationPtr = std::shared_ptr<Operation>;

/// What a statement answers: a stream of rows.
struct StatementResult {
  DataTypePtr schema;  ///< Struct type.
  std::unique_ptr<engine::ResultStream> stream;
};

/// Answer to spark.sql(text): a query stays a relation that the client may build on; a command has been run and its
/// rows are a relation in memory.
struct SqlResult {
  plan::PlanPtr relation;
  bool was_command = false;
};

/// Answer of Config requests.
struct ConfigEntry {
  std::string key;
  std::optional<std::string> value;
};

/// A user's session. Thread-safe: several statements may run at once.
class Session {
 public:
  virtual ~Session() = default;
  virtual const std::string& id() const = 0;
  virtual const std::string& user_id() const = 0;
  /// Id that the server gave this incarnation (Spark Connect's server_side_session_id).
  virtual const std::string& server_side_id() const = 0;

  // --- statements
  /// Runs a relation or a command (a command's rows come back too).
  virtual Result<StatementResult> Execute(const plan::PlanPtr& plan, const OperationPtr& operation) = 0;
  /// Runs a SqlCommand: commands at once, queries lazily.
  virtual Result<SqlResult> Sql(const plan::SqlQueryPlan& query, const OperationPtr& operation) = 0;
  /// Schema of a relation. This and the questions below may read files (schema inference): `operation` stops them.
  /// They run no command: SQL text that is one is asked for the columns of its answer alone.
  virtual Result<plan::LogicalPlanPtr> Analyze(const plan::PlanPtr& plan, const OperationPtr& operation) = 0;
  virtual Result<std::string> Explain(const plan::PlanPtr& plan, plan::ExplainMode mode,
                                      const OperationPtr& operation) = 0;
  virtual Result<DataTypePtr> ParseDdl(const std::string& text) = 0;
  /// Files that a relation reads.
  virtual Result<std::vector<std::string>> InputFiles(const plan::PlanPtr& plan, const OperationPtr& operation) = 0;
  virtual Result<bool> SameSemantics(const plan::PlanPtr& left, const plan::PlanPtr& right,
                                     const OperationPtr& operation) = 0;
  virtual Result<int32_t> SemanticHash(const plan::PlanPtr& plan, const OperationPtr& operation) = 0;
  virtual Result<bool> IsLocal(const plan::PlanPtr& plan) = 0;
  /// df.persist / unpersist / storageLevel, by the relation's meaning.
  virtual Status Persist(const plan::PlanPtr& plan, const std::string& storage_level,
                         const OperationPtr& operation) = 0;
  virtual Status Unpersist(const plan::PlanPtr& plan, const OperationPtr& operation) = 0;
  virtual Result<std::string> StorageLevel(const plan::PlanPtr& plan, const OperationPtr& operation) = 0;
  /// Drops a checkpointed relation.
  virtual void RemoveCachedRelation(const std::string& relation_id) = 0;

  // --- streaming queries
  /// df.writeStream.start(): the query runs on, with the settings and views of this moment, until it ends or the
  /// session is closed.
  virtual Result<std::shared_ptr<streaming::StreamingQuery>> StartStream(const streaming::StreamWrite& write) = 0;
  virtual streaming::StreamingQueries& streams() = 0;

  // --- operations under way
  /// Error INVALID_HANDLE.OPERATION_ALREADY_EXISTS where the id is taken. The operation is forgotten by EndOperation.
  virtual Result<OperationPtr> StartOperation(const std::string& id, const std::vector<std::string>& tags) = 0;
  virtual void EndOperation(const std::string& id) = 0;
  /// Ids of what was interrupted.
  virtual std::vector<std::string> InterruptAll() = 0;
  virtual std::vector<std::string> InterruptTag(const std::string& tag) = 0;
  virtual std::vector<std::string> InterruptOperation(const std::string& id) = 0;

  // --- settings
  virtual Status SetConfig(const std::string& key,
                           const std::string& value) = 0;  ///< Error CANNOT_MODIFY_STATIC_CONFIG and the like.
  virtual Status UnsetConfig(const std::string& key) = 0;
  /// The value set, else Spark's default, else nullopt.
  virtual std::optional<std::string> GetConfig(const std::string& key) const = 0;
  virtual std::vector<ConfigEntry> AllConfigs(const std::string& prefix) const = 0;
  virtual bool IsModifiable(const std::string& key) const = 0;

  // --- artifacts: bytes sent by the client, by name ("cache/<hash>": chunks of local relations).
  /// Error ARTIFACT_ALREADY_EXISTS where the name has other bytes already; what is cached by its hash is replaced.
  virtual Status StoreArtifact(const std::string& name, std::string data) = 0;
  virtual bool HasArtifact(const std::string& name) const = 0;
  virtual Result<std::string> LoadArtifact(const std::string& name) const = 0;
};

/// All sessions and what they share: the engine, catalogs' kinds, formats, stores. Thread-safe.
class Server {
 public:
  virtual ~Server() = default;
  /// The session of that user and id; made where new. `observed_server_side_id` (when not empty) must match: error
  /// INVALID_HANDLE.SESSION_CHANGED.
  virtual Result<SessionPtr> OpenSession(const std::string& user_id, const std::string& session_id,
                                         const std::string& observed_server_side_id) = 0;
  /// The same of a session that must be there already: error INVALID_HANDLE.SESSION_NOT_FOUND where it is not.
  virtual Result<SessionPtr> ReopenSession(const std::string& user_id, const std::string& session_id,
                                           const std::string& observed_server_side_id) = 0;
  /// The session if it exists.
  virtual SessionPtr FindSession(const std::string& user_id, const std::string& session_id) = 0;
  virtual Result<SessionPtr> CloneSession(const std::string& user_id, const std::string& session_id,
                                          const std::string& new_session_id) = 0;
  /// Cancels what runs and forgets the session; a later use of a closed id is an error INVALID_HANDLE.SESSION_CLOSED,
  /// or with `allow_reconnect` a new session.
  virtual void CloseSession(const std::string& user_id, const std::string& session_id, bool allow_reconnect) = 0;
  /// Closes sessions that were idle for longer than the time-out.
  virtual void CloseIdleSessions() = 0;
  virtual std::string spark_version() const = 0;  ///< "4.1.3"
};

struct ServerOptions {
  std::map<std::string, std::string> settings;  ///< --conf, spark-defaults.conf.
  std::string warehouse;                        ///< Absolute folder.
  engine::EngineOptions engine;
  int64_t session_idle_timeout_seconds = 3600;
};

}  // namespace frazil::session
