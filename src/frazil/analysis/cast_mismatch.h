#pragma once

#include <string>

#include "frazil/base/error.h"
#include "frazil/expressions/expression.h"
#include "frazil/types/data_type.h"

namespace frazil::analysis {

/// DATATYPE_MISMATCH.CAST_*: there is no such cast. `sql`: what is cast, or the whole cast, unquoted. With the
/// functions that convert between the types where there are some, or with the setting that allows the cast.
/// https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#cast
Error CastMismatch(const std::string& sql, const DataType& from, const DataType& to, EvalMode mode);

}  // namespace frazil::analysis
