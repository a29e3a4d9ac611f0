#pragma once

#include "frazil/tables/scan.h"

namespace frazil::tables {

/// A scan of a table to which a commit must know whether its statement has read the table (Delta): what others commit
/// meanwhile conflicts with it then.
class LocatedScan : public TableScan {
 public:
  /// The table's folder, as Table::location gives it.
  virtual const std::string& table_location() const = 0;
  /// Whether rows have ids of their own (row tracking), which Spark shows in the column _metadata.
  virtual bool tracks_rows() const { return false; }
};

}  // namespace frazil::tables
