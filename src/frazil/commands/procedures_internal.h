#pragma once

// Procedures that need the engine: they read and write rows, not metadata alone.

#include <string>
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

/// A procedure on a name in a catalog, where no table need be.
struct CatalogProcedure {
  std::string name;
  std::vector<tables::ProcedureParameter> parameters;
  size_t table = 0;  ///< Which of them names the table.
  Result<RowSet> (*call)(catalogs::Catalog& catalog, const catalogs::Identifier& identifier,
                         const std::vector<Value>& arguments, CommandContext& context) = nullptr;
};

/// The names of all procedures, in the order of Iceberg's Spark runtime: SHOW PROCEDURES. procedures.cc
std::vector<std::string> ProcedureNames(CommandContext& context);
/// DESCRIBE PROCEDURE. procedures.cc
Result<RowSet> DescribeProcedure(const plan::DescribeCommand& command, CommandContext& context);

/// rewrite_data_files.cc
EngineProcedure RewriteDataFiles();
/// table_statistics.cc
EngineProcedure ComputeTableStatistics();
/// add_files.cc
EngineProcedure AddFiles();
/// import_table.cc
CatalogProcedure Snapshot();
CatalogProcedure Migrate();
/// changelog_view.cc
EngineProcedure CreateChangelogView();
/// register_table.cc
CatalogProcedure RegisterTable();

}  // namespace frazil::commands
