#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "frazil/base/uuid.h"
#include "frazil/session/session_impl.h"
#include "frazil/session/session_server.h"

namespace frazil::session {

namespace {

using Clock = std::chrono::steady_clock;
using Key = std::pair<std::string, std::string>;  ///< User, session.

Error InvalidHandle(const std::string& what, const std::string& session_id) {
  return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE." + what, {{"handle", session_id}});
}

class ServerImpl : public Server {
 public:
  explicit ServerImpl(std::shared_ptr<SharedState> shared) : shared_(std::move(shared)) {}

  ~ServerImpl() override {
    for (auto& [key, entry] : sessions_) {
      entry.session->InterruptAll();
      entry.session->streams().StopAll();
    }
  }

  Result<SessionPtr> OpenSession(const std::string& user_id, const std::string& session_id,
                                 const std::string& observed_server_side_id) override {
    std::lock_guard lock(mutex_);
    Key key{user_id, session_id};
    if (closed_.contains(key)) return InvalidHandle("SESSION_CLOSED", session_id);
    auto found = sessions_.find(key);
    if (found == sessions_.end()) {
      if (!observed_server_side_id.empty()) return InvalidHandle("SESSION_CHANGED", session_id);
      auto state = std::make_shared<SessionState>(shared_);
      state->user_id = user_id;
      state->session_id = session_id;
      state->server_side_id = RandomUuidText();
      found = sessions_.emplace(key, Entry{std::make_shared<SessionImpl>(std::move(state)), Clock::now()}).first;
    } else if (!observed_server_side_id.empty() && observed_server_side_id != found->second.session->server_side_id()) {
      return InvalidHandle("SESSION_CHANGED", session_id);
    }
    found->second.used = Clock::now();
    return SessionPtr(found->second.session);
  }

  Result<SessionPtr> ReopenSession(const std::string& user_id, const std::string& session_id,
                                   const std::string& observed_server_side_id) override {
    std::lock_guard lock(mutex_);
    Key key{user_id, session_id};
    if (closed_.contains(key)) return InvalidHandle("SESSION_CLOSED", session_id);
    auto found = sessions_.find(key);
    if (found == sessions_.end()) return InvalidHandle("SESSION_NOT_FOUND", session_id);
    if (!observed_server_side_id.empty() && observed_server_side_id != found->second.session->server_side_id()) {
      return InvalidHandle("SESSION_CHANGED", session_id);
    }
    found->second.used = Clock::now();
    return SessionPtr(found->second.session);
  }

  SessionPtr FindSession(const std::string& user_id, const std::string& session_id) override {
    std::lock_guard lock(mutex_);
    auto found = sessions_.find({user_id, session_id});
    if (found == sessions_.end()) return nullptr;
    found->second.used = Clock::now();
    return found->second.session;
  }

  Result<SessionPtr> CloneSession(const std::string& user_id, const std::string& session_id,
                                  const std::string& new_session_id) override {
    std::lock_guard lock(mutex_);
    auto found = sessions_.find({user_id, session_id});
    if (found == sessions_.end()) return InvalidHandle("SESSION_NOT_FOUND", session_id);
    Key key{user_id, new_session_id};
    if (const bool closed = closed_.contains(key); closed || sessions_.contains(key)) {
      return Error::Of(ExceptionClass::kSpark,
                       closed ? "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_ALREADY_CLOSED"
                              : "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_ALREADY_EXISTS",
                       {{"targetSessionId", new_session_id}});
    }
    auto state = found->second.session->state()->Clone();
    state->session_id = new_session_id;
    state->server_side_id = RandomUuidText();
    auto session = std::make_shared<SessionImpl>(std::move(state));
    sessions_.emplace(key, Entry{session, Clock::now()});
    return SessionPtr(session);
  }

  void CloseSession(const std::string& user_id, const std::string& session_id, bool allow_reconnect) override {
    std::shared_ptr<SessionImpl> closing;
    {
      std::lock_guard lock(mutex_);
      auto found = sessions_.find({user_id, session_id});
      if (!allow_reconnect) {
        if (closed_.size() >= kRememberedSessions) closed_.clear();
        closed_.insert({user_id, session_id});
      }
      if (found == sessions_.end()) return;
      closing = found->second.session;
      sessions_.erase(found);
    }
    closing->InterruptAll();
    closing->streams().StopAll();
  }

  void CloseIdleSessions() override {
    auto limit = Clock::now() - std::chrono::seconds(shared_->options.session_idle_timeout_seconds);
    std::vector<Key> idle;
    {
      std::lock_guard lock(mutex_);
      for (const auto& [key, entry] : sessions_) {
        if (!entry.session->streams().Active().empty()) continue;
        std::lock_guard session_lock(entry.session->state()->mutex);
        if (entry.used < limit && entry.session->state()->operations.empty()) idle.push_back(key);
      }
    }
    for (const auto& [user, session] : idle) CloseSession(user, session, false);
  }

  std::string spark_version() const override { return "4.1.3"; }

 private:
  static constexpr size_t kRememberedSessions = 10000;
  struct Entry {
    std::shared_ptr<SessionImpl> session;
    Clock::time_point used;
  };

  std::shared_ptr<SharedState> shared_;
  std::mutex mutex_;
  std::map<Key, Entry> sessions_;
  std::set<Key> closed_;
};

}  // namespace

Result<std::shared_ptr<Server>> MakeServer(const ServerOptions& options, ServerParts parts) {
  auto shared = std::make_shared<SharedState>();
  shared->options = options;
  std::error_code failure;
  std::filesystem::path warehouse =
      std::filesystem::absolute(options.warehouse.empty() ? "spark-warehouse" : options.warehouse, failure);
  if (failure) return Error::Storage("Bad warehouse folder " + options.warehouse + ": " + failure.message());
  std::filesystem::create_directories(warehouse, failure);
  if (failure)
    return Error::Storage("Cannot make the warehouse folder " + warehouse.string() + ": " + failure.message());
  shared->options.warehouse = warehouse.lexically_normal().string();
  shared->parts = std::move(parts);
  return std::shared_ptr<Server>(std::make_shared<ServerImpl>(std::move(shared)));
}

}  // namespace frazil::session
