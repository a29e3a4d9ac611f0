#include "frazil/base/uuid.h"

#include <set>

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(UuidTest, RandomIsVersion4AndUnique) {
  std::set<Uuid> seen;
  for (int i = 0; i < 1000; ++i) {
    const Uuid uuid = Uuid::Random();
    EXPECT_EQ(uuid.bytes[6] >> 4, 4);
    EXPECT_EQ(uuid.bytes[8] >> 6, 2);
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

TEST(UuidTest, TextRoundTrip) {
  const auto uuid = Uuid::Parse("F79C3E09-677C-4BBD-A479-3F349CB785E7");
  ASSERT_TRUE(uuid.has_value());
  EXPECT_EQ(uuid->ToString(), "f79c3e09-677c-4bbd-a479-3f349cb785e7");
  EXPECT_EQ(Uuid::Parse("f79c3e09677c4bbda4793f349cb785e7"), uuid);
  EXPECT_FALSE(Uuid::Parse("f79c3e09-677c-4bbd-a479-3f349cb785e").has_value());
  EXPECT_FALSE(Uuid::Parse("f79c3e09-677c-4bbd-a479-3f349cb785eg").has_value());
  EXPECT_FALSE(Uuid::Parse("f79c3e0-9677c-4bbd-a479-3f349cb785e7").has_value());
}

}  // namespace
}  // namespace frazil
