// Dates, times and timestamps: fields, truncation, arithmetic, parts.

#include "frazil/types/datetime.h"

#include <cmath>
#include <map>

#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/zones.h"
#include "frazil/types/calendar.h"

namespace frazil::engine {

const TimeZone& ZoneNamed(std::string_view name) {
  thread_local std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> zones;
  thread_local std::string last_name;
  thread_local const TimeZone* last = nullptr;
  if (last != nullptr && last_name == name) return *last;
  auto found = zones.find(name);
  if (found == zones.end()) {
    if (zones.size() > 1000) zones.clear();
    found = zones.emplace(std::string(name), ValueOrThrow(TimeZone::Find(name))).first;
  }
  last_name = name;
  last = found->second.get();
  return *last;
}

namespace {

using duckdb::LogicalType;

enum class Unit : uint8_t { kYear, kQuarter, kMonth, kWeek, kDay, kHour, kMinute, kSecond, kMillisecond, kMicrosecond };

std::optional<Unit> TruncationUnit(std::string_view name) {
  const std::string upper = AsciiUpper(name);
  if (upper == "YEAR" || upper == "YYYY" || upper == "YY") return Unit::kYear;
  if (upper == "QUARTER") return Unit::kQuarter;
  if (upper == "MONTH" || upper == "MON" || upper == "MM") return Unit::kMonth;
  if (upper == "WEEK") return Unit::kWeek;
  if (upper == "DAY" || upper == "DD") return Unit::kDay;
  if (upper == "HOUR") return Unit::kHour;
  if (upper == "MINUTE") return Unit::kMinute;
  if (upper == "SECOND") return Unit::kSecond;
  if (upper == "MILLISECOND") return Unit::kMillisecond;
  if (upper == "MICROSECOND") return Unit::kMicrosecond;
  return std::nullopt;
}

int64_t TruncateDays(int64_t days, Unit unit) {
  const CivilDate date = CivilFromDays(days);
  switch (unit) {
    case Unit::kYear:
      return DaysFromCivil(date.year, 1, 1);
    case Unit::kQuarter:
      return DaysFromCivil(date.year, (date.month - 1) / 3 * 3 + 1, 1);
    case Unit::kMonth:
      return DaysFromCivil(date.year, date.month, 1);
    case Unit::kWeek:
      return days - (IsoDayOfWeek(days) - 1);
    case Unit::kDay:
    case Unit::kHour:
    case Unit::kMinute:
    case Unit::kSecond:
    case Unit::kMillisecond:
    case Unit::kMicrosecond:
      break;
  }
  return days;
}

std::optional<int32_t> TruncateDate(int32_t days, std::string_view unit_name) {
  const auto unit = TruncationUnit(unit_name);
  if (!unit.has_value() || *unit > Unit::kWeek) return std::nullopt;
  return static_cast<int32_t>(TruncateDays(days, *unit));
}

// The instant at which the wall clock showed the cut time, with the same offset where that is possible.
int64_t TruncateLocal(int64_t micros, int64_t unit, const TimeZone& zone) {
  const int64_t local = zone.ToLocalMicros(micros);
  const int64_t cut = local - FloorModulo(local, unit);
  const int64_t candidate = micros - (local - cut);
  return zone.ToLocalMicros(candidate) == cut ? candidate : zone.ToUtcMicros(cut);
}

std::optional<int64_t> TruncateTimestamp(std::string_view unit_name, int64_t micros, std::string_view zone_name) {
  const auto unit = TruncationUnit(unit_name);
  if (!unit.has_value()) return std::nullopt;
  switch (*unit) {
    case Unit::kMicrosecond:
      return micros;
    case Unit::kMillisecond:
      return micros - FloorModulo(micros, kMicrosPerMillisecond);
    case Unit::kSecond:
      return micros - FloorModulo(micros, kMicrosPerSecond);
    case Unit::kMinute:
      return TruncateLocal(micros, kMicrosPerMinute, ZoneNamed(zone_name));
    case Unit::kHour:
      return TruncateLocal(micros, kMicrosPerHour, ZoneNamed(zone_name));
    case Unit::kDay:
      return TruncateLocal(micros, kMicrosPerDay, ZoneNamed(zone_name));
    case Unit::kYear:
    case Unit::kQuarter:
    case Unit::kMonth:
    case Unit::kWeek:
      break;
  }
  const TimeZone& zone = ZoneNamed(zone_name);
  return TimestampOfDate(static_cast<int32_t>(TruncateDays(DateOfTimestamp(micros, zone), *unit)), zone);
}

double MonthsBetween(int64_t end, int64_t start, bool round, std::string_view zone_name) {
  const TimeZone& zone = ZoneNamed(zone_name);
  const int64_t local1 = zone.ToLocalMicros(end), local2 = zone.ToLocalMicros(start);
  const int64_t days1 = FloorDivide(local1, kMicrosPerDay), days2 = FloorDivide(local2, kMicrosPerDay);
  const CivilDate a = CivilFromDays(days1), b = CivilFromDays(days2);
  const auto months = static_cast<double>((a.year * 12 + a.month) - (b.year * 12 + b.month));
  const bool both_last = a.day == DaysInMonth(a.year, a.month) && b.day == DaysInMonth(b.year, b.month);
  if (a.day == b.day || both_last) return months;
  const int64_t seconds1 = (local1 - days1 * kMicrosPerDay) / kMicrosPerSecond,
                seconds2 = (local2 - days2 * kMicrosPerDay) / kMicrosPerSecond;
  const int64_t seconds = (a.day - b.day) * kSecondsPerDay + seconds1 - seconds2;
  const double difference = months + static_cast<double>(seconds) / static_cast<double>(31 * kSecondsPerDay);
  return round ? std::floor(difference * 1e8 + 0.5) / 1e8 : difference;
}

std::optional<int32_t> NextDay(int32_t days, std::string_view name, bool strict) {
  static constexpr const char* kNames[7][3] = {
      {"MO", "MON", "MONDAY"}, {"TU", "TUE", "TUESDAY"},  {"WE", "WED", "WEDNESDAY"}, {"TH", "THU", "THURSDAY"},
      {"FR", "FRI", "FRIDAY"}, {"SA", "SAT", "SATURDAY"}, {"SU", "SUN", "SUNDAY"}};
  const std::string upper = AsciiUpper(TrimBlanks(name));
  for (int day = 0; day < 7; ++day) {
    for (const char* known : kNames[day]) {
      if (upper != known) continue;
      const int wanted = day + 1, now = IsoDayOfWeek(days);
      return days + (wanted > now ? wanted - now : wanted - now + 7);
    }
  }
  if (strict) ThrowSparkError("ILLEGAL_DAY_OF_WEEK", {{"string", std::string(name)}});
  return std::nullopt;
}

int32_t LastDay(int32_t days) {
  const CivilDate date = CivilFromDays(days);
  return days + DaysInMonth(date.year, date.month) - date.day;
}

[[noreturn]] void ThrowFieldOutOfBounds(const std::string& message) {
  ThrowSparkError("DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION",
                  {{"rangeMessage", message}, {"ansiConfig", "\"spark.sql.ansi.enabled\""}});
}

std::string RangeMessage(const char* field, const char* range, int64_t value) {
  return std::string("Invalid value for ") + field + " (valid values " + range + "): " + std::to_string(value);
}

// The reason why the parts are no date; empty where they are one.
std::string DateProblem(int64_t year, int32_t month, int32_t day) {
  if (year < -999999999 || year > 999999999) return RangeMessage("Year", "-999999999 - 999999999", year);
  if (month < 1 || month > 12) return RangeMessage("MonthOfYear", "1 - 12", month);
  if (day < 1 || day > 31) return RangeMessage("DayOfMonth", "1 - 28/31", day);
  if (day > DaysInMonth(year, month)) {
    if (day == 29) return "Invalid date 'February 29' as '" + std::to_string(year) + "' is not a leap year";
    static constexpr const char* kMonths[] = {"JANUARY", "FEBRUARY", "MARCH",     "APRIL",   "MAY",      "JUNE",
                                              "JULY",    "AUGUST",   "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"};
    return std::string("Invalid date '") + kMonths[month - 1] + " " + std::to_string(day) + "'";
  }
  return {};
}

std::optional<int32_t> MakeDate(int32_t year, int32_t month, int32_t day, bool strict) {
  const std::string problem = DateProblem(year, month, day);
  if (!problem.empty()) {
    if (strict) ThrowFieldOutOfBounds(problem);
    return std::nullopt;
  }
  const int64_t days = DaysFromCivil(year, month, day);
  if (days < INT32_MIN || days > INT32_MAX) {
    if (strict) ThrowArithmeticOverflow("integer overflow");
    return std::nullopt;
  }
  return static_cast<int32_t>(days);
}

// Wall-clock microseconds of the parts; seconds as DECIMAL(16,6), unscaled; 60 means the next minute.
std::optional<int64_t> MakeLocal(int32_t year, int32_t month, int32_t day, int32_t hour, int32_t minute,
                                 int64_t seconds, bool strict) {
  std::string problem = DateProblem(year, month, day);
  if (problem.empty() && (hour < 0 || hour > 23)) problem = RangeMessage("HourOfDay", "0 - 23", hour);
  if (problem.empty() && (minute < 0 || minute > 59)) problem = RangeMessage("MinuteOfHour", "0 - 59", minute);
  const int64_t whole = FloorDivide(seconds, kMicrosPerSecond), fraction = FloorModulo(seconds, kMicrosPerSecond);
  if (problem.empty() && whole == 60 && fraction != 0) {
    if (strict) {
      char text[64];
      std::snprintf(text, sizeof(text), "%lld.%06lld", static_cast<long long>(whole), static_cast<long long>(fraction));
      ThrowSparkError("INVALID_FRACTION_OF_SECOND", {{"secAndMicros", text}});
    }
    return std::nullopt;
  }
  if (problem.empty() && (whole < 0 || whole > 60)) problem = RangeMessage("SecondOfMinute", "0 - 59", whole);
  if (!problem.empty()) {
    if (strict) ThrowFieldOutOfBounds(problem);
    return std::nullopt;
  }
  const __int128 micros = static_cast<__int128>(DaysFromCivil(year, month, day)) * kMicrosPerDay +
                          hour * kMicrosPerHour + minute * kMicrosPerMinute + seconds;
  if (micros > INT64_MAX || micros < INT64_MIN) {
    if (strict) ThrowArithmeticOverflow("long overflow");
    return std::nullopt;
  }
  return static_cast<int64_t>(micros);
}

// Beyond what microseconds can tell: Java's own exception, to which Spark gives no condition.
std::optional<int64_t> ToMicros(__int128 micros, const char* problem = "long overflow") {
  if (micros > INT64_MAX || micros < INT64_MIN) ThrowSparkError(Error::Plain(ExceptionClass::kArithmetic, problem));
  return static_cast<int64_t>(micros);
}

// Months of wall-clock microseconds from one to another, cut towards zero, as Java's ChronoUnit.MONTHS.between.
int64_t WholeMonths(int64_t start, int64_t end) {
  const int64_t days1 = FloorDivide(start, kMicrosPerDay), days2 = FloorDivide(end, kMicrosPerDay);
  const CivilDate a = CivilFromDays(days1), b = CivilFromDays(days2);
  int64_t months = (b.year * 12 + b.month) - (a.year * 12 + a.month);
  const auto rest = [](const CivilDate& date, int64_t micros, int64_t days) {
    return date.day * kMicrosPerDay + (micros - days * kMicrosPerDay);
  };
  const int64_t rest1 = rest(a, start, days1), rest2 = rest(b, end, days2);
  if (months > 0 && rest2 < rest1) --months;
  if (months < 0 && rest2 > rest1) ++months;
  return months;
}

int64_t TimestampDifference(std::string_view unit, int64_t start_utc, int64_t end_utc, std::string_view zone_name) {
  const TimeZone& zone = ZoneNamed(zone_name);
  const int64_t start = zone.ToLocalMicros(start_utc), end = zone.ToLocalMicros(end_utc);
  const int64_t micros = end - start;
  if (unit == "MICROSECOND") return micros;
  if (unit == "MILLISECOND") return micros / kMicrosPerMillisecond;
  if (unit == "SECOND") return micros / kMicrosPerSecond;
  if (unit == "MINUTE") return micros / kMicrosPerMinute;
  if (unit == "HOUR") return micros / kMicrosPerHour;
  if (unit == "DAY" || unit == "DAYOFYEAR") return micros / kMicrosPerDay;
  if (unit == "WEEK") return micros / (7 * kMicrosPerDay);
  const int64_t months = WholeMonths(start, end);
  if (unit == "MONTH") return months;
  return unit == "QUARTER" ? months / 3 : months / 12;
}

int64_t AddUnits(std::string_view unit, int64_t quantity, int64_t micros, std::string_view zone_name) {
  const TimeZone& zone = ZoneNamed(zone_name);
  const auto overflow = [&]() {
    ThrowSparkError("DATETIME_OVERFLOW",
                    {{"operation", "add " + std::to_string(quantity) + " " + std::string(unit) + " to a timestamp"}});
  };
  __int128 exact = 0;
  const auto exact_unit = [&](int64_t size) { exact = static_cast<__int128>(quantity) * size + micros; };
  if (unit == "MICROSECOND") {
    exact_unit(1);
  } else if (unit == "MILLISECOND") {
    exact_unit(kMicrosPerMillisecond);
  } else if (unit == "SECOND") {
    exact_unit(kMicrosPerSecond);
  } else if (unit == "MINUTE") {
    exact_unit(kMicrosPerMinute);
  } else if (unit == "HOUR") {
    exact_unit(kMicrosPerHour);
  } else {
    const int64_t local = zone.ToLocalMicros(micros);
    const int64_t days = FloorDivide(local, kMicrosPerDay), rest = local - days * kMicrosPerDay;
    if (quantity > 10'000'000'000 || quantity < -10'000'000'000) overflow();
    int64_t moved = 0;
    if (unit == "DAY" || unit == "DAYOFYEAR") {
      moved = days + quantity;
    } else if (unit == "WEEK") {
      moved = days + 7 * quantity;
    } else {
      const int64_t months = unit == "MONTH" ? quantity : unit == "QUARTER" ? 3 * quantity : 12 * quantity;
      if (months > 20'000'000 || months < -20'000'000) overflow();
      moved = AddMonths(days, months);
    }
    const __int128 moved_micros = static_cast<__int128>(moved) * kMicrosPerDay + rest;
    if (moved_micros > INT64_MAX || moved_micros < INT64_MIN) overflow();
    return zone.ToUtcMicros(static_cast<int64_t>(moved_micros));
  }
  if (exact > INT64_MAX || exact < INT64_MIN) overflow();
  return static_cast<int64_t>(exact);
}

int64_t TimeUnit(std::string_view name, const char* function) {
  const std::string upper = AsciiUpper(name);
  if (upper == "HOUR") return kMicrosPerHour;
  if (upper == "MINUTE") return kMicrosPerMinute;
  if (upper == "SECOND") return kMicrosPerSecond;
  if (upper == "MILLISECOND") return kMicrosPerMillisecond;
  if (upper == "MICROSECOND") return 1;
  ThrowSparkError("INVALID_PARAMETER_VALUE.TIME_UNIT", {{"functionName", std::string("`") + function + "`"},
                                                        {"parameter", "`unit`"},
                                                        {"invalidValue", "'" + std::string(name) + "'"}});
}

void AddFieldKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, I = LogicalType::INTEGER;
  const auto Z = LogicalType::TIMESTAMP_TZ;
  const auto field = [&](const char* name, int64_t divisor, int64_t modulus) {
    AddRowKernel(loader, name, {Z, V}, I, [divisor, modulus](int64_t micros, std::string_view zone) -> int32_t {
      const int64_t local = ZoneNamed(zone).ToLocalMicros(micros);
      return static_cast<int32_t>(FloorModulo(FloorDivide(local, divisor), modulus));
    });
    for (const auto& type : {LogicalType::TIMESTAMP, LogicalType::TIME}) {
      AddRowKernel(loader, name, {type, V}, I, [divisor, modulus](int64_t micros, std::string_view) -> int32_t {
        return static_cast<int32_t>(FloorModulo(FloorDivide(micros, divisor), modulus));
      });
    }
  };
  field("spark_hour", kMicrosPerHour, 24);
  field("spark_minute", kMicrosPerMinute, 60);
  field("spark_second", kMicrosPerSecond, 60);
  // Offsets of zones may have seconds in them, long ago.
  const auto D = LogicalType::DECIMAL(8, 6);
  AddRowKernel(loader, "spark_second_with_fraction", {Z, V}, D, [](int64_t micros, std::string_view zone) -> int32_t {
    return static_cast<int32_t>(FloorModulo(ZoneNamed(zone).ToLocalMicros(micros), kMicrosPerMinute));
  });
  for (const auto& type : {LogicalType::TIMESTAMP, LogicalType::TIME}) {
    AddRowKernel(loader, "spark_second_with_fraction", {type, V}, D, [](int64_t micros, std::string_view) -> int32_t {
      return static_cast<int32_t>(FloorModulo(micros, kMicrosPerMinute));
    });
  }
}

void AddMakingKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, I = LogicalType::INTEGER, L = LogicalType::BIGINT,
             Boolean = LogicalType::BOOLEAN;
  const auto Z = LogicalType::TIMESTAMP_TZ, N = LogicalType::TIMESTAMP, Date = LogicalType::DATE,
             Time = LogicalType::TIME;
  const auto S = LogicalType::DECIMAL(16, 6);
  AddRowKernel(loader, "spark_make_date", {I, I, I, Boolean}, Date, &MakeDate, kFallible);
  AddRowKernel(loader, "spark_make_timestamp_ntz", {I, I, I, I, I, S, Boolean}, N, &MakeLocal, kFallible);
  AddRowKernel(
      loader, "spark_make_timestamp", {I, I, I, I, I, S, V, Boolean}, Z,
      [](int32_t year, int32_t month, int32_t day, int32_t hour, int32_t minute, int64_t seconds, std::string_view zone,
         bool strict) -> std::optional<int64_t> {
        const auto local = MakeLocal(year, month, day, hour, minute, seconds, strict);
        if (!local.has_value()) return std::nullopt;
        return ZoneNamed(zone).ToUtcMicros(*local);
      },
      kFallible);
  AddRowKernel(
      loader, "spark_make_timestamp_of_date", {Date, Time, V}, Z,
      [](int32_t days, int64_t time, std::string_view zone) -> int64_t {
        return ZoneNamed(zone).ToUtcMicros(days * kMicrosPerDay + time);
      },
      kFallible);
  AddRowKernel(loader, "spark_make_timestamp_ntz_of_date", {Date, Time}, N,
               [](int32_t days, int64_t time) -> int64_t { return days * kMicrosPerDay + time; });
  AddRowKernel(
      loader, "spark_make_time", {I, I, S}, Time,
      [](int32_t hour, int32_t minute, int64_t seconds) -> int64_t {
        std::string problem;
        if (hour < 0 || hour > 23) {
          problem = RangeMessage("HourOfDay", "0 - 23", hour);
        } else if (minute < 0 || minute > 59) {
          problem = RangeMessage("MinuteOfHour", "0 - 59", minute);
        } else if (seconds < 0 || seconds >= 60 * kMicrosPerSecond) {
          problem = RangeMessage("SecondOfMinute", "0 - 59", FloorDivide(seconds, kMicrosPerSecond));
        }
        if (!problem.empty())
          ThrowSparkError("DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", {{"rangeMessage", problem}});
        return hour * kMicrosPerHour + minute * kMicrosPerMinute + seconds;
      },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_seconds", {L}, Z,
      [](int64_t value) -> std::optional<int64_t> { return ToMicros(static_cast<__int128>(value) * kMicrosPerSecond); },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_millis", {L}, Z,
      [](int64_t value) -> std::optional<int64_t> {
        return ToMicros(static_cast<__int128>(value) * kMicrosPerMillisecond);
      },
      kFallible);
  AddRowKernel(loader, "spark_timestamp_micros", {L}, Z, [](int64_t value) -> int64_t { return value; });
  AddRowKernel(loader, "spark_timestamp_seconds", {LogicalType::DOUBLE}, Z, [](double value) -> std::optional<int64_t> {
    if (std::isnan(value) || std::isinf(value)) return std::nullopt;
    const double micros = value * 1e6;
    if (micros >= 9.2233720368547758e18) return INT64_MAX;
    if (micros <= -9.2233720368547758e18) return INT64_MIN;
    return static_cast<int64_t>(micros);
  });
  AddRowKernel(
      loader, "spark_timestamp_seconds", {LogicalType::DECIMAL(38, 6)}, Z,
      [](duckdb::hugeint_t value) -> std::optional<int64_t> { return ToMicros(WideOf(value), "Overflow"); }, kFallible);
  AddRowKernel(loader, "spark_unix_seconds", {Z}, L,
               [](int64_t micros) -> int64_t { return FloorDivide(micros, kMicrosPerSecond); });
  AddRowKernel(loader, "spark_unix_millis", {Z}, L,
               [](int64_t micros) -> int64_t { return FloorDivide(micros, kMicrosPerMillisecond); });
  AddRowKernel(loader, "spark_unix_micros", {Z}, L, [](int64_t micros) -> int64_t { return micros; });
  AddRowKernel(loader, "spark_date_from_unix_date", {I}, Date, [](int32_t days) -> int32_t { return days; });
  AddRowKernel(loader, "spark_unix_date", {Date}, I, [](int32_t days) -> int32_t { return days; });
}

void AddArithmeticKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, I = LogicalType::INTEGER, L = LogicalType::BIGINT,
             Boolean = LogicalType::BOOLEAN;
  const auto Z = LogicalType::TIMESTAMP_TZ, N = LogicalType::TIMESTAMP, Date = LogicalType::DATE,
             Time = LogicalType::TIME;
  AddRowKernel(loader, "spark_date_add", {Date, I}, Date, [](int32_t days, int32_t count) -> int32_t {
    return static_cast<int32_t>(static_cast<uint32_t>(days) + static_cast<uint32_t>(count));
  });
  AddRowKernel(loader, "spark_date_sub", {Date, I}, Date, [](int32_t days, int32_t count) -> int32_t {
    return static_cast<int32_t>(static_cast<uint32_t>(days) - static_cast<uint32_t>(count));
  });
  AddRowKernel(loader, "spark_datediff", {Date, Date}, I,
               [](int32_t end, int32_t start) -> int32_t { return end - start; });
  AddRowKernel(loader, "spark_last_day", {Date}, Date, &LastDay);
  AddRowKernel(loader, "spark_next_day", {Date, V, Boolean}, Date, &NextDay, kFallible);
  AddRowKernel(loader, "spark_trunc", {Date, V}, Date, &TruncateDate);
  AddRowKernel(loader, "spark_date_trunc", {V, Z, V}, Z, &TruncateTimestamp);
  AddRowKernel(loader, "spark_months_between", {Z, Z, Boolean, V}, LogicalType::DOUBLE, &MonthsBetween);
  AddRowKernel(loader, "spark_timestampdiff", {V, Z, Z, V}, L, &TimestampDifference);
  AddRowKernel(loader, "spark_timestampadd", {V, L, Z, V}, Z, &AddUnits, kFallible);
  AddRowKernel(
      loader, "spark_timestampadd", {V, L, N, V}, N,
      [](std::string_view unit, int64_t quantity, int64_t micros, std::string_view) -> int64_t {
        return AddUnits(unit, quantity, micros, "UTC");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_time_trunc", {V, Time}, Time,
      [](std::string_view unit, int64_t micros) -> int64_t {
        return micros / TimeUnit(unit, "time_trunc") * TimeUnit(unit, "time_trunc");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_time_diff", {V, Time, Time}, L,
      [](std::string_view unit, int64_t start, int64_t end) -> int64_t {
        return (end - start) / TimeUnit(unit, "time_diff");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_from_utc_timestamp", {Z, V}, Z,
      [](int64_t micros, std::string_view zone) -> int64_t { return ZoneNamed(zone).ToLocalMicros(micros); },
      kFallible);
  AddRowKernel(
      loader, "spark_to_utc_timestamp", {Z, V}, Z,
      [](int64_t micros, std::string_view zone) -> int64_t { return ZoneNamed(zone).ToUtcMicros(micros); }, kFallible);
  AddRowKernel(
      loader, "spark_convert_timezone", {V, V, N}, N,
      [](std::string_view from, std::string_view to, int64_t micros) -> int64_t {
        const int64_t utc = ZoneNamed(from).ToUtcMicros(micros);
        return ZoneNamed(to).ToLocalMicros(utc);
      },
      kFallible);
}

}  // namespace

void RegisterDatetimeFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddFieldKernels);
  registry.AddKernels(AddMakingKernels);
  registry.AddKernels(AddArithmeticKernels);
  registry.AddScalar("year", Direct("year"));
  registry.AddScalar("quarter", Direct("quarter"));
  registry.AddScalar("month", Direct("month"));
  registry.AddScalar("dayofmonth", Direct("day"));
  registry.AddScalar("dayofweek", Template("dayofweek($1) + 1"));
  registry.AddScalar("dayofweek_iso", Direct("isodow"));
  registry.AddScalar("weekday", Template("isodow($1) - 1"));
  registry.AddScalar("dayofyear", Direct("dayofyear"));
  registry.AddScalar("weekofyear", Direct("weekofyear"));
  registry.AddScalar("year_of_week", Direct("isoyear"));
  registry.AddScalar("dayname", Template("strftime($1, '%a')"));
  registry.AddScalar("monthname", Template("strftime($1, '%b')"));
  for (const char* name : {"hour", "minute", "second", "second_with_fraction"})
    registry.AddScalar(name, Template(std::string("spark_") + name + "($1, $tz)"));
  for (const char* name :
       {"last_day", "unix_date", "date_add", "date_sub", "datediff", "trunc", "time_trunc", "time_diff",
        "timestamp_millis", "timestamp_micros", "unix_seconds", "unix_millis", "unix_micros", "date_from_unix_date",
        "from_utc_timestamp", "to_utc_timestamp", "convert_timezone", "make_time"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
  registry.AddScalar("next_day", Strictness("spark_next_day"));
  registry.AddScalar("date_trunc", Template("spark_date_trunc($1, $2, $tz)"));
  registry.AddScalar("months_between", Template("spark_months_between($1, $2, $3, $tz)"));
  registry.AddScalar("timestampadd", Template("spark_timestampadd($1, $2, $3, $tz)"));
  registry.AddScalar("timestampdiff", Template("spark_timestampdiff($1, $2, $3, $tz)"));
  registry.AddScalar("make_date", Strictness("spark_make_date"));
  registry.AddScalar("make_timestamp_ntz", Strictness("spark_make_timestamp_ntz"));
  // The zone is the last argument, or the session's.
  registry.AddScalar("make_timestamp", Build([](LoweringContext& context, const CallExpression& call,
                                                LoweredArguments arguments) -> Result<LoweredExpression> {
                       if (arguments.size() == 6)
                         arguments.push_back(ConstantOf(duckdb::Value(context.settings().time_zone)));
                       arguments.push_back(ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi)));
                       return CallOf("spark_make_timestamp", std::move(arguments));
                     }));
  registry.AddScalar("make_timestamp_of_date", Build([](LoweringContext& context, const CallExpression&,
                                                        LoweredArguments arguments) -> Result<LoweredExpression> {
                       if (arguments.size() == 1)
                         arguments.push_back(ConstantOf(duckdb::Value::TIME(duckdb::dtime_t(0))));
                       if (arguments.size() == 2)
                         arguments.push_back(ConstantOf(duckdb::Value(context.settings().time_zone)));
                       return CallOf("spark_make_timestamp_of_date", std::move(arguments));
                     }));
  registry.AddScalar("make_timestamp_ntz_of_date", Direct("spark_make_timestamp_ntz_of_date"));
  registry.AddScalar("timestamp_seconds", Build([](LoweringContext&, const CallExpression& call,
                                                   LoweredArguments arguments) -> Result<LoweredExpression> {
                       const DataType& type = *call.arguments[0]->type;
                       const auto target = type.IsIntegral()               ? LogicalType::BIGINT
                                           : type.id() == TypeId::kDecimal ? LogicalType::DECIMAL(38, 6)
                                                                           : LogicalType::DOUBLE;
                       return CallOf("spark_timestamp_seconds", CastOf(std::move(arguments[0]), target));
                     }));
}

}  // namespace frazil::engine
