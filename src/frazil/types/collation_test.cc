#include "frazil/types/collation.h"

#include <string>

#include <gtest/gtest.h>

namespace frazil {
namespace {

std::string Proposals(const char* name) {
  const auto checked = CheckCollationName(name);
  if (checked.ok()) return "ok";
  EXPECT_EQ(checked.error().condition, "COLLATION_INVALID_NAME");
  for (const auto& [key, value] : checked.error().parameters) {
    if (key == "proposals") return value;
  }
  return "";
}

// As Spark 4.1 answers.
TEST(CollationTest, Names) {
  for (const char* name :
       {"UTF8_BINARY", "utf8_lcase", "UTF8_BINARY_RTRIM", "Unicode", "UNICODE_CI_AI", "en_CI_AI_RTRIM", "SR_LATN_srb"})
    EXPECT_EQ(Proposals(name), "ok") << name;
}

TEST(CollationTest, UnknownNamesAndTheNearestOnes) {
  EXPECT_EQ(Proposals("FOO"), "fo, bo, eo");
  EXPECT_EQ(Proposals("b"), "be, bg, bn");
  EXPECT_EQ(Proposals("UTF8_BS"), "UTF8_LCASE");
  EXPECT_EQ(Proposals("UTF8_BINARY_CI"), "UTF8_BINARY");
  EXPECT_EQ(Proposals("UNICODE_CI_XX"), "UNICODE");
  EXPECT_EQ(Proposals("UNICODE_CI_CI"), "UNICODE_CI");
  EXPECT_EQ(Proposals("UNICODE_CI_CS"), "UNICODE_CS");
  EXPECT_EQ(Proposals("en_USS_CI"), "en_USA_CI");
  EXPECT_EQ(Proposals("xx"), "xh, af, am");
  EXPECT_EQ(Proposals(""), "af, am, ar");
  EXPECT_EQ(Proposals("nU"), "gu, hu, ku");
  EXPECT_EQ(Proposals("UTF8"), "af");
}

}  // namespace
}  // namespace frazil
