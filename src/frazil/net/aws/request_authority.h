#pragma once

#include <memory>
#include <string>

#include "frazil/net/aws/credentials.h"
#include "frazil/net/http_client.h"

namespace frazil::net::aws {

/// Somebody who knows how requests to a store are signed beyond keys in settings: a catalog that hands out keys which
/// end while they are used, or one that signs the requests itself. Thread-safe.
class RequestAuthority {
 public:
  virtual ~RequestAuthority() = default;
  /// Whether it signs requests itself; else it gives keys.
  virtual bool signs() const = 0;
  /// Keys that are good now.
  virtual Result<Credentials> Keys() = 0;
  /// The store says that the keys given last have ended. False: there are no others.
  virtual bool Renew() = 0;
  /// Puts into the request what makes the store take it.
  virtual Status Sign(const std::string& region, HttpRequest* request) = 0;
};

/// The setting that names an authority to the stores of a table. Internal: no user sets it.
inline constexpr const char* kAuthoritySetting = "frazil.s3.request-authority";

/// Settings are texts: an authority is known by a name as long as it lives.
std::string RegisterAuthority(const std::shared_ptr<RequestAuthority>& authority);
/// Null where it has gone.
std::shared_ptr<RequestAuthority> FindAuthority(const std::string& name);

}  // namespace frazil::net::aws
