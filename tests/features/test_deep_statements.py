"""Statements of thousands of operators in a row end, and end soon."""
import time

from pyspark.sql import functions as F


def test_long_sums_and_concatenations(spark):
    start = time.monotonic()
    row = spark.sql(f"SELECT {' + '.join(['id'] * 2000)} AS s, length({' || '.join(['id'] * 1000)}) AS l FROM range(1, 2)").first()
    assert (row.s, row.l) == (2000, 1000)
    column = F.col("id")
    for _ in range(20):
        column = column + F.col("id") * 2
    assert spark.range(1, 2).select(column.alias("s")).first().s == 41
    # Many times what it takes, and a small part of what it took when time grew with the third power of the length.
    assert time.monotonic() - start < 60


def test_deep_constants(spark):
    start = time.monotonic()
    assert spark.sql(f"SELECT {'- ' * 2000}1 AS x").first().x == 1
    assert spark.sql(f"SELECT {'(' * 300}1{' + 1)' * 300} AS x").first().x == 301
    assert spark.sql(f"SELECT size({'array(' * 200}1{')' * 200}) AS x").first().x == 1
    assert spark.sql(f"SELECT {'concat(' * 200}NULL{', 1)' * 200} AS x").first().x is None
    assert time.monotonic() - start < 60
