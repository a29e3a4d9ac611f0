#pragma once

#include <cstdint>
#include <optional>

#include "frazil/tables/delta/snapshot.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

/// Deletes what no version within delta.logRetentionDuration (30 days) needs from a log: commits, checkpoints and
/// checksums before the newest checkpoint that is older than that. To be called when a checkpoint has been written.
/// Nothing where delta.enableExpiredLogCleanup is false, or where the feature checkpointProtection wants versions to go
/// all at once that are not all old enough. `retention_ms`: another period than the table's, to the minute. Source:
/// PROTOCOL.md, "Metadata Cleanup" and "Checkpoint Protection".
Status CleanUpLog(const TableContext& context, const std::string& log, const Snapshot& snapshot, int64_t now_ms,
                  std::optional<int64_t> retention_ms = std::nullopt);

}  // namespace frazil::tables::delta
