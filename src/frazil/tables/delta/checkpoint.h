#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frazil/tables/columnar_files.h"
#include "frazil/tables/delta/log_files.h"
#include "frazil/tables/delta/snapshot.h"

namespace frazil::tables::delta {

// Checkpoints: the state of a table in one place. Source: PROTOCOL.md, "Checkpoints" and "Checkpoint Schema".

/// The columns of a checkpoint that are read and written.
const DataTypePtr& CheckpointSchema();

/// Plays a checkpoint, with the sidecars that it names, into the builder.
Status ReadCheckpoint(const TableContext& context, const ColumnarFiles& files, const std::string& log,
                      const CheckpointFiles& checkpoint, SnapshotBuilder* builder);

/// Writes a classic checkpoint of the snapshot and _last_checkpoint. Tombstones older than the table's
/// delta.deletedFileRetentionDuration are left out.
Status WriteCheckpoint(const TableContext& context, const ColumnarFiles& files, const std::string& log,
                       const Snapshot& snapshot, int64_t now_ms);

/// Milliseconds of a property's interval ("interval 1 week", "interval 30 days"); nullopt where it is none.
std::optional<int64_t> IntervalMillis(const std::string& text);

}  // namespace frazil::tables::delta
