#pragma once

#include "frazil/commands/command_context.h"
#include "frazil/types/row_set.h"

namespace frazil::commands {

/// Runs a statement that changes or shows something, to its end. The rows are what Spark's statement returns; a struct
/// type without fields where it returns nothing. A failed command leaves everything as it was.
Result<RowSet> RunCommand(const plan::Command& command, CommandContext& context);

}  // namespace frazil::commands
