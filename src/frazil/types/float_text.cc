#include "frazil/types/float_text.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace frazil {
namespace {

// Significant digits "d.ddd" without the point, and the exponent of the first.
struct Digits {
  std::string digits;
  int exponent = 0;
};

Digits ReadScientific(std::string_view text) {
  Digits result;
  const size_t mark = text.find('e');
  for (const char character : text.substr(0, mark)) {
    if (character != '.') result.digits += character;
  }
  std::string_view exponent = text.substr(mark + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  return result;
}

template <typename T>
Digits ShortestDigits(T magnitude) {
  char buffer[64];
  const auto shortest = std::to_chars(buffer, buffer + sizeof(buffer), magnitude, std::chars_format::scientific);
  Digits digits = ReadScientific({buffer, static_cast<size_t>(shortest.ptr - buffer)});
  if (digits.digits.size() == 1) {
    // Java prints two digits at least, and then the closest two: 4.9E-324, where one digit would give 5E-324.
    const auto two = std::to_chars(buffer, buffer + sizeof(buffer), magnitude, std::chars_format::scientific, 1);
    T read_back = 0;
    std::from_chars(buffer, two.ptr, read_back);
    if (read_back == magnitude) digits = ReadScientific({buffer, static_cast<size_t>(two.ptr - buffer)});
  }
  return digits;
}

template <typename T>
std::string ToJavaText(T value) {
  if (std::isnan(value)) return "NaN";
  std::string text = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return text + "Infinity";
  if (value == 0) return text + "0.0";
  auto [digits, exponent] = ShortestDigits(std::abs(value));
  if (exponent >= 7 || exponent < -3) {
    text += digits[0];
    text += '.';
    text += digits.size() > 1 ? digits.substr(1) : "0";
    return text + "E" + std::to_string(exponent);
  }
  if (exponent < 0) {
    text += "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    // The second digit is there for the scientific form only.
    if (digits.size() == 2 && digits[1] == '0') text.pop_back();
    return text;
  }
  const auto integral = static_cast<size_t>(exponent) + 1;
  if (digits.size() < integral + 1) digits.resize(integral + 1, '0');
  return text + digits.substr(0, integral) + "." + digits.substr(integral);
}

}  // namespace

std::string DoubleToString(double value) { return ToJavaText(value); }
std::string FloatToString(float value) { return ToJavaText(value); }

}  // namespace frazil
