"""REORG and FSCK: what is deleted leaves the files, what is gone leaves the log. Parts of rows that are replaced."""
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.errors import PySparkException

pytestmark = pytest.mark.ours


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "t")


def rows(spark, folder):
    return sorted(tuple(r) for r in spark.read.format("delta").load(folder).collect())


def history(spark, folder):
    return spark.sql(f"DESCRIBE HISTORY delta.`{folder}`").first()


def live_files(folder):
    """Paths of the live data files, by the log: deltalake opens no table with mapped columns."""
    live = set()
    for commit in sorted(Path(folder, "_delta_log").glob("*.json")):
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            if "remove" in action:
                live.discard(action["remove"]["path"])
            if "add" in action:
                live.add(action["add"]["path"])
    return sorted(str(Path(folder, path)) for path in live)


def test_deleted_rows_are_purged(spark, folder):
    spark.sql(f"CREATE TABLE delta.`{folder}` (id BIGINT, p INT) USING delta PARTITIONED BY (p) "
              "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    spark.range(100).selectExpr("id", "cast(id % 2 AS INT) p").write.format("delta").mode("append").save(folder)
    spark.sql(f"DELETE FROM delta.`{folder}` WHERE id < 10")
    before = set(live_files(folder))
    # Of one partition first; the other one's files are as they were.
    metrics = spark.sql(f"REORG TABLE delta.`{folder}` WHERE p = 0 APPLY (PURGE)").first().metrics
    assert (metrics.numFilesRemoved, metrics.numFilesAdded) == (1, 1)
    assert tuple(metrics.deletionVectorStats) == (1, 5)
    assert len(before & set(live_files(folder))) == 1
    spark.sql(f"REORG TABLE delta.`{folder}` APPLY (PURGE)")
    assert not before & set(live_files(folder))
    assert rows(spark, folder) == [(i, i % 2) for i in range(10, 100)]
    assert sum(pq.read_metadata(f).num_rows for f in live_files(folder)) == 90
    told = history(spark, folder)
    assert told.operation == "REORG" and told.operationParameters["applyPurge"] == "true"
    version = told.version
    # Nothing is left to do.
    metrics = spark.sql(f"REORG TABLE delta.`{folder}` APPLY (PURGE)").first().metrics
    assert (metrics.numFilesRemoved, history(spark, folder).version) == (0, version)
    with pytest.raises(PySparkException, match="DELTA_NON_PARTITION_COLUMN_REFERENCE"):
        spark.sql(f"REORG TABLE delta.`{folder}` WHERE id = 0 APPLY (PURGE)")


@pytest.mark.parametrize("mode", ["name", "id"])
def test_dropped_columns_are_purged(spark, folder, mode):
    spark.sql(f"CREATE TABLE delta.`{folder}` (a INT, b STRING, s STRUCT<x: INT, y: INT>, l ARRAY<STRUCT<u: INT, v: INT>>) "
              f"USING delta TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')")
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES (1, 'secret', struct(1, 2), array(struct(3, 4)))")
    spark.sql(f"ALTER TABLE delta.`{folder}` DROP COLUMN b")
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES (2, struct(3, 4), array(struct(5, 6)))")
    old, new = None, None
    for file in live_files(folder):
        old, new = (file, new) if len(pq.read_schema(file).names) == 4 else (old, file)
    assert old and new
    spark.sql(f"REORG TABLE delta.`{folder}` APPLY (PURGE)")
    assert new in live_files(folder) and old not in live_files(folder)
    # Fields within structs, of lists too.
    for field in ["s.y", "l.element.v"]:
        before = live_files(folder)
        spark.sql(f"ALTER TABLE delta.`{folder}` DROP COLUMN {field}")
        spark.sql(f"REORG TABLE delta.`{folder}` APPLY (PURGE)")
        assert not set(before) & set(live_files(folder))
    found = spark.read.format("delta").load(folder).orderBy("a").collect()
    assert [(r.a, tuple(r.s), [tuple(e) for e in r.l]) for r in found] == [(1, (1,), [(3,)]), (2, (3,), [(5,)])]
    assert all(b"secret" not in Path(f).read_bytes() for f in live_files(folder))


def test_files_that_are_gone_leave_the_log(spark, folder):
    for i in range(3):
        spark.range(i * 10, i * 10 + 10).coalesce(1).write.format("delta").mode("append").save(folder)
    gone = live_files(folder)[0]
    assert spark.sql(f"FSCK REPAIR TABLE delta.`{folder}` DRY RUN").collect() == []
    kept = sorted(set(rows(spark, folder)) - {(v,) for v in pq.read_table(gone)["id"].to_pylist()})
    Path(gone).unlink()
    with pytest.raises(PySparkException):
        spark.read.format("delta").load(folder).agg({"id": "sum"}).collect()
    found = spark.sql(f"FSCK REPAIR TABLE delta.`{folder}` DRY RUN").collect()
    assert [tuple(r) for r in found] == [(Path(gone).name, True, None, False)]
    assert history(spark, folder).version == 2
    assert len(spark.sql(f"FSCK REPAIR TABLE delta.`{folder}`").collect()) == 1
    assert rows(spark, folder) == kept
    assert DeltaTable(folder).to_pyarrow_table().num_rows == 20
    assert history(spark, folder).operation == "FSCK"
    assert spark.sql(f"FSCK REPAIR TABLE '{folder}'").collect() == []


def test_a_deletion_vector_that_is_gone_is_told(spark, folder):
    spark.sql(f"CREATE TABLE delta.`{folder}` (id BIGINT) USING delta "
              "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    spark.range(100_000).coalesce(1).write.format("delta").mode("append").save(folder)
    spark.sql(f"DELETE FROM delta.`{folder}` WHERE id % 3 = 0")
    vectors = list(Path(folder).rglob("deletion_vector*.bin"))
    assert vectors
    for vector in vectors:
        vector.unlink()
    found = spark.sql(f"FSCK REPAIR TABLE delta.`{folder}`").collect()
    assert [(r.dataFileMissing, r.deletionVectorFileMissing) for r in found] == [(False, True)]
    assert len(live_files(folder)) == 1 and history(spark, folder).operation == "DELETE"


def test_only_delta_tables_are_checked(spark):
    spark.sql("CREATE TABLE plain (a INT) USING parquet")
    try:
        for statement in ["FSCK REPAIR TABLE plain", "REORG TABLE plain APPLY (PURGE)"]:
            with pytest.raises(PySparkException, match="DELTA_ONLY_OPERATION"):
                spark.sql(statement)
    finally:
        spark.sql("DROP TABLE plain")


@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("by_statement", [True, False])
def test_a_part_of_the_rows_is_replaced_beside_the_change_feed(spark, folder, vectors, by_statement):
    spark.sql(f"CREATE TABLE delta.`{folder}` (id BIGINT, v DOUBLE) USING delta TBLPROPERTIES "
              f"('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '{vectors}')")
    spark.range(10).selectExpr("id", "0.0D v").coalesce(1).write.format("delta").mode("append").save(folder)
    # The rows are of one evaluation, in the table and in its feed.
    if by_statement:
        spark.sql(f"INSERT INTO delta.`{folder}` REPLACE WHERE id >= 7 SELECT id + 8, rand() FROM range(4)")
    else:
        spark.range(4).selectExpr("id + 8 AS id", "rand() v").write.format("delta").mode("overwrite").option(
            "replaceWhere", "id >= 7").save(folder)
    now = dict(rows(spark, folder))
    assert sorted(now) == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11] and all(now[i] > 0 for i in range(8, 12))
    version = history(spark, folder).version
    feed = spark.read.format("delta").option("readChangeFeed", True).option("startingVersion", version).load(folder)
    found = sorted((r._change_type, r.id, r.v) for r in feed.collect())
    assert found == [("delete", i, 0.0) for i in (7, 8, 9)] + [("insert", i, now[i]) for i in (8, 9, 10, 11)]
    # Where no row goes, or whole files do, the files tell it.
    spark.sql(f"INSERT INTO delta.`{folder}` REPLACE WHERE id > 100 VALUES (101, 1.0D)")
    spark.sql(f"INSERT INTO delta.`{folder}` REPLACE WHERE true VALUES (1, 2.0D)")
    feed = spark.read.format("delta").option("readChangeFeed", True).option("startingVersion", version + 1).load(folder)
    found = sorted((r._commit_version, r._change_type, r.id) for r in feed.collect())
    assert found == [(version + 1, "insert", 101)] + [(version + 2, "delete", i) for i in sorted(now) + [101]] + [
        (version + 2, "insert", 1)]
    with pytest.raises(PySparkException, match="DELTA_REPLACE_WHERE_MISMATCH"):
        spark.sql(f"INSERT INTO delta.`{folder}` REPLACE WHERE id < 1 VALUES (1, 1.0D)")
    assert rows(spark, folder) == [(1, 2.0)]
