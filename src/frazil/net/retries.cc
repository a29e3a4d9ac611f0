#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/net/http_client.h"

namespace frazil::net {
namespace {

/// Sleeps in short pieces; false where it was cancelled meanwhile.
bool Sleep(int64_t milliseconds, const std::function<bool()>& cancelled) {
  const int64_t end = SteadyMillis() + milliseconds;
  while (true) {
    if (cancelled && cancelled()) return false;
    const int64_t left = end - SteadyMillis();
    if (left <= 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min<int64_t>(left, 100)));
  }
}

}  // namespace

bool IsTransient(const HttpResponse& response) {
  switch (response.status) {
    case 0:
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return !response.cancelled;
    default:
      return false;
  }
}

RetriedResponse SendWithRetries(HttpClient& client, const RetryPolicy& policy, bool repeatable,
                                const std::function<HttpRequest()>& make, const std::function<bool()>& cancelled,
                                const std::function<bool(const HttpResponse&)>& is_transient) {
  thread_local std::minstd_rand random{std::random_device{}()};
  RetriedResponse result;
  int64_t wait = policy.first_wait_ms;
  while (true) {
    HttpRequest request = make();
    request.only_once |= !repeatable;
    result.response = client.Send(request, cancelled);
    const auto& response = result.response;
    ++result.attempts;
    if (result.attempts >= policy.attempts || response.cancelled || !is_transient(response)) return result;
    const bool without_effect = response.status == 429 || (response.status == 0 && !response.possibly_sent);
    // 503 asks for another try of anything, but a gateway may say it of a request that the server has acted on.
    if (!repeatable && !without_effect && response.status != 503) return result;
    if (!without_effect) result.earlier_unknown = true;
    int64_t pause = wait / 2 + static_cast<int64_t>(random()) % (wait / 2 + 1);
    if (const auto* after = response.FindHeader("Retry-After")) {
      if (auto seconds = ParseInteger<int64_t>(*after)) {
        pause = std::max(pause, std::min(std::max<int64_t>(*seconds, 0) * 1000, policy.longest_wait_ms));
      }
    }
    if (!Sleep(pause, cancelled)) {
      result.response.cancelled = true;
      return result;
    }
    wait = std::min(wait * 2, policy.longest_wait_ms);
  }
}

}  // namespace frazil::net
