"""Streams here and on the real Spark: stateful operators over random rows give the same, and a query without state goes on
where the other engine has stopped.

Runs only where FRAZIL_SPARK_REMOTE names a Spark Connect server with Delta Lake that sees the same disk.
"""
import datetime
import json
import os
import random

import pytest
from conftest import open_session
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

SPARK = os.environ.get("FRAZIL_SPARK_REMOTE")
pytestmark = pytest.mark.skipif(not SPARK, reason="FRAZIL_SPARK_REMOTE names no Spark")

CONF = {"spark.sql.shuffle.partitions": "1", "spark.databricks.delta.snapshotPartitions": "1", "spark.sql.session.timeZone": "UTC",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension", "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"}
SCHEMA = "t TIMESTAMP, k INT, v INT"


@pytest.fixture(scope="module")
def engines(remote):
    """{"ours": session, "spark": session}."""
    made = {"ours": open_session(remote, CONF), "spark": open_session(SPARK, CONF)}
    yield made
    for session in made.values():
        session.stop()


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o777)
    return tmp_path


def write(folder, number, rows):
    folder.mkdir(mode=0o777, exist_ok=True)
    beside = folder.parent / ".beside"
    beside.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(beside, (1_700_000_000 + number, 1_700_000_000 + number))
    os.replace(beside, folder / f"{number:04}.json")


def random_files(folder, seed, files=6):
    """Files of rows whose times go on by about ten seconds from file to file, some of them late."""
    generator = random.Random(seed)
    for n in range(files):
        rows = []
        for _ in range(generator.randrange(1, 12)):
            at = max(0, 10 * n + generator.randrange(-25, 12))
            time = datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=at, milliseconds=generator.choice([0, 0, 500]))
            row = {"t": time.isoformat(timespec="milliseconds") + "Z", "k": generator.randrange(4), "v": generator.randrange(3)}
            if generator.random() < 0.1:
                del row[generator.choice(["t", "k", "v"])]
            rows.append(row)
        write(folder, n, rows)


def stream(session, folder):
    return session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))


def finish(writer, *where):
    query = writer.trigger(availableNow=True).start(*where)
    assert query.awaitTermination(200)
    return query


def joined(kind, both_times=True):
    def make(left, right):
        # Spark's outer joins of two streams take NULLs for equal, which no other join does, and ours do not.
        left = left.where("t IS NOT NULL AND k IS NOT NULL")
        left = left.withWatermark("t", "5 seconds").selectExpr("t AS lt", "k AS lk", "v AS lv")
        right = right.withWatermark("t", "10 seconds").selectExpr("t AS rt", "k AS rk", "v AS rv")
        near = F.expr("lk = rk AND rt BETWEEN lt - INTERVAL 5 SECONDS AND lt + INTERVAL 8 SECONDS" if both_times else "lk = rk AND lt = rt")
        return left.join(right, near, kind)
    return make


def windows(window, *keys):
    return lambda left, _: left.withWatermark("t", "5 seconds").groupBy(window, *keys).agg(
        F.count("*").alias("n"), F.sum("v").alias("s"), F.min("t").alias("first"), F.max("v").alias("most"))


QUERIES = {
    "inner": joined("inner"), "left": joined("left"), "right": joined("right"), "full": joined("full"), "semi": joined("left_semi"),
    "inner_by_time": joined("inner", False), "full_by_time": joined("full", False),
    "tumbling": windows(F.window("t", "10 seconds"), "k"), "sliding": windows(F.window("t", "10 seconds", "5 seconds")),
    "sessions": windows(F.session_window("t", "4 seconds"), "k"),
    "dynamic_sessions": windows(F.session_window("t", F.expr("CASE WHEN v = 0 THEN '2 seconds' ELSE '6 seconds' END")), "k"),
    "duplicates": lambda left, _: left.withWatermark("t", "5 seconds").dropDuplicates(["t", "k"]).select("t", "k"),
    "duplicates_within": lambda left, _: left.withWatermark("t", "5 seconds").dropDuplicatesWithinWatermark(["k"]).select("k"),
    "sessions_of_distinct": lambda left, _: left.select("t", "k").withWatermark("t", "5 seconds").dropDuplicates().groupBy(
        F.session_window("t", "4 seconds"), "k").count(),
    "limit": lambda left, _: left.limit(7).select("k"),
}


def texts(rows):
    return sorted(str(tuple(row)) for row in rows)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", QUERIES)
def test_stateful_operators_give_the_same_rows(engines, folder, name, seed):
    random_files(folder / "left", seed)
    random_files(folder / "right", seed + 100)
    results = {}
    for engine, session in engines.items():
        df = QUERIES[name](stream(session, folder / "left"), stream(session, folder / "right"))
        # Structs are not in files of text: windows as their ends.
        columns = [f"CAST({c}.start AS STRING) || ' ' || CAST({c}.end AS STRING) AS {c}" if c.endswith("window") else c for c in df.columns]
        out = str(folder / engine)
        finish(df.selectExpr(*columns).writeStream.format("parquet").option("checkpointLocation", f"{out}_checkpoint"), out)
        results[engine] = texts(session.read.parquet(out).collect()) if any(n.endswith(".parquet") for n in os.listdir(out)) else []
    if name == "limit":
        assert len(results["ours"]) == len(results["spark"]) == 7
        return
    assert results["ours"] == results["spark"]


@pytest.mark.parametrize("first", ["ours", "spark"])
@pytest.mark.parametrize("sink", ["parquet", "delta"])
def test_a_query_without_state_goes_on_in_the_other_engine(engines, folder, sink, first):
    order = ["ours", "spark"] if first == "ours" else ["spark", "ours"]
    for turn, engine in enumerate([*order, *order]):
        for n in range(3 * turn, 3 * turn + 3):
            write(folder / "in", n, [{"k": 10 * n + i, "v": n} for i in range(3)])
        session = engines[engine]
        query = stream(session, folder / "in").where("k >= 0").writeStream.format(sink)
        query = finish(query.option("checkpointLocation", str(folder / "checkpoint")), str(folder / "out"))
        assert query.lastProgress["batchId"] == 3 * turn + 2
        expected = sorted(10 * m + i for m in range(3 * turn + 3) for i in range(3))
        for reader in engines.values():
            assert sorted(row.k for row in reader.read.format(sink).load(str(folder / "out")).collect()) == expected


def test_state_of_another_engine_is_refused(engines, folder):
    def counts(engine):
        query = stream(engines[engine], folder / "in").groupBy("k").count().writeStream.outputMode("update").format("noop")
        return finish(query.option("checkpointLocation", str(folder / engine)))

    for engine in engines:
        write(folder / "in", 0, [{"k": 1}])
        counts(engine)
    write(folder / "in", 1, [{"k": 1}])
    (folder / "spark").rename(folder / "of_spark")
    (folder / "ours").rename(folder / "spark")
    (folder / "of_spark").rename(folder / "ours")
    with pytest.raises(PySparkException, match="written by another engine"):
        counts("ours")
    with pytest.raises(PySparkException):
        counts("spark")
