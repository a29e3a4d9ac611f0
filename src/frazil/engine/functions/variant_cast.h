#pragma once

// Casts from and to VARIANT. Internal to engine/functions/.

#include "frazil/engine/functions/cast.h"

namespace frazil::engine {

/// The cast where one of both types is VARIANT; INVALID_VARIANT_CAST where the value does not fit.
Result<LoweredExpression> LowerVariantCast(LoweredExpression child, const DataType& from, const DataType& to,
                                           EvalMode mode, const functions::ExpressionSettings& settings);

}  // namespace frazil::engine
