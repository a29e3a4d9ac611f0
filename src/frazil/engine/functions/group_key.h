#pragma once

// Values as keys of groups, distinct rows and maps, as Spark normalizes them: 0.0 for -0.0, one NaN, and maps with
// their entries in the order of the keys. Internal to engine/.

#include "frazil/engine/functions/function_lowering.h"

namespace frazil::engine {

/// Whether equal values of this type may look different.
bool NeedsGroupKey(const DataType& type);
/// The value as such a key; the value itself where the type needs none.
LoweredExpression GroupKeyOf(const DataType& type, LoweredExpression value);
/// Makes the values of a flat vector, which nobody shares, such keys.
void NormalizeKeys(duckdb::Vector& vector, duckdb::idx_t count);
/// spark_group_key.
void AddGroupKeyKernel(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
