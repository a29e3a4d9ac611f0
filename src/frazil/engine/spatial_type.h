#pragma once

// GEOMETRY and GEOGRAPHY in DuckDB: a BLOB of four bytes with the reference system's identifier, least significant
// first, and the well-known binary behind. Internal to engine/.

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"

namespace frazil::engine {

/// Files and rows from outside do not hold spatial values in this form: error UNSUPPORTED_FEATURE for a type that has
/// such values in it.
Status CheckNotSpatial(const DataType& type);

}  // namespace frazil::engine
