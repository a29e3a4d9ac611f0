// Dates and timestamps from and to text by patterns.

#include "frazil/engine/functions/datetime_pattern.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/text_kernel.h"
#include "frazil/engine/functions/zones.h"
#include "frazil/types/calendar.h"
#include "frazil/types/datetime.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

[[noreturn]] void ThrowUnparsed(std::string_view text, const char* alternative) {
  ThrowSparkError(
      "CANNOT_PARSE_TIMESTAMP",
      {{"func", alternative}, {"message", "Text '" + std::string(text) + "' could not be parsed at index 0"}});
}

// Days beyond the range of microseconds are an error in every mode.
std::optional<DatetimePattern::Parsed> ParseInRange(std::string_view text, std::string_view pattern) {
  bool overflows = false;
  auto parsed = DatetimePattern::Of(pattern).Parse(text, &overflows);
  if (overflows) ThrowSparkError(Error::Plain(ExceptionClass::kArithmetic, "long overflow"));
  return parsed;
}

std::optional<int64_t> ParseBy(std::string_view text, std::string_view pattern, std::string_view zone, bool strict,
                               const char* alternative) {
  const auto parsed = ParseInRange(text, pattern);
  if (!parsed.has_value()) {
    if (strict) ThrowUnparsed(text, alternative);
    return std::nullopt;
  }
  return parsed->utc_micros.has_value() ? *parsed->utc_micros : ZoneNamed(zone).ToUtcMicros(parsed->local_micros);
}

std::optional<int64_t> ParseTimestampBy(std::string_view text, std::string_view pattern, std::string_view zone,
                                        bool strict) {
  return ParseBy(text, pattern, zone, strict, "`try_to_timestamp`");
}

// The same for dates, which are cast from it.
std::optional<int64_t> ParseDateBy(std::string_view text, std::string_view pattern, std::string_view zone,
                                   bool strict) {
  return ParseBy(text, pattern, zone, strict, "`try_to_date`");
}

std::optional<int64_t> ParseTimestampNtzBy(std::string_view text, std::string_view pattern, bool strict) {
  const auto parsed = ParseInRange(text, pattern);
  // A zone in the text has no place here.
  if (!parsed.has_value() || parsed->utc_micros.has_value()) {
    if (strict) ThrowUnparsed(text, "`try_to_timestamp`");
    return std::nullopt;
  }
  return parsed->local_micros;
}

void FormatTimestampBy(std::string& out, int64_t micros, std::string_view pattern, std::string_view zone_name) {
  const TimeZone& zone = ZoneNamed(zone_name);
  DatetimePattern::Of(pattern).Append(zone.ToLocalMicros(micros), micros, zone, &out);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, L = LogicalType::BIGINT, Boolean = LogicalType::BOOLEAN;
  const auto Z = LogicalType::TIMESTAMP_TZ;
  AddRowKernel(loader, "spark_parse_timestamp", {V, V, V, Boolean}, Z, &ParseTimestampBy, kFallible);
  AddRowKernel(loader, "spark_parse_date", {V, V, V, Boolean}, Z, &ParseDateBy, kFallible);
  AddRowKernel(loader, "spark_parse_timestamp_ntz", {V, V, Boolean}, LogicalType::TIMESTAMP, &ParseTimestampNtzBy,
               kFallible);
  AddRowKernel(
      loader, "spark_parse_time", {V, V, Boolean}, LogicalType::TIME,
      [](std::string_view text, std::string_view pattern, bool strict) -> std::optional<int64_t> {
        const auto parsed = DatetimePattern::Of(pattern).Parse(text);
        if (!parsed.has_value()) {
          if (strict)
            ThrowSparkError("CANNOT_PARSE_TIME",
                            {{"input", "'" + std::string(text) + "'"}, {"format", "'" + std::string(pattern) + "'"}});
          return std::nullopt;
        }
        return FloorModulo(parsed->local_micros, kMicrosPerDay);
      },
      kFallible);
  AddRowKernel(
      loader, "spark_read_time", {V, Boolean}, LogicalType::TIME,
      [](std::string_view text, bool strict) -> std::optional<int64_t> {
        const auto micros = ParseTime(text);
        if (!micros.has_value() && strict)
          ThrowSparkError("CANNOT_PARSE_TIME",
                          {{"input", "'" + std::string(text) + "'"}, {"format", "'HH:mm:ss.SSSSSS'"}});
        return micros;
      },
      kFallible);
  AddRowKernel(loader, "spark_date_format", {Z, V, V}, V, &FormatTimestampBy, kFallible);
  AddRowKernel(
      loader, "spark_date_format", {LogicalType::TIME, V, V}, V,
      [](int64_t micros, std::string_view pattern, std::string_view) -> std::string {
        return DatetimePattern::Of(pattern).Format(micros, micros, *TimeZone::Utc());
      },
      kFallible);
  AddRowKernel(
      loader, "spark_from_unixtime", {L, V, V}, V,
      [](std::string& out, int64_t seconds, std::string_view pattern, std::string_view zone) -> void {
        int64_t micros = 0;
        if (__builtin_mul_overflow(seconds, kMicrosPerSecond, &micros))
          micros = static_cast<int64_t>(static_cast<uint64_t>(seconds) * kMicrosPerSecond);
        FormatTimestampBy(out, micros, pattern, zone);
      },
      kFallible);
}

}  // namespace

void RegisterDatetimePatternFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("parse_timestamp", NullOrError(Template("spark_parse_timestamp($1, $2, $tz, false)"),
                                                    Template("spark_parse_timestamp($1, $2, $tz, true)")));
  registry.AddScalar("parse_date", NullOrError(Template("spark_parse_date($1, $2, $tz, false)"),
                                               Template("spark_parse_date($1, $2, $tz, true)")));
  registry.AddScalar("parse_timestamp_ntz", Strictness("spark_parse_timestamp_ntz"));
  // Without a pattern a time is read as a cast reads it.
  registry.AddScalar(
      "parse_time",
      Build([](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        const bool strict = call.mode == EvalMode::kAnsi;
        if (arguments.size() == 1)
          return CallOf("spark_read_time", std::move(arguments[0]), ConstantOf(duckdb::Value::BOOLEAN(strict)));
        arguments.push_back(ConstantOf(duckdb::Value::BOOLEAN(strict)));
        return CallOf("spark_parse_time", std::move(arguments));
      }));
  registry.AddScalar("date_format", Template("spark_date_format($1, $2, $tz)"));
  registry.AddScalar("from_unixtime", Template("spark_from_unixtime($1, $2, $tz)"));
}

}  // namespace frazil::engine
