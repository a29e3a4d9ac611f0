#pragma once

#include <cstddef>
#include <span>

#include "frazil/base/error.h"

namespace frazil::error_conditions {

// The table of conditions in parts, each sorted by name (bytewise), for binary search.
// Names, SQLSTATEs and parameters: https://spark.apache.org/docs/latest/sql-error-conditions.html
std::span<const ErrorCondition> AToB();
std::span<const ErrorCondition> C();
std::span<const ErrorCondition> DToF();
/// What Delta Lake adds to Spark's conditions: all begin with "DELTA_".
std::span<const ErrorCondition> Delta();
std::span<const ErrorCondition> GToL();
/// What Spark's Kafka connector adds, in a list of its own: some of the names begin as others do.
std::span<const ErrorCondition> Kafka();
std::span<const ErrorCondition> Invalid();
std::span<const ErrorCondition> LegacyParse();
std::span<const ErrorCondition> LegacyAnalysis();
std::span<const ErrorCondition> MToO();
std::span<const ErrorCondition> PToR();
std::span<const ErrorCondition> SToT();
std::span<const ErrorCondition> UToZ();

/// Each part checks its order when it is compiled.
template <size_t kSize>
constexpr bool IsSorted(const ErrorCondition (&table)[kSize]) {
  for (size_t i = 1; i < kSize; ++i) {
    if (!(table[i - 1].name < table[i].name)) return false;
  }
  return true;
}

}  // namespace frazil::error_conditions
