#include "frazil/analysis/analyzer.h"

#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/show_string.h"
#include "frazil/analysis/testing/fake_context.h"
#include "frazil/sql/parser.h"

namespace frazil::analysis {
namespace {

using testing::FakeContext;

class AnalyzerTest : public ::testing::Test {
 protected:
  AnalyzerTest() {
    context_.AddTable("t", "a INT, b STRING, c DOUBLE, s STRUCT<x: INT, y: ARRAY<INT>>");
    context_.AddTable("u", "a INT, d BIGINT");
  }

  Result<plan::LogicalPlanPtr> Analyze(const std::string& text) {
    auto parsed = sql::ParseQuery(text, context_.parser_options());
    if (!parsed.ok()) return std::move(parsed).error();
    return AnalyzeRelation(*parsed, context_);
  }

  // "name:type, ..." of the output, or the error's condition.
  std::string Schema(const std::string& text) {
    auto plan = Analyze(text);
    if (!plan.ok()) return plan.error().condition.empty() ? plan.error().message : plan.error().condition;
    CheckPlan(**plan);
    std::string schema;
    for (const auto& attribute : (*plan)->output)
      schema += (schema.empty() ? "" : ", ") + attribute.name + ":" + attribute.type->SimpleString();
    return schema;
  }

  // Every column that a node uses must come from its inputs or, in a subquery, from around it; ids are unique in an
  // output.
  void CheckPlan(const plan::LogicalPlan& plan) {
    std::set<AttributeId> available;
    for (const auto& input : plan::Inputs(plan)) {
      CheckPlan(*input);
      for (const auto& attribute : input->output) available.insert(attribute.id);
    }
    std::set<AttributeId> ids;
    for (const auto& attribute : plan.output) EXPECT_TRUE(ids.insert(attribute.id).second) << plan::ExplainString(plan);
    for (const auto& expression : plan::NodeExpressions(plan)) {
      VisitExpression(*expression, [&](const Expression& part) {
        if (part.kind == ExpressionKind::kColumn && !part.As<ColumnExpression>().is_outer) {
          EXPECT_TRUE(available.count(part.As<ColumnExpression>().id)) << part.sql << "\n" << plan::ExplainString(plan);
        }
        if (part.kind == ExpressionKind::kSubquery)
          CheckPlan(static_cast<const plan::LogicalPlan&>(*part.As<SubqueryExpression>().plan));
        return true;
      });
    }
  }

  FakeContext context_;
};

TEST_F(AnalyzerTest, NamesColumnsAsSparkDoes) {
  EXPECT_EQ(Schema("SELECT a, A, t.a, a + 1, s.x, s.x + 1, CAST(a AS STRING), CAST(a + 1 AS STRING) FROM t"),
            "a:int, A:int, a:int, (a + 1):int, x:int, (s.x + 1):int, a:string, CAST((a + 1) AS STRING):string");
  EXPECT_EQ(Schema("SELECT count(*), sum(a), count(DISTINCT b), avg(c) FROM t"),
            "count(1):bigint, sum(a):bigint, count(DISTINCT b):bigint, avg(c):double");
  EXPECT_EQ(Schema("SELECT 1, 'x', NULL, 1.5, true"), "1:int, x:string, NULL:void, 1.5:decimal(2,1), true:boolean");
  EXPECT_EQ(Schema("SELECT sum(a) FILTER (WHERE a > 1) FROM t"), "sum(a) FILTER (WHERE (a > 1)):bigint");
  EXPECT_EQ(Schema("SELECT struct(a, b AS q) FROM t"), "struct(a, b AS q):struct<a:int,q:string>");
}

TEST_F(AnalyzerTest, ExpandsStars) {
  EXPECT_EQ(Schema("SELECT * FROM u"), "a:int, d:bigint");
  EXPECT_EQ(Schema("SELECT t.* EXCEPT (c, s), u.d FROM t JOIN u ON t.a = u.a"), "a:int, b:string, d:bigint");
  EXPECT_EQ(Schema("SELECT s.* FROM t"), "x:int, y:array<int>");
  EXPECT_EQ(Schema("SELECT x.* FROM t"), "CANNOT_RESOLVE_STAR_EXPAND");
}

TEST_F(AnalyzerTest, ResolvesNames) {
  EXPECT_EQ(Schema("SELECT nope FROM t"), "UNRESOLVED_COLUMN.WITH_SUGGESTION");
  EXPECT_EQ(Schema("SELECT nope"), "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION");
  EXPECT_EQ(Schema("SELECT a FROM t JOIN u ON t.a = u.a"), "AMBIGUOUS_REFERENCE");
  EXPECT_EQ(Schema("SELECT spark_catalog.default.t.a FROM t"), "a:int");
  EXPECT_EQ(Schema("SELECT s.nope FROM t"), "FIELD_NOT_FOUND");
  EXPECT_EQ(Schema("SELECT * FROM missing"), "TABLE_OR_VIEW_NOT_FOUND");
  EXPECT_EQ(Schema("SELECT a AS x, x + 1 AS y FROM t"), "x:int, y:int");
  const auto plan = Analyze("SELECT bb FROM t");
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().parameters[1].second, "`b`, `a`, `c`, `s`");
  ASSERT_EQ(plan.error().query_contexts.size(), 1u);
  EXPECT_EQ(plan.error().query_contexts[0].fragment, "bb");
}

TEST_F(AnalyzerTest, LoadsATableOnceForAStatement) {
  EXPECT_EQ(
      Schema("SELECT t.a FROM t JOIN default.t v ON t.a = v.a WHERE t.a IN (SELECT a FROM spark_catalog.default.t)"),
      "a:int");
  EXPECT_EQ(context_.catalog().loads, 1);
  context_.ForgetTables();
  EXPECT_EQ(Schema("SELECT b FROM t"), "b:string");
  EXPECT_EQ(context_.catalog().loads, 2);
}

TEST_F(AnalyzerTest, JoinsByColumns) {
  EXPECT_EQ(Schema("SELECT * FROM t JOIN u USING (a)"),
            "a:int, b:string, c:double, s:struct<x:int,y:array<int>>, d:bigint");
  EXPECT_EQ(Schema("SELECT u.a, t.a, a FROM t FULL JOIN u USING (a)"), "a:int, a:int, a:int");
  EXPECT_EQ(Schema("SELECT u.* FROM t NATURAL JOIN u"), "a:int, d:bigint");
  EXPECT_EQ(Schema("SELECT * FROM t LEFT SEMI JOIN u ON t.a = u.d"),
            "a:int, b:string, c:double, s:struct<x:int,y:array<int>>");
  EXPECT_EQ(Schema("SELECT * FROM t JOIN u USING (b)"), "UNRESOLVED_USING_COLUMN_FOR_JOIN");
}

TEST_F(AnalyzerTest, Groups) {
  EXPECT_EQ(Schema("SELECT a, sum(c) FROM t GROUP BY a HAVING sum(c) > 1 ORDER BY max(b), a"), "a:int, sum(c):double");
  EXPECT_EQ(Schema("SELECT a + 1 AS k, count(*) FROM t GROUP BY k"), "k:int, count(1):bigint");
  EXPECT_EQ(Schema("SELECT a + 1, count(*) FROM t GROUP BY 1 ORDER BY a + 1"), "(a + 1):int, count(1):bigint");
  EXPECT_EQ(Schema("SELECT b, sum(c) FROM t GROUP BY a"), "MISSING_AGGREGATION");
  EXPECT_EQ(Schema("SELECT b, sum(c) FROM t"), "MISSING_GROUP_BY");
  EXPECT_EQ(Schema("SELECT sum(sum(a)) FROM t"), "NESTED_AGGREGATE_FUNCTION");
  EXPECT_EQ(Schema("SELECT a FROM t WHERE sum(a) > 1"), "INVALID_WHERE_CONDITION");
  EXPECT_EQ(Schema("SELECT a, b, grouping(a), grouping_id(), sum(c) FROM t GROUP BY CUBE (a, b)"),
            "a:int, b:string, grouping(a):tinyint, grouping_id():bigint, sum(c):double");
  EXPECT_EQ(Schema("SELECT a, sum(c) FROM t GROUP BY ALL"), "a:int, sum(c):double");
}

TEST_F(AnalyzerTest, SortsByHiddenColumns) {
  EXPECT_EQ(Schema("SELECT b FROM t ORDER BY a, c DESC"), "b:string");
  EXPECT_EQ(Schema("SELECT a AS x FROM t ORDER BY x + c"), "x:int");
  EXPECT_EQ(Schema("SELECT DISTINCT b FROM t ORDER BY a"), "UNRESOLVED_COLUMN.WITH_SUGGESTION");
  EXPECT_EQ(Schema("SELECT a FROM t ORDER BY 3"), "ORDER_BY_POS_OUT_OF_RANGE");
  EXPECT_EQ(Schema("SELECT a FROM t LIMIT -1"), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE");
}

TEST_F(AnalyzerTest, Windows) {
  EXPECT_EQ(Schema("SELECT row_number() OVER (PARTITION BY a ORDER BY c) FROM t"),
            "row_number() OVER (PARTITION BY a ORDER BY c ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT "
            "ROW):int");
  EXPECT_EQ(Schema("SELECT sum(sum(c)) OVER (ORDER BY a) AS r FROM t GROUP BY a"), "r:double");
  EXPECT_EQ(Schema("SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b)"),
            "sum(a) OVER (PARTITION BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING):bigint");
  EXPECT_EQ(Schema("SELECT row_number() FROM t"), "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE");
  EXPECT_EQ(Schema("SELECT sum(a) OVER w FROM t"), "MISSING_WINDOW_SPECIFICATION");
}

TEST_F(AnalyzerTest, Subqueries) {
  EXPECT_EQ(Schema("SELECT (SELECT max(d) FROM u WHERE u.a = t.a) AS m FROM t"), "m:bigint");
  EXPECT_EQ(Schema("SELECT a FROM t WHERE a IN (SELECT d FROM u) AND EXISTS (SELECT 1 FROM u WHERE u.d > t.c)"),
            "a:int");
  EXPECT_EQ(Schema("SELECT (SELECT a, d FROM u)"),
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN");
  EXPECT_EQ(Schema("SELECT t.a, x.d FROM t, LATERAL (SELECT d FROM u WHERE u.a = t.a) x"), "a:int, d:bigint");
}

TEST_F(AnalyzerTest, SetOperations) {
  EXPECT_EQ(Schema("SELECT a FROM t UNION ALL SELECT d FROM u"), "a:bigint");
  EXPECT_EQ(Schema("SELECT a, b FROM t UNION SELECT a FROM u"), "NUM_COLUMNS_MISMATCH");
  EXPECT_EQ(Schema("SELECT s FROM t EXCEPT SELECT d FROM u"), "INCOMPATIBLE_COLUMN_TYPE");
  EXPECT_EQ(Schema("SELECT a FROM t ORDER BY a LIMIT 1"), "a:int");
  EXPECT_EQ(Schema("VALUES (1, 'x'), (2.5, NULL)"), "col1:decimal(11,1), col2:string");
}

TEST_F(AnalyzerTest, CommonTableExpressions) {
  EXPECT_EQ(Schema("WITH x AS (SELECT a FROM t), y(z) AS (SELECT a FROM x) SELECT z, x.a FROM y JOIN x ON y.z = x.a"),
            "z:int, a:int");
  EXPECT_EQ(Schema("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r"),
            "n:int");
}

TEST_F(AnalyzerTest, Generators) {
  EXPECT_EQ(Schema("SELECT a, explode(s.y) FROM t"), "a:int, col:int");
  EXPECT_EQ(Schema("SELECT a, posexplode(s.y) AS (p, v) FROM t"), "a:int, p:int, v:int");
  EXPECT_EQ(Schema("SELECT t.a, e.v FROM t LATERAL VIEW explode(s.y) e AS v"), "a:int, v:int");
  EXPECT_EQ(Schema("SELECT explode(s.y) + 1 FROM t"), "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS");
  EXPECT_EQ(Schema("SELECT * FROM range(5)"), "id:bigint");
}

TEST_F(AnalyzerTest, PivotsAndUnpivots) {
  EXPECT_EQ(Schema("SELECT * FROM (SELECT a, b, c FROM t) PIVOT (sum(c) FOR b IN ('x', 'y' AS z))"),
            "a:int, x:double, z:double");
  EXPECT_EQ(Schema("SELECT * FROM u UNPIVOT (v FOR k IN (a, d))"), "k:string, v:bigint");
}

TEST_F(AnalyzerTest, KeepsTheRowsOfShow) {
  plan::ShowStringPlan show;
  show.num_rows = 1;
  RowSet cells;
  cells.schema = DataType::Struct({StructField("a", DataType::String()), StructField("name", DataType::String())});
  cells.rows = {{Value("1"), Value("a very long text of a cell")}, {Value("2"), Value()}};
  EXPECT_EQ(ShownRows(show, cells).rows[0][0].string(),
            "+---+--------------------+\n|  a|                name|\n+---+--------------------+\n|  1|a very long text "
            "...|\n+---+--------------------+\nonly "
            "showing top 1 row\n");
}

}  // namespace
}  // namespace frazil::analysis
