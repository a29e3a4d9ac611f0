#pragma once

#include <cstdint>

namespace frazil::engine {

/// The generator behind Spark's rand, randn and sample: XORShift over a seed hashed by MurmurHash3, so that the same
/// seed gives Spark's numbers.
class XorShiftRandom {
 public:
  explicit XorShiftRandom(int64_t seed) : state_(HashSeed(seed)) {}

  int32_t Next(int bits) {
    uint64_t next = static_cast<uint64_t>(state_);
    next ^= next << 21;
    next ^= next >> 35;
    next ^= next << 4;
    state_ = static_cast<int64_t>(next);
    return static_cast<int32_t>(next & ((1ULL << bits) - 1));
  }
  /// Uniform in [0, 1), as java.util.Random.nextDouble.
  double NextDouble() {
    const int64_t high = static_cast<int64_t>(Next(26)) << 27;
    return static_cast<double>(high + Next(27)) * 0x1.0p-53;
  }

  static int64_t HashSeed(int64_t seed) {
    // The seed, most significant byte first.
    uint8_t bytes[8] = {};
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(seed) >> (8 * (7 - i)));
    const uint32_t low = Murmur3(bytes, sizeof(bytes), 0x3c074a61);
    const uint32_t high = Murmur3(bytes, sizeof(bytes), low);
    return static_cast<int64_t>((static_cast<uint64_t>(high) << 32) | low);
  }

 private:
  static uint32_t Rotate(uint32_t value, int bits) { return (value << bits) | (value >> (32 - bits)); }
  /// MurmurHash3 (x86, 32 bits) of whole 4-byte blocks.
  static uint32_t Murmur3(const uint8_t* data, int length, uint32_t seed) {
    uint32_t hash = seed;
    for (int i = 0; i + 4 <= length; i += 4) {
      uint32_t block = static_cast<uint32_t>(data[i]) | static_cast<uint32_t>(data[i + 1]) << 8 |
                       static_cast<uint32_t>(data[i + 2]) << 16 | static_cast<uint32_t>(data[i + 3]) << 24;
      block *= 0xcc9e2d51;
      block = Rotate(block, 15);
      block *= 0x1b873593;
      hash ^= block;
      hash = Rotate(hash, 13);
      hash = hash * 5 + 0xe6546b64;
    }
    hash ^= static_cast<uint32_t>(length);
    hash ^= hash >> 16;
    hash *= 0x85ebca6b;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35;
    hash ^= hash >> 16;
    return hash;
  }

  int64_t state_;
};

}  // namespace frazil::engine
