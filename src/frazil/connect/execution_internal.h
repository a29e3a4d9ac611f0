#pragma once

// One ExecutePlan request on its way: a thread that runs it, and the log of its responses.

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include <spark/connect/base.pb.h>

#include "frazil/connect/response_log_internal.h"
#include "frazil/session/session.h"

namespace frazil::connect {

class Execution {
 public:
  Execution(session::SessionPtr session, session::OperationPtr operation, spark::connect::ExecutePlanRequest request,
            bool reattachable);

  /// Runs the plan to its end, appending responses to the log. Once, in a thread of its own.
  void Run();
  /// Stops the plan; the log ends with an error of kind kCancelled.
  void Cancel() { operation_->cancel->Cancel(); }
  enum class State { kRunning, kTerminating, kSucceeded, kFailed, kCancelled };
  State state() const;
  /// A message about how far the plan is, unless nothing has changed since the last one. For the reader, when nothing
  /// else comes.
  void ReportProgress();

  ResponseLog& log() { return log_; }
  const session::SessionPtr& session() const { return session_; }
  const std::string& operation_id() const { return operation_->id; }
  bool reattachable() const { return reattachable_; }
  /// Whether the other request asks for the very same plan (a client that sends its request again).
  bool SamePlan(const spark::connect::ExecutePlanRequest& other) const;

 private:
  Status RunPlan();
  Status RunRelation(const spark::connect::Relation& relation);
  Status RunCommand(const spark::connect::Command& command);
  Status RunSqlCommand(const spark::connect::SqlCommand& command);
  Status RunPlanCommand(const spark::connect::Command& command);
  // execution_streaming.cc
  Status StartStream(const spark::connect::WriteStreamOperationStart& command);
  Status RunStreamCommand(const spark::connect::StreamingQueryCommand& command);
  Status RunStreamsCommand(const spark::connect::StreamingQueryManagerCommand& command);
  Status RunListenerCommand(const spark::connect::StreamingQueryListenerBusCommand& command);
  Status SendRows(session::StatementResult result);
  Status SendBatches(const DataTypePtr& schema, engine::ResultStream& stream);
  Status SendBatch(std::string data, int64_t rows, int64_t start_offset);
  Status SendMetrics();
  Status Send(spark::connect::ExecutePlanResponse response);
  spark::connect::ExecutePlanResponse NewResponse() const;

  const session::SessionPtr session_;
  const session::OperationPtr operation_;
  const spark::connect::ExecutePlanRequest request_;
  const bool reattachable_;
  // Where the client takes large batches in pieces: the most bytes of one; 0: it does not.
  int64_t chunk_bytes_ = 0;
  ResponseLog log_;
  std::atomic<State> end_state_{State::kRunning};
  std::mutex progress_mutex_;
  double last_progress_ = -1;
  int64_t last_bytes_ = -1;
};
using ExecutionPtr = std::shared_ptr<Execution>;

/// Key of an execution: user, session, operation.
using ExecutionKey = std::tuple<std::string, std::string, std::string>;

/// The executions of all sessions. Thread-safe.
class ExecutionRegistry {
 public:
  ~ExecutionRegistry();

  /// Adds the execution and starts its thread; when it ends, the session forgets the operation. False where the key is
  /// taken.
  bool Start(const ExecutionKey& key, const ExecutionPtr& execution);
  ExecutionPtr Find(const ExecutionKey& key) const;
  std::vector<ExecutionPtr> OfSession(const std::string& user_id, const std::string& session_id) const;
  /// Cancels the execution and forgets it. Returns whether it was there.
  bool Remove(const ExecutionKey& key);
  void RemoveSession(const std::string& user_id, const std::string& session_id);
  /// Removes what has had no reader for longer than `timeout`.
  void RemoveAbandoned(std::chrono::steady_clock::duration timeout);
  /// Cancels everything and waits until no thread runs, at most for `timeout`. Nothing can be started afterwards.
  bool StopAll(std::chrono::milliseconds timeout);

 private:
  void RemoveLocked(std::map<ExecutionKey, ExecutionPtr>::iterator entry);

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::map<ExecutionKey, ExecutionPtr> executions_;
  int running_ = 0;
  bool stopped_ = false;
};

}  // namespace frazil::connect
