"""applyInPandasWithState: functions of Python over the groups of a stream, with what they keep of each group.

These hold on Spark too.
"""
import time

import pandas as pd
import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException, StreamingQueryException
from pyspark.sql import functions as F
from test_streaming import drain, write_json
from test_streaming_stateful import at, result, streams  # noqa: F401

ROWS = [[{"t": 1, "k": "a", "v": 1}, {"t": 2, "k": "a", "v": 2}, {"t": 3, "k": "b", "v": 3}], [{"t": 4, "k": "a", "v": 4}, {"t": 5, "v": 5}],
        [{"t": 6, "k": "b", "v": 6}, {"t": 7, "v": 7}]]


def make_running():
    # Made here, so that it is pickled with its code: the server does not have this module.
    def running(key, frames, state):
        total, count = state.get if state.exists else (0, 0)
        for frame in frames:
            total, count = total + int(frame.v.sum()), count + len(frame)
        state.update((total, count))
        yield pd.DataFrame({"k": [key[0]], "total": [total], "n": [count]})
    return running


def totals(stream, mode="append"):
    """The sum and the number of each group's values so far."""
    return stream.groupBy("k").applyInPandasWithState(make_running(), "k STRING, total LONG, n INT", "total LONG, n INT", mode, "NoTimeout")


def test_the_state_of_a_group_lasts_over_batches(streams, result):  # noqa: F811
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", ROWS)
    assert result(totals(stream)) == [("a", 3, 2), ("a", 7, 3), ("b", 3, 1), ("b", 9, 2), (None, 12, 2), (None, 5, 1)]


def test_the_state_of_a_group_lasts_over_restarts(streams, result, tmp_path):  # noqa: F811
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", ROWS[:1])
    assert result(totals(stream)) == [("a", 3, 2), ("b", 3, 1)]
    write_json(tmp_path / "in", "later.json", [{"t": at(9), "k": "a", "v": 10}])
    assert result(totals(stream)) == [("a", 13, 3), ("a", 3, 2), ("b", 3, 1)]


def test_a_state_that_is_removed_is_gone(streams, result):  # noqa: F811
    def toggle(key, frames, state):
        before = state.getOption
        if state.exists:
            state.remove()
        else:
            state.update((key[0], [len(frame) for frame in frames]))
        yield pd.DataFrame({"k": [key[0]], "before": [str(before)]})

    stream = streams("in", "k STRING", [[{"k": "a"}], [{"k": "a"}], [{"k": "a"}]])
    toggled = stream.groupBy("k").applyInPandasWithState(toggle, "k STRING, before STRING", "k STRING, sizes ARRAY<INT>", "append", "NoTimeout")
    assert [row[1] for row in result(toggled)] == ["('a', [1])", "None", "None"]


def test_groups_time_out_by_the_watermark(streams, result):  # noqa: F811
    def sessions(key, frames, state):
        if state.hasTimedOut:
            (count,) = state.get
            assert list(frames) == [] or sum(len(frame) for frame in frames) == 0
            state.remove()
            yield pd.DataFrame({"k": [key[0]], "n": [count]})
        else:
            count = state.get[0] if state.exists else 0
            for frame in frames:
                count += len(frame)
                last = int(frame.t.max().timestamp() * 1000)
            state.update((count,))
            state.setTimeoutTimestamp(max(last + 5000, state.getCurrentWatermarkMs() + 1))

    rows = [[{"t": 1, "k": "a"}, {"t": 2, "k": "a"}, {"t": 20, "k": "b"}], [{"t": 21, "k": "b"}], [{"t": 60, "k": "c"}], [{"t": 61, "k": "c"}]]
    stream = streams("in", "t TIMESTAMP, k STRING", rows).withWatermark("t", "5 seconds")
    ended = stream.groupBy("k").applyInPandasWithState(sessions, "k STRING, n INT", "n INT", "append", "EventTimeTimeout")
    assert result(ended) == [("a", 2), ("b", 2)]


def test_groups_time_out_by_the_clock(spark, streams, tmp_path):  # noqa: F811
    def expire(key, frames, state):
        if state.hasTimedOut:
            yield pd.DataFrame({"k": [key[0]], "what": ["gone"]})
            state.remove()
        else:
            state.update((1,))
            state.setTimeoutDuration(500)
            yield pd.DataFrame({"k": [key[0]], "what": ["here"]})

    stream = streams("in", "k STRING", [[{"k": "a"}]])
    expired = stream.groupBy("k").applyInPandasWithState(expire, "k STRING, what STRING", "n INT", "append", "ProcessingTimeTimeout")
    query = expired.writeStream.format("memory").queryName("expired").start()
    try:
        deadline = time.time() + 60
        while time.time() < deadline and spark.table("expired").count() < 2:
            time.sleep(0.2)
        assert [tuple(row) for row in spark.table("expired").orderBy("what").collect()] == [("a", "gone"), ("a", "here")]
    finally:
        query.stop()


def test_update_mode_and_what_stands_above(spark, streams, result):  # noqa: F811
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", ROWS)
    drain(totals(stream, "update").writeStream.outputMode("update").format("noop"))
    assert result(totals(stream).groupBy("k").agg(F.max("total").alias("most"), F.count("*").alias("m")), "complete") == \
        [("a", 7, 2), ("b", 9, 2), (None, 12, 2)]


@pytest.mark.parametrize("made, mode, message", [
    (lambda s: totals(s), "update", "applyInPandasWithState in append mode is not supported with Update output mode on a streaming DataFrame/Dataset"),
    (lambda s: totals(s, "update"), "append", "applyInPandasWithState in update mode is not supported with Append output mode"),
    (lambda s: totals(s, "update").groupBy("k").count(), "update", "applyInPandasWithState in update mode is not supported with aggregation"),
    (lambda s: totals(s.groupBy("k", F.window("t", "1 second")).agg(F.max("v").alias("v")).select("k", "v")), "append",
     "applyInPandasWithState in append mode is not supported after aggregation"),
    (lambda s: totals(totals(s).select("k", F.col("n").alias("v"))), "append", "Multiple applyInPandasWithStates are not supported"),
    (lambda s: s.groupBy("k").applyInPandasWithState(make_running(), "k STRING", "n INT", "append", "EventTimeTimeout"), "append",
     "Watermark must be specified in the query"),
])
def test_what_spark_refuses(streams, made, mode, message):  # noqa: F811
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", [[]])
    with pytest.raises(AnalysisException, match=message) as refused:
        made(stream).writeStream.outputMode(mode).format("noop").start()
    assert refused.value.getCondition() == "_LEGACY_ERROR_TEMP_3102"


def test_arguments_that_make_no_sense(spark, streams):  # noqa: F811
    stream = streams("in", "t TIMESTAMP, k STRING, v INT", [[]])
    with pytest.raises(IllegalArgumentException, match="The output mode of function should be append or update"):
        totals(stream, "complete").schema  # noqa: B018
    with pytest.raises(IllegalArgumentException) as refused:
        totals(stream, "sometimes").schema  # noqa: B018
    assert refused.value.getCondition() == "STREAMING_OUTPUT_MODE.INVALID"
    with pytest.raises(PySparkException, match="Invalid string for GroupStateTimeout: Never"):
        stream.groupBy("k").applyInPandasWithState(make_running(), "k STRING", "n INT", "append", "Never").schema  # noqa: B018
    with pytest.raises(PySparkException, match="applyInPandasWithState is unsupported in batch query. Use applyInPandas instead"):
        totals(spark.sql("SELECT 'a' AS k, 1 AS v")).collect()


def test_errors_of_the_function_are_told(streams):  # noqa: F811
    def fail(key, frames, state):
        raise ValueError("not this group")
        yield

    stream = streams("in", "t TIMESTAMP, k STRING, v INT", ROWS)
    failing = stream.groupBy("k").applyInPandasWithState(fail, "k STRING", "n INT", "append", "NoTimeout")
    with pytest.raises(StreamingQueryException, match="not this group"):
        failing.writeStream.format("noop").trigger(availableNow=True).start().awaitTermination(60)
