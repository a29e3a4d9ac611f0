#pragma once

// What Delta Lake states beyond the commands and relations that other formats share.

#include <string>

#include "frazil/plan/unresolved_command.h"

namespace frazil::plan {

/// A table that has to be one of Delta Lake (DeltaTable.forPath, forName): error DELTA_MISSING_DELTA_TABLE for others.
struct DeltaTablePlan : NamedTablePlan {};

/// ALTER TABLE table DROP FEATURE feature [TRUNCATE HISTORY]: its commits are the work of the table's upkeep.
struct DropFeatureCommand : MaintenanceCommand {
  std::string feature;
  bool truncate_history = false;
};

/// OPTIMIZE, and REORG TABLE ... APPLY (PURGE).
struct OptimizeCommand : MaintenanceCommand {
  bool full = false;    ///< Clustered tables: also what is in order already.
  bool purges = false;  ///< REORG: files with deleted rows or dropped columns, and these only.
};

/// FSCK REPAIR TABLE table [DRY RUN]: a table whose format can tell which of its files are gone.
struct CheckFilesCommand : MaintenanceCommand {};

/// CONVERT TO DELTA that answers one row, the name by which the table is known now (DeltaTable.convertToDelta).
struct ConvertToDeltaCommand : MaintenanceCommand {
  ConvertToDeltaCommand() { type = Type::kConvert; }
};

}  // namespace frazil::plan
