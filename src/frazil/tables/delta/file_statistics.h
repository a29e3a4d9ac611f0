#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/json.h"
#include "frazil/expressions/min_max.h"
#include "frazil/tables/delta/schema.h"
#include "frazil/tables/write.h"

namespace frazil::tables::delta {

// The statistics that the log keeps of each file. Source: PROTOCOL.md, "Per-file Statistics".

/// The bounds of a column (path of physical names) that a file's statistics give. Timestamps have milliseconds there,
/// so that the greatest is rounded up.
std::optional<ColumnBounds> BoundsOf(const JsonValue& stats, const std::vector<std::string>& path,
                                     const DataType& type);

/// The bounds of one file's columns that were asked for: the text of the statistics is read once for each column,
/// whatever the number of queries. Thread-safe.
class BoundsCache {
 public:
  /// `stats`: of the file, always the same.
  std::optional<ColumnBounds> Find(const std::string& stats, const std::vector<std::string>& path,
                                   const DataType& type);

 private:
  struct Entry {
    std::vector<std::string> path;
    TypeId type;
    std::optional<ColumnBounds> bounds;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

/// Gives each leaf of the columns a number of its own, by which the engine reports statistics (ScanColumn::field_id of
/// a write without field ids).
void NumberLeaves(std::vector<ScanColumn>* columns);

/// The text of `stats` for a written file: numRecords, and of the first `indexed_columns` leaves (negative: all) the
/// bounds and numbers of NULLs. `columns` as the write task had them, numbered; those in `left_out` (partition columns)
/// are not in the files.
std::string StatisticsText(const WrittenFile& file, const std::vector<ScanColumn>& columns,
                           const std::vector<std::string>& left_out, int64_t indexed_columns);

/// The same statistics for the file with rows deleted by a vector: the bounds hold, but need not be met any more.
std::string WithWideBounds(const std::string& stats);

}  // namespace frazil::tables::delta
