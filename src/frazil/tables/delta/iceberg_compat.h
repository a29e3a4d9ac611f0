#pragma once

#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/delta/snapshot.h"

namespace frazil::tables::delta {

// Tables that keep to what Iceberg can do, so that others can make Iceberg tables of their files. Source: PROTOCOL.md,
// "Iceberg Compatibility V1" and "V2"; Delta's IcebergCompat.

/// The version (1, 2, 3) whose rules a table keeps: delta.enableIcebergCompatVn. 0: none.
int IcebergCompatVersion(const Metadata& metadata);

/// Gives a table that comes into being what its version takes: column mapping, where nothing is said of it.
void CompleteIcebergCompat(Metadata* metadata);

/// Whether data files hold the partition columns too, behind all others.
bool WritesPartitionColumns(const Protocol& protocol, const Metadata& metadata);

/// Checks the rules for a table as a commit leaves it. `former`: the state before it, null where there is none;
/// `files`: what it adds. Error DELTA_ICEBERG_COMPAT_VIOLATION.*.
Status CheckIcebergCompat(const Snapshot* former, const Protocol& protocol, const Metadata& metadata,
                          const DataType& schema, const std::vector<FileAction>& files);

}  // namespace frazil::tables::delta
