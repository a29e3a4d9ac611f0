#pragma once

// Statements on tables whose name is that of a view, and the other way round.

#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"

namespace frazil::commands {

/// A temporary view's name, or a global one's ("global_temp.v").
bool IsTempView(const std::vector<std::string>& parts, CommandContext& context);

/// The full name of the view that a name stands for: as written for temporary ones, with its catalog for others.
/// Nullopt where it is no view's.
std::optional<std::vector<std::string>> ViewNamed(const std::vector<std::string>& parts, CommandContext& context);

/// What an operation on tables says to a view.
struct ViewRefusal {
  const char* operation = "";  ///< As in the message: "ALTER TABLE ... ADD COLUMN".
  /// Its parameters are the operation and the view, the view alone, or none.
  const char* condition = "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE";
  const char* temporary = nullptr;  ///< The condition for temporary views, where it is another one.
};

/// As ResolveTableName, but the refusal's error where the name is a view's.
Result<analysis::ResolvedTable> ResolveTableName(const plan::NameClause& name, const ViewRefusal& refusal,
                                                 CommandContext& context);

/// The error of ALTER VIEW and the like on a table: EXPECT_VIEW_NOT_TABLE with `alternative`.
Error ExpectView(const std::string& operation, const char* alternative, const std::vector<std::string>& table);

/// The error of a namespace that is not there; Spark's session catalog says that it has no namespaces within others.
Error NoNamespace(const catalogs::Catalog& catalog, const catalogs::Namespace& name_space);

/// Whether a table of this name has too many parts for Spark's session catalog: REQUIRES_SINGLE_PART_NAMESPACE.
Status CheckNamespace(const analysis::ResolvedIdentifier& name);

}  // namespace frazil::commands
