#include "frazil/sql/variable_substitution.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace frazil::sql {
namespace {

using Setting = std::function<std::optional<std::string>(std::string_view)>;

// Values may refer to others, and these back to the first.
constexpr int kDeepest = 20;

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<std::string> ValueOf(std::string_view reference, const Setting& setting) {
  const size_t colon = reference.find(':');
  const bool has_prefix =
      colon != std::string_view::npos && colon > 0 && colon + 1 < reference.size() &&
      std::all_of(reference.begin(), reference.begin() + static_cast<std::ptrdiff_t>(colon), IsWord);
  if (!has_prefix) return setting(reference).value_or(std::string());
  const auto prefix = reference.substr(0, colon);
  const auto name = reference.substr(colon + 1);
  if (prefix == "env") {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  if (prefix == "hiveconf" || prefix == "hivevar" || prefix == "spark" || prefix == "sparkconf")
    return setting(name).value_or(std::string());
  return std::nullopt;
}

std::string Substitute(std::string_view text, const Setting& setting, int depth) {
  std::string result;
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = text.find("${", at);
    if (start == std::string_view::npos) break;
    // One character at least, no blanks, up to the first brace after it.
    size_t end = start + 2;
    while (end < text.size() && !IsBlank(text[end]) && (end == start + 2 || text[end] != '}')) ++end;
    if (end >= text.size() || text[end] != '}') {
      result += text.substr(at, start + 2 - at);
      at = start + 2;
      continue;
    }
    result += text.substr(at, start - at);
    const auto value = ValueOf(text.substr(start + 2, end - start - 2), setting);
    if (value && depth < kDeepest) {
      result += Substitute(*value, setting, depth + 1);
    } else {
      result += text.substr(start, end + 1 - start);
    }
    at = end + 1;
  }
  result += text.substr(at);
  return result;
}

}  // namespace

std::string SubstituteVariables(std::string_view text, const Setting& setting) {
  if (text.find("${") == std::string_view::npos || !setting) return std::string(text);
  if (setting("spark.sql.variable.substitute").value_or("true") == "false") return std::string(text);
  return Substitute(text, setting, 0);
}

}  // namespace frazil::sql
