"""Where an error of a running query arose: the query context, and its picture in the message."""
import pytest
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.base import QueryContextType
from pyspark.sql import functions as F

# Statement, condition, and the part of the statement at fault: None where Spark gives no context.
STATEMENTS = [
    # arithmetic
    ("SELECT 1/0", "DIVIDE_BY_ZERO", "1/0"),
    ("SELECT\n  1,\n  a / 0 AS x\nFROM VALUES (1) AS t(a)", "DIVIDE_BY_ZERO", "a / 0"),
    ("SELECT 1 div 0", "DIVIDE_BY_ZERO", "1 div 0"),
    ("SELECT mod(1, 0)", "REMAINDER_BY_ZERO", "mod(1, 0)"),
    ("SELECT 1.5 % 0", "REMAINDER_BY_ZERO", "1.5 % 0"),
    ("SELECT 2147483647 + 1", "ARITHMETIC_OVERFLOW", "2147483647 + 1"),
    ("SELECT 9223372036854775807L * 2", "ARITHMETIC_OVERFLOW", "9223372036854775807L * 2"),
    ("SELECT round(2147483647, -1)", "ARITHMETIC_OVERFLOW", "round(2147483647, -1)"),
    ("SELECT conv('FFFFFFFFFFFFFFFFFF', 16, 10)", "ARITHMETIC_OVERFLOW", "conv('FFFFFFFFFFFFFFFFFF', 16, 10)"),
    ("SELECT 1 + -a FROM VALUES (-2147483648) AS t(a)", "ARITHMETIC_OVERFLOW", None),
    ("SELECT abs(a) + 1 FROM VALUES (-2147483648) AS t(a)", "ARITHMETIC_OVERFLOW", None),
    ("SELECT 127Y + 1Y", "BINARY_ARITHMETIC_OVERFLOW", None),
    ("SELECT 99999999999999999999999999999999999999BD + 1BD", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
     "99999999999999999999999999999999999999BD + 1BD"),
    ("SELECT sum(a) FROM VALUES (99999999999999999999999999999999999999BD), (1BD) AS t(a)", "ARITHMETIC_OVERFLOW",
     "sum(a)"),
    # casts, written and implied
    ("SELECT CAST('x' AS INT)", "CAST_INVALID_INPUT", "CAST('x' AS INT)"),
    ("SELECT hex(CAST('x' AS INT))", "CAST_INVALID_INPUT", "CAST('x' AS INT)"),
    ("SELECT a::int FROM VALUES ('b') AS t(a)", "CAST_INVALID_INPUT", "a::int"),
    ("SELECT CAST('x' AS BOOLEAN)", "CAST_INVALID_INPUT", "CAST('x' AS BOOLEAN)"),
    ("SELECT CAST(12345.6 AS DECIMAL(5,2))", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
     "CAST(12345.6 AS DECIMAL(5,2))"),
    ("SELECT CAST(300 AS TINYINT)", "CAST_OVERFLOW", None),
    ("SELECT 1 + 'x'", "CAST_INVALID_INPUT", "1 + 'x'"),
    ("SELECT sum('x')", "CAST_INVALID_INPUT", "sum('x')"),
    ("SELECT * FROM VALUES ('b') AS t(a) WHERE a = 1", "CAST_INVALID_INPUT", "a = 1"),
    # arrays and maps
    ("SELECT array(1)[5]", "INVALID_ARRAY_INDEX", "array(1)[5]"),
    ("SELECT element_at(array(1), 5)", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "element_at(array(1), 5)"),
    ("SELECT element_at(array(1), 0)", "INVALID_INDEX_OF_ZERO", "element_at(array(1), 0)"),
    ("SELECT elt(5, 'a')", "INVALID_ARRAY_INDEX", "elt(5, 'a')"),
    ("SELECT map('a', 1, 'a', 2)", "DUPLICATED_MAP_KEY", None),
    ("SELECT transform(array(0, 1), x -> 1/x)", "DIVIDE_BY_ZERO", "1/x"),
    ("SELECT explode(array(1/0))", "DIVIDE_BY_ZERO", "1/0"),
    # dates and intervals
    ("SELECT to_date('x')", "CAST_INVALID_INPUT", "to_date('x')"),
    ("SELECT to_date('x', 'yyyy')", "CANNOT_PARSE_TIMESTAMP", None),
    ("SELECT year('x')", "CAST_INVALID_INPUT", "year('x')"),
    ("SELECT INTERVAL '1' DAY / 0", "INTERVAL_DIVIDED_BY_ZERO", "INTERVAL '1' DAY / 0"),
    ("SELECT make_ym_interval(178956970, 8)", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
     "make_ym_interval(178956970, 8)"),
    ("SELECT make_date(2020, 13, 1)", "DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", None),
    # anywhere in a query
    ("SELECT * FROM range(5) WHERE id / 0 > 1", "DIVIDE_BY_ZERO", "id / 0"),
    ("SELECT * FROM range(5) a JOIN range(5) b ON a.id / (b.id - b.id) = 1", "DIVIDE_BY_ZERO", "a.id / (b.id - b.id)"),
    ("SELECT id FROM range(5) ORDER BY id / 0", "DIVIDE_BY_ZERO", "id / 0"),
    ("SELECT id, sum(id) OVER (ORDER BY id / 0) FROM range(5)", "DIVIDE_BY_ZERO", "id / 0"),
    ("SELECT max(id / 0) FROM range(5)", "DIVIDE_BY_ZERO", "id / 0"),
    ("SELECT count(*) FROM range(5) GROUP BY id / 0", "DIVIDE_BY_ZERO", "id / 0"),
    ("SELECT id/0 AS a FROM range(5) UNION ALL SELECT 1", "DIVIDE_BY_ZERO", "id/0"),
    ("WITH c AS (SELECT 1/0 AS x) SELECT x FROM c", "DIVIDE_BY_ZERO", "1/0"),
    ("SELECT if(true, 1/0, 2)", "DIVIDE_BY_ZERO", "1/0"),
    ("SELECT '日本' || 1/0", "DIVIDE_BY_ZERO", "1/0"),
    ("SELECT raise_error('boo')", "USER_RAISED_EXCEPTION", None),
]


def failure(run):
    with pytest.raises(PySparkException) as caught:
        run()
    return caught.value


@pytest.mark.parametrize("statement,condition,fragment", STATEMENTS)
def test_statements(spark, statement, condition, fragment):
    error = failure(lambda: spark.sql(statement).collect())
    assert error.getCondition() == condition
    contexts = error.getQueryContext()
    if fragment is None:
        assert contexts == [] and "== SQL" not in str(error)
        return
    (context,) = contexts
    start = statement.index(fragment)
    assert context.contextType() == QueryContextType.SQL
    assert (context.fragment(), context.startIndex(), context.stopIndex()) == (fragment, start, start + len(fragment) - 1)
    assert (context.objectType(), context.objectName()) == ("", "")
    line, position = statement[:start].count("\n") + 1, start - statement.rfind("\n", 0, start)
    assert f"\n== SQL (line {line}, position {position}) ==\n" in str(error)
    assert context.summary() in str(error) and "^" * len(fragment) in context.summary()


def test_long_lines_are_cut(spark):
    statement = "SELECT 'some text in front of the part, rather long', 1/0, 'and some text behind it that is as long'"
    (context,) = failure(lambda: spark.sql(statement).collect()).getQueryContext()
    assert context.summary() == (
        "== SQL (line 1, position 55) ==\n"
        "...ront of the part, rather long', 1/0, 'and some text behind it that ...\n"
        "                                   ^^^\n")


def test_sums_of_integers_have_an_empty_context(spark):
    for statement in ("SELECT sum(a) FROM VALUES (9223372036854775807L), (1L) AS t(a)",
                      "SELECT sum(a) OVER () FROM VALUES (9223372036854775807L), (1L) AS t(a)"):
        error = failure(lambda: spark.sql(statement).collect())
        assert "Use 'try_add' to tolerate overflow" in str(error)
        (context,) = error.getQueryContext()
        assert (context.startIndex(), context.stopIndex(), context.fragment()) == (-1, -1, "")


def test_views_are_named(spark):
    spark.sql("CREATE OR REPLACE TEMP VIEW inner_view AS SELECT a/0 AS x FROM VALUES (1) AS t(a)")
    spark.sql("CREATE OR REPLACE TEMP VIEW outer_view AS SELECT x + 1 AS y FROM inner_view")
    for name in ("x FROM inner_view", "y FROM outer_view"):
        error = failure(lambda: spark.sql(f"SELECT {name}").collect())
        (context,) = error.getQueryContext()
        assert (context.objectType(), context.objectName(), context.fragment()) == ("VIEW", "inner_view", "a/0")
        assert "\n== SQL of VIEW inner_view (line 1, position 8) ==\nSELECT a/0 AS x FROM VALUES (1) AS t(a)\n" in str(error)


def test_writes(spark, namespace):
    statement = f"CREATE TABLE {namespace}.made AS SELECT id/0 AS x FROM range(3)"
    (context,) = failure(lambda: spark.sql(statement)).getQueryContext()
    assert (context.fragment(), context.startIndex()) == ("id/0", statement.index("id/0"))
    spark.sql(f"CREATE TABLE {namespace}.t (a INT, b DECIMAL(3,1), c DOUBLE)")
    statement = f"INSERT INTO {namespace}.t SELECT CAST(x AS INT), 1, 1 FROM VALUES ('y') AS v(x)"
    (context,) = failure(lambda: spark.sql(statement)).getQueryContext()
    assert context.fragment() == "CAST(x AS INT)"
    for values, column, source, target in (("12345678901, 1, 1", "a", "BIGINT", "INT"),
                                           ("1, 12345, 1", "b", "INT", "DECIMAL(3,1)")):
        error = failure(lambda: spark.sql(f"INSERT INTO {namespace}.t VALUES ({values})"))
        assert error.getCondition() == "CAST_OVERFLOW_IN_TABLE_INSERT"
        assert error.getMessageParameters() == {
            "columnName": f"`{column}`", "sourceType": f'"{source}"', "targetType": f'"{target}"'}


# Statements about a table {t} (a INT, s STRUCT<x: INT>, b STRING), condition, and the part at fault: "" for all of it.
CHANGES = [
    ("ALTER TABLE {t} DROP COLUMN zz", "UNRESOLVED_COLUMN.WITH_SUGGESTION", ""),
    ("ALTER TABLE {t} ADD COLUMN a INT", "FIELD_ALREADY_EXISTS", ""),
    ("UPDATE {t} SET zz = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "zz = 1"),
    ("UPDATE {t} SET s.zz = 1", "FIELD_NOT_FOUND", "s.zz = 1"),
    ("UPDATE {t} SET a = zz", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "zz"),
    ("DELETE FROM {t} WHERE rand() > 2", "INVALID_NON_DETERMINISTIC_EXPRESSIONS", ""),
    ("MERGE INTO {t} t USING (SELECT 1 a) u ON t.a = u.a WHEN MATCHED THEN UPDATE SET zz = 1",
     "UNRESOLVED_COLUMN.WITH_SUGGESTION", "zz = 1"),
    ("MERGE INTO {t} t USING (SELECT 1 a) u ON t.a = u.a WHEN NOT MATCHED THEN INSERT (zz) VALUES (1)",
     "UNRESOLVED_COLUMN.WITH_SUGGESTION", ""),
    ("MERGE INTO {t} t USING (SELECT 1 zz) u ON t.a = u.zz WHEN NOT MATCHED THEN INSERT *",
     "UNRESOLVED_COLUMN.WITH_SUGGESTION", ""),
    ("INSERT INTO {t} (zz) VALUES (1)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "INSERT INTO {t} (zz)"),
    ("ALTER TABLE nowhere ADD COLUMN c INT", "TABLE_OR_VIEW_NOT_FOUND", "nowhere"),
]


def test_changes_of_tables(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (a INT, s STRUCT<x: INT>, b STRING) USING iceberg")
    for statement, condition, fragment in CHANGES:
        statement, fragment = statement.format(t=table), fragment.format(t=table)
        error = failure(lambda: spark.sql(statement))
        assert error.getCondition() == condition, statement
        (context,) = error.getQueryContext()
        assert context.fragment() == (fragment or statement), statement


def test_subqueries(spark):
    subquery = "(SELECT a FROM VALUES (1), (2) AS t(a))"
    error = failure(lambda: spark.sql(f"SELECT 1 + {subquery}").collect())
    assert error.getCondition() == "SCALAR_SUBQUERY_TOO_MANY_ROWS"
    (context,) = error.getQueryContext()
    assert (context.fragment(), context.startIndex()) == (subquery, 11)


def test_inline_tables(spark):
    error = failure(lambda: spark.sql("SELECT * FROM VALUES (1), (1/0)").collect())
    assert error.getCondition() == "INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION"
    assert error.getMessageParameters() == {"sqlExpr": '"(1 / 0)"'}
    (context,) = error.getQueryContext()
    assert context.fragment() == "VALUES (1), (1/0)"


DATAFRAMES = [
    (lambda rows: rows.select(F.col("id") / 0), "__truediv__"),
    (lambda rows: rows.select(F.col("id") % 0), "__mod__"),
    (lambda rows: rows.select(F.lit("x").cast("int")), "cast"),
    (lambda rows: rows.select(F.col("id") + F.lit("x")), "__add__"),
    (lambda rows: rows.select(F.array(F.lit(1))[5]), "__getitem__"),
    (lambda rows: rows.where(F.col("id") / 0 > 1), "__truediv__"),
    (lambda rows: rows.orderBy(F.col("id") / 0), "__truediv__"),
    (lambda rows: rows.groupBy().agg(F.sum(F.col("id") / 0)), "__truediv__"),
    (lambda rows: rows.select(F.transform(F.array(F.lit(0)), lambda x: F.lit(1) / x)), "__truediv__"),
]


@pytest.mark.parametrize("make,call", DATAFRAMES)
def test_dataframes(spark, make, call):
    error = failure(lambda: make(spark.range(3)).collect())
    (context,) = error.getQueryContext()
    assert context.contextType() == QueryContextType.DataFrame
    assert context.fragment() == call and "test_error_contexts.py:" in context.callSite()
    assert f'\n== DataFrame ==\n"{call}" was called from\n' in str(error)


def test_functions_of_dataframes_have_an_empty_context(spark):
    (context,) = failure(lambda: spark.range(1).select(F.to_date(F.lit("x"))).collect()).getQueryContext()
    assert (context.startIndex(), context.stopIndex(), context.fragment()) == (-1, -1, "")


def test_text_in_dataframes_is_a_text_of_its_own(spark):
    (context,) = failure(lambda: spark.range(3).selectExpr("id/0").collect()).getQueryContext()
    assert (context.startIndex(), context.stopIndex(), context.fragment()) == (0, 3, "id/0")
