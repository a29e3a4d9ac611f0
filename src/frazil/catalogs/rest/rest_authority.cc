#include "frazil/catalogs/rest/rest_authority.h"

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/renewed_keys.h"

namespace frazil::catalogs {
namespace {

constexpr const char* kCredentialsEndpoint = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials";
constexpr int64_t kSignatureLife = int64_t{30} * 1000000;
constexpr size_t kSignaturesKept = 256;

std::string SettingOr(const Settings& settings, const char* key, std::string otherwise) {
  const auto found = settings.find(key);
  return found == settings.end() || found->second.empty() ? std::move(otherwise) : found->second;
}

/// The keys of a table: of the endpoint that gives nothing else, or by loading the table once more.
Result<Settings> AskForKeys(RestClient& client, const Identifier& identifier, const std::string& endpoint,
                            const std::string& location) {
  const std::string table = RestTablePath(client, identifier);
  RestTableState state;
  if (!endpoint.empty()) {
    const std::string url = client.UrlBeside("", endpoint);
    FRAZIL_ASSIGN_OR_RETURN(const auto answer, client.SendBeside("GET", url, nullptr));
    if (!answer.ok()) return client.ErrorOf("GET", url, answer);
    state.TakeCredentials(answer.body);
  } else if (client.HasEndpoint(kCredentialsEndpoint, false)) {
    FRAZIL_ASSIGN_OR_RETURN(const auto answer, client.SendChecked("GET", table + "/credentials", nullptr, true));
    state.TakeCredentials(answer.body);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(const auto answer, client.SendChecked("GET", table, nullptr, true));
    FRAZIL_ASSIGN_OR_RETURN(state, RestTableState::Of(answer.body));
  }
  return state.SettingsFor(location);
}

}  // namespace

std::shared_ptr<net::aws::RequestAuthority> RestAuthorityOf(const std::shared_ptr<RestClient>& client,
                                                            const Identifier& identifier, const RestTableState& state,
                                                            const Settings& settings) {
  if (EqualsIgnoreCase(SettingOr(settings, "s3.remote-signing-enabled", "false"), "true")) {
    const std::string uri = SettingOr(settings, "s3.signer.uri", SettingOr(settings, "signer.uri", ""));
    const std::string endpoint =
        SettingOr(settings, "s3.signer.endpoint", SettingOr(settings, "signer.endpoint", "v1/aws/s3/sign"));
    return std::make_shared<RestSigner>(client, client->UrlBeside(uri, endpoint));
  }
  if (EqualsIgnoreCase(SettingOr(settings, "client.refresh-credentials-enabled", "true"), "false")) return nullptr;
  const std::string location = TextMember(state.metadata, "location");
  return RenewedKeys::Of(
      state.SettingsFor(location),
      [client, identifier, location, endpoint = SettingOr(settings, "client.refresh-credentials-endpoint", "")] {
        return AskForKeys(*client, identifier, endpoint, location);
      });
}

Result<net::aws::Credentials> RestSigner::Keys() { return Error::Internal("the service keeps its keys to itself"); }

bool RestSigner::Renew() {
  std::lock_guard lock(mutex_);
  const bool may_be_old = !signed_.empty();
  signed_.clear();
  return may_be_old;
}

Status RestSigner::Sign(const std::string& region, net::HttpRequest* request) {
  const bool only_reads = request->method == "GET" || request->method == "HEAD";
  const std::string known = request->method + " " + region + " " + request->url;
  const auto put = [&](const Signed& answer) {
    request->url = answer.url;
    for (const auto& [name, value] : answer.headers) request->SetHeader(name, value);
  };
  if (only_reads) {
    std::lock_guard lock(mutex_);
    const auto found = signed_.find(known);
    if (found != signed_.end() && found->second.until_micros > NowMicros()) {
      put(found->second);
      return {};
    }
  }
  Json headers = Json::object();
  for (const auto& [name, value] : request->headers) {
    // Which part is read is no matter of the signature, so that it holds for all parts.
    if (!EqualsIgnoreCase(name, "Range")) headers[name] = Json::array({value});
  }
  Json body = {{"region", region}, {"uri", request->url}, {"method", request->method}, {"headers", std::move(headers)}};
  // Which objects a request deletes is in its body, and is for the service to allow.
  if (request->method == "POST") body["body"] = std::string(request->body);
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, client_->SendBeside("POST", url_, &body));
  if (!answer.ok()) return client_->ErrorOf("POST", url_, answer);
  Signed made;
  made.url = TextMember(answer.body, "uri");
  if (made.url.empty()) made.url = request->url;
  if (const Json* given = Member(answer.body, "headers"); given != nullptr && given->is_object()) {
    for (const auto& [name, values] : given->items()) {
      std::string text;
      for (const auto& value : values) {
        if (value.is_string()) text += (text.empty() ? "" : ",") + value.get<std::string>();
      }
      made.headers.emplace_back(name, std::move(text));
    }
  }
  put(made);
  if (!only_reads || AsciiLower(answer.cache_control).find("private") == std::string::npos) return {};
  made.until_micros = NowMicros() + kSignatureLife;
  std::lock_guard lock(mutex_);
  if (signed_.size() >= kSignaturesKept) signed_.clear();
  signed_[known] = std::move(made);
  return {};
}

}  // namespace frazil::catalogs
