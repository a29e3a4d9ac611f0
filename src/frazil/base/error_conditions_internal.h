#pragma once

#include <span>

#include "frazil/base/error.h"

namespace frazil::error_conditions {

// The table of conditions in parts, each sorted by name (bytewise).
// Names, SQLSTATEs and parameters: https://spark.apache.org/docs/latest/sql-error-conditions.html
std::span<const ErrorCondition> AToB();
std::span<const ErrorCondition> C();
std::span<const ErrorCondition> DToF();
std::span<const ErrorCondition> GToL();
std::span<const ErrorCondition> Invalid();
std::span<const ErrorCondition> Legacy();
std::span<const ErrorCondition> MToO();
std::span<const ErrorCondition> PToR();
std::span<const ErrorCondition> SToT();
std::span<const ErrorCondition> UToZ();

}  // namespace frazil::error_conditions
