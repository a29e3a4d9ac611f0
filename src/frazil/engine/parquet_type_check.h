#pragma once

// Which Parquet columns Spark's reader takes for which types. Internal to engine/.

#include <string>

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_data.hpp>

#include "frazil/types/data_type.h"

namespace frazil::engine {

/// Throws FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH where Spark's reader does not make `wanted` of a column:
/// it widens numbers, and converts nothing else. `file`: the path, for the message.
/// Source: the conversions that Spark documents for its vectorized Parquet reader (SPARK-40876, SPARK-35461).
void CheckParquetColumnType(const duckdb::MultiFileColumnDefinition& in_file, const DataType& wanted,
                            const std::string& file);

}  // namespace frazil::engine
