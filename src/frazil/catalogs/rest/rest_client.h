#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/net/http_client.h"

namespace frazil::catalogs {

/// An answer of the service.
struct RestAnswer {
  int status = 0;
  Json body;               ///< Null where there is none, or it is no JSON.
  std::string error_type;  ///< "NoSuchTableException", ... of an error.
  std::string error_message;
  bool earlier_unknown = false;  ///< An attempt before this answer may have had its effect.
  std::string etag, cache_control;
  bool ok() const { return status >= 200 && status < 300; }
};

/// Speaks the Iceberg REST catalog's protocol: the configuration that the service hands out, signing in, trying again.
/// Thread-safe.
/// https://github.com/apache/iceberg/blob/main/open-api/rest-catalog-open-api.yaml
class RestClient {
 public:
  /// Asks the service for its configuration. `settings`: the catalog's.
  static Result<std::shared_ptr<RestClient>> Connect(const std::string& catalog_name, Settings settings);

  /// The catalog's settings with what the service adds and overrides.
  const Settings& settings() const { return settings_; }
  std::string SettingOr(const std::string& key, std::string otherwise) const;

  /// `path` is what follows /v1/{prefix}, begins with '/', and is encoded. `repeatable`: doing it twice is doing it
  /// once (reads). An error where no answer came at all; for requests that are not repeatable and may have had their
  /// effect, it is of kind kUnknownCommit.
  Result<RestAnswer> Send(const std::string& method, const std::string& path, const Json* body, bool repeatable);
  /// Send, and the error of an answer that is none of success.
  Result<RestAnswer> SendChecked(const std::string& method, const std::string& path, const Json* body, bool repeatable);
  /// A read whose last answer is kept as long as the service says that it still holds (ETag, 304).
  Result<RestAnswer> SendCached(const std::string& path);
  /// To a place beside the catalog's own paths, of a service that knows the same callers; doing it twice does no harm.
  Result<RestAnswer> SendBeside(const std::string& method, const std::string& url, const Json* body);
  /// `endpoint` as it is where it is a URL, else below `uri` (empty: the catalog's).
  std::string UrlBeside(const std::string& uri, const std::string& endpoint) const;
  /// All pages of a list: `member` of each answer, together.
  Result<std::vector<Json>> List(const std::string& path, const std::string& query, const char* member);

  /// What an answer means that no caller knows better. Says who was refused, for 401 and 403.
  Error ErrorOf(const std::string& method, const std::string& path, const RestAnswer& answer) const;

  /// "a%1Fb": a namespace as one part of a path.
  std::string EncodeNamespace(const Namespace& name_space) const;
  /// Whether the service says that it has an endpoint ("HEAD /v1/{prefix}/..."); `otherwise` where it says nothing.
  bool HasEndpoint(const std::string& endpoint, bool otherwise) const;

 private:
  struct Token {
    std::string text;
    int64_t expires_at_micros = 0;  ///< 0: unknown.
  };

  RestClient(std::string catalog_name, Settings settings);
  Status ReadSettings();
  Status ReadConfig();
  /// Adds what signs in. `renew`: the token that was used last is no longer good.
  Status Authorize(net::HttpRequest* request, bool renew);
  Result<std::string> BearerToken(bool renew);
  /// Asks for a token: by the client's credentials, or in exchange for another token. `form` is the request's.
  Result<Token> FetchToken(const std::string& form, const std::string& authorization);
  std::string CredentialsForm() const;
  /// RFC 8693: `subject` (of a type) for a token of the service; empty `actor`: none.
  std::string ExchangeForm(const std::string& subject, const std::string& type, const std::string& actor) const;
  using Headers = std::vector<std::pair<std::string, std::string>>;
  Result<RestAnswer> SendTo(const std::string& method, const std::string& url, const Json* body, bool repeatable,
                            const Headers& headers = {});
  std::string Identity() const;

  std::string catalog_name_;
  Settings settings_;
  std::string base_;    ///< "http://host/path", without a slash at the end.
  std::string prefix_;  ///< "" or "/prefix", encoded.
  std::string separator_ = "%1F";
  std::set<std::string> endpoints_;
  net::RetryPolicy retry_;
  std::shared_ptr<net::HttpClient> http_;
  std::mutex token_mutex_;
  std::optional<Token> token_;
  bool idempotency_keys_ = false;  ///< The service knows a request that it sees again by its key.
  std::mutex kept_mutex_;
  std::map<std::string, RestAnswer> kept_;  ///< By path: answers with an ETag.
  std::vector<std::string> kept_order_;     ///< The newest last.
};

}  // namespace frazil::catalogs
