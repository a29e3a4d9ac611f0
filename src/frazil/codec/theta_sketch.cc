#include "frazil/codec/theta_sketch.h"

namespace frazil::codec {
namespace {

constexpr uint8_t kSerialVersion = 3, kCompactFamily = 3;
constexpr uint8_t kReadOnly = 2, kEmpty = 4, kCompact = 8, kOrdered = 16, kSingleItem = 32;
constexpr uint16_t kSeedHash = 0x93CC;  // Of the default seed, 9001.
constexpr uint32_t kOne = 0x3F800000;   // 1.0, the sampling probability, as a float.

template <typename T>
void Append(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i) *out += static_cast<char>(value >> 8 * i & 0xFF);
}

}  // namespace

ThetaSketch ThetaSketch::OfLeast(std::vector<uint64_t> least) {
  ThetaSketch sketch;
  if (least.size() > kNominalEntries) {
    sketch.theta = least[kNominalEntries];
    least.resize(kNominalEntries);
  }
  sketch.hashes = std::move(least);
  return sketch;
}

double ThetaSketch::Estimate() const {
  return static_cast<double>(hashes.size()) / (static_cast<double>(theta) / static_cast<double>(INT64_MAX));
}

std::string ThetaSketch::Serialize() const {
  const bool is_exact = theta == INT64_MAX;
  const bool is_single = is_exact && hashes.size() == 1;
  const bool is_empty = is_exact && hashes.empty();
  const uint8_t longs = is_empty || is_single ? 1 : is_exact ? 2 : 3;
  const auto flags =
      static_cast<uint8_t>(kReadOnly | kCompact | kOrdered | (is_empty ? kEmpty : 0) | (is_single ? kSingleItem : 0));
  std::string out;
  for (const uint8_t byte : {longs, kSerialVersion, kCompactFamily, uint8_t{0}, uint8_t{0}, flags})
    out += static_cast<char>(byte);
  Append(kSeedHash, &out);
  if (longs > 1) {
    Append(static_cast<uint32_t>(hashes.size()), &out);
    Append(kOne, &out);
  }
  if (longs > 2) Append(theta, &out);
  for (const uint64_t hash : hashes) Append(hash, &out);
  return out;
}

}  // namespace frazil::codec
