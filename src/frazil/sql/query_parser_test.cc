// SELECT and what stands around it.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(QueryParser, ReadsQueries) {
  EXPECT_EQ(Statement("SELECT a, b AS c FROM t WHERE a > 1 GROUP BY a, b HAVING count(*) > 1 ORDER BY a DESC NULLS "
                      "LAST LIMIT 10 OFFSET 5"),
            "Limit[int(10)](Offset[int(5)](Sort[a desc nulls last](Having[>(count(*), int(1))](Aggregate[a, b as c by "
            "a, b](Filter[>(a, int(1))](Table[t]))))))");
  EXPECT_EQ(
      Statement("SELECT a, sum(b) FROM t GROUP BY ROLLUP(a, (b, c)), CUBE(d), GROUPING SETS ((a), (), ROLLUP(b))"),
      "Aggregate[a, sum(b) by rollup((a), (b, c)), cube((d)), sets(sets((a)), sets(()), rollup((b)))](Table[t])");
  EXPECT_EQ(Statement("SELECT a FROM t GROUP BY a, b WITH ROLLUP"), "Aggregate[a by rollup((a), (b))](Table[t])");
  EXPECT_EQ(Statement("SELECT a FROM t GROUP BY a, b GROUPING SETS ((a), (b))"),
            "Aggregate[a by sets<a, b>((a), (b))](Table[t])");
  EXPECT_EQ(Statement("SELECT a FROM t GROUP BY ALL ORDER BY ALL DESC"),
            "Sort[all desc](Aggregate[a by all](Table[t]))");
  EXPECT_EQ(Statement("SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4 MINUS SELECT 5"),
            "Except(Except(Union[all](Project[int(1)](OneRow), Intersect(Project[int(2)](OneRow), "
            "Project[int(3)](OneRow))), Project[int(4)](OneRow)), Project[int(5)](OneRow))");
  EXPECT_EQ(Statement("(SELECT 1) UNION (SELECT 2 ORDER BY 1) LIMIT 1"),
            "Limit[int(1)](Union(Project[int(1)](OneRow), Sort[int(1) asc](Project[int(2)](OneRow))))");
  EXPECT_EQ(Statement("WITH a AS (SELECT 1), RECURSIVE_x(y) AS (SELECT 2) SELECT * FROM a"),
            "With[a = Project[int(1)](OneRow), RECURSIVE_x(y) = Project[int(2)](OneRow)](Project[*](Table[a]))");
  EXPECT_EQ(
      Statement(
          "WITH RECURSIVE r(n) MAX RECURSION LEVEL 50 AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r"),
      "With[recursive r(n) max 50 = Union[all](Project[int(1)](OneRow), Project[+(n, "
      "int(1))](Table[r]))](Project[*](Table[r]))");
  EXPECT_EQ(Statement("FROM t SELECT a WHERE b"), "Project[a](Filter[b](Table[t]))");
  EXPECT_EQ(Statement("SELECT /*+ BROADCAST(t), REPARTITION(3, a) */ a FROM t"),
            "Hint[BROADCAST(t)](Hint[REPARTITION(int(3), a)](Project[a](Table[t])))");
  EXPECT_EQ(Statement("SELECT a FROM t DISTRIBUTE BY a SORT BY b"),
            "SortWithin[b asc](Repartition[a](Project[a](Table[t])))");
  EXPECT_EQ(Statement("SELECT a FROM t CLUSTER BY a"), "SortWithin[a asc](Repartition[a](Project[a](Table[t])))");
  EXPECT_EQ(Statement("SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b), v AS w"),
            "Windows[w = (partition by b), v = (w)](Project[sum(a) over(w)](Table[t]))");
  EXPECT_EQ(Statement("SELECT a FROM t HAVING a"), "Having[a](Project[a](Table[t]))");
  EXPECT_EQ(Statement("SELECT 1 LIMIT ALL"), "Project[int(1)](OneRow)");
  EXPECT_EQ(Statement("SELECT a FROM t ORDER BY all"), "Sort[all asc](Project[a](Table[t]))");
  EXPECT_EQ(Statement("SELECT a FROM t ORDER BY `all`"), "Sort[all asc](Project[a](Table[t]))");
  EXPECT_EQ(Statement("SELECT a FROM t ORDER BY a SORT BY b"),
            "error UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES");
  EXPECT_EQ(Statement("WITH x AS (SELECT 1), X AS (SELECT 2) SELECT 1"), "error DUPLICATED_CTE_NAMES");
  EXPECT_EQ(Statement("WITH x(a) MAX RECURSION LEVEL 3 AS (SELECT 1) SELECT 1"), "error _LEGACY_ERROR_TEMP_0035");
  EXPECT_EQ(Statement("SELECT a FROM t GROUP BY ROLLUP()"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT a FROM t GROUP BY (a, b), c"), "Aggregate[a by struct(a, b), c](Table[t])");
  EXPECT_EQ(Statement("SELECT a FROM t GROUP BY (a + b) * 2"), "Aggregate[a by *(+(a, b), int(2))](Table[t])");
  EXPECT_EQ(Statement("SELECT a FROM t WINDOW w AS (ORDER BY a), w AS (ORDER BY b)"),
            "error INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION");
  EXPECT_EQ(Statement("FROM t"), "Table[t]");
  EXPECT_EQ(Statement("FROM t SELECT a SELECT b WHERE c"),
            "Union[all](Project[a](Table[t]), Project[b](Filter[c](Table[t])))");
  EXPECT_EQ(Statement("SELECT * EXCEPT (a) FROM t EXCEPT (SELECT 1)"),
            "Except(Project[* except(a)](Table[t]), Project[int(1)](OneRow))");
  EXPECT_EQ(Statement("SELECT TRANSFORM(a) USING 'x' FROM t"), "error UNSUPPORTED_FEATURE.NAMED");
  EXPECT_EQ(Statement("(SELECT 1"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT 1 UNION"), "Project[int(1) as UNION](OneRow)");
  EXPECT_EQ(Statement("SELECT DISTINCT a, b"), "DistinctProject[a, b](OneRow)");
  EXPECT_EQ(Statement("SELECT ALL a"), "Project[a](OneRow)");
  EXPECT_EQ(Statement("SELECT a group"), "Project[a as group](OneRow)");
  EXPECT_EQ(Statement("SELECT a FROM t window"), "Project[a](As[window](Table[t]))");
  EXPECT_EQ(Statement("WITH x (SELECT 1) SELECT 1"), "With[x = Project[int(1)](OneRow)](Project[int(1)](OneRow))");
}

}  // namespace
}  // namespace frazil::sql
