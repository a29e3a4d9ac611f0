#pragma once

#include "frazil/commands/command_context.h"
#include "frazil/types/row_set.h"

namespace frazil::commands {

/// Answers spark.catalog.* (Spark Connect's Catalog messages): one column "value" for single answers, Spark's columns
/// for lists.
Result<RowSet> RunCatalogCall(const plan::CatalogCallPlan& call, CommandContext& context);

}  // namespace frazil::commands
