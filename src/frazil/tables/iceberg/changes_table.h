#pragma once

#include "frazil/tables/iceberg/table_operations.h"
#include "frazil/tables/table.h"

namespace frazil::tables::iceberg {

/// The columns that the table "changes" has behind those of the table.
inline constexpr const char* kChangeOrdinalColumn = "_change_ordinal";
inline constexpr const char* kCommitSnapshotColumn = "_commit_snapshot_id";

/// table.changes: the rows of the data files that snapshots added ("INSERT") and removed ("DELETE"), which says more
/// than changed where files were written anew. Read options start-snapshot-id (exclusive), end-snapshot-id,
/// start-timestamp and end-timestamp (milliseconds). Snapshots with delete files are refused when the rows are read.
/// Source: "Changelog" of Iceberg's Spark documentation, and the rules of BaseIncrementalChangelogScan.
Result<TablePtr> MakeChangesTable(TableOperationsPtr operations, TableMetadataPtr metadata);

}  // namespace frazil::tables::iceberg
