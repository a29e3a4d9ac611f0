#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::codec {

/// One zstd frame (RFC 8878), whether or not it states its size. Error of class IllegalArgumentException where it is
/// malformed, cut off, or holds more than `most_bytes`.
Result<std::string> DecompressZstd(std::string_view bytes, size_t most_bytes);

}  // namespace frazil::codec
