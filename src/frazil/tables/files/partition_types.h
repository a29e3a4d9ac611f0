#pragma once

// What the texts of partition folders mean. Source: PartitioningUtils of Spark.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/table_format.h"
#include "frazil/types/data_type.h"
#include "frazil/types/time_zone.h"
#include "frazil/types/value.h"

namespace frazil::tables {

/// The type of a column whose values stand in folders: that of all of them, or string where they have none in common.
DataTypePtr InferPartitionType(const std::vector<const std::optional<std::string>*>& texts);

/// The value that a partition folder's text means in the column's type; timestamps are local to the zone. Error
/// INVALID_PARTITION_VALUE where it has none.
Result<Value> PartitionTextToValue(const std::optional<std::string>& text, const DataType& type, const TimeZone& zone);

/// Where timestamps in partition folders of a table are local.
Result<std::shared_ptr<const TimeZone>> SessionZone(const TableContext& context);

}  // namespace frazil::tables
