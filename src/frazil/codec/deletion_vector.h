#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::codec {

/// The Puffin blob "deletion-vector-v1": length, magic number, 64-bit Roaring bitmap in its portable form, CRC-32.
/// Source: Puffin specification. Gives the positions, ascending.
Result<std::vector<int64_t>> ReadDeletionVector(std::string_view blob);
/// The middle of such a blob alone: magic number and bitmap (Delta's inline deletion vectors).
Result<std::vector<int64_t>> ReadDeletionVectorBitmap(std::string_view body);
std::string WriteDeletionVector(const std::vector<int64_t>& positions);

}  // namespace frazil::codec
