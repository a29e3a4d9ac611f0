#pragma once

// Procedures that need the engine: they read and write rows, not metadata alone.

#include <string_view>
#include <vector>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"
#include "frazil/tables/procedure.h"
#include "frazil/types/row_set.h"

namespace frazil::commands {

struct EngineProcedure {
  std::string format;  ///< Of the tables that it is for.
  std::string name;
  std::vector<tables::ProcedureParameter> parameters;  ///< After "table", as in TableProcedure.
  Result<RowSet> (*call)(const analysis::ResolvedTable& table, const std::vector<Value>& arguments,
                         CommandContext& context) = nullptr;
};

/// rewrite_data_files.cc
EngineProcedure RewriteDataFiles();

}  // namespace frazil::commands
