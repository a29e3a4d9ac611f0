#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil {

// Intervals as text. Year-month intervals are months, day-time intervals microseconds.
// https://spark.apache.org/docs/latest/sql-ref-literals.html#interval-literal

/// kAnsi: "INTERVAL '1-2' YEAR TO MONTH". kHive: "1-2", "3 04:05:06.000000007", as Hive shows them.
enum class IntervalStyle { kAnsi, kHive };

std::string YearMonthIntervalToString(int64_t months, IntervalField start, IntervalField end,
                                      IntervalStyle style = IntervalStyle::kAnsi);
std::string DayTimeIntervalToString(int64_t micros, IntervalField start, IntervalField end,
                                    IntervalStyle style = IntervalStyle::kAnsi);
/// "1 years 2 months 3 days 4 hours 5 minutes 6.5 seconds"; zero parts left out; "0 seconds" for nothing.
std::string CalendarIntervalToString(const CalendarIntervalValue& interval);

/// Reads "interval 1 year -2 days 3.5 seconds" in any case, with or without the first word. Errors:
/// INVALID_INTERVAL_FORMAT.*.
Result<CalendarIntervalValue> ParseCalendarInterval(std::string_view text);

/// Reads the text of CAST(string AS INTERVAL ...): the bare form ("1-2", "3 04:05:06") or the literal form ("INTERVAL
/// '1-2' YEAR TO MONTH") of exactly these fields; without surrounding blanks. Errors: INVALID_INTERVAL_FORMAT.*.
Result<int32_t> ParseYearMonthInterval(std::string_view text, IntervalField start, IntervalField end);
Result<int64_t> ParseDayTimeInterval(std::string_view text, IntervalField start, IntervalField end);

/// The value in one unit, the field's, without the rest: DAY of 36 hours is 1. Precondition: a day-time field.
int64_t MicrosPerField(IntervalField field);

/// "year", "month", ..., "second"; and back (any case, "s" at the end allowed).
std::string_view IntervalFieldName(IntervalField field);
std::optional<IntervalField> IntervalFieldByName(std::string_view name);

}  // namespace frazil
