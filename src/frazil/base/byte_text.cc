#include "frazil/base/byte_text.h"

#include <cstdint>

namespace frazil {
namespace {

constexpr char kLowerDigits[] = "0123456789abcdef";
constexpr char kUpperDigits[] = "0123456789ABCDEF";
constexpr char kBase64Digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string Hex(std::string_view bytes, const char* digits) {
  std::string text(bytes.size() * 2, '\0');
  char* out = text.data();
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out++ = digits[byte >> 4];
    *out++ = digits[byte & 15];
  }
  return text;
}

}  // namespace

int HexDigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string HexLower(std::string_view bytes) { return Hex(bytes, kLowerDigits); }
std::string HexUpper(std::string_view bytes) { return Hex(bytes, kUpperDigits); }

void AppendPercentEncoded(char byte, std::string* out) {
  *out += '%';
  *out += kUpperDigits[static_cast<unsigned char>(byte) >> 4];
  *out += kUpperDigits[static_cast<unsigned char>(byte) & 15];
}

std::string PercentDecode(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool has_room = text[i] == '%' && i + 2 < text.size();
    const int high = has_room ? HexDigitValue(text[i + 1]) : -1;
    const int low = has_room ? HexDigitValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::string UriPathEncode(std::string_view text) {
  std::string encoded;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-_.!~*'()/:@&=+$,;").find(c) != std::string_view::npos;
    if (plain) {
      encoded += c;
    } else {
      AppendPercentEncoded(c, &encoded);
    }
  }
  return encoded;
}

std::string UrlEncode(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
        c == '*' || c == '_') {
      result += c;
    } else if (c == ' ') {
      result += '+';
    } else {
      AppendPercentEncoded(c, &result);
    }
  }
  return result;
}

std::string Base64Encode(std::string_view bytes) {
  std::string result((bytes.size() + 2) / 3 * 4, '=');
  char* out = result.data();
  const auto byte = [&](size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : uint32_t{0}; };
  for (size_t i = 0; i < bytes.size(); i += 3, out += 4) {
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out[0] = kBase64Digits[group >> 18];
    out[1] = kBase64Digits[(group >> 12) & 63];
    if (i + 1 < bytes.size()) out[2] = kBase64Digits[(group >> 6) & 63];
    if (i + 2 < bytes.size()) out[3] = kBase64Digits[group & 63];
  }
  return result;
}

}  // namespace frazil
