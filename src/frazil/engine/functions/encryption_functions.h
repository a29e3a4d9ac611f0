#pragma once

// AES on the lowering hook. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

void RegisterEncryptionFunctions(FunctionLoweringRegistry& registry);

}  // namespace frazil::engine
