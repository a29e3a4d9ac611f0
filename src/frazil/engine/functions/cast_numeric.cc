#include <cmath>
#include <limits>

#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/types/decimal.h"
#include "frazil/types/float_text.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::UnaryExecutor;
using duckdb::ValidityMask;
using duckdb::Vector;

// A number as Spark writes it as a literal in messages.
std::string LiteralOf(bool value) { return value ? "true" : "false"; }
std::string LiteralOf(int8_t value) { return std::to_string(value) + "Y"; }
std::string LiteralOf(int16_t value) { return std::to_string(value) + "S"; }
std::string LiteralOf(int32_t value) { return std::to_string(value); }
std::string LiteralOf(int64_t value) { return std::to_string(value) + "L"; }
std::string LiteralOf(double value) { return DoubleToString(value) + "D"; }
std::string LiteralOf(float value) { return "CAST('" + FloatToString(value) + "' AS FLOAT)"; }

struct Context {
  EvalMode mode;
  std::string from_sql, to_sql;
  template <typename T>
  void Overflow(T value, ValidityMask& mask, idx_t row) const {
    if (mode == EvalMode::kAnsi) ThrowCastOverflow(LiteralOf(value), from_sql, to_sql);
    mask.SetInvalid(row);
  }
  void DecimalOverflow(const std::string& text, int precision, int scale, ValidityMask& mask, idx_t row) const {
    if (mode == EvalMode::kAnsi) ThrowNumericValueOutOfRange(text, precision, scale);
    mask.SetInvalid(row);
  }
};

template <typename From, typename To>
VectorCast IntegerToInteger(Context context) {
  return [context](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::ExecuteWithNulls<From, To>(
        source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
          const To result = static_cast<To>(value);
          if (static_cast<int64_t>(result) != static_cast<int64_t>(value) && context.mode != EvalMode::kLegacy)
            context.Overflow(value, mask, row);
          return result;
        });
  };
}

// As Java's (int) and (long): NaN is 0, beyond the range the nearest end; byte and short come from the int.
template <typename To>
To Saturate(double value) {
  if constexpr (sizeof(To) < 4) {
    return static_cast<To>(Saturate<int32_t>(value));
  } else {
    if (std::isnan(value)) return 0;
    if (value >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (value <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
VectorCast FloatToInteger(Context context) {
  return [context](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::ExecuteWithNulls<From, To>(
        source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
          if (context.mode == EvalMode::kLegacy) return Saturate<To>(value);
          const double wide = value;
          // 2^63 itself is out of range although it equals the rounded maximum.
          const bool fits = std::floor(wide) <= static_cast<double>(std::numeric_limits<To>::max()) &&
                            std::ceil(wide) >= static_cast<double>(std::numeric_limits<To>::min()) &&
                            (sizeof(To) < 8 || wide < 9223372036854775808.0);
          if (!fits) {
            context.Overflow(value, mask, row);
            return 0;
          }
          return static_cast<To>(wide);
        });
  };
}

template <typename From>
VectorCast FromNumber(TypeId to, Context context) {
  constexpr bool kIsFloat = std::is_floating_point_v<From>;
  switch (to) {
    case TypeId::kBoolean:
      return [](Vector& source, Vector& target, idx_t count) {
        UnaryExecutor::Execute<From, bool>(source, target, count, [](From value) { return value != 0; });
      };
    case TypeId::kByte:
      if constexpr (kIsFloat)
        return FloatToInteger<From, int8_t>(context);
      else
        return IntegerToInteger<From, int8_t>(context);
    case TypeId::kShort:
      if constexpr (kIsFloat)
        return FloatToInteger<From, int16_t>(context);
      else
        return IntegerToInteger<From, int16_t>(context);
    case TypeId::kInteger:
      if constexpr (kIsFloat)
        return FloatToInteger<From, int32_t>(context);
      else
        return IntegerToInteger<From, int32_t>(context);
    case TypeId::kLong:
      if constexpr (kIsFloat)
        return FloatToInteger<From, int64_t>(context);
      else
        return IntegerToInteger<From, int64_t>(context);
    case TypeId::kFloat:
      return [](Vector& source, Vector& target, idx_t count) {
        UnaryExecutor::Execute<From, float>(source, target, count,
                                            [](From value) { return static_cast<float>(value); });
      };
    case TypeId::kDouble:
      return [](Vector& source, Vector& target, idx_t count) {
        UnaryExecutor::Execute<From, double>(source, target, count,
                                             [](From value) { return static_cast<double>(value); });
      };
    default:
      return {};
  }
}

template <typename From>
VectorCast NumberToDecimal(DecimalShape shape, Context context) {
  return [shape, context](Vector& source, Vector& target, idx_t count) {
    WithDecimalStorage(target.GetType(), [&](auto storage) {
      using To = decltype(storage);
      UnaryExecutor::ExecuteWithNulls<From, To>(
          source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
            std::optional<int128> result;
            if constexpr (std::is_floating_point_v<From>) {
              // NaN and infinities have no decimal: NULL in every mode, as in Spark.
              if (!std::isfinite(value)) {
                mask.SetInvalid(row);
                return To{};
              }
              result = DoubleToDecimal(static_cast<double>(value), shape);
              if (!result) context.DecimalOverflow(DoubleToString(value), shape.precision, shape.scale, mask, row);
            } else {
              result = RescaleTo(static_cast<int128>(value), 0, shape);
              if (!result)
                context.DecimalOverflow(std::to_string(static_cast<int64_t>(value)), shape.precision, shape.scale, mask,
                                        row);
            }
            return result ? NarrowTo<To>(*result) : To{};
          });
    });
  };
}

template <typename To>
VectorCast DecimalToInteger(int scale, Context context) {
  return [scale, context](Vector& source, Vector& target, idx_t count) {
    const int128 unit = PowerOfTen(scale);
    WithDecimalStorage(source.GetType(), [&](auto storage) {
      using From = decltype(storage);
      UnaryExecutor::ExecuteWithNulls<From, To>(
          source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
            const int128 whole = WideOf(value) / unit;
            const bool fits = whole >= std::numeric_limits<To>::min() && whole <= std::numeric_limits<To>::max();
            if (!fits && context.mode != EvalMode::kLegacy) {
              if (context.mode == EvalMode::kAnsi) {
                ThrowCastOverflow(DecimalToString(WideOf(value), scale) + "BD", context.from_sql, context.to_sql);
              }
              mask.SetInvalid(row);
              return 0;
            }
            return static_cast<To>(whole);
          });
    });
  };
}

VectorCast DecimalToDecimal(int from_scale, DecimalShape shape, Context context) {
  return [from_scale, shape, context](Vector& source, Vector& target, idx_t count) {
    WithDecimalStorage(source.GetType(), [&](auto from_storage) {
      using From = decltype(from_storage);
      WithDecimalStorage(target.GetType(), [&](auto to_storage) {
        using To = decltype(to_storage);
        UnaryExecutor::ExecuteWithNulls<From, To>(
            source, target, count, [&](From value, ValidityMask& mask, idx_t row) -> To {
              const auto result = RescaleTo(WideOf(value), from_scale, shape);
              if (!result) {
                context.DecimalOverflow(DecimalToString(WideOf(value), from_scale), shape.precision, shape.scale, mask,
                                        row);
                return To{};
              }
              return NarrowTo<To>(*result);
            });
      });
    });
  };
}

template <typename To, typename Convert>
VectorCast DecimalToOther(Convert convert) {
  return [convert](Vector& source, Vector& target, idx_t count) {
    WithDecimalStorage(source.GetType(), [&](auto storage) {
      using From = decltype(storage);
      UnaryExecutor::Execute<From, To>(source, target, count, [&](From value) -> To { return convert(WideOf(value)); });
    });
  };
}

VectorCast FromDecimal(const DataType& from, const DataType& to, const Context& context) {
  const int scale = from.scale();
  switch (to.id()) {
    case TypeId::kBoolean:
      return DecimalToOther<bool>([](int128 value) { return value != 0; });
    case TypeId::kByte:
      return DecimalToInteger<int8_t>(scale, context);
    case TypeId::kShort:
      return DecimalToInteger<int16_t>(scale, context);
    case TypeId::kInteger:
      return DecimalToInteger<int32_t>(scale, context);
    case TypeId::kLong:
      return DecimalToInteger<int64_t>(scale, context);
    case TypeId::kFloat:
      return DecimalToOther<float>([scale](int128 value) { return static_cast<float>(DecimalToDouble(value, scale)); });
    case TypeId::kDouble:
      return DecimalToOther<double>([scale](int128 value) { return DecimalToDouble(value, scale); });
    case TypeId::kDecimal:
      return DecimalToDecimal(scale, ShapeOf(to), context);
    default:
      return {};
  }
}

// Integers as BINARY: their bytes, most significant first.
template <typename From>
VectorCast IntegerToBinary() {
  return [](Vector& source, Vector& target, idx_t count) {
    UnaryExecutor::Execute<From, duckdb::string_t>(source, target, count, [&](From value) {
      char bytes[sizeof(From)];
      for (size_t i = 0; i < sizeof(From); ++i)
        bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * (sizeof(From) - 1 - i)));
      return duckdb::StringVector::AddStringOrBlob(target, bytes, sizeof(From));
    });
  };
}

}  // namespace

VectorCast MakeNumericCast(const DataType& from, const DataType& to, const CastSettings& settings) {
  const Context context{settings.mode, from.Sql(), to.Sql()};
  if (to.id() == TypeId::kDecimal) {
    const DecimalShape shape = ShapeOf(to);
    switch (from.id()) {
      case TypeId::kBoolean:
        return NumberToDecimal<bool>(shape, context);
      case TypeId::kByte:
        return NumberToDecimal<int8_t>(shape, context);
      case TypeId::kShort:
        return NumberToDecimal<int16_t>(shape, context);
      case TypeId::kInteger:
        return NumberToDecimal<int32_t>(shape, context);
      case TypeId::kLong:
        return NumberToDecimal<int64_t>(shape, context);
      case TypeId::kFloat:
        return NumberToDecimal<float>(shape, context);
      case TypeId::kDouble:
        return NumberToDecimal<double>(shape, context);
      case TypeId::kDecimal:
        return DecimalToDecimal(from.scale(), shape, context);
      default:
        return {};
    }
  }
  if (to.id() == TypeId::kBinary) {
    switch (from.id()) {
      case TypeId::kByte:
        return IntegerToBinary<int8_t>();
      case TypeId::kShort:
        return IntegerToBinary<int16_t>();
      case TypeId::kInteger:
        return IntegerToBinary<int32_t>();
      case TypeId::kLong:
        return IntegerToBinary<int64_t>();
      default:
        return {};
    }
  }
  switch (from.id()) {
    case TypeId::kBoolean:
      return FromNumber<bool>(to.id(), context);
    case TypeId::kByte:
      return FromNumber<int8_t>(to.id(), context);
    case TypeId::kShort:
      return FromNumber<int16_t>(to.id(), context);
    case TypeId::kInteger:
      return FromNumber<int32_t>(to.id(), context);
    case TypeId::kLong:
      return FromNumber<int64_t>(to.id(), context);
    case TypeId::kFloat:
      return FromNumber<float>(to.id(), context);
    case TypeId::kDouble:
      return FromNumber<double>(to.id(), context);
    case TypeId::kDecimal:
      return FromDecimal(from, to, context);
    default:
      return {};
  }
}

}  // namespace frazil::engine
