#pragma once

#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/tables/table.h"

namespace frazil::commands {

/// Writes the rows of a plan (columns already those of the table, in its order) and commits. On any failure nothing is left behind.
/// A conflict that rebasing cannot mend becomes Iceberg's ValidationException-like error.
Status WriteRows(const tables::Table& table, const tables::WriteOptions& options, const plan::LogicalPlanPtr& rows, CommandContext& context);

/// Commits a started write; turns a lost race into an error.
Status CommitWrite(tables::TableWrite& write);

/// Options with keys in lower case, as tables take them.
std::map<std::string, std::string> LowerKeys(const std::map<std::string, std::string>& options);

}  // namespace frazil::commands
