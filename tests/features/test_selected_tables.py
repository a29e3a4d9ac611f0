"""What names choose of an Iceberg table (t.snapshot_id_1, t.tag_x, t.branch_x): the past is read and never written."""
import pytest
from pyspark.errors import PySparkException

STATEMENTS = [
    ("INSERT INTO {t} VALUES (9)", "Cannot write to table with time travel"),
    ("INSERT OVERWRITE {t} VALUES (9)", "Cannot write to table with time travel"),
    ("DELETE FROM {t}", "Cannot delete from table with time travel"),
    ("DELETE FROM {t} WHERE id = 1", "Cannot modify table with time travel"),
    ("UPDATE {t} SET id = 5", "Cannot modify table with time travel"),
    ("MERGE INTO {t} x USING (SELECT 1 i) y ON x.id = y.i WHEN MATCHED THEN DELETE", "Cannot modify table with time travel"),
    ("TRUNCATE TABLE {t}", "Cannot delete from table with time travel"),
    ("ALTER TABLE {t} ADD COLUMN z INT", "TABLE_OR_VIEW_NOT_FOUND"),
    ("DROP TABLE {t}", "TABLE_OR_VIEW_NOT_FOUND"),
]


@pytest.fixture
def table(spark, namespace):
    """Two snapshots, the first one with a tag and a branch."""
    name = f"{namespace}.selected"
    spark.sql(f"CREATE TABLE {name} (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    first = spark.sql(f"SELECT snapshot_id FROM {name}.snapshots").first()[0]
    spark.sql(f"ALTER TABLE {name} CREATE TAG g AS OF VERSION {first}")
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH b AS OF VERSION {first}")
    spark.sql(f"INSERT INTO {name} VALUES (2)")
    return name


def ids(spark, name):
    return sorted(r[0] for r in spark.table(name).collect())


@pytest.mark.parametrize("choice", ["snapshot", "time", "tag"])
@pytest.mark.parametrize("statement, message", STATEMENTS)
def test_the_past_is_not_written(spark, table, choice, statement, message):
    last = spark.sql(f"SELECT snapshot_id, unix_millis(committed_at) FROM {table}.snapshots ORDER BY committed_at DESC").first()
    part = {"snapshot": f"snapshot_id_{last[0]}", "time": f"at_timestamp_{last[1]}", "tag": "tag_g"}[choice]
    with pytest.raises(PySparkException, match=message):
        spark.sql(statement.format(t=f"{table}.{part}"))
    assert ids(spark, table) == [1, 2] and spark.table(f"{table}.snapshots").count() == 2
    assert spark.table(table).columns == ["id"]


def test_dataframes_do_not_write_the_past(spark, table):
    first = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").first()[0]
    rows = spark.range(1).selectExpr("cast(id AS INT) id")
    for part in [f"snapshot_id_{first}", "tag_g"]:
        for write in [lambda w: w.append(), lambda w: w.overwritePartitions()]:
            with pytest.raises(PySparkException, match="Cannot write to table with time travel"):
                write(rows.writeTo(f"{table}.{part}"))
    for option in ["snapshot-id", "as-of-timestamp"]:
        with pytest.raises(PySparkException, match="no longer supported"):
            rows.write.format("iceberg").option(option, first).mode("append").save(table)
    with pytest.raises(PySparkException, match="nope"):
        rows.writeTo(f"{table}.branch_nope").append()
    assert ids(spark, table) == [1, 2] and spark.table(f"{table}.snapshots").count() == 2


def test_statements_write_the_branch_that_they_name(spark, table):
    spark.sql(f"TRUNCATE TABLE {table}.branch_b")
    assert ids(spark, f"{table}.branch_b") == [] and ids(spark, table) == [1, 2]
    spark.sql(f"INSERT INTO {table}.branch_b VALUES (7), (8)")
    spark.sql(f"DELETE FROM {table}.branch_b WHERE id = 7")
    spark.sql(f"UPDATE {table}.branch_b SET id = id + 1")
    assert ids(spark, f"{table}.branch_b") == [9] and ids(spark, table) == [1, 2]
    for statement in ["TRUNCATE TABLE {t}", "DELETE FROM {t}", "UPDATE {t} SET id = 5", "INSERT INTO {t} VALUES (1)"]:
        with pytest.raises(PySparkException, match="nope"):
            spark.sql(statement.format(t=f"{table}.branch_nope"))
    assert ids(spark, table) == [1, 2]


@pytest.mark.parametrize("provider", ["parquet", "delta"])
def test_tables_without_branches_have_no_such_names(spark, provider):
    spark.sql(f"CREATE TABLE spark_catalog.default.unselected (id INT) USING {provider}")
    try:
        spark.sql("INSERT INTO spark_catalog.default.unselected VALUES (1)")
        for part in ["branch_b", "tag_x", "snapshot_id_1", "at_timestamp_1"]:
            name = f"spark_catalog.default.unselected.{part}"
            for statement in ["INSERT INTO {t} VALUES (2)", "INSERT OVERWRITE {t} VALUES (2)", "TRUNCATE TABLE {t}",
                              "DELETE FROM {t}", "SELECT * FROM {t}", "DESCRIBE TABLE {t}"]:
                with pytest.raises(PySparkException):
                    spark.sql(statement.format(t=name)).collect()
        assert ids(spark, "spark_catalog.default.unselected") == [1]
    finally:
        spark.sql("DROP TABLE spark_catalog.default.unselected")
