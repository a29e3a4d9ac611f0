#include "frazil/net/aws/profile_file.h"

#include "frazil/base/text.h"

namespace frazil::net::aws {

std::map<std::string, Profile> ParseProfiles(std::string_view text) {
  std::map<std::string, Profile> profiles;
  Profile* current = nullptr;
  for (const auto& line : Split(text, '\n')) {
    const bool indented = !line.empty() && (line[0] == ' ' || line[0] == '\t');
    std::string_view content = TrimBlanks(line);
    if (content.empty() || content[0] == '#' || content[0] == ';') continue;
    if (content[0] == '[') {
      current = nullptr;
      size_t end = content.find(']');
      if (end == std::string_view::npos) continue;
      std::string_view name = TrimBlanks(content.substr(1, end - 1));
      if (name.starts_with("profile ")) name = TrimBlanks(name.substr(8));
      current = &profiles[std::string(name)];
      continue;
    }
    size_t equals = content.find('=');
    // Indented lines are settings of a setting (s3 = ...).
    if (current == nullptr || indented || equals == std::string_view::npos) continue;
    (*current)[AsciiLower(TrimBlanks(content.substr(0, equals)))] = TrimBlanks(content.substr(equals + 1));
  }
  return profiles;
}

}  // namespace frazil::net::aws
