#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/codec/data_file.h"
#include "frazil/storage/object_store.h"
#include "frazil/types/value.h"

namespace frazil::codec {

/// What a Parquet file's footer says of a leaf column.
struct ColumnFigures {
  int64_t compressed_size = 0;
  int64_t value_count = 0;            ///< NULLs included.
  std::optional<int64_t> null_count;  ///< Absent: a part of the file does not tell.
  /// Values as the column's type has them; absent: a part of the file does not tell, or has its own type.
  std::optional<Value> lower, upper;
};

struct ParquetFooter {
  int64_t record_count = 0;
  std::vector<int64_t> split_offsets;          ///< Where the row groups begin.
  std::map<int32_t, ColumnFigures> by_column;  ///< By field id.
};

/// Reads the footer of a file of which these are the columns wanted: found by their field ids if the file has any, else
/// by their names. A file that is none of Parquet, or is damaged, is an Error of kind kStorage. `path` is for messages.
/// Source: parquet-format, "Metadata" and LogicalTypes.md.
Result<ParquetFooter> ReadParquetFooter(storage::RangeReader& source, const std::string& path,
                                        const std::vector<FileColumn>& columns);

/// Whether the file has leaf columns that are none of these, found by their field ids or by their names. Errors: as
/// ReadParquetFooter.
Result<bool> HasOtherColumns(storage::RangeReader& source, const std::string& path,
                             const std::vector<FileColumn>& columns, bool by_field_id);

}  // namespace frazil::codec
