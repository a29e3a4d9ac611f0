"""What Spark refuses, and how: condition, some of its parameters, and the part of the statement that it is about."""
import pytest
from pyspark.errors import ArithmeticException, PySparkException
from pyspark.sql import Window
from pyspark.sql import functions as F


def failure(run):
    with pytest.raises(PySparkException) as raised:
        run()
    return raised.value


def check(error, condition, parameters=None):
    assert error.getCondition() == condition, error
    shown = error.getMessageParameters() or {}
    for name, value in (parameters or {}).items():
        assert shown.get(name) == value, (name, shown)


def fragments(error):
    return [context.fragment() for context in error.getQueryContext()]


@pytest.fixture(scope="module")
def names(lake):
    """A table, a view over it and a temporary view, in the session catalog."""
    spark, _ = lake
    spark.sql("CREATE TABLE some_table (a INT, b INT) USING parquet")
    spark.sql("CREATE VIEW some_view AS SELECT * FROM some_table")
    spark.sql("CREATE TEMPORARY VIEW some_temp AS SELECT 1 AS a")
    yield
    for statement in ("VIEW some_view", "TABLE some_table", "VIEW some_temp"):
        spark.sql(f"DROP {statement}")


# Statement, condition, parameters, and the part at fault: None where Spark gives no context.
VALUES = [
    ("SELECT make_interval(178956971)", "ARITHMETIC_OVERFLOW", {"message": "integer overflow"}, None),
    ("SELECT make_interval(0, 0, 2147483647, 2147483647)", "ARITHMETIC_OVERFLOW", {"message": "integer overflow"}, None),
    ("SELECT make_interval(m) FROM VALUES (178956971) AS t(m)", "ARITHMETIC_OVERFLOW", {}, None),
    ("SELECT 'a' COLLATE FOO", "COLLATION_INVALID_NAME", {"collationName": "FOO", "proposals": "fo, bo, eo"}, None),
    ("SELECT collate('a', 'UTF8_BS')", "COLLATION_INVALID_NAME", {"proposals": "UTF8_LCASE"}, None),
    ("SELECT CAST('a' AS STRING COLLATE en_USS)", "COLLATION_INVALID_NAME", {"proposals": "en_USA"}, None),
    ("CREATE TABLE never_made (a STRING COLLATE FOO) USING parquet", "COLLATION_INVALID_NAME", {}, None),
    ("SELECT 1 COLLATE UTF8_BINARY", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", {"requiredType": '"STRING"'},
     "1 COLLATE UTF8_BINARY"),
    # CASE and IF
    ("SELECT CASE WHEN NULL THEN 1 END", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
     {"paramIndex": "first", "inputType": '"VOID"'}, "CASE WHEN NULL THEN 1 END"),
    ("SELECT CASE WHEN true THEN 1 WHEN 5 THEN 2 END", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
     {"paramIndex": "second"}, "CASE WHEN true THEN 1 WHEN 5 THEN 2 END"),
    ("SELECT CASE WHEN true THEN 1 ELSE array(1) END", "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
     {"functionName": "`casewhen`", "dataType": '["INT", "ARRAY<INT>"]'}, "CASE WHEN true THEN 1 ELSE array(1) END"),
    ("SELECT if(true, 1, array(1))", "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
     {"functionName": "`if`", "dataType": '["INT", "ARRAY<INT>"]'}, "if(true, 1, array(1))"),
    ("SELECT if(NULL, 1, array(1))", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", {"inputSql": '"NULL"'},
     "if(NULL, 1, array(1))"),
    # conditions
    ("SELECT a FROM VALUES (1) AS t(a) WHERE 1 ORDER BY a", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", {"type": '"INT"'},
     "SELECT a FROM VALUES (1) AS t(a) WHERE 1"),
    ("SELECT a FROM VALUES (1) AS t(a) GROUP BY a HAVING array(1)", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
     {"srcType": '"ARRAY<INT>"', "targetType": '"BOOLEAN"'}, ...),
    ("SELECT grouping(a) FROM VALUES (1) AS t(a)", "UNSUPPORTED_GROUPING_EXPRESSION", {}, "grouping(a)"),
    # constants are computed at their place
    ("SELECT * FROM range('a')", "CAST_INVALID_INPUT", {"targetType": '"BIGINT"'}, "range('a')"),
    ("SELECT * FROM VALUES (1) AS t(a) OFFSET 2147483647 + 1", "ARITHMETIC_OVERFLOW", {}, "2147483647 + 1"),
]


@pytest.mark.parametrize("statement,condition,parameters,fragment", VALUES)
def test_values(spark, statement, condition, parameters, fragment):
    error = failure(lambda: spark.sql(statement).collect())
    check(error, condition, parameters)
    if fragment is not ...:
        assert fragments(error) == ([] if fragment is None else [fragment])


def test_seconds_beyond_a_timestamp(spark):
    for call in ("timestamp_seconds(1230219000123123)", "timestamp_seconds(-1230219000123123)",
                 "timestamp_millis(92233720368547758)"):
        error = failure(lambda: spark.sql(f"SELECT {call}").collect())
        assert isinstance(error, ArithmeticException) and error.getCondition() is None
        assert str(error).startswith("long overflow")


def test_having_takes_what_can_be_cast(spark):
    assert spark.sql("SELECT a FROM VALUES (1), (0) AS t(a) GROUP BY a HAVING a").collect() == [(1,)]
    assert spark.sql("SELECT count(1) AS c FROM VALUES (1) AS t(a) HAVING count(1)").collect() == [(1,)]
    assert spark.sql("SELECT a FROM VALUES (1) AS t(a) GROUP BY a HAVING NULL").collect() == []
    assert spark.sql("SELECT if(NULL, 1, 2) AS x").collect() == [(2,)]


ALIASES = [
    ("SELECT 1 AS x, sum(x) OVER () FROM t", "WINDOW", "x", "sum(lateralAliasReference(x)) OVER (unspecifiedframe$())"),
    ("SELECT 1 AS x, rank() OVER (PARTITION BY a ORDER BY x) FROM t", "WINDOW", "x",
     "rank() OVER (PARTITION BY a ORDER BY lateralAliasReference(x) ASC NULLS FIRST unspecifiedframe$())"),
    ("SELECT 1 AS x, x + 1 AS y, sum(a) OVER (ORDER BY y ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t", "WINDOW", "y",
     "sum(a) OVER (ORDER BY lateralAliasReference(y) ASC NULLS FIRST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"),
    ("SELECT 1 AS x, sum(a) OVER w FROM t WINDOW w AS (ORDER BY x)", "WINDOW", "x",
     "sum(a) OVER (ORDER BY lateralAliasReference(x) ASC NULLS FIRST unspecifiedframe$())"),
    ("SELECT a AS x, sum(x) FROM t GROUP BY a", "AGGREGATE_FUNC", "x", "sum(lateralAliasReference(x))"),
    ("SELECT 1 AS x, count(DISTINCT x) FROM t", "AGGREGATE_FUNC", "x", "count(DISTINCT lateralAliasReference(x))"),
    ("SELECT 1 AS x, count(*) FILTER (WHERE x = 1) FROM t", "AGGREGATE_FUNC", "x",
     "count(1) FILTER (WHERE (lateralAliasReference(x) = 1))"),
]


@pytest.mark.parametrize("statement,place,alias,text", ALIASES)
def test_lateral_aliases(spark, statement, place, alias, text):
    statement = statement.replace("FROM t", "FROM VALUES (1) AS t(a)")
    error = failure(lambda: spark.sql(statement).collect())
    check(error, f"UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_{place}",
          {"lca": f"`{alias}`", "windowExpr" if place == "WINDOW" else "aggFunc": f'"{text}"'})
    assert fragments(error) == []


def test_lateral_aliases_elsewhere(spark):
    rows = spark.range(3).select(F.lit(1).alias("x"), F.sum("x").over(Window.partitionBy("id")))
    check(failure(rows.collect), "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW", {"lca": "`x`"})
    both = "SELECT sum(a) AS s, s + 1, sum(a) OVER () FROM VALUES (1) AS t(a) GROUP BY a HAVING s > 0"
    check(failure(lambda: spark.sql(both).collect()),
          "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_WITH_WINDOW_AND_HAVING", {"lca": "`s`"})
    assert spark.sql("SELECT sum(a) OVER () AS w, w + 1 AS v FROM VALUES (1) AS t(a)").collect() == [(1, 2)]
    assert spark.sql("SELECT a AS x, count(a) AS c, x + c AS y FROM VALUES (1) AS t(a) GROUP BY a").collect() == [(1, 1, 2)]
    assert spark.sql("SELECT explode(array(1, 2)) AS x, x + 1").columns == ["x", "(x + 1)"]


HINTS = [
    ("REPARTITION('x')", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`x`"}, ["/*+ REPARTITION('x') */"]),
    ("REPARTITION(nosuch)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`nosuch`"}, ["nosuch"]),
    ("REBALANCE(nosuch)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`nosuch`"}, ["nosuch"]),
    ("REPARTITION_BY_RANGE(nosuch)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`nosuch`"}, ["nosuch"]),
    ("REPARTITION(1.5)", "_LEGACY_ERROR_TEMP_1047", {"hintName": "REPARTITION", "invalidParams": '"1.5"'}, []),
    ("REPARTITION(2, 3)", "_LEGACY_ERROR_TEMP_1047", {"invalidParams": '"3"'}, []),
    ("REPARTITION(a, 3)", "_LEGACY_ERROR_TEMP_1047", {"invalidParams": '"3"'}, []),
    ("REPARTITION(NULL)", "_LEGACY_ERROR_TEMP_1047", {"invalidParams": '"NULL"'}, []),
    ("rebalance(a, 2)", "_LEGACY_ERROR_TEMP_1047", {"hintName": "REBALANCE", "invalidParams": '"2"'}, []),
    ("COALESCE", "_LEGACY_ERROR_TEMP_1048", {"hintName": "COALESCE"}, []),
    ("COALESCE(a)", "_LEGACY_ERROR_TEMP_1048", {"hintName": "COALESCE"}, []),
    ("COALESCE(1, 2)", "_LEGACY_ERROR_TEMP_1048", {"hintName": "COALESCE"}, []),
    ("MAPJOIN(1)", "_LEGACY_ERROR_TEMP_1046", {"unsupported": '"1"'}, []),
    ("REPARTITION(0)", None, {}, []),
    ("COALESCE(0)", None, {}, []),
]


@pytest.mark.parametrize("hint,condition,parameters,parts", HINTS)
def test_hints(spark, hint, condition, parameters, parts):
    error = failure(lambda: spark.sql(f"SELECT /*+ {hint} */ * FROM VALUES (1) AS t(a)").collect())
    check(error, condition, parameters)
    assert fragments(error) == parts
    if condition is None:
        assert "Number of partitions (0) must be positive" in str(error)


def test_hints_that_are_fine(spark):
    for hint in ("REPARTITION", "REPARTITION(2)", "REPARTITION(2, a)", "REPARTITION(t.a)", "REPARTITION('a')", "COALESCE(1)",
                 "REBALANCE(a)", "BROADCAST(nosuch)", "BROADCAST('x')", "FOO(1)", "REPARTITION(a, b)"):
        assert spark.sql(f"SELECT /*+ {hint} */ a FROM VALUES (1, 2) AS t(a, b)").collect() == [(1,)]
    assert spark.range(1).hint("repartition", 2, "id").collect() == [(0,)]
    check(failure(spark.range(1).hint("repartition", "nosuch").collect), "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    check(failure(spark.range(1).hint("coalesce", "id").collect), "_LEGACY_ERROR_TEMP_1048")


RANGES = [
    ("start => 1, end => 3", "NON_FOLDABLE_ARGUMENT", {"paramName": "`start`", "paramType": '"BIGINT"'}),
    ("end => 3", "NON_FOLDABLE_ARGUMENT", {"paramName": "`end`"}),
    ("1, end => 3", "NON_FOLDABLE_ARGUMENT", {"paramName": "`end`"}),
    ("rand()", "NON_FOLDABLE_ARGUMENT", {"paramName": "`end`"}),
    ("(SELECT 1)", "NON_FOLDABLE_ARGUMENT", {"paramName": "`end`"}),
    ("NULL", "UNEXPECTED_INPUT_TYPE", {"paramIndex": "second", "requiredType": '"BIGINT"'}),
    ("array(1)", "UNEXPECTED_INPUT_TYPE", {"paramIndex": "second"}),
    ("1, 2, 0", "FAILED_FUNCTION_CALL", {"funcName": "`range`"}),
]


@pytest.mark.parametrize("arguments,condition,parameters", RANGES)
def test_range(spark, arguments, condition, parameters):
    error = failure(lambda: spark.sql(f"SELECT * FROM range({arguments})").collect())
    check(error, condition, parameters)
    assert fragments(error) == [f"range({arguments})"]


@pytest.mark.parametrize("statement", [
    "SELECT * FROM {n}", "CREATE TABLE {n} (x INT) USING parquet", "DROP TABLE {n}", "DROP TABLE IF EXISTS {n}",
    "DROP VIEW {n}", "CREATE VIEW {n} AS SELECT 1", "INSERT INTO {n} SELECT 1", "ALTER TABLE {n} ADD COLUMN x INT",
    "DESCRIBE {n}", "SHOW CREATE TABLE {n}", "TRUNCATE TABLE {n}", "SHOW COLUMNS IN {n}", "REFRESH TABLE {n}", "SELECT {n}(1)"])
def test_names_of_too_many_parts(spark, statement):
    error = failure(lambda: spark.sql(statement.format(n="a.b.c.d.e")).collect())
    check(error, "REQUIRES_SINGLE_PART_NAMESPACE", {"sessionCatalog": "spark_catalog", "namespace": "`a`.`b`.`c`.`d`"})
    assert fragments(error) == []


def test_names_of_too_many_parts_in_dataframes(spark):
    for run in (lambda: spark.table("a.b.c.d.e").collect(), lambda: spark.catalog.tableExists("a.b.c.d.e"),
                lambda: spark.range(1).writeTo("a.b.c.d.e").create()):
        check(failure(run), "REQUIRES_SINGLE_PART_NAMESPACE")
    check(failure(lambda: spark.range(1).write.saveAsTable("a.b.c.d.e")), "_LEGACY_ERROR_TEMP_1310", {"quote": "a.b.c.d.e"})
    error = failure(lambda: spark.sql("SELECT * FROM spark_catalog.a.b.c").collect())
    check(error, "REQUIRES_SINGLE_PART_NAMESPACE", {"namespace": "`a`.`b`"})


TABLE, PERMANENT = "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "`spark_catalog`.`default`.`some_view`"
VIEWS = [
    ("INSERT INTO some_view VALUES (1, 2)", TABLE, "INSERT"),
    ("INSERT OVERWRITE some_view VALUES (1, 2)", TABLE, "INSERT"),
    ("TRUNCATE TABLE some_view", TABLE, "TRUNCATE TABLE"),
    ("SHOW PARTITIONS some_view", TABLE, "SHOW PARTITIONS"),
    ("ALTER TABLE some_view ADD COLUMN c INT", TABLE, "ALTER TABLE ... ADD COLUMN"),
    ("ALTER TABLE some_view DROP COLUMN a", TABLE, "ALTER TABLE ... DROP COLUMNS"),
    ("ALTER TABLE some_view RENAME COLUMN a TO z", TABLE, "ALTER TABLE ... RENAME COLUMN"),
    ("ALTER TABLE some_view ALTER COLUMN a TYPE BIGINT", TABLE, "ALTER TABLE ... ALTER COLUMN"),
    ("ALTER TABLE some_view SET TBLPROPERTIES ('a' = 'b')", "EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW",
     "ALTER TABLE ... SET TBLPROPERTIES"),
    ("ALTER TABLE some_view ADD PARTITION (a = 1)", TABLE, "ALTER TABLE ... ADD PARTITION ..."),
    ("MSCK REPAIR TABLE some_view", TABLE, "MSCK REPAIR TABLE"),
]


@pytest.mark.parametrize("statement,condition,operation", VIEWS)
def test_views_are_no_tables(spark, names, statement, condition, operation):
    error = failure(lambda: spark.sql(statement).collect())
    check(error, condition, {"viewName": PERMANENT, "operation": operation})
    assert fragments(error) == ["some_view"]
    error = failure(lambda: spark.sql(statement.replace("some_view", "some_temp")).collect())
    check(error, condition, {"viewName": "`some_temp`", "operation": operation})


def test_tables_are_no_views(spark, names):
    full = "`spark_catalog`.`default`.`some_table`"
    wrong = "WRONG_COMMAND_FOR_OBJECT_TYPE"
    for exists in ("", "IF EXISTS "):
        check(failure(lambda: spark.sql(f"DROP TABLE {exists}some_view")), wrong,
              {"operation": "DROP TABLE", "foundType": "VIEW", "objectName": "spark_catalog.default.some_view"})
        check(failure(lambda: spark.sql(f"DROP VIEW {exists}some_table")), wrong,
              {"operation": "DROP VIEW", "foundType": "MANAGED", "requiredType": "VIEW"})
    check(failure(lambda: spark.sql("ALTER VIEW some_table RENAME TO other")), "EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE",
          {"tableName": "`some_table`", "operation": "ALTER VIEW"})
    check(failure(lambda: spark.sql("ALTER TABLE some_view RENAME TO other")), "EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW",
          {"viewName": "`some_view`", "operation": "ALTER TABLE"})
    error = failure(lambda: spark.sql("ALTER VIEW some_table AS SELECT 1"))
    check(error, "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", {"tableName": full, "operation": "ALTER VIEW ... AS"})
    assert fragments(error) == ["some_table"]
    check(failure(lambda: spark.sql("ALTER VIEW some_table SET TBLPROPERTIES ('a' = 'b')")),
          "EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", {"operation": "ALTER VIEW ... SET TBLPROPERTIES"})
    check(failure(lambda: spark.sql("ANALYZE TABLE some_view COMPUTE STATISTICS")), "UNSUPPORTED_FEATURE.ANALYZE_VIEW")
    for statement, operation in (("ANALYZE TABLE some_temp COMPUTE STATISTICS", "ANALYZE TABLE"),
                                 ("SHOW CREATE TABLE some_temp", "SHOW CREATE TABLE")):
        check(failure(lambda: spark.sql(statement)), "EXPECT_PERMANENT_VIEW_NOT_TEMP",
              {"viewName": "`some_temp`", "operation": operation})


def test_writes_into_views(spark, names):
    rows = spark.range(1)
    check(failure(lambda: rows.write.insertInto("some_view")), TABLE, {"viewName": PERMANENT})
    check(failure(lambda: rows.write.insertInto("some_temp")), TABLE, {"viewName": "`some_temp`"})
    check(failure(lambda: rows.write.mode("append").saveAsTable("some_view")), "_LEGACY_ERROR_TEMP_1158")
    check(failure(lambda: rows.write.saveAsTable("some_view")), "TABLE_OR_VIEW_ALREADY_EXISTS")
    check(failure(lambda: rows.writeTo("some_temp").append()), "_LEGACY_ERROR_TEMP_1011", {"identifier": "`some_temp`"})
    spark.sql("CREATE VIEW short_lived AS SELECT 1 AS x")
    rows.write.mode("overwrite").saveAsTable("short_lived")
    assert spark.table("short_lived").collect() == [(0,)]
    spark.sql("DROP TABLE short_lived")


def test_writers(spark, names):
    rows = spark.range(1).select("id", F.lit(1).alias("b"))
    check(failure(lambda: rows.write.partitionBy("b").insertInto("some_table")), "_LEGACY_ERROR_TEMP_1309")
    check(failure(lambda: rows.write.bucketBy(2, "id").insertInto("some_table")), "_LEGACY_ERROR_TEMP_1312",
          {"operation": "insertInto"})
    check(failure(lambda: rows.write.bucketBy(2, "id").save("/nowhere")), "_LEGACY_ERROR_TEMP_1312", {"operation": "save"})
    check(failure(lambda: rows.write.sortBy("id").saveAsTable("never_made")), "SORT_BY_WITHOUT_BUCKETING")


def test_union_by_name(spark):
    left = spark.createDataFrame([(1, 2)], "a int, b int")
    check(failure(lambda: left.unionByName(spark.createDataFrame([(1, 3)], "a int, c int")).collect()),
          "_LEGACY_ERROR_TEMP_1201", {"colName": "b", "fieldNames": "a, c"})
    structs = [spark.sql(f"SELECT named_struct({fields}) AS a") for fields in ("'x', 1, 'z', 2", "'x', 1", "'z', 1, 'y', 2")]
    check(failure(structs[0].unionByName(structs[1]).collect), "FIELD_NOT_FOUND", {"fieldName": "`z`", "fields": "`x`"})
    check(failure(structs[0].unionByName(structs[2]).collect), "FIELD_NOT_FOUND",
          {"fieldName": "`x`", "fields": "`z`, `y`"})
    check(failure(structs[1].unionByName(structs[0]).collect), "INCOMPATIBLE_COLUMN_TYPE")


# A change of (id INT NOT NULL, s STRING, st STRUCT<x: INT, y: STRING>, arr ARRAY<INT>, d DECIMAL(10, 2)).
ICEBERG = [
    ("ALTER COLUMN id TYPE STRING", "_LEGACY_ERROR_TEMP_2045", {"message": "Cannot change column type: id: int -> string"}),
    ("ALTER COLUMN d TYPE DECIMAL(12, 3)", "_LEGACY_ERROR_TEMP_2045", {}),
    ("ALTER COLUMN s AFTER s", "_LEGACY_ERROR_TEMP_2045", {"message": "Cannot move s after itself"}),
    ("ADD COLUMN nn INT NOT NULL", "_LEGACY_ERROR_TEMP_2045",
     {"message": "Incompatible change: cannot add required column: nn"}),
    ("SET TBLPROPERTIES ('format-version' = '1')", "_LEGACY_ERROR_TEMP_2045", {"message": "Cannot downgrade v2 table to v1"}),
    ("ALTER COLUMN s TYPE INT", "NOT_SUPPORTED_CHANGE_COLUMN", {"originType": '"STRING"', "newType": '"INT"'}),
    ("ALTER COLUMN st TYPE STRUCT<x: INT>", "CANNOT_UPDATE_FIELD.STRUCT_TYPE", {"fieldName": "`st`"}),
    ("ALTER COLUMN arr TYPE ARRAY<BIGINT>", "CANNOT_UPDATE_FIELD.ARRAY_TYPE", {"fieldName": "`arr`"}),
    ("ALTER COLUMN id TYPE MAP<INT, INT>", "CANNOT_UPDATE_FIELD.MAP_TYPE", {"fieldName": "`id`"}),
    ("ALTER COLUMN s SET NOT NULL", "_LEGACY_ERROR_TEMP_2330", {"fieldName": "s"}),
    ("ALTER COLUMN s AFTER nosuch", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`nosuch`"}),
    ("ALTER COLUMN st.x AFTER s", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`st`.`s`"}),
    ("ADD COLUMN nosuch.x INT", "UNRESOLVED_COLUMN.WITH_SUGGESTION", {"objectName": "`nosuch`"}),
    ("ADD COLUMN id.x INT", "INVALID_FIELD_NAME", {"fieldName": "`id`.`x`", "path": "`id`"}),
    ("ADD COLUMNS (q INT, Q STRING)", "COLUMN_ALREADY_EXISTS", {"columnName": "`q`"}),
    ("ADD COLUMN q INT AFTER nosuch", "FIELD_NOT_FOUND", {"fieldName": "`q`", "fields": "id, s, st, arr, d"}),
    ("ADD COLUMN st.q INT AFTER s", "FIELD_NOT_FOUND", {"fieldName": "`q`", "fields": "x, y"}),
]


@pytest.mark.parametrize("change,condition,parameters", ICEBERG)
def test_changes_of_iceberg_tables(spark, namespace, change, condition, parameters):
    table = f"{namespace}.t"
    spark.sql(f"""CREATE TABLE {table} (id INT NOT NULL, s STRING, st STRUCT<x: INT, y: STRING>, arr ARRAY<INT>,
                  d DECIMAL(10, 2)) USING iceberg""")
    schema = spark.table(table).schema
    error = failure(lambda: spark.sql(f"ALTER TABLE {table} {change}"))
    check(error, condition, parameters)
    if condition.startswith(("NOT_SUPPORTED", "CANNOT_UPDATE", "_LEGACY_ERROR_TEMP_2330")):
        assert fragments(error) == [f"ALTER TABLE {table} {change}"]
    if condition == "_LEGACY_ERROR_TEMP_2045":
        assert type(error).__name__ == "SparkException" and str(error).startswith("Unsupported table change: ")
    assert spark.table(table).schema == schema


def test_columns_dropped_twice(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t (a INT, s STRING, st STRUCT<x: INT>) USING iceberg")
    spark.sql(f"ALTER TABLE {namespace}.t DROP COLUMNS (s, s)")
    spark.sql(f"ALTER TABLE {namespace}.t DROP COLUMNS (st, st.x)")
    assert spark.table(f"{namespace}.t").columns == ["a"]
    check(failure(lambda: spark.sql(f"CREATE TABLE {namespace}.u (a INT) USING iceberg PARTITIONED BY (a, a)")),
          "_LEGACY_ERROR_TEMP_3058", {"duplicateColumns": "a"})


def test_partitions(spark):
    spark.sql("CREATE TABLE parted (id INT, a STRING, b INT) USING parquet PARTITIONED BY (a, b)")
    try:
        spark.sql("INSERT INTO parted VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1), (4, '', 3)")
        for statement in ("ALTER TABLE parted ADD PARTITION (a = '', b = 7)", "SHOW PARTITIONS parted PARTITION (a = '')",
                          "ALTER TABLE parted DROP PARTITION (a = '', b = 7)"):
            check(failure(lambda: spark.sql(statement)), "_LEGACY_ERROR_TEMP_1076")
        spark.sql("ALTER TABLE parted ADD PARTITION (a = null, b = 8)")
        shown = [row[0] for row in spark.sql("SHOW PARTITIONS parted").collect()]
        default = "a=__HIVE_DEFAULT_PARTITION__"
        assert shown == [f"{default}/b=3", f"{default}/b=8", "a=x/b=1", "a=x/b=2", "a=y/b=1"]
        spark.sql("ALTER TABLE parted DROP IF EXISTS PARTITION (a = 'nosuch')")
        check(failure(lambda: spark.sql("ALTER TABLE parted DROP PARTITION (a = 'nosuch')")), "PARTITIONS_NOT_FOUND",
              {"partitionList": "PARTITION (`a` = nosuch)"})
    finally:
        spark.sql("DROP TABLE parted")


@pytest.mark.ours  # As with a Hive Metastore; Spark's catalog in memory takes whole keys only.
def test_some_of_the_keys_name_all_partitions_that_have_them(spark):
    spark.sql("CREATE TABLE some_keys (id INT, a STRING, b INT) USING parquet PARTITIONED BY (a, b)")
    spark.sql("INSERT INTO some_keys VALUES (1, 'x', 1), (2, 'x', 2), (3, 'y', 1), (4, 'z', 5)")
    spark.sql("ALTER TABLE some_keys DROP PARTITION (a = 'x'), PARTITION (b = 1)")
    assert [row[0] for row in spark.sql("SHOW PARTITIONS some_keys").collect()] == ["a=z/b=5"]
    assert spark.table("some_keys").collect() == [(4, "z", 5)]
    spark.sql("DROP TABLE some_keys")


def test_keys_of_variants(spark):
    value = """parse_json('{"x y": 1, "a`b": 2, "n": {"c d": [5, 6]}}')"""
    paths = [":`x y`::int", ":`a``b`::int", ":n.`c d`[1]::int", ":['x y']::int"]
    rows = spark.sql(f"SELECT {', '.join('v' + path for path in paths)} FROM (SELECT {value} AS v)")
    assert tuple(rows.first()) == (1, 2, 6, 1)


XML = [
    ("<a><b>x</b></a>", "b INT"), ("<a><b>1</b><c>y</c></a>", "b INT, c DATE"), ("<a><b>x</b></a>", "b ARRAY<INT>"),
    ("<a><b><c>1</c></b></a>", "b INT"), ("<a><b>x</b></a>", "b BOOLEAN"), ('<a q="x"><b>1</b></a>', "_q INT, b INT"),
    ("<a><b>300</b></a>", "b TINYINT"), ("<a><b>x</b></a>", "b MAP<STRING, INT>"), ("<a>x</a>", "_VALUE INT"),
    ("<a><b><k>x</k></b></a>", "b MAP<STRING, INT>"), ("<a><b>x</b></a>", "b BINARY"),
]


@pytest.mark.parametrize("text,schema", XML)
def test_xml_of_other_types(spark, text, schema):
    error = failure(lambda: spark.sql(f"SELECT from_xml('{text}', '{schema}', map('mode', 'FAILFAST'))").collect())
    check(error, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", {"failFastMode": "FAILFAST"})
    row = spark.sql(f"SELECT from_xml('{text}', '{schema}, _corrupt_record STRING') AS r").first().r
    assert row._corrupt_record == text


def test_xml_that_fits(spark):
    for text, schema, row in (("<a><b></b></a>", "b INT", (None,)), ("<a><b>1.5</b></a>", "b DECIMAL(3, 1)", (1.5,)),
                              ("<a><b>1</b><b>2</b></a>", "b INT", (2,)), ("<a>5</a>", "_VALUE INT", (5,)),
                              ("<a><b>x</b></a>", "b STRUCT<c: INT>", ((None,),))):
        found = spark.sql(f"SELECT from_xml('{text}', '{schema}', map('mode', 'FAILFAST')) AS r").first().r
        assert tuple(found) == row
    # What comes behind the first value that does not fit stays NULL.
    for text, row in (("<a><c>2</c><b>x</b><d>3</d></a>", (None, 2, None, None, None)),
                      ("<a><l>1</l><l>z</l><l>3</l><c>2</c></a>", (None, None, None, [1], None)),
                      ("<a><d>1</d><s><x>2</x><y>z</y></s><c>2</c></a>", (None, None, 1, None, None))):
        schema = "b INT, c INT, d INT, l ARRAY<INT>, s STRUCT<x: INT, y: INT>"
        assert tuple(spark.sql(f"SELECT from_xml('{text}', '{schema}') AS r").first().r) == row


def test_levenshtein_within_a_threshold(spark):
    pairs = [("kitten", "sitting", 2, -1), ("kitten", "sitting", 3, 3), ("", "abc", 2, -1), ("abc", "", 3, 3),
             ("abc", "abc", 0, 0), ("abc", "abd", 0, -1), ("abc", "abc", -1, -1), ("", "", 0, 0), ("abcdef", "badcfe", 6, 4),
             ("über", "uber", 1, 1), ("abcdefgh", "xbcdyfgz", 3, 3), ("a" * 40, "b" * 40, 100, 40)]
    for left, right, threshold, distance in pairs:
        found = spark.sql(f"SELECT levenshtein('{left}', '{right}', {threshold})").first()[0]
        assert found == distance, (left, right, threshold)
    rows = spark.sql("SELECT levenshtein(repeat('ab', 100000), concat('x', repeat('ab', 100000)), 2)")
    assert rows.first()[0] == 1


def test_a_long_row_of_unions(spark):
    branches = 1500
    text = " UNION ALL ".join(f"SELECT {i} AS x" for i in range(branches))
    rows = spark.sql(text)
    assert rows.columns == ["x"] and [row.x for row in rows.collect()] == list(range(branches))


@pytest.mark.parametrize("statement, condition", [
    ("SELECT CAST(CAST(X'41FF42' AS STRING) AS INT)", "CAST_INVALID_INPUT"),
    ("SELECT encode('a', X'00FF')", "INVALID_PARAMETER_VALUE.CHARSET"),
    ("SELECT raise_error(CAST(X'E282' AS STRING))", "USER_RAISED_EXCEPTION"),
])
def test_bytes_that_are_no_text_reach_the_client_within_an_error(spark, statement, condition):
    with pytest.raises(PySparkException) as raised:
        spark.sql(statement).collect()
    assert raised.value.getCondition() == condition and "\ufffd" in str(raised.value)
