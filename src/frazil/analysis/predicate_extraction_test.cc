#include "frazil/analysis/predicate_extraction.h"

#include <gtest/gtest.h>

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/testing/fake_context.h"

namespace frazil::analysis {
namespace {

/// What a condition over columns of several types becomes, with "?" in front where it is not exact.
std::string Extracted(const std::string& condition) {
  testing::FakeContext context;
  auto schema = sql::ParseTableSchema("b TINYINT, i INT, l BIGINT, m DECIMAL(10,2), d DOUBLE, s STRING");
  EXPECT_TRUE(schema.ok());
  std::vector<Attribute> columns;
  std::map<AttributeId, std::vector<std::string>> paths;
  for (const auto& field : (*schema)->fields()) {
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = field.name;
    attribute.type = field.type;
    paths[attribute.id] = {field.name};
    columns.push_back(std::move(attribute));
  }
  auto parsed = sql::ParseExpression(condition);
  EXPECT_TRUE(parsed.ok()) << condition;
  auto typed = AnalyzeCondition(*parsed, columns, context);
  EXPECT_TRUE(typed.ok()) << condition << ": " << typed.error().message;
  auto extracted = ExtractPredicate(*typed, paths, context);
  return (extracted.exact ? "" : "?") + extracted.predicate->ToString();
}

TEST(PredicateExtraction, EvaluatesTheConstantSide) {
  const std::string expected = Extracted("l <= 4L");
  EXPECT_NE(expected[0], '?');
  EXPECT_EQ(Extracted("l <= 4"), expected);
  EXPECT_EQ(Extracted("l <= 2 + 2"), expected);
  EXPECT_EQ(Extracted("4 >= l"), expected);
  EXPECT_EQ(Extracted("NOT l > 4"), expected);
  EXPECT_EQ(Extracted("l IN (1, 2)"), Extracted("l IN (1L, 2L)"));
  EXPECT_EQ(Extracted("m > 4"), Extracted("m > 4.00BD"));
  EXPECT_EQ(Extracted("d = 4"), Extracted("d = 4.0D"));
  EXPECT_EQ(Extracted("s = concat('a', 'b')"), Extracted("s = 'ab'"));
  EXPECT_EQ(Extracted("l = CAST(NULL AS INT)"), Predicate::False()->ToString());
  // What cannot be computed is left out; the rest holds all the same.
  EXPECT_EQ(Extracted("1 = 1 AND l <= 4"), "?" + expected);
}

TEST(PredicateExtraction, NegationsOfWhatIsNeverTrueAreNeverTrueEither) {
  const std::string never = Predicate::False()->ToString();
  for (const char* condition : {"NOT (i = NULL)", "NOT (i < 0 OR l <= NULL)", "NOT (i < 0 OR s > NULL)",
                                "NOT (i IS NULL OR l < NULL)", "NOT (i < 0 OR CAST(NULL AS BOOLEAN))",
                                "NOT (NOT (i = NULL))", "NOT (i < 0 OR l IN (1, NULL))", "i NOT IN (1, NULL)"})
    EXPECT_EQ(Extracted(condition), never) << condition;
  // It is true for the other values, and unknown for NULL alone.
  EXPECT_EQ(Extracted("NOT (i NOT IN (1, NULL))"), Extracted("i IN (1)"));
  EXPECT_EQ(Extracted("NOT (i IN (3000000000))"), Extracted("i IS NOT NULL"));
  EXPECT_EQ(Extracted("NOT (l < 0 OR i IN (3000000000))"), Extracted("l >= 0 AND i IS NOT NULL"));
  EXPECT_EQ(Extracted("NOT (l < 0 AND i = NULL)"), Extracted("l >= 0"));
  EXPECT_EQ(Extracted("NOT (l BETWEEN 0 AND NULL)"), Extracted("l < 0"));
}

TEST(PredicateExtraction, NegationsReachTheLeaves) {
  EXPECT_EQ(Extracted("NOT (l < 1 AND (s = 'a' OR NOT i IS NULL))"), Extracted("l >= 1 OR (s <> 'a' AND i IS NULL)"));
  EXPECT_EQ(Extracted("NOT (l > 1 OR l <> 5)"), Extracted("l <= 1 AND l = 5"));
  EXPECT_EQ(Extracted("NOT (l < 1 OR length(s) = 2)"), "?" + Extracted("l >= 1"));
}

TEST(PredicateExtraction, LooksThroughWideningCasts) {
  EXPECT_EQ(Extracted("i = 4L"), Extracted("i = 4"));
  EXPECT_EQ(Extracted("b < 4"), Extracted("b < 4Y"));
  EXPECT_EQ(Extracted("i IN (4L, 5000000000)"), Extracted("i IN (4)"));
  // Nothing that the column can hold.
  EXPECT_EQ(Extracted("b < 128"), "?" + Predicate::True()->ToString());
  EXPECT_EQ(Extracted("i = 2147483648"), "?" + Predicate::True()->ToString());
  EXPECT_NE(Extracted("i = 2147483647L")[0], '?');
  EXPECT_NE(Extracted("b >= -128")[0], '?');
}

TEST(PredicateExtraction, LeavesOutWhatItCannotSay) {
  for (const char* condition : {"i + 1 = 4", "i = l", "CAST(l AS INT) = 4", "s LIKE 'a%'", "rand() > 0.5"})
    EXPECT_EQ(Extracted(condition), "?" + Predicate::True()->ToString()) << condition;
}

}  // namespace
}  // namespace frazil::analysis
