// Function calls, keyword functions, windows.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Expression;

TEST(FunctionParser, ReadsCalls) {
  EXPECT_EQ(Expression("count(*)"), "count(*)");
  EXPECT_EQ(Expression("count(distinct a, b) filter (where c > 1)"), "count(distinct a, b) filter(>(c, int(1)))");
  EXPECT_EQ(Expression("percentile_cont(0.5) within group (order by a desc nulls last) over (partition by b)"),
            "percentile_cont(decimal(1,1)(0.5)) within group(a desc nulls last) over(partition by b)");
  EXPECT_EQ(Expression("sum(a) over w"), "sum(a) over(w)");
  EXPECT_EQ(Expression("sum(a) over (partition by b order by c desc rows between 1 preceding and unbounded following)"),
            "sum(a) over(partition by b order by c desc rows int(1) preceding to unbounded following)");
  EXPECT_EQ(Expression("lag(a) ignore nulls over (order by b)"), "lag(a) ignore nulls over(order by b asc)");
  EXPECT_EQ(Expression("first(a ignore nulls)"), "first(a) ignore nulls");
  EXPECT_EQ(Expression("nth_value(a, 2) respect nulls over (w)"), "nth_value(a, int(2)) respect nulls over(w)");
  EXPECT_EQ(Expression("transform(a, x -> x + 1)"), "transform(a, lambda(x -> +(x, int(1))))");
  EXPECT_EQ(Expression("reduce(a, 0, (acc, x) -> acc + x)"), "reduce(a, int(0), lambda(acc, x -> +(acc, x)))");
  EXPECT_EQ(Expression("extract(year from a)"), "extract(string(year), a)");
  EXPECT_EQ(Expression("trim(both 'x' from a)"), "trim(string(x), a)");
  EXPECT_EQ(Expression("trim(leading from a)"), "ltrim(a)");
  EXPECT_EQ(Expression("trim(a)"), "trim(a)");
  EXPECT_EQ(Expression("substring(a from 2 for 3)"), "substring(a, int(2), int(3))");
  EXPECT_EQ(Expression("substring(a, 2, 3)"), "substring(a, int(2), int(3))");
  EXPECT_EQ(Expression("position('a' in b)"), "position(string(a), b)");
  EXPECT_EQ(Expression("overlay(a placing 'x' from 2 for 3)"), "overlay(a, string(x), int(2), int(3))");
  EXPECT_EQ(Expression("timestampadd(month, 1, a)"), "timestampadd(string(month), int(1), a)");
  EXPECT_EQ(Expression("dateadd(day, 1)"), "dateadd(day, int(1))");
  EXPECT_EQ(Expression("datediff(hour, a, b)"), "timestampdiff(string(hour), a, b)");
  EXPECT_EQ(Expression("f(a => 1, b)"), "f(a => int(1), b)");
  EXPECT_EQ(Expression("if(a, 1, 2)"), "if(a, int(1), int(2))");
  EXPECT_EQ(Expression("left(a, 2)"), "left(a, int(2))");
  EXPECT_EQ(Expression("date(a)"), "date(a)");
  EXPECT_EQ(Expression("day"), "day");
  EXPECT_EQ(Expression("a.b.c(1)"), "a.b.c(int(1))");
  EXPECT_EQ(Expression("array(1,2)[0]"), "array(int(1), int(2))[int(0)]");
  EXPECT_EQ(Expression("named_struct('a', 1).a"), "named_struct(string(a), int(1))[string(a)]");
  EXPECT_EQ(Expression("filter(a, x -> x > 0)"), "filter(a, lambda(x -> >(x, int(0))))");
  EXPECT_EQ(Expression("any(a) filter (where b)"), "any(a) filter(b)");
  EXPECT_EQ(Expression("trim('x' from a)"), "trim(string(x), a)");
  EXPECT_EQ(Expression("substr(a, 1)"), "substr(a, int(1))");
  EXPECT_EQ(Expression("dateadd('day', 1, a)"), "error INVALID_PARAMETER_VALUE.DATETIME_UNIT");
  EXPECT_EQ(Expression("timestampdiff(month, a, b)"), "timestampdiff(string(month), a, b)");
  EXPECT_EQ(Expression("count(all a)"), "count(a)");
  EXPECT_EQ(Expression("f(distinct)"), "f(distinct)");
  EXPECT_EQ(Expression("sum(a) over (order by b range between interval 1 day preceding and current row)"),
            "sum(a) over(order by b asc range interval day(INTERVAL '1' DAY) preceding to current row)");
  EXPECT_EQ(Expression("sum(a) over (order by b rows x preceding)"), "error _LEGACY_ERROR_TEMP_0064");
  EXPECT_EQ(Expression("listagg(a, ',') within group (order by b)"), "listagg(a, string(,)) within group(b asc)");
  EXPECT_EQ(Expression("first(a)"), "first(a)");
  EXPECT_EQ(Expression("position(a, b)"), "position(a, b)");
  EXPECT_EQ(Expression("overlay(a, 'x', 1)"), "overlay(a, string(x), int(1))");
  EXPECT_EQ(Expression("extract(foo from a)"), "extract(string(foo), a)");
  EXPECT_EQ(Expression("f()"), "f()");
  EXPECT_EQ(Expression("f(a => table(t))"), "f(a => table(t))");
}

}  // namespace
}  // namespace frazil::sql
