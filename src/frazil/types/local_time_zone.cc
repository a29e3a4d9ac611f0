#include "frazil/types/local_time_zone.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "frazil/types/time_zone.h"

namespace frazil {

std::string LocalTimeZoneName() {
  const auto known = [](std::string_view name) { return !name.empty() && TimeZone::Find(name).ok(); };
  if (const char* configured = std::getenv("TZ")) {
    std::string_view name = configured;
    if (name.starts_with(':')) name.remove_prefix(1);
    if (known(name)) return std::string(name);
  }
  std::error_code error;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", error).string();
  constexpr std::string_view kFolder = "zoneinfo/";
  if (const size_t at = target.find(kFolder); !error && at != std::string::npos) {
    const std::string name = target.substr(at + kFolder.size());
    // "Etc/UTC" shows as Java shows it: under its short name.
    if (name == "Etc/UTC" || name == "Universal" || name == "Zulu") return "UTC";
    if (known(name)) return name;
  }
  return "UTC";
}

}  // namespace frazil
