#pragma once

#include <cstdint>

namespace frazil::tables {

/// A column that follows a row from file to file: its id, and the sequence number of the commit that changed it last.
/// A file that lacks the column, or has NULL there, leaves the value to the commit that brought the file.
/// Scans of tables that have lineage say so by TableScan::metadata_columns, and what replaces files of such a table
/// (WriteMode::kRewriteFiles) takes both columns behind those of the table.
/// Files of Iceberg tables have them by field id, those of Delta tables under names that the table chooses
/// (which their scan plans have behind the columns of the schema).
/// Source: Iceberg spec, "Row Lineage" and "Reserved Field IDs"; Delta's PROTOCOL.md, "Row Tracking".
struct LineageColumn {
  const char* name;
  int32_t field_id;
};
inline constexpr LineageColumn kRowIdColumn = {"_row_id", 2147483540};
inline constexpr LineageColumn kLastUpdatedColumn = {"_last_updated_sequence_number", 2147483539};

}  // namespace frazil::tables
