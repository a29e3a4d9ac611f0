#include <charconv>
#include <cmath>
#include <limits>

#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"
#include "frazil/types/interval.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::string_t;
using duckdb::UnaryExecutor;
using duckdb::ValidityMask;
using duckdb::Vector;

std::string_view ViewOf(const string_t& text) { return {text.GetData(), text.GetSize()}; }

// A cast by a parser that yields nothing for malformed text: an error under ANSI, else NULL.
template <typename To, typename Parse>
VectorCast Parsed(std::string target_sql, EvalMode mode, Parse parse) {
  return [target_sql = std::move(target_sql), mode, parse](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::ExecuteWithNulls<string_t, To>(source, target, count,
                                                  [&](string_t text, ValidityMask& mask, idx_t row) -> To {
                                                    const auto result = parse(ViewOf(text));
                                                    if (result.has_value()) return static_cast<To>(*result);
                                                    if (mode == EvalMode::kAnsi)
                                                      ThrowCastInvalidInput(ViewOf(text), target_sql);
                                                    mask.SetInvalid(row);
                                                    return To{};
                                                  });
  };
}

std::optional<bool> ParseBoolean(std::string_view text) {
  const std::string word = AsciiLower(TrimControls(text));
  if (word == "t" || word == "true" || word == "y" || word == "yes" || word == "1") return true;
  if (word == "f" || word == "false" || word == "n" || word == "no" || word == "0") return false;
  return std::nullopt;
}

// [+-]digits; `allow_fraction`: a point and digits behind it are cut off (Spark without ANSI).
template <typename To>
std::optional<To> ParseInteger(std::string_view text, bool allow_fraction) {
  std::string_view rest = TrimControls(text);
  if (rest.empty()) return std::nullopt;
  const bool negative = rest[0] == '-';
  if (rest[0] == '-' || rest[0] == '+') rest.remove_prefix(1);
  if (rest.empty()) return std::nullopt;
  int128 value = 0;
  const int128 limit = negative ? -static_cast<int128>(std::numeric_limits<To>::min())
                                : static_cast<int128>(std::numeric_limits<To>::max());
  size_t at = 0;
  for (; at < rest.size() && rest[at] != '.'; ++at) {
    if (rest[at] < '0' || rest[at] > '9') return std::nullopt;
    value = value * 10 + (rest[at] - '0');
    if (value > limit) return std::nullopt;
  }
  if (at < rest.size()) {
    if (!allow_fraction) return std::nullopt;
    for (++at; at < rest.size(); ++at) {
      if (rest[at] < '0' || rest[at] > '9') return std::nullopt;
    }
  }
  return static_cast<To>(negative ? -value : value);
}

// What Java's parseDouble takes (a suffix d or f included), and Spark's words for NaN and the infinities in any case.
template <typename To>
std::optional<To> ParseFloat(std::string_view text) {
  std::string_view rest = TrimControls(text);
  if (rest.empty()) return std::nullopt;
  const bool has_sign = rest.size() > 1 && (rest[0] == '-' || rest[0] == '+');
  const char initial = rest[has_sign ? 1 : 0];
  // Only words begin with a letter.
  const std::string word = initial >= 'A' ? AsciiLower(rest) : std::string();
  if (word == "inf" || word == "+inf" || word == "infinity" || word == "+infinity")
    return std::numeric_limits<To>::infinity();
  if (word == "-inf" || word == "-infinity") return -std::numeric_limits<To>::infinity();
  if (word == "nan") return std::numeric_limits<To>::quiet_NaN();
  const char last = rest.back();
  if (last == 'd' || last == 'D' || last == 'f' || last == 'F') rest.remove_suffix(1);
  if (!rest.empty() && rest[0] == '+') {
    rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) return std::nullopt;
  }
  if (rest.empty()) return std::nullopt;
  const char first = rest[0] == '-' && rest.size() > 1 ? rest[1] : rest[0];
  if ((first < '0' || first > '9') && first != '.') return std::nullopt;  // from_chars also reads "inf" and "nan".
  To value = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (result.ptr != rest.data() + rest.size()) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    // Too small gives zero, too large an infinity; the exponent's sign tells them apart.
    const double wide = std::strtod(std::string(rest).c_str(), nullptr);
    return static_cast<To>(wide);
  }
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

VectorCast ToDecimal(const DataType& to, EvalMode mode) {
  const DecimalShape shape = ShapeOf(to);
  return [shape, mode, sql = to.Sql()](Vector& source, Vector& target, idx_t count) {
    WithDecimalStorage(target.GetType(), [&](auto storage) {
      using To = decltype(storage);
      UnaryExecutor::ExecuteWithNulls<string_t, To>(
          source, target, count, [&](string_t text, ValidityMask& mask, idx_t row) -> To {
            const auto cast = CastStringToDecimal(ViewOf(text), shape);
            if (cast.outcome == DecimalCast::Outcome::kValue) return NarrowTo<To>(cast.unscaled);
            if (mode == EvalMode::kAnsi) {
              const std::string trimmed(TrimControls(ViewOf(text)));
              switch (cast.outcome) {
                case DecimalCast::Outcome::kMalformed:
                  ThrowCastInvalidInput(ViewOf(text), sql);
                case DecimalCast::Outcome::kOverflow:
                  ThrowNumericValueOutOfRange(trimmed, shape.precision, shape.scale);
                case DecimalCast::Outcome::kOutOfRange:
                  ThrowSparkError("NUMERIC_OUT_OF_SUPPORTED_RANGE", {{"value", trimmed}});
                case DecimalCast::Outcome::kValue:
                  break;
              }
            }
            mask.SetInvalid(row);
            return To{};
          });
    });
  };
}

// Interval texts: malformed ones are an error under ANSI, whose condition the parser knows.
template <typename To, typename Parse>
VectorCast ToInterval(EvalMode mode, Parse parse) {
  return [mode, parse](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::ExecuteWithNulls<string_t, To>(source, target, count,
                                                  [&](string_t text, ValidityMask& mask, idx_t row) -> To {
                                                    auto result = parse(TrimControls(ViewOf(text)));
                                                    if (result.ok()) return *result;
                                                    if (mode == EvalMode::kAnsi) ThrowSparkError(result.error());
                                                    mask.SetInvalid(row);
                                                    return To{};
                                                  });
  };
}

Result<duckdb::interval_t> CalendarInterval(std::string_view text) {
  FRAZIL_ASSIGN_OR_RETURN(const auto value, ParseCalendarInterval(text));
  duckdb::interval_t result;
  result.months = value.months;
  result.days = value.days;
  result.micros = value.micros;
  return result;
}

}  // namespace

VectorCast MakeFromStringCast(const DataTypePtr& from, const DataTypePtr& to, const CastSettings& settings) {
  const EvalMode mode = settings.mode;
  const std::string sql = to->Sql();
  const bool fraction = mode != EvalMode::kAnsi && mode != EvalMode::kTry;
  switch (to->id()) {
    case TypeId::kBoolean:
      return [mode](Vector& source, Vector& target, idx_t count) {
        UnaryExecutor::ExecuteWithNulls<string_t, bool>(source, target, count,
                                                        [&](string_t text, ValidityMask& mask, idx_t row) {
                                                          const auto result = ParseBoolean(ViewOf(text));
                                                          if (result.has_value()) return *result;
                                                          if (mode == EvalMode::kAnsi)
                                                            ThrowCastInvalidInput(ViewOf(text), "BOOLEAN");
                                                          mask.SetInvalid(row);
                                                          return false;
                                                        });
      };
    case TypeId::kByte:
      return Parsed<int8_t>(sql, mode,
                            [fraction](std::string_view text) { return ParseInteger<int8_t>(text, fraction); });
    case TypeId::kShort:
      return Parsed<int16_t>(sql, mode,
                             [fraction](std::string_view text) { return ParseInteger<int16_t>(text, fraction); });
    case TypeId::kInteger:
      return Parsed<int32_t>(sql, mode,
                             [fraction](std::string_view text) { return ParseInteger<int32_t>(text, fraction); });
    case TypeId::kLong:
      return Parsed<int64_t>(sql, mode,
                             [fraction](std::string_view text) { return ParseInteger<int64_t>(text, fraction); });
    case TypeId::kFloat:
      return Parsed<float>(sql, mode, [](std::string_view text) { return ParseFloat<float>(text); });
    case TypeId::kDouble:
      return Parsed<double>(sql, mode, [](std::string_view text) { return ParseFloat<double>(text); });
    case TypeId::kDecimal:
      return ToDecimal(*to, mode);
    case TypeId::kDate:
      return Parsed<duckdb::date_t>(sql, mode, [](std::string_view text) { return ParseDate(TrimControls(text)); });
    case TypeId::kTimestamp:
      return Parsed<duckdb::timestamp_t>(sql, mode, [zone = settings.zone](std::string_view text) {
        return ParseTimestamp(TrimControls(text), *zone);
      });
    case TypeId::kTimestampNtz:
      return Parsed<duckdb::timestamp_t>(sql, mode,
                                         [](std::string_view text) { return ParseTimestampNtz(TrimControls(text)); });
    case TypeId::kTime: {
      int64_t unit = 1;
      for (int i = to->time_precision(); i < 6; ++i) unit *= 10;
      return Parsed<duckdb::dtime_t>(sql, mode, [unit](std::string_view text) {
        auto micros = ParseTime(TrimControls(text));
        if (micros) *micros -= *micros % unit;
        return micros;
      });
    }
    case TypeId::kYearMonthInterval:
      return ToInterval<int32_t>(mode, [to](std::string_view text) {
        return ParseYearMonthInterval(text, to->start_field(), to->end_field());
      });
    case TypeId::kDayTimeInterval:
      return ToInterval<int64_t>(
          mode, [to](std::string_view text) { return ParseDayTimeInterval(text, to->start_field(), to->end_field()); });
    case TypeId::kCalendarInterval:
      return ToInterval<duckdb::interval_t>(EvalMode::kLegacy, CalendarInterval);
    case TypeId::kBinary:
      return [](Vector& source, Vector& target, idx_t count) {
        UnaryExecutor::Execute<string_t, string_t>(
            source, target, count, [&](string_t text) { return duckdb::StringVector::AddStringOrBlob(target, text); });
      };
    default:
      break;
  }
  (void)from;
  return {};
}

}  // namespace frazil::engine
