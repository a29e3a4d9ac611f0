#include <gtest/gtest.h>

#include "frazil/sketches/hll_sketch.h"
#include "frazil/sketches/kll_sketch.h"
#include "frazil/sketches/theta_sketch.h"

namespace frazil::sketches {
namespace {

TEST(HllSketchTest, CountsDistinctValuesAndSurvivesItsBytes) {
  HllSketch sketch(12);
  for (int64_t value = 0; value < 1000; ++value) sketch.Update(value % 500);
  const auto read = HllSketch::Parse(sketch.Serialize());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->lg_k(), 12);
  EXPECT_NEAR(read->Estimate(), 500, 15);
  EXPECT_EQ(read->Estimate(), sketch.Estimate());
}

TEST(HllSketchTest, UnionTakesTheSmallerSize) {
  HllSketch small(8), large(14);
  for (int64_t value = 0; value < 100000; ++value) {
    small.Update(value);
    large.Update(value + 50000);
  }
  HllUnion merged(14);
  merged.Update(large);
  merged.Update(small);
  EXPECT_EQ(merged.Result().lg_k(), 8);
  EXPECT_NEAR(merged.Result().Estimate(), 150000, 30000);
}

TEST(HllSketchTest, EmptyTextsDoNotCount) {
  HllSketch sketch(12);
  sketch.Update(std::string_view());
  EXPECT_EQ(sketch.Estimate(), 0);
}

TEST(ThetaSketchTest, SetOperations) {
  ThetaBuilder left(12), right(12);
  for (int64_t value = 0; value < 100; ++value) left.Update(value);
  for (int64_t value = 60; value < 160; ++value) right.Update(value);
  const ThetaSketch a = left.Result(), b = right.Result();
  EXPECT_EQ(ThetaSketch::Intersection(a, b).Estimate(), 40);
  EXPECT_EQ(ThetaSketch::Difference(a, b).Estimate(), 60);
  left.Merge(right);
  left.Merge(b);
  EXPECT_EQ(left.Result().Estimate(), 160);
  const auto read = ThetaSketch::Parse(left.Result().Serialize());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->Estimate(), 160);
  EXPECT_EQ(ThetaSketch().Estimate(), 0);
}

TEST(KllSketchTest, QuantilesRanksAndMerges) {
  KllSketch<int64_t> sketch(200), other(200);
  for (int64_t value = 1; value <= 7; ++value) sketch.Update(value);
  EXPECT_EQ(sketch.Quantile(0.5), 4);
  EXPECT_NEAR(*sketch.Rank(3), 3.0 / 7, 1e-12);
  for (int64_t value = 8; value <= 14; ++value) other.Update(value);
  sketch.Merge(other);
  EXPECT_EQ(sketch.count(), 14u);
  const auto read = KllSketch<int64_t>::Parse(sketch.Serialize());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->Quantile(1.0), 14);
  EXPECT_EQ(sketch.Summary().substr(0, 32), "\n### KllKllLongsSketch Summary:\n");
}

TEST(KllSketchTest, NothingComesOfNothing) {
  const KllSketch<double> sketch(200);
  EXPECT_FALSE(sketch.Quantile(0.5).has_value());
  EXPECT_FALSE(sketch.Rank(1.0).has_value());
  EXPECT_EQ(KllSketch<double>::Parse(sketch.Serialize())->count(), 0u);
}

// Whatever bytes come: no crash, and no sketch out of nothing.
TEST(SketchBytesTest, OtherBytesAreNoSketch) {
  for (const std::string& bytes : {std::string(), std::string("abc"), std::string("not_a_sketch"),
                                   std::string(64, '\0'), std::string(64, '\xff')}) {
    EXPECT_FALSE(HllSketch::Parse(bytes).has_value()) << bytes;
    EXPECT_FALSE(ThetaSketch::Parse(bytes).has_value()) << bytes;
    EXPECT_FALSE(KllSketch<int64_t>::Parse(bytes).has_value()) << bytes;
  }
}

TEST(SketchBytesTest, CutBytesAreNoSketch) {
  HllSketch hll(12);
  ThetaBuilder theta(12);
  KllSketch<double> kll(200);
  for (int64_t value = 0; value < 5000; ++value) {
    hll.Update(value);
    theta.Update(value);
    kll.Update(static_cast<double>(value));
  }
  const std::string hll_bytes = hll.Serialize(), theta_bytes = theta.Result().Serialize(), kll_bytes = kll.Serialize();
  for (size_t length = 0; length < 64; ++length) {
    EXPECT_FALSE(HllSketch::Parse(hll_bytes.substr(0, length)).has_value()) << length;
    EXPECT_FALSE(ThetaSketch::Parse(theta_bytes.substr(0, length)).has_value()) << length;
    EXPECT_FALSE(KllSketch<double>::Parse(kll_bytes.substr(0, length)).has_value()) << length;
  }
}

TEST(SketchBytesTest, LevelsOutsideOfTheSketchAreNone) {
  KllSketch<double> kll(200);
  for (int64_t value = 0; value < 5000; ++value) kll.Update(static_cast<double>(value));
  const std::string bytes = kll.Serialize();
  ASSERT_TRUE(KllSketch<double>::Parse(bytes).has_value());
  // The number of levels, and the highest byte of where the first three begin.
  for (const size_t byte : {18, 23, 27, 31}) {
    std::string changed = bytes;
    changed[byte] = static_cast<char>(0x7f);
    EXPECT_FALSE(KllSketch<double>::Parse(changed).has_value()) << byte;
  }
}

}  // namespace
}  // namespace frazil::sketches
