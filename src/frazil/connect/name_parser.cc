#include "frazil/connect/name_parser.h"

namespace frazil::connect {
namespace {

// Reads a back-quoted part that begins at `at`; leaves `at` behind the closing quote. False when it is not closed.
bool ReadQuotedPart(std::string_view name, size_t* at, std::string* part) {
  for (++*at; *at < name.size(); ++*at) {
    if (name[*at] != '`') {
      *part += name[*at];
    } else if (*at + 1 < name.size() && name[*at + 1] == '`') {
      *part += '`';
      ++*at;
    } else {
      ++*at;
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> ParseAttributeName(std::string_view name) {
  const auto invalid = [&] { return Error::Of("INVALID_ATTRIBUTE_NAME_SYNTAX", {{"name", std::string(name)}}); };
  std::vector<std::string> parts;
  size_t at = 0;
  while (true) {
    std::string part;
    if (at < name.size() && name[at] == '`') {
      if (!ReadQuotedPart(name, &at, &part)) return invalid();
      if (at < name.size() && name[at] != '.') return invalid();
    } else {
      while (at < name.size() && name[at] != '.') {
        if (name[at] == '`') return invalid();
        part += name[at++];
      }
      // "a..b", "a." and ".a" have an empty part; an empty name as a whole is a name.
      if (part.empty() && !(parts.empty() && at == name.size())) return invalid();
    }
    parts.push_back(std::move(part));
    if (at == name.size()) return parts;
    ++at;
    if (at == name.size()) return invalid();
  }
}

}  // namespace frazil::connect
