#pragma once

#include <cstdint>

namespace frazil {

/// Microseconds since 1970-01-01T00:00:00Z by the system's clock.
int64_t NowMicros();
/// Milliseconds of a clock that never goes back, for measuring time.
int64_t SteadyMillis();

}  // namespace frazil
