#pragma once

// A plan's rows as files. Internal to engine/.

#include <vector>

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

#include "frazil/engine/statement.h"
#include "frazil/tables/write.h"

namespace frazil::engine {

/// Runs the plan and writes its rows as the task says. On error nothing that was written stays.
Result<std::vector<tables::WrittenFile>> WriteRows(Statement& statement, const FunctionLoweringRegistry& registry,
                                                   const plan::LogicalPlanPtr& plan, const tables::WriteTask& task);

/// Kernels of the partition transforms.
void RegisterWriteFunctions(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
