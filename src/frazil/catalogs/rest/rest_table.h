#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "frazil/catalogs/rest/rest_client.h"
#include "frazil/tables/metadata_text.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// A table as the service knows it.
struct RestTableState {
  std::string metadata_location;
  Json metadata;
  Settings config;  ///< What the service says of how to get at its files.
  /// Credentials for parts of the store: path prefix and settings.
  std::vector<std::pair<std::string, Settings>> credentials;

  static Result<RestTableState> Of(const Json& answer);
  /// The member storage-credentials of an answer.
  void TakeCredentials(const Json& answer);
  /// The settings for a path: of the longest prefix that it has, over those of the table.
  Settings SettingsFor(const std::string& path) const;
};

/// The path of a table below /v1/{prefix}.
std::string RestTablePath(const RestClient& client, const Identifier& identifier);

/// Loads it; nullopt where there is none.
Result<std::optional<RestTableState>> LoadRestTable(RestClient& client, const Identifier& identifier);

/// The pointer of a table in a REST catalog: a commit is told to the service as the changes that lead from the state it
/// had to the next one, and the service merges them. Answers that leave open whether a commit came through are resolved
/// by looking.
class RestCommitPoint : public tables::CommitPoint, public tables::MetadataHolder {
 public:
  /// `known`: a state that was loaded just now, for the first question; nullopt: none.
  RestCommitPoint(std::shared_ptr<RestClient> client, Identifier identifier, std::string name,
                  std::optional<RestTableState> known);

  Result<std::optional<std::string>> Current() override;
  Result<tables::CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) override;
  std::optional<std::string> MetadataText(const std::string& location) override;

 private:
  void Remember(const RestTableState& state);
  enum class Found { kCommit, kUnchanged, kOther };
  /// What the service holds after a commit without a certain answer: its result, the state it was to change, or
  /// something else. `cause` says why it is asked.
  Result<Found> Look(const std::optional<std::string>& expected, const Json& base, const Json& next, const Error& cause,
                     std::string* written);

  std::shared_ptr<RestClient> client_;
  Identifier identifier_;
  std::string name_;
  std::mutex mutex_;
  bool fresh_ = false;                  ///< The newest state has not been asked for since it was loaded.
  std::map<std::string, Json> states_;  ///< By location: the newest ones.
  std::vector<std::string> order_;      ///< Of the states, the newest last.
};

}  // namespace frazil::catalogs
