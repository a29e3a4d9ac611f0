#pragma once

#include "frazil/base/result.h"
#include "frazil/types/row_set.h"

namespace frazil::tables {

/// A table that can tell which of its files the store has no more.
class ChecksFiles {
 public:
  virtual ~ChecksFiles() = default;
  /// A row (dataFilePath STRING, dataFileMissing BOOLEAN, deletionVectorPath STRING, deletionVectorFileMissing BOOLEAN)
  /// for each file of the table of which something is gone. Unless `dry_run`, a commit takes the files that are gone
  /// themselves out of the table; one whose deletion vector alone is gone stays, for without it deleted rows would come
  /// back, and without the file the others would be lost.
  virtual Result<RowSet> CheckFiles(bool dry_run) const = 0;
};

}  // namespace frazil::tables
