#pragma once

// XML on the lowering hook. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

void RegisterXmlFunctions(FunctionLoweringRegistry& registry);

}  // namespace frazil::engine
