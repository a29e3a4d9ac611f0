#include "frazil/sketches/kll_sketch.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <kll_sketch.hpp>
#include <type_traits>

namespace frazil::sketches {
namespace {

template <typename T>
const char* JavaClass() {
  if constexpr (std::is_same_v<T, float>) {
    return "KllFloatsSketch";
  } else if constexpr (std::is_same_v<T, double>) {
    return "KllDoublesSketch";
  } else {
    return "KllLongsSketch";
  }
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f%%", share * 100);
  return text;
}

}  // namespace

template <typename T>
struct KllSketch<T>::Implementation {
  datasketches::kll_sketch<T> sketch;
};

template <typename T>
KllSketch<T>::KllSketch(int k)
    : implementation_(
          std::make_unique<Implementation>(Implementation{datasketches::kll_sketch<T>(static_cast<uint16_t>(k))})) {}
template <typename T>
KllSketch<T>::KllSketch(const KllSketch& other)
    : implementation_(std::make_unique<Implementation>(*other.implementation_)) {}
template <typename T>
KllSketch<T>::KllSketch(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
template <typename T>
KllSketch<T>::KllSketch(KllSketch&& other) noexcept = default;
template <typename T>
KllSketch<T>& KllSketch<T>::operator=(KllSketch&& other) noexcept = default;
template <typename T>
KllSketch<T>::~KllSketch() = default;

namespace {

/// Whether the levels that a serialized sketch names lie within it, which the library takes on trust. Layout: flags at
/// byte 3, k at 4, m at 6, number of levels at 18, then where each level begins, four bytes each.
bool HasSoundLevels(std::string_view bytes) {
  constexpr uint8_t kIsEmpty = 1, kIsSingleItem = 4;
  constexpr size_t kLevelsBegin = 20;
  if (bytes.size() < 8) return false;
  if ((static_cast<uint8_t>(bytes[3]) & (kIsEmpty | kIsSingleItem)) != 0) return true;
  if (bytes.size() < kLevelsBegin) return false;
  uint16_t k = 0;
  std::memcpy(&k, bytes.data() + 4, sizeof(k));
  const auto levels = static_cast<uint8_t>(bytes[18]);
  if (levels == 0 || bytes.size() < kLevelsBegin + levels * sizeof(uint32_t)) return false;
  const uint32_t capacity = datasketches::kll_helper::compute_total_capacity(k, static_cast<uint8_t>(bytes[6]), levels);
  uint32_t former = 0;
  for (size_t level = 0; level < levels; ++level) {
    uint32_t begin = 0;
    std::memcpy(&begin, bytes.data() + kLevelsBegin + level * sizeof(begin), sizeof(begin));
    if (begin < former || begin > capacity) return false;
    former = begin;
  }
  return true;
}

}  // namespace

template <typename T>
std::optional<KllSketch<T>> KllSketch<T>::Parse(std::string_view bytes) {
  try {
    if (!HasSoundLevels(bytes)) return std::nullopt;
    return KllSketch(std::make_unique<Implementation>(
        Implementation{datasketches::kll_sketch<T>::deserialize(bytes.data(), bytes.size())}));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

template <typename T>
std::string KllSketch<T>::Serialize() const {
  const auto bytes = implementation_->sketch.serialize();
  return {bytes.begin(), bytes.end()};
}

template <typename T>
void KllSketch<T>::Update(T value) {
  implementation_->sketch.update(value);
}
template <typename T>
void KllSketch<T>::Merge(const KllSketch& other) {
  implementation_->sketch.merge(other.implementation_->sketch);
}
template <typename T>
int KllSketch<T>::k() const {
  return implementation_->sketch.get_k();
}
template <typename T>
uint64_t KllSketch<T>::count() const {
  return implementation_->sketch.get_n();
}
template <typename T>
std::optional<T> KllSketch<T>::Quantile(double rank) const {
  if (implementation_->sketch.is_empty() || !(rank >= 0.0 && rank <= 1.0)) return std::nullopt;
  return implementation_->sketch.get_quantile(rank);
}
template <typename T>
std::optional<double> KllSketch<T>::Rank(T value) const {
  if (implementation_->sketch.is_empty()) return std::nullopt;
  return implementation_->sketch.get_rank(value);
}

template <typename T>
std::string KllSketch<T>::Summary() const {
  const auto& sketch = implementation_->sketch;
  const bool empty = sketch.is_empty();
  std::string text = std::string("\n### Kll") + JavaClass<T>() + " Summary:\n";
  const auto line = [&](const char* title, const std::string& value) {
    text += "   " + std::string(title);
    text.append(23 - std::string_view(title).size(), ' ');
    text += ": " + value + "\n";
  };
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  line("K", std::to_string(sketch.get_k()));
  line("N", std::to_string(sketch.get_n()));
  line("Epsilon", Percent(sketch.get_normalized_rank_error(false)));
  line("Epsilon PMF", Percent(sketch.get_normalized_rank_error(true)));
  line("Empty", flag(empty));
  line("Estimation Mode", flag(sketch.is_estimation_mode()));
  line("Retained Items", std::to_string(sketch.get_num_retained()));
  line("Compact Storage Bytes", std::to_string(sketch.get_serialized_size_bytes()));
  line("Min Item", empty ? "NaN" : std::to_string(sketch.get_min_item()));
  line("Max Item", empty ? "NaN" : std::to_string(sketch.get_max_item()));
  return text + "### End sketch summary\n";
}

template class KllSketch<int64_t>;
template class KllSketch<float>;
template class KllSketch<double>;

}  // namespace frazil::sketches
