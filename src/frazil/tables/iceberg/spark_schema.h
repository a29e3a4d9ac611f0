#pragma once

#include <functional>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/schema.h"
#include "frazil/tables/scan.h"
#include "frazil/types/data_type.h"

namespace frazil::tables::iceberg {

/// Between Iceberg's types and Spark's, as Iceberg's Spark runtime maps them.

/// uuid is a string; fixed and binary are BINARY. Error for types that Spark does not have (time, nanosecond
/// timestamps).
Result<DataTypePtr> ToSparkType(const Type& type);
/// Struct of the columns with comments (and v3 defaults) in the fields' metadata.
Result<DataTypePtr> ToSparkSchema(const Schema& schema);
Result<DataTypePtr> ToSparkStruct(const std::vector<NestedField>& fields);

/// TINYINT and SMALLINT become int, CHAR and VARCHAR string. Every field takes its id from `next_id`, fields of a
/// struct before what is in them.
Result<TypePtr> FromSparkType(const DataType& type, const std::function<int32_t()>& next_id);
Result<std::vector<NestedField>> FromSparkSchema(const DataType& schema, const std::function<int32_t()>& next_id);

/// Columns of a scan or write, with field ids and initial defaults.
Result<std::vector<ScanColumn>> ToScanColumns(const std::vector<NestedField>& fields);

}  // namespace frazil::tables::iceberg
