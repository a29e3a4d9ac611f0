// FROM: joins, subqueries, table functions, samples.

#include <gtest/gtest.h>

#include "frazil/sql/parser_testing.h"

namespace frazil::sql {
namespace {

using testing::Statement;

TEST(RelationParser, ReadsRelations) {
  EXPECT_EQ(Statement("SELECT DISTINCT a FROM t u, v JOIN w ON u.x = w.x LEFT JOIN z USING (k) NATURAL JOIN y CROSS "
                      "JOIN q LEFT ANTI JOIN r ON true"),
            "DistinctProject[a](Join[inner](As[u](Table[t]), Join[anti on boolean(true)](Join[cross](Join[natural "
            "inner](Join[left using k](Join[inner on ==(u.x, w.x)](Table[v], Table[w]), Table[z]), Table[y]), "
            "Table[q]), Table[r])))");
  EXPECT_EQ(Statement("SELECT * FROM (SELECT 1 AS a) AS s(b), LATERAL (SELECT s.b) l"),
            "Project[*](Join[lateral inner](As[s(b)](Project[int(1) as a](OneRow)), As[l](Project[s.b](OneRow))))");
  EXPECT_EQ(Statement("SELECT * FROM t LATERAL VIEW OUTER explode(x) e AS k, v"),
            "Project[*](LateralView[outer explode(x) e(k, v)](Table[t]))");
  EXPECT_EQ(Statement("SELECT * FROM t PIVOT (sum(a) AS s, avg(b) FOR (y, z) IN ((1, 2) AS p, (3, 4)))"),
            "Project[*](Pivot[sum(a) as s, avg(b) for y, z in struct(int(1), int(2)) as p, struct(int(3), "
            "int(4))](Table[t]))");
  EXPECT_EQ(Statement("SELECT * FROM t UNPIVOT INCLUDE NULLS (v FOR n IN (a AS x, b)) AS u"),
            "Project[*](As[u](Unpivot[v for n in (a) as x (b) include nulls](Table[t])))");
  EXPECT_EQ(Statement("SELECT * FROM t UNPIVOT ((v, w) FOR n IN ((a, b) AS x, (c, d)))"),
            "Project[*](Unpivot[v, w for n in (a, b) as x (c, d)](Table[t]))");
  EXPECT_EQ(Statement("SELECT * FROM t TABLESAMPLE (5 ROWS) REPEATABLE (7) AS s"),
            "Project[*](Sample[5 rows seed 7](As[s](Table[t])))");
  EXPECT_EQ(Statement("SELECT * FROM t VERSION AS OF 'x' AS s"), "Project[*](As[s](Table[t version x]))");
  EXPECT_EQ(Statement("SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00' s"),
            "Project[*](As[s](Table[t timestamp timestamp(2024-01-01 00:00:00)]))");
  EXPECT_EQ(Statement("SELECT * FROM range(1, 10, step => 2) AS r(i)"),
            "Project[*](As[r(i)](TableFunction[range(int(1), int(10), step => int(2))]))");
  EXPECT_EQ(
      Statement("SELECT * FROM f(TABLE(t) PARTITION BY a ORDER BY b, x => TABLE(SELECT 1) WITH SINGLE PARTITION, 3)"),
      "Project[*](TableFunction[f(table{Table[t]} partition by a order by b asc, x => table{Project[int(1)](OneRow)} "
      "single partition, int(3))])");
  EXPECT_EQ(Statement("VALUES (1, 'a'), (2, 'b') AS t(x, y)"),
            "As[t(x, y)](Values[(int(1), string(a)), (int(2), string(b))])");
  EXPECT_EQ(Statement("SELECT * FROM VALUES 1, 2 t"), "Project[*](As[t](Values[(int(1)), (int(2))]))");
  EXPECT_EQ(Statement("TABLE a.b"), "Table[a.b]");
  EXPECT_EQ(Statement("SELECT * FROM parquet.`/tmp/x`"), "Project[*](Table[parquet.`/tmp/x`])");
  EXPECT_EQ(Statement("SELECT * FROM t WITH ('a' = 'b') u"), "Project[*](As[u](Table[t {a=b}]))");
  EXPECT_EQ(Statement("SELECT left, right, full, anti FROM t"), "Project[left, right, full, anti](Table[t])");
  EXPECT_EQ(Statement("SELECT a from from from"), "Project[a](As[from](Table[from]))");
  EXPECT_EQ(Statement("SELECT * FROM (t)"), "Project[*](Table[t])");
  EXPECT_EQ(Statement("SELECT * FROM (t JOIN u) v"), "Project[*](As[v](Join[inner](Table[t], Table[u])))");
  EXPECT_EQ(Statement("SELECT * FROM ((SELECT 1)) x"), "Project[*](As[x](Project[int(1)](OneRow)))");
  EXPECT_EQ(Statement("SELECT * FROM ((SELECT 1) a JOIN b)"),
            "Project[*](Join[inner](As[a](Project[int(1)](OneRow)), Table[b]))");
  EXPECT_EQ(Statement("SELECT * FROM LATERAL t"),
            "error INVALID_SQL_SYNTAX.LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC");
  EXPECT_EQ(Statement("SELECT * FROM a, LATERAL explode(b) c"),
            "Project[*](Join[lateral inner](Table[a], As[c](TableFunction[explode(b)])))");
  EXPECT_EQ(Statement("SELECT * FROM a JOIN LATERAL (SELECT 1) b USING (x)"),
            "error UNSUPPORTED_FEATURE.LATERAL_JOIN_USING");
  EXPECT_EQ(Statement("SELECT * FROM a RIGHT JOIN LATERAL (SELECT 1)"), "error INVALID_LATERAL_JOIN_TYPE");
  EXPECT_EQ(Statement("SELECT * FROM a NATURAL CROSS JOIN b"), "error INCOMPATIBLE_JOIN_TYPES");
  EXPECT_EQ(Statement("SELECT * FROM a SEMI JOIN b ON c"), "Project[*](Join[semi on c](Table[a], Table[b]))");
  EXPECT_EQ(Statement("SELECT * FROM a FULL OUTER JOIN b ON c"), "Project[*](Join[full on c](Table[a], Table[b]))");
  EXPECT_EQ(Statement("SELECT * FROM a left"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT * FROM a AS left"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT * FROM t TABLESAMPLE (101 PERCENT)"), "error _LEGACY_ERROR_TEMP_0064");
  EXPECT_EQ(Statement("SELECT * FROM t TABLESAMPLE (x ROWS)"), "Project[*](Sample[x rows](Table[t]))");
  EXPECT_EQ(Statement("SELECT * FROM t TABLESAMPLE (BUCKET 4 OUT OF 10)"), "Project[*](Sample[0.400000](Table[t]))");
  EXPECT_EQ(Statement("SELECT * FROM t TABLESAMPLE (10B)"), "error _LEGACY_ERROR_TEMP_0015");
  EXPECT_EQ(Statement("SELECT * FROM IDENTIFIER(:x) AS y"), "Project[*](As[y](Table[identifier(:x)]))");
  EXPECT_EQ(Statement("SELECT * FROM VALUES (1), (2) AS (a)"), "Project[*](As[AS(a)](Values[(int(1)), (int(2))]))");
  EXPECT_EQ(Statement("SELECT * FROM STREAM t"), "error UNSUPPORTED_FEATURE.NAMED");
  EXPECT_EQ(Statement("SELECT * FROM test-table"), "error INVALID_IDENTIFIER");
  EXPECT_EQ(Statement("SELECT * FROM s3://a/b"), "error PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Statement("SELECT * FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL 1 DAY"),
            "Project[*](Table[t timestamp -(current_timestamp(), interval day(INTERVAL '1' DAY))])");
  EXPECT_EQ(Statement("SELECT * FROM t FOR VERSION AS OF 5"), "Project[*](Table[t version 5])");
  EXPECT_EQ(Statement("SELECT * FROM (VALUES (1, 2)) AS t(a, b) LATERAL VIEW explode(a) x AS y WHERE y > 1"),
            "Project[*](Filter[>(y, int(1))](LateralView[explode(a) x(y)](As[t(a, b)](Values[(int(1), int(2))]))))");
}

}  // namespace
}  // namespace frazil::sql
