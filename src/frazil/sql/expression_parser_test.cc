// Operators and their precedence.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Expression;

TEST(ExpressionParser, BindsOperatorsAsSparkDoes) {
  EXPECT_EQ(Expression("1 + 2 * 3 - 4"), "-(+(int(1), *(int(2), int(3))), int(4))");
  EXPECT_EQ(Expression("-1"), "int(-1)");
  EXPECT_EQ(Expression("- a"), "negative(a)");
  EXPECT_EQ(Expression("-a * b + c"), "+(*(negative(a), b), c)");
  EXPECT_EQ(Expression("a - 1"), "-(a, int(1))");
  EXPECT_EQ(Expression("a AND b OR NOT c AND d"), "or(and(a, b), and(not(c), d))");
  EXPECT_EQ(Expression("NOT a = b"), "not(==(a, b))");
  EXPECT_EQ(Expression("not a is null"), "not(isnull(a))");
  EXPECT_EQ(Expression("a = b is null"), "isnull(==(a, b))");
  EXPECT_EQ(Expression("a between 1 and 2 and c"), "and(between(a, int(1), int(2)), c)");
  EXPECT_EQ(Expression("a not between 1 + 1 and 2 * 3"), "not(between(a, +(int(1), int(1)), *(int(2), int(3))))");
  EXPECT_EQ(Expression("a in (1, 2)"), "in(a, int(1), int(2))");
  EXPECT_EQ(Expression("a not in (select x from t)"), "not(in(a){Project[x](Table[t])})");
  EXPECT_EQ(Expression("(a, b) in (select x, y from t)"), "in(a, b){Project[x, y](Table[t])}");
  EXPECT_EQ(Expression("a like 'x%' escape '!'"), "like(a, string(x%), string(!))");
  EXPECT_EQ(Expression("a not ilike any ('x', 'y')"), "not_ilike_any(a, string(x), string(y))");
  EXPECT_EQ(Expression("a like all ('x', 'y')"), "like_all(a, string(x), string(y))");
  EXPECT_EQ(Expression("a rlike 'x' or b regexp 'y'"), "or(rlike(a, string(x)), rlike(b, string(y)))");
  EXPECT_EQ(Expression("a is distinct from b"), "is_distinct_from(a, b)");
  EXPECT_EQ(Expression("a is not distinct from b"), "not(is_distinct_from(a, b))");
  EXPECT_EQ(Expression("a is not true"), "not(is_true(a))");
  EXPECT_EQ(Expression("a || b || c"), "||(||(a, b), c)");
  EXPECT_EQ(Expression("a | b & c ^ d"), "|(a, ^(&(b, c), d))");
  EXPECT_EQ(Expression("a << 2 >> 1 >>> 3"), "shiftrightunsigned(shiftright(shiftleft(a, int(2)), int(1)), int(3))");
  EXPECT_EQ(Expression("a <=> b"), "<=>(a, b)");
  EXPECT_EQ(Expression("a <> b"), "!=(a, b)");
  EXPECT_EQ(Expression("a != b"), "!=(a, b)");
  EXPECT_EQ(Expression("a == b"), "==(a, b)");
  EXPECT_EQ(Expression("~a"), "~(a)");
  EXPECT_EQ(Expression("a div b % c"), "%(div(a, b), c)");
  EXPECT_EQ(Expression("!a"), "not(a)");
  EXPECT_EQ(Expression("a ! in (1)"), "not(in(a, int(1)))");
  EXPECT_EQ(Expression("a like any ()"), "error _LEGACY_ERROR_TEMP_0064");
  EXPECT_EQ(Expression("a is unknown"), "is_unknown(a)");
  EXPECT_EQ(Expression("a is not unknown"), "is_not_unknown(a)");
  EXPECT_EQ(Expression("1 = 1 between true and false"), "between(==(int(1), int(1)), boolean(true), boolean(false))");
  EXPECT_EQ(Expression("a is null = b"), "error PARSE_SYNTAX_ERROR");
}

}  // namespace
}  // namespace frazil::sql
