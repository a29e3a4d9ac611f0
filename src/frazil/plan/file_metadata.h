#pragma once

#include "frazil/types/data_type.h"

namespace frazil::plan {

/// Spark's hidden column about the file of a row, as a metadata column of a ScanNode.
/// https://spark.apache.org/docs/latest/sql-data-sources-generic-options.html
inline constexpr const char* kFileMetadataColumn = "_metadata";
/// Its type: file_path, file_name, file_size, file_block_start, file_block_length, file_modification_time, and for
/// Parquet row_index.
const DataTypePtr& FileMetadataType(bool with_row_index);

}  // namespace frazil::plan
