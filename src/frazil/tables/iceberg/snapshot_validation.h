#pragma once

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/snapshot_producer.h"

namespace frazil::tables::iceberg {

/// Checks that the snapshots between the change's starting point and `parent` (null: an empty branch) do not conflict
/// with it. The error is of kind kConflict, with Iceberg's text.
Status ValidateNoConflicts(const TableOperations& operations, const TableMetadata& base, const Snapshot* parent,
                           const SnapshotChange& change);

}  // namespace frazil::tables::iceberg
