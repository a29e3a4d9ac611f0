#pragma once

// Aggregates and window functions of the pandas API on Spark. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

void RegisterPandasAggregates(FunctionLoweringRegistry& registry);

}  // namespace frazil::engine
