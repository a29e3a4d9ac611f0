#pragma once

#include <memory>
#include <set>

#include "frazil/base/result.h"
#include "frazil/types/row_set.h"

namespace frazil::tables {

/// A scan with rows of its own (TableScan::has_rows) whose columns cost enough that those nobody reads are left out.
class ChosenColumns {
 public:
  virtual ~ChosenColumns() = default;
  /// TableScan::Rows with NULL for every column but those of the indexes.
  virtual Result<std::shared_ptr<const RowSet>> RowsOf(const std::set<size_t>& columns) const = 0;
};

}  // namespace frazil::tables
