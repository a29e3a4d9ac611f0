#pragma once

// How a vectorised function raises one of Spark's errors, and how the engine gets it back. Internal to engine/.

#include <duckdb.hpp>

#include "frazil/base/error.h"
#include "frazil/base/result.h"

namespace frazil::engine {

/// Ends the statement with this error: throws a DuckDB exception that carries condition, exception class and
/// parameters. Only from within DuckDB's callbacks (kernels, binds, casts, sinks).
[[noreturn]] void ThrowSparkError(const Error& error);

/// The same for a condition of base/error_conditions.cc; the exception class comes from the table there.
[[noreturn]] inline void ThrowSparkError(std::string_view condition, Error::Parameters parameters = {}) {
  ThrowSparkError(Error::Of(condition, std::move(parameters)));
}

// The errors that most kernels need. Parameter names are Spark's.

/// ARITHMETIC_OVERFLOW: `message` is "integer overflow", "long overflow", ...; `alternative` the function to use
/// instead ("try_add"), or empty.
[[noreturn]] void ThrowArithmeticOverflow(std::string_view message, std::string_view alternative = {});
/// DIVIDE_BY_ZERO
[[noreturn]] void ThrowDivideByZero();
/// REMAINDER_BY_ZERO
[[noreturn]] void ThrowRemainderByZero();
/// CAST_INVALID_INPUT: the text (not yet quoted) and the target's SQL name ("BIGINT").
[[noreturn]] void ThrowCastInvalidInput(std::string_view text, std::string_view target_sql,
                                        std::string_view source_sql = "STRING");
/// CAST_OVERFLOW: `value` as Spark prints it as a literal ("128S", "1.0E30D").
[[noreturn]] void ThrowCastOverflow(std::string_view value, std::string_view source_sql, std::string_view target_sql);
/// NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION
[[noreturn]] void ThrowNumericValueOutOfRange(std::string_view value, int precision, int scale);
/// INVALID_ARRAY_INDEX
[[noreturn]] void ThrowInvalidArrayIndex(int64_t index, int64_t array_size);
/// INVALID_PARAMETER_VALUE.<kind>, and anything else: use ThrowSparkError.

/// Calls a function that returns Result<T> and throws its error.
template <typename T>
T ValueOrThrow(Result<T> result) {
  if (!result.ok()) ThrowSparkError(result.error());
  return *std::move(result);
}
inline void OkOrThrow(const Status& status) {
  if (!status.ok()) ThrowSparkError(status.error());
}

/// What a DuckDB error means to a user of Spark: the error that ThrowSparkError threw; or a Spark condition where
/// DuckDB's own error is recognised (overflow, out of memory, ...); or INTERNAL_ERROR with DuckDB's text.
Error ErrorFromDuckDb(const duckdb::ErrorData& error);
Error ErrorFromException(const std::exception& exception);

}  // namespace frazil::engine
