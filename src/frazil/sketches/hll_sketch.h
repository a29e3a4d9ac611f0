#pragma once

// HyperLogLog sketches: about how many distinct values there were. Bytes as Apache DataSketches writes them (which
// Spark's hll_* functions use), in the form with 8 bits a bucket.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::sketches {

class HllSketch {
 public:
  /// The logarithm of the number of buckets.
  static constexpr int kMinLgK = 4, kMaxLgK = 21, kDefaultLgK = 12;

  explicit HllSketch(int lg_k);
  HllSketch(HllSketch&& other) noexcept;
  HllSketch& operator=(HllSketch&& other) noexcept;
  ~HllSketch();

  /// Nothing where the bytes are no such sketch.
  static std::optional<HllSketch> Parse(std::string_view bytes);
  std::string Serialize() const;

  void Update(int64_t value);
  /// Empty texts do not count.
  void Update(std::string_view value);
  double Estimate() const;
  int lg_k() const;

 private:
  friend class HllUnion;
  struct Implementation;
  explicit HllSketch(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// The distinct values of several sketches together; of sketches that differ in size the smaller one decides.
class HllUnion {
 public:
  /// `lg_max_k`: the size of the result at most.
  explicit HllUnion(int lg_max_k);
  HllUnion(HllUnion&& other) noexcept;
  HllUnion& operator=(HllUnion&& other) noexcept;
  ~HllUnion();

  void Update(const HllSketch& sketch);
  HllSketch Result() const;
  int lg_k() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace frazil::sketches
