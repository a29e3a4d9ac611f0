#pragma once

#include "frazil/commands/command_context.h"
#include "frazil/types/row_set.h"

namespace frazil::commands {

/// The columns of what a DELETE, UPDATE or MERGE answers, without rows: nothing is run.
Result<RowSet> AnswerColumns(const plan::Command& command, CommandContext& context);

}  // namespace frazil::commands
