#include "frazil/types/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "frazil/types/wide_integer_internal.h"

namespace frazil {
namespace {

using uint128 = unsigned __int128;

constexpr auto kPowersOfTen = [] {
  std::array<int128, kMaxDecimalPrecision + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

uint128 Magnitude(int128 value) { return value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value); }

int DigitsOf(uint128 magnitude) {
  int digits = 1;
  while (digits <= kMaxDecimalPrecision && magnitude >= static_cast<uint128>(kPowersOfTen[digits])) ++digits;
  return digits;
}

// magnitude * 10^exponent. Precondition: the product fits, which holds up to 77 digits.
UInt256 TimesPowerOfTen(UInt256 magnitude, int exponent) {
  constexpr int kChunk = 19;
  for (; exponent > 0; exponent -= kChunk) {
    magnitude.MultiplySmall(static_cast<uint64_t>(kPowersOfTen[std::min(exponent, kChunk)]));
  }
  return magnitude;
}

// Whether a quotient is rounded away from zero.
bool RoundsUp(DecimalRounding rounding, bool negative, const UInt256& quotient, const UInt256& remainder,
              const UInt256& divisor) {
  if (remainder.IsZero()) return false;
  UInt256 rest = divisor;
  rest.Subtract(remainder);
  const int half = remainder.Compare(rest);  // remainder against half of the divisor, without doubling it
  switch (rounding) {
    case DecimalRounding::kHalfUp:
      return half >= 0;
    case DecimalRounding::kHalfEven:
      return half > 0 || (half == 0 && (quotient.words[0] & 1) != 0);
    case DecimalRounding::kDown:
      return false;
    case DecimalRounding::kUp:
      return true;
    case DecimalRounding::kCeiling:
      return !negative;
    case DecimalRounding::kFloor:
      return negative;
  }
  return false;
}

std::optional<int128> ToSigned(bool negative, const UInt256& magnitude, int precision) {
  if (!magnitude.FitsUInt128() || magnitude.ToUInt128() >= static_cast<uint128>(PowerOfTen(precision))) {
    return std::nullopt;
  }
  const auto value = static_cast<int128>(magnitude.ToUInt128());
  return negative ? -value : value;
}

std::optional<int128> DivideRounded(bool negative, const UInt256& dividend, const UInt256& divisor, int precision,
                                    DecimalRounding rounding) {
  UInt256 remainder;
  UInt256 quotient = dividend.Divide(divisor, &remainder);
  if (RoundsUp(rounding, negative, quotient, remainder, divisor)) quotient.Add(UInt256::Of(1));
  return ToSigned(negative, quotient, precision);
}

// The number magnitude / 10^from_scale as a value of `to`.
std::optional<int128> Finish(bool negative, const UInt256& magnitude, int from_scale, DecimalShape to,
                             DecimalRounding rounding) {
  const int shift = to.scale - from_scale;
  if (shift >= 0) {
    if (magnitude.IsZero()) return 0;
    if (!magnitude.FitsUInt128()) return std::nullopt;
    if (DigitsOf(magnitude.ToUInt128()) + shift > kMaxDecimalPrecision) return std::nullopt;
    return ToSigned(negative, TimesPowerOfTen(magnitude, shift), to.precision);
  }
  return DivideRounded(negative, magnitude, TimesPowerOfTen(UInt256::Of(1), -shift), to.precision, rounding);
}

struct Aligned {
  UInt256 left;
  UInt256 right;
  int scale = 0;
};

Aligned Align(int128 left, int left_scale, int128 right, int right_scale) {
  const int scale = std::max(left_scale, right_scale);
  return {TimesPowerOfTen(UInt256::Of(Magnitude(left)), scale - left_scale),
          TimesPowerOfTen(UInt256::Of(Magnitude(right)), scale - right_scale), scale};
}

std::optional<int128> AddSigned(int128 left, int left_scale, int128 right, int right_scale, bool negate_right,
                                DecimalShape result) {
  Aligned aligned = Align(left, left_scale, right, right_scale);
  const bool left_negative = left < 0;
  const bool right_negative = (right < 0) != negate_right;
  if (left_negative == right_negative) {
    aligned.left.Add(aligned.right);
    return Finish(left_negative, aligned.left, aligned.scale, result, DecimalRounding::kHalfUp);
  }
  if (aligned.left.Compare(aligned.right) >= 0) {
    aligned.left.Subtract(aligned.right);
    return Finish(left_negative, aligned.left, aligned.scale, result, DecimalRounding::kHalfUp);
  }
  aligned.right.Subtract(aligned.left);
  return Finish(right_negative, aligned.right, aligned.scale, result, DecimalRounding::kHalfUp);
}

std::optional<int128> Divide(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result,
                             DecimalRounding rounding) {
  if (left == 0) return 0;
  const bool negative = (left < 0) != (right < 0);
  const int shift = result.scale + right_scale - left_scale;
  const UInt256 dividend = UInt256::Of(Magnitude(left));
  const UInt256 divisor = UInt256::Of(Magnitude(right));
  if (shift >= 0) {
    // With more digits the quotient has more than 38.
    if (DigitsOf(Magnitude(left)) + shift > 77) return std::nullopt;
    return DivideRounded(negative, TimesPowerOfTen(dividend, shift), divisor, result.precision, rounding);
  }
  return DivideRounded(negative, dividend, TimesPowerOfTen(divisor, -shift), result.precision, rounding);
}

}  // namespace

int128 PowerOfTen(int exponent) { return kPowersOfTen[static_cast<size_t>(exponent)]; }

bool FitsPrecision(int128 value, int precision) {
  return Magnitude(value) < static_cast<uint128>(PowerOfTen(precision));
}

int DigitCount(int128 value) { return DigitsOf(Magnitude(value)); }

std::optional<int128> Rescale(int128 value, int from_scale, int to_scale, DecimalRounding rounding) {
  return RescaleTo(value, from_scale, {kMaxDecimalPrecision, to_scale}, rounding);
}

std::optional<int128> RescaleTo(int128 value, int from_scale, DecimalShape to, DecimalRounding rounding) {
  return Finish(value < 0, UInt256::Of(Magnitude(value)), from_scale, to, rounding);
}

std::optional<int128> AddDecimals(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result) {
  return AddSigned(left, left_scale, right, right_scale, false, result);
}

std::optional<int128> SubtractDecimals(int128 left, int left_scale, int128 right, int right_scale,
                                       DecimalShape result) {
  return AddSigned(left, left_scale, right, right_scale, true, result);
}

std::optional<int128> MultiplyDecimals(int128 left, int left_scale, int128 right, int right_scale,
                                       DecimalShape result) {
  return Finish((left < 0) != (right < 0), UInt256::Product(Magnitude(left), Magnitude(right)),
                left_scale + right_scale, result, DecimalRounding::kHalfUp);
}

std::optional<int128> DivideDecimals(int128 left, int left_scale, int128 right, int right_scale, DecimalShape result) {
  return Divide(left, left_scale, right, right_scale, result, DecimalRounding::kHalfUp);
}

std::optional<int128> IntegralDivideDecimals(int128 left, int left_scale, int128 right, int right_scale,
                                             DecimalShape result) {
  return Divide(left, left_scale, right, right_scale, {result.precision, 0}, DecimalRounding::kDown);
}

std::optional<int128> RemainderDecimals(int128 left, int left_scale, int128 right, int right_scale,
                                        DecimalShape result) {
  const Aligned aligned = Align(left, left_scale, right, right_scale);
  UInt256 remainder;
  aligned.left.Divide(aligned.right, &remainder);
  return Finish(left < 0, remainder, aligned.scale, result, DecimalRounding::kHalfUp);
}

int CompareDecimals(int128 left, int left_scale, int128 right, int right_scale) {
  if ((left < 0) != (right < 0)) return left < 0 ? -1 : 1;
  if (left_scale == right_scale) return left < right ? -1 : (left > right ? 1 : 0);
  const Aligned aligned = Align(left, left_scale, right, right_scale);
  const int order = aligned.left.Compare(aligned.right);
  return left < 0 ? -order : order;
}

double DecimalToDouble(int128 value, int scale) {
  const std::string text = Int128ToString(value) + "e" + std::to_string(-scale);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::optional<int128> DoubleToDecimal(double value, DecimalShape to) {
  char buffer[64];
  const auto written = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  const auto cast = CastStringToDecimal(std::string_view(buffer, static_cast<size_t>(written.ptr - buffer)), to);
  if (cast.outcome != DecimalCast::Outcome::kValue) return std::nullopt;
  return cast.unscaled;
}

std::string Int128ToString(int128 value) {
  char buffer[48];
  char* at = buffer + sizeof(buffer);
  uint128 rest = Magnitude(value);
  do {
    *--at = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) *--at = '-';
  return {at, static_cast<size_t>(buffer + sizeof(buffer) - at)};
}

}  // namespace frazil
