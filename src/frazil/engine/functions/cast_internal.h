#pragma once

// The parts of spark_cast. Internal to engine/functions/cast*.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <duckdb.hpp>

#include "frazil/expressions/expression.h"
#include "frazil/types/data_type.h"
#include "frazil/types/time_zone.h"

namespace frazil::engine {

/// What holds for one cast and all casts below it.
struct CastSettings {
  EvalMode mode = EvalMode::kAnsi;
  std::string zone_name;
  std::shared_ptr<const TimeZone> zone;
};

/// Converts the first `count` rows of a vector; NULL stays NULL.
using VectorCast = std::function<void(duckdb::Vector& source, duckdb::Vector& target, duckdb::idx_t count)>;

/// The cast of a pair of types; throws DATATYPE_MISMATCH-like internal errors for pairs that the analysis never lets
/// through.
VectorCast MakeVectorCast(const DataTypePtr& from, const DataTypePtr& to, const CastSettings& settings);

// By kind of target; an empty function where the pair is not theirs.
VectorCast MakeNumericCast(const DataType& from, const DataType& to, const CastSettings& settings);
VectorCast MakeFromStringCast(const DataTypePtr& from, const DataTypePtr& to, const CastSettings& settings);
VectorCast MakeToStringCast(const DataTypePtr& from, const DataType& to, const CastSettings& settings);
VectorCast MakeDatetimeCast(const DataType& from, const DataType& to, const CastSettings& settings);
VectorCast MakeIntervalCast(const DataType& from, const DataType& to, const CastSettings& settings);

}  // namespace frazil::engine
