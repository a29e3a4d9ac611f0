#pragma once

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_metadata.h"
#include "frazil/tables/table.h"

namespace frazil::tables::iceberg {

/// IllegalArgumentException where an age or a number of snapshots to keep is not positive.
Status CheckRetention(const SnapshotRef& ref);

/// kSetReference and kDropReference: CREATE, REPLACE and DROP of branches and tags. Errors have Iceberg's texts.
Status ApplyReferenceChange(const TableChange& change, const std::string& table_name, TableMetadata* metadata);

}  // namespace frazil::tables::iceberg
