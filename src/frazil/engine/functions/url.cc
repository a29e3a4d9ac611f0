// Addresses: parts, encoding, decoding.

#include "frazil/base/byte_text.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// The parts of java.net.URI.
struct UrlParts {
  std::optional<std::string> scheme, authority, user_info, host, path, query, fragment;
};

bool IsUrlCharacter(unsigned char c) {
  if (c >= 0x80) return true;
  return std::isalnum(c) != 0 ||
         std::string_view("-_.!~*'(),;:$&+=?/[]@#%").find(static_cast<char>(c)) != std::string_view::npos;
}

// Nothing where the text is no address.
std::optional<UrlParts> SplitUrl(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (!IsUrlCharacter(c)) return std::nullopt;
    if (c == '%' && (i + 2 >= text.size() || std::isxdigit(static_cast<unsigned char>(text[i + 1])) == 0 ||
                     std::isxdigit(static_cast<unsigned char>(text[i + 2])) == 0))
      return std::nullopt;
  }
  UrlParts parts;
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    parts.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos && colon > 0 &&
      text.substr(0, colon).find_first_of("/?") == std::string_view::npos) {
    if (std::isalpha(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;
    parts.scheme = text.substr(0, colon);
    text = text.substr(colon + 1);
    // mailto:a@b and the like have neither host nor path.
    if (text.empty()) return std::nullopt;
    if (text[0] != '/') return parts;
  }
  if (const size_t question = text.find('?'); question != std::string_view::npos) {
    parts.query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  if (text.starts_with("//")) {
    text = text.substr(2);
    const size_t slash = text.find('/');
    std::string_view authority = text.substr(0, slash);
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
    if (!authority.empty()) {
      parts.authority = authority;
      if (const size_t at = authority.find('@'); at != std::string_view::npos) {
        parts.user_info = authority.substr(0, at);
        authority = authority.substr(at + 1);
      }
      const size_t port = authority.rfind(':');
      if (port != std::string_view::npos && authority.find(']', port) == std::string_view::npos)
        authority = authority.substr(0, port);
      if (!authority.empty()) parts.host = authority;
    }
  }
  parts.path = text;
  return parts;
}

std::optional<std::string> PartOfUrl(std::string_view text, std::string_view part, std::optional<std::string_view> key,
                                     bool strict) {
  const auto parts = SplitUrl(text);
  if (!parts.has_value()) {
    if (strict)
      ThrowSparkError("INVALID_URL", {{"url", std::string(text)}, {"ansiConfig", "\"spark.sql.ansi.enabled\""}});
    return std::nullopt;
  }
  if (key.has_value()) {
    if (part != "QUERY" || !parts->query.has_value()) return std::nullopt;
    const std::string& query = *parts->query;
    size_t begin = 0;
    while (begin <= query.size()) {
      const size_t end = std::min(query.find('&', begin), query.size());
      const std::string pair = query.substr(begin, end - begin);
      const size_t equals = pair.find('=');
      if (equals != std::string::npos && pair.substr(0, equals) == *key) return pair.substr(equals + 1);
      begin = end + 1;
    }
    return std::nullopt;
  }
  if (part == "HOST") return parts->host;
  if (part == "PATH") return parts->path;
  if (part == "QUERY") return parts->query;
  if (part == "REF") return parts->fragment;
  if (part == "PROTOCOL") return parts->scheme;
  if (part == "AUTHORITY") return parts->authority;
  if (part == "USERINFO") return parts->user_info;
  if (part == "FILE") {
    if (!parts->path.has_value()) return std::nullopt;
    return parts->query.has_value() ? *parts->path + "?" + *parts->query : *parts->path;
  }
  return std::nullopt;
}

std::optional<std::string> DecodeUrl(std::string_view text, bool strict) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigitValue(text[i + 1]) : -1,
                low = i + 2 < text.size() ? HexDigitValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        if (strict) ThrowSparkError("CANNOT_DECODE_URL", {{"url", std::string(text)}});
        return std::nullopt;
      }
      result += static_cast<char>(high << 4 | low);
      i += 2;
    }
  }
  return result;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, Boolean = LogicalType::BOOLEAN;
  AddRowKernel(
      loader, "spark_parse_url", {V, V, Boolean}, V,
      [](std::string_view text, std::string_view part, bool strict) {
        return PartOfUrl(text, part, std::nullopt, strict);
      },
      kFallible);
  AddRowKernel(
      loader, "spark_parse_url", {V, V, V, Boolean}, V,
      [](std::string_view text, std::string_view part, std::string_view key, bool strict) {
        return PartOfUrl(text, part, key, strict);
      },
      kFallible);
  AddRowKernel(loader, "spark_url_encode", {V}, V, &UrlEncode);
  AddRowKernel(loader, "spark_url_decode", {V, Boolean}, V, &DecodeUrl, kFallible);
}

}  // namespace

void RegisterUrlFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("parse_url", Strictness("spark_parse_url"));
  registry.AddScalar("url_encode", Direct("spark_url_encode"));
  registry.AddScalar("url_decode",
                     ByMode(Template("spark_url_decode($1, true)"), Template("spark_url_decode($1, true)"),
                            Template("spark_url_decode($1, false)")));
}

}  // namespace frazil::engine
