#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frazil {

/// A day of the year on which summer time begins or ends, and the wall-clock time of that.
struct TimeZoneRuleDate {
  enum class Kind {
    kMonthWeekDay,       ///< Mm.w.d: the w-th (5: last) weekday d of month m.
    kJulianNoLeap,       ///< Jn: day 1..365, the 29th of February is never counted.
    kZeroBasedWithLeap,  ///< n: day 0..365.
  };
  Kind kind = Kind::kMonthWeekDay;
  int month = 0;
  int week = 0;
  int day = 0;
  int32_t seconds = 7200;  ///< From midnight; may be negative or above one day.

  /// Wall-clock seconds since 1970-01-01 at which the change happens in the year.
  int64_t LocalSeconds(int64_t year) const;
};

/// The last line of a zoneinfo file: how the zone goes on after its last listed change.
/// Source: POSIX, environment variable TZ; RFC 8536 section 3.3.
struct TimeZoneRule {
  std::string standard_name;
  int32_t standard_offset = 0;  ///< Seconds east of UTC.
  bool has_daylight = false;
  std::string daylight_name;
  int32_t daylight_offset = 0;
  TimeZoneRuleDate daylight_start;
  TimeZoneRuleDate daylight_end;

  static std::optional<TimeZoneRule> Parse(std::string_view text);
};

}  // namespace frazil
