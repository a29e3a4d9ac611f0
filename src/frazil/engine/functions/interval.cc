// Intervals: arithmetic, parts, and adding them to dates and timestamps.

#include <cmath>

#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/zones.h"
#include "frazil/types/calendar.h"

namespace frazil::engine {
namespace {

using duckdb::interval_t;
using duckdb::LogicalType;

[[noreturn]] void ThrowIntervalOverflow(const char* alternative) {
  if (alternative[0] == '\0') ThrowSparkError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION");
  ThrowSparkError("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
                  {{"functionName", std::string("`") + alternative + "`"}});
}
[[noreturn]] void ThrowDatetimeOverflow(const std::string& operation) {
  ThrowSparkError("DATETIME_OVERFLOW", {{"operation", operation}});
}

// --- arithmetic of intervals
// ------------------------------------------------------------------------------------------------------------------------------

template <typename T>
std::optional<T> Fit(__int128 value, bool strict, const char* alternative) {
  if (value > std::numeric_limits<T>::max() || value < std::numeric_limits<T>::min()) {
    if (strict) ThrowIntervalOverflow(alternative);
    return std::nullopt;
  }
  return static_cast<T>(value);
}

std::optional<interval_t> FitInterval(__int128 months, __int128 days, __int128 micros, bool strict,
                                      const char* alternative) {
  const auto m = Fit<int32_t>(months, strict, alternative);
  const auto d = Fit<int32_t>(days, strict, alternative);
  const auto u = Fit<int64_t>(micros, strict, alternative);
  if (!m.has_value() || !d.has_value() || !u.has_value()) return std::nullopt;
  return interval_t{*m, *d, *u};
}

template <typename T>
void AddPlainKernels(duckdb::ExtensionLoader& loader, const LogicalType& type) {
  const auto L = LogicalType::BIGINT, D = LogicalType::DOUBLE, Boolean = LogicalType::BOOLEAN;
  AddRowKernel(
      loader, "spark_interval_add", {type, type, Boolean}, type,
      [](T left, T right, bool strict) { return Fit<T>(static_cast<__int128>(left) + right, strict, "try_add"); },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_subtract", {type, type, Boolean}, type,
      [](T left, T right, bool strict) { return Fit<T>(static_cast<__int128>(left) - right, strict, "try_subtract"); },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_negative", {type, Boolean}, type,
      [](T value, bool strict) { return Fit<T>(-static_cast<__int128>(value), strict, ""); }, kFallible);
  AddRowKernel(
      loader, "spark_interval_abs", {type, Boolean}, type,
      [](T value, bool strict) { return Fit<T>(value < 0 ? -static_cast<__int128>(value) : value, strict, ""); },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_multiply", {type, L, Boolean}, type,
      [](T value, int64_t factor, bool strict) {
        return Fit<T>(static_cast<__int128>(value) * factor, strict, "try_multiply");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_multiply", {type, D, Boolean}, type,
      [](T value, double factor, bool strict) -> std::optional<T> {
        const double product = static_cast<double>(value) * factor;
        if (!(std::fabs(product) < 1e19)) {
          if (strict) ThrowIntervalOverflow("");
          return std::nullopt;
        }
        return Fit<T>(static_cast<__int128>(std::round(product)), strict, "");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_divide", {type, L, Boolean}, type,
      [](T value, int64_t divisor, bool strict) -> std::optional<T> {
        if (divisor == 0) {
          if (strict) ThrowSparkError("INTERVAL_DIVIDED_BY_ZERO");
          return std::nullopt;
        }
        const __int128 quotient = static_cast<__int128>(value) / divisor;
        const __int128 rest = static_cast<__int128>(value) % divisor;
        const __int128 twice = (rest < 0 ? -rest : rest) * 2,
                       size = divisor < 0 ? -static_cast<__int128>(divisor) : divisor;
        const int sign = (value < 0) != (divisor < 0) ? -1 : 1;
        return Fit<T>(twice >= size ? quotient + sign : quotient, strict, "try_divide");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_divide", {type, D, Boolean}, type,
      [](T value, double divisor, bool strict) -> std::optional<T> {
        if (divisor == 0) {
          if (strict) ThrowSparkError("INTERVAL_DIVIDED_BY_ZERO");
          return std::nullopt;
        }
        const double quotient = static_cast<double>(value) / divisor;
        if (!(std::fabs(quotient) < 1e19)) {
          if (strict) ThrowIntervalOverflow("");
          return std::nullopt;
        }
        return Fit<T>(static_cast<__int128>(std::round(quotient)), strict, "");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_div", {type, type, Boolean}, L,
      [](T value, T divisor, bool strict) -> std::optional<int64_t> {
        if (divisor == 0) {
          if (strict) ThrowSparkError("INTERVAL_DIVIDED_BY_ZERO");
          return std::nullopt;
        }
        return Fit<int64_t>(static_cast<__int128>(value) / divisor, strict, "");
      },
      kFallible);
}

// Fractions of months are cut off, those of days become time.
std::optional<interval_t> FromFractions(double months, double days, double micros, bool strict) {
  if (!(std::fabs(months) < 1e10) || !(std::fabs(days) < 1e10)) {
    if (strict) ThrowIntervalOverflow("");
    return std::nullopt;
  }
  const auto whole_months = static_cast<int64_t>(months), whole_days = static_cast<int64_t>(days);
  const double all_micros = micros + static_cast<double>(kMicrosPerDay) * (days - static_cast<double>(whole_days));
  if (!(std::fabs(all_micros) < 1e19)) {
    if (strict) ThrowIntervalOverflow("");
    return std::nullopt;
  }
  return FitInterval(whole_months, whole_days, static_cast<__int128>(std::round(all_micros)), strict, "");
}

void AddCalendarKernels(duckdb::ExtensionLoader& loader) {
  const auto C = LogicalType::INTERVAL, D = LogicalType::DOUBLE, Boolean = LogicalType::BOOLEAN;
  AddRowKernel(
      loader, "spark_interval_add", {C, C, Boolean}, C,
      [](interval_t a, interval_t b, bool strict) {
        return FitInterval(static_cast<__int128>(a.months) + b.months, static_cast<__int128>(a.days) + b.days,
                           static_cast<__int128>(a.micros) + b.micros, strict, "try_add");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_subtract", {C, C, Boolean}, C,
      [](interval_t a, interval_t b, bool strict) {
        return FitInterval(static_cast<__int128>(a.months) - b.months, static_cast<__int128>(a.days) - b.days,
                           static_cast<__int128>(a.micros) - b.micros, strict, "try_subtract");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_negative", {C, Boolean}, C,
      [](interval_t a, bool strict) {
        return FitInterval(-static_cast<__int128>(a.months), -static_cast<__int128>(a.days),
                           -static_cast<__int128>(a.micros), strict, "");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_multiply", {C, D, Boolean}, C,
      [](interval_t a, double x, bool strict) {
        return FromFractions(a.months * x, a.days * x, static_cast<double>(a.micros) * x, strict);
      },
      kFallible);
  AddRowKernel(
      loader, "spark_interval_divide", {C, D, Boolean}, C,
      [](interval_t a, double x, bool strict) -> std::optional<interval_t> {
        if (x == 0) {
          if (strict) ThrowSparkError("INTERVAL_DIVIDED_BY_ZERO");
          return std::nullopt;
        }
        return FromFractions(a.months / x, a.days / x, static_cast<double>(a.micros) / x, strict);
      },
      kFallible);
}

// --- parts
// ----------------------------------------------------------------------------------------------------------------------------------------------------

void AddPartKernels(duckdb::ExtensionLoader& loader) {
  const auto C = LogicalType::INTERVAL, I = LogicalType::INTEGER, L = LogicalType::BIGINT, B = LogicalType::TINYINT;
  const LogicalType S = LogicalType::DECIMAL(8, 6);
  AddRowKernel(loader, "spark_interval_part_year", {I}, I, [](int32_t months) -> int32_t { return months / 12; });
  AddRowKernel(loader, "spark_interval_part_month", {I}, B,
               [](int32_t months) -> int8_t { return static_cast<int8_t>(months % 12); });
  AddRowKernel(loader, "spark_interval_part_year", {C}, I,
               [](interval_t value) -> int32_t { return value.months / 12; });
  AddRowKernel(loader, "spark_interval_part_month", {C}, B,
               [](interval_t value) -> int8_t { return static_cast<int8_t>(value.months % 12); });
  AddRowKernel(loader, "spark_interval_part_day", {L}, I,
               [](int64_t micros) -> int32_t { return static_cast<int32_t>(micros / kMicrosPerDay); });
  AddRowKernel(loader, "spark_interval_part_day", {C}, I, [](interval_t value) -> int32_t { return value.days; });
  const auto hour = [](int64_t micros) -> int8_t {
    return static_cast<int8_t>(micros % kMicrosPerDay / kMicrosPerHour);
  };
  const auto minute = [](int64_t micros) -> int8_t {
    return static_cast<int8_t>(micros % kMicrosPerHour / kMicrosPerMinute);
  };
  const auto second = [](int64_t micros) -> int32_t { return static_cast<int32_t>(micros % kMicrosPerMinute); };
  AddRowKernel(loader, "spark_interval_part_hour", {L}, B, hour);
  AddRowKernel(loader, "spark_interval_part_minute", {L}, B, minute);
  AddRowKernel(loader, "spark_interval_part_second", {L}, S, second);
  AddRowKernel(loader, "spark_interval_part_hour", {C}, B,
               [hour](interval_t value) -> int8_t { return hour(value.micros); });
  AddRowKernel(loader, "spark_interval_part_minute", {C}, B,
               [minute](interval_t value) -> int8_t { return minute(value.micros); });
  AddRowKernel(loader, "spark_interval_part_second", {C}, S,
               [second](interval_t value) -> int32_t { return second(value.micros); });
}

// --- dates and timestamps
// -----------------------------------------------------------------------------------------------------------------------------------

int32_t AddMonthsToDate(int32_t days, int32_t months) {
  const int64_t result = AddMonths(days, months);
  if (result > INT32_MAX || result < INT32_MIN) ThrowArithmeticOverflow("integer overflow");
  return static_cast<int32_t>(result);
}

int64_t MoveLocal(int64_t micros, int64_t months, int64_t days, int64_t exact, const TimeZone& zone) {
  int64_t moved = micros;
  if (months != 0 || days != 0) {
    const int64_t local = zone.ToLocalMicros(micros);
    int64_t date = FloorDivide(local, kMicrosPerDay);
    const int64_t rest = local - date * kMicrosPerDay;
    if (months != 0) date = AddMonths(date, months);
    const __int128 result = (static_cast<__int128>(date) + days) * kMicrosPerDay + rest;
    if (result > INT64_MAX || result < INT64_MIN) ThrowArithmeticOverflow("long overflow");
    moved = zone.ToUtcMicros(static_cast<int64_t>(result));
  }
  int64_t sum = 0;
  if (__builtin_add_overflow(moved, exact, &sum)) ThrowArithmeticOverflow("long overflow");
  return sum;
}

std::optional<int32_t> AddIntervalToDate(int32_t days, interval_t interval, bool strict) {
  if (strict && interval.micros != 0) {
    ThrowSparkError(Error::Of(ExceptionClass::kIllegalArgument, "INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION",
                              {{"ansiConfig", "\"spark.sql.ansi.enabled\""}}));
  }
  int64_t result = AddMonths(days, interval.months) + interval.days;
  if (!strict && interval.micros != 0) {
    // The time of day moves from midnight on.
    result += FloorDivide(interval.micros, kMicrosPerDay);
  }
  if (result > INT32_MAX || result < INT32_MIN) ThrowArithmeticOverflow("integer overflow");
  return static_cast<int32_t>(result);
}

void AddDatetimeKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, I = LogicalType::INTEGER, L = LogicalType::BIGINT, C = LogicalType::INTERVAL,
             Boolean = LogicalType::BOOLEAN;
  const auto Z = LogicalType::TIMESTAMP_TZ, N = LogicalType::TIMESTAMP, Date = LogicalType::DATE,
             Time = LogicalType::TIME;
  AddRowKernel(loader, "spark_date_add_months", {Date, I}, Date, &AddMonthsToDate, kFallible);
  AddRowKernel(loader, "spark_date_add_interval", {Date, C, Boolean}, Date, &AddIntervalToDate, kFallible);
  AddRowKernel(
      loader, "spark_timestamp_add_months", {Z, I, V}, Z,
      [](int64_t micros, int32_t months, std::string_view zone) -> int64_t {
        return MoveLocal(micros, months, 0, 0, ZoneNamed(zone));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_add_months", {N, I, V}, N,
      [](int64_t micros, int32_t months, std::string_view) -> int64_t {
        return MoveLocal(micros, months, 0, 0, *TimeZone::Utc());
      },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_add_interval", {Z, L, V}, Z,
      [](int64_t micros, int64_t interval, std::string_view zone) -> int64_t {
        const int64_t days = interval / kMicrosPerDay;
        return MoveLocal(micros, 0, days, interval - days * kMicrosPerDay, ZoneNamed(zone));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_add_interval", {N, L, V}, N,
      [](int64_t micros, int64_t interval, std::string_view) -> int64_t {
        return MoveLocal(micros, 0, 0, interval, *TimeZone::Utc());
      },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_add_interval", {Z, C, V}, Z,
      [](int64_t micros, interval_t interval, std::string_view zone) -> int64_t {
        return MoveLocal(micros, interval.months, interval.days, interval.micros, ZoneNamed(zone));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_timestamp_add_interval", {N, C, V}, N,
      [](int64_t micros, interval_t interval, std::string_view) -> int64_t {
        return MoveLocal(micros, interval.months, interval.days, interval.micros, *TimeZone::Utc());
      },
      kFallible);
  AddRowKernel(
      loader, "spark_time_add_interval", {Time, L, Boolean}, Time,
      [](int64_t time, int64_t interval, bool strict) -> std::optional<int64_t> {
        const __int128 sum = static_cast<__int128>(time) + interval;
        if (sum < 0 || sum >= kMicrosPerDay) {
          if (strict) ThrowDatetimeOverflow("add an interval to a time");
          return std::nullopt;
        }
        return static_cast<int64_t>(sum);
      },
      kFallible);
  AddRowKernel(loader, "spark_interval_days", {L}, I,
               [](int64_t micros) -> int32_t { return static_cast<int32_t>(micros / kMicrosPerDay); });
  AddRowKernel(loader, "spark_subtract_dates", {Date, Date}, L, [](int32_t end, int32_t start) -> int64_t {
    return (static_cast<int64_t>(end) - start) * kMicrosPerDay;
  });
  AddRowKernel(loader, "spark_subtract_times", {Time, Time}, L,
               [](int64_t end, int64_t start) -> int64_t { return end - start; });
  const auto difference = [](int64_t end, int64_t start) -> int64_t {
    int64_t result = 0;
    if (__builtin_sub_overflow(end, start, &result)) ThrowArithmeticOverflow("long overflow");
    return result;
  };
  AddRowKernel(
      loader, "spark_subtract_timestamps", {Z, Z, V}, L,
      [difference](int64_t end, int64_t start, std::string_view zone_name) -> int64_t {
        const TimeZone& zone = ZoneNamed(zone_name);
        return difference(zone.ToLocalMicros(end), zone.ToLocalMicros(start));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_subtract_timestamps", {N, N, V}, L,
      [difference](int64_t end, int64_t start, std::string_view) -> int64_t { return difference(end, start); },
      kFallible);
}

// --- making
// -----------------------------------------------------------------------------------------------------------------------------------------------------

std::optional<interval_t> MakeInterval(int32_t years, int32_t months, int32_t weeks, int32_t days, int32_t hours,
                                       int32_t minutes, int64_t seconds, bool strict) {
  const __int128 all_months = static_cast<__int128>(years) * 12 + months;
  const __int128 all_days = static_cast<__int128>(weeks) * 7 + days;
  const __int128 micros =
      static_cast<__int128>(hours) * kMicrosPerHour + static_cast<__int128>(minutes) * kMicrosPerMinute + seconds;
  // Java's exact arithmetic, in its order: months, days, microseconds.
  const bool fits = FitInterval(all_months, all_days, 0, false, "").has_value();
  if (strict && !fits) ThrowArithmeticOverflow("integer overflow");
  if (strict && !FitInterval(0, 0, micros, false, "")) ThrowArithmeticOverflow("long overflow");
  return FitInterval(all_months, all_days, micros, false, "");
}

void AddMakingKernels(duckdb::ExtensionLoader& loader) {
  const auto I = LogicalType::INTEGER, L = LogicalType::BIGINT, Boolean = LogicalType::BOOLEAN;
  const LogicalType S = LogicalType::DECIMAL(18, 6);
  AddRowKernel(loader, "spark_make_interval", {I, I, I, I, I, I, S, Boolean}, LogicalType::INTERVAL, &MakeInterval,
               kFallible);
  AddRowKernel(
      loader, "spark_make_dt_interval", {I, I, I, S}, L,
      [](int32_t days, int32_t hours, int32_t minutes, int64_t seconds) -> int64_t {
        return *Fit<int64_t>(static_cast<__int128>(days) * kMicrosPerDay +
                                 static_cast<__int128>(hours) * kMicrosPerHour +
                                 static_cast<__int128>(minutes) * kMicrosPerMinute + seconds,
                             true, "");
      },
      kFallible);
  AddRowKernel(
      loader, "spark_make_ym_interval", {I, I}, I,
      [](int32_t years, int32_t months) -> int32_t {
        return *Fit<int32_t>(static_cast<__int128>(years) * 12 + months, true, "");
      },
      kFallible);
}

// The factor as BIGINT or DOUBLE; intervals of months and days overflow with an error under any setting but try.
Implementation Scale(std::string kernel) {
  return Build(
      [kernel](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        const bool calendar = call.arguments[0]->type->id() == TypeId::kCalendarInterval;
        const bool integral = call.arguments[1]->type->IsIntegral() && !calendar;
        arguments[1] = CastOf(std::move(arguments[1]), integral ? LogicalType::BIGINT : LogicalType::DOUBLE);
        const bool strict = call.mode == EvalMode::kAnsi || (call.mode == EvalMode::kLegacy && !calendar);
        arguments.push_back(ConstantOf(duckdb::Value::BOOLEAN(strict)));
        return CallOf(kernel, std::move(arguments));
      });
}

ImplementationByMode Checked(const std::string& kernel) {
  return ByMode(Template(kernel + "($args, true)"), Template(kernel + "($args, true)"),
                Template(kernel + "($args, false)"));
}

}  // namespace

void RegisterIntervalFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels([](duckdb::ExtensionLoader& loader) {
    AddPlainKernels<int32_t>(loader, LogicalType::INTEGER);
    AddPlainKernels<int64_t>(loader, LogicalType::BIGINT);
  });
  registry.AddKernels(AddCalendarKernels);
  registry.AddKernels(AddPartKernels);
  registry.AddKernels(AddDatetimeKernels);
  registry.AddKernels(AddMakingKernels);
  for (const char* name :
       {"interval_add", "interval_subtract", "interval_negative", "interval_abs", "interval_div", "time_add_interval"})
    registry.AddScalar(name, Checked(std::string("spark_") + name));
  registry.AddScalar("interval_multiply", Scale("spark_interval_multiply"));
  registry.AddScalar("interval_divide", Scale("spark_interval_divide"));
  for (const char* name : {"interval_part_year", "interval_part_month", "interval_part_day", "interval_part_hour",
                           "interval_part_minute", "interval_part_second", "interval_days", "subtract_dates",
                           "subtract_times", "date_add_months", "make_dt_interval", "make_ym_interval"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
  registry.AddScalar("date_add_interval", Strictness("spark_date_add_interval"));
  for (const char* name : {"timestamp_add_months", "timestamp_add_interval", "subtract_timestamps"})
    registry.AddScalar(name, Template(std::string("spark_") + name + "($1, $2, $tz)"));
  registry.AddScalar("make_interval", Strictness("spark_make_interval"));
}

}  // namespace frazil::engine
