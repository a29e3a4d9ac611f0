"""MERGE WITH SCHEMA EVOLUTION into Iceberg tables: columns and fields that the source alone has, and wider types."""
import pytest
from pyspark.errors import PySparkException

STAR = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
SAME = "named_struct('a', 1) AS st, array(named_struct('a', 1)) AS ar"


@pytest.fixture(params=["copy-on-write", "merge-on-read"])
def table(spark, namespace, request):
    name = f"{namespace}.t"
    spark.sql(f"""CREATE TABLE {name} (id INT, v INT, st STRUCT<a: INT>, ar ARRAY<STRUCT<a: INT>>) USING iceberg
                  TBLPROPERTIES ('write.merge.mode' = '{request.param}')""")
    spark.sql(f"INSERT INTO {name} VALUES (1, 1, named_struct('a', 1), array(named_struct('a', 1))), (2, 2, NULL, NULL)")
    return name


def merge(spark, table, source, clauses=STAR):
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO {table} t USING ({source}) s ON t.id = s.id {clauses}")
    frame = spark.table(table)
    return frame.schema.simpleString(), [row.asDict(recursive=True) for row in frame.orderBy("id").collect()]


def test_new_columns(spark, table):
    schema, rows = merge(spark, table, f"SELECT 1 AS id, 5 AS v, {SAME}, 3 AS z UNION ALL SELECT 3, 6, NULL, NULL, 4")
    assert schema == "struct<id:int,v:int,st:struct<a:int>,ar:array<struct<a:int>>,z:int>"
    assert [(row["id"], row["v"], row["z"]) for row in rows] == [(1, 5, 3), (2, 2, None), (3, 6, 4)]


def test_new_fields(spark, table):
    schema, rows = merge(spark, table, "SELECT 1 AS id, 5 AS v, named_struct('a', 1, 'b', 'q') AS st, "
                                       "array(named_struct('a', 1, 'b', 2L)) AS ar")
    assert schema == "struct<id:int,v:int,st:struct<a:int,b:string>,ar:array<struct<a:int,b:bigint>>>"
    assert rows == [{"id": 1, "v": 5, "st": {"a": 1, "b": "q"}, "ar": [{"a": 1, "b": 2}]},
                    {"id": 2, "v": 2, "st": None, "ar": None}]


def test_wider_types(spark, table):
    schema, rows = merge(spark, table, f"SELECT 1 AS id, 5000000000L AS v, {SAME}")
    assert schema.startswith("struct<id:int,v:bigint,") and [row["v"] for row in rows] == [5000000000, 2]


def test_columns_that_the_source_lacks_stay(spark, table):
    _, rows = merge(spark, table, "SELECT 1 AS id, 5 AS v, 7 AS z UNION ALL SELECT 3, 6, 8")
    assert rows == [{"id": 1, "v": 5, "st": {"a": 1}, "ar": [{"a": 1}], "z": 7},
                    {"id": 2, "v": 2, "st": None, "ar": None, "z": None},
                    {"id": 3, "v": 6, "st": None, "ar": None, "z": 8}]


def test_assigned_columns_alone(spark, table):
    """Columns that no clause names do not come; one that is named does."""
    schema, _ = merge(spark, table, "SELECT 3 AS id, 5 AS v, 8 AS z", "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)")
    assert schema == "struct<id:int,v:int,st:struct<a:int>,ar:array<struct<a:int>>>"
    schema, rows = merge(spark, table, "SELECT 1 AS id, 8 AS z, 9 AS zz", "WHEN MATCHED THEN UPDATE SET z = s.z")
    assert schema.endswith(",z:int>") and [row["z"] for row in rows] == [8, None, None]


def test_without_evolution_nothing_comes(spark, table):
    spark.sql(f"MERGE INTO {table} t USING (SELECT 1 AS id, 5 AS v, {SAME}, 3 AS z) s ON t.id = s.id {STAR}")
    assert spark.table(table).columns == ["id", "v", "st", "ar"]
    with pytest.raises(PySparkException) as refused:
        merge(spark, table, f"SELECT 1 AS id, 'x' AS v, {SAME}")
    assert refused.value.getCondition() == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
