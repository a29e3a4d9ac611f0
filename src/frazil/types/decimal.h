#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil {

inline constexpr int kMaxDecimalPrecision = 38;
inline constexpr int kMaxDecimalScale = 38;
/// Digits behind the point that are kept when precision is lost (spark.sql.decimalOperations.allowPrecisionLoss).
inline constexpr int kMinimumAdjustedScale = 6;

/// Precision (digits in all) and scale (digits behind the point) of a decimal type.
struct DecimalShape {
  int precision = 0;
  int scale = 0;
  bool operator==(const DecimalShape&) const = default;
};

inline DecimalShape ShapeOf(const DataType& decimal) { return {decimal.precision(), decimal.scale()}; }
inline DataTypePtr DecimalOf(DecimalShape shape) { return DataType::Decimal(shape.precision, shape.scale); }

// --- result types (Spark's decimal arithmetic rules) ----------------------------------------------------------------

/// Cuts precision and scale at 38.
DecimalShape BoundedDecimal(int precision, int scale);
/// As BoundedDecimal, but what is cut off is taken from the scale, so that no integral digit is lost.
DecimalShape BoundedPreferIntegralDigits(int precision, int scale);
/// The rule for results that need more than 38 digits where precision may be lost: integral digits are kept, and at
/// least min(scale, 6) digits behind the point.
DecimalShape AdjustPrecisionScale(int precision, int scale);

enum class DecimalOperation { kAdd, kSubtract, kMultiply, kDivide, kIntegralDivide, kRemainder };
/// Type of the result. kRemainder covers % and pmod.
DecimalShape DecimalResult(DecimalOperation operation, DecimalShape left, DecimalShape right,
                           bool allow_precision_loss = true);
/// The smallest type that holds the values of both. `retain_fraction_first`:
/// spark.sql.legacy.decimal.retainFractionDigitsOnTruncate.
DecimalShape WiderDecimal(DecimalShape left, DecimalShape right, bool retain_fraction_first = false);
/// The decimal type that stands for a numeric type: byte (3,0), short (5,0), int (10,0), long (20,0), float (14,7),
/// double (30,15); a decimal is itself.
DecimalShape DecimalForType(const DataType& numeric);
/// The tightest type of an integer literal: (number of digits, 0).
DecimalShape DecimalForInteger(int64_t value);
/// Whether every value of `other` (decimal or integral) fits into `shape` without loss.
bool IsWiderThan(DecimalShape shape, const DataType& other);
/// Whether values of `shape` go into `other` (decimal or integral) without loss, as Spark sees it (decimal(19,0) counts
/// as fitting a long).
bool IsTighterThan(DecimalShape shape, const DataType& other);

// --- numbers ---------------------------------------------------------------------------------------------------------

enum class DecimalRounding { kHalfUp, kHalfEven, kDown, kUp, kCeiling, kFloor };

/// 10 to the power of `exponent`, 0..38.
int128 PowerOfTen(int exponent);
/// Whether |value| has at most `precision` digits.
bool FitsPrecision(int128 value, int precision);
/// Digits of |value|; 1 for zero.
int DigitCount(int128 value);
/// The same number at another scale, rounded; nothing if 38 digits do not hold it.
std::optional<int128> Rescale(int128 value, int from_scale, int to_scale,
                              DecimalRounding rounding = DecimalRounding::kHalfUp);
/// Rescales into a type; nothing if it does not fit the precision.
std::optional<int128> RescaleTo(int128 value, int from_scale, DecimalShape to,
                                DecimalRounding rounding = DecimalRounding::kHalfUp);

/// left + right (subtract: left - right), exact within 256 bits, then rounded into `result`; nothing on overflow.
std::optional<int128> AddDecimals(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result);
std::optional<int128> SubtractDecimals(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result);
/// The product, exact within 256 bits, then rounded half up into `result`; nothing on overflow.
std::optional<int128> MultiplyDecimals(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result);
/// The quotient rounded half up into `result`; nothing on overflow. Precondition: right is not zero.
std::optional<int128> DivideDecimals(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result);
/// The quotient without its fraction. Precondition: right is not zero.
std::optional<int128> IntegralDivideDecimals(int128 left, int left_scale, int128 right, int right_scale,
                                             DecimalShape result);
/// The remainder with the sign of `left`. Precondition: right is not zero.
std::optional<int128> RemainderDecimals(int128 left, int left_scale, int128 right, int right_scale,
                                        DecimalShape result);
/// -1, 0, 1: compares numbers of different scales without overflow.
int CompareDecimals(int128 left, int left_scale, int128 right, int right_scale);

/// The double nearest to value / 10^scale.
double DecimalToDouble(int128 value, int scale);
/// The decimal of Spark's CAST(double AS DECIMAL): the double's shortest text, rounded half up; nothing for NaN,
/// infinities and overflow.
std::optional<int128> DoubleToDecimal(double value, DecimalShape to);

/// The digits of an integer.
std::string Int128ToString(int128 value);
/// Plain text with all digits of the scale: "1.50", "-0.01"; a negative scale appends zeros.
std::string DecimalToString(int128 value, int scale);
/// As Java's BigDecimal.toString: exponents where the scale is negative or more than six zeros would follow the point
/// ("1E-7").
std::string DecimalToJavaString(int128 value, int scale);

/// A number read from text, exact.
struct ParsedDecimal {
  int128 unscaled = 0;
  DecimalShape shape;  ///< Tightest type, scale not negative.
};
/// Reads [+-]digits[.digits][e[+-]digits], nothing else around it. More than 38 digits, or a value that no decimal type
/// holds: nothing.
std::optional<ParsedDecimal> ParseDecimal(std::string_view text);
struct DecimalCast {
  enum class Outcome {
    kValue,
    kMalformed,
    kOverflow,    ///< Too large for the type.
    kOutOfRange,  ///< More than 38 digits before the point: too large for any decimal.
  };
  Outcome outcome = Outcome::kMalformed;
  int128 unscaled = 0;
};
/// As Spark's CAST(string AS DECIMAL): a number of any length or exponent, rounded half up; blanks around it are
/// allowed.
DecimalCast CastStringToDecimal(std::string_view text, DecimalShape to);

}  // namespace frazil
