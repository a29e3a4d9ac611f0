// Functions of numbers and bits.

#include <bit>
#include <cmath>

#include <duckdb/common/vector_operations/unary_executor.hpp>

#include "frazil/base/byte_text.h"
#include "frazil/engine/functions/order_key.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

using UnaryMath = double (*)(double);

struct NamedMath {
  const char* name;
  UnaryMath function;
};

// e^x as java.lang.StrictMath computes it (fdlibm's e_exp.c): reduced to |r| <= ln(2)/2, then a rational approximation.
// Its last digit is not always the nearest one.
double JavaExp(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  constexpr double kPerLn2 = 1.44269504088896338700e+00;
  constexpr double kP[] = {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                           -1.65339022054652515390e-06, 4.13813679705723846039e-08};
  if (std::isnan(x)) return x;
  if (x > 7.09782712893383973096e+02) return std::numeric_limits<double>::infinity();
  if (x < -7.45133219101941108420e+02) return 0.0;
  const double size = std::abs(x), sign = x < 0 ? -1.0 : 1.0;
  if (size < 0x1p-28) return 1.0 + x;
  double high = x, low = 0;
  int power = 0;
  if (size > 0.5 * 0.69314718055994530942) {
    power = size < 1.5 * 0.69314718055994530942 ? static_cast<int>(sign) : static_cast<int>(kPerLn2 * x + 0.5 * sign);
    high = x - power * kLn2High;
    low = power * kLn2Low;
  }
  const double r = high - low, t = r * r;
  const double c = r - t * (kP[0] + t * (kP[1] + t * (kP[2] + t * (kP[3] + t * kP[4]))));
  if (power == 0) return 1.0 - ((r * c) / (c - 2.0) - r);
  return std::ldexp(1.0 - ((low - (r * c) / (2.0 - c)) - high), power);
}

// As java.lang.StrictMath (fdlibm's e_cosh.c).
double JavaCosh(double x) {
  const double size = std::abs(x);
  if (size < 0.5 * 0.69314718055994530942) {
    const double t = std::expm1(size), w = 1.0 + t;
    return size < 0x1p-55 ? w : 1.0 + (t * t) / (w + w);
  }
  if (size < 22) {
    const double t = JavaExp(size);
    return 0.5 * t + 0.5 / t;
  }
  if (size < 709.78) return 0.5 * JavaExp(size);
  const double w = JavaExp(0.5 * size);
  return 0.5 * w * w;
}

constexpr double kDegreesPerRadian = 57.29577951308232;
constexpr double kRadiansPerDegree = 0.017453292519943295;

// Functions with a value (perhaps NaN) for every number.
const NamedMath kUnary[] = {
    {"acos", [](double x) { return std::acos(x); }},
    {"acosh", [](double x) { return std::acosh(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"asinh", [](double x) { return std::asinh(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"atanh", [](double x) { return std::atanh(x); }},
    {"cbrt", [](double x) { return std::cbrt(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"cosh", &JavaCosh},
    {"cot", [](double x) { return 1.0 / std::tan(x); }},
    {"csc", [](double x) { return 1.0 / std::sin(x); }},
    {"degrees", [](double x) { return x * kDegreesPerRadian; }},
    {"exp", &JavaExp},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"radians", [](double x) { return x * kRadiansPerDegree; }},
    {"rint", [](double x) { return std::nearbyint(x); }},
    {"sec", [](double x) { return 1.0 / std::cos(x); }},
    {"signum", [](double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
};

void AddUnaryMath(duckdb::ExtensionLoader& loader, const NamedMath& math) {
  const UnaryMath function = math.function;
  loader.RegisterFunction(duckdb::ScalarFunction(
      std::string("spark_") + math.name, {LogicalType::DOUBLE}, LogicalType::DOUBLE,
      [function](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
        duckdb::UnaryExecutor::Execute<double, double>(arguments.data[0], result, arguments.size(), function);
      }));
}

// As Java: 1 to the power of NaN and -1 to the power of an infinity are NaN.
double Power(double base, double exponent) {
  if (std::isnan(exponent)) return exponent;
  if (std::isinf(exponent) && std::fabs(base) == 1.0) return std::nan("");
  return std::pow(base, exponent);
}

std::optional<int64_t> Factorial(int32_t n) {
  if (n < 0 || n > 20) return std::nullopt;
  int64_t result = 1;
  for (int32_t i = 2; i <= n; ++i) result *= i;
  return result;
}

std::string BinaryDigits(int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value);
  if (bits == 0) return "0";
  std::string digits;
  for (int i = 63 - std::countl_zero(bits); i >= 0; --i) digits += (bits >> i) & 1 ? '1' : '0';
  return digits;
}

std::string HexOfNumber(int64_t value) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  uint64_t bits = static_cast<uint64_t>(value);
  std::string digits;
  do {
    digits.insert(digits.begin(), kDigits[bits & 15]);
    bits >>= 4;
  } while (bits != 0);
  return digits;
}

// An odd count of digits begins with half a byte.
std::optional<std::string> BytesOfHex(std::string_view text) {
  std::string bytes;
  size_t i = 0;
  if (text.size() % 2 == 1) {
    int digit = HexDigitValue(text[0]);
    if (digit < 0) return std::nullopt;
    bytes += static_cast<char>(digit);
    i = 1;
  }
  for (; i < text.size(); i += 2) {
    int high = HexDigitValue(text[i]), low = HexDigitValue(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

// A number's digits in another base, as 64 unsigned bits; a negative target base shows a sign. Digits end at the first
// character that is none.
std::optional<std::string> ConvertBase(std::string_view text, int32_t from, int32_t to, bool ansi) {
  if (from < 2 || from > 36 || std::abs(to) < 2 || std::abs(to) > 36) return std::nullopt;
  size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(' ') - begin + 1);
  bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  unsigned __int128 value = 0;
  bool overflow = false;
  for (char c : text) {
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'z' ? c - 'a' + 10
                : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                       : 99;
    if (digit >= from) break;
    value = value * static_cast<unsigned>(from) + static_cast<unsigned>(digit);
    if (value > UINT64_MAX) {
      overflow = true;
      value = UINT64_MAX;
      break;
    }
  }
  if (overflow && ansi) ThrowArithmeticOverflow("Overflow in function conv()");
  uint64_t number = static_cast<uint64_t>(value);
  if (negative && to > 0) {
    number = static_cast<int64_t>(number) < 0 ? UINT64_MAX : static_cast<uint64_t>(-static_cast<int64_t>(number));
  }
  if (to < 0 && static_cast<int64_t>(number) < 0) {
    number = static_cast<uint64_t>(-static_cast<int64_t>(number));
    negative = true;
  }
  std::string digits;
  unsigned base = static_cast<unsigned>(std::abs(to));
  do {
    unsigned digit = static_cast<unsigned>(number % base);
    digits.insert(digits.begin(), static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10));
    number /= base;
  } while (number != 0);
  if (negative && to < 0) digits.insert(digits.begin(), '-');
  return digits;
}

std::optional<int64_t> WidthBucket(double value, double low, double high, int64_t buckets) {
  if (buckets <= 0 || buckets == INT64_MAX || std::isnan(value) || low == high || std::isnan(low) || std::isinf(low) ||
      std::isnan(high) || std::isinf(high))
    return std::nullopt;
  double lower = std::min(low, high), upper = std::max(low, high);
  if (low < high) {
    if (value < lower) return 0;
    if (value >= upper) return buckets + 1;
    return static_cast<int64_t>(static_cast<double>(buckets) * (value - lower) / (upper - lower)) + 1;
  }
  if (value > upper) return 0;
  if (value <= lower) return buckets + 1;
  return static_cast<int64_t>(static_cast<double>(buckets) * (upper - value) / (upper - lower)) + 1;
}

template <typename T>
T ShiftLeft(T value, int32_t count) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Unsigned>(value) << (count & static_cast<int32_t>(sizeof(T) * 8 - 1)));
}
template <typename T>
T ShiftRight(T value, int32_t count) {
  return value >> (count & static_cast<int32_t>(sizeof(T) * 8 - 1));
}
template <typename T>
T ShiftRightUnsigned(T value, int32_t count) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Unsigned>(value) >> (count & static_cast<int32_t>(sizeof(T) * 8 - 1)));
}

template <typename T>
void AddBitKernels(duckdb::ExtensionLoader& loader, const LogicalType& type) {
  AddRowKernel(loader, "spark_shiftleft", {type, LogicalType::INTEGER}, type, &ShiftLeft<T>);
  AddRowKernel(loader, "spark_shiftright", {type, LogicalType::INTEGER}, type, &ShiftRight<T>);
  AddRowKernel(loader, "spark_shiftrightunsigned", {type, LogicalType::INTEGER}, type, &ShiftRightUnsigned<T>);
}

template <typename T>
void AddBitGet(duckdb::ExtensionLoader& loader, const LogicalType& type) {
  AddRowKernel(
      loader, "spark_bit_get", {type, LogicalType::INTEGER}, LogicalType::TINYINT,
      [](T value, int32_t position) -> int8_t {
        constexpr int32_t kBits = sizeof(T) * 8;
        if (position < 0 || position >= kBits) {
          ThrowSparkError("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", {{"parameter", "`pos`"},
                                                                         {"functionName", "`bit_get`"},
                                                                         {"upper", std::to_string(kBits)},
                                                                         {"invalidValue", std::to_string(position)}});
        }
        return static_cast<int8_t>((static_cast<int64_t>(value) >> position) & 1);
      },
      kFallible);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  for (const auto& math : kUnary) AddUnaryMath(loader, math);
  const auto D = LogicalType::DOUBLE;
  AddRowKernel(loader, "spark_ln", {D}, D,
               [](double x) -> std::optional<double> { return x <= 0 ? std::nullopt : std::optional(std::log(x)); });
  AddRowKernel(loader, "spark_log10", {D}, D,
               [](double x) -> std::optional<double> { return x <= 0 ? std::nullopt : std::optional(std::log10(x)); });
  AddRowKernel(loader, "spark_log2", {D}, D, [](double x) -> std::optional<double> {
    return x <= 0 ? std::nullopt : std::optional(std::log(x) / std::log(2.0));
  });
  AddRowKernel(loader, "spark_log1p", {D}, D,
               [](double x) -> std::optional<double> { return x <= -1 ? std::nullopt : std::optional(std::log1p(x)); });
  AddRowKernel(loader, "spark_log", {D, D}, D, [](double base, double x) -> std::optional<double> {
    if (base <= 0 || x <= 0) return std::nullopt;
    return std::log(x) / std::log(base);
  });
  AddRowKernel(loader, "spark_pow", {D, D}, D, &Power);
  AddRowKernel(loader, "spark_hypot", {D, D}, D, [](double x, double y) -> double { return std::hypot(x, y); });
  AddRowKernel(loader, "spark_atan2", {D, D}, D,
               [](double y, double x) -> double { return std::atan2(y + 0.0, x + 0.0); });
  AddRowKernel(loader, "spark_nanvl", {D, D}, D,
               [](std::optional<double> x, std::optional<double> y) -> std::optional<double> {
                 return x.has_value() && std::isnan(*x) ? y : x;
               });
  AddRowKernel(loader, "spark_nanvl", {LogicalType::FLOAT, LogicalType::FLOAT}, LogicalType::FLOAT,
               [](std::optional<float> x, std::optional<float> y) -> std::optional<float> {
                 return x.has_value() && std::isnan(*x) ? y : x;
               });
  AddRowKernel(loader, "spark_factorial", {LogicalType::INTEGER}, LogicalType::BIGINT, &Factorial);
  AddRowKernel(loader, "spark_bin", {LogicalType::BIGINT}, LogicalType::VARCHAR, &BinaryDigits);
  AddRowKernel(loader, "spark_hex", {LogicalType::BIGINT}, LogicalType::VARCHAR, &HexOfNumber);
  AddRowKernel(loader, "spark_hex", {LogicalType::VARCHAR}, LogicalType::VARCHAR, &HexUpper);
  AddRowKernel(loader, "spark_hex", {LogicalType::BLOB}, LogicalType::VARCHAR, &HexUpper);
  AddRowKernel(loader, "spark_unhex", {LogicalType::VARCHAR}, LogicalType::BLOB, &BytesOfHex);
  AddRowKernel(
      loader, "spark_to_binary_hex", {LogicalType::VARCHAR, LogicalType::BOOLEAN}, LogicalType::BLOB,
      [](std::string_view text, bool strict) -> std::optional<std::string> {
        auto bytes = BytesOfHex(text);
        if (!bytes.has_value() && strict) {
          ThrowSparkError("CONVERSION_INVALID_INPUT", {{"str", "'" + std::string(text) + "'"},
                                                       {"fmt", "'HEX'"},
                                                       {"targetType", "\"BINARY\""},
                                                       {"suggestion", "`try_to_binary`"}});
        }
        return bytes;
      },
      kFallible);
  AddRowKernel(loader, "spark_conv",
               {LogicalType::VARCHAR, LogicalType::INTEGER, LogicalType::INTEGER, LogicalType::BOOLEAN},
               LogicalType::VARCHAR, &ConvertBase, kFallible);
  AddRowKernel(loader, "spark_width_bucket", {D, D, D, LogicalType::BIGINT}, LogicalType::BIGINT, &WidthBucket);
  AddBitKernels<int32_t>(loader, LogicalType::INTEGER);
  AddBitKernels<int64_t>(loader, LogicalType::BIGINT);
  AddBitGet<int8_t>(loader, LogicalType::TINYINT);
  AddBitGet<int16_t>(loader, LogicalType::SMALLINT);
  AddBitGet<int32_t>(loader, LogicalType::INTEGER);
  AddBitGet<int64_t>(loader, LogicalType::BIGINT);
}

// greatest and least; of values with order keys as the extreme of an array.
Implementation ExtremeOf(std::string plain, std::string of_array) {
  return Build(
      [plain = std::move(plain), of_array = std::move(of_array)](
          LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        if (!NeedsOrderKey(*call.type)) return CallOf(plain, std::move(arguments));
        return CallOf(of_array, CallOf("list_value", std::move(arguments)));
      });
}

}  // namespace

void RegisterMathFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const auto& math : kUnary) {
    const std::string name = math.name;
    registry.AddScalar(name, Template("spark_" + name + "(CAST($1 AS DOUBLE))"));
  }
  for (const char* name : {"ln", "log10", "log2", "log1p", "log", "pow", "hypot", "atan2", "nanvl", "factorial", "bin",
                           "hex", "unhex", "shiftleft", "shiftright", "shiftrightunsigned", "bit_get"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
  registry.AddScalar("to_binary_hex", Strictness("spark_to_binary_hex"));
  registry.AddScalar("conv", Strictness("spark_conv"));
  registry.AddScalar("width_bucket",
                     Template("spark_width_bucket(CAST($1 AS DOUBLE), CAST($2 AS DOUBLE), CAST($3 AS DOUBLE), $4)"));
  registry.AddScalar("e", Template("2.718281828459045::DOUBLE"));
  registry.AddScalar("pi", Template("3.141592653589793::DOUBLE"));
  registry.AddScalar("greatest", ExtremeOf("greatest", "spark_array_max"));
  registry.AddScalar("least", ExtremeOf("least", "spark_array_min"));
  registry.AddScalar("bitwise_and", Template("$1 & $2"));
  registry.AddScalar("bitwise_or", Template("$1 | $2"));
  registry.AddScalar("bitwise_xor", Template("xor($1, $2)"));
  registry.AddScalar("bitwise_not", Template("~$1"));
  registry.AddScalar("bit_count", Template("bit_count(CAST($1 AS BIGINT))"));
}

}  // namespace frazil::engine
