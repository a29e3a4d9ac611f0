#pragma once

// Spatial values on the lowering hook. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

void RegisterGeospatialFunctions(FunctionLoweringRegistry& registry);

}  // namespace frazil::engine
