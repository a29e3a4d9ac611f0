// Names, parentheses, postfix forms, parameters.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Expression;

TEST(PrimaryParser, ReadsPrimaries) {
  EXPECT_EQ(Expression("exists (select 1)"), "exists{Project[int(1)](OneRow)}");
  EXPECT_EQ(Expression("exists(arr, x -> x > 0)"), "exists(arr, lambda(x -> >(x, int(0))))");
  EXPECT_EQ(Expression("case when a then 1 else 2 end"), "when(a, int(1), int(2))");
  EXPECT_EQ(Expression("case a when 1 then 'x' end"), "when(==(a, int(1)), string(x))");
  EXPECT_EQ(Expression("cast(a as decimal(10, 2))"), "cast(a as decimal(10,2))");
  EXPECT_EQ(Expression("try_cast(a as array<map<string, array<int>>>)"),
            "try_cast(a as array<map<string,array<int>>>)");
  EXPECT_EQ(Expression("a::int::string"), "cast(cast(a as int) as string)");
  EXPECT_EQ(Expression("a[1].b['x']"), "a[int(1)][string(b)][string(x)]");
  EXPECT_EQ(Expression("f(x).y"), "f(x)[string(y)]");
  EXPECT_EQ(Expression("(a).b"), "a.b");
  EXPECT_EQ(Expression("t.*"), "t.*");
  EXPECT_EQ(Expression("* except (a, b.c)"), "* except(a, b.c)");
  EXPECT_EQ(Expression("a:b.c[0][\"x\"]"), "a:[string(b.c[0][\"x\"])]");
  EXPECT_EQ(Expression("v:price::int"), "cast(v:[string(price)] as int)");
  EXPECT_EQ(Expression("v:['a b'].c"), "v:[string(['a b'].c)]");
  EXPECT_EQ(Expression("a collate utf8_lcase = 'x'"), "==(collate(a, string(utf8_lcase)), string(x))");
  EXPECT_EQ(Expression("current_date"), "current_date");
  EXPECT_EQ(Expression("current_timestamp()"), "current_timestamp()");
  EXPECT_EQ(Expression("struct(a as x, 2)"), "struct(a as x, int(2))");
  EXPECT_EQ(Expression("(1, 'a')"), "struct(int(1), string(a))");
  EXPECT_EQ(Expression("`a b`.`c``d`"), "`a b`.`c``d`");
  EXPECT_EQ(Expression("1a"), "1a");
  EXPECT_EQ(Expression("a as b"), "a as b");
  EXPECT_EQ(Expression("explode(m) as (k, v)"), "explode(m) as (k, v)");
  EXPECT_EQ(Expression("stack(2, 1, 2) (a, b)"), "stack(int(2), int(1), int(2)) as (a, b)");
  EXPECT_EQ(Expression("a -> b"), "lambda(a -> b)");
  EXPECT_EQ(Expression("(a, b) -> a + b"), "lambda(a, b -> +(a, b))");
  EXPECT_EQ(Expression("true and null"), "and(boolean(true), null)");
  EXPECT_EQ(Expression("true.x"), "true.x");
  EXPECT_EQ(Expression("identifier('a.b')"), "a.b");
  EXPECT_EQ(Expression("identifier('f')(1)"), "f(int(1))");
  EXPECT_EQ(Expression("identifier(:x)"), "identifier(:x)");
  EXPECT_EQ(Expression("identifier('a' || 'b')(1)"), "identifier(||(string(a), string(b)))(int(1))");
  EXPECT_EQ(Expression("identifier('a.b').c"), "a.b.c");
  EXPECT_EQ(Expression("identifier('t').*"), "t.*");
  EXPECT_EQ(Expression(":x + ?"), "+(:x, ?5)");
  EXPECT_EQ(Expression(":x '.' ?"), "||(||(:x, string(.)), ?7)");
  EXPECT_EQ(Expression("identifier(:x '.' :y)"), "identifier(||(||(:x, string(.)), :y))");
  EXPECT_EQ(Expression("(select 1) + 1"), "+(scalar{Project[int(1)](OneRow)}, int(1))");
  EXPECT_EQ(Expression("((select 1) + 1) * 2"), "*(+(scalar{Project[int(1)](OneRow)}, int(1)), int(2))");
  EXPECT_EQ(Expression("((select 1) union (select 2))"),
            "scalar{Union(Project[int(1)](OneRow), Project[int(2)](OneRow))}");
  EXPECT_EQ(Expression("case"), "case");
  EXPECT_EQ(Expression("case when a then b"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Expression("a[1"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Expression("a."), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Expression("(a"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Expression("interval"), "interval");
  EXPECT_EQ(Expression("date"), "date");
  EXPECT_EQ(Expression("cast"), "cast");
  EXPECT_EQ(Expression("select 1"), "error PARSE_SYNTAX_ERROR");
}

}  // namespace
}  // namespace frazil::sql
