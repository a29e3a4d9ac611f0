#include "frazil/net/http_client.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <curl/curl.h>
#include <map>
#include <mutex>
#include <tuple>
#include <unistd.h>

#include "frazil/base/text.h"

namespace frazil::net {
namespace {

/// What the callbacks of one request share.
struct Exchange {
  const HttpRequest* request = nullptr;
  HttpResponse* response = nullptr;
  CURL* handle = nullptr;
  const std::function<bool()>* cancelled = nullptr;
  bool too_long = false;
};

size_t OnBody(char* data, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const size_t length = size * count;
  long status = 0;
  curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
  if (exchange.request->into != nullptr && (status == 200 || status == 206)) {
    if (exchange.response->into_length + length > exchange.request->into_size) {
      exchange.too_long = true;
      return 0;
    }
    std::memcpy(exchange.request->into + exchange.response->into_length, data, length);
    exchange.response->into_length += length;
  } else {
    exchange.response->body.append(data, length);
  }
  return length;
}

size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {
    exchange.response->headers.clear();  // A "100 Continue" may come before the answer.
    return line.size();
  }
  size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    exchange.response->headers.emplace_back(std::string(TrimBlanks(line.substr(0, colon))),
                                            std::string(TrimBlanks(line.substr(colon + 1))));
  }
  return size * count;
}

int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& exchange = *static_cast<Exchange*>(user);
  return *exchange.cancelled && (*exchange.cancelled)() ? 1 : 0;
}

/// The certificates that are trusted: a file that the environment names, else where the distributions keep them (a
/// library that was built on one of them does not know the others).
std::string CertificateFile() {
  for (const char* variable : {"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != 0) return value;
  }
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (::access(path, R_OK) == 0) return path;
  }
  return {};
}

/// Whether a failure of this kind comes before any byte of the request is on its way.
bool IsBeforeSending(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
      return true;
    default:
      return false;
  }
}

}  // namespace

void HttpRequest::SetHeader(std::string_view name, std::string value) {
  for (auto& [known, held] : headers) {
    if (EqualsIgnoreCase(known, name)) {
      held = std::move(value);
      return;
    }
  }
  headers.emplace_back(std::string(name), std::move(value));
}

const std::string* HttpRequest::FindHeader(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (EqualsIgnoreCase(known, name)) return &value;
  }
  return nullptr;
}

const std::string* HttpResponse::FindHeader(std::string_view name) const {
  for (auto header = headers.rbegin(); header != headers.rend(); ++header) {
    if (EqualsIgnoreCase(header->first, name)) return &header->second;
  }
  return nullptr;
}

bool HttpOptions::operator<(const HttpOptions& other) const {
  auto key = [](const HttpOptions& o) {
    return std::tie(o.connect_timeout_ms, o.stall_timeout_ms, o.total_timeout_ms, o.verify_certificates,
                    o.certificate_authorities, o.client_certificate, o.client_key, o.most_idle_connections);
  };
  return key(*this) < key(other);
}

struct HttpClient::Pool {
  HttpOptions options;
  std::mutex mutex;
  std::vector<CURL*> idle;  ///< The last one was used last: its connection is the likeliest to be open still.

  CURL* Take() {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        CURL* handle = idle.back();
        idle.pop_back();
        return handle;
      }
    }
    return curl_easy_init();
  }

  void GiveBack(CURL* handle) {
    curl_easy_reset(handle);  // Keeps its connections.
    {
      std::lock_guard lock(mutex);
      if (idle.size() < options.most_idle_connections) {
        idle.push_back(handle);
        return;
      }
    }
    curl_easy_cleanup(handle);
  }
};

HttpClient::HttpClient(HttpOptions options) : pool_(std::make_unique<Pool>()) {
  static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)initialized;
  pool_->options = std::move(options);
  if (pool_->options.certificate_authorities.empty()) pool_->options.certificate_authorities = CertificateFile();
}

HttpClient::~HttpClient() {
  for (CURL* handle : pool_->idle) curl_easy_cleanup(handle);
}

std::shared_ptr<HttpClient> HttpClient::Shared(const HttpOptions& options) {
  // Never destroyed: threads may still send while the process ends.
  static auto& mutex = *new std::mutex();
  static auto& clients = *new std::map<HttpOptions, std::shared_ptr<HttpClient>>();
  std::lock_guard lock(mutex);
  auto& client = clients[options];
  if (client == nullptr) client = std::make_shared<HttpClient>(options);
  return client;
}

HttpResponse HttpClient::Send(const HttpRequest& request, const std::function<bool()>& cancelled) {
  HttpResponse response;
  CURL* handle = pool_->Take();
  if (handle == nullptr) {
    response.failure = "No memory for a connection";
    return response;
  }
  const HttpOptions& options = pool_->options;
  Exchange exchange{&request, &response, handle, &cancelled, false};
  char problem[CURL_ERROR_SIZE] = {};
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, problem);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  if (request.only_once) curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout_ms));
  if (options.total_timeout_ms > 0)
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options.total_timeout_ms));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME,
                   static_cast<long>(std::max<int64_t>(options.stall_timeout_ms / 1000, 1)));
  if (!options.verify_certificates) {
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!options.certificate_authorities.empty())
    curl_easy_setopt(handle, CURLOPT_CAINFO, options.certificate_authorities.c_str());
  if (!options.client_certificate.empty())
    curl_easy_setopt(handle, CURLOPT_SSLCERT, options.client_certificate.c_str());
  if (!options.client_key.empty()) curl_easy_setopt(handle, CURLOPT_SSLKEY, options.client_key.c_str());
  if (request.method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (request.method != "GET" || !request.body.empty()) {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method == "PUT" || request.method == "POST" || !request.body.empty()) {
      curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    }
  }
  curl_slist* lines = nullptr;
  for (const auto& [name, value] : request.headers) {
    // libcurl takes a name with ';' for an empty value.
    lines = curl_slist_append(lines, (value.empty() ? name + ";" : name + ": " + value).c_str());
  }
  // libcurl's own additions: no waiting for "100 Continue", and no type that nobody asked for.
  lines = curl_slist_append(lines, "Expect:");
  if (request.FindHeader("Content-Type") == nullptr) lines = curl_slist_append(lines, "Content-Type:");
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, lines);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, OnHeader);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &exchange);

  const CURLcode code = curl_easy_perform(handle);
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
  } else {
    response.cancelled = code == CURLE_ABORTED_BY_CALLBACK;
    response.possibly_sent = !IsBeforeSending(code);
    if (code == CURLE_OPERATION_TIMEDOUT) {
      // A time-out while connecting sent nothing.
      curl_off_t connected = 0;
      curl_easy_getinfo(handle, CURLINFO_CONNECT_TIME_T, &connected);
      response.possibly_sent = connected > 0;
    }
    response.failure = exchange.too_long ? "The answer is longer than was asked for"
                                         : (problem[0] != 0 ? problem : curl_easy_strerror(code));
    response.body.clear();
  }
  curl_slist_free_all(lines);
  pool_->GiveBack(handle);
  return response;
}

}  // namespace frazil::net
