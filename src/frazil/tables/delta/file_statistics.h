#pragma once

#include <map>
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

/// Gives each leaf of the columns a number of its own, by which the engine reports statistics (ScanColumn::field_id of
/// a write without field ids).
void NumberLeaves(std::vector<ScanColumn>* columns);

/// The text of `stats` for a written file: numRecords, and of the first `indexed_columns` leaves (negative: all) the
/// bounds and numbers of NULLs. `columns` as the write task had them, numbered; those in `left_out` (partition columns)
/// are not in the files.
std::string StatisticsText(const WrittenFile& file, const std::vector<ScanColumn>& columns,
                           const std::vector<std::string>& left_out, int64_t indexed_columns);

}  // namespace frazil::tables::delta
