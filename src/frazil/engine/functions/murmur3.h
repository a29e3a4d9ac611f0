#pragma once

// MurmurHash3 of 32 bits as Spark mixes it: bytes behind the last whole word one by one, as signed numbers. Internal to
// engine/.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace frazil::engine {

struct Murmur3 {
  using Hash = uint32_t;
  static uint32_t MixK(uint32_t k) {
    k *= 0xcc9e2d51;
    k = std::rotl(k, 15);
    return k * 0x1b873593;
  }
  static uint32_t MixH(uint32_t h, uint32_t k) {
    h ^= k;
    h = std::rotl(h, 13);
    return h * 5 + 0xe6546b64;
  }
  static uint32_t Finish(uint32_t h, uint32_t length) {
    h ^= length;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ (h >> 16);
  }
  static Hash Int(int32_t value, Hash seed) { return Finish(MixH(seed, MixK(static_cast<uint32_t>(value))), 4); }
  static Hash Long(int64_t value, Hash seed) {
    const auto bits = static_cast<uint64_t>(value);
    return Finish(MixH(MixH(seed, MixK(static_cast<uint32_t>(bits))), MixK(static_cast<uint32_t>(bits >> 32))), 8);
  }
  static Hash Bytes(std::string_view bytes, Hash seed) {
    uint32_t h = seed;
    size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + i, 4);
      h = MixH(h, MixK(word));
    }
    for (; i < bytes.size(); ++i)
      h = MixH(h, MixK(static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(bytes[i])))));
    return Finish(h, static_cast<uint32_t>(bytes.size()));
  }
};

}  // namespace frazil::engine
