#include "frazil/net/url.h"

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"

namespace frazil::net {
namespace {

bool IsUnreserved(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
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
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsUnreserved(byte) || (keep_slash && c == '/')) {
      result += c;
    } else {
      AppendPercentEncoded(c, &result);
    }
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
