#pragma once

#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::net {

/// The parts of an absolute http or https URL (RFC 3986), as written: nothing is decoded.
struct Url {
  std::string scheme;  ///< "http" or "https".
  std::string host;    ///< With the port where one is written; IPv6 in brackets.
  std::string path;    ///< Begins with '/'; "/" where none is written.
  std::string query;   ///< Without '?'.

  std::string ToString() const;
};

/// Error: IllegalArgument for anything that is no http(s) URL; the text is shown without user and password.
Result<Url> ParseUrl(std::string_view text);

/// Every byte that is not unreserved (letters, digits, '-', '.', '_', '~') as %XX, for PercentDecode of
/// base/byte_text.h to read. `keep_slash`: '/' stays.
std::string PercentEncode(std::string_view text, bool keep_slash = false);

/// name=value pairs as application/x-www-form-urlencoded.
std::string FormEncode(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

}  // namespace frazil::net
