#pragma once

#include <string_view>

#include "frazil/base/result.h"

namespace frazil {

/// Whether Spark has a collation of this name, in any case: UTF8_BINARY or UTF8_LCASE, UNICODE or the name of a locale,
/// with _CI or _CS, _AI or _AS, _RTRIM. Error COLLATION_INVALID_NAME, with the names that are nearest to it.
/// Source: org.apache.spark.sql.catalyst.util.CollationFactory; SELECT name FROM collations().
Status CheckCollationName(std::string_view name);

}  // namespace frazil
