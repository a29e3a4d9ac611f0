#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frazil::server {

/// The program: `arguments` without its name. Returns the exit status: 0, 1 where something failed, 2 where the
/// arguments are wrong; that of the script for `run` and `shell`.
int RunCommandLine(const std::vector<std::string>& arguments, std::string_view version);

}  // namespace frazil::server
