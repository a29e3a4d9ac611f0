#pragma once

#include <cstdint>

#include "frazil/types/arrow_c.h"
#include "frazil/types/value.h"

namespace frazil::server {

/// One cell of an Arrow column that is laid out as types/arrow_c.h says. A VARIANT is the list of its two members.
Value ReadCell(const DataType& type, const ArrowArray& column, int64_t row);

}  // namespace frazil::server
