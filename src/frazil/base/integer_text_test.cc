#include "frazil/base/integer_text.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(IntegerText, TakesWholeNumbersOnly) {
  EXPECT_EQ(ParseInteger<int64_t>("0"), 0);
  EXPECT_EQ(ParseInteger<int64_t>("-12"), -12);
  EXPECT_EQ(ParseInteger<int>("007"), 7);
  EXPECT_EQ(ParseInteger<unsigned>("fF", 16), 255u);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "1,000"})
    EXPECT_FALSE(ParseInteger<int64_t>(text)) << text;
  EXPECT_FALSE(ParseInteger<unsigned>("-1"));
}

TEST(IntegerText, RefusesWhatTheTypeDoesNotHold) {
  EXPECT_EQ(ParseInteger<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseInteger<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_FALSE(ParseInteger<int64_t>("9223372036854775808"));
  EXPECT_FALSE(ParseInteger<int32_t>("2147483648"));
  EXPECT_FALSE(ParseInteger<int8_t>("128"));
}

}  // namespace
}  // namespace frazil
