#pragma once

// Spark's types and values in DuckDB. Internal to engine/.

#include <duckdb.hpp>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil::engine {

/// The DuckDB type that holds values of a Spark type:
/// boolean BOOLEAN; tinyint..bigint TINYINT..BIGINT; float, double; decimal(p,s) DECIMAL(p,s); string (char, varchar,
/// any collation) VARCHAR; binary BLOB; date DATE; timestamp TIMESTAMP WITH TIME ZONE (micros of the epoch);
/// timestamp_ntz TIMESTAMP; time TIME (micros); year-month interval INTEGER (months); day-time interval BIGINT
/// (micros); calendar interval INTERVAL; array LIST; map MAP; struct STRUCT whose members are named by position "f0",
/// "f1", ... (Spark's names stay in the typed plan, so that structs of equal types are equal here whatever their names
/// and cases); void INTEGER (always NULL); variant STRUCT (f0, f1); spatial types BLOB (see spatial_type.h).
Result<duckdb::LogicalType> ToDuckDbType(const DataType& type);
/// As above for types that are known to map; throws a Spark error otherwise (for use inside DuckDB callbacks).
duckdb::LogicalType MappedType(const DataType& type);

/// A constant of the mapped type.
Result<duckdb::Value> ToDuckDbValue(const DataType& type, const Value& value);
/// The Spark value of a DuckDB value of the mapped type.
Value FromDuckDbValue(const DataType& type, const duckdb::Value& value);

/// Name of the i-th member of a mapped STRUCT: "f<i>".
std::string StructMemberName(size_t index);

/// __int128 and DuckDB's hugeint_t are the same bits.
inline duckdb::hugeint_t ToHugeint(int128 value) {
  return duckdb::hugeint_t(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}
inline int128 FromHugeint(duckdb::hugeint_t value) {
  return (static_cast<int128>(value.upper) << 64) | static_cast<int128>(value.lower);
}

}  // namespace frazil::engine
