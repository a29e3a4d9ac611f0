#pragma once

#include <vector>

#include "frazil/tables/iceberg/table_metadata.h"

namespace frazil::tables::iceberg {

/// A snapshot and those that it grew from, newest first, as far as they are kept. Null: none.
std::vector<const Snapshot*> AncestorsOf(const TableMetadata& metadata, const Snapshot* snapshot);
/// Whether `ancestor` is the snapshot or one that it grew from.
bool IsAncestorOf(const TableMetadata& metadata, const Snapshot* snapshot, int64_t ancestor);

}  // namespace frazil::tables::iceberg
