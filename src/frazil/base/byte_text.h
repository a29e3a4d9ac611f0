#pragma once

#include <string>
#include <string_view>

namespace frazil {

/// 0 to 15 for a hexadecimal digit of either case, -1 for any other character.
int HexDigitValue(char c);
/// Two digits a byte: "0aff", "0AFF".
std::string HexLower(std::string_view bytes);
std::string HexUpper(std::string_view bytes);

/// Appends "%2F" for '/'.
void AppendPercentEncoded(char byte, std::string* out);
/// "a%2Fb" -> "a/b"; a '%' without two hexadecimal digits behind it stays as it is.
std::string PercentDecode(std::string_view text);
/// A path as Java's URIs write it: what may not stand there is escaped, '/' and ':' stay.
std::string UriPathEncode(std::string_view text);
/// application/x-www-form-urlencoded as java.net.URLEncoder: a blank is '+', and "*-._" stay.
std::string UrlEncode(std::string_view text);

/// RFC 4648, with padding.
std::string Base64Encode(std::string_view bytes);

}  // namespace frazil
