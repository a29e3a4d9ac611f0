#pragma once

#include <cstdint>

namespace frazil {

inline constexpr int64_t kMicrosPerMillisecond = 1000;
inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
inline constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
inline constexpr int64_t kMicrosPerDay = 24 * kMicrosPerHour;
inline constexpr int64_t kSecondsPerDay = 86'400;

constexpr int64_t FloorDivide(int64_t dividend, int64_t divisor) {
  const int64_t quotient = dividend / divisor;
  return (dividend % divisor != 0 && (dividend < 0) != (divisor < 0)) ? quotient - 1 : quotient;
}
constexpr int64_t FloorModulo(int64_t dividend, int64_t divisor) {
  const int64_t remainder = dividend % divisor;
  return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder;
}

/// A date of the proleptic Gregorian calendar (the year 0 is 1 BC).
struct CivilDate {
  int64_t year = 1970;
  int month = 1;  ///< 1..12
  int day = 1;    ///< 1..31
  bool operator==(const CivilDate&) const = default;
};

constexpr bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

constexpr bool IsValidDate(int64_t year, int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= DaysInMonth(year, month);
}

/// Days since 1970-01-01. Years are counted from March, so that the leap day is the last of its year.
constexpr int64_t DaysFromCivil(int64_t year, int month, int day) {
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = FloorDivide(shifted, 400);
  const int64_t year_of_era = shifted - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

constexpr CivilDate CivilFromDays(int64_t days) {
  const int64_t shifted = days + 719'468;
  const int64_t era = FloorDivide(shifted, 146'097);
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int>(day_of_year - (153 * month_index + 2) / 5 + 1);
  date.month = static_cast<int>(month_index < 10 ? month_index + 3 : month_index - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

/// Day of the week, Monday 1 to Sunday 7 (ISO 8601).
constexpr int IsoDayOfWeek(int64_t days) { return static_cast<int>(FloorModulo(days + 3, 7)) + 1; }

/// Day of the year, from 1.
constexpr int DayOfYear(int64_t days) {
  const CivilDate date = CivilFromDays(days);
  return static_cast<int>(days - DaysFromCivil(date.year, 1, 1)) + 1;
}

/// Week and year of ISO 8601: weeks begin on Monday, the first one has the year's first Thursday.
struct IsoWeek {
  int64_t year = 0;
  int week = 0;
};
constexpr IsoWeek IsoWeekOf(int64_t days) {
  const int64_t thursday = days - (IsoDayOfWeek(days) - 4);
  return {CivilFromDays(thursday).year, (DayOfYear(thursday) - 1) / 7 + 1};
}

/// The date `months` later; the day is cut to the length of the month, as Spark's add_months.
constexpr int64_t AddMonths(int64_t days, int64_t months) {
  const CivilDate date = CivilFromDays(days);
  const int64_t total = date.year * 12 + (date.month - 1) + months;
  const int64_t year = FloorDivide(total, 12);
  const int month = static_cast<int>(FloorModulo(total, 12)) + 1;
  const int last = DaysInMonth(year, month);
  return DaysFromCivil(year, month, date.day < last ? date.day : last);
}

}  // namespace frazil
