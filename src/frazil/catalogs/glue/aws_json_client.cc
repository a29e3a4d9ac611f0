#include "frazil/catalogs/glue/aws_json_client.h"

#include "frazil/base/clock.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/net/aws/signature_v4.h"
#include "frazil/net/url.h"
#include "frazil/storage/interrupt.h"

namespace frazil::catalogs {
namespace {

std::string TextOf(const std::map<std::string, std::string>& settings, const std::string& key) {
  auto found = settings.find(key);
  return found == settings.end() ? std::string() : found->second;
}

/// "com.amazonaws.glue#EntityNotFoundException" -> "EntityNotFoundException"
std::string ShortName(const std::string& type) {
  const std::string name = type.substr(type.rfind('#') + 1);
  return name.substr(0, name.find(':'));
}

bool IsThrottled(const net::HttpResponse& response) {
  return response.status == 400 && (response.body.find("ThrottlingException") != std::string::npos ||
                                    response.body.find("ProvisionedThroughputExceededException") != std::string::npos);
}

}  // namespace

AwsJsonClient::AwsJsonClient(Service service, const std::map<std::string, std::string>& settings)
    : service_(std::move(service)), http_(net::HttpClient::Shared({})) {
  const std::string profile = TextOf(settings, "client.profile-name");
  region_ = TextOf(settings, "client.region");
  if (region_.empty()) region_ = net::aws::DefaultRegion(profile).value_or("us-east-1");
  endpoint_ = TextOf(settings, service_.name + ".endpoint");
  if (endpoint_.empty()) endpoint_ = "https://" + service_.name + "." + region_ + ".amazonaws.com";
  while (endpoint_.ends_with('/')) endpoint_.pop_back();
  const std::string key = TextOf(settings, "client.access-key-id");
  if (key.empty()) {
    credentials_ = net::aws::DefaultCredentials(profile);
  } else {
    net::aws::Credentials keys;
    keys.access_key_id = key;
    keys.secret_access_key = TextOf(settings, "client.secret-access-key");
    keys.session_token = TextOf(settings, "client.session-token");
    keys.origin = "setting client.access-key-id";
    credentials_ = net::aws::StaticCredentials(std::move(keys));
  }
}

Result<AwsAnswer> AwsJsonClient::Call(const std::string& operation, const Json& body, bool repeatable) {
  const std::string text = body.dump();
  Status failed;
  auto make = [&] {
    net::HttpRequest request;
    request.method = "POST";
    request.url = endpoint_ + "/";
    request.body = text;
    request.SetHeader("Content-Type", "application/x-amz-json-" + service_.version);
    request.SetHeader("X-Amz-Target", service_.target + "." + operation);
    auto credentials = credentials_();
    failed = credentials.ok() ? net::aws::SignRequest(*credentials, {region_, service_.name}, {}, NowMicros(), &request)
                              : credentials.status();
    return request;
  };
  const auto sent = net::SendWithRetries(
      *http_, {}, repeatable, make, storage::InterruptScope::Current(),
      [&](const auto& response) { return failed.ok() && (net::IsTransient(response) || IsThrottled(response)); });
  if (!failed.ok()) return std::move(failed).error();
  const auto& response = sent.response;
  if (response.status == 0) {
    Error error = response.cancelled
                      ? Error::Cancelled("The request to " + endpoint_ + " was interrupted")
                      : Error::Storage("Failed to call " + operation + " of " + service_.name + " at " + endpoint_ +
                                       " after " + std::to_string(sent.attempts) +
                                       (sent.attempts == 1 ? " attempt: " : " attempts: ") + response.failure);
    if (!repeatable && (response.possibly_sent || sent.earlier_unknown)) error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  AwsAnswer answer;
  answer.status = response.status;
  answer.earlier_unknown = sent.earlier_unknown;
  answer.body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (answer.body.is_discarded()) answer.body = Json();
  if (!answer.ok()) {
    answer.error = ShortName(TextMember(answer.body, "__type"));
    const auto* header = response.FindHeader("x-amzn-ErrorType");
    if (answer.error.empty() && header != nullptr) answer.error = ShortName(*header);
    answer.message = TextMember(answer.body, "Message");
    if (answer.message.empty()) answer.message = TextMember(answer.body, "message");
  }
  return answer;
}

Error AwsJsonClient::ErrorOf(const std::string& operation, const AwsAnswer& answer) const {
  std::string reason = std::to_string(answer.status);
  if (!answer.error.empty()) reason += " " + answer.error;
  if (!answer.message.empty()) reason += ": " + answer.message;
  const std::string what = operation + " of " + service_.name + " at " + endpoint_;
  const bool refused = answer.status == 401 || answer.status == 403 || answer.error == "AccessDeniedException" ||
                       answer.error == "UnrecognizedClientException" || answer.error == "ExpiredTokenException" ||
                       answer.error == "InvalidSignatureException";
  if (!refused) {
    Error error = Error::Storage("Failed to call " + what + " (" + reason + ")");
    // After an error of the service itself nobody knows what it has done.
    if (answer.status >= 500) error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  auto credentials = credentials_();
  return Error::Storage("Access denied: " + what + " was refused for " +
                        (credentials.ok() ? credentials->Describe() : "unknown credentials") + " (" + reason + ")");
}

}  // namespace frazil::catalogs
