#include "frazil/base/text.h"

#include <set>

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(TextTest, CaseFolding) {
  EXPECT_EQ(AsciiLower("AbC\xC3\x84"), "abc\xC3\x84");
  EXPECT_EQ(AsciiUpper("aBc_1"), "ABC_1");
  EXPECT_TRUE(EqualsIgnoreCase("Foo", "fOO"));
  EXPECT_FALSE(EqualsIgnoreCase("Foo", "Foo1"));
  const std::set<std::string, IgnoreCaseLess> names = {"b", "A", "B"};
  EXPECT_EQ(names.size(), 2u);
  EXPECT_TRUE(names.contains(std::string_view("a")));
}

TEST(TextTest, Trims) {
  EXPECT_EQ(TrimBlanks(" \t\na b\r\v\f "), "a b");
  EXPECT_EQ(TrimBlanks("   "), "");
  EXPECT_EQ(TrimControls(std::string_view("\0\x1f x \x01", 6)), "x");
}

TEST(TextTest, SplitsAndJoins) {
  EXPECT_EQ(Split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(Split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(Join({"a", "", "b"}, "::"), "a::::b");
  EXPECT_EQ(ReplaceAll("aXbXX", "X", "yy"), "ayybyyyy");
  EXPECT_EQ(ReplaceAll("abc", "", "y"), "abc");
}

TEST(TextTest, Like) {
  EXPECT_TRUE(MatchesLike("abc", "a%"));
  EXPECT_TRUE(MatchesLike("abc", "%b%"));
  EXPECT_TRUE(MatchesLike("abc", "a_c"));
  EXPECT_FALSE(MatchesLike("abc", "a_"));
  EXPECT_TRUE(MatchesLike("", "%%"));
  EXPECT_FALSE(MatchesLike("", "_"));
  EXPECT_TRUE(MatchesLike("a%c", "a\\%c"));
  EXPECT_FALSE(MatchesLike("abc", "a\\%c"));
  EXPECT_TRUE(MatchesLike("a_c", "a/_c", '/'));
  EXPECT_TRUE(
      MatchesLike("a\xC3\xA4"
                  "b",
                  "a_b"));  // one character of two bytes
  EXPECT_TRUE(MatchesLike("\xC3\xA4\xC3\xB6", "%\xC3\xB6"));
  EXPECT_FALSE(MatchesLike("Abc", "abc"));
  EXPECT_TRUE(MatchesLike("aaab", "%aab"));
}

TEST(TextTest, LikeIsNotExponential) {
  EXPECT_FALSE(MatchesLike(std::string(2000, 'a'), "%a%a%a%a%a%a%a%a%a%a%a%a%b"));
}

TEST(TextTest, ShowPattern) {
  EXPECT_TRUE(MatchesShowPattern("Sales", "sa*"));
  EXPECT_TRUE(MatchesShowPattern("x", "a|b | X"));
  EXPECT_FALSE(MatchesShowPattern("sales", "ale"));
  EXPECT_FALSE(MatchesShowPattern("sales", "s%"));
  EXPECT_TRUE(MatchesShowPattern("sales", "*"));
}

TEST(TextTest, Similarity) {
  EXPECT_EQ(LevenshteinDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(LevenshteinDistance("", "abc"), 3u);
  EXPECT_EQ(LevenshteinDistance("same", "same"), 0u);
  EXPECT_EQ(MostSimilar("COL2", {"other", "col1", "col2"}, 2), (std::vector<std::string>{"col2", "col1"}));
}

TEST(TextTest, Utf8) {
  EXPECT_TRUE(IsValidUtf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_FALSE(IsValidUtf8("\xFF"));
  EXPECT_FALSE(IsValidUtf8("\xC3"));
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xE0\x80\x80"));
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));
  EXPECT_FALSE(IsValidUtf8("\xF5\x80\x80\x80"));
  EXPECT_EQ(Utf8Length("a\xC3\xA4\xE2\x82\xAC\xFF"), 4u);
}

}  // namespace
}  // namespace frazil
