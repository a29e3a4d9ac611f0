#pragma once

#include <map>
#include <string>
#include <string_view>

namespace frazil::net::aws {

/// Settings of a profile by name.
using Profile = std::map<std::string, std::string>;

/// The profiles of an AWS credentials or config file: [name] or [profile name], then name = value. Lines that are
/// neither are left out. https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
std::map<std::string, Profile> ParseProfiles(std::string_view text);

}  // namespace frazil::net::aws
