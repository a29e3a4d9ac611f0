"""Tables made of a query: nothing in them is NOT NULL, at no level, whatever the query's rows are; as in Spark."""
import pytest

QUERY = "SELECT 1 AS id, named_struct('a', 1) AS st, array(named_struct('a', 1)) AS ar, map('k', named_struct('a', 1)) AS m"
MADE = {
    "CREATE TABLE AS": lambda spark, name, kind: spark.sql(f"CREATE TABLE {name} USING {kind} AS {QUERY}"),
    "saveAsTable": lambda spark, name, kind: spark.sql(QUERY).write.format(kind).saveAsTable(name),
    "writeTo": lambda spark, name, kind: spark.sql(QUERY).writeTo(name).using(kind).create(),
}


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
@pytest.mark.parametrize("made", MADE)
def test_everything_may_be_null(spark, namespace, made, kind):
    name = f"{namespace}.t" if kind == "iceberg" else "nullable_table"
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    MADE[made](spark, name, kind)
    spark.sql(f"""INSERT INTO {name} SELECT * FROM VALUES
                  (2, named_struct('a', CAST(NULL AS INT)), array(named_struct('a', CAST(NULL AS INT)), NULL), map('k', NULL)),
                  (CAST(NULL AS INT), NULL, NULL, NULL) AS t(id, st, ar, m)""")
    rows = [row.asDict(recursive=True) for row in spark.table(name).orderBy("id").collect()]
    assert rows == [{"id": None, "st": None, "ar": None, "m": None},
                    {"id": 1, "st": {"a": 1}, "ar": [{"a": 1}], "m": {"k": {"a": 1}}},
                    {"id": 2, "st": {"a": None}, "ar": [{"a": None}, None], "m": {"k": None}}]
    spark.sql(f"DROP TABLE {name}")
