// round, bround, ceil, floor.

#include <charconv>
#include <cmath>

#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

enum class Rounding : int32_t { kHalfUp = 0, kHalfEven = 1, kCeiling = 2, kFloor = 3 };

__int128 PowerOfTen(int exponent) {
  __int128 result = 1;
  for (int i = 0; i < exponent; ++i) result *= 10;
  return result;
}

// `value` divided by 10 to the power of `digits`, rounded.
__int128 DivideRounded(__int128 value, int digits, Rounding rounding) {
  if (digits <= 0) return value;
  if (digits > 38) {
    bool down = (rounding == Rounding::kCeiling && value > 0) || (rounding == Rounding::kFloor && value < 0);
    return down ? (value > 0 ? 1 : -1) : 0;
  }
  const __int128 unit = PowerOfTen(digits);
  __int128 quotient = value / unit;
  const __int128 rest = value % unit;
  if (rest == 0) return quotient;
  const __int128 magnitude = rest < 0 ? -rest : rest;
  const int sign = value < 0 ? -1 : 1;
  const __int128 other = unit - magnitude;
  switch (rounding) {
    case Rounding::kHalfUp:
      if (magnitude >= other) quotient += sign;
      break;
    case Rounding::kHalfEven:
      if (magnitude > other || (magnitude == other && quotient % 2 != 0)) quotient += sign;
      break;
    case Rounding::kCeiling:
      if (sign > 0) ++quotient;
      break;
    case Rounding::kFloor:
      if (sign < 0) --quotient;
      break;
  }
  return quotient;
}

// The decimal digits that stand for the number (as Java prints it), rounded exactly.
template <typename Float>
double RoundByDigits(Float value, int scale, Rounding rounding) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  const size_t e = text.find('e');
  int exponent = 0;
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text[0] == '+') exponent_text.remove_prefix(1);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  __int128 digits = 0;
  int fraction = 0;
  bool seen_point = false;
  for (char c : text.substr(0, e)) {
    if (c == '.') {
      seen_point = true;
      continue;
    }
    digits = digits * 10 + (c - '0');
    if (seen_point) ++fraction;
  }
  // The number is digits * 10^(exponent - fraction).
  const int number_scale = fraction - exponent;
  if (number_scale <= scale) return static_cast<double>(value);
  const __int128 rounded = DivideRounded(negative ? -digits : digits, number_scale - scale, rounding);
  // Back through text: the nearest double.
  std::string result = std::to_string(static_cast<int64_t>(rounded)) + "e" + std::to_string(-scale);
  return std::strtod(result.c_str(), nullptr);
}

template <typename Float>
Float RoundFloat(Float value, int32_t scale, Rounding rounding) {
  if (std::isnan(value) || std::isinf(value)) return value;
  if (scale > 340) return value;
  if (scale >= 0 && scale <= 15) {
    static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const double power = kPowers[scale];
    const double scaled = static_cast<double>(value) * power;
    // Away from a tie, and small enough that the quotient is exact: no digits needed.
    if (std::fabs(scaled) < 1e15 && sizeof(Float) == sizeof(double)) {
      const double whole = std::floor(scaled);
      const double rest = scaled - whole;
      if (std::fabs(rest - 0.5) > 1e-4) {
        const double result = (rest > 0.5 ? whole + 1 : whole) / power;
        return static_cast<Float>(result + 0.0);  // Spark's decimals know no negative zero.
      }
    }
  }
  return static_cast<Float>(RoundByDigits(value, scale, rounding) + 0.0);
}

// Whole numbers change with negative scales only.
template <typename T>
void AddIntegerRounding(duckdb::ExtensionLoader& loader, const LogicalType& type, const char* overflow) {
  AddRowKernel(
      loader, "spark_round", {type, LogicalType::INTEGER, LogicalType::INTEGER, LogicalType::BOOLEAN}, type,
      [overflow](T value, int32_t scale, int32_t rounding, bool strict) -> T {
        if (scale >= 0) return value;
        if (scale < -19) return 0;
        const __int128 rounded = DivideRounded(value, -scale, static_cast<Rounding>(rounding)) * PowerOfTen(-scale);
        if (strict && (rounded > std::numeric_limits<T>::max() || rounded < std::numeric_limits<T>::min()))
          ThrowArithmeticOverflow(overflow);
        return static_cast<T>(rounded);
      },
      kFallible);
}

// Decimals: scale, rounding and the result's type come as constants.
struct DecimalRoundingData : duckdb::FunctionData {
  int32_t scale = 0;
  Rounding rounding = Rounding::kHalfUp;
  bool strict = false;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<DecimalRoundingData>(*this);
  }
  bool Equals(const duckdb::FunctionData& other_data) const override {
    const auto& other = other_data.Cast<DecimalRoundingData>();
    return scale == other.scale && rounding == other.rounding && strict == other.strict;
  }
};

duckdb::unique_ptr<duckdb::FunctionData> BindDecimalRounding(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto values = ConstantArguments(context, function, arguments, 4);
  auto data = duckdb::make_uniq<DecimalRoundingData>();
  data->scale = values[0].GetValue<int32_t>();
  data->rounding = static_cast<Rounding>(values[1].GetValue<int32_t>());
  data->strict = values[2].GetValue<bool>();
  function.SetReturnType(values[3].type());
  function.arguments[0] = arguments[0]->return_type;
  return data;
}

void RoundDecimals(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<DecimalRoundingData>();
  auto& input = arguments.data[0];
  const auto& to = result.GetType();
  const int from_scale = duckdb::DecimalType::GetScale(input.GetType());
  const int to_scale = duckdb::DecimalType::GetScale(to), to_precision = duckdb::DecimalType::GetWidth(to);
  const __int128 limit = PowerOfTen(to_precision);
  WithDecimalStorage(input.GetType(), [&](auto in) {
    WithDecimalStorage(to, [&](auto out) {
      using In = decltype(in);
      using Out = decltype(out);
      duckdb::UnaryExecutor::ExecuteWithNulls<In, Out>(
          input, result, arguments.size(), [&](In value, duckdb::ValidityMask& mask, duckdb::idx_t row) {
            __int128 rounded = DivideRounded(WideOf(value), from_scale - data.scale, data.rounding);
            const int now = std::min(from_scale, data.scale);
            if (now < to_scale) rounded *= PowerOfTen(to_scale - now);
            if (rounded >= limit || rounded <= -limit) {
              if (data.strict) ThrowNumericValueOutOfRange("", to_precision, to_scale);
              mask.SetInvalid(row);
              return NarrowTo<Out>(0);
            }
            return NarrowTo<Out>(rounded);
          });
    });
  });
}

LoweredExpression RoundDecimal(const CallExpression& call, LoweredExpression value, int32_t scale, Rounding rounding) {
  LoweredArguments arguments;
  arguments.push_back(std::move(value));
  arguments.push_back(ConstantOf(duckdb::Value::INTEGER(scale)));
  arguments.push_back(ConstantOf(duckdb::Value::INTEGER(static_cast<int32_t>(rounding))));
  arguments.push_back(ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi)));
  arguments.push_back(CastOf(ConstantOf(duckdb::Value()), MappedType(*call.type)));
  return CallOf("spark_round_decimal", std::move(arguments));
}

Implementation Round(Rounding rounding) {
  return Build([rounding](LoweringContext&, const CallExpression& call,
                          LoweredArguments arguments) -> Result<LoweredExpression> {
    const auto scale = static_cast<int32_t>(call.arguments[1]->As<LiteralExpression>().value.integer());
    if (call.arguments[0]->type->id() == TypeId::kDecimal)
      return RoundDecimal(call, std::move(arguments[0]), scale, rounding);
    return CallOf("spark_round", std::move(arguments[0]), ConstantOf(duckdb::Value::INTEGER(scale)),
                  ConstantOf(duckdb::Value::INTEGER(static_cast<int32_t>(rounding))),
                  ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi)));
  });
}

// ceil(x), floor(x): decimals to scale 0, doubles to BIGINT.
Implementation ToWhole(Rounding rounding) {
  return Build([rounding](LoweringContext&, const CallExpression& call,
                          LoweredArguments arguments) -> Result<LoweredExpression> {
    if (call.arguments[0]->type->id() == TypeId::kDecimal)
      return RoundDecimal(call, std::move(arguments[0]), 0, rounding);
    return CallOf(rounding == Rounding::kCeiling ? "spark_ceil" : "spark_floor", std::move(arguments[0]));
  });
}

Implementation ToScale(Rounding rounding) {
  return Build([rounding](LoweringContext&, const CallExpression& call,
                          LoweredArguments arguments) -> Result<LoweredExpression> {
    const auto scale = static_cast<int32_t>(call.arguments[1]->As<LiteralExpression>().value.integer());
    return RoundDecimal(call, std::move(arguments[0]), scale, rounding);
  });
}

// As Java's conversion: NaN is 0, too large numbers stop at the bounds.
int64_t ToLong(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775807.0) return INT64_MAX;
  if (value <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(value);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  AddIntegerRounding<int8_t>(loader, LogicalType::TINYINT, "Overflow");
  AddIntegerRounding<int16_t>(loader, LogicalType::SMALLINT, "Overflow");
  AddIntegerRounding<int32_t>(loader, LogicalType::INTEGER, "Overflow");
  AddIntegerRounding<int64_t>(loader, LogicalType::BIGINT, "Overflow");
  AddRowKernel(loader, "spark_round",
               {LogicalType::DOUBLE, LogicalType::INTEGER, LogicalType::INTEGER, LogicalType::BOOLEAN},
               LogicalType::DOUBLE, [](double value, int32_t scale, int32_t rounding, bool) -> double {
                 return RoundFloat(value, scale, static_cast<Rounding>(rounding));
               });
  AddRowKernel(loader, "spark_round",
               {LogicalType::FLOAT, LogicalType::INTEGER, LogicalType::INTEGER, LogicalType::BOOLEAN},
               LogicalType::FLOAT, [](float value, int32_t scale, int32_t rounding, bool) -> float {
                 return RoundFloat(value, scale, static_cast<Rounding>(rounding));
               });
  duckdb::ScalarFunction decimals(
      "spark_round_decimal",
      {LogicalType::ANY, LogicalType::INTEGER, LogicalType::INTEGER, LogicalType::BOOLEAN, LogicalType::ANY},
      LogicalType::ANY, RoundDecimals, BindDecimalRounding);
  decimals.SetFallible();
  decimals.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(decimals);
  AddRowKernel(loader, "spark_ceil", {LogicalType::DOUBLE}, LogicalType::BIGINT,
               [](double value) -> int64_t { return ToLong(std::ceil(value)); });
  AddRowKernel(loader, "spark_floor", {LogicalType::DOUBLE}, LogicalType::BIGINT,
               [](double value) -> int64_t { return ToLong(std::floor(value)); });
}

}  // namespace

void RegisterRoundingFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("round", Round(Rounding::kHalfUp));
  registry.AddScalar("bround", Round(Rounding::kHalfEven));
  registry.AddScalar("ceil", ToWhole(Rounding::kCeiling));
  registry.AddScalar("floor", ToWhole(Rounding::kFloor));
  registry.AddScalar("ceil_scale", ToScale(Rounding::kCeiling));
  registry.AddScalar("floor_scale", ToScale(Rounding::kFloor));
}

}  // namespace frazil::engine
