#pragma once

// Values in a form that DuckDB orders as Spark does. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

/// Whether DuckDB orders values of this type otherwise than Spark: in arrays and structs Spark's NULL is the least
/// member, DuckDB's the greatest.
bool NeedsOrderKey(const DataType& type);
/// The value with a flag before each member that says whether it is there, so that a NULL comes first; the value itself
/// where the type needs none. NULL stays NULL.
LoweredExpression OrderKeyOf(const DataType& type, LoweredExpression value);
/// DuckDB's type of the keys of values of a type, and the keys of a vector that nobody shares. Both may be the same.
duckdb::LogicalType OrderKeyType(const duckdb::LogicalType& type);
void MakeOrderKeys(duckdb::Vector& values, duckdb::idx_t count, duckdb::Vector& keys);
/// spark_order_key.
void AddOrderKeyKernel(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
