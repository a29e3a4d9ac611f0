"""Delta tables between this server and deltalake (delta-rs): theirs are read, ours are read by them."""
import datetime
import decimal
import json
import subprocess
import sys
import uuid
from pathlib import Path

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from pyspark.errors import PySparkException


@pytest.fixture
def folder(tmp_path):
    """Where a table is going to be."""
    return str(tmp_path / "t")


@pytest.fixture
def name():
    """A name for a table of the built-in catalog."""
    return f"spark_catalog.default.d{uuid.uuid4().hex[:8]}"


def rows(frame):
    return sorted((tuple(r) for r in frame.collect()), key=str)


def load(spark, folder, **options):
    return spark.read.format("delta").options(**options).load(folder)


def theirs(folder, *columns, version=None):
    """Rows as deltalake reads them, with its query engine: that one knows deletion vectors and mapped columns."""
    found = QueryBuilder().register("t", DeltaTable(folder, version=version))
    listed = ", ".join(f'"{c}"' for c in columns) or "*"
    table = pa.table(found.execute(f"SELECT {listed} FROM t"))
    return sorted(zip(*(table[n].to_pylist() for n in table.column_names)), key=str)


def log(folder):
    """The actions of each version."""
    files = sorted(Path(folder, "_delta_log").glob("*.json"))
    return [[json.loads(line) for line in f.read_text().splitlines() if line] for f in files if f.name[:20].isdigit()]


def fails(action, condition):
    with pytest.raises(PySparkException) as caught:
        action()
    assert condition in str(caught.value), str(caught.value)


EVERY_TYPE = pa.table({
    "id": pa.array([1, 2, 3], pa.int64()), "b": [True, None, False], "i": pa.array([1, None, -3], pa.int32()),
    "h": pa.array([7, None, 9], pa.int16()), "y": pa.array([1, None, 3], pa.int8()),
    "f": pa.array([1.5, None, -0.5], pa.float32()), "d": [2.5, None, float("nan")],
    "m": pa.array([decimal.Decimal("12.3456"), None, decimal.Decimal("-1.0000")], pa.decimal128(20, 4)),
    "day": [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)],
    "t": pa.array([datetime.datetime(2024, 2, 29, 1, 2, 3, 123456), None, datetime.datetime(1960, 1, 1)], pa.timestamp("us", "UTC")),
    "s": ["ü", None, ""], "x": [b"\x00\xff", None, b""], "a": [[1, None], None, []],
    "k": pa.array([[("k", 5)], None, []], pa.map_(pa.string(), pa.int64())),
    "r": pa.array([{"x": 1, "z": None}, None, {"x": None, "z": "q"}], pa.struct([("x", pa.int32()), ("z", pa.string())])),
})


# --- theirs, read by us


def test_every_type_of_deltalake_is_read(spark, folder):
    write_deltalake(folder, EVERY_TYPE)
    got = [r.asDict(recursive=True) for r in load(spark, folder).orderBy("id").collect()]
    assert got[0] | {"x": bytes(got[0]["x"])} == {
        "id": 1, "b": True, "i": 1, "h": 7, "y": 1, "f": 1.5, "d": 2.5, "m": decimal.Decimal("12.3456"), "day": datetime.date(2024, 2, 29),
        "t": datetime.datetime(2024, 2, 29, 1, 2, 3, 123456), "s": "ü", "x": b"\x00\xff", "a": [1, None], "k": {"k": 5},
        "r": {"x": 1, "z": None}}
    assert all(value is None for key, value in got[1].items() if key != "id")
    assert got[2]["r"] == {"x": None, "z": "q"} and got[2]["a"] == [] and got[2]["s"] == ""
    assert spark.sql(f"SELECT count(*) FROM delta.`{folder}`").first()[0] == 3


def test_commits_checkpoints_and_removed_files(spark, folder):
    for n in range(12):
        write_deltalake(folder, pa.table({"id": [n], "p": [f"p{n % 3}"]}), mode="append", partition_by=["p"])
    table = DeltaTable(folder)
    table.delete("id = 4")
    table.create_checkpoint()
    write_deltalake(folder, pa.table({"id": [100], "p": ["p0"]}), mode="append")
    expected = sorted([(n, f"p{n % 3}") for n in range(12) if n != 4] + [(100, "p0")], key=str)
    assert rows(load(spark, folder)) == expected == theirs(folder)
    assert rows(load(spark, folder).where("p = 'p1'")) == [r for r in expected if r[1] == "p1"]
    assert rows(load(spark, folder, versionAsOf=3)) == [(n, f"p{n % 3}") for n in range(4)]
    # The checkpoint alone, without the commits before it.
    for old in Path(folder, "_delta_log").glob("*.json"):
        if int(old.stem) < 12:
            old.unlink()
    copy = folder + "-moved"
    Path(folder).rename(copy)
    assert rows(load(spark, copy)) == expected
    # What the checkpoint's pointer says is only a hint.
    Path(copy, "_delta_log", "_last_checkpoint").write_text('{"version": 99, "size"')
    Path(copy).rename(folder + "-again")
    assert rows(load(spark, folder + "-again")) == expected


PARTITION_VALUES = {
    "string": ("p STRING", pa.string(), ["a b", "x/y=%", "ü'\"", None]),
    "int": ("p INT", pa.int32(), [-1, 0, 7, None]),
    "bigint": ("p BIGINT", pa.int64(), [2**62, -5, 0, None]),
    "boolean": ("p BOOLEAN", pa.bool_(), [True, False, None]),
    "date": ("p DATE", pa.date32(), [datetime.date(2024, 2, 29), datetime.date(1960, 1, 1), None]),
    "decimal": ("p DECIMAL(10,2)", pa.decimal128(10, 2), [decimal.Decimal("1.50"), decimal.Decimal("20.01"), None]),
    "timestamp": ("p TIMESTAMP", pa.timestamp("us", "UTC"),
                  [datetime.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=datetime.timezone.utc), None]),
}


@pytest.mark.parametrize("kind", PARTITION_VALUES)
def test_partition_values_of_deltalake(spark, folder, kind):
    _, type_, values = PARTITION_VALUES[kind]
    write_deltalake(folder, pa.table({"id": range(len(values)), "p": pa.array(values, type_)}), partition_by=["p"])
    got = {r.id: r.p for r in load(spark, folder).collect()}
    plain = [v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in values]
    assert got == dict(enumerate(plain))
    assert [r.id for r in load(spark, folder).where("p IS NULL").collect()] == [len(values) - 1]


def test_time_travel(spark, folder, name):
    write_deltalake(folder, pa.table({"id": [1]}))
    write_deltalake(folder, pa.table({"id": [2]}), mode="append")
    write_deltalake(folder, pa.table({"id": [3]}), mode="overwrite")
    spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{folder}'")
    assert rows(spark.table(name)) == [(3,)]
    assert rows(spark.sql(f"SELECT * FROM {name} VERSION AS OF 1")) == [(1,), (2,)]
    assert rows(spark.sql(f"SELECT * FROM delta.`{folder}@v0`")) == [(1,)]
    assert rows(spark.sql(f"SELECT * FROM delta.`{folder}` VERSION AS OF 1")) == [(1,), (2,)]
    assert rows(spark.read.option("versionAsOf", 0).table(name)) == [(1,)]
    times = [r.timestamp for r in spark.sql(f"DESCRIBE HISTORY {name}").orderBy("version").collect()]
    assert rows(load(spark, folder, timestampAsOf=str(times[1]))) == [(1,), (2,)]
    assert rows(spark.sql(f"SELECT * FROM {name} TIMESTAMP AS OF '{times[0]}'")) == [(1,)]
    fails(lambda: load(spark, folder, versionAsOf=9).collect(), "DELTA_VERSION_NOT_FOUND")
    fails(lambda: load(spark, folder, timestampAsOf="2001-01-01").collect(), "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION")
    fails(lambda: load(spark, folder, timestampAsOf="2999-01-01").collect(), "DELTA_TIMESTAMP_GREATER_THAN_COMMIT")


def test_unknown_features_are_refused_by_name(spark, folder):
    write_deltalake(folder, pa.table({"id": [1]}))
    commit = Path(folder, "_delta_log", "00000000000000000001.json")
    commit.write_text(json.dumps({"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["fromTheFuture"],
                                               "writerFeatures": ["fromTheFuture"]}}) + "\n")
    fails(lambda: load(spark, folder).collect(), "DELTA_UNSUPPORTED_FEATURES_FOR_READ")
    commit.write_text(json.dumps({"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["collations"]}}) + "\n")
    assert rows(load(spark, folder)) == [(1,)]
    fails(lambda: spark.sql(f"INSERT INTO delta.`{folder}` VALUES (2)"), "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")
    assert rows(load(spark, folder)) == [(1,)]


def test_settings_of_spark_users_are_taken(new_session, folder):
    session = new_session({"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
                           "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"})
    write_deltalake(folder, pa.table({"id": [1]}))
    assert rows(load(session, folder)) == [(1,)]


# --- ours, read by them


def test_every_type_is_read_by_deltalake(spark, folder, name):
    spark.sql(f"""CREATE TABLE {name} (b BOOLEAN, y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, m DECIMAL(20,4), day DATE,
                  t TIMESTAMP, s STRING, x BINARY, a ARRAY<INT>, k MAP<STRING,BIGINT>, r STRUCT<x: INT, z: STRING>)
                  USING delta LOCATION '{folder}'""")
    spark.sql(f"""INSERT INTO {name} VALUES (true, 1, 2, 3, 4, 1.5, 2.5, 12.3456, DATE '2024-02-29',
                  TIMESTAMP '2024-02-29 01:02:03.123456', 'ü', X'00FF', array(1, NULL), map('k', 5), named_struct('x', 1, 'z', NULL)),
                  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)""")
    got = sorted(DeltaTable(folder).to_pyarrow_table().to_pylist(), key=lambda r: r["i"] is None)
    assert got[0] == {
        "b": True, "y": 1, "h": 2, "i": 3, "l": 4, "f": 1.5, "d": 2.5, "m": decimal.Decimal("12.3456"), "day": datetime.date(2024, 2, 29),
        "t": datetime.datetime(2024, 2, 29, 1, 2, 3, 123456, datetime.timezone.utc), "s": "ü", "x": b"\x00\xff", "a": [1, None],
        "k": [("k", 5)], "r": {"x": 1, "z": None}}
    assert all(value is None for value in got[1].values())
    add = next(a["add"] for a in log(folder)[1] if "add" in a)
    stats = json.loads(add["stats"])
    assert stats["numRecords"] == 2
    assert stats["minValues"]["m"] == 12.3456 and stats["maxValues"]["day"] == "2024-02-29" and stats["nullCount"]["r"]["z"] == 2
    assert stats["minValues"]["t"] == "2024-02-29T01:02:03.123Z" and stats["maxValues"]["t"] == "2024-02-29T01:02:03.124Z"


@pytest.mark.parametrize("kind", PARTITION_VALUES)
def test_partition_values_are_read_by_deltalake(spark, folder, name, kind):
    column, type_, values = PARTITION_VALUES[kind]
    spark.sql(f"CREATE TABLE {name} (id INT, {column}) USING delta PARTITIONED BY (p) LOCATION '{folder}'")
    plain = [v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in values]
    spark.createDataFrame(list(enumerate(plain)), f"id INT, {column}").write.insertInto(name)
    table = DeltaTable(folder).to_pyarrow_table()
    assert dict(zip(table["id"].to_pylist(), table["p"].to_pylist())) == dict(enumerate(values))
    assert {r.id: r.p for r in spark.table(name).collect()} == dict(enumerate(plain))
    paths = [a["add"]["path"] for a in log(folder)[1] if "add" in a]
    assert len(paths) == len(values) and all(p.startswith("p=") for p in paths)


def test_a_table_made_by_a_write(spark, folder):
    spark.range(5).write.format("delta").save(folder)
    spark.range(5, 7).write.format("delta").mode("append").save(folder)
    assert theirs(folder) == [(n,) for n in range(7)]
    fails(lambda: spark.range(1).write.format("delta").save(folder), "DELTA_PATH_EXISTS")
    spark.range(1).write.format("delta").mode("ignore").save(folder)
    spark.range(3).write.format("delta").mode("overwrite").save(folder)
    assert theirs(folder) == [(0,), (1,), (2,)]
    assert theirs(folder, version=1) == [(n,) for n in range(7)]
    history = DeltaTable(folder).history()
    assert [h["operation"] for h in history] == ["WRITE"] * 3
    assert history[0]["operationParameters"]["mode"] == "Overwrite"


def test_overwrites(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'a'), (3, 'b')")
    frame = spark.createDataFrame([(9, "b")], "id INT, p STRING")
    frame.write.format("delta").mode("overwrite").option("partitionOverwriteMode", "dynamic").save(folder)
    assert theirs(folder, "id", "p") == [(1, "a"), (2, "a"), (9, "b")]
    frame.write.format("delta").mode("overwrite").option("replaceWhere", "p = 'b' AND id > 5").save(folder)
    assert theirs(folder, "id", "p") == [(1, "a"), (2, "a"), (9, "b")]
    # A part of a file goes; what stays is written again.
    spark.sql(f"INSERT INTO {name} REPLACE WHERE id = 1 SELECT 1, 'c'")
    assert theirs(folder, "id", "p") == [(1, "c"), (2, "a"), (9, "b")]
    fails(lambda: spark.sql(f"INSERT INTO {name} REPLACE WHERE p = 'a' SELECT 5, 'b'"), "DELTA_REPLACE_WHERE_MISMATCH")
    spark.sql(f"INSERT OVERWRITE {name} PARTITION (p = 'a') SELECT 7")
    assert theirs(folder, "id", "p") == [(1, "c"), (7, "a"), (9, "b")]
    spark.sql(f"TRUNCATE TABLE {name}")
    assert theirs(folder, "id", "p") == []


def test_ctas_and_replace(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{folder}' AS SELECT id, id * 2 AS v FROM range(3)")
    assert theirs(folder) == [(0, 0), (1, 2), (2, 4)]
    fails(lambda: spark.sql(f"CREATE TABLE {name} USING delta AS SELECT 1"), "TABLE_OR_VIEW_ALREADY_EXISTS")
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING delta AS SELECT 'x' AS only")
    assert theirs(folder) == [("x",)] and theirs(folder, version=0) == [(0, 0), (1, 2), (2, 4)]
    assert [h["operation"] for h in DeltaTable(folder).history()] == ["CREATE OR REPLACE TABLE AS SELECT", "CREATE TABLE AS SELECT"]
    spark.sql(f"DROP TABLE {name}")
    assert theirs(folder) == [("x",)]
    fails(lambda: spark.sql(f"CREATE TABLE {name} (z INT) USING delta LOCATION '{folder}'"), "DELTA_CREATE_TABLE_SCHEME_MISMATCH")


def test_tables_that_only_have_a_path(spark, folder):
    spark.sql(f"CREATE TABLE delta.`{folder}` (id INT, p STRING) PARTITIONED BY (p)")
    spark.sql(f"CREATE TABLE IF NOT EXISTS delta.`{folder}` (other INT)")
    fails(lambda: spark.sql(f"CREATE TABLE delta.`{folder}` (id INT)"), "TABLE_OR_VIEW_ALREADY_EXISTS")
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES (1, 'a')")
    spark.table(f"delta.`{folder}`").selectExpr("id + 1 AS id", "p").writeTo(f"delta.`{folder}`").append()
    assert theirs(folder, "id", "p") == [(1, "a"), (2, "a")]
    spark.sql(f"CREATE OR REPLACE TABLE delta.`{folder}` AS SELECT 5 AS x")
    spark.sql("SELECT 6 AS x").write.format("delta").mode("append").saveAsTable(f"delta.`{folder}`")
    assert theirs(folder) == [(5,), (6,)]
    fails(lambda: spark.sql(f"DROP TABLE delta.`{folder}`"), "DROP TABLE of a table that is named by its path")


def test_managed_tables_go_with_their_name(spark, name):
    spark.sql(f"CREATE TABLE {name} (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')")
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    fails(lambda: spark.sql(f"DELETE FROM {name}"), "DELTA_CANNOT_MODIFY_APPEND_ONLY")
    location = Path(spark.sql(f"DESCRIBE DETAIL {name}").first().location.removeprefix("file:"))
    assert (location / "_delta_log").exists()
    spark.sql(f"DROP TABLE {name}")
    assert not location.exists()
    fails(lambda: spark.sql(f"CREATE TABLE {name} (id INT) USING delta TBLPROPERTIES ('delta.noSuchThing' = '1')"), "DELTA_UNKNOWN_CONFIGURATION")


def test_checkpoints_are_read_by_deltalake(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{folder}' TBLPROPERTIES ('k' = 'v')")
    for n in range(11):
        spark.sql(f"INSERT INTO {name} VALUES ({n}, '{'ab'[n % 2]}')")
    spark.sql(f"DELETE FROM {name} WHERE id = 3")
    spark.sql(f"UPDATE {name} SET id = 50 WHERE id = 5")
    assert json.loads(Path(folder, "_delta_log", "_last_checkpoint").read_text())["version"] == 10
    expected = sorted([(n, "ab"[n % 2]) for n in range(11) if n not in (3, 5)] + [(50, "b")], key=str)
    for old in Path(folder, "_delta_log").glob("*.json"):
        if int(old.stem) < 10:
            old.unlink()
    assert theirs(folder, "id", "p") == expected
    assert DeltaTable(folder).metadata().configuration == {"k": "v"}
    moved = folder + "-moved"
    Path(folder).rename(moved)
    assert rows(load(spark, moved)) == expected


def test_statistics_prune_for_both(spark, folder):
    for low in (0, 100, 200):
        frame = spark.range(low, low + 10).selectExpr("id", "concat(repeat('x', 40), id) AS s", "timestamp_seconds(id) AS t")
        frame.write.format("delta").mode("append").save(folder)
    table = DeltaTable(folder)
    read = table.to_pyarrow_dataset().to_table(filter=(pc.field("id") == 105))
    assert read["id"].to_pylist() == [105]
    long_text = "x" * 40 + "105"
    assert table.to_pyarrow_dataset().to_table(filter=(pc.field("s") == long_text))["id"].to_pylist() == [105]
    assert rows(load(spark, folder).where(f"s = '{long_text}'").select("id")) == [(105,)]
    assert rows(load(spark, folder).where("t = timestamp_seconds(205)").select("id")) == [(205,)]
    files = load(spark, folder).where("id BETWEEN 100 AND 109").select("_file").distinct().collect()
    assert len(files) == 1


# --- changes of rows


def test_delete_update_and_merge(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, v STRING) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
    spark.sql(f"DELETE FROM {name} WHERE id = 1")
    spark.sql(f"UPDATE {name} SET v = upper(v) WHERE id > 2")
    spark.sql(f"""MERGE INTO delta.`{folder}` t USING (SELECT * FROM VALUES (2, 'new'), (9, 'nine'), (4, 'gone') AS v(id, v)) s ON t.id = s.id
                  WHEN MATCHED AND s.v = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *""")
    assert theirs(folder) == [(2, "new"), (3, "C"), (9, "nine")] == rows(spark.table(name))
    history = {h["version"]: h for h in DeltaTable(folder).history()}
    assert [history[v]["operation"] for v in range(5)] == ["CREATE TABLE", "WRITE", "DELETE", "UPDATE", "MERGE"]
    assert history[2]["operationMetrics"]["numDeletedRows"] == "1"
    assert history[3]["operationMetrics"]["numUpdatedRows"] == "2"
    merged = history[4]["operationMetrics"]
    assert [merged[f"numTargetRows{k}"] for k in ("Inserted", "Updated", "Deleted", "Copied")] == ["1", "1", "1", "1"]
    fails(lambda: spark.sql(f"MERGE INTO {name} t USING (SELECT * FROM VALUES (2, 'x'), (2, 'y') AS v(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"),
          "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE")


def test_rows_that_deltalake_changes(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{folder}' AS SELECT id, id % 3 AS g FROM range(10)")
    table = DeltaTable(folder)
    table.delete("g = 1")
    table.update(updates={"g": "7"}, predicate="id = 2")
    assert rows(spark.table(name)) == sorted(((n, 7 if n == 2 else n % 3) for n in range(10) if n % 3 != 1), key=str)
    spark.sql(f"INSERT INTO {name} VALUES (100, 0)")
    assert len(theirs(folder)) == 8


def test_deletion_vectors(spark, folder, name):
    spark.sql(f"""CREATE TABLE {name} (id BIGINT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{folder}'
                  TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')""")
    spark.range(0, 100).selectExpr("id", "CAST(id % 2 AS STRING) AS p").coalesce(1).write.format("delta").mode("append").save(folder)
    spark.sql(f"DELETE FROM {name} WHERE id % 10 = 0")
    spark.sql(f"DELETE FROM {name} WHERE id % 10 = 5")
    spark.sql(f"DELETE FROM {name} WHERE id < 4")
    expected = [n for n in range(4, 100) if n % 5]
    assert sorted(r.id for r in spark.table(name).collect()) == expected
    assert spark.table(name).count() == len(expected)
    assert sorted(n for n, _ in theirs(folder, "id", "p")) == expected
    assert len(theirs(folder, version=2)) == 90
    adds = [a["add"] for a in log(folder)[2] if "add" in a]
    assert [a["deletionVector"]["cardinality"] for a in adds] == [10]
    assert json.loads(adds[0]["stats"])["numRecords"] == 50 and json.loads(adds[0]["stats"])["tightBounds"] is False
    spark.sql(f"UPDATE {name} SET id = id + 1000 WHERE id > 90")
    expected = [n + 1000 if n > 90 else n for n in expected]
    assert sorted(n for n, _ in theirs(folder, "id", "p")) == sorted(expected)
    spark.sql(f"OPTIMIZE {name}")
    assert sorted(r.id for r in spark.table(name).collect()) == sorted(expected)
    assert all("deletionVector" not in a["add"] for a in log(folder)[-1] if "add" in a)
    # A file without any row left is gone.
    spark.sql(f"DELETE FROM {name} WHERE id >= 0")
    assert DeltaTable(folder).file_uris() == [] and spark.table(name).count() == 0


def test_change_data_feed(spark, folder, name):
    spark.sql(f"""CREATE TABLE {name} (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{folder}'
                  TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')""")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')")
    spark.sql(f"UPDATE {name} SET id = 20 WHERE id = 2")
    spark.sql(f"DELETE FROM {name} WHERE id = 3")
    spark.sql(f"""MERGE INTO {name} t USING (SELECT * FROM VALUES (1, 'z'), (4, 'gone'), (9, 'n') AS v(id, p)) s ON t.id = s.id
                  WHEN MATCHED AND s.p = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET p = s.p WHEN NOT MATCHED THEN INSERT *""")
    spark.sql(f"DELETE FROM {name} WHERE p = 'a'")
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 1).table(name)
    assert feed.columns == ["id", "p", "_change_type", "_commit_version", "_commit_timestamp"]
    expected = sorted([
        (1, "a", "insert", 1), (2, "a", "insert", 1), (3, "b", "insert", 1), (4, "b", "insert", 1),
        (2, "a", "update_preimage", 2), (20, "a", "update_postimage", 2), (3, "b", "delete", 3),
        (1, "a", "update_preimage", 4), (1, "z", "update_postimage", 4), (4, "b", "delete", 4), (9, "n", "insert", 4), (20, "a", "delete", 5)], key=str)
    assert rows(feed.drop("_commit_timestamp")) == expected
    columns = ["id", "p", "_change_type", "_commit_version"]
    got = pa.table(DeltaTable(folder).load_cdf(starting_version=1)).select(columns)
    assert sorted(zip(*(got[c].to_pylist() for c in columns)), key=str) == expected
    assert spark.sql(f"SELECT count(*) FROM table_changes('{name}', 2, 3)").first()[0] == 3
    assert rows(spark.table(name)) == theirs(folder, "id", "p") == [(1, "z"), (9, "n")]
    fails(lambda: spark.sql(f"SELECT * FROM table_changes('{name}', 50)").collect(), "DELTA_CDC_START_VERSION_AFTER_LATEST")
    spark.sql(f"ALTER TABLE {name} UNSET TBLPROPERTIES ('delta.enableChangeDataFeed')")
    fails(lambda: spark.sql(f"SELECT * FROM table_changes('{name}', 1)").collect(), "DELTA_MISSING_CHANGE_DATA")


def test_the_hidden_column_about_files(spark, folder):
    spark.range(3).coalesce(1).write.format("delta").save(folder)
    spark.range(3, 5).coalesce(1).write.format("delta").mode("append").save(folder)
    found = load(spark, folder).select("id", "_metadata", "_metadata.file_name", "_metadata.row_index").orderBy("id").collect()
    assert [r.row_index for r in found] == [0, 1, 2, 0, 1]
    for row in found:
        path = Path(folder, row.file_name)
        assert row._metadata.file_path == f"file:{path}" and row._metadata.file_size == path.stat().st_size
    assert "_metadata" not in load(spark, folder).columns


# --- schemas and constraints


@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns(spark, folder, mode):
    def field(number, name, type_, physical):
        return {"name": name, "type": type_, "nullable": True, "metadata": {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}}

    inner = {"type": "struct", "fields": [field(4, "x y", "integer", "col-4")]}
    schema = {"type": "struct", "fields": [field(1, "my id", "long", "col-1"), field(2, "part", "string", "col-2"), field(3, "nested", inner, "col-3")]}
    actions = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
               {"metaData": {"id": str(uuid.uuid4()), "format": {"provider": "parquet", "options": {}}, "schemaString": json.dumps(schema), "partitionColumns": ["part"],
                             "configuration": {"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "4"}, "createdTime": 1}}]
    Path(folder, "_delta_log").mkdir(parents=True)
    Path(folder, "_delta_log", "00000000000000000000.json").write_text("".join(json.dumps(a) + "\n" for a in actions))
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES (1, 'a', named_struct('x y', 5)), (2, 'b', NULL)")
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES (3, 'b', named_struct('x y', 7))")
    spark.sql(f"DELETE FROM delta.`{folder}` WHERE `my id` = 2")
    assert rows(load(spark, folder)) == [(1, "a", (5,)), (3, "b", (7,))]
    assert rows(load(spark, folder).where("nested.`x y` > 6 AND part = 'b'").select("my id")) == [(3,)]
    add = next(a["add"] for a in log(folder)[1] if "add" in a)
    assert list(add["partitionValues"]) == ["col-2"] and json.loads(add["stats"])["minValues"]["col-1"] in (1, 2)
    assert theirs(folder, "my id", "part") == [(1, "a"), (3, "b")]
    spark.sql(f"ALTER TABLE delta.`{folder}` ADD COLUMN z INT")
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES (4, 'c', NULL, 9)")
    assert theirs(folder, "my id", "z") == [(1, None), (3, None), (4, 9)]


def schema_of(folder):
    return json.loads([a["metaData"]["schemaString"] for actions in log(folder) for a in actions if "metaData" in a][-1])["fields"]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_new_tables_with_mapped_columns(spark, folder, name, mode):
    spark.sql(f"""CREATE TABLE {name} (id INT, `a b` STRUCT<x: INT, `y z`: STRING>, p STRING, l ARRAY<STRUCT<q: INT>>) USING delta
                  PARTITIONED BY (p) LOCATION '{folder}' TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')""")
    spark.sql(f"INSERT INTO {name} VALUES (1, named_struct('x', 1, 'y z', 'u'), 'a', array(named_struct('q', 7)))")
    notes = [f["metadata"] for f in schema_of(folder)]
    assert [n["delta.columnMapping.id"] for n in notes] == [1, 2, 5, 6]
    assert all(n["delta.columnMapping.physicalName"].startswith("col-") for n in notes)
    assert DeltaTable(folder).metadata().configuration["delta.columnMapping.maxColumnId"] == "7"
    assert theirs(folder, "id", "p") == [(1, "a")]
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN id TO key")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN p TO `the part`")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN `a b`.x TO w")
    spark.sql(f"ALTER TABLE {name} ADD COLUMNS (id STRING, `a b`.v INT)")
    spark.sql(f"INSERT INTO {name} SELECT 2, named_struct('w', 5, 'y z', 'u', 'v', 6), 'b', array(named_struct('q', 8)), 'new'")
    assert [tuple(r) for r in spark.sql(f"SELECT key, `a b`.w, `a b`.v, `the part`, id, l[0].q FROM {name} ORDER BY key").collect()] == [
        (1, 1, None, "a", None, 7), (2, 5, 6, "b", "new", 8)]
    assert [r.key for r in spark.table(name).where("`the part` = 'b' AND key > 1").collect()] == [2]
    assert theirs(folder, "key", "the part", "id") == [(1, "a", None), (2, "b", "new")]
    spark.sql(f"ALTER TABLE {name} DROP COLUMN id")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN id INT")
    spark.sql(f"UPDATE {name} SET id = 3 WHERE key = 2")
    assert theirs(folder, "key", "id") == [(1, None), (2, 3)]
    spark.createDataFrame([(4, "c", "more")], "key INT, `the part` STRING, extra STRING").write.format("delta").mode("append").option("mergeSchema", "true").save(folder)
    assert theirs(folder, "key", "the part", "extra") == [(1, "a", None), (2, "b", None), (4, "c", "more")]
    spark.sql(f"OPTIMIZE {name}")
    assert theirs(folder, "key", "id", "extra") == [(1, None, None), (2, 3, None), (4, None, "more")]
    assert [r.key for r in load(spark, folder).orderBy("key").collect()] == [1, 2, 4]
    fails(lambda: spark.sql(f"ALTER TABLE {name} DROP COLUMN `the part`"), "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN")
    spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT positive CHECK (key > 0)")
    fails(lambda: spark.sql(f"ALTER TABLE {name} RENAME COLUMN key TO k"), "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE")
    other = "id" if mode == "name" else "name"
    fails(lambda: spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = '{other}')"), "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE")
    # All rows go: columns of the same type stay what they are, the others are new.
    before = {f["name"]: f["metadata"]["delta.columnMapping.id"] for f in schema_of(folder)}
    spark.createDataFrame([(5, 1.5)], "key INT, extra DOUBLE").write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(folder)
    after = {f["name"]: f["metadata"]["delta.columnMapping.id"] for f in schema_of(folder)}
    assert after["key"] == before["key"] and after["extra"] > max(before.values())
    assert theirs(folder) == [(5, 1.5)] == rows(spark.table(name))


def test_column_mapping_is_turned_on(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, s STRUCT<x: INT>) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1, named_struct('x', 5))")
    fails(lambda: spark.sql(f"ALTER TABLE {name} RENAME COLUMN id TO k"), "DELTA_UNSUPPORTED_RENAME_COLUMN")
    fails(lambda: spark.sql(f"ALTER TABLE {name} DROP COLUMN id"), "DELTA_UNSUPPORTED_DROP_COLUMN")
    fails(lambda: spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id')"), "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    assert [f["metadata"]["delta.columnMapping.physicalName"] for f in schema_of(folder)] == ["id", "s"]
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN id TO `the id`")
    spark.sql(f"INSERT INTO {name} VALUES (2, named_struct('x', 6))")
    assert theirs(folder, "the id") == [(1,), (2,)]
    assert [tuple(r) for r in spark.sql(f"SELECT `the id`, s.x FROM {name} WHERE s.x > 5").collect()] == [(2, 6)]
    assert spark.sql(f"SELECT id FROM {name} VERSION AS OF 1").first().id == 1
    fails(lambda: spark.sql(f"ALTER TABLE {name} UNSET TBLPROPERTIES ('delta.columnMapping.mode')"), "column mapping")


def test_inserts_that_grow_the_schema(spark, new_session, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a')")
    fails(lambda: spark.sql(f"INSERT INTO {name} VALUES (2, 'a', 5)"), "DELTA_METADATA_MISMATCH")
    spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {name} SELECT 2, 'a', 5 AS x")
    spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {name} BY NAME SELECT 'b' AS p, named_struct('u', 1) AS s, 3 AS id")
    assert rows(spark.sql(f"SELECT id, p, x, s.u FROM {name}")) == [(1, "a", None, None), (2, "a", 5, None), (3, "b", None, 1)]
    session = new_session({"spark.databricks.delta.schema.autoMerge.enabled": "true"})
    session.sql(f"INSERT INTO {name} BY NAME SELECT 4 AS id, 'b' AS p, named_struct('u', 2, 'w', 3) AS s, 1.5D AS d")
    assert rows(spark.sql(f"SELECT id, s.w, d FROM {name}")) == [(1, None, None), (2, None, None), (3, None, None), (4, 3, 1.5)]
    assert theirs(folder, "id", "p", "x", "d") == rows(spark.sql(f"SELECT id, p, x, d FROM {name}"))
    session.sql(f"INSERT INTO {name} REPLACE WHERE id = 4 SELECT 4, 'b', 9, named_struct('u', 3, 'w', 4), 2.5D, 'more' AS m")
    assert rows(spark.sql(f"SELECT id, x, d, m FROM {name} WHERE p = 'b'")) == [(3, None, None, None), (4, 9, 2.5, "more")]
    fails(lambda: spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {name} BY NAME SELECT 'x' AS id, 'a' AS p").collect(), "CAST_INVALID_INPUT")


@pytest.mark.parametrize("feed", ["false", "true"])
def test_merges_that_grow_the_schema(spark, new_session, folder, name, feed):
    spark.sql(f"""CREATE TABLE {name} (id INT, v STRING, old INT) USING delta LOCATION '{folder}'
                  TBLPROPERTIES ('delta.enableChangeDataFeed' = '{feed}')""")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a', 10), (2, 'b', 20)")
    merge = f"INTO {name} t USING (SELECT * FROM VALUES (2, 'B', 2.5D), (3, 'C', 3.5D) AS v(id, v, added)) s ON t.id = s.id"
    star = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    fails(lambda: spark.sql(f"MERGE {merge} {star}"), "DELTA_MERGE_UNRESOLVED_EXPRESSION")
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION {merge} {star}")
    assert theirs(folder, "id", "v", "old", "added") == [(1, "a", 10, None), (2, "B", 20, 2.5), (3, "C", None, 3.5)] == rows(spark.table(name))
    session = new_session({"spark.databricks.delta.schema.autoMerge.enabled": "true"})
    session.sql(f"""MERGE INTO {name} t USING (SELECT 3 AS id, 'kept' AS more, 5 AS unused) s ON t.id = s.id
                    WHEN MATCHED THEN UPDATE SET more = s.more, t.v = upper(more) WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE""")
    assert rows(spark.sql(f"SELECT id, v, more FROM {name}")) == [(2, "B", None), (3, "KEPT", "kept")]
    assert spark.table(name).columns == ["id", "v", "old", "added", "more"]
    session.sql(f"MERGE INTO {name} t USING (SELECT 9 AS id, 'n' AS extra) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, extra) VALUES (s.id, s.extra)")
    assert rows(spark.sql(f"SELECT id, extra FROM {name}")) == [(2, None), (3, None), (9, "n")] == theirs(folder, "id", "extra")
    if feed == "true":
        changes = spark.sql(f"SELECT id, added, _change_type FROM table_changes('{name}', 2, 2)")
        assert rows(changes) == sorted([(2, None, "update_preimage"), (2, 2.5, "update_postimage"), (3, 3.5, "insert")], key=str)


@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("mapping", ["none", "name"])
def test_merges_that_grow_structs(spark, new_session, folder, name, vectors, mapping):
    """Fields that the target's structs lack are added, at every level; those that the source lacks stay as they are, but in lists and maps."""
    spark.sql(f"""CREATE TABLE {name} (id INT, s STRUCT<a: INT, b: STRING, n: STRUCT<x: INT>>, l ARRAY<STRUCT<a: INT, b: INT>>, m MAP<STRING, STRUCT<a: INT>>)
                  USING delta LOCATION '{folder}' TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}', 'delta.columnMapping.mode' = '{mapping}')""")
    spark.sql(f"""INSERT INTO {name} VALUES (1, named_struct('a', 1, 'b', 'one', 'n', named_struct('x', 10)), array(named_struct('a', 1, 'b', 2)), map('k', named_struct('a', 1))),
                  (2, named_struct('a', 2, 'b', 'two', 'n', named_struct('x', 20)), array(named_struct('a', 3, 'b', 4)), map('k', named_struct('a', 2))),
                  (3, NULL, NULL, NULL), (4, named_struct('a', 4, 'b', 'four', 'n', NULL), array(), map())""")
    source = """SELECT id, named_struct('c', id * 1.5D, 'n', named_struct('y', id + 100, 'x', id), 'a', -id) AS s,
                array(named_struct('c', 'new', 'a', id)) AS l, map('k', named_struct('z', id, 'a', 7)) AS m FROM VALUES (2), (3), (9) AS v(id)
                UNION ALL SELECT 4, NULL, NULL, NULL"""
    merge = f"INTO {name} t USING ({source}) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    fails(lambda: spark.sql(f"MERGE {merge}"), "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION")
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION {merge}")
    assert spark.table(name).schema.simpleString() == (
        "struct<id:int,s:struct<a:int,b:string,n:struct<x:int,y:int>,c:double>,l:array<struct<a:int,b:int,c:string>>,m:map<string,struct<a:int,z:int>>>")
    found = rows(spark.sql(f"SELECT id, to_json(s), to_json(l), to_json(m) FROM {name}"))
    assert found == [
        (1, '{"a":1,"b":"one","n":{"x":10}}', '[{"a":1,"b":2}]', '{"k":{"a":1}}'),
        (2, '{"a":-2,"b":"two","n":{"x":2,"y":102},"c":3.0}', '[{"a":2,"c":"new"}]', '{"k":{"a":7,"z":2}}'),
        (3, '{"a":-3,"n":{"x":3,"y":103},"c":4.5}', '[{"a":3,"c":"new"}]', '{"k":{"a":7,"z":3}}'),
        (4, '{"b":"four"}', None, None),
        (9, '{"a":-9,"n":{"x":9,"y":109},"c":13.5}', '[{"a":9,"c":"new"}]', '{"k":{"a":7,"z":9}}')]
    # A clause that names the column replaces it, and fields are found by name.
    spark.sql(f"""MERGE WITH SCHEMA EVOLUTION INTO {name} t USING (SELECT 1 AS id, named_struct('w', 5, 'b', 'only') AS s) s ON t.id = s.id
                  WHEN MATCHED THEN UPDATE SET s = s.s""")
    assert rows(spark.sql(f"SELECT to_json(s) FROM {name} WHERE id = 1")) == [('{"b":"only","w":5}',)]
    spark.sql(f"UPDATE {name} SET s = named_struct('w', 1, 'c', 2, 'n', named_struct('y', 1, 'x', 2), 'b', 'B', 'a', 3) WHERE id = 1")
    assert rows(spark.sql(f"SELECT to_json(s) FROM {name} WHERE id = 1")) == [('{"a":3,"b":"B","n":{"x":2,"y":1},"c":2.0,"w":1}',)]
    fails(lambda: spark.sql(f"UPDATE {name} SET s = named_struct('a', 1)"), "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION")


def test_writes_that_grow_structs(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<a: INT>>) USING delta LOCATION '{folder}'")
    frame = lambda text: spark.sql(f"SELECT {text}")
    frame("1 AS id, named_struct('b', 'x', 'a', 1) AS s, array(named_struct('a', 2)) AS l").write.format("delta").mode("append").save(folder)
    grown = frame("2 AS id, named_struct('c', 3, 'a', 2) AS s, array(named_struct('d', 4, 'a', 2)) AS l")
    fails(lambda: grown.write.format("delta").mode("append").save(folder), "DELTA_METADATA_MISMATCH")
    grown.write.format("delta").mode("append").option("mergeSchema", "true").save(folder)
    frame("named_struct('b', 'y') AS s, 3 AS id").write.format("delta").mode("append").save(folder)
    assert rows(spark.sql(f"SELECT id, to_json(s), to_json(l) FROM {name}")) == [
        (1, '{"a":1,"b":"x"}', '[{"a":2}]'), (2, '{"a":2,"c":3}', '[{"a":2,"d":4}]'), (3, '{"b":"y"}', None)]


def test_what_the_history_tells_of_changes(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, v STRING) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT), 'a' FROM range(10)")
    spark.sql(f"""MERGE INTO {name} t USING (SELECT CAST(id AS INT) AS id FROM range(3, 30, 3)) s ON t.id = s.id
                  WHEN MATCHED AND t.id = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'b' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n')
                  WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN UPDATE SET v = 'c' WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN DELETE""")
    merged = spark.sql(f"DESCRIBE HISTORY {name} LIMIT 1").first().operationMetrics
    told = {"SourceRows": 9, "TargetRowsInserted": 6, "TargetRowsUpdated": 3, "TargetRowsMatchedUpdated": 2, "TargetRowsNotMatchedBySourceUpdated": 1,
            "TargetRowsDeleted": 3, "TargetRowsMatchedDeleted": 1, "TargetRowsNotMatchedBySourceDeleted": 2, "TargetRowsCopied": 4, "OutputRows": 13}
    assert {k: int(merged["num" + k]) for k in told} == told
    spark.sql(f"UPDATE {name} SET v = 'u' WHERE id = 4")
    spark.sql(f"DELETE FROM {name} WHERE id = 4")
    spark.sql(f"DELETE FROM {name}")
    for version in spark.sql(f"DESCRIBE HISTORY {name} LIMIT 4").collect():
        times = [int(version.operationMetrics[k]) for k in ("executionTimeMs", "scanTimeMs", "rewriteTimeMs")]
        assert 0 <= times[0] < 600_000 and times[1] + times[2] <= times[0] and ("materializeSourceTimeMs" in version.operationMetrics) == (version.operation == "MERGE")


WIDENED = {"short": ("TINYINT", "SMALLINT", 5, 30000), "long": ("INT", "BIGINT", 7, 2**40), "double": ("FLOAT", "DOUBLE", 1.5, 1e300),
           "int to double": ("INT", "DOUBLE", 7, 0.5), "decimal": ("DECIMAL(5,2)", "DECIMAL(12,4)", decimal.Decimal("1.25"), decimal.Decimal("12345678.1234")),
           "int to decimal": ("INT", "DECIMAL(12,2)", 7, decimal.Decimal("0.25")),
           "date": ("DATE", "TIMESTAMP_NTZ", datetime.date(2024, 2, 29), datetime.datetime(2024, 3, 1, 4, 5))}


@pytest.mark.parametrize("kind", WIDENED)
def test_types_are_widened(spark, folder, name, kind):
    narrow, wide, old, new = WIDENED[kind]
    spark.sql(f"CREATE TABLE {name} (id INT, v {narrow}, s STRUCT<v: {narrow}>) USING delta LOCATION '{folder}'")
    write = lambda i, value, type_: spark.createDataFrame([(i, value, (value,))], f"id INT, v {type_}, s STRUCT<v: {type_}>").write.insertInto(name)
    write(1, old, narrow)
    fails(lambda: spark.sql(f"ALTER TABLE {name} ALTER COLUMN v TYPE {wide}"), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    spark.sql(f"ALTER TABLE {name} ALTER COLUMN v TYPE {wide}")
    spark.sql(f"ALTER TABLE {name} ALTER COLUMN s.v TYPE {wide}")
    write(2, new, wide)
    before = datetime.datetime(old.year, old.month, old.day) if kind == "date" else old
    assert [(r.v, r.s.v) for r in spark.table(name).orderBy("id").collect()] == [(before, before), (new, new)]
    assert schema_of(folder)[1]["metadata"]["delta.typeChanges"][0].keys() == {"toType", "fromType"}
    assert [r.id for r in spark.table(name).where(f"v = (SELECT v FROM {name} WHERE id = 1)").collect()] == [1]
    spark.sql(f"UPDATE {name} SET id = 10 WHERE id = 1")
    spark.sql(f"OPTIMIZE {name}")
    assert sorted(r.id for r in spark.table(name).where("v IS NOT NULL AND s.v IS NOT NULL").collect()) == [2, 10]
    assert spark.sql(f"SELECT v FROM {name} VERSION AS OF 1").first().v == old
    fails(lambda: spark.sql(f"ALTER TABLE {name} ALTER COLUMN v TYPE {narrow}"), "CHANGE_COL")


def test_schemas_that_grow(spark, folder, name):
    spark.createDataFrame([(1, "a")], "id int, v string").write.format("delta").save(folder)
    wider = spark.createDataFrame([(2, "b", 2.5)], "id int, v string, x double")
    fails(lambda: wider.write.format("delta").mode("append").save(folder), "DELTA_METADATA_MISMATCH")
    wider.write.format("delta").mode("append").option("mergeSchema", "true").save(folder)
    assert theirs(folder, "id", "v", "x") == [(1, "a", None), (2, "b", 2.5)]
    spark.sql(f"ALTER TABLE delta.`{folder}` ADD COLUMNS (note STRING COMMENT 'why')")
    assert rows(load(spark, folder).select("id", "note")) == [(1, None), (2, None)]
    assert DeltaTable(folder).schema().fields[-1].metadata == {"comment": "why"}
    spark.createDataFrame([("z",)], "other string").write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(folder)
    assert theirs(folder) == [("z",)] and len(theirs(folder, version=1)) == 2
    fails(lambda: spark.sql(f"ALTER TABLE delta.`{folder}` DROP COLUMN other"), "DELTA_UNSUPPORTED_DROP_COLUMN")


def test_constraints(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT NOT NULL, fare DOUBLE) USING delta LOCATION '{folder}'")
    spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT positive CHECK (fare >= 0)")
    spark.sql(f"INSERT INTO {name} VALUES (1, 1.0)")
    for statement in (f"INSERT INTO {name} VALUES (2, -1.0)", f"INSERT INTO {name} VALUES (2, NULL)", f"UPDATE {name} SET fare = -1"):
        fails(lambda: spark.sql(statement), "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")
    fails(lambda: spark.sql(f"INSERT INTO {name} VALUES (NULL, 1.0)"), "NOT_NULL")
    fails(lambda: spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT big CHECK (fare > 5)"), "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION")
    fails(lambda: spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT Positive CHECK (fare > 0)"), "DELTA_CONSTRAINT_ALREADY_EXISTS")
    with pytest.raises(deltalake.exceptions.DeltaError):
        write_deltalake(folder, pa.table({"id": pa.array([5], pa.int32()), "fare": [-2.0]}), mode="append")
    spark.sql(f"ALTER TABLE {name} DROP CONSTRAINT positive")
    spark.sql(f"INSERT INTO {name} VALUES (2, -1.0)")
    assert theirs(folder) == [(1, 1.0), (2, -1.0)]


# --- upkeep


def test_restore_optimize_and_vacuum(spark, folder, name):
    spark.sql(f"CREATE TABLE {name} (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{folder}'")
    for n in range(4):
        spark.sql(f"INSERT INTO {name} VALUES ({n}, 'a'), ({n}, 'b')")
    spark.sql(f"OPTIMIZE {name} WHERE p = 'a'")
    assert len(DeltaTable(folder).file_uris()) == 5
    assert all(not a["add"]["dataChange"] for a in log(folder)[-1] if "add" in a)
    spark.sql(f"OPTIMIZE {name} ZORDER BY (id)")
    assert len(DeltaTable(folder).file_uris()) == 2
    spark.sql(f"DELETE FROM {name}")
    figures = spark.sql(f"RESTORE TABLE {name} TO VERSION AS OF 2").first()
    assert figures.num_restored_files == 4
    assert theirs(folder) == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    fails(lambda: spark.sql(f"RESTORE {name} TO VERSION AS OF 77"), "DELTA_CANNOT_RESTORE_TABLE_VERSION")
    fails(lambda: spark.sql(f"VACUUM {name} RETAIN 0 HOURS"), "retention")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    Path(folder, "stray.parquet").write_text("x")
    dry = spark.sql(f"VACUUM {name} RETAIN 0 HOURS DRY RUN").collect()
    assert any(r.path.endswith("stray.parquet") for r in dry)
    spark.sql(f"VACUUM {name} RETAIN 0 HOURS")
    assert len(list(Path(folder).rglob("part-*.parquet"))) == 4 and not Path(folder, "stray.parquet").exists()
    assert len(theirs(folder)) == 4


# --- several at once

APPENDER = """
import sys
from pyspark.sql import SparkSession
remote, folder, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spark = SparkSession.builder.remote(remote).create()
for n in range(first, first + count):
    spark.sql(f"INSERT INTO delta.`{folder}` VALUES ({n})")
spark.stop()
"""


def test_appends_of_several_at_once_lose_nothing(spark, remote, folder):
    spark.sql("SELECT 0 AS id").write.format("delta").save(folder)
    writers = [subprocess.Popen([sys.executable, "-c", APPENDER, remote, folder, str(k * 100 + 1), "6"]) for k in range(3)]
    for n in range(6):
        write_deltalake(folder, pa.table({"id": pa.array([1000 + n], pa.int32())}), mode="append")
    assert [w.wait(120) for w in writers] == [0, 0, 0]
    expected = [0] + [k * 100 + 1 + n for k in range(3) for n in range(6)] + [1000 + n for n in range(6)]
    assert sorted(r[0] for r in load(spark, folder).collect()) == expected
    versions = sorted(int(f.stem) for f in Path(folder, "_delta_log").glob("*.json") if f.stem.isdigit())
    assert versions == list(range(25))
