#include "frazil/catalogs/rest/rest_client.h"

#include <algorithm>

#include "frazil/base/byte_text.h"
#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/net/aws/signature_v4.h"
#include "frazil/net/url.h"
#include "frazil/storage/interrupt.h"

namespace frazil::catalogs {
namespace {

std::string WithoutEndSlash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

constexpr const char* kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr const char* kAccessTokenType = "urn:ietf:params:oauth:token-type:access_token";
/// Settings that hold a token of that type, to be exchanged for one of the service, in the order they are looked for.
const std::vector<std::string> kSubjectTypes = {
    "urn:ietf:params:oauth:token-type:id_token", kAccessTokenType, "urn:ietf:params:oauth:token-type:jwt",
    "urn:ietf:params:oauth:token-type:saml2", "urn:ietf:params:oauth:token-type:saml1"};

constexpr size_t kAnswersKept = 16;

/// Whether a table comes with keys to its files. They end, and so such an answer is never used again.
bool HoldsKeys(const Json& answer) {
  const Json* credentials = Member(answer, "storage-credentials");
  if (credentials != nullptr && !credentials->empty()) return true;
  for (const auto& [key, value] : TextMembers(Member(answer, "config"))) {
    if (key.find("token") != std::string::npos || key.find("access-key") != std::string::npos) return true;
  }
  return false;
}

/// A UUID of version 7, which the protocol asks for: the time, then chance (RFC 9562, section 5.7).
std::string TimeOrderedUuid() {
  std::string text = RandomUuidText();
  const auto millis = static_cast<uint64_t>(NowMicros() / 1000);
  constexpr const char* kDigits = "0123456789abcdef";
  // 48 bits of time: eight digits, a dash, four digits; then the version.
  for (int i = 0; i < 12; ++i) text[i < 8 ? i : i + 1] = kDigits[(millis >> (44 - 4 * i)) & 15];
  text[14] = '7';
  return text;
}

std::string Shortened(const std::string& text) { return text.size() <= 300 ? text : text.substr(0, 300) + "..."; }

}  // namespace

RestClient::RestClient(std::string catalog_name, Settings settings)
    : catalog_name_(std::move(catalog_name)), settings_(std::move(settings)) {}

std::string RestClient::SettingOr(const std::string& key, std::string otherwise) const {
  auto found = settings_.find(key);
  return found == settings_.end() || found->second.empty() ? std::move(otherwise) : found->second;
}

Result<std::shared_ptr<RestClient>> RestClient::Connect(const std::string& catalog_name, Settings settings) {
  std::shared_ptr<RestClient> client(new RestClient(catalog_name, std::move(settings)));
  FRAZIL_RETURN_IF_ERROR(client->ReadSettings());
  FRAZIL_RETURN_IF_ERROR(client->ReadConfig());
  return client;
}

Status RestClient::ReadSettings() {
  const std::string uri = SettingOr("uri", "");
  if (uri.empty())
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "The catalog " + catalog_name_ + " of type rest needs the setting uri");
  FRAZIL_RETURN_IF_ERROR(net::ParseUrl(uri));
  base_ = WithoutEndSlash(uri);
  net::HttpOptions options;
  auto number = [&](const char* key, int64_t* value) -> Status {
    auto found = settings_.find(key);
    if (found == settings_.end()) return {};
    auto parsed = ParseInteger<int64_t>(found->second);
    if (!parsed || *parsed < 0) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          std::string("The setting ") + key + " must be a number, not '" + found->second + "'");
    }
    *value = *parsed;
    return {};
  };
  int64_t retries = 5;
  FRAZIL_RETURN_IF_ERROR(number("rest.client.max-retries", &retries));
  FRAZIL_RETURN_IF_ERROR(number("rest.client.connection-timeout-ms", &options.connect_timeout_ms));
  FRAZIL_RETURN_IF_ERROR(number("rest.client.socket-timeout-ms", &options.stall_timeout_ms));
  retry_.attempts = static_cast<int>(std::min<int64_t>(retries, 100)) + 1;
  if (!SettingOr("rest.client.tls.configurer-impl", "").empty())
    return Error::Unsupported("rest.client.tls.configurer-impl (ssl.client.cert and ssl.client.key name files)");
  options.certificate_authorities = SettingOr("ssl.cabundle", "");
  options.client_certificate = SettingOr("ssl.client.cert", "");
  options.client_key = SettingOr("ssl.client.key", "");
  http_ = net::HttpClient::Shared(options);
  return {};
}

Status RestClient::ReadConfig() {
  std::string url = base_ + "/v1/config";
  const std::string warehouse = SettingOr("warehouse", "");
  if (!warehouse.empty()) url += "?warehouse=" + net::PercentEncode(warehouse);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, SendTo("GET", url, nullptr, true));
  if (!answer.ok()) return ErrorOf("GET", "/config", answer);
  Settings merged = TextMembers(Member(answer.body, "defaults"));
  for (const auto& [key, value] : settings_) merged[key] = value;
  for (const auto& [key, value] : TextMembers(Member(answer.body, "overrides"))) merged[key] = value;
  settings_ = std::move(merged);
  base_ = WithoutEndSlash(SettingOr("uri", base_));
  const std::string prefix = SettingOr("prefix", "");
  if (!prefix.empty()) prefix_ = "/" + net::PercentEncode(prefix, /*keep_slash=*/true);
  separator_ = SettingOr("namespace-separator", separator_);
  idempotency_keys_ = !TextMember(answer.body, "idempotency-key-lifetime").empty();
  const Json* endpoints = Member(answer.body, "endpoints");
  if (endpoints != nullptr && endpoints->is_array()) {
    for (const auto& endpoint : *endpoints) {
      if (endpoint.is_string()) endpoints_.insert(endpoint.get<std::string>());
    }
  }
  return {};
}

bool RestClient::HasEndpoint(const std::string& endpoint, bool otherwise) const {
  return endpoints_.empty() ? otherwise : endpoints_.contains(endpoint);
}

std::string RestClient::EncodeNamespace(const Namespace& name_space) const {
  std::string result;
  for (const auto& part : name_space) {
    if (!result.empty()) result += separator_;
    result += net::PercentEncode(part);
  }
  return result;
}

std::string RestClient::Identity() const {
  if (settings_.contains("credential")) {
    const std::string credential = SettingOr("credential", "");
    const size_t colon = credential.find(':');
    return colon == std::string::npos ? "the setting credential" : "client " + credential.substr(0, colon);
  }
  if (settings_.contains("token")) return "the setting token";
  if (settings_.contains("rest.auth.basic.username")) return "user " + SettingOr("rest.auth.basic.username", "");
  return "a caller without credentials";
}

std::string RestClient::CredentialsForm() const {
  const std::string credential = SettingOr("credential", "");
  const size_t colon = credential.find(':');
  const std::string id = colon == std::string::npos ? "" : credential.substr(0, colon);
  const std::string secret = colon == std::string::npos ? credential : credential.substr(colon + 1);
  std::string form = net::FormEncode({{"grant_type", "client_credentials"}, {"scope", SettingOr("scope", "catalog")}});
  if (!id.empty()) form += "&" + net::FormEncode({{"client_id", id}});
  return form + "&" + net::FormEncode({{"client_secret", secret}});
}

std::string RestClient::ExchangeForm(const std::string& subject, const std::string& type,
                                     const std::string& actor) const {
  std::string form = net::FormEncode({{"grant_type", kTokenExchange},
                                      {"scope", SettingOr("scope", "catalog")},
                                      {"subject_token", subject},
                                      {"subject_token_type", type}});
  if (!actor.empty()) form += "&" + net::FormEncode({{"actor_token", actor}, {"actor_token_type", kAccessTokenType}});
  return form;
}

Result<RestClient::Token> RestClient::FetchToken(const std::string& form, const std::string& authorization) {
  std::string body = form;
  for (const char* optional : {"audience", "resource"}) {
    const std::string value = SettingOr(optional, "");
    if (!value.empty()) body += "&" + net::FormEncode({{optional, value}});
  }
  const std::string url = SettingOr("oauth2-server-uri", base_ + "/v1/oauth/tokens");
  auto make = [&] {
    net::HttpRequest request;
    request.method = "POST";
    request.url = url;
    request.body = body;
    request.SetHeader("Content-Type", "application/x-www-form-urlencoded");
    if (!authorization.empty()) request.SetHeader("Authorization", authorization);
    return request;
  };
  const auto sent = net::SendWithRetries(*http_, retry_, /*repeatable=*/true, make, storage::InterruptScope::Current());
  if (sent.response.status == 0)
    return Error::Storage("Failed to sign in at " + url + " with " + Identity() + ": " + sent.response.failure);
  const Json answer = ParseJsonOrNull(sent.response.body);
  Token fresh;
  fresh.text = TextMember(answer, "access_token");
  if (!sent.response.ok() || fresh.text.empty()) {
    std::string reason = TextMember(answer, "error_description");
    if (reason.empty()) reason = TextMember(answer, "error");
    const Json* nested = Member(answer, "error");
    if (reason.empty() && nested != nullptr) reason = TextMember(*nested, "message");
    return Error::Storage("Access denied: " + url + " gave no token to " + Identity() + " (" +
                          std::to_string(sent.response.status) + (reason.empty() ? "" : ": " + Shortened(reason)) +
                          ")");
  }
  // A minute early, so that no request is under way when it ends.
  if (auto seconds = NumberMember(answer, "expires_in"))
    fresh.expires_at_micros = NowMicros() + std::max<int64_t>(*seconds - 60, *seconds / 2) * 1000000;
  return fresh;
}

Result<std::string> RestClient::BearerToken(bool renew) {
  const std::string own = SettingOr("token", "");
  const bool has_credential = !SettingOr("credential", "").empty();
  const std::string* subject_type = nullptr;
  for (const auto& type : kSubjectTypes) {
    if (subject_type == nullptr && settings_.contains(type)) subject_type = &type;
  }
  const bool exchanges = EqualsIgnoreCase(SettingOr("token-exchange-enabled", "true"), "true");
  const auto life = ParseInteger<int64_t>(SettingOr("token-expires-in-ms", ""));
  std::lock_guard lock(token_mutex_);
  if (!token_ && subject_type != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(token_, FetchToken(ExchangeForm(SettingOr(*subject_type, ""), *subject_type, own),
                                               own.empty() ? "" : "Bearer " + own));
    return token_->text;
  }
  if (!token_ && !own.empty() && !has_credential) token_ = Token{own, life ? NowMicros() + *life * 1000 : 0};
  const bool good = token_ && (token_->expires_at_micros == 0 || token_->expires_at_micros > NowMicros());
  if (good && !renew) return token_->text;
  if (has_credential) {
    FRAZIL_ASSIGN_OR_RETURN(token_, FetchToken(CredentialsForm(), ""));
    return token_->text;
  }
  if (!token_) return std::string();
  // A token that nobody can ask for anew is exchanged before it ends. Whether the service takes it is its matter.
  if (exchanges && token_->expires_at_micros != 0) {
    FRAZIL_ASSIGN_OR_RETURN(
        token_, FetchToken(ExchangeForm(token_->text, kAccessTokenType, ""), "Bearer " + std::string(token_->text)));
  }
  return token_->text;
}

Status RestClient::Authorize(net::HttpRequest* request, bool renew) {
  for (const auto& [key, value] : settings_) {
    if (key.starts_with("header.")) request->SetHeader(key.substr(7), value);
  }
  const std::string type = AsciiLower(SettingOr("rest.auth.type", ""));
  if (type == "none") return {};
  if (type == "basic") {
    const std::string text =
        SettingOr("rest.auth.basic.username", "") + ":" + SettingOr("rest.auth.basic.password", "");
    request->SetHeader("Authorization", "Basic " + Base64Encode(text));
    return {};
  }
  if (type == "sigv4" || EqualsIgnoreCase(SettingOr("rest.sigv4-enabled", "false"), "true")) {
    net::aws::Credentials keys;
    keys.access_key_id = SettingOr("rest.access-key-id", "");
    if (!keys.access_key_id.empty()) {
      keys.secret_access_key = SettingOr("rest.secret-access-key", "");
      keys.session_token = SettingOr("rest.session-token", "");
    } else {
      static const auto provider = net::aws::DefaultCredentials();
      FRAZIL_ASSIGN_OR_RETURN(keys, provider());
    }
    const std::string region = SettingOr("rest.signing-region", SettingOr("client.region", ""));
    net::aws::SigningOptions options;
    options.content_hash_header = true;
    return net::aws::SignRequest(keys,
                                 {region.empty() ? net::aws::DefaultRegion().value_or("us-east-1") : region,
                                  SettingOr("rest.signing-name", "execute-api")},
                                 options, NowMicros(), request);
  }
  if (!type.empty() && type != "oauth2") return Error::Unsupported("rest.auth.type " + type);
  FRAZIL_ASSIGN_OR_RETURN(const std::string token, BearerToken(renew));
  if (!token.empty()) request->SetHeader("Authorization", "Bearer " + token);
  return {};
}

Result<RestAnswer> RestClient::SendTo(const std::string& method, const std::string& url, const Json* body,
                                      bool repeatable, const Headers& headers) {
  // With a key the service does it once, however often it is sent.
  const std::string key = !repeatable && idempotency_keys_ ? TimeOrderedUuid() : std::string();
  repeatable = repeatable || !key.empty();
  const std::string text = body == nullptr ? std::string() : body->dump();
  const auto interrupted = storage::InterruptScope::Current();
  for (bool renewed = false;; renewed = true) {
    Status failed;
    auto make = [&] {
      net::HttpRequest request;
      request.method = method;
      request.url = url;
      request.body = text;
      request.SetHeader("Accept", "application/json");
      if (body != nullptr) request.SetHeader("Content-Type", "application/json");
      if (!key.empty()) request.SetHeader("Idempotency-Key", key);
      for (const auto& [name, value] : headers) request.SetHeader(name, value);
      failed = Authorize(&request, renewed);
      if (!failed.ok()) request.url.clear();
      return request;
    };
    auto sent = net::SendWithRetries(*http_, retry_, repeatable, make, interrupted,
                                     [&](const auto& response) { return failed.ok() && net::IsTransient(response); });
    if (!failed.ok()) return std::move(failed).error();
    const auto& response = sent.response;
    if (response.status == 401 && !renewed && settings_.contains("credential")) continue;
    if (response.status == 0) {
      const bool unknown = (!repeatable || !key.empty()) && (response.possibly_sent || sent.earlier_unknown);
      Error error = response.cancelled
                        ? Error::Cancelled("The request to " + base_ + " was interrupted")
                        : Error::Storage("Failed to " + method + " " + url + " after " + std::to_string(sent.attempts) +
                                         (sent.attempts == 1 ? " attempt: " : " attempts: ") + response.failure);
      if (unknown) error.kind = ErrorKind::kUnknownCommit;
      return error;
    }
    RestAnswer answer;
    answer.status = response.status;
    // What the service knows again by its key is answered as it was the first time.
    answer.earlier_unknown = sent.earlier_unknown && key.empty();
    if (const std::string* etag = response.FindHeader("ETag")) answer.etag = *etag;
    if (const std::string* cache = response.FindHeader("Cache-Control")) answer.cache_control = *cache;
    if (!response.body.empty()) answer.body = ParseJsonOrNull(response.body);
    if (!answer.ok()) {
      const Json* error = Member(answer.body, "error");
      if (error != nullptr) {
        answer.error_type = TextMember(*error, "type");
        answer.error_message = TextMember(*error, "message");
      }
      if (answer.error_message.empty() && answer.body.is_null()) answer.error_message = Shortened(response.body);
    }
    return answer;
  }
}

Result<RestAnswer> RestClient::Send(const std::string& method, const std::string& path, const Json* body,
                                    bool repeatable) {
  return SendTo(method, base_ + "/v1" + prefix_ + path, body, repeatable);
}

Result<RestAnswer> RestClient::SendBeside(const std::string& method, const std::string& url, const Json* body) {
  return SendTo(method, url, body, /*repeatable=*/true);
}

std::string RestClient::UrlBeside(const std::string& uri, const std::string& endpoint) const {
  if (endpoint.find("://") != std::string::npos) return endpoint;
  return (uri.empty() ? base_ : WithoutEndSlash(uri)) + (endpoint.starts_with('/') ? "" : "/") + endpoint;
}

Result<RestAnswer> RestClient::SendCached(const std::string& path) {
  std::optional<RestAnswer> kept;
  {
    std::lock_guard lock(kept_mutex_);
    const auto found = kept_.find(path);
    if (found != kept_.end()) kept = found->second;
  }
  Headers headers;
  if (kept) headers.emplace_back("If-None-Match", kept->etag);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, SendTo("GET", base_ + "/v1" + prefix_ + path, nullptr, true, headers));
  if (answer.status == 304 && kept) return *std::move(kept);
  std::lock_guard lock(kept_mutex_);
  kept_.erase(path);
  std::erase(kept_order_, path);
  if (answer.status != 200 || answer.etag.empty() || HoldsKeys(answer.body)) return answer;
  kept_[path] = answer;
  kept_order_.push_back(path);
  if (kept_order_.size() > kAnswersKept) {
    kept_.erase(kept_order_.front());
    kept_order_.erase(kept_order_.begin());
  }
  return answer;
}

Result<RestAnswer> RestClient::SendChecked(const std::string& method, const std::string& path, const Json* body,
                                           bool repeatable) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer, Send(method, path, body, repeatable));
  if (!answer.ok()) return ErrorOf(method, path, answer);
  return answer;
}

Result<std::vector<Json>> RestClient::List(const std::string& path, const std::string& query, const char* member) {
  std::vector<Json> items;
  const std::string page_size = SettingOr("rest-page-size", "");
  std::string token;
  while (true) {
    std::string full = query;
    if (!page_size.empty() || !token.empty()) {
      if (!full.empty()) full += "&";
      full += "pageToken=" + net::PercentEncode(token);
      if (!page_size.empty()) full += "&pageSize=" + net::PercentEncode(page_size);
    }
    const std::string asked = full.empty() ? path : path + "?" + full;
    FRAZIL_ASSIGN_OR_RETURN(auto answer, Send("GET", asked, nullptr, true));
    if (!answer.ok()) return ErrorOf("GET", path, answer);
    const Json* page = Member(answer.body, member);
    if (page != nullptr && page->is_array()) items.insert(items.end(), page->begin(), page->end());
    const std::string next = TextMember(answer.body, "next-page-token");
    if (next.empty() || next == token) return items;
    token = next;
  }
}

Error RestClient::ErrorOf(const std::string& method, const std::string& path, const RestAnswer& answer) const {
  std::string reason = std::to_string(answer.status);
  if (!answer.error_type.empty()) reason += " " + answer.error_type;
  if (!answer.error_message.empty()) reason += ": " + answer.error_message;
  const std::string what = method + " " + path + " at " + base_;
  if (answer.status == 401 || answer.status == 403)
    return Error::Storage("Access denied: " + what + " was refused for " + Identity() + " (" + reason + ")");
  if (answer.status == 400 || answer.status == 404 || answer.status == 409 || answer.status == 422) {
    return Error::Plain(answer.status == 400 ? ExceptionClass::kIllegalArgument : ExceptionClass::kSpark,
                        answer.error_message.empty() ? what + " failed (" + reason + ")" : answer.error_message);
  }
  if (answer.status == 405 || answer.status == 406 || answer.status == 501)
    return Error::Unsupported("what " + what + " asks for (" + reason + ")");
  return Error::Storage("Failed to " + what + " (" + reason + ")");
}

}  // namespace frazil::catalogs
