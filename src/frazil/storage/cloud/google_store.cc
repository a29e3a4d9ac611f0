#include <fstream>
#include <iterator>

#include <arrow/filesystem/gcsfs.h>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/storage/cloud/arrow_store.h"
#include "frazil/storage/cloud/cloud_settings.h"
#include "frazil/storage/cloud/cloud_stores.h"
#include "frazil/storage/cloud/shared_stores.h"

namespace frazil::storage {
namespace {

// Google's library goes on for a quarter of an hour by itself, which for a wrong address looks like a hang.
constexpr double kRetrySeconds = 60;

struct Credential {
  arrow::fs::GcsOptions options;
  std::string origin;
};

Result<Credential> ReadCredential(const SettingLookup& settings) {
  using arrow::fs::GcsOptions;
  const auto kind = FindCloudSetting(settings, {"fs.gs.auth.type", "google.cloud.auth.type"});
  const auto none = FindCloudSetting(settings, {"gcs.no-auth"});
  if ((none && EqualsIgnoreCase(none->value, "true")) || (kind && EqualsIgnoreCase(kind->value, "UNAUTHENTICATED")))
    return Credential{GcsOptions::Anonymous(), "no credential (setting " + (kind ? kind : none)->key + ")"};
  if (auto token = FindCloudSetting(settings, {"gcs.oauth2.token"})) {
    // Without a time the token is good until the store says otherwise.
    auto expires = std::chrono::system_clock::now() + std::chrono::hours(24);
    if (auto at = FindCloudSetting(settings, {"gcs.oauth2.token-expires-at"})) {
      const auto millis = ParseInteger<int64_t>(at->value);
      if (!millis) {
        return Error::Plain(ExceptionClass::kIllegalArgument,
                            "The setting " + at->key + " must be milliseconds since 1970, not '" + at->value + "'");
      }
      expires = std::chrono::system_clock::time_point(std::chrono::milliseconds(*millis));
    }
    return Credential{GcsOptions::FromAccessToken(token->value, expires), "the token of setting " + token->key};
  }
  if (auto file = FindCloudSetting(
          settings, {"fs.gs.auth.service.account.json.keyfile", "google.cloud.auth.service.account.json.keyfile"})) {
    std::ifstream in(file->value, std::ios::binary);
    if (!in) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "The file " + file->value + " of the setting " + file->key + " cannot be read");
    }
    const std::string json{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return Credential{GcsOptions::FromServiceAccountCredentials(json), "the service account of " + file->value};
  }
  return Credential{GcsOptions::Defaults(), "the default credentials of this machine"};
}

}  // namespace

Result<ObjectStorePtr> GoogleStore(const CloudLocation&, const SettingLookup& settings) {
  FRAZIL_ASSIGN_OR_RETURN(auto credential, ReadCredential(settings));
  auto& options = credential.options;
  options.retry_limit_seconds = kRetrySeconds;
  if (auto project = FindCloudSetting(settings, {"gcs.project-id", "fs.gs.project.id"}))
    options.project_id = project->value;
  if (auto endpoint = FindCloudSetting(settings, {"gcs.service.host", "fs.gs.storage.root.url"})) {
    const size_t scheme = endpoint->value.find("://");
    options.scheme = scheme == std::string::npos ? "https" : endpoint->value.substr(0, scheme);
    options.endpoint_override = endpoint->value.substr(scheme == std::string::npos ? 0 : scheme + 3);
    while (options.endpoint_override.ends_with('/')) options.endpoint_override.pop_back();
  }
  static SharedStores<arrow::fs::GcsOptions> shared;
  return shared.Get(options, [&]() -> Result<ObjectStorePtr> {
    auto files = arrow::fs::GcsFileSystem::Make(options);
    if (!files.ok()) return Error::Storage("Failed to reach Google Cloud Storage: " + files.status().message());
    return ObjectStorePtr(std::make_shared<ArrowStore>(*files, "", credential.origin));
  });
}

}  // namespace frazil::storage
