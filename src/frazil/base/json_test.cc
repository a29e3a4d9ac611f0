#include "frazil/base/json.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

std::string RoundTrip(std::string_view text) {
  const auto value = ParseJson(text);
  return value.ok() ? value->Write() : "error: " + value.error().message;
}

TEST(JsonTest, KeepsOrderAndNumbers) {
  EXPECT_EQ(RoundTrip(R"( {"b" : [1, 2.50, -3e+2], "a": {"x": null, "y": true, "z": false}, "e": [], "o": {}} )"),
            R"({"b":[1,2.50,-3e+2],"a":{"x":null,"y":true,"z":false},"e":[],"o":{}})");
}

TEST(JsonTest, ReadsEscapes) {
  const auto value = ParseJson(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00")");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->text, "a\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(JsonTest, WritesEscapes) {
  EXPECT_EQ(JsonString(std::string("\"\\\n\x01") + "\x1f\xC3\xA9/"), "\"\\\"\\\\\\n\\u0001\\u001F\xC3\xA9/\"");
}

TEST(JsonTest, RefusesMalformedText) {
  for (const std::string_view text : {"",
                                      " ",
                                      "{",
                                      "[1,]",
                                      "[1 2]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{a:1}",
                                      "01",
                                      "1.",
                                      "1e",
                                      "-",
                                      "tru",
                                      "nul",
                                      "\"a",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\udc00\"",
                                      "1 2",
                                      "\"\n\""}) {
    EXPECT_FALSE(ParseJson(text).ok()) << text;
  }
}

TEST(JsonTest, RefusesDeepNesting) {
  EXPECT_TRUE(ParseJson(std::string(500, '[') + std::string(500, ']')).ok());
  EXPECT_FALSE(ParseJson(std::string(100'000, '[') + std::string(100'000, ']')).ok());
}

TEST(JsonTest, FindsMembers) {
  const auto value = ParseJson(R"({"a":1,"b":"x"})");
  ASSERT_TRUE(value.ok());
  ASSERT_NE(value->Find("b"), nullptr);
  EXPECT_EQ(value->Find("b")->text, "x");
  EXPECT_EQ(value->Find("c"), nullptr);
}

}  // namespace
}  // namespace frazil
