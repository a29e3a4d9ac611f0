#include <bit>

#include "frazil/types/wide_integer_internal.h"

namespace frazil {

using uint128 = unsigned __int128;

UInt256 UInt256::Product(uint128 left, uint128 right) {
  const uint64_t a[2] = {static_cast<uint64_t>(left), static_cast<uint64_t>(left >> 64)};
  const uint64_t b[2] = {static_cast<uint64_t>(right), static_cast<uint64_t>(right >> 64)};
  UInt256 result;
  for (int i = 0; i < 2; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < 2; ++j) {
      const uint128 sum = static_cast<uint128>(a[i]) * b[j] + result.words[i + j] + carry;
      result.words[i + j] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    result.words[i + 2] += carry;
  }
  return result;
}

int UInt256::BitLength() const {
  for (int i = 3; i >= 0; --i) {
    if (words[i] != 0) return i * 64 + static_cast<int>(std::bit_width(words[i]));
  }
  return 0;
}

void UInt256::ShiftLeft1() {
  for (int i = 3; i > 0; --i) words[i] = (words[i] << 1) | (words[i - 1] >> 63);
  words[0] <<= 1;
}

void UInt256::MultiplySmall(uint64_t factor) {
  uint128 carry = 0;
  for (auto& word : words) {
    carry += static_cast<uint128>(word) * factor;
    word = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
}

void UInt256::Add(const UInt256& other) {
  uint128 carry = 0;
  for (int i = 0; i < 4; ++i) {
    carry += static_cast<uint128>(words[i]) + other.words[i];
    words[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
}

void UInt256::Subtract(const UInt256& other) {
  uint64_t borrow = 0;
  for (int i = 0; i < 4; ++i) {
    const uint128 taken = static_cast<uint128>(other.words[i]) + borrow;
    borrow = taken > words[i] ? 1 : 0;
    words[i] = static_cast<uint64_t>(static_cast<uint128>(words[i]) - taken);
  }
}

int UInt256::Compare(const UInt256& other) const {
  for (int i = 3; i >= 0; --i) {
    if (words[i] != other.words[i]) return words[i] < other.words[i] ? -1 : 1;
  }
  return 0;
}

UInt256 UInt256::Divide(const UInt256& divisor, UInt256* remainder) const {
  if (FitsUInt128() && divisor.FitsUInt128()) {
    const uint128 dividend = ToUInt128();
    const uint128 by = divisor.ToUInt128();
    *remainder = Of(dividend % by);
    return Of(dividend / by);
  }
  UInt256 quotient;
  if (divisor.words[1] == 0 && divisor.words[2] == 0 && divisor.words[3] == 0) {
    // Word by word, as on paper.
    uint128 rest = 0;
    for (int i = 3; i >= 0; --i) {
      rest = (rest << 64) | words[i];
      quotient.words[i] = static_cast<uint64_t>(rest / divisor.words[0]);
      rest %= divisor.words[0];
    }
    *remainder = Of(rest);
    return quotient;
  }
  // Bit by bit; only divisions by more than 64 bits come here.
  *remainder = UInt256();
  for (int bit = BitLength() - 1; bit >= 0; --bit) {
    remainder->ShiftLeft1();
    if (Bit(bit)) remainder->words[0] |= 1;
    quotient.ShiftLeft1();
    if (remainder->Compare(divisor) >= 0) {
      remainder->Subtract(divisor);
      quotient.words[0] |= 1;
    }
  }
  return quotient;
}

}  // namespace frazil
