#pragma once

#include "frazil/plan/unresolved_command.h"

namespace frazil::plan {

/// DESCRIBE PROCEDURE catalog.system.name: a routine that is described as a function is, but looked for in a catalog.
struct DescribeProcedureCommand : DescribeCommand {
  DescribeProcedureCommand() { type = Type::kFunction; }
};

}  // namespace frazil::plan
