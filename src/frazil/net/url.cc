#include "frazil/net/url.h"

#include <algorithm>

#include "frazil/base/text.h"

namespace frazil::net {
namespace {

bool IsUnreserved(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Url::ToString() const { return scheme + "://" + host + path + (query.empty() ? "" : "?" + query); }

Result<Url> ParseUrl(std::string_view text) {
  auto bad = [&] {
    // What stands before '@' may be a password.
    size_t at = text.rfind('@');
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "'" + std::string(at == std::string_view::npos ? text : text.substr(at + 1)) +
                            "' is not a URL of http or https");
  };
  size_t mark = text.find("://");
  if (mark == std::string_view::npos) return bad();
  Url url;
  url.scheme = AsciiLower(text.substr(0, mark));
  if (url.scheme != "http" && url.scheme != "https") return bad();
  std::string_view rest = text.substr(mark + 3);
  rest = rest.substr(0, rest.find('#'));
  size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    url.query = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  size_t slash = rest.find('/');
  url.host = rest.substr(0, slash);
  url.path = slash == std::string_view::npos ? "/" : std::string(rest.substr(slash));
  if (url.host.empty() || url.host.find('@') != std::string::npos || url.host.find(' ') != std::string::npos)
    return bad();
  return url;
}

std::string PercentEncode(std::string_view text, bool keep_slash) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsUnreserved(byte) || (keep_slash && c == '/')) {
      result += c;
    } else {
      result += '%';
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result;
}

std::string PercentDecode(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low >= 0) {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string Base64Encode(std::string_view data) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (size_t i = 0; i < data.size(); i += 3) {
    uint32_t bits = 0;
    const size_t count = std::min<size_t>(3, data.size() - i);
    for (size_t j = 0; j < 3; ++j) bits = (bits << 8) | (j < count ? static_cast<unsigned char>(data[i + j]) : 0u);
    for (size_t j = 0; j < 4; ++j) result += j <= count ? kDigits[(bits >> (18 - 6 * j)) & 63] : '=';
  }
  return result;
}

std::string FormEncode(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string result;
  for (const auto& [name, value] : fields) {
    if (!result.empty()) result += '&';
    result += PercentEncode(name) + "=" + PercentEncode(value);
  }
  return result;
}

}  // namespace frazil::net
