#include "frazil/streaming/queries.h"

#include <algorithm>
#include <chrono>

#include "frazil/streaming/wait.h"

namespace frazil::streaming {
namespace {

/// Queries that have ended are kept for their clients' last questions, up to so many.
constexpr size_t kEndedKept = 100;
/// As the capacity of Spark's listener bus.
constexpr size_t kMostEvents = 10000;

}  // namespace

StreamingQueryPtr ActiveRuns::Find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(runs_, [](const auto& entry) { return entry.second.expired(); });
  const auto found = runs_.find(id);
  auto query = found == runs_.end() ? nullptr : found->second.lock();
  return query != nullptr && query->is_active() ? query : nullptr;
}

void ActiveRuns::Put(const StreamingQueryPtr& query) {
  const std::lock_guard lock(mutex_);
  runs_[query->id()] = query;
}

void EventQueue::Add(const StreamEvent& event) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  events_.push_back(event);
  if (events_.size() > kMostEvents) events_.pop_front();
  changed_.notify_all();
}

std::optional<StreamEvent> EventQueue::Next(engine::CancelToken* cancel) {
  const int64_t interrupt = cancel->AddInterrupt([this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  std::optional<StreamEvent> event;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !events_.empty() || cancel->cancelled(); });
    if (!events_.empty() && !cancel->cancelled()) {
      event = std::move(events_.front());
      events_.pop_front();
    }
  }
  cancel->RemoveInterrupt(interrupt);
  return event;
}

void EventQueue::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

Result<StreamingQueryPtr> StreamingQueries::Start(const StreamWrite& write, std::unique_ptr<StreamHost> host,
                                                  bool stop_active_run) {
  const auto same_name = [&](const StreamingQueryPtr& query) {
    return query->is_active() && !write.query_name.empty() && query->name() == write.query_name;
  };
  const auto name_is_taken = [&] {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot start query with name " + write.query_name +
                            " as a query with that name is already active in this SparkSession");
  };
  {
    const std::lock_guard lock(mutex_);
    if (std::any_of(queries_.begin(), queries_.end(), same_name)) return name_is_taken();
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto query, StreamingQuery::Make(write, std::move(host), [this](const StreamEvent& event) { Post(event); }));
  if (const auto former = runs_->Find(query->id())) {
    if (!stop_active_run) {
      return Error::Plain(
          ExceptionClass::kSpark,
          "Cannot start query with id " + query->id() +
              " as another query with same id is already active. Perhaps you are attempting to restart a query from "
              "checkpoint that is already active. You may stop the old query by setting the SQL configuration: "
              "spark.conf.set(\"spark.sql.streaming.stopActiveRunOnRestart\", true) and retry.");
    }
    former->Stop();
  }
  // Let go of outside the lock: its thread may still want it.
  std::vector<StreamingQueryPtr> forgotten;
  {
    const std::lock_guard lock(mutex_);
    if (std::any_of(queries_.begin(), queries_.end(), same_name)) return name_is_taken();
    queries_.push_back(query);
    size_t ended = static_cast<size_t>(
        std::count_if(queries_.begin(), queries_.end(), [](const auto& one) { return !one->is_active(); }));
    for (auto one = queries_.begin(); one != queries_.end() && ended > kEndedKept;) {
      if ((*one)->is_active()) {
        ++one;
        continue;
      }
      forgotten.push_back(std::move(*one));
      one = queries_.erase(one);
      --ended;
    }
  }
  runs_->Put(query);
  query->Start([this, run_id = query->run_id()] { Ended(run_id); });
  return query;
}

std::vector<StreamingQueryPtr> StreamingQueries::Active() const {
  const std::lock_guard lock(mutex_);
  std::vector<StreamingQueryPtr> active;
  std::copy_if(queries_.begin(), queries_.end(), std::back_inserter(active),
               [](const auto& query) { return query->is_active(); });
  return active;
}

StreamingQueryPtr StreamingQueries::Find(const std::string& id, const std::string& run_id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& query : queries_) {
    if (query->id() != id) continue;
    if (run_id.empty() ? query->is_active() : query->run_id() == run_id) return query;
  }
  return nullptr;
}

void StreamingQueries::Ended(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  for (const auto& query : queries_) {
    if (query->run_id() != run_id) continue;
    any_terminated_ = true;
    // As in Spark the first failure is told until it is reset.
    if (!terminated_error_) terminated_error_ = query->exception();
  }
  ended_.notify_all();
}

Result<bool> StreamingQueries::AwaitAny(std::optional<int64_t> timeout_ms, engine::CancelToken* cancel) {
  bool terminated = false;
  std::optional<Error> error;
  AwaitOrCancel(
      mutex_, ended_, timeout_ms, cancel, [this] { return any_terminated_; },
      [&] {
        terminated = any_terminated_;
        error = terminated_error_;
      });
  FRAZIL_RETURN_IF_ERROR(terminated ? Status() : engine::CheckNotCancelled(cancel));
  if (error) return *error;
  return terminated;
}

void StreamingQueries::ResetTerminated() {
  const std::lock_guard lock(mutex_);
  any_terminated_ = false;
  terminated_error_.reset();
}

void StreamingQueries::StopAll() {
  for (const auto& query : Active()) query->Stop();
  RemoveListener();
}

std::shared_ptr<EventQueue> StreamingQueries::AddListener() {
  const std::lock_guard lock(mutex_);
  if (listener_ != nullptr) return nullptr;
  listener_ = std::make_shared<EventQueue>();
  return listener_;
}

bool StreamingQueries::RemoveListener() {
  std::shared_ptr<EventQueue> removed;
  {
    const std::lock_guard lock(mutex_);
    removed = std::move(listener_);
    listener_ = nullptr;
  }
  if (removed == nullptr) return false;
  removed->Close();
  return true;
}

bool StreamingQueries::has_listener() const {
  const std::lock_guard lock(mutex_);
  return listener_ != nullptr;
}

void StreamingQueries::Post(const StreamEvent& event) {
  const std::lock_guard lock(mutex_);
  if (listener_ != nullptr) listener_->Add(event);
}

}  // namespace frazil::streaming
