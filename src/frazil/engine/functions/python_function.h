#pragma once

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

/// Calls of the user's Python functions (expressions/python_call.h). Internal to engine/.
void RegisterPythonFunctions(FunctionLoweringRegistry& registry);

}  // namespace frazil::engine
