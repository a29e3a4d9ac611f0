#include "frazil/catalogs/renewed_keys.h"

#include <algorithm>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"

namespace frazil::catalogs {
namespace {

constexpr int64_t kRenewBefore = int64_t{5} * 60 * 1000000;
constexpr int64_t kAskAgain = int64_t{10} * 1000000;

}  // namespace

std::shared_ptr<RenewedKeys> RenewedKeys::Of(const Settings& first, Source source) {
  std::shared_ptr<RenewedKeys> keys(new RenewedKeys(std::move(source)));
  return keys->Take(first) ? keys : nullptr;
}

bool RenewedKeys::Take(const Settings& settings) {
  const auto text = [&](const char* key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
  };
  if (text("s3.access-key-id").empty() || text("s3.secret-access-key").empty()) return false;
  keys_.access_key_id = text("s3.access-key-id");
  keys_.secret_access_key = text("s3.secret-access-key");
  keys_.session_token = text("s3.session-token");
  keys_.origin = "the catalog";
  keys_.expires_at_micros = ParseInteger<int64_t>(text("s3.session-token-expires-at-ms")).value_or(0) * 1000;
  renew_at_micros_ = 0;
  // Half of a short life is enough.
  if (keys_.expires_at_micros > 0)
    renew_at_micros_ = keys_.expires_at_micros - std::min(kRenewBefore, (keys_.expires_at_micros - NowMicros()) / 2);
  return true;
}

Status RenewedKeys::Fetch() {
  FRAZIL_ASSIGN_OR_RETURN(const auto settings, source_());
  if (!Take(settings)) return Error::Storage("The catalog gave no new keys for a table whose former ones have ended");
  return {};
}

Result<net::aws::Credentials> RenewedKeys::Keys() {
  std::lock_guard lock(mutex_);
  if (renew_at_micros_ == 0 || NowMicros() < renew_at_micros_) return keys_;
  Status fetched = Fetch();
  if (fetched.ok()) return keys_;
  if (NowMicros() >= keys_.expires_at_micros) return std::move(fetched).error();
  Log(LogLevel::kWarn, "Keys of a table could not be renewed yet", {{"error", fetched.error().message}});
  renew_at_micros_ = std::min(keys_.expires_at_micros, NowMicros() + kAskAgain);
  return keys_;
}

bool RenewedKeys::Renew() {
  std::lock_guard lock(mutex_);
  const std::string former = keys_.access_key_id + keys_.session_token;
  const Status fetched = Fetch();
  if (!fetched.ok()) Log(LogLevel::kWarn, "Keys of a table could not be renewed", {{"error", fetched.error().message}});
  return fetched.ok() && keys_.access_key_id + keys_.session_token != former;
}

Status RenewedKeys::Sign(const std::string&, net::HttpRequest*) {
  return Error::Internal("keys sign nothing themselves");
}

}  // namespace frazil::catalogs
