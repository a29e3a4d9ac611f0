#include "frazil/types/time_zone.h"

#include <algorithm>

#include "frazil/types/calendar.h"

namespace frazil {
namespace {

constexpr int64_t kSecondsPer400Years = 146'097 * kSecondsPerDay;

}  // namespace

int64_t TimeZone::Fold(int64_t seconds, int64_t end) const {
  if (!repeats_ || seconds < end) return seconds;
  return seconds - ((seconds - end) / kSecondsPer400Years + 1) * kSecondsPer400Years;
}

const TimeZone::Period& TimeZone::PeriodAt(int64_t utc_seconds) const {
  if (transitions_.empty()) return periods_[0];
  const int64_t seconds = Fold(utc_seconds, transitions_.back().utc_seconds);
  const auto next =
      std::upper_bound(transitions_.begin(), transitions_.end(), seconds,
                       [](int64_t wanted, const Transition& transition) { return wanted < transition.utc_seconds; });
  return next == transitions_.begin() ? periods_[0] : periods_[(next - 1)->period];
}

int32_t TimeZone::OffsetAt(int64_t utc_seconds) const { return PeriodAt(utc_seconds).offset; }

int32_t TimeZone::OffsetAtLocal(int64_t local_seconds) const {
  if (transitions_.empty()) return periods_[0].offset;
  const int64_t seconds = Fold(local_seconds, transitions_.back().local_threshold);
  const auto next = std::upper_bound(
      transitions_.begin(), transitions_.end(), seconds,
      [](int64_t wanted, const Transition& transition) { return wanted < transition.local_threshold; });
  return next == transitions_.begin() ? periods_[0].offset : periods_[(next - 1)->period].offset;
}

std::string TimeZone::AbbreviationAt(int64_t utc_seconds) const { return PeriodAt(utc_seconds).abbreviation; }

bool TimeZone::IsDaylightAt(int64_t utc_seconds) const { return PeriodAt(utc_seconds).daylight; }

int64_t TimeZone::ToLocalMicros(int64_t utc_micros) const {
  const int32_t offset = OffsetAt(FloorDivide(utc_micros, kMicrosPerSecond));
  int64_t local = 0;
  if (__builtin_add_overflow(utc_micros, offset * kMicrosPerSecond, &local)) return offset > 0 ? INT64_MAX : INT64_MIN;
  return local;
}

int64_t TimeZone::ToUtcMicros(int64_t local_micros) const {
  const int32_t offset = OffsetAtLocal(FloorDivide(local_micros, kMicrosPerSecond));
  int64_t utc = 0;
  if (__builtin_sub_overflow(local_micros, offset * kMicrosPerSecond, &utc)) return offset > 0 ? INT64_MIN : INT64_MAX;
  return utc;
}

std::shared_ptr<const TimeZone> TimeZone::Fixed(std::string name, int32_t offset) {
  std::shared_ptr<TimeZone> zone(new TimeZone());
  zone->periods_.push_back({offset, false, name});
  zone->name_ = std::move(name);
  return zone;
}

const std::shared_ptr<const TimeZone>& TimeZone::Utc() {
  static const std::shared_ptr<const TimeZone> zone = Fixed("Z", 0);
  return zone;
}

}  // namespace frazil
