#pragma once

// The binary encoding of VARIANT values. https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
// Internal to engine/.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/types/value.h"

namespace frazil::engine {

/// A variant as a tree.
struct Variant {
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInteger,
    kDouble,
    kFloat,
    kDecimal,
    kDate,
    kTimestamp,
    kTimestampNtz,
    kBinary,
    kString,
    kObject,
    kArray
  };
  Kind kind = Kind::kNull;
  bool boolean = false;
  int64_t integer = 0;  ///< Also days, microseconds.
  double number = 0;
  int128 unscaled = 0;
  int scale = 0;
  std::string text;
  std::vector<std::pair<std::string, Variant>> members;  ///< Sorted by name when encoded.
  std::vector<Variant> items;

  const Variant* Find(std::string_view name) const;
};

struct EncodedVariant {
  std::string value, metadata;
};

EncodedVariant EncodeVariant(const Variant& variant);
/// Nothing where the bytes are malformed.
std::optional<Variant> DecodeVariant(std::string_view value, std::string_view metadata);

}  // namespace frazil::engine
