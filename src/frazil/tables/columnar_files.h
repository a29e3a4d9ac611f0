#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/table_format.h"
#include "frazil/tables/write.h"
#include "frazil/types/arrow_c.h"
#include "frazil/types/row_set.h"

namespace frazil::tables {

/// Files that hold a table's metadata (Delta's checkpoints; Iceberg's position deletes, of any of its formats), as
/// vectors. The engine implements it, since decoding and encoding of columns is its matter; formats get it when they
/// are made. Thread-safe.
class ColumnarFiles {
 public:
  virtual ~ColumnarFiles() = default;
  /// Hands the rows of a file to `consume`, batch by batch, in the file's order. `schema` is a struct type: its fields
  /// are found by name at every level; those that the file lacks are NULL. An error of `consume` ends the reading.
  virtual Status Read(const TableContext& context, const std::string& path, const DataTypePtr& schema,
                      const std::function<Status(const ArrowBatch&)>& consume,
                      FileFormat format = FileFormat::kParquet) const = 0;
  /// Writes rows as one new file in a folder and returns its path: folder/prefix followed by something of the engine's
  /// choice. Not synced.
  virtual Result<std::string> Write(const TableContext& context, const std::string& folder, const std::string& prefix,
                                    const ArrowTablePtr& rows) const = 0;
  /// Writes rows as a task says: Iceberg's position delete files. Not synced.
  virtual Result<std::vector<WrittenFile>> WriteFiles(const TableContext& context, const WriteTask& task,
                                                      const ArrowTablePtr& rows) const = 0;
  /// The positions, ascending, of the rows of the first plan's only file that are equal to a row of the second's files
  /// in all columns (NULL equals NULL). Both plans have the same columns.
  virtual Result<std::vector<int64_t>> MatchingRows(const TableContext& context, ScanPlan rows, ScanPlan others) const {
    (void)context, (void)rows, (void)others;
    return Error::Internal("these files are not compared");
  }
  /// WriteFiles for rows of values, of any types: Iceberg's partition statistics.
  virtual Result<std::vector<WrittenFile>> WriteRows(const TableContext& context, const WriteTask& task,
                                                     std::shared_ptr<const RowSet> rows) const {
    (void)context, (void)task, (void)rows;
    return Error::Internal("these files take no rows of values");
  }
};
using ColumnarFilesPtr = std::shared_ptr<const ColumnarFiles>;

}  // namespace frazil::tables
