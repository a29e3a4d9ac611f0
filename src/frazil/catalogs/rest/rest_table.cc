#include "frazil/catalogs/rest/rest_table.h"

#include <chrono>
#include <thread>

#include "frazil/base/logging.h"
#include "frazil/catalogs/rest/metadata_changes.h"
#include "frazil/net/url.h"
#include "frazil/tables/unknown_commit.h"

namespace frazil::catalogs {
namespace {

constexpr size_t kStatesKept = 3;
constexpr int kAttempts = 5;

Error NoSuchTable(const std::string& name) {
  return Error::Plain(ExceptionClass::kSpark,
                      "org.apache.iceberg.exceptions.NoSuchTableException: Table does not exist: " + name);
}

}  // namespace

Result<RestTableState> RestTableState::Of(const Json& answer) {
  RestTableState state;
  const Json* metadata = Member(answer, "metadata");
  if (metadata == nullptr || !metadata->is_object())
    return Error::Storage("The catalog's answer holds no table metadata");
  state.metadata = *metadata;
  state.metadata_location = TextMember(answer, "metadata-location");
  state.config = TextMembers(Member(answer, "config"));
  state.TakeCredentials(answer);
  return state;
}

void RestTableState::TakeCredentials(const Json& answer) {
  const Json* given = Member(answer, "storage-credentials");
  if (given == nullptr || !given->is_array()) return;
  for (const auto& credential : *given)
    credentials.emplace_back(TextMember(credential, "prefix"), TextMembers(Member(credential, "config")));
}

Settings RestTableState::SettingsFor(const std::string& path) const {
  Settings result = config;
  const std::pair<std::string, Settings>* best = nullptr;
  for (const auto& credential : credentials) {
    if (path.starts_with(credential.first) && (best == nullptr || credential.first.size() > best->first.size()))
      best = &credential;
  }
  if (best != nullptr) {
    for (const auto& [key, value] : best->second) result[key] = value;
  }
  return result;
}

std::string RestTablePath(const RestClient& client, const Identifier& identifier) {
  return "/namespaces/" + client.EncodeNamespace(identifier.name_space) + "/tables/" +
         net::PercentEncode(identifier.name);
}

Result<std::optional<RestTableState>> LoadRestTable(RestClient& client, const Identifier& identifier) {
  const std::string path = RestTablePath(client, identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, client.SendCached(path));
  if (answer.status == 404) return std::optional<RestTableState>();
  if (!answer.ok()) return client.ErrorOf("GET", path, answer);
  FRAZIL_ASSIGN_OR_RETURN(auto state, RestTableState::Of(answer.body));
  return std::optional<RestTableState>(std::move(state));
}

RestCommitPoint::RestCommitPoint(std::shared_ptr<RestClient> client, Identifier identifier, std::string name,
                                 std::optional<RestTableState> known)
    : client_(std::move(client)), identifier_(std::move(identifier)), name_(std::move(name)) {
  if (!known) return;
  Remember(*known);
  fresh_ = true;
}

void RestCommitPoint::Remember(const RestTableState& state) {
  std::lock_guard lock(mutex_);
  fresh_ = false;
  std::erase(order_, state.metadata_location);
  order_.push_back(state.metadata_location);
  states_[state.metadata_location] = state.metadata;
  while (order_.size() > kStatesKept) {
    states_.erase(order_.front());
    order_.erase(order_.begin());
  }
}

Result<std::optional<std::string>> RestCommitPoint::Current() {
  {
    std::lock_guard lock(mutex_);
    if (fresh_) {
      fresh_ = false;
      return std::optional<std::string>(order_.back());
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto state, LoadRestTable(*client_, identifier_));
  if (!state) return std::optional<std::string>();
  Remember(*state);
  return std::optional<std::string>(state->metadata_location);
}

std::optional<std::string> RestCommitPoint::MetadataText(const std::string& location) {
  std::lock_guard lock(mutex_);
  auto found = states_.find(location);
  return found == states_.end() ? std::nullopt : std::optional<std::string>(found->second.dump());
}

Result<RestCommitPoint::Found> RestCommitPoint::Look(const std::optional<std::string>& expected, const Json& base,
                                                     const Json& next, const Error& cause, std::string* written) {
  FRAZIL_ASSIGN_OR_RETURN(auto state, LoadRestTable(*client_, identifier_));
  if (!state) return expected ? Found::kOther : Found::kUnchanged;
  if (IsApplied(base, next, state->metadata)) {
    Log(LogLevel::kWarn, "A commit succeeded whose outcome was not told", {{"table", name_}, {"error", cause.message}});
    Remember(*state);
    *written = state->metadata_location;
    return Found::kCommit;
  }
  return expected && state->metadata_location == *expected ? Found::kUnchanged : Found::kOther;
}

Result<tables::CommitState> RestCommitPoint::Swap(const std::optional<std::string>& expected,
                                                  const std::string& metadata, std::string* written) {
  Json base;
  if (expected) {
    std::lock_guard lock(mutex_);
    auto found = states_.find(*expected);
    if (found == states_.end()) return Error::Internal("A commit on top of a state that the catalog never gave");
    base = found->second;
  }
  const Json next = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  if (next.is_discarded()) return Error::Internal("Table metadata that is no JSON");
  Json body = CommitBody(base, next);
  body["identifier"] = {{"namespace", identifier_.name_space}, {"name", identifier_.name}};
  const std::string path = RestTablePath(*client_, identifier_);
  bool sent_before = false;  // An earlier try may have come through, or may do so yet.
  Error cause;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100 << attempt));
    if (sent_before) {
      auto found = Look(expected, base, next, cause, written);
      if (!found.ok()) continue;
      if (*found == Found::kCommit) return tables::CommitState::kCommitted;
      // Others came first. The try cannot come through on top of them.
      if (*found == Found::kOther) return tables::CommitState::kConflict;
    }
    // To send the same changes again is safe: what they build on (the head of the branch, ...) is part of them, so that
    // they come through once at most.
    auto answer = client_->Send("POST", path, &body, /*repeatable=*/false);
    if (!answer.ok()) {
      if (answer.error().kind != ErrorKind::kUnknownCommit) return std::move(answer).error();
      cause = answer.error();
      sent_before = true;
      continue;
    }
    if (answer->ok()) {
      FRAZIL_ASSIGN_OR_RETURN(auto state, RestTableState::Of(answer->body));
      Remember(state);
      *written = state.metadata_location;
      return tables::CommitState::kCommitted;
    }
    const Error error = client_->ErrorOf("POST", path, *answer);
    if (answer->status >= 500 && answer->status != 501) {
      cause = error;
      sent_before = true;
      continue;
    }
    // The refusal may be because of an earlier try that has come through.
    sent_before |= answer->earlier_unknown;
    if (sent_before || answer->status == 400 || answer->status == 422) {
      auto found = Look(expected, base, next, error, written);
      if (!found.ok() && sent_before) {
        cause = error;
        continue;
      }
      if (found.ok() && *found == Found::kCommit && sent_before) return tables::CommitState::kCommitted;
      // Changes that no longer fit because others came first are said to be bad, by some services.
      if (found.ok() && *found == Found::kOther) return tables::CommitState::kConflict;
    }
    if (answer->status == 409) return tables::CommitState::kConflict;
    if (answer->status == 404) return NoSuchTable(name_);
    return error;
  }
  return tables::UnknownCommit("the commit to " + name_ + " came through: " + cause.message, cause);
}

}  // namespace frazil::catalogs
