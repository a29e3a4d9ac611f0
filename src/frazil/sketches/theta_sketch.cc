#include "frazil/sketches/theta_sketch.h"

#include <algorithm>
#include <exception>
#include <theta_a_not_b.hpp>
#include <theta_intersection.hpp>
#include <theta_sketch.hpp>
#include <theta_union.hpp>

namespace frazil::sketches {
namespace {

// The library's least size is one above that of the Java library: more exact, never less.
uint8_t LgEntries(int lg_entries) {
  return static_cast<uint8_t>(std::max<int>(lg_entries, datasketches::theta_constants::MIN_LG_K));
}

}  // namespace

struct ThetaSketch::Implementation {
  datasketches::compact_theta_sketch sketch;
};

struct ThetaBuilder::Implementation {
  uint8_t lg_entries;
  datasketches::update_theta_sketch values;
  // What came as sketches; they cannot be put into a sketch of values.
  std::optional<datasketches::theta_union> merged;

  datasketches::theta_union& Union() {
    if (!merged.has_value()) merged = datasketches::theta_union::builder().set_lg_k(lg_entries).build();
    return *merged;
  }
};

ThetaSketch::ThetaSketch() : ThetaSketch(ThetaBuilder(kDefaultLgEntries).Result()) {}
ThetaSketch::ThetaSketch(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {}

std::optional<ThetaSketch> ThetaSketch::Parse(std::string_view bytes) {
  if (bytes.size() < 8) return std::nullopt;
  try {
    return ThetaSketch(std::make_shared<Implementation>(
        Implementation{datasketches::compact_theta_sketch::deserialize(bytes.data(), bytes.size())}));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string ThetaSketch::Serialize() const {
  const auto bytes = implementation_->sketch.serialize_compressed();
  return {bytes.begin(), bytes.end()};
}

double ThetaSketch::Estimate() const { return implementation_->sketch.get_estimate(); }

ThetaSketch ThetaSketch::Intersection(const ThetaSketch& left, const ThetaSketch& right) {
  datasketches::theta_intersection intersection;
  intersection.update(left.implementation_->sketch);
  intersection.update(right.implementation_->sketch);
  return ThetaSketch(std::make_shared<Implementation>(Implementation{intersection.get_result()}));
}

ThetaSketch ThetaSketch::Difference(const ThetaSketch& left, const ThetaSketch& right) {
  const datasketches::theta_a_not_b difference;
  return ThetaSketch(std::make_shared<Implementation>(
      Implementation{difference.compute(left.implementation_->sketch, right.implementation_->sketch)}));
}

ThetaBuilder::ThetaBuilder(int lg_entries)
    : implementation_(std::make_unique<Implementation>(Implementation{
          LgEntries(lg_entries), datasketches::update_theta_sketch::builder().set_lg_k(LgEntries(lg_entries)).build(),
          std::nullopt})) {}
ThetaBuilder::ThetaBuilder(ThetaBuilder&& other) noexcept = default;
ThetaBuilder& ThetaBuilder::operator=(ThetaBuilder&& other) noexcept = default;
ThetaBuilder::~ThetaBuilder() = default;

void ThetaBuilder::Update(int64_t value) { implementation_->values.update(value); }
void ThetaBuilder::Update(double value) { implementation_->values.update(value); }
void ThetaBuilder::Update(std::string_view bytes) {
  if (!bytes.empty()) implementation_->values.update(bytes.data(), bytes.size());
}

void ThetaBuilder::Merge(const ThetaSketch& sketch) { implementation_->Union().update(sketch.implementation_->sketch); }

void ThetaBuilder::Merge(const ThetaBuilder& other) {
  auto& merged = implementation_->Union();
  merged.update(other.implementation_->values);
  if (other.implementation_->merged.has_value()) merged.update(other.implementation_->merged->get_result());
}

ThetaSketch ThetaBuilder::Result() const {
  using Made = ThetaSketch::Implementation;
  if (!implementation_->merged.has_value()) {
    return ThetaSketch(std::make_shared<Made>(Made{implementation_->values.compact()}));
  }
  datasketches::theta_union all = *implementation_->merged;
  all.update(implementation_->values);
  return ThetaSketch(std::make_shared<Made>(Made{all.get_result()}));
}

}  // namespace frazil::sketches
