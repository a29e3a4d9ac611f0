#pragma once

#include <array>

namespace frazil::engine {

/// The members of a VARIANT's group in files, in the order of the mapped type's members. Source: PROTOCOL.md of Delta
/// Lake, "Variant data in Parquet"; parquet-format, VariantEncoding.md.
inline constexpr std::array<const char*, 2> kVariantMembers = {"value", "metadata"};

}  // namespace frazil::engine
