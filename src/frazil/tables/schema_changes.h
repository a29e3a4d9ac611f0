#pragma once

// The changes that make one schema of another: for tables whose columns evolve with what is written to them.

#include <string>
#include <vector>

#include "frazil/tables/table.h"

namespace frazil::tables {

/// What makes the columns of `before` those of `after`, which has them and more, at every level, and wider types.
/// Elements of arrays are called "element", those of maps "key" and "value".
std::vector<TableChange> ChangesBetween(const DataTypePtr& before, const DataTypePtr& after);

}  // namespace frazil::tables
