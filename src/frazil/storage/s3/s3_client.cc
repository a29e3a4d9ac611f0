#include "frazil/storage/s3/s3_client.h"

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/net/aws/signature_v4.h"
#include "frazil/net/url.h"
#include "frazil/net/xml.h"
#include "frazil/storage/interrupt.h"

namespace frazil::storage {
namespace {

/// <Error><Code>..</Code><Message>..</Message></Error> of an answer; empty texts where there is none.
struct S3Problem {
  std::string code;
  std::string message;
};

S3Problem ProblemOf(const net::HttpResponse& response) {
  S3Problem problem;
  if (response.body.find("<Error") == std::string::npos) return problem;
  auto document = net::ParseXml(response.body);
  if (!document.ok() || document->name != "Error") return problem;
  problem.code = document->TextOf("Code");
  problem.message = document->TextOf("Message");
  return problem;
}

bool IsEndOfKeys(const std::string& code) {
  return code == "ExpiredToken" || code == "InvalidToken" || code == "TokenRefreshRequired" || code == "RequestExpired";
}

/// As HTTP's, and what S3 says by code: of uploads that are completed, an error comes with status 200.
bool IsTransientForS3(const S3Request& request, const net::HttpResponse& response) {
  if (net::IsTransient(response)) return true;
  const bool may_hold_error = request.method == "POST" && response.status == 200;
  if (!may_hold_error && response.status != 400 && response.status != 409) return false;
  const std::string code = response.body.size() < 16384 ? ProblemOf(response).code : std::string();
  return code == "InternalError" || code == "SlowDown" || code == "RequestTimeout" || code == "ServiceUnavailable" ||
         code == "OperationAborted" || code == "ConditionalRequestConflict";
}

}  // namespace

Result<S3Location> ParseS3Location(const std::string& path) {
  const std::string scheme = SchemeOf(path);
  S3Location location;
  if ((scheme == "s3" || scheme == "s3a" || scheme == "s3n") && path.substr(scheme.size(), 3) == "://") {
    location.scheme = path.substr(0, scheme.size());
    const std::string rest = path.substr(scheme.size() + 3);
    const size_t slash = rest.find('/');
    location.bucket = rest.substr(0, slash);
    if (slash != std::string::npos) location.key = rest.substr(slash + 1);
  }
  if (location.bucket.empty() || location.bucket.find_first_of("@?#%: ") != std::string::npos)
    return Error::Plain(ExceptionClass::kIllegalArgument, "'" + path + "' is not a path of S3: s3://bucket/key");
  // Joined paths may have several slashes; Hadoop's paths take them for one.
  std::string key;
  for (char c : location.key) {
    if (c == '/' && (key.empty() || key.back() == '/')) continue;
    key += c;
  }
  location.key = std::move(key);
  return location;
}

S3Client::S3Client(S3Options options) : options_(std::move(options)), http_(net::HttpClient::Shared(options_.http)) {}

std::string S3Client::RegionOf(const std::string& bucket) {
  std::lock_guard lock(mutex_);
  auto found = regions_.find(bucket);
  return found == regions_.end() ? options_.region : found->second;
}

std::string S3Client::EndpointText() const {
  return options_.endpoint.empty() ? "AWS S3 in " + options_.region : options_.endpoint;
}

std::string S3Client::UrlOf(const S3Request& request, const std::string& region) const {
  const std::string& bucket = request.location.bucket;
  std::string url;
  // A certificate holds for one label in front of the host only.
  const bool in_path = options_.path_style || bucket.find('.') != std::string::npos;
  const std::string endpoint =
      options_.endpoint.empty() ? "https://s3." + region + ".amazonaws.com" : options_.endpoint;
  if (in_path) {
    url = endpoint + "/" + bucket;
  } else {
    const size_t host = endpoint.find("://") + 3;
    url = endpoint.substr(0, host) + bucket + "." + endpoint.substr(host);
  }
  url += "/" + net::PercentEncode(request.location.key, /*keep_slash=*/true);
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    url += separator + net::PercentEncode(name) + "=" + net::PercentEncode(value);
    separator = '&';
  }
  return url;
}

Result<net::RetriedResponse> S3Client::Send(const S3Request& request) {
  const auto interrupted = InterruptScope::Current();
  Status failed;
  bool renewed = false;
  for (bool region_known = false;;) {
    const std::string region = RegionOf(request.location.bucket);
    auto make = [&]() -> net::HttpRequest {
      net::HttpRequest http;
      http.method = request.method;
      http.url = UrlOf(request, region);
      http.headers = request.headers;
      http.headers.insert(http.headers.end(), options_.all_headers.begin(), options_.all_headers.end());
      if (request.writes_object)
        http.headers.insert(http.headers.end(), options_.write_headers.begin(), options_.write_headers.end());
      if (request.reads_object)
        http.headers.insert(http.headers.end(), options_.read_headers.begin(), options_.read_headers.end());
      http.body = request.body;
      http.only_once = request.only_once;
      http.into = request.into;
      http.into_size = request.into_size;
      if (options_.authority != nullptr && options_.authority->signs()) {
        failed = options_.authority->Sign(region, &http);
        if (!failed.ok()) http.url.clear();
        return http;
      }
      auto credentials = options_.credentials();
      if (!credentials.ok()) {
        failed = credentials.status();
        http.url.clear();
        return http;
      }
      net::aws::SigningOptions signing;
      signing.encode_path_twice = false;
      signing.content_hash_header = true;
      signing.unsigned_payload = http.url.starts_with("https://");
      failed = net::aws::SignRequest(*credentials, {region, "s3"}, signing, NowMicros(), &http);
      return http;
    };
    auto result = net::SendWithRetries(
        *http_, options_.retry, /*repeatable=*/true, make, interrupted,
        [&](const net::HttpResponse& response) { return failed.ok() && IsTransientForS3(request, response); });
    if (!failed.ok()) {
      Error error = std::move(failed).error();
      error.message += ", needed to " + request.method + " " + request.location.ToString() + " at " + EndpointText();
      return error;
    }
    if (result.response.cancelled) return Error::Cancelled("The request to " + EndpointText() + " was interrupted");
    // A bucket of another region says which.
    const auto* other = result.response.FindHeader("x-amz-bucket-region");
    const int status = result.response.status;
    if (!region_known && other != nullptr && *other != region && !other->empty() &&
        (status == 301 || status == 307 || status == 400 || status == 403)) {
      std::lock_guard lock(mutex_);
      regions_[request.location.bucket] = *other;
      region_known = true;
      continue;
    }
    // Keys that ended under way, or before anybody said that they would.
    if (options_.authority != nullptr && !renewed && (status == 400 || status == 401 || status == 403) &&
        (request.method == "HEAD" || IsEndOfKeys(ProblemOf(result.response).code)) && options_.authority->Renew()) {
      renewed = true;
      continue;
    }
    if (status == 0) {
      return Error::Storage("Failed to " + request.method + " " + request.location.ToString() + " at " +
                            EndpointText() + " after " + std::to_string(result.attempts) +
                            (result.attempts == 1 ? " attempt: " : " attempts: ") + result.response.failure);
    }
    return result;
  }
}

Error S3Client::ErrorOf(const S3Request& request, const net::HttpResponse& response) {
  S3Problem problem = ProblemOf(response);
  if (request.method == "HEAD" && response.status != 404) {
    // An answer to HEAD has no body, so that the reason is only told to another request.
    S3Request again = request;
    again.method = "GET";
    again.headers = {{"Range", "bytes=0-0"}};
    auto told = Send(again);
    if (told.ok() && told->response.status == response.status) problem = ProblemOf(told->response);
  }
  const std::string path = request.location.ToString();
  if (response.status == 404 && problem.code != "NoSuchBucket") return NotFound(path);
  const std::string what = request.method + " " + path + " at " + EndpointText();
  std::string reason = std::to_string(response.status);
  if (!problem.code.empty()) reason += " " + problem.code;
  if (!problem.message.empty()) reason += ": " + problem.message;
  if (response.status == 401 || response.status == 403) {
    auto credentials = options_.credentials();
    return Error::Storage("Access denied: " + what + " was refused for " +
                          (credentials.ok() ? credentials->Describe() : "unknown credentials") + " (" + reason + ")");
  }
  if (response.status == 400 && IsEndOfKeys(problem.code)) {
    auto credentials = options_.credentials();
    return Error::Storage("Access denied: the session token of " +
                          (credentials.ok() ? credentials->Describe() : "unknown credentials") +
                          " is no longer good for " + what + " (" + reason + ")");
  }
  return Error::Storage("Failed to " + what + " (" + reason + ")");
}

Result<net::HttpResponse> S3Client::SendChecked(const S3Request& request) {
  FRAZIL_ASSIGN_OR_RETURN(auto sent, Send(request));
  if (!sent.response.ok()) return ErrorOf(request, sent.response);
  return std::move(sent.response);
}

}  // namespace frazil::storage
