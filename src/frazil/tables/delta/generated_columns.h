#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/tables/delta/actions.h"
#include "frazil/tables/table.h"
#include "frazil/types/data_type.h"

namespace frazil::tables::delta {

// Columns whose values the table gives. Source: PROTOCOL.md, "Generated Columns" and "Identity Columns".

/// Of a schema with Delta's notes.
std::vector<GeneratedColumn> GeneratedColumnsOf(const DataType& schema);

/// The schema with the last values that identity columns have given, by the columns' names.
DataTypePtr WithLastValues(const DataTypePtr& schema, const std::map<std::string, int64_t>& last);

}  // namespace frazil::tables::delta
