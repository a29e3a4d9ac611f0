#pragma once

// Time zones named by an argument of a kernel, row by row. Internal to engine/.

#include <string_view>

#include "frazil/types/time_zone.h"

namespace frazil::engine {

/// The zone of that name; error INVALID_TIMEZONE. The last ones used are remembered by each thread.
const TimeZone& ZoneNamed(std::string_view name);

/// The wall clock's fields of an instant.
inline int64_t LocalMicros(int64_t utc_micros, const TimeZone& zone) { return zone.ToLocalMicros(utc_micros); }

}  // namespace frazil::engine
