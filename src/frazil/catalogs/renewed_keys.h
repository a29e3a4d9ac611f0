#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "frazil/catalogs/json_members.h"
#include "frazil/net/aws/request_authority.h"

namespace frazil::catalogs {

/// Keys to the files of a table that its catalog hands out and that end: asked for anew before they do. Thread-safe.
class RenewedKeys : public net::aws::RequestAuthority {
 public:
  /// Gives keys by Iceberg's names (s3.access-key-id, s3.session-token-expires-at-ms, ...).
  using Source = std::function<Result<Settings>()>;
  /// Null where the settings hold no keys.
  static std::shared_ptr<RenewedKeys> Of(const Settings& first, Source source);

  bool signs() const override { return false; }
  Result<net::aws::Credentials> Keys() override;
  bool Renew() override;
  Status Sign(const std::string& region, net::HttpRequest* request) override;

 private:
  explicit RenewedKeys(Source source) : source_(std::move(source)) {}
  /// Takes the keys out of settings. False: there are none.
  bool Take(const Settings& settings);
  /// Asks for keys, with the lock held.
  Status Fetch();

  Source source_;
  std::mutex mutex_;
  net::aws::Credentials keys_;
  int64_t renew_at_micros_ = 0;  ///< 0: nobody says when they end.
};

}  // namespace frazil::catalogs
