#pragma once

// Finds a table's columns in a file. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_data.hpp>

#include "frazil/engine/statement_state.h"
#include "frazil/tables/scan.h"

namespace frazil::engine {

/// A column definition of the scan in terms of one file: identifiers (at every level) are names as the file has them,
/// so that DuckDB's mapping by name finds them; a name that no file has stands where the file lacks the column, whose
/// value is then the default expression.
duckdb::MultiFileColumnDefinition ColumnInFile(const std::string& name, const tables::ScanColumn& column,
                                               const DataType& type,
                                               const duckdb::vector<duckdb::MultiFileColumnDefinition>& file_columns,
                                               bool match_by_field_id);
/// The file's column that holds the table's column; null where the file has none.
const duckdb::MultiFileColumnDefinition* FindColumnInFile(
    const tables::ScanColumn& column, const duckdb::vector<duckdb::MultiFileColumnDefinition>& file_columns,
    bool match_by_field_id);
/// ColumnInFile for a reserved field id; by its name where the plan has a column with that id behind those of the
/// table.
duckdb::MultiFileColumnDefinition ReservedColumnInFile(
    const std::string& name, int32_t field_id, const DataType& type, const tables::ScanPlan& plan,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>& file_columns);
/// Iceberg's reserved id of the column _deleted. No file has it: a slot for it gives the positions of the file's
/// deleted rows (an ascending list), and a query that reads it gets these rows too.
inline constexpr int32_t kIsDeletedFieldId = 2147483644;
inline bool IsDeletedRows(const ScanSlot& slot) {
  return slot.kind == ScanSlot::Kind::kReservedColumn && slot.index == kIsDeletedFieldId;
}
/// A column that no file has.
duckdb::MultiFileColumnDefinition AbsentColumn(const std::string& name, const duckdb::LogicalType& type,
                                               duckdb::Value value);

}  // namespace frazil::engine
