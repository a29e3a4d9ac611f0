#include "frazil/base/uuid.h"

#include <random>

namespace frazil {

Uuid Uuid::Random() {
  thread_local std::random_device device;
  Uuid uuid;
  for (size_t i = 0; i < uuid.bytes.size(); i += 4) {
    const uint32_t bits = device();
    for (size_t j = 0; j < 4; ++j) uuid.bytes[i + j] = static_cast<uint8_t>(bits >> (8 * j));
  }
  uuid.bytes[6] = static_cast<uint8_t>((uuid.bytes[6] & 0x0F) | 0x40);
  uuid.bytes[8] = static_cast<uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);
  return uuid;
}

std::optional<Uuid> Uuid::Parse(std::string_view text) {
  const bool hyphens = text.size() == 36;
  if (!hyphens && text.size() != 32) return std::nullopt;
  Uuid uuid;
  size_t nibble = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (hyphens && (i == 8 || i == 13 || i == 18 || i == 23)) {
      if (character != '-') return std::nullopt;
      continue;
    }
    int digit = 0;
    if (character >= '0' && character <= '9') {
      digit = character - '0';
    } else if (character >= 'a' && character <= 'f') {
      digit = character - 'a' + 10;
    } else if (character >= 'A' && character <= 'F') {
      digit = character - 'A' + 10;
    } else {
      return std::nullopt;
    }
    uint8_t& byte = uuid.bytes[nibble / 2];
    byte = static_cast<uint8_t>((byte << 4) | digit);
    ++nibble;
  }
  return uuid;
}

std::string Uuid::ToString() const {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[bytes[i] >> 4];
    text += kHex[bytes[i] & 0xF];
  }
  return text;
}

std::string RandomUuidText() { return Uuid::Random().ToString(); }

}  // namespace frazil
