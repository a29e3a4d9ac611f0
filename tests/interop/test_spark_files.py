"""What Iceberg tables say of their data files, between this server and the real Spark: metrics, files that come from
elsewhere, files written anew. Runs as test_spark.py does."""
import pytest
from pyspark.errors import PySparkException
from tables import rows
from test_spark import SPARK, agree, engines, folder, table, writer  # noqa: F401

pytestmark = pytest.mark.skipif(not SPARK, reason="FRAZIL_SPARK_REMOTE names no Spark")


def other(engines, writer):
    return engines["spark" if writer == "ours" else "ours"]


def test_statistics_that_are_turned_off(engines, folder, table, writer):
    engines[writer].sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('write.parquet.stats-enabled.column.id' = 'false')")
    for engine in engines.values():
        engine.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ id, concat('v', id) FROM range(10)")
    found = agree(engines, folder, table, "SELECT value_counts, null_value_counts, lower_bounds, upper_bounds, map_keys(column_sizes) FROM {}.files", pyiceberg=False)
    assert found[0] == found[1]
    agree(engines, folder, table, "SELECT * FROM {} WHERE id = 3")


@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_metrics_of_added_files(engines, folder, table, form, tmp_path):
    tmp_path.chmod(0o777)
    source = f"{tmp_path}/files"
    engines["spark"].sql("""SELECT CAST(id AS INT) AS i, id * 10 AS n, if(id = 3, NULL, concat('v', id)) AS s, CAST(id / 4 AS DOUBLE) AS x,
        CAST(id AS DECIMAL(10, 2)) AS m, DATE '2024-01-01' + CAST(id AS INT) AS d, named_struct('y', id) AS st, id = 0 AS b, repeat('abcdefghij', 5) AS big,
        CAST('bin' AS BINARY) AS bin FROM range(10)""").coalesce(1).write.format(form).save(source)
    for name, engine in engines.items():
        engine.sql(f"""CREATE TABLE {table}{name} (i INT, n BIGINT, s STRING, x DOUBLE, m DECIMAL(10, 2), d DATE, st STRUCT<y: BIGINT>, b BOOLEAN, big STRING,
                       bin BINARY) USING iceberg""")
        engine.sql(f"CALL ice.system.add_files(table => '{(table + name).removeprefix('ice.')}', source_table => '`{form}`.`{source}`', parallelism => 2)")
    for name in engines:
        agree(engines, folder, table + name, pyiceberg=False)
    figures = "record_count, file_size_in_bytes" + ("" if form != "parquet" else ", column_sizes, value_counts, null_value_counts, map_keys(lower_bounds), "
              "map_keys(upper_bounds), readable_metrics.i, readable_metrics.n, readable_metrics.s, readable_metrics.m, readable_metrics.d, readable_metrics.big")
    found = [rows(engines["ours"], f"SELECT {figures} FROM {table}{name}.files") for name in engines]
    assert found[0] == found[1]


@pytest.mark.parametrize("statement", [
    "CALL ice.system.rewrite_data_files(table => '{name}', options => map({options}))".replace("{options}", options) for options in (
        "'nosuch', '1'", "'min-input-files', '0'", "'min-input-files', 'x'", "'target-file-size-bytes', '0'", "'min-file-size-bytes', '-1'",
        "'min-file-size-bytes', '1000', 'target-file-size-bytes', '10'", "'max-file-size-bytes', '5', 'target-file-size-bytes', '10'",
        "'max-file-group-size-bytes', '0'", "'delete-file-threshold', '-1'", "'delete-ratio-threshold', '2'", "'rewrite-job-order', 'x'",
        "'max-concurrent-file-group-rewrites', '0'", "'partial-progress.enabled', 'true', 'partial-progress.max-commits', '0'",
        "'partial-progress.max-failed-commits', 'x'", "'output-spec-id', '99'", "'compression-factor', '2'", "'max-output-size', '1'", "'max-files-to-rewrite', '0'")])
def test_options_that_cannot_be(engines, table, statement):
    engines["ours"].sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg")
    engines["ours"].sql(f"INSERT INTO {table} VALUES (1)")  # Of an empty table Spark looks at no option.
    told = []
    for engine in engines.values():
        with pytest.raises(PySparkException) as refused:
            engine.sql(statement.format(name=table.removeprefix("ice.")))
        told.append((type(refused.value).__name__, str(refused.value).split("\n\nJVM stacktrace")[0]))
    assert told[0] == told[1]


def test_rewrites_in_parts_and_into_other_specs(engines, folder, table, writer):
    session, name = engines[writer], table.removeprefix("ice.")
    session.sql(f"CREATE TABLE {table} (id BIGINT, k BIGINT) USING iceberg PARTITIONED BY (k)")
    for n in range(2):
        session.sql(f"INSERT INTO {table} SELECT id, id % 4 FROM range({n * 20}, {n * 20 + 20})")
    before = agree(engines, folder, table)
    options = "'rewrite-all', 'true', 'partial-progress.enabled', 'true', 'partial-progress.max-commits', '2', 'rewrite-job-order', 'files-desc'"
    found = session.sql(f"CALL ice.system.rewrite_data_files(table => '{name}', options => map({options}))").first()
    assert (found.rewritten_data_files_count, found.added_data_files_count, found.failed_data_files_count) == (8, 4, 0)
    assert len(agree(engines, folder, table, "SELECT snapshot_id FROM {}.snapshots WHERE operation = 'replace'", pyiceberg=False)) == 2
    session.sql(f"ALTER TABLE {table} DROP PARTITION FIELD k")
    other(engines, writer).sql(f"CALL ice.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true', 'output-spec-id', '0'))")
    agree(engines, folder, table, "SELECT spec_id, partition, record_count FROM {}.files", pyiceberg=False)
    session.sql(f"CALL ice.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true', 'use-starting-sequence-number', 'false'))")
    assert agree(engines, folder, table) == before
