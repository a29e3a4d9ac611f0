"""transformWithState and transformWithStateInPandas: processors of Python with variables of state, timers and a time to
live for each group of a stream.

These hold on Spark too.
"""
import time

import pandas as pd
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor
from test_streaming import drain, write_json
from test_streaming_stateful import at, result, streams  # noqa: F401

ROWS = [[{"t": 1, "k": "a", "v": 1}, {"t": 2, "k": "a", "v": 2}, {"t": 3, "k": "b", "v": 3}],
        [{"t": 4, "k": "a", "v": 4}, {"t": 5, "v": 5}], [{"t": 6, "k": "b", "v": 6}, {"t": 7, "v": 7}]]
SCHEMA = "t TIMESTAMP, k STRING, v INT"


@pytest.fixture(autouse=True)
def rocks(spark):
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    yield
    spark.conf.unset("spark.sql.streaming.stateStore.providerClass")
    spark.conf.unset("spark.sql.shuffle.partitions")


def make(rows, **methods):
    """A processor of the methods. Made here, so that it is pickled with its code; `rows`: as Row, not as DataFrame."""
    def values_of(self, part):
        return list(part.v) if not rows else [row.v for row in part]

    def give(self, names, values):
        if not rows:
            return [pd.DataFrame([values], columns=names)]
        return [Row(**dict(zip(names, values)))]

    body = {"values_of": values_of, "give": give, "close": lambda self: None, **methods}
    if "handleInputRows" in body and not rows:
        handle = body["handleInputRows"]

        def each(self, key, frames, timers):
            # One iterator over everything, as for rows.
            frame = pd.concat(list(frames))
            yield from handle(self, key, frame, timers)

        body["handleInputRows"] = each
    return type("Processor", (StatefulProcessor,), body)()


@pytest.fixture(params=["pandas", "rows"])
def process(request):
    """process(stream, schema, methods...): the stream through such a processor, grouped by k."""
    def run(stream, schema, mode="append", time_mode="None", initial=None, by=("k",), **methods):
        groups = stream.groupBy(*by)
        processor = make(request.param == "rows", **methods)
        call = groups.transformWithStateInPandas if request.param == "pandas" else groups.transformWithState
        more = {} if initial is None else {"initialState": initial}
        return call(processor, schema, mode, time_mode, **more)
    run.rows = request.param == "rows"
    return run


def sums():
    def init(self, handle):
        self.total = handle.getValueState("total", "s LONG, n INT")

    def handleInputRows(self, key, rows, timers):
        values = self.values_of(rows)
        s, n = self.total.get() if self.total.exists() else (0, 0)
        s, n = int(s + sum(values)), n + len(values)
        self.total.update((s, n))
        yield from self.give(["k", "s", "n"], [key[0], s, n])
    return {"init": init, "handleInputRows": handleInputRows}


def test_a_value_lasts_over_batches(streams, result, process):  # noqa: F811
    given = process(streams("in", SCHEMA, ROWS), "k STRING, s LONG, n INT", **sums())
    assert result(given) == [("a", 3, 2), ("a", 7, 3), ("b", 3, 1), ("b", 9, 2), (None, 12, 2), (None, 5, 1)]


def test_a_value_lasts_over_restarts(streams, result, process, tmp_path):  # noqa: F811
    given = process(streams("in", SCHEMA, ROWS[:1]), "k STRING, s LONG, n INT", **sums())
    assert result(given) == [("a", 3, 2), ("b", 3, 1)]
    write_json(tmp_path / "in", "later.json", [{"t": at(9), "k": "a", "v": 10}])
    assert result(given) == [("a", 13, 3), ("a", 3, 2), ("b", 3, 1)]


def test_update_mode(streams, process, tmp_path):  # noqa: F811
    given = process(streams("in", SCHEMA, ROWS[:2]), "k STRING, s LONG, n INT", "update", **sums())
    query = drain(given.writeStream.outputMode("update").format("noop").option("checkpointLocation", str(tmp_path / "checkpoint")))
    (state,) = query.lastProgress["stateOperators"]
    assert state["operatorName"] == "transformWithStateExec" and state["numRowsUpdated"] == 2


def test_lists_and_maps(streams, result, process):  # noqa: F811
    def init(self, handle):
        self.items = handle.getListState("items", "v INT")
        self.counts = handle.getMapState("counts", "v INT", "n INT")

    def handleInputRows(self, key, rows, timers):
        before = (self.items.exists(), self.counts.exists(), self.counts.containsKey((1,)), self.counts.getValue((1,)))
        for v in self.values_of(rows):
            v = int(v)
            if v == 100:
                self.items.clear()
                self.counts.clear()
            elif v == 50:
                self.items.put([(7,), (8,)])
                self.counts.removeKey((1,))
            elif v == 60:
                self.items.appendList([(1,), (1,)])
            else:
                self.items.appendValue((v,))
                found = self.counts.getValue((v,))
                self.counts.updateValue((v,), ((found[0] if found else 0) + 1,))
        pairs = sorted((tuple(k), tuple(v)) for k, v in self.counts.iterator())
        keys, values = sorted(tuple(k) for k in self.counts.keys()), sorted(tuple(v) for v in self.counts.values())
        items = [tuple(item) for item in self.items.get()]
        yield from self.give(["k", "x"], [key[0], str((before[:3], before[3] and tuple(before[3]), items, pairs, keys, values))])

    batches = [[1, 1, 2], [60], [50], [100], [3]]
    stream = streams("in", SCHEMA, [[{"t": 1, "k": "a", "v": v} for v in batch] for batch in batches])
    given = process(stream, "k STRING, x STRING", init=init, handleInputRows=handleInputRows)
    texts = [str(((False, False, False), None, [(1,), (1,), (2,)], [((1,), (2,)), ((2,), (1,))], [(1,), (2,)], [(1,), (2,)])),
             str(((True, True, True), (2,), [(1,), (1,), (2,), (1,), (1,)], [((1,), (2,)), ((2,), (1,))], [(1,), (2,)], [(1,), (2,)])),
             str(((True, True, True), (2,), [(7,), (8,)], [((2,), (1,))], [(2,)], [(1,)])),
             str(((True, True, False), None, [], [], [], [])),
             str(((False, False, False), None, [(3,)], [((3,), (1,))], [(3,)], [(1,)]))]
    assert result(given) == sorted((("a", text) for text in texts), key=repr)


def test_values_of_all_types(streams, result, process):  # noqa: F811
    def init(self, handle):
        self.kept = handle.getValueState(
            "kept", "d DATE, t TIMESTAMP, n DECIMAL(10, 2), a ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<x: INT, y: STRING>, "
                    "f DOUBLE, b BOOLEAN, z BINARY, w INT")

    def handleInputRows(self, key, rows, timers):
        import datetime
        import decimal
        self.values_of(rows)
        found = self.kept.get() if self.kept.exists() else None
        text = "none" if found is None else repr((found[0], found[2], list(found[3]), dict(found[4]), tuple(found[5]), found[6], found[7], bytes(found[8]), found[9])) + str(
            found[1].timestamp())
        self.kept.update((datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5, 6), decimal.Decimal("1.25"), [1, 2], {"a": 1}, (3, "y"), 0.5, True, b"\0z", None))
        yield from self.give(["x"], [text])

    stream = streams("in", SCHEMA, [[{"t": 1, "k": "a", "v": 1}], [{"t": 1, "k": "a", "v": 1}]])
    given = process(stream, "x STRING", init=init, handleInputRows=handleInputRows)
    (text,), (none,) = result(given)
    assert none == "none"
    assert text.startswith(repr((pd.Timestamp("2026-01-02").date(), __import__("decimal").Decimal("1.25"), [1, 2], {"a": 1}, (3, "y"), 0.5, True, b"\0z", None)))


def test_timers_of_the_watermark(streams, result, process):  # noqa: F811
    def init(self, handle):
        self.handle = handle
        self.last = handle.getValueState("last", "v INT")

    def handleInputRows(self, key, rows, timers):
        values = self.values_of(rows)
        self.last.update((int(values[-1]),))
        for v in values:
            self.handle.registerTimer(1767225600000 + int(v) * 1000)
        return iter([])

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        second = (expiredTimerInfo.getExpiryTimeInMs() - 1767225600000) // 1000
        left = [(t - 1767225600000) // 1000 for t in self.handle.listTimers()]
        if second == 20:
            self.handle.deleteTimer(1767225600000 + 25000)
        yield from self.give(["k", "at", "left", "last"], [key[0], second, str(left), self.last.get()[0]])

    # The watermark is 10 seconds behind: 20, then 26, then 40.
    rows = [[{"t": 30, "k": "a", "v": 20}, {"t": 1, "k": "a", "v": 25}, {"t": 1, "k": "b", "v": 26}], [{"t": 36, "k": "c", "v": 100}],
            [{"t": 50, "k": "c", "v": 3}]]
    stream = streams("in", SCHEMA, rows).withWatermark("t", "10 seconds")
    given = process(stream, "k STRING, at LONG, left STRING, last INT", time_mode="EventTime", init=init,
                    handleInputRows=handleInputRows, handleExpiredTimer=handleExpiredTimer)
    assert result(given) == [("a", 20, "[20, 25]", 25), ("b", 26, "[26]", 26), ("c", 3, "[3, 100]", 3)]


def test_timers_of_the_clock(spark, streams, process, tmp_path):  # noqa: F811
    def init(self, handle):
        self.handle = handle

    def handleInputRows(self, key, rows, timers):
        self.values_of(rows)
        self.handle.registerTimer(timers.getCurrentProcessingTimeInMs() + 1000)
        yield from self.give(["k", "what"], [key[0], "here"])

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        assert timerValues.getCurrentProcessingTimeInMs() >= expiredTimerInfo.getExpiryTimeInMs()
        yield from self.give(["k", "what"], [key[0], "gone"])

    given = process(streams("in", SCHEMA, ROWS[:1]), "k STRING, what STRING", time_mode="ProcessingTime", init=init,
                    handleInputRows=handleInputRows, handleExpiredTimer=handleExpiredTimer)
    query = given.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint")).start(str(tmp_path / "out"))
    rows = []
    for _ in range(300):
        time.sleep(0.2)
        if query.recentProgress:
            rows = sorted(tuple(row) for row in spark.read.schema(given.schema).parquet(str(tmp_path / "out")).collect())
        if len(rows) == 4:
            break
    query.stop()
    assert query.exception() is None
    assert rows == [("a", "gone"), ("a", "here"), ("b", "gone"), ("b", "here")]


def test_a_time_to_live(spark, streams, process, tmp_path):  # noqa: F811
    def init(self, handle):
        self.value = handle.getValueState("value", "v INT", 3_600_000)
        self.short = handle.getValueState("short", "v INT", 1)
        self.items = handle.getListState("items", "v INT", 1)
        self.map = handle.getMapState("map", "v INT", "w INT", 1)

    def handleInputRows(self, key, rows, timers):
        values = self.values_of(rows)
        before = (self.value.exists(), self.short.exists(), self.items.exists(), self.map.exists(), self.short.get(),
                  list(self.items.get()), list(self.map.keys()))
        self.value.update((int(values[0]),))
        self.short.update((1,))
        self.items.appendValue((1,))
        self.map.updateValue((1,), (1,))
        yield from self.give(["x"], [str(before)])

    given = process(streams("in", SCHEMA, ROWS[:1]).where("k = 'a'"), "x STRING", time_mode="ProcessingTime", init=init, handleInputRows=handleInputRows)
    out = str(tmp_path / "out")
    writer = given.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    drain(writer, out)
    time.sleep(0.1)
    write_json(tmp_path / "in", "later.json", [{"t": at(9), "k": "a", "v": 10}])
    drain(writer, out)
    assert sorted(row.x for row in spark.read.parquet(out).collect()) == [
        "(False, False, False, False, None, [], [])", "(True, False, False, False, None, [], [])"]


def test_an_initial_state(spark, streams, result, process):  # noqa: F811
    def init(self, handle):
        self.total = handle.getValueState("total", "s LONG")

    def handleInitialState(self, key, initialState, timerValues):
        if hasattr(initialState, "columns"):
            assert list(initialState.columns) == ["s", "who"] or list(initialState.columns) == ["who", "s"]
            self.total.update((int(initialState.s.sum()),))
        else:
            before = self.total.get()
            self.total.update(((before[0] if before else 0) + initialState.s,))

    def handleInputRows(self, key, rows, timers):
        before = self.total.get()
        s = (before[0] if before else 0) + int(sum(self.values_of(rows)))
        self.total.update((s,))
        yield from self.give(["k", "s"], [key[0], s])

    initial = spark.createDataFrame([(100, "a"), (10, "a"), (1000, "b"), (5, "z")], "s LONG, who STRING").groupBy("who")
    given = process(streams("in", SCHEMA, ROWS[:2] + [[{"t": 1, "k": "z", "v": 1}]]), "k STRING, s LONG", initial=initial, init=init,
                    handleInputRows=handleInputRows, handleInitialState=handleInitialState)
    assert result(given) == [("a", 113), ("a", 117), ("b", 1003), ("z", 6), (None, 5)]


def test_several_keys_and_none_of_the_rows_kept(streams, result, process):  # noqa: F811
    def init(self, handle):
        self.count = handle.getValueState("count", "n INT")

    def handleInputRows(self, key, rows, timers):
        n = len(self.values_of(rows)) + (self.count.get()[0] if self.count.exists() else 0)
        self.count.update((n,))
        if n > 2:
            self.count.clear()
        yield from self.give(["key", "n"], [f"{key[0]}{key[1]}", n])

    rows = [[{"t": 1, "k": "a", "v": 1}, {"t": 1, "k": "a", "v": 1}, {"t": 1, "k": "a", "v": 2}], [{"t": 1, "k": "a", "v": 1}], [{"t": 1, "k": "a", "v": 1}]]
    given = process(streams("in", SCHEMA, rows), "key STRING, n INT", by=("k", "v"), init=init, handleInputRows=handleInputRows)
    assert result(given) == [("a1", 1), ("a1", 2), ("a1", 3), ("a2", 1)]


@pytest.mark.parametrize("what, part", [("ttl", "Cannot use TTL|INCORRECT_TIME_MODE_TO_ASSIGN_TTL"), ("timer", "INVALID_TIME_MODE"),
                                        ("late", "INVALID_HANDLE_STATE"), ("twice", "DUPLICATE_STATE_VARIABLE_DEFINED"), ("own", "my own mistake")])
def test_what_a_processor_may_not_do(streams, result, process, what, part):  # noqa: F811
    import re

    def init(self, handle):
        self.handle = handle
        if what == "ttl":
            handle.getValueState("v", "n INT", 1000)
        handle.getValueState("x", "n INT")
        if what == "twice":
            handle.getValueState("x", "n INT")

    def handleInputRows(self, key, rows, timers):
        self.values_of(rows)
        if what == "timer":
            self.handle.registerTimer(5)
        if what == "late":
            self.handle.getValueState("y", "n INT")
        if what == "own":
            raise ValueError("my own mistake")
        return iter([])

    given = process(streams("in", SCHEMA, ROWS[:1]), "k STRING", init=init, handleInputRows=handleInputRows)
    with pytest.raises(PySparkException) as raised:
        result(given)
    assert re.search(part, str(raised.value)), str(raised.value)[:3000]


@pytest.mark.parametrize("arguments, error", [(("append", "Never"), "STATEFUL_PROCESSOR_UNKNOWN_TIME_MODE"), (("append", "EventTime"), "atermark")])
def test_what_is_refused_before_it_runs(streams, result, process, arguments, error):  # noqa: F811
    with pytest.raises(PySparkException) as raised:
        result(process(streams("in", SCHEMA, ROWS[:1]), "k STRING, s LONG, n INT", *arguments, **sums()))
    assert error in str(raised.value), str(raised.value)[:2000]


def test_over_a_batch(spark, process):
    given = process(spark.sql("SELECT current_timestamp() AS t, k, v FROM VALUES ('a', 1), ('a', 2), ('b', 3) AS x(k, v)"),
                    "k STRING, s LONG, n INT", **sums())
    assert sorted(tuple(row) for row in given.collect()) == [("a", 3, 2), ("b", 3, 1)]
