#include <cmath>
#include <limits>

#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/types/calendar.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"
#include "frazil/types/float_text.h"

namespace frazil::engine {
namespace {

using duckdb::date_t;
using duckdb::dtime_t;
using duckdb::idx_t;
using duckdb::timestamp_t;
using duckdb::UnaryExecutor;
using duckdb::ValidityMask;
using duckdb::Vector;

template <typename From, typename To, typename Convert>
VectorCast Mapped(Convert convert) {
  return [convert](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::Execute<From, To>(source, target, count, [&](From value) -> To { return convert(value); });
  };
}

// Conversion that may have no result: NULL.
template <typename From, typename To, typename Convert>
VectorCast MappedOrNull(Convert convert) {
  return [convert](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::ExecuteWithNulls<From, To>(source, target, count,
                                              [&](From value, ValidityMask& mask, idx_t row) -> To {
                                                const std::optional<To> result = convert(value);
                                                if (!result.has_value()) {
                                                  mask.SetInvalid(row);
                                                  return To{};
                                                }
                                                return *result;
                                              });
  };
}

// As java.util.concurrent.TimeUnit: what does not fit ends at the range's end.
int64_t SecondsToMicros(int64_t seconds) {
  constexpr int64_t kLimit = std::numeric_limits<int64_t>::max() / kMicrosPerSecond;
  if (seconds > kLimit) return std::numeric_limits<int64_t>::max();
  if (seconds < -kLimit) return std::numeric_limits<int64_t>::min();
  return seconds * kMicrosPerSecond;
}

template <typename From>
VectorCast SecondsToTimestamp() {
  return Mapped<From, timestamp_t>(
      [](From value) { return timestamp_t(SecondsToMicros(static_cast<int64_t>(value))); });
}

template <typename From>
VectorCast FloatToTimestamp(const DataType& from, EvalMode mode) {
  const std::string sql = from.Sql();
  return MappedOrNull<From, timestamp_t>([mode, sql](From value) -> std::optional<timestamp_t> {
    const double seconds = value;
    if (std::isnan(seconds) || std::isinf(seconds)) {
      if (mode == EvalMode::kAnsi) ThrowCastInvalidInput(DoubleToString(seconds), "TIMESTAMP", sql);
      return std::nullopt;
    }
    const double micros = seconds * 1e6;
    if (micros >= 9223372036854775807.0 || micros <= -9223372036854775808.0) {
      if (mode == EvalMode::kAnsi) ThrowCastOverflow(DoubleToString(seconds) + "D", sql, "TIMESTAMP");
      if (mode == EvalMode::kTry) return std::nullopt;
      return timestamp_t(micros > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
    }
    return timestamp_t(static_cast<int64_t>(micros));
  });
}

// Whole seconds of a time of day.
template <typename To>
VectorCast TimeToInteger(const DataType& from, const DataType& to, EvalMode mode) {
  return MappedOrNull<dtime_t, To>([mode, from_sql = from.Sql(), sql = to.Sql()](dtime_t value) -> std::optional<To> {
    const int64_t seconds = value.micros / kMicrosPerSecond;
    if (seconds > static_cast<int64_t>(std::numeric_limits<To>::max())) {
      if (mode == EvalMode::kAnsi) ThrowCastOverflow("TIME '" + FormatTime(value.micros) + "'", from_sql, sql);
      return std::nullopt;
    }
    return static_cast<To>(seconds);
  });
}

VectorCast FromTime(const DataType& from, const DataType& to, EvalMode mode) {
  switch (to.id()) {
    case TypeId::kTime: {
      int64_t unit = 1;
      for (int i = to.time_precision(); i < 6; ++i) unit *= 10;
      return Mapped<dtime_t, dtime_t>([unit](dtime_t value) { return dtime_t(value.micros - value.micros % unit); });
    }
    case TypeId::kByte:
      return TimeToInteger<int8_t>(from, to, mode);
    case TypeId::kShort:
      return TimeToInteger<int16_t>(from, to, mode);
    case TypeId::kInteger:
      return TimeToInteger<int32_t>(from, to, mode);
    case TypeId::kLong:
      return TimeToInteger<int64_t>(from, to, mode);
    case TypeId::kFloat:
      return Mapped<dtime_t, float>(
          [](dtime_t value) { return static_cast<float>(static_cast<double>(value.micros) / 1e6); });
    case TypeId::kDouble:
      return Mapped<dtime_t, double>([](dtime_t value) { return static_cast<double>(value.micros) / 1e6; });
    case TypeId::kDecimal:
      return [shape = ShapeOf(to), mode](Vector& source, Vector& target, idx_t count) {
        WithDecimalStorage(target.GetType(), [&](auto storage) {
          using To = decltype(storage);
          UnaryExecutor::ExecuteWithNulls<dtime_t, To>(
              source, target, count, [&](dtime_t value, ValidityMask& mask, idx_t row) -> To {
                const auto result = RescaleTo(value.micros, 6, shape);
                if (result) return NarrowTo<To>(*result);
                if (mode == EvalMode::kAnsi) {
                  ThrowNumericValueOutOfRange(DecimalToString(static_cast<int128>(value.micros) * 1000, 9),
                                              shape.precision, shape.scale);
                }
                mask.SetInvalid(row);
                return To{};
              });
        });
      };
    default:
      return {};
  }
}

template <typename To>
VectorCast TimestampToInteger(const DataType& to, EvalMode mode) {
  const std::string sql = to.Sql();
  return MappedOrNull<timestamp_t, To>([mode, sql](timestamp_t value) -> std::optional<To> {
    const int64_t seconds = FloorDivide(value.value, kMicrosPerSecond);
    if (seconds < std::numeric_limits<To>::min() || seconds > std::numeric_limits<To>::max()) {
      if (mode == EvalMode::kAnsi)
        ThrowCastOverflow("TIMESTAMP '" + FormatTimestamp(value.value, *TimeZone::Utc()) + "'", "TIMESTAMP", sql);
      return std::nullopt;
    }
    return static_cast<To>(seconds);
  });
}

VectorCast FromTimestamp(const DataType& to, const CastSettings& settings) {
  switch (to.id()) {
    case TypeId::kDate:
      return Mapped<timestamp_t, date_t>(
          [zone = settings.zone](timestamp_t value) { return date_t(DateOfTimestamp(value.value, *zone)); });
    case TypeId::kTimestampNtz:
      return Mapped<timestamp_t, timestamp_t>(
          [zone = settings.zone](timestamp_t value) { return timestamp_t(zone->ToLocalMicros(value.value)); });
    case TypeId::kTime:
      return Mapped<timestamp_t, dtime_t>([zone = settings.zone](timestamp_t value) {
        return dtime_t(FloorModulo(zone->ToLocalMicros(value.value), kMicrosPerDay));
      });
    case TypeId::kBoolean:
      return Mapped<timestamp_t, bool>([](timestamp_t value) { return value.value != 0; });
    case TypeId::kByte:
      return TimestampToInteger<int8_t>(to, settings.mode);
    case TypeId::kShort:
      return TimestampToInteger<int16_t>(to, settings.mode);
    case TypeId::kInteger:
      return TimestampToInteger<int32_t>(to, settings.mode);
    case TypeId::kLong:
      return TimestampToInteger<int64_t>(to, settings.mode);
    case TypeId::kFloat:
      return Mapped<timestamp_t, float>(
          [](timestamp_t value) { return static_cast<float>(static_cast<double>(value.value) / 1e6); });
    case TypeId::kDouble:
      return Mapped<timestamp_t, double>([](timestamp_t value) { return static_cast<double>(value.value) / 1e6; });
    case TypeId::kDecimal:
      return [shape = ShapeOf(to), mode = settings.mode](Vector& source, Vector& target, idx_t count) {
        WithDecimalStorage(target.GetType(), [&](auto storage) {
          using To = decltype(storage);
          UnaryExecutor::ExecuteWithNulls<timestamp_t, To>(
              source, target, count, [&](timestamp_t value, ValidityMask& mask, idx_t row) -> To {
                const auto result = RescaleTo(value.value, 6, shape);
                if (result) return NarrowTo<To>(*result);
                if (mode == EvalMode::kAnsi)
                  ThrowNumericValueOutOfRange(DecimalToString(value.value, 6), shape.precision, shape.scale);
                mask.SetInvalid(row);
                return To{};
              });
        });
      };
    default:
      return {};
  }
}

VectorCast ToTimestamp(const DataType& from, const CastSettings& settings) {
  switch (from.id()) {
    case TypeId::kBoolean:
      return Mapped<bool, timestamp_t>([](bool value) { return timestamp_t(value ? 1 : 0); });
    case TypeId::kByte:
      return SecondsToTimestamp<int8_t>();
    case TypeId::kShort:
      return SecondsToTimestamp<int16_t>();
    case TypeId::kInteger:
      return SecondsToTimestamp<int32_t>();
    case TypeId::kLong:
      return SecondsToTimestamp<int64_t>();
    case TypeId::kFloat:
      return FloatToTimestamp<float>(from, settings.mode);
    case TypeId::kDouble:
      return FloatToTimestamp<double>(from, settings.mode);
    case TypeId::kDecimal:
      return [scale = from.scale()](Vector& source, Vector& target, idx_t count) {
        WithDecimalStorage(source.GetType(), [&](auto storage) {
          using From = decltype(storage);
          UnaryExecutor::Execute<From, timestamp_t>(source, target, count, [&](From value) {
            // As BigDecimal.longValue: the low 64 bits of what does not fit.
            __int128 micros = WideOf(value);
            for (int i = scale; i > 6; --i) micros /= 10;
            auto low = static_cast<uint64_t>(micros);
            for (int i = scale; i < 6; ++i) low *= 10;
            return timestamp_t(static_cast<int64_t>(low));
          });
        });
      };
    case TypeId::kDate:
      return Mapped<date_t, timestamp_t>(
          [zone = settings.zone](date_t value) { return timestamp_t(TimestampOfDate(value.days, *zone)); });
    case TypeId::kTimestampNtz:
      return Mapped<timestamp_t, timestamp_t>(
          [zone = settings.zone](timestamp_t value) { return timestamp_t(zone->ToUtcMicros(value.value)); });
    default:
      return {};
  }
}

template <typename To>
VectorCast AlwaysNull() {
  return MappedOrNull<date_t, To>([](date_t) { return std::optional<To>(); });
}

}  // namespace

VectorCast MakeDatetimeCast(const DataType& from, const DataType& to, const CastSettings& settings) {
  if (from.id() == TypeId::kTimestamp) return FromTimestamp(to, settings);
  if (to.id() == TypeId::kTimestamp) return ToTimestamp(from, settings);
  if (from.id() == TypeId::kTimestampNtz) {
    if (to.id() == TypeId::kDate) {
      return Mapped<timestamp_t, date_t>(
          [](timestamp_t value) { return date_t(static_cast<int32_t>(FloorDivide(value.value, kMicrosPerDay))); });
    }
    if (to.id() == TypeId::kTime) {
      return Mapped<timestamp_t, dtime_t>(
          [](timestamp_t value) { return dtime_t(FloorModulo(value.value, kMicrosPerDay)); });
    }
  }
  if (from.id() == TypeId::kTime) return FromTime(from, to, settings.mode);
  if (from.id() == TypeId::kDate) {
    // Without ANSI a date as a number is NULL.
    switch (to.id()) {
      case TypeId::kTimestampNtz:
        return Mapped<date_t, timestamp_t>([](date_t value) { return timestamp_t(value.days * kMicrosPerDay); });
      case TypeId::kBoolean:
        return AlwaysNull<bool>();
      case TypeId::kByte:
        return AlwaysNull<int8_t>();
      case TypeId::kShort:
        return AlwaysNull<int16_t>();
      case TypeId::kInteger:
        return AlwaysNull<int32_t>();
      case TypeId::kLong:
        return AlwaysNull<int64_t>();
      case TypeId::kFloat:
        return AlwaysNull<float>();
      case TypeId::kDouble:
        return AlwaysNull<double>();
      default:
        break;
    }
  }
  return {};
}

}  // namespace frazil::engine
