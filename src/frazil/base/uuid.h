#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frazil {

/// A UUID (RFC 9562) as its 16 bytes in text order.
struct Uuid {
  std::array<uint8_t, 16> bytes = {};

  bool operator==(const Uuid&) const = default;
  auto operator<=>(const Uuid&) const = default;

  /// Version 4, from the system's random numbers.
  static Uuid Random();
  /// Reads the form with or without hyphens, any case.
  static std::optional<Uuid> Parse(std::string_view text);
  /// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", lower case.
  std::string ToString() const;
};

std::string RandomUuidText();

}  // namespace frazil
