#pragma once

#include "frazil/types/data_type.h"

namespace frazil {

/// The type with everything in it nullable, at every level: fields, elements, values of maps. What a table made of a
/// query's rows stores, and what a record read from a text may lack.
DataTypePtr AsNullable(const DataTypePtr& type);

}  // namespace frazil
