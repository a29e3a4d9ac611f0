#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil {

/// A time zone: a fixed offset from UTC, or a region of the IANA database (read from the system's zoneinfo folder, or
/// from $TZDIR). Immutable and shared; lookups take a binary search.
class TimeZone {
 public:
  /// By name, as Spark's session time zone and zone arguments: regions ("Europe/Berlin"), "Z", "UTC", "GMT", "UT", with
  /// or without an offset after them ("UTC+1"), offsets ("+01:00", "-8", "+1:30", "+0130", "+01:30:15") up to 18 hours,
  /// and Java's short names ("PST", "CTT", ...). Names are case sensitive. Unknown: INVALID_TIMEZONE.
  static Result<std::shared_ptr<const TimeZone>> Find(std::string_view name);
  static const std::shared_ptr<const TimeZone>& Utc();

  /// The canonical name: the region, "Z", or the offset "+01:00".
  const std::string& name() const { return name_; }
  bool is_fixed() const { return transitions_.empty(); }

  /// Seconds east of UTC at an instant (seconds since 1970-01-01T00:00:00Z).
  int32_t OffsetAt(int64_t utc_seconds) const;
  /// Seconds east of UTC at a wall-clock time, as Java: in a gap (the hour that summer time leaves out) the offset
  /// before it, so that the time moves on by the gap's length; in an overlap the earlier of the two instants.
  int32_t OffsetAtLocal(int64_t local_seconds) const;
  /// The abbreviation in force ("CET", "CEST", "PDT"), or the name for fixed offsets.
  std::string AbbreviationAt(int64_t utc_seconds) const;
  /// Whether summer time is in force.
  bool IsDaylightAt(int64_t utc_seconds) const;

  /// Microseconds of the wall clock (as if it were UTC) at an instant, and back.
  int64_t ToLocalMicros(int64_t utc_micros) const;
  int64_t ToUtcMicros(int64_t local_micros) const;

 private:
  friend class TimeZoneReader;
  struct Period {
    int32_t offset = 0;
    bool daylight = false;
    std::string abbreviation;
  };
  struct Transition {
    int64_t utc_seconds = 0;
    int64_t local_threshold =
        0;                ///< Wall-clock time from which on the new offset holds: instant plus the larger offset.
    uint32_t period = 0;  ///< Index into periods_.
  };

  TimeZone() = default;
  static std::shared_ptr<const TimeZone> Fixed(std::string name, int32_t offset);
  const Period& PeriodAt(int64_t utc_seconds) const;
  /// The same moment of the year within the table, for times after its end.
  int64_t Fold(int64_t seconds, int64_t end) const;

  std::string name_;
  std::vector<Period> periods_;  ///< The first one holds before all transitions.
  std::vector<Transition> transitions_;
  /// The zone changes between summer and winter time for ever: the table's last 400 years repeat, as the calendar does.
  bool repeats_ = false;
};

}  // namespace frazil
