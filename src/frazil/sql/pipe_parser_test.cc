// The pipe syntax.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(PipeParser, ReadsOperators) {
  EXPECT_EQ(
      Statement(
          "FROM t |> WHERE a > 1 |> SELECT a, b |> AGGREGATE sum(a) GROUP BY b AS g |> EXTEND 1 AS x |> SET x = 2 |> "
          "DROP b |> AS z |> ORDER BY x |> LIMIT 3 |> UNION ALL TABLE u |> JOIN v ON true |> TABLESAMPLE (10 PERCENT)"),
      "Sample[0.100000](Join[inner on boolean(true)](Union[all](Limit[int(3)](As[](Sort[x asc](As[z](Project[* "
      "except(b)](As[](WithColumns[int(2) as x](As[](Project[pipe EXTEND: *, int(1) as x](As[](Aggregate[sum(a) by b "
      "as g](As[](Project[pipe SELECT: a, b](As[](Filter[>(a, int(1))](Table[t]))))))))))))))), Table[u]), Table[v]))");
  EXPECT_EQ(Statement("TABLE t |> AGGREGATE sum(a), count(*)"), "Aggregate[sum(a), count(*) by ](Table[t])");
  EXPECT_EQ(Statement("TABLE t |> AGGREGATE GROUP BY a"), "Aggregate[ by a](Table[t])");
  EXPECT_EQ(Statement("TABLE t |> AGGREGATE"), "error _LEGACY_ERROR_TEMP_0035");
  EXPECT_EQ(Statement("TABLE t |> AGGREGATE sum(a) GROUP BY ROLLUP(b)"),
            "error UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE");
  EXPECT_EQ(Statement("TABLE t |> SELECT a WINDOW w AS (ORDER BY b)"),
            "Windows[w = (order by b asc)](Project[pipe SELECT: a](Table[t]))");
  EXPECT_EQ(Statement("TABLE t |> WHERE a WINDOW w AS (ORDER BY b)"),
            "error NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE");
  EXPECT_EQ(Statement("TABLE t |> SET a.b = 1"), "error _LEGACY_ERROR_TEMP_0035");
  EXPECT_EQ(Statement("TABLE t |> ORDER BY a LIMIT 1"), "error MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS");
  EXPECT_EQ(Statement("TABLE t |> LIMIT 1 OFFSET 2"), "Limit[int(1)](Offset[int(2)](Table[t]))");
  EXPECT_EQ(Statement("TABLE t |> PIVOT (sum(a) FOR b IN (1))"), "Pivot[sum(a) for b in int(1)](Table[t])");
  EXPECT_EQ(Statement("TABLE t |> FOO"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT 1 UNION SELECT 2 |> LIMIT 1"),
            "Limit[int(1)](As[](Union(Project[int(1)](OneRow), Project[int(2)](OneRow))))");
  EXPECT_EQ(Statement("TABLE t |> SET a = 1, a = a + 1"),
            "WithColumns[+(a, int(1)) as a](WithColumns[int(1) as a](Table[t]))");
}

}  // namespace
}  // namespace frazil::sql
