#include <array>

#include "frazil/base/clock.h"
#include "frazil/types/datetime.h"

namespace frazil {
namespace {

void AppendPadded(int64_t value, int width, std::string* out) {
  const std::string digits = std::to_string(value);
  if (digits.size() < static_cast<size_t>(width)) out->append(static_cast<size_t>(width) - digits.size(), '0');
  *out += digits;
}

void AppendDate(int64_t days, std::string* out) {
  const CivilDate date = CivilFromDays(days);
  if (date.year < 0) {
    *out += '-';
  } else if (date.year > 9999) {
    *out += '+';
  }
  AppendPadded(date.year < 0 ? -date.year : date.year, 4, out);
  *out += '-';
  AppendPadded(date.month, 2, out);
  *out += '-';
  AppendPadded(date.day, 2, out);
}

void AppendTime(int64_t micros, std::string* out) {
  AppendPadded(micros / kMicrosPerHour, 2, out);
  *out += ':';
  AppendPadded(micros / kMicrosPerMinute % 60, 2, out);
  *out += ':';
  AppendPadded(micros / kMicrosPerSecond % 60, 2, out);
  const int64_t fraction = micros % kMicrosPerSecond;
  if (fraction == 0) return;
  *out += '.';
  AppendPadded(fraction, 6, out);
  while (out->back() == '0') out->pop_back();
}

}  // namespace

std::string FormatDate(int64_t days) {
  std::string text;
  AppendDate(days, &text);
  return text;
}

std::string FormatTimestampNtz(int64_t local_micros) {
  const int64_t days = FloorDivide(local_micros, kMicrosPerDay);
  std::string text;
  AppendDate(days, &text);
  text += ' ';
  AppendTime(FloorModulo(local_micros, kMicrosPerDay), &text);
  return text;
}

std::string FormatTimestamp(int64_t utc_micros, const TimeZone& zone) {
  return FormatTimestampNtz(zone.ToLocalMicros(utc_micros));
}

std::string FormatTime(int64_t micros) {
  std::string text;
  AppendTime(micros, &text);
  return text;
}

int32_t DateOfTimestamp(int64_t utc_micros, const TimeZone& zone) {
  return static_cast<int32_t>(FloorDivide(zone.ToLocalMicros(utc_micros), kMicrosPerDay));
}

int64_t TimestampOfDate(int32_t days, const TimeZone& zone) {
  const __int128 local = static_cast<__int128>(days) * kMicrosPerDay;
  if (local > INT64_MAX) return INT64_MAX;
  if (local < INT64_MIN) return INT64_MIN;
  return zone.ToUtcMicros(static_cast<int64_t>(local));
}

int32_t CurrentDate(const TimeZone& zone) { return DateOfTimestamp(NowMicros(), zone); }

}  // namespace frazil
