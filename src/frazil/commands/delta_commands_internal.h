#pragma once

// Statements of Delta Lake alone; each in the file of its topic.

#include "frazil/commands/statements_internal.h"
#include "frazil/plan/delta_command.h"

namespace frazil::commands {

/// optimize.cc. `table`: of Delta Lake.
Result<RowSet> RunOptimize(const plan::MaintenanceCommand& command, const analysis::ResolvedTable& table,
                           CommandContext& context);
/// drop_feature.cc
Result<RowSet> RunDropFeature(const plan::DropFeatureCommand& command, CommandContext& context);

}  // namespace frazil::commands
