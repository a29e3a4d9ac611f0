"""Stateful operators of streaming queries: duplicates within the watermark, sessions, several watermarks, joins of two
streams, several operators in one query.

These hold on Spark too.
"""
import os

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, StreamingQueryException
from pyspark.sql import functions as F
from test_streaming import drain, write_json


def at(second):
    return f"2026-01-01T00:{second // 60:02}:{second % 60:02}.000Z"


@pytest.fixture
def streams(spark, tmp_path):
    """make(name, schema, [[row, ...], ...]): a stream with a batch for each list; "t" of a row is in seconds."""
    def make(name, schema, batches):
        for n, batch in enumerate(batches):
            rows = [{key: at(value) if key.startswith("t") else value for key, value in row.items()} for row in batch]
            write_json(tmp_path / name, f"{n}.json", rows)
            os.utime(tmp_path / name / f"{n}.json", (1_700_000_000 + n, 1_700_000_000 + n))
        return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(tmp_path / name))
    yield make
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def result(spark, tmp_path):
    """Runs a query to the end, again from its checkpoint; all rows that it has given, sorted: a list of tuples."""
    def run(df, mode="append"):
        writer = df.writeStream.outputMode(mode)
        if mode == "append":
            out = str(tmp_path / "out")
            drain(writer.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint")), out)
            rows = spark.read.schema(df.schema).parquet(out).collect()
        else:
            drain(writer.format("memory").queryName("result"))
            rows = spark.table("result").collect()
        return sorted((tuple(row) for row in rows), key=repr)
    return run


def seconds(column):
    return F.expr(f"CAST(unix_seconds({column}) - unix_seconds(TIMESTAMP '2026-01-01 00:00:00Z') AS INT)")


# --- duplicates

def test_duplicates_within_the_watermark(streams, result):
    rows = [[{"t": 10, "k": 1, "v": "a"}, {"t": 10, "k": 1, "v": "b"}, {"t": 11, "k": 2, "v": "c"}],
            [{"t": 14, "k": 1, "v": "d"}, {"t": 30, "k": 3, "v": "e"}],
            [{"t": 31, "k": 1, "v": "f"}, {"t": 30, "k": 3, "v": "g"}],
            [{"t": 21, "k": 9, "v": "late"}]]
    stream = streams("in", "t TIMESTAMP, k INT, v STRING", rows).withWatermark("t", "5 seconds")
    # Key 1 is forgotten at 15, which is after the third batch has looked for it; in the fourth it is late.
    assert result(stream.dropDuplicatesWithinWatermark(["k"]).select("k")) == [(1,), (2,), (3,)]


def test_duplicates_within_the_watermark_over_a_restart(spark, streams, result, tmp_path):
    stream = streams("in", "t TIMESTAMP, k INT", [[{"t": 10, "k": 1}]]).withWatermark("t", "1 hour")
    unique = stream.dropDuplicatesWithinWatermark(["k"]).select("k")
    assert result(unique) == [(1,)]
    write_json(tmp_path / "in", "later.json", [{"t": at(20), "k": 1}, {"t": at(21), "k": 2}])
    assert result(unique) == [(1,), (2,)]


def test_duplicates_within_the_watermark_need_one(spark, streams):
    stream = streams("in", "t TIMESTAMP, k INT", [[]])
    with pytest.raises(AnalysisException, match="dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark"):
        stream.dropDuplicatesWithinWatermark(["k"]).writeStream.format("noop").start()
    with pytest.raises(AnalysisException, match="dropDuplicatesWithinWatermark is not supported with batch DataFrames/DataSets"):
        spark.range(3).dropDuplicatesWithinWatermark(["id"]).collect()
    with pytest.raises(AnalysisException) as refused:
        stream.withWatermark("t", "1 second").dropDuplicatesWithinWatermark().writeStream.outputMode("complete").format("noop").start()
    assert refused.value.getCondition() == "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"


# --- sessions

SESSIONS = [[{"t": 1, "k": "a", "v": 1}, {"t": 20, "k": "a", "v": 2}, {"t": 3, "k": "b", "v": 3}],
            [{"t": 4, "k": "a", "v": 4}, {"t": 9, "k": "b", "v": 5}, {"t": 25, "k": "c", "v": 6}],
            [{"t": 24, "k": "a", "v": 7}, {"t": 60, "k": "d", "v": 8}],
            [{"t": 100, "k": "e", "v": 9}]]


def session(df, gap):
    grouped = df.groupBy("k", F.session_window("t", gap).alias("w")).agg(F.sum("v").alias("s"), F.count("*").alias("n"))
    return grouped.select("k", seconds("w.start").alias("from"), seconds("w.end").alias("to"), "s", "n")


def test_sessions_grow_over_batches(streams, result):
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", SESSIONS).withWatermark("t", "10 seconds")
    got = result(session(stream, "5 seconds"))
    assert sorted(got) == [("a", 1, 9, 5, 2), ("a", 20, 29, 9, 2), ("b", 3, 8, 3, 1), ("b", 9, 14, 5, 1), ("c", 25, 30, 6, 1), ("d", 60, 65, 8, 1)]


def test_sessions_with_a_gap_of_their_own(streams, result):
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", SESSIONS).withWatermark("t", "10 seconds")
    got = result(session(stream, F.expr("CASE WHEN k = 'b' THEN '6 seconds' ELSE '1 second' END")))
    assert sorted(got) == [("a", 1, 2, 1, 1), ("a", 4, 5, 4, 1), ("a", 20, 21, 2, 1), ("a", 24, 25, 7, 1), ("b", 3, 15, 8, 2),
                           ("c", 25, 26, 6, 1), ("d", 60, 61, 8, 1)]


def test_sessions_in_complete_mode(streams, result):
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", SESSIONS)
    got = result(session(stream, "5 seconds"), "complete")
    assert sorted(got) == [("a", 1, 9, 5, 2), ("a", 20, 29, 9, 2), ("b", 3, 8, 3, 1), ("b", 9, 14, 5, 1), ("c", 25, 30, 6, 1), ("d", 60, 65, 8, 1),
                       ("e", 100, 105, 9, 1)]


def test_sessions_that_spark_does_not_have(streams):
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", SESSIONS)
    timed = stream.withWatermark("t", "10 seconds")
    for df, mode in ((timed, "update"), (stream, "append")):
        with pytest.raises(AnalysisException) as refused:
            session(df, "5 seconds").writeStream.outputMode(mode).format("noop").start()
        assert refused.value.getCondition() == "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"
    query = timed.groupBy(F.session_window("t", "5 seconds")).count().writeStream.format("noop").start()
    with pytest.raises(StreamingQueryException, match="Global aggregation with session window in streaming query is not supported"):
        query.awaitTermination(60)


# --- watermarks

@pytest.mark.parametrize("policy, watermark", [("min", "2026-01-01T00:00:05.000Z"), ("max", "2026-01-01T00:01:00.000Z")])
def test_of_several_watermarks_the_policy_chooses(spark, streams, policy, watermark):
    left = streams("l", "t TIMESTAMP, k INT", [[{"t": 10, "k": 1}]]).withWatermark("t", "5 seconds")
    right = streams("r", "t TIMESTAMP, k INT", [[{"t": 65, "k": 1}]]).withWatermark("t", "5 seconds")
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", policy)
    try:
        query = drain(left.union(right).groupBy(F.window("t", "5 seconds")).count().writeStream.format("noop"))
        assert query.lastProgress.eventTime["watermark"] == watermark
    finally:
        spark.conf.unset("spark.sql.streaming.multipleWatermarkPolicy")


def test_watermark_policies_are_two(spark):
    with pytest.raises(IllegalArgumentException) as refused:
        spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "mean")
    assert refused.value.getCondition() == "INVALID_CONF_VALUE.REQUIREMENT"


def test_rows_behind_the_watermark_of_the_former_batch_are_late(streams, result):
    stream = streams("in", "t TIMESTAMP", [[{"t": 1}, {"t": 20}], [{"t": 3}, {"t": 21}], [{"t": 4}, {"t": 40}]]).withWatermark("t", "5 seconds")
    grouped = stream.groupBy(F.window("t", "10 seconds").alias("w")).count().select(seconds("w.start").alias("s"), "count")
    # 3 comes with the batch that completes its window; 4 comes after it.
    assert result(grouped) == [(0, 2), (20, 2)]


def test_many_windows_of_a_row(spark, streams, result):
    stream = streams("in", "t TIMESTAMP", [[{"t": 1000}], [{"t": 3000}], [{"t": 3001}]]).withWatermark("t", "1 second")
    counts = stream.groupBy(F.window("t", "1000 seconds", "1 second").alias("w")).count().select(seconds("w.start").alias("s"), "count")
    assert result(counts) == sorted([(second, 1) for second in range(1, 1001)], key=repr)
    batch = spark.sql("SELECT TIMESTAMP '2026-01-01 00:16:40' AS t").groupBy(F.window("t", "1000 seconds", "1 second", "500 milliseconds")).count()
    assert batch.agg(F.count("*"), F.min(F.unix_millis("window.start")) % 1000, F.sum("count")).first()[0::2] == (1000, 1000)


# --- joins

LEFT = [[{"t": 10, "k": 1, "a": "x"}, {"t": 12, "k": 2, "a": "y"}], [{"t": 15, "k": 3, "a": "z"}], [{"t": 60, "k": 9, "a": "end"}], [{"t": 61, "k": 9, "a": "end2"}]]
RIGHT = [[{"u": 11, "j": 1, "b": "p"}], [{"u": 13, "j": 1, "b": "q"}, {"u": 16, "j": 4, "b": "r"}], [{"u": 60, "j": 8, "b": "end"}], [{"u": 61, "j": 8, "b": "end2"}]]
JOINED = {
    "inner": {("x", "p"), ("x", "q")},
    "left": {("x", "p"), ("x", "q"), ("y", None), ("z", None)},
    "right": {("x", "p"), ("x", "q"), (None, "r")},
    "full": {("x", "p"), ("x", "q"), ("y", None), ("z", None), (None, "r")},
    "leftsemi": {("x",)},
}


def two(streams, left=LEFT, right=RIGHT):
    right = [[{("tu" if key == "u" else key): value for key, value in row.items()} for row in batch] for batch in right]
    return (streams("l", "t TIMESTAMP, k INT, a STRING", left).withWatermark("t", "5 seconds"),
            streams("r", "tu TIMESTAMP, j INT, b STRING", right).withWatermark("tu", "5 seconds"))


@pytest.mark.parametrize("kind", JOINED)
def test_joins_of_two_streams(streams, result, kind):
    left, right = two(streams)
    joined = left.join(right, F.expr("k = j AND tu >= t - INTERVAL 10 SECONDS AND tu <= t + INTERVAL 10 SECONDS"), kind)
    got = result(joined.select(*(["a"] if kind == "leftsemi" else ["a", "b"])))
    assert got == sorted(JOINED[kind], key=repr)


@pytest.mark.parametrize("kind", JOINED)
def test_joins_over_a_restart(streams, result, tmp_path, kind):
    left, right = two(streams, LEFT[:1], RIGHT[:1])
    joined = left.join(right, F.expr("k = j AND tu >= t - INTERVAL 10 SECONDS AND tu <= t + INTERVAL 10 SECONDS"), kind)
    joined = joined.select(*(["a"] if kind == "leftsemi" else ["a", "b"]))
    got = result(joined)
    for n in (1, 2, 3):
        two(streams, LEFT[: n + 1], RIGHT[: n + 1])
        got = result(joined)
    assert got == sorted(JOINED[kind], key=repr)


@pytest.mark.parametrize("last, alone", [("18.000", []), ("18.001", [(None, 1)])])
def test_a_row_waits_for_a_partner_at_the_very_bound(streams, result, last, alone):
    def side(prefix, *rows):
        stream = streams(prefix, "k INT, moment TIMESTAMP", [[{"k": k, "moment": f"2026-01-01T00:00:{moment}Z"} for k, moment in rows]])
        return stream.select(F.col("k").alias(f"{prefix}k"), F.col("moment").alias(f"{prefix}t")).withWatermark(f"{prefix}t", "0 seconds")

    within = F.expr("lk = rk AND rt BETWEEN lt - INTERVAL 5 SECONDS AND lt + INTERVAL 8 SECONDS")
    joined = side("l", (5, last)).join(side("r", (1, "13.000"), (9, "59.000")), within, "right_outer")
    assert result(joined.select("lk", "rk")) == alone


def test_joins_on_windows_forget_what_the_watermark_has_passed(streams, result, spark, tmp_path):
    left, right = two(streams)
    left = left.groupBy(F.window("t", "10 seconds").alias("w")).count()
    right = right.groupBy(F.window("tu", "10 seconds").alias("w")).agg(F.count("*").alias("m"))
    joined = left.join(right, "w").select(seconds("w.start").alias("s"), "count", "m")
    assert result(joined) == [(10, 3, 3)]


def test_state_of_joins_is_evicted(streams):
    left, right = two(streams)
    joined = left.join(right, F.expr("k = j AND tu BETWEEN t AND t + INTERVAL 10 SECONDS"))
    query = drain(joined.writeStream.format("noop"))
    assert query.lastProgress.stateOperators[0].numRowsTotal == 4  # The two last rows of each side.
    kept = drain(left.join(right, F.expr("k = j")).writeStream.format("noop"))
    assert kept.lastProgress.stateOperators[0].numRowsTotal == 10


@pytest.mark.parametrize("kind, on, timed, message", [
    ("left", "k = j", "lr", "Stream-stream LeftOuter join between two streaming DataFrame/Datasets is not supported without a watermark"),
    ("left", "k = j AND tu >= t AND tu <= t + INTERVAL 5 SECONDS", "l", "Stream-stream LeftOuter join"),
    ("left", "k = j AND tu >= t AND tu <= t + INTERVAL 5 SECONDS", "r", None),
    ("right", "k = j AND tu >= t AND tu <= t + INTERVAL 5 SECONDS", "r", "Stream-stream RightOuter join"),
    ("right", "k = j AND tu >= t AND tu <= t + INTERVAL 5 SECONDS", "l", None),
    ("full", "k = j", "lr", "Stream-stream FullOuter join"),
    ("full", "k = j AND tu >= t AND tu <= t + INTERVAL 5 SECONDS", "l", None),
    ("full", "t = tu", "r", None),
    ("leftsemi", "k = j", "", "Stream-stream LeftSemi join"),
    ("leftanti", "t = tu", "lr", "LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported"),
    ("inner", "k = j", "", None),
])
def test_joins_need_a_watermark(streams, kind, on, timed, message):
    left = streams("l", "t TIMESTAMP, k INT", [[]])
    right = streams("r", "tu TIMESTAMP, j INT", [[]])
    if "l" in timed:
        left = left.withWatermark("t", "5 seconds")
    if "r" in timed:
        right = right.withWatermark("tu", "5 seconds")
    writer = left.join(right, F.expr(on), kind).writeStream.format("noop").trigger(availableNow=True)
    if message is None:
        assert writer.start().awaitTermination(60)
        return
    with pytest.raises(AnalysisException, match=message) as refused:
        writer.start()
    assert refused.value.getCondition() == "_LEGACY_ERROR_TEMP_3102"


def test_joins_that_spark_does_not_have(streams):
    left, right = two(streams)
    with pytest.raises(AnalysisException, match="is not supported in Update output mode, only in Append output mode"):
        left.join(right, F.expr("t = tu")).writeStream.outputMode("update").format("noop").start()
    query = left.join(right, F.expr("t < tu")).writeStream.format("noop").start()
    with pytest.raises(StreamingQueryException, match="Stream-stream join without equality predicate is not supported"):
        query.awaitTermination(60)


# --- several operators

def test_aggregation_of_an_aggregation(streams, result):
    stream = streams("in", "t TIMESTAMP", [[{"t": 1}, {"t": 2}, {"t": 7}], [{"t": 13}, {"t": 30}], [{"t": 31}], [{"t": 60}]]).withWatermark("t", "5 seconds")
    small = stream.groupBy(F.window("t", "5 seconds")).count()
    large = small.groupBy(F.window(F.window_time("window"), "10 seconds").alias("w")).agg(F.sum("count").alias("n"), F.max("count").alias("most"))
    assert result(large.select(seconds("w.start").alias("s"), "n", "most")) == [(0, 3, 2), (10, 1, 1), (30, 2, 2)]


def test_duplicates_are_dropped_before_they_are_counted(streams, result):
    rows = [[{"t": 1, "k": 1}, {"t": 1, "k": 1}], [{"t": 1, "k": 1}, {"t": 2, "k": 2}], [{"t": 30, "k": 3}]]
    stream = streams("in", "t TIMESTAMP, k INT", rows).withWatermark("t", "5 seconds")
    counts = stream.dropDuplicates(["t", "k"]).groupBy(F.window("t", "10 seconds").alias("w")).count()
    assert result(counts.select(seconds("w.start").alias("s"), "count")) == [(0, 2)]


def test_join_and_then_aggregation(streams, result):
    left, right = two(streams)
    joined = left.join(right, F.expr("k = j AND tu >= t AND tu <= t + INTERVAL 10 SECONDS"), "left")
    counts = joined.groupBy(F.window("t", "10 seconds").alias("w")).agg(F.count("*").alias("n"), F.count("b").alias("m"))
    assert result(counts.select(seconds("w.start").alias("s"), "n", "m")) == [(10, 4, 2)]


def test_operators_over_others_that_spark_does_not_have(streams):
    stream = streams("in", "t TIMESTAMP", [[]]).withWatermark("t", "5 seconds")
    small = stream.groupBy(F.window("t", "5 seconds")).count()
    for mode in ("update", "complete"):
        with pytest.raises(AnalysisException, match="possible 'correctness' issue due to global watermark"):
            small.groupBy("count").count().writeStream.outputMode(mode).format("noop").start()


def test_operators_over_common_table_expressions(spark, streams, result):
    streams("in", "k INT", [[{"k": 1}, {"k": 2}], [{"k": 1}, {"k": 3}]]).createOrReplaceTempView("stream_of_keys")
    assert result(spark.sql("WITH x AS (SELECT k FROM stream_of_keys) SELECT DISTINCT k FROM x")) == [(1,), (2,), (3,)]
    counts = spark.sql("WITH one AS (SELECT 1 AS k), x AS (SELECT k FROM stream_of_keys), y AS (SELECT x.k FROM x JOIN one ON x.k > one.k - 1) "
                       "SELECT k, count(*) AS n FROM y GROUP BY k")
    assert result(counts, "complete") == [(1, 2), (2, 1), (3, 1)]
