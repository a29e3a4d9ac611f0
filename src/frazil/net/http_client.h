#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::net {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view body;  ///< Lives as long as the request is under way.
  /// Where the body of an answer with status 200 or 206 goes instead of HttpResponse::body; more than `into_size` bytes
  /// are an error.
  char* into = nullptr;
  size_t into_size = 0;
  /// The server must not see it twice without the caller's knowing: it gets a connection of its own, since libcurl
  /// sends a request again whose kept connection turns out to be closed, even where the server has acted on the first
  /// one.
  bool only_once = false;

  void SetHeader(std::string_view name, std::string value);
  const std::string* FindHeader(std::string_view name) const;
};

/// An answer, or what kept it from coming.
struct HttpResponse {
  int status = 0;  ///< 0: no (whole) answer came; `failure` says why.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  size_t into_length = 0;  ///< Bytes put to HttpRequest::into.

  std::string failure;
  bool possibly_sent = false;  ///< Without an answer: the server may have seen the request and acted on it.
  bool cancelled = false;

  bool ok() const { return status >= 200 && status < 300; }
  /// The last header of that name (case ignored), or null.
  const std::string* FindHeader(std::string_view name) const;
};

struct HttpOptions {
  int64_t connect_timeout_ms = 10000;
  /// An answer that stands still for so long has failed.
  int64_t stall_timeout_ms = 60000;
  int64_t total_timeout_ms = 0;  ///< 0: none.
  bool verify_certificates = true;
  std::string certificate_authorities;         ///< A file; empty: AWS_CA_BUNDLE, CURL_CA_BUNDLE, SSL_CERT_FILE, or the
                                               ///< system's.
  std::string client_certificate, client_key;  ///< Files (PEM) that show who we are, where servers ask for it.
  size_t most_idle_connections = 64;

  bool operator<(const HttpOptions& other) const;
};

/// Sends single requests over HTTP/1.1; connections are kept and used again. Redirects are not followed. Thread-safe:
/// as many requests as threads at a time.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Never throws; waits at most as the options say. `cancelled` (may be empty) is asked again and again: true ends the
  /// request.
  HttpResponse Send(const HttpRequest& request, const std::function<bool()>& cancelled = {});

  /// The one client of the process for these options, so that all users share its connections.
  static std::shared_ptr<HttpClient> Shared(const HttpOptions& options);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

/// How requests are tried again: waits grow from `first_wait_ms` by half to double, up to `longest_wait_ms`, each with
/// full jitter.
struct RetryPolicy {
  int attempts = 6;
  int64_t first_wait_ms = 100;
  int64_t longest_wait_ms = 20000;
};

/// What all attempts came to.
struct RetriedResponse {
  HttpResponse response;  ///< The last one.
  int attempts = 0;
  bool earlier_unknown = false;  ///< An attempt before the last one may have had its effect without our knowing.
};

/// Whether an answer says that trying again may help: 429, 500, 502, 503, 504, 408, and none at all.
bool IsTransient(const HttpResponse& response);

/// Sends until an answer is not transient, the attempts are used up, or `cancelled`. `make` builds each attempt's
/// request anew (its signature holds the time). `repeatable` false: only what certainly had no effect is tried again
/// (no connection; 429; 503), and
/// nothing is sent twice unknown to the caller. A Retry-After header is obeyed up to the longest wait.
RetriedResponse SendWithRetries(HttpClient& client, const RetryPolicy& policy, bool repeatable,
                                const std::function<HttpRequest()>& make, const std::function<bool()>& cancelled = {},
                                const std::function<bool(const HttpResponse&)>& is_transient = IsTransient);

}  // namespace frazil::net
