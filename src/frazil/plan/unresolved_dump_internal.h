#pragma once

// What the two files of the dump share.

#include <string>

#include "frazil/plan/unresolved_command.h"

namespace frazil::plan {

std::string DumpWindow(const WindowSpecification& window);
std::string DumpCommand(const Command& command);

}  // namespace frazil::plan
