#pragma once

// Spark's CAST, for every pair of types, and the change of a value's DuckDB type that no value notices. Internal to
// engine/. Source: https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#cast

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

/// CAST(child AS to), child being of Spark type `from`. Uses DuckDB's cast where it means the same, else the kernel
/// spark_cast.
Result<LoweredExpression> LowerSparkCast(LoweredExpression child, const DataType& from, const DataType& to,
                                         EvalMode mode, const functions::ExpressionSettings& settings);

/// The value in the mapped DuckDB type of `type`, without changing it: struct members by position, whatever they are
/// called.
LoweredExpression AsMappedType(LoweredExpression value, const DataType& type);

/// spark_cast and spark_reshape.
void RegisterCastKernels(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
