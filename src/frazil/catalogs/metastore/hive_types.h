#pragma once

#include <string>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"

namespace frazil::catalogs {

/// The type that a text of Hive names: "bigint", "decimal(10,2)", "array<struct<a:int,b:string>>". Error
/// UNSUPPORTED_FEATURE for what Spark has no type for (uniontype, Hive's intervals).
/// https://cwiki.apache.org/confluence/display/Hive/LanguageManual+Types
Result<DataTypePtr> ParseHiveType(const std::string& text);

}  // namespace frazil::catalogs
