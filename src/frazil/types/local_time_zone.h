#pragma once

#include <string>

namespace frazil {

/// The name of the zone in which this process lives, as Java finds it: $TZ, else what /etc/localtime points to, else
/// "UTC". Names that TimeZone::Find does not know count as not there.
std::string LocalTimeZoneName();

}  // namespace frazil
