#pragma once

// KLL sketches: quantiles of numbers. Bytes as Apache DataSketches writes them, which Spark's kll_* functions use.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::sketches {

inline constexpr int kKllMinK = 8, kKllMaxK = 65535, kKllDefaultK = 200;

/// T: int64_t, float or double.
template <typename T>
class KllSketch {
 public:
  explicit KllSketch(int k);
  KllSketch(const KllSketch& other);
  KllSketch(KllSketch&& other) noexcept;
  KllSketch& operator=(KllSketch&& other) noexcept;
  ~KllSketch();

  /// Nothing where the bytes are no such sketch. They do not say of which numbers it is: only a length that cannot be
  /// tells one of others.
  static std::optional<KllSketch> Parse(std::string_view bytes);
  std::string Serialize() const;

  /// NaN does not count.
  void Update(T value);
  void Merge(const KllSketch& other);
  int k() const;
  uint64_t count() const;
  /// The value below or at which this share of the values lies; nothing where there are none.
  std::optional<T> Quantile(double rank) const;
  /// The share of values that are below or at this one; nothing where there are none.
  std::optional<double> Rank(T value) const;
  /// Text for people, as DataSketches' Java library lays it out.
  std::string Summary() const;

 private:
  struct Implementation;
  explicit KllSketch(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace frazil::sketches
