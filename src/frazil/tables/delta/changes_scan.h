#pragma once

#include <string>
#include <vector>

#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::delta {

/// The change feed of some versions: the table's columns, then _change_type, _commit_version and _commit_timestamp.
/// Source: PROTOCOL.md, "Reader Requirements for AddCDCFile". `newest`: the table's newest state, whose columns the
/// rows get. Errors: versions that do not exist; DELTA_MISSING_CHANGE_DATA where the table kept no feed.
Result<TableScanPtr> MakeChangesScan(const TableContext& context, const DeltaLogPtr& log, const SnapshotPtr& newest,
                                     int64_t first_version, int64_t last_version);

/// Files of a state as a feed in which their rows were all inserted at its version.
Result<TableScanPtr> MakeInsertsScan(const TableContext& context, const DeltaLogPtr& log, const SnapshotPtr& snapshot,
                                     const std::vector<FileActionPtr>& files);

/// The columns that a feed has behind those of the table.
std::vector<StructField> FeedColumns();

}  // namespace frazil::tables::delta
