#pragma once

#include "frazil/base/result.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/types/data_type.h"

namespace frazil::tables::delta {

// Columns of tables with column mapping get an id and a physical name when they come into being, and keep them whatever
// they are called later. Source: PROTOCOL.md, "Column Mapping".

/// The schema in which every field of a struct, at any depth, that has no id or no physical name has been given one:
/// the metadata's delta.columnMapping.maxColumnId is raised. Without column mapping the schema as it is.
/// `has_unmapped_files`: there are files that call the columns as the schema does (column mapping is turned on for
/// them), so that these names become the physical ones.
Result<DataTypePtr> WithColumnMapping(const DataTypePtr& schema, Metadata* metadata, bool has_unmapped_files = false);

/// A schema as queries see it with Delta's own notes ("delta.…") of the fields of the same place and name in `former`.
/// `same_types_only`: not for fields that have another type now.
DataTypePtr WithNotesOf(const DataTypePtr& schema, const DataType& former, bool same_types_only);

/// Checks a change of the mode, from that of `former` (null: a new table). Error
/// DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
Status CheckModeChange(const Metadata* former, const Metadata& metadata);

}  // namespace frazil::tables::delta
