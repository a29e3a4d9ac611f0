#pragma once

// Names of columns in the texts of Spark Connect messages. Names of tables and functions are SQL:
// sql::ParseMultipartIdentifier.

#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::connect {

/// Column name with dots between its parts and back quotes around parts that hold dots: "a.`b.c`". Other characters
/// stand for themselves. Error INVALID_ATTRIBUTE_NAME_SYNTAX.
Result<std::vector<std::string>> ParseAttributeName(std::string_view name);

}  // namespace frazil::connect
