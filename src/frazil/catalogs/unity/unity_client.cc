#include "frazil/catalogs/unity/unity_client.h"

#include "frazil/base/text.h"
#include "frazil/net/url.h"
#include "frazil/storage/interrupt.h"

namespace frazil::catalogs {
namespace {

std::string Find(const Settings& settings, const char* key) {
  const auto found = settings.find(key);
  return found == settings.end() ? std::string() : found->second;
}

}  // namespace

Result<std::shared_ptr<UnityClient>> UnityClient::Make(const std::string& catalog_name, const Settings& settings) {
  std::shared_ptr<UnityClient> client(new UnityClient());
  std::string uri = Find(settings, "uri");
  if (uri.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "uri must be specified for Unity Catalog '" + catalog_name + "'");
  }
  FRAZIL_RETURN_IF_ERROR(net::ParseUrl(uri));
  while (uri.ends_with('/')) uri.pop_back();
  client->base_ = uri + "/api/2.1/unity-catalog";
  const std::string type = Find(settings, "auth.type");
  if (!type.empty() && !EqualsIgnoreCase(type, "static")) return Error::Unsupported("auth.type " + type);
  client->token_ = Find(settings, "token");
  if (client->token_.empty()) client->token_ = Find(settings, "auth.token");
  net::HttpOptions options;
  options.certificate_authorities = Find(settings, "ssl.cabundle");
  client->http_ = net::HttpClient::Shared(options);
  return client;
}

Result<UnityAnswer> UnityClient::Send(const std::string& method, const std::string& path, const Json* body,
                                      bool repeatable) {
  const std::string text = body == nullptr ? std::string() : body->dump();
  const auto make = [&] {
    net::HttpRequest request;
    request.method = method;
    request.url = base_ + path;
    request.body = text;
    request.SetHeader("Accept", "application/json");
    if (body != nullptr) request.SetHeader("Content-Type", "application/json");
    if (!token_.empty()) request.SetHeader("Authorization", "Bearer " + token_);
    return request;
  };
  auto sent = net::SendWithRetries(*http_, net::RetryPolicy(), repeatable, make, storage::InterruptScope::Current());
  const auto& response = sent.response;
  if (response.cancelled) return Error::Cancelled("The request to " + base_ + " was interrupted");
  if (response.status == 0) {
    Error error =
        Error::Storage("Failed to " + method + " " + base_ + path + " after " + std::to_string(sent.attempts) +
                       (sent.attempts == 1 ? " attempt: " : " attempts: ") + response.failure);
    if (!repeatable && (response.possibly_sent || sent.earlier_unknown)) error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  UnityAnswer answer;
  answer.status = response.status;
  answer.earlier_unknown = sent.earlier_unknown;
  if (!response.body.empty()) answer.body = ParseJsonOrNull(response.body);
  return answer;
}

Result<std::vector<Json>> UnityClient::List(const std::string& path, const char* member) {
  std::vector<Json> items;
  std::string token;
  while (true) {
    const std::string asked = token.empty() ? path : path + "&page_token=" + net::PercentEncode(token);
    FRAZIL_ASSIGN_OR_RETURN(auto answer, Send("GET", asked, nullptr, true));
    if (!answer.ok()) return ErrorOf("GET", path, answer);
    const Json* page = Member(answer.body, member);
    if (page != nullptr && page->is_array()) items.insert(items.end(), page->begin(), page->end());
    const std::string next = TextMember(answer.body, "next_page_token");
    if (next.empty() || next == token) return items;
    token = next;
  }
}

Error UnityClient::ErrorOf(const std::string& method, const std::string& path, const UnityAnswer& answer) const {
  std::string reason = std::to_string(answer.status);
  const std::string code = TextMember(answer.body, "error_code"), message = TextMember(answer.body, "message");
  if (!code.empty()) reason += " " + code;
  if (!message.empty()) reason += ": " + message;
  const std::string what = method + " " + path + " at " + base_;
  if (answer.status == 401 || answer.status == 403) {
    return Error::Storage("Access denied: " + what + " was refused for " +
                          (token_.empty() ? "a caller without a token" : "the setting token") + " (" + reason + ")");
  }
  return Error::Storage("Failed to " + what + " (" + reason + ")");
}

}  // namespace frazil::catalogs
