// Decimals read from and written as text.

#include <algorithm>
#include <charconv>

#include "frazil/base/text.h"
#include "frazil/types/decimal.h"

namespace frazil {
namespace {

// A number as its significant digits: 0.<digits> * 10^point. Zero has no digits.
struct DigitText {
  bool negative = false;
  std::string digits;         ///< Without leading zeros; trailing zeros as written.
  int64_t point = 0;          ///< Position of the decimal point, counted from the first digit.
  int64_t written_scale = 0;  ///< Digits behind the point less the exponent.
};

std::optional<DigitText> ReadDigits(std::string_view text) {
  DigitText number;
  size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) number.negative = text[at++] == '-';
  bool any = false;
  bool behind_point = false;
  int64_t point = 0;
  int64_t scale = 0;
  for (; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '.' && !behind_point) {
      behind_point = true;
    } else if (character >= '0' && character <= '9') {
      any = true;
      const bool leading_zero = character == '0' && number.digits.empty();
      if (!leading_zero) number.digits += character;
      if (behind_point) {
        ++scale;
        if (leading_zero) --point;
      } else if (!leading_zero) {
        ++point;
      }
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  int64_t exponent = 0;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    ++at;
    bool negative_exponent = false;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative_exponent = text[at++] == '-';
    // Java reads exponents of up to ten digits within the range of int.
    const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (at == text.size() || text[at] == '-' || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
        exponent > 2147483647) {
      return std::nullopt;
    }
    if (negative_exponent) exponent = -exponent;
  }
  number.point = point + exponent;
  number.written_scale = scale - exponent;
  return number;
}

int128 ToInteger(std::string_view digits) {
  int128 value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

}  // namespace

std::string DecimalToString(int128 value, int scale) {
  std::string text = Int128ToString(value);
  if (scale < 0) {
    if (value != 0) text.append(static_cast<size_t>(-scale), '0');
    return text;
  }
  if (scale == 0) return text;
  const size_t sign = value < 0 ? 1 : 0;
  const size_t digits = text.size() - sign;
  const auto wanted = static_cast<size_t>(scale);
  if (digits <= wanted) text.insert(sign, wanted - digits + 1, '0');
  text.insert(text.size() - wanted, ".");
  return text;
}

std::string DecimalToJavaString(int128 value, int scale) {
  std::string text = Int128ToString(value);
  const size_t sign = value < 0 ? 1 : 0;
  const int exponent = static_cast<int>(text.size() - sign) - 1 - scale;
  if (scale >= 0 && exponent >= -6) return DecimalToString(value, scale);
  if (text.size() - sign > 1) text.insert(sign + 1, ".");
  if (exponent != 0) {
    text += exponent > 0 ? "E+" : "E-";
    text += std::to_string(exponent > 0 ? exponent : -exponent);
  }
  return text;
}

std::optional<ParsedDecimal> ParseDecimal(std::string_view text) {
  const auto number = ReadDigits(text);
  if (!number) return std::nullopt;
  ParsedDecimal parsed;
  const int64_t scale = std::max<int64_t>(0, number->written_scale);
  if (scale > kMaxDecimalScale) return std::nullopt;
  parsed.shape.scale = static_cast<int>(scale);
  if (number->digits.empty()) {
    parsed.shape.precision = std::max(1, parsed.shape.scale);
    return parsed;
  }
  const int64_t digits = number->point + scale;  // digits of the unscaled number
  if (digits > kMaxDecimalPrecision) return std::nullopt;
  std::string unscaled = number->digits;
  unscaled.resize(static_cast<size_t>(digits), '0');
  parsed.unscaled = number->negative ? -ToInteger(unscaled) : ToInteger(unscaled);
  parsed.shape.precision = std::max(static_cast<int>(digits), parsed.shape.scale);
  return parsed;
}

DecimalCast CastStringToDecimal(std::string_view text, DecimalShape to) {
  using enum DecimalCast::Outcome;
  const auto number = ReadDigits(TrimControls(text));
  if (!number) return {kMalformed, 0};
  if (number->digits.empty()) return {kValue, 0};
  if (number->point > kMaxDecimalPrecision) return {kOutOfRange, 0};
  const int64_t kept = number->point + to.scale;
  if (kept > kMaxDecimalPrecision) return {kOverflow, 0};
  if (kept < 0) return {kValue, 0};
  std::string digits = number->digits.substr(0, static_cast<size_t>(kept));
  const bool round_up =
      static_cast<size_t>(kept) < number->digits.size() && number->digits[static_cast<size_t>(kept)] >= '5';
  digits.resize(static_cast<size_t>(kept), '0');
  const int128 magnitude = ToInteger(digits) + (round_up ? 1 : 0);
  if (!FitsPrecision(magnitude, to.precision)) return {kOverflow, 0};
  return {kValue, number->negative ? -magnitude : magnitude};
}

}  // namespace frazil
