#pragma once

// Theta sketches: distinct values with unions, intersections and differences. Bytes as Apache DataSketches writes them
// (which Spark's theta_* functions use): compact, ordered, compressed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::sketches {

/// A finished sketch. Immutable; copies share.
class ThetaSketch {
 public:
  /// The logarithm of the nominal number of entries.
  static constexpr int kMinLgEntries = 4, kMaxLgEntries = 26, kDefaultLgEntries = 12;

  /// Of no values.
  ThetaSketch();
  /// Nothing where the bytes are no such sketch.
  static std::optional<ThetaSketch> Parse(std::string_view bytes);
  std::string Serialize() const;
  double Estimate() const;

  /// Values that are in both.
  static ThetaSketch Intersection(const ThetaSketch& left, const ThetaSketch& right);
  /// Values of the left one that are not in the right one.
  static ThetaSketch Difference(const ThetaSketch& left, const ThetaSketch& right);

 private:
  friend class ThetaBuilder;
  struct Implementation;
  explicit ThetaSketch(std::shared_ptr<const Implementation> implementation);
  std::shared_ptr<const Implementation> implementation_;
};

/// Collects values and sketches.
class ThetaBuilder {
 public:
  explicit ThetaBuilder(int lg_entries);
  ThetaBuilder(ThetaBuilder&& other) noexcept;
  ThetaBuilder& operator=(ThetaBuilder&& other) noexcept;
  ~ThetaBuilder();

  void Update(int64_t value);
  void Update(double value);
  /// The bytes of a text, or of an array of numbers; none does not count.
  void Update(std::string_view bytes);
  void Merge(const ThetaSketch& sketch);
  void Merge(const ThetaBuilder& other);
  ThetaSketch Result() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace frazil::sketches
