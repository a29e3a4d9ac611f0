#include "frazil/codec/theta_sketch.h"

#include <gtest/gtest.h>

namespace frazil::codec {
namespace {

TEST(ThetaSketch, FormsBySize) {
  EXPECT_EQ(ThetaSketch::OfLeast({}).Serialize(), std::string("\x01\x03\x03\0\0\x1E\xCC\x93", 8));
  const std::string single = ThetaSketch::OfLeast({5}).Serialize();
  EXPECT_EQ(single.substr(0, 8), std::string("\x01\x03\x03\0\0\x3A\xCC\x93", 8));
  EXPECT_EQ(single.size(), 16u);
  const std::string exact = ThetaSketch::OfLeast({5, 7}).Serialize();
  EXPECT_EQ(exact.substr(0, 16), std::string("\x02\x03\x03\0\0\x1A\xCC\x93\x02\0\0\0\0\0\x80\x3F", 16));
  EXPECT_EQ(exact.size(), 32u);
}

TEST(ThetaSketch, Estimates) {
  EXPECT_EQ(ThetaSketch::OfLeast({}).Estimate(), 0);
  EXPECT_EQ(ThetaSketch::OfLeast({1, 2, 3}).Estimate(), 3);
  // Hashes that are evenly spread over a tenth of their range: the rest would be ten times as many.
  std::vector<uint64_t> least;
  const uint64_t step = INT64_MAX / 10 / ThetaSketch::kNominalEntries;
  for (uint64_t i = 1; i <= ThetaSketch::kNominalEntries + 1; ++i) least.push_back(i * step);
  const ThetaSketch sketch = ThetaSketch::OfLeast(least);
  EXPECT_EQ(sketch.hashes.size(), ThetaSketch::kNominalEntries);
  EXPECT_NEAR(sketch.Estimate(), 10.0 * ThetaSketch::kNominalEntries, 20);
  EXPECT_EQ(sketch.Serialize().size(), 24 + 8 * ThetaSketch::kNominalEntries);
}

}  // namespace
}  // namespace frazil::codec
