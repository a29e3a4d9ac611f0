#include <limits>

#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/types/decimal.h"
#include "frazil/types/interval.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::UnaryExecutor;
using duckdb::ValidityMask;
using duckdb::Vector;

// What one unit of an interval's last field is in months or microseconds.
int64_t UnitOf(const DataType& interval) {
  if (interval.id() == TypeId::kYearMonthInterval) return interval.end_field() == IntervalField::kYear ? 12 : 1;
  return MicrosPerField(interval.end_field());
}

// Cuts off what the target's last field does not count.
template <typename T>
VectorCast Truncate(int64_t unit) {
  return [unit](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::Execute<T, T>(source, target, count, [&](T value) { return static_cast<T>(value - value % unit); });
  };
}

template <typename From, typename To>
VectorCast ToInteger(int64_t unit, const DataType& from, const DataType& to, EvalMode mode) {
  return [unit, mode, from_sql = from.Sql(), to_sql = to.Sql()](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::ExecuteWithNulls<From, To>(
        source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
          const int64_t whole = value / unit;
          if (whole < std::numeric_limits<To>::min() || whole > std::numeric_limits<To>::max()) {
            if (mode != EvalMode::kTry) ThrowCastOverflow(std::to_string(whole), from_sql, to_sql);
            mask.SetInvalid(row);
          }
          return static_cast<To>(whole);
        });
  };
}

template <typename From>
VectorCast ToNumber(const DataType& from, const DataType& to, EvalMode mode) {
  const int64_t unit = UnitOf(from);
  switch (to.id()) {
    case TypeId::kByte:
      return ToInteger<From, int8_t>(unit, from, to, mode);
    case TypeId::kShort:
      return ToInteger<From, int16_t>(unit, from, to, mode);
    case TypeId::kInteger:
      return ToInteger<From, int32_t>(unit, from, to, mode);
    case TypeId::kLong:
      return ToInteger<From, int64_t>(unit, from, to, mode);
    case TypeId::kDecimal:
      return [unit, mode, shape = ShapeOf(to)](Vector& source, Vector& target, idx_t count) {
        WithDecimalStorage(target.GetType(), [&](auto storage) {
          using To = decltype(storage);
          UnaryExecutor::ExecuteWithNulls<From, To>(
              source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
                const auto result = DivideDecimals(value, 0, unit, 0, shape);
                if (result) return NarrowTo<To>(*result);
                if (mode == EvalMode::kAnsi)
                  ThrowNumericValueOutOfRange(std::to_string(value / unit), shape.precision, shape.scale);
                mask.SetInvalid(row);
                return To{};
              });
        });
      };
    default:
      return {};
  }
}

template <typename From, typename To>
VectorCast FromInteger(const DataType& from, const DataType& to, EvalMode mode) {
  return
      [unit = UnitOf(to), mode, from_sql = from.Sql(), to_sql = to.Sql()](Vector& source, Vector& target, idx_t count) {
        UnaryExecutor::ExecuteWithNulls<From, To>(
            source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
              const __int128 result = static_cast<__int128>(value) * unit;
              if (result < std::numeric_limits<To>::min() || result > std::numeric_limits<To>::max()) {
                if (mode != EvalMode::kTry)
                  ThrowCastOverflow(std::to_string(static_cast<int64_t>(value)), from_sql, to_sql);
                mask.SetInvalid(row);
              }
              return static_cast<To>(result);
            });
      };
}

template <typename To>
VectorCast FromNumber(const DataType& from, const DataType& to, EvalMode mode) {
  switch (from.id()) {
    case TypeId::kByte:
      return FromInteger<int8_t, To>(from, to, mode);
    case TypeId::kShort:
      return FromInteger<int16_t, To>(from, to, mode);
    case TypeId::kInteger:
      return FromInteger<int32_t, To>(from, to, mode);
    case TypeId::kLong:
      return FromInteger<int64_t, To>(from, to, mode);
    case TypeId::kDecimal:
      return [unit = UnitOf(to), scale = from.scale(), mode, from_sql = from.Sql(), to_sql = to.Sql()](
                 Vector& source, Vector& target, idx_t count) {
        WithDecimalStorage(source.GetType(), [&](auto storage) {
          using From = decltype(storage);
          UnaryExecutor::ExecuteWithNulls<From, To>(
              source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
                const auto result = MultiplyDecimals(WideOf(value), scale, unit, 0, DecimalShape{38, 0});
                if (!result || *result < std::numeric_limits<To>::min() || *result > std::numeric_limits<To>::max()) {
                  if (mode != EvalMode::kTry)
                    ThrowCastOverflow(DecimalToString(WideOf(value), scale), from_sql, to_sql);
                  mask.SetInvalid(row);
                  return To{};
                }
                return static_cast<To>(*result);
              });
        });
      };
    default:
      return {};
  }
}

}  // namespace

VectorCast MakeIntervalCast(const DataType& from, const DataType& to, const CastSettings& settings) {
  const bool from_months = from.id() == TypeId::kYearMonthInterval, from_micros = from.id() == TypeId::kDayTimeInterval;
  const bool to_months = to.id() == TypeId::kYearMonthInterval, to_micros = to.id() == TypeId::kDayTimeInterval;
  if (from_months && to_months) return Truncate<int32_t>(UnitOf(to));
  // Seconds keep their fraction.
  if (from_micros && to_micros) return Truncate<int64_t>(to.end_field() == IntervalField::kSecond ? 1 : UnitOf(to));
  if (from_months) return ToNumber<int32_t>(from, to, settings.mode);
  if (from_micros) return ToNumber<int64_t>(from, to, settings.mode);
  if (to_months) return FromNumber<int32_t>(from, to, settings.mode);
  if (to_micros) return FromNumber<int64_t>(from, to, settings.mode);
  return {};
}

}  // namespace frazil::engine
