"""What stateful operators keep in the checkpoint: snapshots and what has changed since, and LIMIT over all batches."""
import os
import random

import pytest
from pyspark.errors import AnalysisException, PySparkException, StreamingQueryException
from pyspark.sql import functions as F
from test_streaming import drain, write_json
from test_streaming_stateful import at, result, streams  # noqa: F401


def state_files(folder, operator=0):
    """{version: kind} of the operator's files."""
    names = os.listdir(folder / "state" / str(operator) / "0")
    return {int(name.split(".")[0]): name.split(".", 1)[1] for name in names if name.endswith(".arrow")}


def batches(spark, folder, first, rows):
    """A stream with a batch for each list of rows, numbered from `first`."""
    for n, batch in enumerate(rows, first):
        write_json(folder / "in", f"{n:04}.json", batch)
        os.utime(folder / "in" / f"{n:04}.json", (1_700_000_000 + n, 1_700_000_000 + n))
    return spark.readStream.schema("k INT, v BIGINT, t TIMESTAMP").option("maxFilesPerTrigger", 1).json(str(folder / "in"))


@pytest.mark.ours
def test_a_batch_writes_what_it_changes(spark, tmp_path):
    checkpoint, out, everything = tmp_path / "checkpoint", str(tmp_path / "out"), []

    def run(first, rows):
        everything.extend(row for batch in rows for row in batch)
        stream = batches(spark, tmp_path, first, rows)
        sums = stream.groupBy("k").agg(F.sum("v").alias("v"), F.count("*").alias("n"))
        return drain(sums.writeStream.outputMode("complete").format("delta").option("checkpointLocation", str(checkpoint)), out)

    def kept():
        expected = {}
        for row in everything:
            v, n = expected.get(row.get("k"), (0, 0))
            expected[row.get("k")] = (v + row["v"], n + 1)
        assert {row.k: (row.v, row.n) for row in spark.read.format("delta").load(out).collect()} == expected
        return len(expected)

    run(0, [[{"k": k, "v": k} for k in range(3000)] + [{"v": 5}]])
    assert state_files(checkpoint) == {1: "arrow"}
    query = run(1, [[{"k": k * n, "v": 1} for k in range(10)] + [{"v": n}] for n in range(1, 8)])
    # The snapshot that they stand on stays, whatever the age.
    assert state_files(checkpoint) == {1: "arrow"} | {version: "delta.arrow" for version in range(2, 9)}
    sizes = {version: (checkpoint / "state/0/0" / f"{version}.{kind}").stat().st_size for version, kind in state_files(checkpoint).items()}
    assert all(20 * sizes[version] < sizes[1] for version in range(2, 9))
    (state,) = query.lastProgress["stateOperators"]
    assert state["numRowsTotal"] == kept() == 3001 and state["numRowsUpdated"] <= 11
    # Another run reads the snapshot and the changes.
    query = run(8, [[{"k": 2999, "v": 100}, {"k": 5000, "v": 1}]])
    (state,) = query.lastProgress["stateOperators"]
    assert state["numRowsTotal"] == kept() == 3002
    # Many changes make a snapshot, and what is before it goes.
    run(9, [[{"k": k, "v": 1} for k in range(2000)], [{"k": 1, "v": 1}], [{"k": 2, "v": 1}]])
    assert state_files(checkpoint) == {10: "arrow", 11: "delta.arrow", 12: "delta.arrow"} and kept() == 3002


@pytest.mark.ours
def test_a_batch_of_a_join_writes_what_it_changes(spark, tmp_path):
    checkpoint, out = tmp_path / "checkpoint", str(tmp_path / "out")
    sides = {"l": tmp_path / "left", "r": tmp_path / "right"}

    def run(first, left, right):
        l, r = (batches(spark, sides[side], first, rows).select(F.col("k").alias(side + "k"), F.col("t").alias(side + "t"), F.col("v").alias(side + "v"))
                .withWatermark(side + "t", "10 seconds") for side, rows in (("l", left), ("r", right)))
        joined = l.join(r, F.expr("lk = rk AND rt BETWEEN lt AND lt + INTERVAL 100 SECONDS"), "left_outer")
        return drain(joined.writeStream.format("delta").option("checkpointLocation", str(checkpoint)), out)

    def rows(keys, at):
        return [{"k": k, "v": k, "t": f"2026-01-01 00:{at // 60:02}:{at % 60:02}"} for k in keys]

    def check():
        """One snapshot, and small changes since."""
        for operator in (0, 1):
            folder, files = checkpoint / "state" / str(operator) / "0", state_files(checkpoint, operator)
            assert files == {1: "arrow"} | {version: "delta.arrow" for version in range(2, max(files) + 1)}
            sizes = {version: (folder / f"{version}.{kind}").stat().st_size for version, kind in files.items()}
            assert all(20 * sizes[version] < sizes[1] for version in files if version > 1)
        return max(files)

    run(0, [rows(range(3000), 0)], [rows(range(2000, 5000), 0)])
    versions = check()
    # New rows, and old ones that get their first partner.
    run(1, [rows([7000], 5), rows([7001], 5)], [rows([7, 9], 5), rows([7, 7000], 5)])
    assert check() >= versions + 2
    # Behind the watermark those without a partner come out, and nothing is kept but the last rows.
    query = run(3, [rows([9000], 1000)], [rows([9000], 1000)])
    found = [(row.lk, row.rk) for row in spark.read.format("delta").load(out).collect()]
    met = [*range(2000, 3000), 7, 7, 9, 7000, 9000]
    expected = [(k, k) for k in met] + [(k, None) for k in [*range(3000), 7001] if k not in met]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert query.lastProgress["stateOperators"][0]["numRowsTotal"] == 2


@pytest.mark.ours
def test_a_batch_of_sessions_writes_what_it_changes(spark, tmp_path):
    checkpoint, out = tmp_path / "checkpoint", str(tmp_path / "out")

    def run(first, rows):
        stream = batches(spark, tmp_path, first, rows)
        sessions = stream.groupBy("k", F.session_window("t", "10 seconds").alias("w")).agg(F.sum("v").alias("v"), F.count("*").alias("n"))
        sessions = sessions.selectExpr("k", "unix_seconds(w.start) % 86400 AS begins", "unix_seconds(w.end) % 86400 AS ends", "v", "n")
        return drain(sessions.writeStream.outputMode("complete").format("delta").option("checkpointLocation", str(checkpoint)), out)

    def row(k, at, v=1):
        return {"k": k, "v": v, "t": f"2026-01-01 00:{at // 60:02}:{at % 60:02}"}

    def kept(*keys):
        found = spark.read.format("delta").load(out).where(F.col("k").isin(*keys)).collect()
        return sorted((row.k, row.begins, row.ends, row.v, row.n) for row in found)

    run(0, [[row(k, 0) for k in range(3000)] + [row(1, 30), row(2, 30)]])
    assert state_files(checkpoint) == {1: "arrow"}
    # One that grows, one that joins two, one that stays as long as it is, and a new one of its own.
    query = run(1, [[row(1, 15), row(5000, 0)], [row(2, 7), row(2, 16), row(2, 23), row(3, 0, 5), row(4, 20)]])
    assert state_files(checkpoint) == {1: "arrow", 2: "delta.arrow", 3: "delta.arrow"}
    assert kept(1, 2, 3, 4, 5000) == [(1, 0, 10, 1, 1), (1, 15, 25, 1, 1), (1, 30, 40, 1, 1), (2, 0, 40, 5, 5), (3, 0, 10, 6, 2),
                                      (4, 0, 10, 1, 1), (4, 20, 30, 1, 1), (5000, 0, 10, 1, 1)]
    (state,) = query.lastProgress["stateOperators"]
    assert state["numRowsTotal"] == spark.read.format("delta").load(out).count() == 3002 + 1 + 1 - 1 + 1
    assert (checkpoint / "state/0/0/3.delta.arrow").stat().st_size * 20 < (checkpoint / "state/0/0/1.arrow").stat().st_size
    query = run(3, [[row(1, 8), row(1, 24)]])
    assert kept(1) == [(1, 0, 40, 5, 5)]
    assert query.lastProgress["stateOperators"][0]["numRowsTotal"] == 3002


@pytest.mark.ours
def test_a_damaged_state_is_named(spark, tmp_path):
    checkpoint = tmp_path / "checkpoint"

    def run(first, rows):
        stream = batches(spark, tmp_path, first, rows).dropDuplicates(["k"])
        return drain(stream.writeStream.format("delta").option("checkpointLocation", str(checkpoint)), str(tmp_path / "out"))

    run(0, [[{"k": k, "v": k} for k in range(2000)], [{"k": 1}, {"k": 3000}]])
    assert state_files(checkpoint) == {1: "arrow", 2: "delta.arrow"}
    assert sorted(row.k for row in spark.read.format("delta").load(str(tmp_path / "out")).collect()) == [*range(2000), 3000]
    path = checkpoint / "state/0/0/2.delta.arrow"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(StreamingQueryException, match="2.delta.arrow"):
        run(2, [[{"k": 3000}]])
    path.unlink()
    with pytest.raises(StreamingQueryException, match="version 2 is not there.*2.delta.arrow"):
        run(3, [[{"k": 3000}]])


def test_groups_go_when_the_watermark_has_passed_them(spark, streams, result):  # noqa: F811
    rows = [[{"t": 10 * n + i, "k": i} for i in range(10)] for n in range(12)]
    stream = streams("in", "t TIMESTAMP, k INT", rows).withWatermark("t", "20 seconds")
    counts = stream.groupBy(F.window("t", "10 seconds")).agg(F.count("*").alias("n"), F.sum("k").alias("s"))
    assert result(counts.selectExpr("minute(window.start) * 60 + second(window.start) AS at", "n", "s")) == sorted(
        ((10 * n, 10, 45) for n in range(9)), key=repr)


def test_a_limit_counts_all_batches(spark, streams, result, tmp_path):  # noqa: F811
    stream = streams("in", "k INT", [[{"k": k} for k in range(4 * n, 4 * n + 4)] for n in range(4)])
    given = result(stream.limit(6))
    assert len(given) == 6 and given[:4] == [(0,), (1,), (2,), (3,)]
    write_json(tmp_path / "in", "later.json", [{"k": 100}])
    assert result(stream.limit(6)) == given


def test_a_limit_below_an_aggregate(streams, result):  # noqa: F811
    stream = streams("in", "k INT", [[{"k": k} for k in range(4)] for _ in range(4)])
    assert result(stream.limit(6).groupBy().count(), "complete") == [(6,)]


def test_limits_that_are_refused(streams, result):  # noqa: F811
    stream = streams("in", "k INT", [[{"k": 1}]])
    with pytest.raises(AnalysisException, match="Limits are not supported on streaming DataFrames/Datasets in Update output mode"):
        drain(stream.limit(1).writeStream.outputMode("update").format("noop"))


@pytest.mark.ours
def test_offset_is_refused(streams, result):  # noqa: F811
    with pytest.raises(PySparkException, match="OFFSET over streams"):
        result(streams("in", "k INT", [[{"k": 1}]]).offset(1).limit(1))


FUNCTIONS = ["count(*)", "count(v)", "sum(v)", "min(v)", "max(v)", "avg(v)", "count_if(v > 3)", "stddev(v)", "stddev_pop(v)", "variance(v)",
             "var_pop(v)", "max_by(v, w)", "min_by(v, w)", "bit_and(v)", "bit_or(v)", "bit_xor(v)", "every(v > 0)", "some(v > 5)",
             "approx_count_distinct(v)", "approx_count_distinct(v, 0.01)", "first(k)", "last(k)", "any_value(k)", "first(u, true)",
             "sort_array(collect_set(v))", "sort_array(collect_list(v))", "count(v) FILTER (WHERE v > 2)", "stddev(v) FILTER (WHERE v > 2)",
             "max_by(v, w) FILTER (WHERE v < 6)", "avg(d)", "sum(d)"]


@pytest.mark.parametrize("by", [["k"], []])
def test_aggregates_of_batches_are_those_of_all_rows(spark, streams, tmp_path, by):  # noqa: F811
    random.seed(5)
    batches, number = [], 0
    for n in range(6):
        rows = []
        for _ in range(random.randrange(1, 20)):
            number += 1
            rows.append({"k": random.randrange(3), "w": number, "d": f"{random.randrange(1000)}.25"} | ({"v": random.randrange(1, 8)} if random.random() < 0.8 else {}))
            if n > 2:
                rows[-1]["u"] = rows[-1]["k"] + 10
        batches.append(rows)
    schema = "k INT, v INT, w INT, u INT, d DECIMAL(10, 2)"
    stream = streams("in", schema, batches)
    columns = [F.expr(f"{function} AS c{i}") for i, function in enumerate(FUNCTIONS) if by or not function.startswith(("first", "last", "any_value"))]
    grouped = stream.groupBy(*by).agg(*columns)
    query = drain(grouped.writeStream.outputMode("complete").format("memory").queryName("of_batches"))
    assert query.lastProgress["batchId"] == 5
    whole = spark.read.schema(schema).json(str(tmp_path / "in")).groupBy(*by).agg(*columns)
    of_batches, at_once = (sorted(df.collect(), key=lambda row: str(row[0])) for df in (spark.table("of_batches"), whole))
    assert len(of_batches) == len(at_once) == (3 if by else 1)
    for ours, theirs in zip(of_batches, at_once):
        for name, one, other in zip(ours.__fields__, ours, theirs):
            assert one == (pytest.approx(other, rel=1e-9) if isinstance(other, float) else other), name
