#pragma once

// Spark's types and values in DuckDB. Internal to engine/.

#include <duckdb.hpp>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil::engine {

/// The DuckDB type that holds values of a Spark type:
/// boolean BOOLEAN; tinyint..bigint TINYINT..BIGINT; float, double; decimal(p,s) DECIMAL(p,s); string (char, varchar, any collation) VARCHAR; binary BLOB; date DATE;
/// timestamp TIMESTAMP WITH TIME ZONE (micros of the epoch); timestamp_ntz TIMESTAMP; time TIME (micros);
/// year-month interval INTEGER (months); day-time interval BIGINT (micros); calendar interval INTERVAL; array LIST; map MAP; struct STRUCT (fields by position; names
/// kept, made unique without regard to case where they are not); void INTEGER (always NULL); variant STRUCT(value BLOB, metadata BLOB).
/// Geometry and geography: Unsupported.
Result<duckdb::LogicalType> ToDuckDbType(const DataType& type);
/// As above for types that are known to map; throws a Spark error otherwise (for use inside DuckDB callbacks).
duckdb::LogicalType MappedType(const DataType& type);

/// A constant of the mapped type.
Result<duckdb::Value> ToDuckDbValue(const DataType& type, const Value& value);
/// The Spark value of a DuckDB value of the mapped type.
Value FromDuckDbValue(const DataType& type, const duckdb::Value& value);

/// Names of the members of the mapped STRUCT.
std::vector<std::string> StructMemberNames(const DataType& type);

}  // namespace frazil::engine
