#include "frazil/engine/functions/seeded_random.h"

#include <vector>

#include <gtest/gtest.h>

namespace frazil::engine {
namespace {

// SELECT shuffle(array(1, 2, 3, 4, 5), 5) of Spark 4.1.4, whose order is that of an inside-out Fisher-Yates shuffle.
TEST(MersenneTwister, GivesSparksShuffle) {
  MersenneTwister random(5);
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) {
    const auto place = static_cast<size_t>(random.NextInt(i + 1));
    order.push_back(i + 1);
    std::swap(order[place], order.back());
  }
  EXPECT_EQ(order, (std::vector<int>{5, 1, 4, 2, 3}));
}

// spark.range(0, 100, 1, 1).sample(True, 0.1, seed=3) of Spark 4.1.4.
TEST(WellRandom, GivesSparksSampleWithReplacement) {
  WellRandom random(JavaRandom(3).NextLong());
  std::vector<int> rows;
  for (int row = 0; row < 100; ++row) {
    for (int64_t copies = random.NextPoisson(0.1); copies > 0; --copies) rows.push_back(row);
  }
  EXPECT_EQ(rows, (std::vector<int>{7, 33, 40, 40, 51, 73, 77, 98}));
}

}  // namespace
}  // namespace frazil::engine
