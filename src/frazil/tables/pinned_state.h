#pragma once

#include "frazil/base/result.h"
#include "frazil/tables/table.h"

namespace frazil::tables {

/// What a table also is whose path can choose a state: folder@v5.
class PinsState {
 public:
  virtual ~PinsState() = default;
  /// The table as the options (a version, or a time) choose it. It is read; what would change it is refused, since that
  /// would change the newest state instead.
  virtual Result<TablePtr> AtState(const ScanOptions& options) const = 0;
};

}  // namespace frazil::tables
