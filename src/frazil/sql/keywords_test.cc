#include "frazil/sql/keywords.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace frazil::sql {
namespace {

TEST(Keywords, ListsWhatSparkLists) {
  const auto keywords = AllKeywords();
  EXPECT_EQ(keywords.size(), 395U);
  EXPECT_TRUE(std::is_sorted(keywords.begin(), keywords.end(),
                             [](const KeywordInfo& left, const KeywordInfo& right) { return left.text < right.text; }));
  EXPECT_EQ(std::count_if(keywords.begin(), keywords.end(), [](const KeywordInfo& info) { return info.reserved; }), 77);
  EXPECT_EQ(std::count_if(keywords.begin(), keywords.end(), [](const KeywordInfo& info) { return info.strict; }), 16);
}

TEST(Keywords, AreFoundInAnyCase) {
  EXPECT_EQ(FindKeyword("select"), Keyword::kSelect);
  EXPECT_EQ(FindKeyword("Regexp"), Keyword::kRlike);
  EXPECT_EQ(FindKeyword("temp"), Keyword::kTemporary);
  EXPECT_EQ(FindKeyword("selects"), Keyword::kNotKeyword);
  EXPECT_EQ(GetKeywordInfo(Keyword::kAnti).text, "ANTI");
}

}  // namespace
}  // namespace frazil::sql
