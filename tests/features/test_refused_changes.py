"""Changes that a table's format cannot carry out are refused, and leave the table as it was."""
import pytest
from pyspark.errors import PySparkException

# A change, and what the error says.
ELEMENTS = [
    ("DROP COLUMN m.value", "Cannot delete value type from map: map<string, struct<"),
    ("DROP COLUMN m.key", "Cannot delete map keys: map<string, struct<"),
    ("DROP COLUMN l.element", "Cannot delete element type from list: list<int>"),
    ("RENAME COLUMN l.element TO e", "INVALID_FIELD_NAME.*`l`.`e` is invalid: `l` is not a struct"),
    ("RENAME COLUMN m.value TO v", "INVALID_FIELD_NAME.*`m`.`v` is invalid: `m` is not a struct"),
    ("ADD COLUMN m.key.n INT", "INVALID_FIELD_NAME.*`m`.`key` is not a struct"),
    ("DROP COLUMN p", "Cannot find source column for partition field: 1000: p"),
    ("SET TBLPROPERTIES ('current-snapshot-id' = '5')", "Cannot roll back to unknown snapshot id: 5"),
]


@pytest.mark.parametrize("change, message", ELEMENTS)
def test_changes_of_columns(spark, namespace, change, message):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id INT, m MAP<STRING, STRUCT<a: INT>>, l ARRAY<INT>, p STRING) USING iceberg PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table} VALUES (1, map('k', named_struct('a', 1)), array(1), 'x')")
    schema, rows = spark.table(table).schema, spark.table(table).collect()
    with pytest.raises(PySparkException, match=message):
        spark.sql(f"ALTER TABLE {table} {change}").collect()
    assert (spark.table(table).schema, spark.table(table).collect()) == (schema, rows)


def test_metadata_tables_are_not_altered(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t (id INT) USING iceberg")
    for metadata in ("files", "snapshots"):
        with pytest.raises(PySparkException, match="UNSUPPORTED_FEATURE.TABLE_OPERATION"):
            spark.sql(f"ALTER TABLE {namespace}.t.{metadata} ADD COLUMN x INT").collect()
    assert spark.table(f"{namespace}.t").columns == ["id"]


def test_purge_where_files_may_be_shared(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t USING iceberg TBLPROPERTIES ('gc.enabled' = 'false') AS SELECT 1 AS id")
    with pytest.raises(PySparkException, match="GC is disabled"):
        spark.sql(f"DROP TABLE {namespace}.t PURGE").collect()
    assert spark.table(f"{namespace}.t").count() == 1


def test_decimals_that_truncation_takes_out_of_range(spark, namespace):
    """A partition's value has the column's type, which may have no room for the multiple below the smallest numbers."""
    spark.sql(f"CREATE TABLE {namespace}.d (m DECIMAL(5,2)) USING iceberg PARTITIONED BY (truncate(70, m))")
    spark.sql(f"INSERT INTO {namespace}.d VALUES (-999.59), (999.99)")
    with pytest.raises(PySparkException, match="NUMERIC_VALUE_OUT_OF_RANGE"):
        spark.sql(f"INSERT INTO {namespace}.d VALUES (-999.99)").collect()
    assert spark.table(f"{namespace}.d").count() == 2


def test_merge_that_matches_twice(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} USING iceberg AS SELECT id, 'v' AS v FROM range(3)")
    with pytest.raises(PySparkException, match="MERGE_CARDINALITY_VIOLATION"):
        spark.sql(f"""MERGE INTO {table} t USING (SELECT 1L AS id UNION ALL SELECT 1L) s ON t.id = s.id
                      WHEN MATCHED THEN UPDATE SET v = 'twice' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'new')""").collect()
    assert {row.v for row in spark.table(table).collect()} == {"v"} and spark.table(f"{table}.snapshots").count() == 1
