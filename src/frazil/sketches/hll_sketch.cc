#include "frazil/sketches/hll_sketch.h"

#include <exception>
#include <hll.hpp>

namespace frazil::sketches {

struct HllSketch::Implementation {
  datasketches::hll_sketch sketch;
};
struct HllUnion::Implementation {
  datasketches::hll_union merged;
};

HllSketch::HllSketch(int lg_k)
    : implementation_(std::make_unique<Implementation>(
          Implementation{datasketches::hll_sketch(static_cast<uint8_t>(lg_k), datasketches::HLL_8)})) {}
HllSketch::HllSketch(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
HllSketch::HllSketch(HllSketch&& other) noexcept = default;
HllSketch& HllSketch::operator=(HllSketch&& other) noexcept = default;
HllSketch::~HllSketch() = default;

std::optional<HllSketch> HllSketch::Parse(std::string_view bytes) {
  // The library reads the first eight bytes before it looks at the length.
  if (bytes.size() < 8) return std::nullopt;
  try {
    return HllSketch(std::make_unique<Implementation>(
        Implementation{datasketches::hll_sketch::deserialize(bytes.data(), bytes.size())}));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string HllSketch::Serialize() const {
  const auto bytes = implementation_->sketch.serialize_updatable();
  return {bytes.begin(), bytes.end()};
}

void HllSketch::Update(int64_t value) { implementation_->sketch.update(value); }
void HllSketch::Update(std::string_view value) {
  if (!value.empty()) implementation_->sketch.update(value.data(), value.size());
}
double HllSketch::Estimate() const { return implementation_->sketch.get_estimate(); }
int HllSketch::lg_k() const { return implementation_->sketch.get_lg_config_k(); }

HllUnion::HllUnion(int lg_max_k)
    : implementation_(
          std::make_unique<Implementation>(Implementation{datasketches::hll_union(static_cast<uint8_t>(lg_max_k))})) {}
HllUnion::HllUnion(HllUnion&& other) noexcept = default;
HllUnion& HllUnion::operator=(HllUnion&& other) noexcept = default;
HllUnion::~HllUnion() = default;

void HllUnion::Update(const HllSketch& sketch) { implementation_->merged.update(sketch.implementation_->sketch); }
HllSketch HllUnion::Result() const {
  return HllSketch(std::make_unique<HllSketch::Implementation>(
      HllSketch::Implementation{implementation_->merged.get_result(datasketches::HLL_8)}));
}
int HllUnion::lg_k() const { return implementation_->merged.get_lg_config_k(); }

}  // namespace frazil::sketches
