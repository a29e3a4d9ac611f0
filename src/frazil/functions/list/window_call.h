#pragma once

// What makes the call of a window function. Internal to functions/.

#include <string>

#include "frazil/functions/signature.h"

namespace frazil::functions {

/// A call without its window, which the analysis adds; it shows as `sql`.
ExpressionPtr MakeWindow(const FunctionCall& call, std::string function, Arguments arguments, DataTypePtr type,
                         bool nullable, std::string sql);

}  // namespace frazil::functions
