#pragma once

#include <map>
#include <string>

#include "frazil/base/result.h"

namespace frazil::tables {

/// Options of spark-avro (keys in lower case) that change what is read or written and are not followed here are
/// unsupported by name. Source: https://spark.apache.org/docs/latest/sql-data-sources-avro.html#data-source-option
Status CheckAvroOptions(const std::map<std::string, std::string>& options);

}  // namespace frazil::tables
