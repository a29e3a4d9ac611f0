"""CHAR(n) and VARCHAR(n) columns, and such values within arrays, maps and structs: filled up, cut, or refused when they
are written, as in Spark."""
import pytest
from pyspark.errors import PySparkException

COLUMNS = """id INT, c CHAR(3), v VARCHAR(2), a ARRAY<CHAR(3)>, st STRUCT<c: CHAR(3), v: VARCHAR(2)>, m MAP<CHAR(2), VARCHAR(2)>,
             n ARRAY<STRUCT<x: CHAR(2)>>"""


@pytest.fixture(params=["parquet", "delta"])
def table(spark, tmp_path, request):
    name = f"chars_{request.param}"
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING {request.param}")
    yield name
    spark.sql(f"DROP TABLE {name}")


def test_values_are_filled_up_and_cut(spark, table):
    spark.sql(f"""INSERT INTO {table} VALUES
        (1, 'q', 'b   ', array('q', NULL), named_struct('c', 'q', 'v', 'b  '), map('k', 'v  '), array(named_struct('x', 'z'), NULL)),
        (2, NULL, NULL, NULL, NULL, NULL, NULL), (3, 'äö', 'ß', array('äöü'), named_struct('c', NULL, 'v', ''), map(), array())""")
    rows = [row.asDict(recursive=True) for row in spark.table(table).orderBy("id").collect()]
    assert rows == [
        {"id": 1, "c": "q  ", "v": "b ", "a": ["q  ", None], "st": {"c": "q  ", "v": "b "}, "m": {"k ": "v "},
         "n": [{"x": "z "}, None]},
        {"id": 2, "c": None, "v": None, "a": None, "st": None, "m": None, "n": None},
        {"id": 3, "c": "äö ", "v": "ß", "a": ["äöü"], "st": {"c": None, "v": ""}, "m": {}, "n": []}]


@pytest.mark.parametrize("column, value", [
    ("c", "'qqqq'"), ("v", "'bbb'"), ("a", "array('qqqq')"), ("st", "named_struct('c', 'q', 'v', 'bbb')"), ("m", "map('kkk', 'v')"),
    ("m", "map('k', 'vvv')"), ("n", "array(named_struct('x', 'zzz'))")])
def test_longer_values_are_refused(spark, table, column, value):
    with pytest.raises(PySparkException) as refused:
        spark.sql(f"INSERT INTO {table} (id, {column}) VALUES (1, {value})")
    condition = "DELTA_EXCEED_CHAR_VARCHAR_LIMIT" if "delta" in table else "EXCEED_LIMIT_LENGTH"
    assert condition in str(refused.value)
    assert spark.table(table).count() == 0
