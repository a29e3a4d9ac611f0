#pragma once

// Arguments that the functions of JSON, CSV and XML have in common: schema and options. Internal to functions/.

#include <map>
#include <string>

#include "frazil/functions/signature.h"

namespace frazil::functions {

/// The options as a JSON object, which is what the implementation takes. Errors: INVALID_OPTIONS.*
Result<ExpressionPtr> OptionsArgument(const FunctionCall& call, size_t index);
/// The same as a map, keys in lower case; empty where there are none.
std::map<std::string, std::string> OptionsOf(const FunctionCall& call, size_t index);
/// The schema that a constant text says. Error INVALID_SCHEMA.NON_STRING_LITERAL.
Result<DataTypePtr> SchemaArgument(const ExpressionPtr& argument);

}  // namespace frazil::functions
