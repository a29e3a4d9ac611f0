"""Structured Streaming: sources, sinks, checkpoints, restarts, what queries tell of themselves.

These hold on Spark too; what is ours alone has the mark `ours`.
"""
import json
import os
import re
import socket
import time
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException, StreamingQueryException
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQueryListener


def write_json(folder, name, rows):
    """A file of a source, whole from its first moment on."""
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder.parent / f".{name}"
    beside.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.replace(beside, folder / name)


def drain(writer, *where, **how):
    """Runs a query to the end of what there is."""
    writer = writer.trigger(**(how or {"availableNow": True}))
    query = writer.toTable(where[1]) if where and where[0] == "table" else writer.start(*where)
    assert query.awaitTermination(60)
    return query


def values(df, *columns):
    return sorted(tuple(row) for row in df.select(*columns).collect())


@pytest.fixture
def numbers(spark, tmp_path):
    """(stream, add): a stream of the column a, and add(name, values) that makes a file of it."""
    folder = tmp_path / "in"
    folder.mkdir()
    yield spark.readStream.schema("a INT").json(str(folder)), lambda name, rows: write_json(folder, name, [{"a": v} for v in rows])
    for query in spark.streams.active:
        query.stop()


# --- what a stream is

def test_streaming_relations_are_read_by_queries_alone(spark, tmp_path):
    rate = spark.readStream.format("rate").load()
    assert rate.isStreaming and rate.select("value").isStreaming
    assert rate.dtypes == [("timestamp", "timestamp"), ("value", "bigint")]
    assert not spark.range(3).isStreaming
    for read in (rate.collect, rate.count, lambda: rate.where("value > 1").toPandas()):
        with pytest.raises(AnalysisException, match="Queries with streaming sources must be executed with writeStream.start"):
            read()
    with pytest.raises(AnalysisException) as refused:
        rate.write.parquet(str(tmp_path / "x"))
    assert refused.value.getCondition() == "CALL_ON_STREAMING_DATASET_UNSUPPORTED"
    with pytest.raises(AnalysisException) as refused:
        spark.range(3).writeStream.format("noop").start()
    assert refused.value.getCondition() == "WRITE_STREAM_NOT_ALLOWED"


@pytest.mark.parametrize("make, condition", [
    (lambda rate, path: rate.writeStream.format("parquet").start(path), None),
    (lambda rate, path: rate.writeStream.format("console").outputMode("bad").start(), "STREAMING_OUTPUT_MODE.INVALID"),
    (lambda rate, path: rate.writeStream.format("console").outputMode("complete").start(), "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"),
    (lambda rate, path: rate.writeStream.format("parquet").outputMode("update").option("checkpointLocation", path + "/c").start(path),
     "STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE"),
    (lambda rate, path: rate.writeStream.format("nosuch").option("checkpointLocation", path + "/c").start(path), "DATA_SOURCE_NOT_FOUND"),
    (lambda rate, path: rate.writeStream.format("memory").start(), None),
    (lambda rate, path: rate.orderBy("value").writeStream.format("console").start(), None),
])
def test_writes_that_make_no_sense(spark, tmp_path, make, condition):
    rate = spark.readStream.format("rate").load()
    with pytest.raises(PySparkException) as refused:
        make(rate, str(tmp_path / "out"))
    if condition:
        assert refused.value.getCondition() == condition
    assert spark.streams.active == []


def test_files_need_a_schema(spark, tmp_path):
    with pytest.raises(IllegalArgumentException, match="Schema must be specified when creating a streaming source DataFrame"):
        spark.readStream.format("csv").load(str(tmp_path)).schema  # noqa: B018
    with pytest.raises(AnalysisException) as missing:
        spark.readStream.schema("a INT").csv(str(tmp_path / "nowhere")).schema  # noqa: B018
    assert missing.value.getCondition() == "PATH_NOT_FOUND"
    write_json(tmp_path / "in", "1.json", [{"a": 1, "b": "x"}])
    spark.conf.set("spark.sql.streaming.schemaInference", "true")
    try:
        assert spark.readStream.json(str(tmp_path / "in")).dtypes == [("a", "bigint"), ("b", "string")]
    finally:
        spark.conf.unset("spark.sql.streaming.schemaInference")


# --- checkpoints and restarts

def sink_of(kind, spark, tmp_path, namespace):
    """(writer of a stream, where it goes, how it is read back)."""
    checkpoint = str(tmp_path / "checkpoint")
    out = str(tmp_path / "out")
    def writer(df):
        return df.writeStream.format(kind).option("checkpointLocation", checkpoint)
    if kind == "iceberg":
        return writer, ("table", f"{namespace}.out"), lambda: spark.table(f"{namespace}.out")
    return writer, (out,), lambda: spark.read.schema("a INT").format(kind).load(out) if kind == "json" else spark.read.format(kind).load(out)


@pytest.mark.parametrize("kind", ["iceberg", "delta", "parquet", "json"])
def test_restart_goes_on_where_the_last_run_stopped(spark, tmp_path, namespace, numbers, kind):
    stream, add = numbers
    writer, where, read = sink_of(kind, spark, tmp_path, namespace)
    add("1.json", [1, 2])
    drain(writer(stream), *where)
    assert values(read(), "a") == [(1,), (2,)]
    add("2.json", [3])
    first = drain(writer(stream), *where)
    assert values(read(), "a") == [(1,), (2,), (3,)]
    again = drain(writer(stream), *where)
    assert (first.id == again.id, first.runId == again.runId) == (True, False)
    assert values(read(), "a") == [(1,), (2,), (3,)]
    checkpoint = tmp_path / "checkpoint"
    assert json.loads((checkpoint / "metadata").read_text())["id"] == first.id
    assert sorted(p.name for p in (checkpoint / "offsets").iterdir() if p.name.isdigit()) == ["0", "1"]
    version, about, offset = (checkpoint / "offsets" / "1").read_text().splitlines()
    assert version == "v1" and {"batchWatermarkMs", "batchTimestampMs", "conf"} <= set(json.loads(about))
    assert json.loads(offset) == {"logOffset": 1}
    assert (checkpoint / "commits" / "1").read_text().splitlines() == ["v1", '{"nextBatchWatermarkMs":0}']
    seen = (checkpoint / "sources" / "0" / "1").read_text().splitlines()
    assert seen[0] == "v1" and json.loads(seen[1])["path"].endswith("/in/2.json") and json.loads(seen[1])["batchId"] == 1


@pytest.mark.parametrize("kind", ["iceberg", "delta", "parquet"])
def test_a_batch_whose_commit_was_not_noted_is_written_once(spark, tmp_path, namespace, numbers, kind):
    stream, add = numbers
    writer, where, read = sink_of(kind, spark, tmp_path, namespace)
    for n in range(3):
        add(f"{n}.json", [n])
        drain(writer(stream), *where)
    # As if the server had died between the sink's commit and the note of it.
    (tmp_path / "checkpoint" / "commits" / "2").unlink()
    for crc in (tmp_path / "checkpoint" / "commits").glob(".2*"):
        crc.unlink()
    add("more.json", [3])
    drain(writer(stream), *where)
    assert values(read(), "a") == [(0,), (1,), (2,), (3,)]


def test_batches_of_a_source_with_limits(spark, tmp_path, numbers):
    stream, add = numbers
    for n in range(5):
        add(f"{n}.json", [n])
        os.utime(tmp_path / "in" / f"{n}.json", (1_700_000_000 + n, 1_700_000_000 + n))
    limited = spark.readStream.schema("a INT").option("maxFilesPerTrigger", 2).json(str(tmp_path / "in"))
    query = drain(limited.writeStream.format("memory").queryName("limited"))
    assert [p.numInputRows for p in query.recentProgress] == [2, 2, 1]
    assert [p.batchId for p in query.recentProgress] == [0, 1, 2]
    once = drain(limited.writeStream.format("memory").queryName("in_one"), once=True)
    assert [p.numInputRows for p in once.recentProgress] == [5]
    newest = spark.readStream.schema("a INT").option("maxFilesPerTrigger", 1).option("latestFirst", "true").json(str(tmp_path / "in"))
    drain(newest.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "c")), str(tmp_path / "newest"), once=True)
    assert spark.read.parquet(str(tmp_path / "newest")).count() == 5


def test_many_batches_compact_the_logs_of_files(spark, tmp_path, numbers):
    stream, add = numbers
    limited = spark.readStream.schema("a INT").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    for n in range(25):
        add(f"{n}.json", [n])
    def write():
        drain(limited.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "c")), str(tmp_path / "out"))
    write()
    add("last.json", [25])
    write()
    assert values(spark.read.parquet(str(tmp_path / "out")), "a") == [(n,) for n in range(26)]
    names = {p.name for p in (tmp_path / "out" / "_spark_metadata").iterdir()}
    assert {"19.compact", "20", "25"} <= names
    assert "19.compact" in {p.name for p in (tmp_path / "c" / "sources" / "0").iterdir()}


def test_files_that_no_batch_has_committed_are_not_there(spark, tmp_path, numbers):
    stream, add = numbers
    add("1.json", [1])
    drain(stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "c")), str(tmp_path / "out"))
    spark.range(5).selectExpr("CAST(id AS INT) AS a").write.parquet(str(tmp_path / "other"))
    for file in (tmp_path / "other").glob("*.parquet"):
        (tmp_path / "out" / file.name).write_bytes(file.read_bytes())
    assert values(spark.read.parquet(str(tmp_path / "out")), "a") == [(1,)]


def test_partitioned_files_and_tables(spark, tmp_path, namespace, numbers):
    stream, add = numbers
    add("1.json", [1, 2, 3])
    parts = stream.withColumn("p", F.col("a") % 2)
    drain(parts.writeStream.format("parquet").partitionBy("p").option("checkpointLocation", str(tmp_path / "c1")), str(tmp_path / "out"))
    assert {p.name for p in (tmp_path / "out").glob("p=*")} == {"p=0", "p=1"}
    assert values(spark.read.parquet(str(tmp_path / "out")), "a", "p") == [(1, 1), (2, 0), (3, 1)]
    drain(parts.writeStream.format("iceberg").partitionBy("p").option("checkpointLocation", str(tmp_path / "c2")), "table", f"{namespace}.parts")
    assert values(spark.table(f"{namespace}.parts"), "a", "p") == [(1, 1), (2, 0), (3, 1)]
    assert spark.table(f"{namespace}.parts.partitions").count() == 2
    drain(parts.writeStream.format("delta").partitionBy("p").option("checkpointLocation", str(tmp_path / "c3")), str(tmp_path / "delta"))
    assert {p.name for p in (tmp_path / "delta").glob("p=*")} == {"p=0", "p=1"}


def test_a_checkpoint_of_other_sources_is_refused(spark, tmp_path, numbers):
    stream, add = numbers
    add("1.json", [1])
    checkpoint = str(tmp_path / "c")
    drain(stream.writeStream.format("noop").option("checkpointLocation", checkpoint))
    query = stream.union(stream).writeStream.format("noop").option("checkpointLocation", checkpoint).start()
    with pytest.raises(StreamingQueryException, match="sources in the checkpoint offsets"):
        query.awaitTermination(60)


def test_source_files_are_cleaned_up(spark, tmp_path, numbers):
    _, add = numbers
    for how, options in (("delete", {}), ("archive", {"sourceArchiveDir": str(tmp_path / "archive")})):
        add(f"{how}1.json", [1])
        add(f"{how}2.json", [2])
        stream = spark.readStream.schema("a INT").options(cleanSource=how, **options).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
        drain(stream.writeStream.format("noop").option("checkpointLocation", str(tmp_path / how)))
        add(f"{how}3.json", [3])
        drain(stream.writeStream.format("noop").option("checkpointLocation", str(tmp_path / how)))
        for _ in range(100):
            if not (tmp_path / "in" / f"{how}1.json").exists():
                break
            time.sleep(0.1)
        assert not (tmp_path / "in" / f"{how}1.json").exists()
    assert list((tmp_path / "archive").rglob("archive1.json"))


# --- rate

def test_rate_gives_numbered_rows_in_time(spark):
    before = time.time()
    query = spark.readStream.format("rate").option("rowsPerSecond", 7).load().writeStream.format("memory").queryName("rates").start()
    try:
        while spark.table("rates").count() < 14:
            assert time.time() < before + 60
            time.sleep(0.2)
        query.processAllAvailable()
    finally:
        query.stop()
    rows = spark.table("rates").orderBy("value").collect()
    assert [row.value for row in rows] == list(range(len(rows)))
    times = [row.timestamp.timestamp() for row in rows]
    assert times == sorted(times) and before - 1.1 <= times[0] and times[-1] <= time.time()
    # Seven rows a second, evenly.
    assert abs((times[7] - times[0]) - 1) < 0.002


def test_rate_micro_batch_gives_as_many_rows_each_time(spark):
    stream = spark.readStream.format("rate-micro-batch").options(rowsPerBatch=3, startTimestamp=1000, advanceMillisPerBatch=50).load()
    query = stream.writeStream.format("memory").queryName("steps").start()
    try:
        while spark.table("steps").count() < 9:
            time.sleep(0.1)
    finally:
        query.stop()
    rows = spark.table("steps").orderBy("value").limit(9).collect()
    assert [row.value for row in rows] == list(range(9))
    assert [round(row.timestamp.timestamp() * 1000) for row in rows] == [1000] * 3 + [1050] * 3 + [1100] * 3


# --- what queries tell

def test_management(spark):
    spark.streams.resetTerminated()
    rate = spark.readStream.format("rate").load()
    query = rate.writeStream.format("memory").queryName("managed").trigger(processingTime="100 milliseconds").start()
    try:
        assert query.isActive and query.name == "managed" and query.exception() is None
        assert [q.name for q in spark.streams.active] == ["managed"]
        assert spark.streams.get(query.id).runId == query.runId
        assert query.awaitTermination(0.2) is False
        assert spark.streams.awaitAnyTermination(0.2) is False
        assert set(query.status) == {"message", "isDataAvailable", "isTriggerActive"}
        with pytest.raises(IllegalArgumentException, match="a query with that name is already active"):
            rate.writeStream.format("memory").queryName("managed").start()
        query.processAllAvailable()
    finally:
        query.stop()
    assert not query.isActive and query.status["message"] == "Stopped"
    assert query.awaitTermination(1) is True
    assert spark.streams.awaitAnyTermination(1) is True
    spark.streams.resetTerminated()
    assert spark.streams.awaitAnyTermination(0.1) is False
    assert spark.streams.get(query.id) is None


def test_progress(spark, tmp_path, numbers):
    stream, add = numbers
    add("1.json", [1, 2, 3])
    query = drain(stream.where("a > 1").observe("seen", F.count("*").alias("n")).writeStream.format("memory").queryName("progressed"))
    progress = query.lastProgress
    assert (progress.batchId, progress.numInputRows, progress.name) == (0, 3, "progressed")
    assert str(progress.id) == query.id and str(progress.runId) == query.runId
    assert {"addBatch", "getBatch", "latestOffset", "queryPlanning", "triggerExecution", "walCommit", "commitOffsets"} <= set(progress.durationMs)
    [source] = progress.sources
    assert source.description.startswith("FileStreamSource[file:") and source.numInputRows == 3
    assert source.startOffset in (None, "None", "null") and json.loads(source.endOffset.replace("'", '"')) == {"logOffset": 0}
    assert progress.sink.numOutputRows == 2
    assert progress.observedMetrics["seen"].n == 2


def test_failures_are_told(spark, tmp_path, numbers):
    stream, add = numbers
    add("1.json", [1])
    query = stream.select(F.expr("assert_true(a > 1, 'too small')")).writeStream.format("noop").option("checkpointLocation", str(tmp_path / "c")).start()
    with pytest.raises(StreamingQueryException, match="too small") as failed:
        query.awaitTermination(60)
    assert failed.value.getCondition() == "STREAM_FAILED"
    assert not query.isActive and "too small" in str(query.exception())
    assert "Terminated with exception" in query.status["message"]
    with pytest.raises(StreamingQueryException):
        spark.streams.awaitAnyTermination(10)
    spark.streams.resetTerminated()


def test_listeners_hear_of_queries(spark, numbers):
    heard = []

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event):
            heard.append(("started", event.name))

        def onQueryProgress(self, event):
            heard.append(("progress", event.progress.numInputRows))

        def onQueryIdle(self, event):
            pass

        def onQueryTerminated(self, event):
            heard.append(("terminated", event.exception))

    stream, add = numbers
    add("1.json", [1, 2])
    listener = Listener()
    spark.streams.addListener(listener)
    try:
        drain(stream.writeStream.format("noop").queryName("heard"))
        for _ in range(100):
            if len(heard) == 3:
                break
            time.sleep(0.1)
    finally:
        spark.streams.removeListener(listener)
    assert sorted(heard) == [("progress", 2), ("started", "heard"), ("terminated", None)]


def test_one_checkpoint_has_one_run(spark, tmp_path, numbers):
    stream, add = numbers
    writer = stream.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "c"))
    first = writer.start()
    second = writer.start()
    try:
        assert first.id == second.id and second.isActive and not first.isActive
        spark.conf.set("spark.sql.streaming.stopActiveRunOnRestart", "false")
        with pytest.raises(Exception, match="another query with same id is already active"):
            writer.start()
        assert second.isActive
    finally:
        spark.conf.unset("spark.sql.streaming.stopActiveRunOnRestart")
        second.stop()


def test_settings_and_views_are_those_of_the_start(spark, numbers):
    stream, add = numbers
    stream.createOrReplaceTempView("numbers_stream")
    spark.range(3).selectExpr("CAST(id AS INT) AS a", "'old' AS name").createOrReplaceTempView("names")
    joined = spark.sql("SELECT n.a, name FROM numbers_stream n JOIN names USING (a)")
    query = joined.writeStream.format("memory").queryName("joined").start()
    try:
        spark.range(3).selectExpr("CAST(id AS INT) AS a", "'new' AS name").createOrReplaceTempView("names")
        add("1.json", [1, 2, 7])
        query.processAllAvailable()
    finally:
        query.stop()
    assert values(spark.table("joined"), "a", "name") == [(1, "old"), (2, "old")]


# --- tables as sources

@pytest.mark.parametrize("kind", ["iceberg", "delta"])
def test_stream_from_a_table(spark, tmp_path, namespace, kind):
    if kind == "iceberg":
        table, name = f"{namespace}.src", f"{namespace}.src"
    else:
        table = name = f"delta.`{tmp_path / 'src'}`"
    spark.sql(f"CREATE TABLE {table} (a INT) USING {kind}")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
    stream = spark.readStream.format(kind).load(name) if kind == "iceberg" else spark.readStream.format(kind).load(str(tmp_path / "src"))
    out = str(tmp_path / "out")
    def run():
        drain(stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "c")), out)
        return values(spark.read.parquet(out), "a")
    assert run() == [(1,), (2,)]
    spark.sql(f"INSERT INTO {table} VALUES (3)")
    spark.sql(f"INSERT INTO {table} VALUES (4)")
    assert run() == [(1,), (2,), (3,), (4,)]
    assert run() == [(1,), (2,), (3,), (4,)]


def test_stream_from_and_into_a_table_of_files(spark, tmp_path, numbers):
    stream, add = numbers
    spark.sql("DROP TABLE IF EXISTS spark_catalog.default.files_of_a_stream")
    try:
        add("1.json", [1, 2])
        drain(stream.writeStream.option("checkpointLocation", str(tmp_path / "c")), "table", "spark_catalog.default.files_of_a_stream")
        again = spark.readStream.table("spark_catalog.default.files_of_a_stream")
        assert again.isStreaming
        drain(again.writeStream.format("memory").queryName("of_files"))
        assert values(spark.table("of_files"), "a") == [(1,), (2,)]
    finally:
        spark.sql("DROP TABLE IF EXISTS spark_catalog.default.files_of_a_stream")


@pytest.mark.parametrize("kind, limit", [("iceberg", "streaming-max-files-per-micro-batch"), ("delta", "maxFilesPerTrigger")])
def test_limits_of_table_sources(spark, tmp_path, namespace, kind, limit):
    table = f"{namespace}.src" if kind == "iceberg" else f"delta.`{tmp_path / 'src'}`"
    spark.sql(f"CREATE TABLE {table} (a INT) USING {kind}")
    for n in range(4):
        spark.sql(f"INSERT INTO {table} VALUES ({n})")
    where = table if kind == "iceberg" else str(tmp_path / "src")
    query = drain(spark.readStream.format(kind).option(limit, 1).load(where).writeStream.format("memory").queryName("one_by_one"))
    assert [p.numInputRows for p in query.recentProgress] == [1, 1, 1, 1]
    assert values(spark.table("one_by_one"), "a") == [(n,) for n in range(4)]


def test_iceberg_snapshots_that_do_more_than_append(spark, tmp_path, namespace):
    spark.sql(f"CREATE TABLE {namespace}.src (a INT) USING iceberg")
    for n in range(3):
        spark.sql(f"INSERT INTO {namespace}.src VALUES ({n})")
    spark.sql(f"DELETE FROM {namespace}.src WHERE a = 1")
    query = spark.readStream.format("iceberg").load(f"{namespace}.src").writeStream.format("noop").trigger(availableNow=True).start()
    with pytest.raises(StreamingQueryException, match="Cannot process delete snapshot: .*set streaming-skip-delete-snapshots=true"):
        query.awaitTermination(60)
    skipping = spark.readStream.format("iceberg").option("streaming-skip-delete-snapshots", "true").load(f"{namespace}.src")
    drain(skipping.writeStream.format("memory").queryName("skipped"))
    assert values(spark.table("skipped"), "a") == [(0,), (1,), (2,)]
    times = [row.t for row in spark.sql(f"SELECT unix_millis(committed_at) AS t FROM {namespace}.src.snapshots ORDER BY 1").collect()]
    later = skipping = spark.readStream.format("iceberg").options(**{"streaming-skip-delete-snapshots": "true",
                                                                     "stream-from-timestamp": str(times[2])}).load(f"{namespace}.src")
    drain(later.writeStream.format("memory").queryName("later"))
    assert values(spark.table("later"), "a") == [(2,)]


def test_delta_commits_that_do_more_than_add(spark, tmp_path):
    path = str(tmp_path / "src")
    spark.sql(f"CREATE TABLE delta.`{path}` (a INT) USING delta")
    for n in range(3):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({n})")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE a = 1")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (10), (11)")
    spark.sql(f"UPDATE delta.`{path}` SET a = 20 WHERE a = 10")

    def read(name, **options):
        query = spark.readStream.format("delta").options(**options).load(path).writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
        assert query.awaitTermination(60)
        return values(spark.table(name), "a")

    # The state of now has no history.
    assert read("d_state") == [(0,), (2,), (11,), (20,)]
    assert read("d_skip", startingVersion="0", skipChangeCommits="true") == [(0,), (1,), (2,), (10,), (11,)]
    assert read("d_ignore", startingVersion="0", ignoreChanges="true") in (
        [(0,), (1,), (2,), (10,), (11,), (11,), (20,)], [(0,), (1,), (2,), (10,), (11,), (20,)])
    assert read("d_latest", startingVersion="latest") == []
    with pytest.raises(StreamingQueryException, match="Detected deleted data .*ignoreDeletes"):
        read("d_refused", startingVersion="0")
    with pytest.raises(StreamingQueryException, match="Detected a data update .*skipChangeCommits"):
        read("d_refused2", startingVersion="0", ignoreDeletes="true")


def test_delta_change_feed_as_a_stream(spark, tmp_path):
    path = str(tmp_path / "src")
    spark.sql(f"CREATE TABLE delta.`{path}` (a INT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1), (2)")
    stream = spark.readStream.format("delta").option("readChangeFeed", "true").load(path)
    assert [name for name, _ in stream.dtypes] == ["a", "_change_type", "_commit_version", "_commit_timestamp"]
    out = str(tmp_path / "out")
    def run():
        drain(stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "c")), out)
        return values(spark.read.parquet(out), "a", "_change_type", "_commit_version")
    assert run() == [(1, "insert", 1), (2, "insert", 1)]
    spark.sql(f"UPDATE delta.`{path}` SET a = 3 WHERE a = 2")
    assert run() == [(1, "insert", 1), (2, "insert", 1), (2, "update_preimage", 2), (3, "update_postimage", 2)]


def test_tables_of_a_stream_keep_its_batches(spark, tmp_path, namespace, numbers):
    stream, add = numbers
    for n in range(2):
        add(f"{n}.json", [n])
        query = drain(stream.writeStream.format("iceberg").option("checkpointLocation", str(tmp_path / "c")), "table", f"{namespace}.kept")
    summaries = [row.summary for row in spark.sql(f"SELECT summary FROM {namespace}.kept.snapshots ORDER BY committed_at").collect()]
    assert [(s["spark.sql.streaming.queryId"], s["spark.sql.streaming.epochId"]) for s in summaries] == [(query.id, "0"), (query.id, "1")]
    add("d.json", [7])
    query = drain(stream.writeStream.format("delta").option("checkpointLocation", str(tmp_path / "d")), str(tmp_path / "delta"))
    log = [json.loads(line) for line in (tmp_path / "delta" / "_delta_log" / f"{0:020}.json").read_text().splitlines()]
    [txn] = [action["txn"] for action in log if "txn" in action]
    assert (txn["appId"], txn["version"]) == (query.id, 0)


@pytest.mark.ours
def test_a_closed_session_stops_its_queries(new_session, tmp_path):
    session = new_session()
    write_json(tmp_path / "in", "1.json", [{"a": 1}])
    session.readStream.schema("a INT").json(str(tmp_path / "in")).writeStream.format("parquet").option(
        "checkpointLocation", str(tmp_path / "c")).start(str(tmp_path / "out"))
    while not (tmp_path / "c" / "commits" / "0").exists():
        time.sleep(0.05)
    session.stop()
    write_json(tmp_path / "in", "2.json", [{"a": 2}])
    time.sleep(0.5)
    assert not Path(tmp_path / "c" / "offsets" / "1").exists()


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_a_table_that_is_dropped_stops_the_queries_into_it(spark, tmp_path, namespace, numbers, kind):
    stream, add = numbers
    table = f"{namespace}.gone" if kind == "iceberg" else "default.gone"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    add("1.json", [1])
    query = stream.writeStream.format(kind).option("checkpointLocation", str(tmp_path / "c")).toTable(table)
    query.processAllAvailable()
    spark.sql(f"DROP TABLE {table}")
    add("2.json", [2])
    with pytest.raises(StreamingQueryException):
        query.awaitTermination(60)


def test_latest_first_is_true_or_false(spark, tmp_path):
    write_json(tmp_path / "in", "1.json", [{"a": 1}])
    for value, ends in (("TRUE", True), ("false", True), ("maybe", False)):
        stream = spark.readStream.schema("a INT").option("latestFirst", value).json(str(tmp_path / "in"))
        if ends:
            drain(stream.writeStream.format("noop"))
            continue
        with pytest.raises(PySparkException, match="Invalid value 'maybe' for option 'latestFirst', must be 'true' or 'false'"):
            drain(stream.writeStream.format("noop"))


@pytest.fixture
def damage(tmp_path, numbers):
    """damage(file, text or None to delete it): what a query of two batches says when it goes on with the file so."""
    stream, add = numbers
    checkpoint = tmp_path / "c"

    def run():
        drain(stream.writeStream.format("noop").option("checkpointLocation", str(checkpoint)))

    for number in (0, 1):
        add(f"{number}.json", [number])
        run()

    def call(file, text):
        if text is None:
            (checkpoint / file).unlink()
        else:
            (checkpoint / file).write_text(text)
        for beside in checkpoint.glob(f"**/.{Path(file).name}.crc"):
            beside.unlink()
        add("2.json", [2])
        with pytest.raises(PySparkException) as raised:
            run()
        return str(raised.value)

    return call


@pytest.mark.parametrize("text, reason", [
    ("", "Incomplete log file"), ("\n", "MALFORMED_LOG_FILE"), ("nothing", "read correct log version from nothing"),
    ("v0\n{}", "MALFORMED_LOG_FILE"), ("v9\n{}", "INVALID_LOG_VERSION"),
])
@pytest.mark.parametrize("file", ["offsets/1", "commits/1", "sources/0/0", "sources/0/1"])
def test_a_damaged_log_is_named_with_the_reason(damage, file, text, reason):
    message = damage(file, text)
    assert re.search(f"Failed to read log file file:/.*/c/{file}\\. .*{reason}", message), message


@pytest.mark.parametrize("file, text, reason", [
    ("offsets/1", 'v1\n{"batchWatermarkMs":"x","batchTimestampMs":1,"conf":{}}\n{"logOffset":1}', "No usable value for batchWatermarkMs"),
    ("offsets/1", "v1\n{}", r"There are \[0\] sources in the checkpoint offsets and now there are \[1\] sources"),
    ("offsets/1", "v1\n{}\nnothing", "nothing"),
    ("commits/1", 'v1\n{"nextBatchWatermarkMs":"x"}', "No usable value for nextBatchWatermarkMs"),
    ("sources/0/1", "v1\n[]", "No usable value for path"),
    ("sources/0/1", None, "batch 1 doesn't exist"),
    ("sources/0/0", None, "0 doesn't exist"),
])
def test_a_checkpoint_with_holes_ends_the_query(damage, file, text, reason):
    assert re.search(reason, damage(file, text))


@pytest.mark.ours
@pytest.mark.parametrize("file, text", [("offsets/1", "v1\n{broken"), ("offsets/1", "v1"), ("commits/1", "v1\n{broken"), ("metadata", ""), ("metadata", "{broken")])
def test_broken_json_in_a_checkpoint_is_named(damage, file, text):
    assert f"c/{file}" in damage(file, text)


def test_a_checkpoint_without_its_offsets_does_not_begin_again(tmp_path, damage):
    (tmp_path / "c" / "offsets" / "0").unlink()
    assert "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY" in damage("offsets/1", None)


@pytest.mark.ours
def test_stop_ends_a_batch_whose_windows_explode(spark, tmp_path):
    write_json(tmp_path / "in", "1.json", [{"t": "2026-01-01T00:00:00.000Z"}])
    stream = spark.readStream.schema("t TIMESTAMP").json(str(tmp_path / "in"))
    query = stream.groupBy(F.window("t", "1 day", "1 millisecond")).count().writeStream.outputMode("complete").format("noop").start()
    time.sleep(1)
    assert query.isActive
    began = time.monotonic()
    query.stop()
    assert time.monotonic() - began < 20


@pytest.mark.ours
def test_lines_of_a_socket(spark):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", listener.getsockname()[1]).option("includeTimestamp", True).load()
        assert lines.dtypes == [("value", "string"), ("timestamp", "timestamp")]
        query = lines.writeStream.format("memory").queryName("lines").start()
        try:
            connection, _ = listener.accept()
            with connection:
                for sent in (b"one\r\ntwo 'quoted'\nthr", b"ee\n", "\u00e4".encode() + b"\xff\n", b"last"):
                    connection.sendall(sent)
                    time.sleep(0.2)
            deadline = time.time() + 30
            while time.time() < deadline and spark.table("lines").count() < 5:
                time.sleep(0.1)
            assert values(spark.table("lines"), "value") == [("last",), ("one",), ("three",), ("two 'quoted'",), ("\u00e4\ufffd",)]
            assert query.isActive
        finally:
            query.stop()


def test_sockets_that_make_no_sense(spark):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = listener.getsockname()[1]
    def load(schema=None, **options):
        reader = spark.readStream.format("socket").options(**options)
        return (reader.schema(schema) if schema else reader).load().schema
    for options, condition in (({}, "_LEGACY_ERROR_TEMP_1295"), ({"host": "localhost"}, "_LEGACY_ERROR_TEMP_1296"),
                               ({"host": "localhost", "port": 1, "includeTimestamp": "maybe"}, "_LEGACY_ERROR_TEMP_1297"),
                               ({"host": "localhost", "port": 1, "schema": "a INT"}, "_LEGACY_ERROR_TEMP_2242")):
        with pytest.raises(PySparkException) as refused:
            load(**options)
        assert refused.value.getCondition() == condition
    query = spark.readStream.format("socket").option("host", "localhost").option("port", closed).load().writeStream.format("noop").start()
    with pytest.raises(StreamingQueryException, match="Connection refused"):
        query.awaitTermination(60)


# --- state

def feed(spark, tmp_path, rows, schema):
    """A stream of files with one batch for each list of rows."""
    folder = tmp_path / "feed"
    for n, batch in enumerate(rows):
        write_json(folder, f"{n}.json", batch)
        os.utime(folder / f"{n}.json", (1_700_000_000 + n, 1_700_000_000 + n))
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(folder))


def test_aggregation_in_complete_and_update_mode(spark, tmp_path):
    rows = [[{"k": "a", "v": 1}, {"k": "b", "v": 2}], [{"k": "a", "v": 3}, {"v": 5}], [{"k": "a"}]]
    stream = feed(spark, tmp_path, rows, "k STRING, v INT")
    grouped = stream.groupBy("k").agg(F.count("*").alias("n"), F.sum("v").alias("s"), F.min("v").alias("low"), F.max("v").alias("high"),
                                      F.avg("v").alias("mean"), F.sort_array(F.collect_list("v")).alias("all"))
    drain(grouped.orderBy("k").writeStream.outputMode("complete").format("memory").queryName("complete"))
    expected = [(None, 1, 5, 5, 5, 5.0, [5]), ("a", 3, 4, 1, 3, 2.0, [1, 3]), ("b", 1, 2, 2, 2, 2.0, [2])]
    assert [tuple(row) for row in spark.table("complete").collect()] == expected
    seen = []
    query = grouped.writeStream.outputMode("update").foreachBatch(lambda df, n: df.write.mode("append").json(f"{tmp_path}/updates/{n}"))
    drain(query)
    for n in range(3):
        seen.append(sorted((row.k or "", row.n, row.s) for row in spark.read.schema("k STRING, n INT, s INT").json(f"{tmp_path}/updates/{n}").collect()))
    assert seen == [[("a", 1, 1), ("b", 1, 2)], [("", 1, 5), ("a", 2, 4)], [("a", 3, 4)]]


def test_aggregation_of_all_rows_and_restart(spark, tmp_path):
    stream = feed(spark, tmp_path, [[{"v": 1}], [{"v": 2}]], "v INT")
    total = stream.groupBy().agg(F.sum("v").alias("s"), F.count("*").alias("n"))
    def run():
        drain(total.writeStream.outputMode("complete").format("delta").option("checkpointLocation", str(tmp_path / "c")), str(tmp_path / "out"))
        return values(spark.read.format("delta").load(str(tmp_path / "out")), "s", "n")
    assert run() == [(3, 2)]
    write_json(tmp_path / "feed", "later.json", [{"v": 10}])
    assert run() == [(13, 3)]


def test_windows_are_given_once_the_watermark_has_passed(spark, tmp_path):
    def at(*seconds):
        return [{"t": f"2026-01-01T00:00:{s:02}.000Z"} for s in seconds]
    stream = feed(spark, tmp_path, [at(1, 2, 11), at(13, 24), at(5, 25), at(59)], "t TIMESTAMP")
    windows = stream.withWatermark("t", "2 seconds").groupBy(F.window("t", "10 seconds")).count().selectExpr("second(window.start) AS s", "count AS n")
    query = drain(windows.writeStream.format("memory").queryName("windows"))
    # 5 comes with the batch that completes its window: late is what the watermark of the batch before had passed, 9. The
    # last window is still open.
    assert values(spark.table("windows"), "s", "n") == [(0, 3), (10, 2), (20, 2)]
    assert query.lastProgress.eventTime["watermark"] == "2026-01-01T00:00:57.000Z"
    with pytest.raises(AnalysisException) as refused:
        stream.groupBy("t").count().writeStream.format("noop").start()
    assert refused.value.getCondition() == "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"


def test_duplicates_are_dropped_over_all_batches(spark, tmp_path):
    stream = feed(spark, tmp_path, [[{"k": 1, "v": "a"}, {"k": 1, "v": "a"}], [{"k": 2, "v": "b"}, {"k": 1, "v": "a"}], [{"v": "n"}, {"k": 2, "v": "b"}]],
                  "k INT, v STRING")
    drain(stream.dropDuplicates(["k"]).writeStream.format("memory").queryName("unique"))
    assert sorted((row.k or 0, row.v) for row in spark.table("unique").collect()) == [(0, "n"), (1, "a"), (2, "b")]
    drain(stream.distinct().writeStream.format("memory").queryName("different"))
    assert spark.table("different").count() == 3


# --- functions of the user

def test_foreach_batch(spark, tmp_path, namespace):
    stream = feed(spark, tmp_path, [[{"a": 1}], [{"a": 2}, {"a": 3}]], "a INT")
    table = f"{namespace}.batches"
    spark.sql(f"CREATE TABLE {table} (a INT, batch BIGINT) USING iceberg")

    def write(df, batch):
        df.selectExpr("a", f"CAST({batch} AS BIGINT) AS batch").writeTo(table).append()
        df.sparkSession.sql(f"INSERT INTO {table} SELECT -1, {batch}")

    drain(stream.writeStream.foreachBatch(write))
    assert values(spark.table(table), "batch", "a") == [(0, -1), (0, 1), (1, -1), (1, 2), (1, 3)]

    def fail(df, batch):
        raise ValueError("not this one")

    query = stream.writeStream.foreachBatch(fail).trigger(availableNow=True).start()
    with pytest.raises(StreamingQueryException, match="not this one"):
        query.awaitTermination(60)


def test_foreach(spark, tmp_path):
    stream = feed(spark, tmp_path, [[{"a": 1, "b": "x"}], [{"a": 2}]], "a INT, b STRING")
    folder = str(tmp_path)

    class Writer:
        def open(self, partition, batch):
            self.batch = batch
            return True

        def process(self, row):
            with open(f"{folder}/rows.txt", "a") as out:
                out.write(f"{self.batch} {row.a} {row['b']}\n")

        def close(self, error):
            with open(f"{folder}/closed.txt", "a") as out:
                out.write(f"{self.batch} {error}\n")

    drain(stream.writeStream.foreach(Writer()))
    assert (tmp_path / "rows.txt").read_text().splitlines() == ["0 1 x", "1 2 None"]
    assert (tmp_path / "closed.txt").read_text().splitlines()[:2] == ["0 None", "1 None"]


def test_a_schema_over_what_a_query_has_written_keeps_its_order(spark, numbers, tmp_path):
    stream, add = numbers
    add("1.json", [1, 2])
    out = str(tmp_path / "out")
    drain(stream.select(F.col("a").alias("p"), (F.col("a") * 10).alias("b")).writeStream.format("parquet").partitionBy("p")
          .option("checkpointLocation", str(tmp_path / "checkpoint")), out)
    assert spark.read.parquet(out).columns == ["b", "p"]
    assert sorted(tuple(row) for row in spark.read.schema("p INT, b INT").parquet(out).collect()) == [(1, 10), (2, 20)]
    assert values(spark.read.schema("p INT, b INT").parquet(out).where("p = 2"), "b") == [(20,)]
