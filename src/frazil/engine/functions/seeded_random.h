#pragma once

// The generators behind Spark's seeded functions that are not XORShift (xorshift_random.h), so that the same seed gives
// Spark's numbers: those of Apache Commons Math 3. Internal to engine/.

#include <array>
#include <cmath>
#include <cstdint>

namespace frazil::engine {

/// java.util.Random, as far as seeds are drawn from it.
/// https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/Random.html
class JavaRandom {
 public:
  explicit JavaRandom(int64_t seed) : state_((static_cast<uint64_t>(seed) ^ kMultiplier) & kMask) {}
  int64_t NextLong() {
    const uint64_t high = static_cast<uint64_t>(static_cast<int64_t>(Next())) << 32;
    return static_cast<int64_t>(high + static_cast<uint64_t>(static_cast<int64_t>(Next())));
  }

 private:
  static constexpr uint64_t kMultiplier = 0x5DEECE66D, kMask = (uint64_t{1} << 48) - 1;
  int32_t Next() {
    state_ = (state_ * kMultiplier + 0xB) & kMask;
    return static_cast<int32_t>(state_ >> 16);
  }
  uint64_t state_;
};

/// The Mersenne twister MT19937, begun by an array of the seed's two halves: shuffle(array, seed)
/// and uuid(seed).
/// M. Matsumoto, T. Nishimura: Mersenne Twister, ACM TOMACS 8 (1998), with the seeding of 2002.
class MersenneTwister {
 public:
  explicit MersenneTwister(int64_t seed) {
    const std::array<uint32_t, 2> key = {static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32),
                                         static_cast<uint32_t>(seed)};
    state_[0] = 19650218;
    for (uint32_t i = 1; i < kSize; ++i) state_[i] = Mix(i, 1812433253) + i;
    uint32_t i = 1, j = 0;
    const auto step = [&] {
      if (++i < kSize) return;
      state_[0] = state_[kSize - 1];
      i = 1;
    };
    for (uint32_t k = 0; k < kSize; ++k) {
      state_[i] = (state_[i] ^ Mix(i, 1664525)) + key[j] + j;
      j = (j + 1) % key.size();
      step();
    }
    for (uint32_t k = 1; k < kSize; ++k) {
      state_[i] = (state_[i] ^ Mix(i, 1566083941)) - i;
      step();
    }
    state_[0] = 0x80000000;
  }

  uint64_t NextLong() {
    const uint64_t high = Next();
    return high << 32 | Next();
  }
  /// Uniform in [0, bound); bound > 0.
  int32_t NextInt(int32_t bound) {
    if ((bound & -bound) == bound) return static_cast<int32_t>((static_cast<int64_t>(bound) * Next31()) >> 31);
    while (true) {
      const int32_t bits = Next31(), value = bits % bound;
      if (static_cast<int64_t>(bits) - value + (bound - 1) <= INT32_MAX) return value;
    }
  }

 private:
  static constexpr uint32_t kSize = 624, kMiddle = 397;
  uint32_t Mix(uint32_t i, uint32_t factor) const { return (state_[i - 1] ^ (state_[i - 1] >> 30)) * factor; }
  int32_t Next31() { return static_cast<int32_t>(Next() >> 1); }
  uint32_t Next() {
    if (at_ == kSize) {
      for (uint32_t i = 0; i < kSize; ++i) {
        const uint32_t bits = (state_[i] & 0x80000000) | (state_[(i + 1) % kSize] & 0x7fffffff);
        state_[i] = state_[(i + kMiddle) % kSize] ^ (bits >> 1) ^ ((bits & 1) != 0 ? 0x9908b0df : 0);
      }
      at_ = 0;
    }
    uint32_t bits = state_[at_++];
    bits ^= bits >> 11;
    bits ^= (bits << 7) & 0x9d2c5680;
    bits ^= (bits << 15) & 0xefc60000;
    return bits ^ (bits >> 18);
  }

  std::array<uint32_t, kSize> state_{};
  uint32_t at_ = kSize;
};

/// WELL19937c and Poisson's distribution by it: sample with replacement.
/// F. Panneton, P. L'Ecuyer, M. Matsumoto: Improved Long-Period Generators, ACM TOMS 32 (2006).
class WellRandom {
 public:
  explicit WellRandom(int64_t seed) {
    state_[0] = static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32);
    state_[1] = static_cast<uint32_t>(seed);
    for (uint32_t i = 2; i < kSize; ++i) {
      // Shifted with its sign, as Java does.
      const auto former = static_cast<int64_t>(static_cast<int32_t>(state_[i - 2]));
      state_[i] = static_cast<uint32_t>(1812433253 * (former ^ (former >> 30)) + i);
    }
  }

  /// A number of Poisson's distribution, by the product of uniform numbers; for means below 40.
  int64_t NextPoisson(double mean) {
    const double limit = std::exp(-mean);
    int64_t count = 0;
    for (double product = NextDouble(); product >= limit; product *= NextDouble()) ++count;
    return count;
  }

 private:
  static constexpr uint32_t kSize = 624;
  double NextDouble() {
    const uint64_t high = static_cast<uint64_t>(Next() >> 6) << 26;
    return static_cast<double>(high | (Next() >> 6)) * 0x1.0p-52;
  }
  uint32_t Next() {
    const uint32_t before = (at_ + kSize - 1) % kSize, before_that = (at_ + kSize - 2) % kSize;
    const uint32_t v0 = state_[at_], v1 = state_[(at_ + 70) % kSize], v2 = state_[(at_ + 179) % kSize],
                   v3 = state_[(at_ + 449) % kSize];
    const uint32_t z0 = (0x80000000 & state_[before]) ^ (0x7fffffff & state_[before_that]);
    const uint32_t z1 = (v0 ^ (v0 << 25)) ^ (v1 ^ (v1 >> 27));
    const uint32_t z2 = (v2 >> 9) ^ (v3 ^ (v3 >> 1));
    const uint32_t z3 = z1 ^ z2;
    uint32_t z4 = z0 ^ (z1 ^ (z1 << 9)) ^ (z2 ^ (z2 << 21)) ^ (z3 ^ (z3 >> 21));
    state_[at_] = z3;
    state_[before] = z4;
    state_[before_that] &= 0x80000000;
    at_ = before;
    z4 ^= (z4 << 7) & 0xe46e1700;
    return z4 ^ ((z4 << 15) & 0x9b868000);
  }

  std::array<uint32_t, kSize> state_{};
  uint32_t at_ = 0;
};

}  // namespace frazil::engine
