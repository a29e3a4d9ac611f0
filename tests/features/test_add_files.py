"""CALL system.add_files: files that are there become files of an Iceberg table."""
import json
from pathlib import Path

import pytest
from pyspark.errors import PySparkException


@pytest.fixture
def folder(spark, tmp_path):
    """Parquet files of two partitions."""
    path = tmp_path / "plain"
    spark.createDataFrame([(1, "a", "x"), (2, "b", "x"), (3, None, "y")], "id long, v string, k string") \
        .coalesce(1).write.partitionBy("k").parquet(str(path))
    return path


def add(spark, table, source, arguments=""):
    rows = spark.sql(f"CALL ice.system.add_files(table => '{table}', source_table => '{source}'{arguments})").collect()
    return rows[0].added_files_count


def test_a_folder(spark, namespace, tmp_path):
    path = tmp_path / "flat"
    spark.range(10).selectExpr("id", "named_struct('a', id * 2) AS s").coalesce(1).write.parquet(str(path))
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRUCT<a: BIGINT>) USING iceberg")
    assert add(spark, table, f"`parquet`.`{path}`") == 1
    assert sorted((r.id, r.s.a) for r in spark.table(table).collect()) == [(i, 2 * i) for i in range(10)]
    assert spark.table(f"{table}.files").first().record_count == 10
    assert spark.table(f"{table}.snapshots").first().operation == "append"
    # Columns are found by their names at that time.
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN id TO number")
    spark.sql(f"INSERT INTO {table} VALUES (10, named_struct('a', 20))")
    assert sorted(r.number for r in spark.table(table).collect()) == list(range(11))


def test_partitions(spark, namespace, folder):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, k STRING) USING iceberg PARTITIONED BY (k)")
    assert add(spark, table, f"parquet.`{folder}`", ", partition_filter => map('k', 'x')") == 1
    assert sorted(map(tuple, spark.table(table).collect())) == [(1, "a", "x"), (2, "b", "x")]
    with pytest.raises(PySparkException, match="already exist"):
        add(spark, table, f"parquet.`{folder}`")
    assert add(spark, table, f"parquet.`{folder}`", ", partition_filter => map('k', 'y')") == 1
    assert spark.sql(f"SELECT id FROM {table} WHERE k = 'y'").collect()[0].id == 3
    with pytest.raises(PySparkException, match="Cannot find any matching partitions in table"):
        add(spark, table, f"parquet.`{folder}`", ", partition_filter => map('k', 'none')")
    # Nobody would know the folders' values any more.
    spark.sql(f"CREATE TABLE {namespace}.flat (id BIGINT, v STRING, k STRING) USING iceberg")
    with pytest.raises(PySparkException, match="that matches the partition columns"):
        add(spark, f"{namespace}.flat", f"parquet.`{folder}`")


def test_a_name_that_another_column_gets(spark, namespace, tmp_path):
    """Files without ids have it for the new column alone."""
    path = tmp_path / "named"
    spark.sql("SELECT 1L AS id, 'a' AS s").coalesce(1).write.parquet(str(path))
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg")
    assert add(spark, table, f"`parquet`.`{path}`") == 1
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN s TO s2")
    assert [tuple(row) for row in spark.table(table).collect()] == [(1, "a")]
    spark.sql(f"ALTER TABLE {table} ADD COLUMN s STRING")
    (mapping,) = (row.value for row in spark.sql(f"SHOW TBLPROPERTIES {table}").collect() if row.key == "schema.name-mapping.default")
    assert {entry["field-id"]: entry["names"] for entry in json.loads(mapping)} == {1: ["id"], 2: ["s2"], 3: ["s"]}
    assert [row.asDict() for row in spark.table(table).collect()] == [{"id": 1, "s2": None, "s": "a"}]


def test_names_are_found_letter_by_letter(spark, namespace, tmp_path):
    """Files without ids are read by the table's name mapping, in which capitals count."""
    path = tmp_path / "capitals"
    spark.sql("SELECT 5L AS ID, 'a' AS s").coalesce(1).write.parquet(str(path))
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg")
    assert add(spark, table, f"`parquet`.`{path}`") == 1
    assert [row.asDict() for row in spark.table(table).collect()] == [{"id": None, "s": "a"}]


@pytest.mark.ours  # the condition
@pytest.mark.parametrize("column", ["'x'", "DATE '2024-01-01'", "true"])
@pytest.mark.parametrize("query", ["SELECT * FROM {}", "SELECT s FROM {} WHERE id > 2", "SELECT count(*) FROM {} WHERE id = 1 OR id IS NULL"])
def test_columns_of_other_types_are_refused_by_name(spark, namespace, tmp_path, column, query):
    path = tmp_path / "other"
    spark.sql(f"SELECT {column} AS id, 'a' AS s").coalesce(1).write.parquet(str(path))
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg")
    assert add(spark, table, f"`parquet`.`{path}`") == 1
    with pytest.raises(PySparkException, match="FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"):
        spark.sql(query.format(table)).collect()
    assert spark.sql(f"SELECT s FROM {table}").first()[0] == "a"


@pytest.mark.ours  # the messages
def test_what_is_refused_leaves_the_files(spark, namespace, folder):
    files = sorted(folder.rglob("*.parquet"))
    assert len(files) == 2
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, k STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
    with pytest.raises(PySparkException, match="partitioned by"):
        add(spark, table, f"parquet.`{folder}`")
    with pytest.raises(PySparkException, match="(?i)csv"):
        add(spark, table, f"csv.`{folder}`")
    assert sorted(Path(folder).rglob("*.parquet")) == files and spark.table(table).count() == 0


def test_a_snapshot_of_a_table_leaves_it_as_it_was(spark, namespace):
    source, copy = f"spark_catalog.default.source_{namespace.rpartition('.')[2]}", f"{namespace}.copy"
    spark.sql(f"CREATE TABLE {source} (id BIGINT, k STRING) USING parquet PARTITIONED BY (k)")
    try:
        spark.sql(f"INSERT INTO {source} VALUES (1, 'x'), (2, 'y')")
        (row,) = spark.sql(f"CALL ice.system.snapshot(source_table => '{source}', table => '{copy}')").collect()
        assert row.imported_files_count == 2
        assert spark.table(f"{copy}.snapshots").count() == 1
        spark.sql(f"INSERT INTO {copy} VALUES (3, 'x')")
        spark.sql(f"DELETE FROM {copy} WHERE id = 1")
        assert sorted(map(tuple, spark.table(copy).collect())) == [(2, "y"), (3, "x")]
        assert sorted(map(tuple, spark.table(source).collect())) == [(1, "x"), (2, "y")]
        properties = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {copy}").collect()}
        assert properties["gc.enabled"] == "false" and properties["snapshot"] == "true"
    finally:
        spark.sql(f"DROP TABLE {source}")


@pytest.mark.ours  # Spark refuses such a mapping
def test_a_name_that_two_columns_have(spark, namespace, tmp_path):
    """It is the column's that has it now."""
    path = tmp_path / "named"
    spark.sql("SELECT 1L AS id, 'a' AS s").coalesce(1).write.parquet(str(path))
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s2 STRING, s STRING) USING iceberg")
    both = [{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["s", "s2"]}, {"field-id": 3, "names": ["s"]}]
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('schema.name-mapping.default' = '{json.dumps(both)}')")
    assert add(spark, table, f"`parquet`.`{path}`") == 1
    assert [row.asDict() for row in spark.table(table).collect()] == [{"id": 1, "s2": None, "s": "a"}]


def test_metrics_of_footers(spark, namespace, tmp_path):
    """Counts, sizes and bounds, which the planning of queries goes by."""
    path, table = tmp_path / "plain", f"{namespace}.t"
    spark.sql("""SELECT CAST(id AS INT) AS i, id * 10 AS n, if(id = 3, NULL, concat('v', id)) AS s, CAST(id / 4 AS DOUBLE) AS x,
                 CAST(id AS DECIMAL(10, 2)) AS m, DATE '2024-01-01' + CAST(id AS INT) AS d, TIMESTAMP_NTZ '2024-01-01 01:02:03.000004' AS t,
                 named_struct('x', id) AS st, array(id) AS arr, map('k', id) AS mp, id = 0 AS b, repeat('abcdefghij', 5) AS big FROM range(10)""") \
        .coalesce(1).write.parquet(str(path))
    spark.sql(f"""CREATE TABLE {table} (i BIGINT, n BIGINT, s STRING, x DOUBLE, m DECIMAL(10, 2), d DATE, t TIMESTAMP_NTZ, st STRUCT<x: BIGINT>,
                  arr ARRAY<BIGINT>, mp MAP<STRING, BIGINT>, b BOOLEAN, big STRING, missing INT) USING iceberg""")
    assert add(spark, table, f"`parquet`.`{path}`", ", parallelism => 2") == 1
    row = spark.table(f"{table}.files").first()
    assert row.record_count == 10 and row.split_offsets == [4]
    metrics = {name: getattr(row.readable_metrics, name) for name in ("i", "n", "s", "x", "m", "d", "t", "st.x", "b", "big", "missing")}
    assert {name: (str(each.lower_bound), str(each.upper_bound)) for name, each in metrics.items()} == {
        "i": ("0", "9"), "n": ("0", "90"), "s": ("v0", "v9"), "x": ("-0.0", "2.25"), "m": ("0.00", "9.00"), "d": ("2024-01-01", "2024-01-10"),
        "t": ("2024-01-01 01:02:03.000004",) * 2, "st.x": ("0", "9"), "b": ("False", "True"), "big": ("abcdefghijabcdef", "abcdefghijabcdeg"),
        "missing": ("None", "None")}
    assert metrics["s"].null_value_count == 1 and metrics["s"].value_count == 10 and metrics["s"].column_size > 0
    assert metrics["missing"].value_count is None
    assert spark.sql(f"SELECT count(*) FROM {table} WHERE i > 100").first()[0] == 0
    assert spark.sql(f"SELECT sum(i) FROM {table} WHERE s >= 'v8'").first()[0] == 17
    with pytest.raises(PySparkException, match="Parallelism should be larger than 0"):
        add(spark, table, f"`parquet`.`{path}`", ", parallelism => 0")
