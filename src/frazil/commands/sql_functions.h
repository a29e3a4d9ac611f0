#pragma once

// Functions of CREATE FUNCTION, as the analysis takes them.

#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/catalogs/function_catalog.h"
#include "frazil/commands/command_context.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

/// The function that a statement makes. `name`: one part for a temporary one, else catalog, namespace and name.
analysis::SqlFunction MakeSqlFunction(const plan::FunctionDdlCommand& command, const std::vector<std::string>& name);

/// A catalog's function, its statement parsed anew; nothing where there is none of that name.
Result<std::optional<analysis::SqlFunction>> LoadSqlFunction(catalogs::FunctionCatalog& functions,
                                                             const catalogs::Identifier& identifier,
                                                             const std::vector<std::string>& full_name,
                                                             const sql::ParserOptions& options);

/// Permanent functions of the current namespace.
Result<std::vector<std::string>> PermanentFunctionNames(CommandContext& context);

}  // namespace frazil::commands
