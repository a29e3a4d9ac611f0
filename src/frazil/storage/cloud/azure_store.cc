#include <arrow/filesystem/azurefs.h>

#include "frazil/base/text.h"
#include "frazil/storage/cloud/arrow_store.h"
#include "frazil/storage/cloud/cloud_settings.h"
#include "frazil/storage/cloud/cloud_stores.h"
#include "frazil/storage/cloud/shared_stores.h"

namespace frazil::storage {
namespace {

/// A setting that Hadoop has for one account ("fs.azure.X.ACCOUNT.dfs.core.windows.net") and for all ("fs.azure.X").
std::optional<FoundSetting> FindOfAccount(const SettingLookup& settings, const CloudLocation& location,
                                          const std::string& name) {
  return FindCloudSetting(settings, {name + "." + location.host, name + "." + location.Account(), name});
}

Error Missing(const std::string& kind, const std::string& name) {
  return Error::Plain(ExceptionClass::kIllegalArgument, kind + " needs the setting " + name);
}

/// "https://login.microsoftonline.com/TENANT/oauth2/token" -> "TENANT".
std::string TenantOf(const std::string& endpoint) {
  const size_t host = endpoint.find("://");
  const size_t start = endpoint.find('/', host == std::string::npos ? 0 : host + 3);
  if (start == std::string::npos) return {};
  return endpoint.substr(start + 1, endpoint.find('/', start + 1) - start - 1);
}

Status ConfigureOAuth(const SettingLookup& settings, const CloudLocation& location, arrow::fs::AzureOptions* options,
                      std::string* origin, arrow::Status* configured) {
  const auto provider = FindOfAccount(settings, location, "fs.azure.account.oauth.provider.type");
  const auto id = FindOfAccount(settings, location, "fs.azure.account.oauth2.client.id");
  const std::string kind = provider ? provider->value : "ClientCredsTokenProvider";
  if (kind.ends_with("MsiTokenProvider")) {
    *origin = "the managed identity of this machine";
    *configured = options->ConfigureManagedIdentityCredential(id ? id->value : "");
    return {};
  }
  if (kind.ends_with("WorkloadIdentityTokenProvider")) {
    *origin = "the workload identity of this machine";
    *configured = options->ConfigureWorkloadIdentityCredential();
    return {};
  }
  if (!kind.ends_with("ClientCredsTokenProvider"))
    return Error::Unsupported("the OAuth provider " + kind + " (setting " + provider->key + ")");
  const auto secret = FindOfAccount(settings, location, "fs.azure.account.oauth2.client.secret");
  const auto endpoint = FindOfAccount(settings, location, "fs.azure.account.oauth2.client.endpoint");
  if (!id) return Missing("OAuth", "fs.azure.account.oauth2.client.id");
  if (!secret) return Missing("OAuth", "fs.azure.account.oauth2.client.secret");
  if (!endpoint || TenantOf(endpoint->value).empty())
    return Missing("OAuth", "fs.azure.account.oauth2.client.endpoint, with the tenant in it");
  *origin = "the client " + id->value + " (setting " + id->key + ")";
  *configured = options->ConfigureClientSecretCredential(TenantOf(endpoint->value), id->value, secret->value);
  return {};
}

/// Sets the credential; `origin` tells what it is, without a secret.
Status ReadCredential(const SettingLookup& settings, const CloudLocation& location, arrow::fs::AzureOptions* options,
                      std::string* origin) {
  const auto kind = FindOfAccount(settings, location, "fs.azure.account.auth.type");
  const auto token =
      FindCloudSetting(settings, {"adls.sas-token." + location.host, "adls.sas-token." + location.Account(),
                                  "fs.azure.sas.fixed.token." + location.host, "fs.azure.sas.fixed.token",
                                  "fs.azure.sas." + location.container + "." + location.host});
  const auto key =
      FindCloudSetting(settings, {"adls.auth.shared-key.account.key", "fs.azure.account.key." + location.host,
                                  "fs.azure.account.key." + location.Account(), "fs.azure.account.key"});
  arrow::Status configured;
  if (kind && EqualsIgnoreCase(kind->value, "OAuth")) {
    FRAZIL_RETURN_IF_ERROR(ConfigureOAuth(settings, location, options, origin, &configured));
  } else if (kind && EqualsIgnoreCase(kind->value, "Anonymous")) {
    *origin = "no credential (setting " + kind->key + ")";
    configured = options->ConfigureAnonymousCredential();
  } else if (kind && !EqualsIgnoreCase(kind->value, "SharedKey") && !EqualsIgnoreCase(kind->value, "SAS")) {
    return Error::Plain(
        ExceptionClass::kIllegalArgument,
        "The setting " + kind->key + " must be SharedKey, SAS, OAuth or Anonymous, not '" + kind->value + "'");
  } else if (token && !(kind && EqualsIgnoreCase(kind->value, "SharedKey"))) {
    *origin = "the shared access token of setting " + token->key;
    configured = options->ConfigureSASCredential(token->value.starts_with('?') ? token->value : "?" + token->value);
  } else if (key) {
    *origin = "the account key of setting " + key->key;
    configured = options->ConfigureAccountKeyCredential(key->value);
  } else if (kind) {
    return Missing(kind->value, EqualsIgnoreCase(kind->value, "SAS") ? "fs.azure.sas.fixed.token." + location.host
                                                                     : "fs.azure.account.key." + location.host);
  } else {
    *origin = "the default credentials of this machine";
    configured = options->ConfigureDefaultCredential();
  }
  if (configured.ok()) return {};
  return Error::Plain(ExceptionClass::kIllegalArgument, "Azure does not take " + *origin);
}

}  // namespace

Result<ObjectStorePtr> AzureStore(const CloudLocation& location, const SettingLookup& settings) {
  arrow::fs::AzureOptions options;
  options.account_name = location.Account();
  const size_t dot = location.host.find('.');
  if (dot != std::string::npos) {
    // ".dfs.core.windows.net", or another cloud's; each has a blob endpoint beside it.
    std::string suffix = location.host.substr(dot);
    for (const std::string_view service : {".dfs.", ".blob."}) {
      if (!suffix.starts_with(service)) continue;
      const std::string rest = suffix.substr(service.size());
      options.dfs_storage_authority = ".dfs." + rest;
      options.blob_storage_authority = ".blob." + rest;
    }
  }
  if (auto endpoint = FindCloudSetting(
          settings, {"adls.connection-string." + location.host, "adls.connection-string." + location.Account()})) {
    const size_t scheme = endpoint->value.find("://");
    if (scheme == std::string::npos) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "The setting " + endpoint->key + " must be a URL, not '" + endpoint->value + "'");
    }
    options.dfs_storage_scheme = options.blob_storage_scheme = endpoint->value.substr(0, scheme);
    std::string authority = endpoint->value.substr(scheme + 3);
    options.dfs_storage_authority = options.blob_storage_authority = authority.substr(0, authority.find('/'));
  }
  std::string origin;
  FRAZIL_RETURN_IF_ERROR(ReadCredential(settings, location, &options, &origin));
  static SharedStores<arrow::fs::AzureOptions> shared;
  return shared.Get(options, [&]() -> Result<ObjectStorePtr> {
    auto files = arrow::fs::AzureFileSystem::Make(options);
    if (!files.ok())
      return Error::Storage("Failed to reach Azure's account " + options.account_name + " with " + origin);
    return ObjectStorePtr(std::make_shared<ArrowStore>(*files, location.host, origin));
  });
}

void RegisterCloudStores(StoreRegistry* registry) {
  registry->Register("gs", [](const std::string& path, const SettingLookup& settings) -> Result<ObjectStorePtr> {
    FRAZIL_ASSIGN_OR_RETURN(auto location, ParseCloudLocation(path));
    return GoogleStore(location, settings);
  });
  for (const char* scheme : {"abfs", "abfss", "wasb", "wasbs"}) {
    registry->Register(scheme, [](const std::string& path, const SettingLookup& settings) -> Result<ObjectStorePtr> {
      FRAZIL_ASSIGN_OR_RETURN(auto location, ParseCloudLocation(path));
      return AzureStore(location, settings);
    });
  }
}

}  // namespace frazil::storage
