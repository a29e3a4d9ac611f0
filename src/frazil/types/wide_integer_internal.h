#pragma once

#include <array>
#include <cstdint>

#include "frazil/types/value.h"

namespace frazil {

/// Unsigned 256-bit magnitude, as far as decimal arithmetic needs it. Words from the lowest up.
struct UInt256 {
  std::array<uint64_t, 4> words = {};

  static UInt256 Of(unsigned __int128 value) {
    return {{static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64), 0, 0}};
  }
  static UInt256 Product(unsigned __int128 left, unsigned __int128 right);

  bool FitsUInt128() const { return words[2] == 0 && words[3] == 0; }
  unsigned __int128 ToUInt128() const { return (static_cast<unsigned __int128>(words[1]) << 64) | words[0]; }
  bool IsZero() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  int BitLength() const;
  bool Bit(int index) const { return (words[index / 64] >> (index % 64)) & 1; }

  void ShiftLeft1();
  /// Precondition: the product fits.
  void MultiplySmall(uint64_t factor);
  void Add(const UInt256& other);
  /// Precondition: *this >= other.
  void Subtract(const UInt256& other);
  int Compare(const UInt256& other) const;

  /// Quotient; the remainder goes to *remainder. Precondition: divisor is not zero.
  UInt256 Divide(const UInt256& divisor, UInt256* remainder) const;
};

}  // namespace frazil
