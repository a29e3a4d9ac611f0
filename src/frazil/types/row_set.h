#pragma once

#include <vector>

#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil {

/// A small result held as values: metadata tables, SHOW and DESCRIBE, procedures. `schema` is a struct type; each row
/// has one value a field.
struct RowSet {
  DataTypePtr schema;
  std::vector<std::vector<Value>> rows;
};

}  // namespace frazil
