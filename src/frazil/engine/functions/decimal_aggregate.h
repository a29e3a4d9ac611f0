#pragma once

// sum and avg of decimals: exact beyond 128 bits, so that only the end result decides about an overflow. Internal to
// engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

/// The quotient rounded half away from zero; the divisor is positive.
__int128 DivideHalfUp(__int128 dividend, __int128 divisor);

/// sum(value): where the result's type does not hold it, ARITHMETIC_OVERFLOW under ANSI and else NULL.
LoweredExpression LowerDecimalSum(const AggregateExpression& call, LoweredExpression value);
/// avg(value): the same for its sum, and NUMERIC_VALUE_OUT_OF_RANGE under ANSI where the mean itself does not fit.
LoweredExpression LowerDecimalAverage(const AggregateExpression& call, LoweredExpression value);

/// spark_sum_decimal, spark_fit_sum, spark_avg_decimal.
void AddDecimalAggregateKernels(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
