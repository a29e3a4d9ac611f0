// What a streaming query sees of its session: a copy of it as it was when the query was started.

#include "frazil/base/text.h"
#include "frazil/session/session_impl.h"
#include "frazil/streaming/queries.h"

namespace frazil::session {

namespace {

class SessionStreamHost : public streaming::StreamHost {
 public:
  explicit SessionStreamHost(const SessionStatePtr& user) : own_(user->Clone()), user_(user) {
    const std::lock_guard lock(user->mutex);
    own_->cached_relations = user->cached_relations;
  }

  std::unique_ptr<commands::CommandContext> NewStatement(const streaming::StatementRun& run) override {
    auto operation = std::make_shared<Operation>();
    operation->cancel = run.cancel;
    operation->metrics = run.metrics;
    auto context = std::make_unique<StatementContext>(own_, std::move(operation));
    context->RunAs(run);
    return context;
  }

  // A session that has been closed needs nothing any more.
  void PutUserRelation(const std::string& id, analysis::CachedRelation relation) override {
    const auto user = user_.lock();
    if (user == nullptr) return;
    const std::lock_guard lock(user->mutex);
    user->cached_relations[id] = std::move(relation);
  }
  void DropUserRelation(const std::string& id) override {
    const auto user = user_.lock();
    if (user == nullptr) return;
    const std::lock_guard lock(user->mutex);
    user->cached_relations.erase(id);
  }
  void PutUserView(const std::string& name, analysis::TempView view) override {
    const auto user = user_.lock();
    if (user == nullptr) return;
    const std::lock_guard lock(user->mutex);
    user->temp_views[AsciiLower(name)] = std::move(view);
  }

 private:
  const SessionStatePtr own_;
  const std::weak_ptr<SessionState> user_;  ///< Which has the query, and so this.
};

}  // namespace

Result<std::shared_ptr<streaming::StreamingQuery>> SessionImpl::StartStream(const streaming::StreamWrite& write) {
  const bool stops_former =
      !EqualsIgnoreCase(GetConfig("spark.sql.streaming.stopActiveRunOnRestart").value_or("true"), "false");
  return state_->streams.Start(write, std::make_unique<SessionStreamHost>(state_), stops_former);
}

}  // namespace frazil::session
