#pragma once

#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/table.h"

namespace frazil::catalogs {

/// Changes of ALTER TABLE to a table that the catalog itself describes: its columns, properties, comment and location.
/// Formats with metadata of their own change theirs. Errors FIELD_NOT_FOUND, FIELD_ALREADY_EXISTS,
/// UNSUPPORTED_FEATURE.TABLE_OPERATION.
Status ApplyChanges(const std::vector<tables::TableChange>& changes, tables::TableDefinition* definition);

}  // namespace frazil::catalogs
