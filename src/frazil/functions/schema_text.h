#pragma once

// Schemas that functions take as text: "a INT, b STRUCT<c: STRING>", "MAP<STRING, INT>", or a schema's JSON. Internal
// to functions/.

#include <string_view>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"

namespace frazil::functions {

/// A type, or the struct type of a list of columns. Errors: PARSE_SYNTAX_ERROR, UNSUPPORTED_DATATYPE.
Result<DataTypePtr> ParseSchemaText(std::string_view text);

}  // namespace frazil::functions
