#include "frazil/net/aws/credentials.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <mutex>

#include "frazil/base/clock.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/net/aws/profile_file.h"
#include "frazil/net/http_client.h"
#include "frazil/net/url.h"
#include "frazil/net/xml.h"

namespace frazil::net::aws {
namespace {

constexpr int64_t kRefreshBeforeMicros = 5LL * 60 * 1000000;

std::optional<std::string> Environment(const AmbientSources& sources, const char* name) {
  if (sources.environment) return sources.environment(name);
  const char* value = std::getenv(name);
  if (value == nullptr || *value == 0) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> ReadFile(const AmbientSources& sources, const std::string& path) {
  if (sources.read_file) return sources.read_file(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The profile of both files, the credentials file first.
Profile ReadProfile(const AmbientSources& sources, const std::string& name) {
  Profile merged;
  const std::string home = Environment(sources, "HOME").value_or("");
  for (const auto& [variable, usual] : {std::pair("AWS_SHARED_CREDENTIALS_FILE", home + "/.aws/credentials"),
                                        std::pair("AWS_CONFIG_FILE", home + "/.aws/config")}) {
    auto text = ReadFile(sources, Environment(sources, variable).value_or(usual));
    if (!text) continue;
    auto profiles = ParseProfiles(*text);
    auto found = profiles.find(name);
    if (found != profiles.end()) merged.insert(found->second.begin(), found->second.end());
  }
  return merged;
}

/// "2026-11-30T12:00:00Z" -> microseconds; 0 where it is no time.
int64_t TimeOf(const std::string& text) {
  struct tm parts {};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return 0;
  return static_cast<int64_t>(timegm(&parts)) * 1000000;
}

std::string MemberText(const JsonValue& object, const char* name) {
  const auto* member = object.Find(name);
  return member != nullptr && member->kind == JsonValue::Kind::kString ? member->text : std::string();
}

/// Keys as the endpoints of containers and instances give them.
std::optional<Credentials> FromJson(const std::string& text, std::string origin) {
  auto json = ParseJson(text);
  if (!json.ok()) return std::nullopt;
  Credentials found;
  found.access_key_id = MemberText(*json, "AccessKeyId");
  found.secret_access_key = MemberText(*json, "SecretAccessKey");
  found.session_token = MemberText(*json, "Token");
  found.expires_at_micros = TimeOf(MemberText(*json, "Expiration"));
  found.origin = std::move(origin);
  if (found.access_key_id.empty() || found.secret_access_key.empty()) return std::nullopt;
  return found;
}

HttpResponse Ask(HttpRequest request, int64_t timeout_ms) {
  HttpOptions options;
  options.connect_timeout_ms = timeout_ms;
  options.total_timeout_ms = timeout_ms * 5;
  return HttpClient::Shared(options)->Send(request);
}

std::optional<Credentials> FromWebIdentity(const AmbientSources& sources, std::string* tried) {
  auto token_file = Environment(sources, "AWS_WEB_IDENTITY_TOKEN_FILE");
  auto role = Environment(sources, "AWS_ROLE_ARN");
  if (!token_file || !role) return std::nullopt;
  auto token = ReadFile(sources, *token_file);
  if (!token) {
    *tried += "; no web identity token in " + *token_file;
    return std::nullopt;
  }
  const std::string region = DefaultRegion({}, sources).value_or("us-east-1");
  HttpRequest request;
  request.method = "POST";
  request.url = Environment(sources, "AWS_ENDPOINT_URL_STS").value_or("https://sts." + region + ".amazonaws.com") + "/";
  const std::string session = Environment(sources, "AWS_ROLE_SESSION_NAME").value_or("frazil");
  const std::string body = FormEncode({{"Action", "AssumeRoleWithWebIdentity"},
                                       {"Version", "2011-06-15"},
                                       {"RoleArn", *role},
                                       {"RoleSessionName", session},
                                       {"WebIdentityToken", TrimBlanks(*token)}});
  request.body = body;
  request.SetHeader("Content-Type", "application/x-www-form-urlencoded");
  const HttpResponse response = Ask(request, 5000);
  auto answer = ParseXml(response.body);
  const XmlElement* result = answer.ok() ? answer->Find("AssumeRoleWithWebIdentityResult") : nullptr;
  const XmlElement* keys = result != nullptr ? result->Find("Credentials") : nullptr;
  if (keys == nullptr) {
    *tried += "; the role " + *role + " was not given (status " + std::to_string(response.status) + ")";
    return std::nullopt;
  }
  Credentials found;
  found.access_key_id = keys->TextOf("AccessKeyId");
  found.secret_access_key = keys->TextOf("SecretAccessKey");
  found.session_token = keys->TextOf("SessionToken");
  found.expires_at_micros = TimeOf(keys->TextOf("Expiration"));
  found.origin = "web identity role " + *role;
  return found;
}

std::optional<Credentials> FromContainer(const AmbientSources& sources, std::string* tried) {
  HttpRequest request;
  if (auto relative = Environment(sources, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
    request.url = "http://169.254.170.2" + *relative;
  } else if (auto full = Environment(sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
    request.url = *full;
  } else {
    return std::nullopt;
  }
  auto authorization = Environment(sources, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (auto file = Environment(sources, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    auto text = ReadFile(sources, *file);
    if (text) authorization = std::string(TrimBlanks(*text));
  }
  if (authorization) request.SetHeader("Authorization", *authorization);
  const HttpResponse response = Ask(request, 2000);
  auto found = response.ok() ? FromJson(response.body, "the container's endpoint") : std::nullopt;
  if (!found) *tried += "; the container's endpoint gave no keys (status " + std::to_string(response.status) + ")";
  return found;
}

std::optional<Credentials> FromInstance(const AmbientSources& sources, std::string* tried) {
  if (EqualsIgnoreCase(Environment(sources, "AWS_EC2_METADATA_DISABLED").value_or(""), "true")) return std::nullopt;
  const std::string base =
      Environment(sources, "AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or("http://169.254.169.254") + "/latest/";
  HttpRequest request;
  request.method = "PUT";
  request.url = base + "api/token";
  request.SetHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600");
  HttpResponse response = Ask(request, 1000);
  *tried += "; no instance metadata";
  if (!response.ok()) return std::nullopt;
  const std::string token = response.body;
  auto get = [&](const std::string& path) {
    HttpRequest asked;
    asked.url = base + path;
    asked.SetHeader("X-aws-ec2-metadata-token", token);
    return Ask(asked, 1000);
  };
  const std::string roles = "meta-data/iam/security-credentials/";
  response = get(roles);
  if (!response.ok()) return std::nullopt;
  const std::string role(TrimBlanks(response.body.substr(0, response.body.find('\n'))));
  return FromJson(get(roles + PercentEncode(role)).body, "the instance's role " + role);
}

/// Goes down the chain once.
Result<Credentials> Find(const AmbientSources& sources, const std::string& profile_name) {
  auto key = Environment(sources, "AWS_ACCESS_KEY_ID");
  auto secret = Environment(sources, "AWS_SECRET_ACCESS_KEY");
  if (profile_name.empty() && key && secret) {
    return Credentials{*key, *secret, Environment(sources, "AWS_SESSION_TOKEN").value_or(""),
                       0,    false,   "environment variable AWS_ACCESS_KEY_ID"};
  }
  std::string tried = "no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment";
  if (auto found = FromWebIdentity(sources, &tried)) return *std::move(found);
  const std::string name =
      !profile_name.empty() ? profile_name : Environment(sources, "AWS_PROFILE").value_or("default");
  const Profile profile = ReadProfile(sources, name);
  auto of_profile = [&](const char* setting) {
    auto found = profile.find(setting);
    return found == profile.end() ? std::string() : found->second;
  };
  if (!of_profile("aws_access_key_id").empty() && !of_profile("aws_secret_access_key").empty()) {
    return Credentials{of_profile("aws_access_key_id"),
                       of_profile("aws_secret_access_key"),
                       of_profile("aws_session_token"),
                       0,
                       false,
                       "profile " + name};
  }
  tried += "; no keys in the profile " + name;
  if (auto found = FromContainer(sources, &tried)) return *std::move(found);
  if (auto found = FromInstance(sources, &tried)) return *std::move(found);
  return Error::Storage("No AWS credentials: " + tried);
}

}  // namespace

std::string Credentials::Describe() const {
  if (anonymous) return "anonymous access (" + origin + ")";
  return "access key " + access_key_id + " (" + origin + ")";
}

CredentialsProvider StaticCredentials(Credentials credentials) {
  return [credentials = std::move(credentials)]() -> Result<Credentials> { return credentials; };
}

CredentialsProvider DefaultCredentials(std::string profile, AmbientSources sources) {
  struct State {
    std::mutex mutex;
    std::optional<Credentials> held;
  };
  auto state = std::make_shared<State>();
  return [=]() -> Result<Credentials> {
    std::lock_guard lock(state->mutex);
    if (state->held &&
        (state->held->expires_at_micros == 0 || state->held->expires_at_micros - kRefreshBeforeMicros > NowMicros()))
      return *state->held;
    FRAZIL_ASSIGN_OR_RETURN(state->held, Find(sources, profile));
    return *state->held;
  };
}

std::optional<std::string> DefaultRegion(const std::string& profile, const AmbientSources& sources) {
  for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (auto region = Environment(sources, variable)) return region;
  }
  const Profile settings =
      ReadProfile(sources, !profile.empty() ? profile : Environment(sources, "AWS_PROFILE").value_or("default"));
  auto found = settings.find("region");
  return found == settings.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace frazil::net::aws
