#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/tables/scan.h"
#include "frazil/types/data_type.h"

namespace frazil::tables::delta {

// A table's schema and how its columns are called in files. Source: PROTOCOL.md, "Schema Serialization Format" and
// "Column Mapping".

enum class ColumnMapping : uint8_t { kNone, kName, kId };

inline constexpr const char* kColumnIdKey = "delta.columnMapping.id";
inline constexpr const char* kPhysicalNameKey = "delta.columnMapping.physicalName";
/// Ids of elements, keys and values within a field: {"col-1.element": 5}, by the physical name (icebergCompatV2).
inline constexpr const char* kNestedIdsKey = "delta.columnMapping.nested.ids";

/// The nested ids that a field's metadata has, by path.
std::map<std::string, int64_t> NestedIdsOf(const StructField& field);

/// Where Spark keeps "varchar(10)" of a column that is a string otherwise.
inline constexpr const char* kCharVarcharKey = "__CHAR_VARCHAR_TYPE_STRING";

/// The schemaString of a metadata action; a struct type.
Result<DataTypePtr> ParseSchema(const std::string& schema_string);

/// Error for a mode that does not exist.
Result<ColumnMapping> ColumnMappingOf(const Metadata& metadata);

/// The schema as queries see it: without Delta's own notes on the columns ("delta.…"), with CHAR and VARCHAR.
DataTypePtr VisibleSchema(const DataTypePtr& schema);

/// The name of a column in files, statistics and partition values.
std::string PhysicalName(const StructField& field, ColumnMapping mapping);
/// The same type with physical names at every level.
DataTypePtr PhysicalType(const DataTypePtr& type, ColumnMapping mapping);

/// What finds the columns in data files.
std::vector<ScanColumn> ToScanColumns(const DataType& schema, ColumnMapping mapping);

/// The columns as they are written: with physical names, and where columns are mapped with their ids at every struct.
std::vector<ScanColumn> ToWrittenColumns(const DataTypePtr& schema, ColumnMapping mapping);

/// Index in the schema of each partition column. Error where the schema lacks one.
Result<std::vector<size_t>> PartitionIndexes(const Metadata& metadata, const DataType& schema);

}  // namespace frazil::tables::delta
