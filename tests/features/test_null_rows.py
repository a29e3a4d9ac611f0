"""Rows whose condition is NULL are neither deleted nor updated."""
import pytest


@pytest.mark.ours  # Iceberg in Spark drops a whole file of such rows
def test_delete_keeps_rows_whose_condition_is_null(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id INT, fare INT) USING iceberg PARTITIONED BY (id)")
    spark.sql(f"INSERT INTO {table} VALUES (1, 5), (2, NULL), (3, 7)")
    spark.sql(f"DELETE FROM {table} WHERE fare <> 5")
    assert sorted(r.id for r in spark.table(table).collect()) == [1, 2]
    spark.sql(f"UPDATE {table} SET fare = 0 WHERE fare > 1")
    assert sorted((r.id, r.fare) for r in spark.table(table).collect()) == [(1, 0), (2, None)]
