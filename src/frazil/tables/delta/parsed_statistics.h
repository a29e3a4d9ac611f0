#pragma once

#include <cstdint>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/arrow_column.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {

// Statistics that a checkpoint has as columns instead of a text: delta.checkpoint.writeStatsAsStruct without
// ...writeStatsAsJson. Source: PROTOCOL.md, "Checkpoint Schema", stats_parsed.

/// The columns of stats_parsed that are read for a table with this schema: the numbers of rows and of NULLs, and the
/// bounds of integers, dates and texts.
DataTypePtr ParsedStatisticsType(const DataType& schema, ColumnMapping mapping);

/// The same as the text of `stats`; empty where the row has none.
std::string ParsedStatisticsText(const ArrowColumn& statistics, const DataType& type, int64_t row);

}  // namespace frazil::tables::delta
