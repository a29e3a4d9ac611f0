#pragma once

// The streaming queries of a session, and those of a server that have a checkpoint in common.

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frazil/streaming/query.h"

namespace frazil::streaming {

/// Which queries of a server are under way, by id: one checkpoint has one run at a time. Thread-safe.
class ActiveRuns {
 public:
  /// The run that has the id now; null: none.
  StreamingQueryPtr Find(const std::string& id);
  void Put(const StreamingQueryPtr& query);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<StreamingQuery>> runs_;
};

/// What a listener has not read yet; of one that does not read the oldest events are lost. Thread-safe.
class EventQueue {
 public:
  void Add(const StreamEvent& event);
  /// The next event, waited for; nullopt once the queue is closed and empty, or when `cancel` was cancelled.
  std::optional<StreamEvent> Next(engine::CancelToken* cancel);
  void Close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<StreamEvent> events_;
  bool closed_ = false;
};

/// The queries of one session. Thread-safe.
class StreamingQueries {
 public:
  explicit StreamingQueries(std::shared_ptr<ActiveRuns> runs) : runs_(std::move(runs)) {}
  ~StreamingQueries() { StopAll(); }

  /// Makes and starts a query. Errors: those of StreamingQuery::Make; a name or a checkpoint that a running query has
  /// (the latter only where spark.sql.streaming.stopActiveRunOnRestart is false: else that run is stopped).
  Result<StreamingQueryPtr> Start(const StreamWrite& write, std::unique_ptr<StreamHost> host,
                                  bool stop_active_run = true);
  std::vector<StreamingQueryPtr> Active() const;
  /// Active or ended; an empty `run_id`: the active run of that id. Null: none.
  StreamingQueryPtr Find(const std::string& id, const std::string& run_id) const;
  /// Waits until a query ends (or has ended since the last ResetTerminated). The error of one that failed.
  Result<bool> AwaitAny(std::optional<int64_t> timeout_ms, engine::CancelToken* cancel);
  void ResetTerminated();
  /// Stops all, and closes the listeners' queue.
  void StopAll();

  /// The listener of the client, of which there is at most one: null where there is one already.
  std::shared_ptr<EventQueue> AddListener();
  /// False where there was none.
  bool RemoveListener();
  bool has_listener() const;

 private:
  void Ended(const std::string& run_id);
  void Post(const StreamEvent& event);

  const std::shared_ptr<ActiveRuns> runs_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<StreamingQueryPtr> queries_;  ///< Active ones, and the last that ended.
  std::optional<Error> terminated_error_;
  bool any_terminated_ = false;
  std::shared_ptr<EventQueue> listener_;
};

}  // namespace frazil::streaming
