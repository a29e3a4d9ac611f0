#pragma once

#include <cstdint>

#include "frazil/tables/delta/snapshot.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

/// Deletes what no version within delta.logRetentionDuration (30 days) needs from a log: commits, checkpoints and
/// checksums before the newest checkpoint that is older than that. To be called when a checkpoint has been written.
/// Nothing where delta.enableExpiredLogCleanup is false, or the feature checkpointProtection keeps the past. Source:
/// PROTOCOL.md, "Metadata Cleanup".
Status CleanUpLog(const TableContext& context, const std::string& log, const Snapshot& snapshot, int64_t now_ms);

}  // namespace frazil::tables::delta
