#pragma once

#include <cstdint>
#include <vector>

#include "frazil/tables/delta/snapshot.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::delta {

// Rows keep an id from file to file. A file gives its rows ids by their position, on from its base row id; the table
// notes the greatest that it has given. Source: PROTOCOL.md, "Row Tracking".

/// The name of the domain with the greatest row id.
inline constexpr const char* kRowTrackingDomain = "delta.rowTracking";

/// Gives the added files that have no row ids new ones, behind those that `base` (may be null) has given, and `version`
/// as that of their rows' last change; notes the greatest id in `domains`. Error for files that do not tell how many
/// rows they have.
Status AssignRowIds(const Snapshot* base, int64_t version, std::vector<FileAction>* files,
                    std::vector<DomainMetadata>* domains);

/// The names under which files keep the ids of rows that come from other files, once the table has
/// delta.enableRowTracking. `former`: the metadata that this follows, whose names stay; may be null.
void NameRowTrackingColumns(const Metadata* former, Metadata* metadata);

/// The columns of tables/row_lineage.h, with its field ids and under the names of the table's files; none where
/// delta.enableRowTracking is not set. Error where the table has it without names.
Result<std::vector<ScanColumn>> RowTrackingColumns(const Metadata& metadata);

}  // namespace frazil::tables::delta
