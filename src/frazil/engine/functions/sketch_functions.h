#pragma once

// Sketches on the lowering hook. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

/// HLL, Theta, count-min.
void RegisterSketchFunctions(FunctionLoweringRegistry& registry);
/// KLL.
void RegisterKllFunctions(FunctionLoweringRegistry& registry);

}  // namespace frazil::engine
