#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/types/calendar.h"
#include "frazil/types/time_zone.h"

namespace frazil {

// Dates, times and timestamps as text, in the forms that Spark's casts and typed literals take.
// https://spark.apache.org/docs/latest/sql-ref-literals.html#datetime-literal

/// The parts of a timestamp's text: [+-]yyyy*[-[m]m[-[d]d[( |T)[h]h[:[m]m[:[s]s[.f*][zone]]]]]], or the time alone
/// ("[h]h:...", "T[h]h...").
struct TimestampParts {
  int64_t year = 1;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;  ///< Digits of the fraction beyond the sixth are cut off.
  bool only_time = false;
  std::shared_ptr<const TimeZone> zone;  ///< Null where the text names none.
};
/// Splits without checking ranges (month 13 is possible). Nothing for other forms and unknown zones.
std::optional<TimestampParts> ParseTimestampParts(std::string_view text);

/// Days since 1970-01-01 of [+-]yyyy*[-[m]m[-[d]d]]; behind a full date anything may follow a blank or 'T'.
std::optional<int32_t> ParseDate(std::string_view text);
/// Microseconds since the epoch; `zone` holds where the text names none. A time alone means today.
std::optional<int64_t> ParseTimestamp(std::string_view text, const TimeZone& zone);
/// Wall-clock microseconds. A zone in the text is left aside, or refused where `allow_zone` is false; a time alone is
/// refused.
std::optional<int64_t> ParseTimestampNtz(std::string_view text, bool allow_zone = true);
/// Microseconds since midnight of a time alone, with AM or PM behind it or not.
std::optional<int64_t> ParseTime(std::string_view text);

// Typed literals also take the words epoch, now, today, tomorrow, yesterday, in any case; all but now with a zone
// behind, which is only checked.
std::optional<int32_t> ParseSpecialDate(std::string_view text, const TimeZone& zone);
std::optional<int64_t> ParseSpecialTimestamp(std::string_view text, const TimeZone& zone);
std::optional<int64_t> ParseSpecialTimestampNtz(std::string_view text, const TimeZone& zone);

/// "2024-01-31"; years beyond 9999 carry a plus sign, negative ones a minus.
std::string FormatDate(int64_t days);
/// "2024-01-31 12:00:00.5": the fraction without trailing zeros.
std::string FormatTimestampNtz(int64_t local_micros);
std::string FormatTimestamp(int64_t utc_micros, const TimeZone& zone);
/// "12:00:00.5" of microseconds since midnight.
std::string FormatTime(int64_t micros);

/// Days since 1970-01-01 of the day that an instant falls on in a zone, and the instant at which a day begins there.
int32_t DateOfTimestamp(int64_t utc_micros, const TimeZone& zone);
int64_t TimestampOfDate(int32_t days, const TimeZone& zone);
/// Today in a zone.
int32_t CurrentDate(const TimeZone& zone);

}  // namespace frazil
