#pragma once

// Functions that only the DataFrame API and pandas API on Spark call: SQL texts do not see them, nor do lists of
// functions. Source: pyspark.sql.internal, pyspark.sql.functions.product and unwrap_udt.

#include <string_view>

#include "frazil/functions/function.h"
#include "frazil/functions/signature.h"

namespace frazil::functions {

/// The internal function of that name (lower case), or nullptr.
const FunctionDefinition* FindInternalFunction(std::string_view name);

void AddInternalFunctions(FunctionList& list);

}  // namespace frazil::functions
