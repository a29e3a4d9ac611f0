"""What lies where a table is made or written: files of others, another table, other writers' work."""
import threading

import pytest
from conftest import open_session
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F


@pytest.fixture
def names(spark):
    """Tables to drop in the end."""
    made = []
    yield made
    for name in made:
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def test_a_table_made_of_a_query_does_not_take_the_files_in_its_place(spark, tmp_path, names):
    place = str(tmp_path / "taken")
    spark.range(3).write.parquet(place)
    names += ["placed_a", "placed_b", "placed_c"]
    with pytest.raises(AnalysisException, match="non-empty directory file:///.*taken.*allowNonEmptyLocationInCTAS") as error:
        spark.sql(f"CREATE TABLE placed_a USING parquet LOCATION '{place}' AS SELECT 100L AS id")
    assert error.value.getCondition() == "_LEGACY_ERROR_TEMP_1241"
    with pytest.raises(AnalysisException, match="non-empty directory"):
        spark.range(1).write.option("path", place).saveAsTable("placed_a")
    assert not spark.catalog.tableExists("placed_a") and spark.read.parquet(place).count() == 3
    # A definition without a query takes them, an overwrite replaces them, and a setting allows it.
    spark.sql(f"CREATE TABLE placed_a USING parquet LOCATION '{place}'")
    assert spark.table("placed_a").count() == 3
    spark.conf.set("spark.sql.legacy.allowNonEmptyLocationInCTAS", "true")
    try:
        spark.sql(f"CREATE TABLE placed_b USING parquet LOCATION '{place}' AS SELECT 100L AS id")
    finally:
        spark.conf.unset("spark.sql.legacy.allowNonEmptyLocationInCTAS")
    assert spark.table("placed_b").count() == 4
    spark.range(2).write.mode("overwrite").option("path", place).saveAsTable("placed_c")
    assert spark.table("placed_c").count() == 2


def test_another_definition_of_an_iceberg_table_is_refused(spark, tmp_path, names):
    place = str(tmp_path / "t")
    names += ["defined_a", "defined_b", "defined_c"]
    spark.sql(f"CREATE TABLE defined_a (id INT, day DATE) USING iceberg PARTITIONED BY (days(day)) LOCATION '{place}'")
    for columns, partitioning in (("z STRING, day DATE", ""), ("id INT, day DATE", "PARTITIONED BY (id)"), ("id INT", "")):
        with pytest.raises(PySparkException, match="the table that is there"):
            spark.sql(f"CREATE TABLE defined_b ({columns}) USING iceberg {partitioning} LOCATION '{place}'")
        assert not spark.catalog.tableExists("defined_b")
    spark.sql(f"CREATE TABLE defined_b (id INT, day DATE) USING iceberg PARTITIONED BY (days(day)) LOCATION '{place}'")
    spark.sql(f"CREATE TABLE defined_c USING iceberg LOCATION '{place}'")
    spark.sql("INSERT INTO defined_c VALUES (1, DATE'2024-01-01')")
    assert spark.table("defined_a").count() == spark.table("defined_b").count() == 1


def test_partitions_that_an_overwrite_empties_are_gone(spark, names):
    names.append("emptied")
    spark.sql("CREATE TABLE emptied (a INT, p INT, q STRING) USING parquet PARTITIONED BY (p, q)")
    spark.sql("INSERT INTO emptied VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x')")
    spark.sql("INSERT OVERWRITE emptied PARTITION (p = 1) SELECT 9, 'z'")
    shown = lambda: [row[0] for row in spark.sql("SHOW PARTITIONS emptied").collect()]  # noqa: E731
    assert shown() == ["p=1/q=z", "p=2/q=x"]
    spark.sql("INSERT OVERWRITE emptied VALUES (3, 3, 'x')")
    assert shown() == ["p=3/q=x"]
    assert spark.table("emptied").count() == 1


def test_writers_into_one_folder_leave_each_others_files(remote, tmp_path):
    place, failures = str(tmp_path / "shared"), []
    sessions = [open_session(remote) for _ in range(4)]

    def write(number):
        try:
            for n in range(8):
                sessions[number].range(1).select(F.lit(number * 100 + n).alias("n")).write.mode("append").parquet(place)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []
    assert sorted(row.n for row in sessions[0].read.parquet(place).collect()) == [w * 100 + n for w in range(4) for n in range(8)]
    assert not (tmp_path / "shared" / "_temporary").exists()
    [session.stop() for session in sessions]


def test_names_without_versions_refuse_time_travel(spark, names):
    names.append("travelled")
    spark.sql("CREATE TABLE travelled (id INT) USING iceberg")
    spark.sql("CREATE OR REPLACE GLOBAL TEMPORARY VIEW travelled_view AS SELECT 1 AS id")
    for query in ("WITH c AS (SELECT * FROM travelled) SELECT * FROM c VERSION AS OF 1",
                  "WITH c AS (SELECT * FROM travelled) SELECT * FROM c TIMESTAMP AS OF '2024-01-01'",
                  "SELECT * FROM global_temp.travelled_view VERSION AS OF 1"):
        with pytest.raises(AnalysisException) as error:
            spark.sql(query).collect()
        assert error.value.getCondition() == "UNSUPPORTED_FEATURE.TIME_TRAVEL", query
