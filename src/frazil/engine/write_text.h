#pragma once

// Rows as CSV, JSON lines or plain text files. Internal to engine/.

#include "frazil/engine/statement.h"
#include "frazil/tables/write.h"

namespace frazil::engine {

Result<std::vector<tables::WrittenFile>> WriteTextRows(Statement& statement, const FunctionLoweringRegistry& registry, const plan::LogicalPlanPtr& plan,
                                                       const tables::WriteTask& task);

}  // namespace frazil::engine
