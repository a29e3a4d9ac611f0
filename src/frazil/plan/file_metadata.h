#pragma once

#include <cstdint>

#include "frazil/types/data_type.h"

namespace frazil::plan {

/// Spark's hidden column about the file of a row, as a metadata column of a ScanNode.
/// https://spark.apache.org/docs/latest/sql-data-sources-generic-options.html
inline constexpr const char* kFileMetadataColumn = "_metadata";
/// What is known of a row's place.
enum class FileMetadataKind : uint8_t { kFile, kRow, kTrackedRow };
/// Its type: file_path, file_name, file_size, file_block_start, file_block_length, file_modification_time; for Parquet
/// row_index; for Delta tables with row tracking row_id, base_row_id, default_row_commit_version, row_commit_version.
const DataTypePtr& FileMetadataType(FileMetadataKind kind);

}  // namespace frazil::plan
