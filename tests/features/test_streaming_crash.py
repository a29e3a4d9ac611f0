"""A server that dies in the middle of streaming queries: started again, each goes on, and every row is there once."""
import json
import os
import random
import shutil
import signal
import threading
import time

import pandas as pd
import pytest
from conftest import iceberg_catalog, open_session
from pyspark.sql import functions as F
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.types import IntegerType, StructField, StructType

from frazil.spark import SparkConnectServer

pytestmark = pytest.mark.ours

ROUNDS = 5


class Feed(threading.Thread):
    """Makes files of numbered rows, a few each, one after the other."""

    pause = 0.02

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.count, self.stopped = folder, 0, threading.Event()
        self.twin = folder.parent / "again"
        folder.mkdir()
        self.twin.mkdir()

    def run(self):
        file = 0
        while not self.stopped.wait(self.pause):
            rows = [{"n": self.count + i, "m": self.count + i, "k": (self.count + i) % 3} for i in range(random.randrange(1, 5))]
            beside = self.folder.parent / ".beside"
            beside.write_text("".join(json.dumps(row) + "\n" for row in rows))
            shutil.copy(beside, beside.with_suffix(".twin"))
            os.replace(beside, self.folder / f"{file:06}.json")
            os.replace(beside.with_suffix(".twin"), self.twin / f"{file:06}.json")
            self.count, file = self.count + len(rows), file + 1


@pytest.fixture
def server(tmp_path):
    """start() -> (server, session) over the test's folder."""
    started, sessions = [], []

    def start():
        server = SparkConnectServer(warehouse=tmp_path / "warehouse", conf=iceberg_catalog("ice", tmp_path / "lake"))
        server.start()
        started.append(server)
        sessions.append(open_session(server.remote_url))
        # What a session still has to tell a server that is dead is not tried again and again: the sessions of all tests
        # share the client's threads for it, and each waits for them when it ends.
        sessions[-1].client.set_retry_policies([])
        return server, sessions[-1]

    yield start
    for server in started:
        server.stop()
    # The client asks the session that it had first what types in text mean: not one whose server is dead.
    if getattr(SparkSession._active_session, "session", None) in sessions:
        SparkSession._active_session.session = None
    if SparkSession._default_session in sessions:
        SparkSession._default_session = None


def start_queries(spark, folder, **trigger):
    stream = spark.readStream.schema("n BIGINT, k INT").option("maxFilesPerTrigger", 5).json(str(folder / "in"))

    def writer(name, df=stream, mode="append"):
        return df.writeStream.outputMode(mode).option("checkpointLocation", str(folder / "checkpoints" / name)).trigger(**trigger)

    counts = stream.groupBy("k").count()
    # State of three operators: keys that have been, and the rows of both sides.
    once = stream.dropDuplicates(["n"])
    again = spark.readStream.schema("m BIGINT").option("maxFilesPerTrigger", 7).json(str(folder / "again"))
    pairs = once.join(again, once.n == again.m).select("n", "m")

    def count(key, frames, state):
        total = (state.get[0] if state.exists else 0) + sum(len(frame) for frame in frames)
        state.update((total,))
        yield pd.DataFrame({"k": [key[0]], "n": [total]})

    # Not as text, which the client would send to the session that it had first.
    given = StructType([StructField("k", IntegerType()), StructField("n", IntegerType())])
    so_far = stream.groupBy("k").applyInPandasWithState(count, given, StructType(given.fields[1:]), "append", "NoTimeout")
    return [writer("so_far", so_far).format("delta").start(str(folder / "so_far")),
            writer("iceberg").format("iceberg").toTable("ice.db.numbers"),
            writer("delta").format("delta").start(str(folder / "delta")),
            writer("files").format("parquet").partitionBy("k").start(str(folder / "files")),
            writer("pairs", pairs).format("delta").start(str(folder / "pairs")),
            writer("counts", counts, "complete").format("iceberg").toTable("ice.db.counts")]


def kill(server):
    os.kill(server.pid, signal.SIGKILL)
    server.stop()


def test_killed_at_any_moment_each_row_is_written_once(server, tmp_path):
    random.seed(11)
    process, spark = server()
    spark.sql("CREATE NAMESPACE ice.db")
    feed = Feed(tmp_path / "in")
    feed.start()
    for _ in range(ROUNDS):
        start_queries(spark, tmp_path, processingTime="0 seconds")
        time.sleep(0.5 + random.random())
        kill(process)
        process, spark = server()
    feed.stopped.set()
    feed.join()
    for query in start_queries(spark, tmp_path, availableNow=True):
        assert query.awaitTermination(120)
    expected = list(range(feed.count))
    assert [row.n for row in spark.table("ice.db.numbers").orderBy("n").collect()] == expected
    assert [row.n for row in spark.read.format("delta").load(str(tmp_path / "delta")).orderBy("n").collect()] == expected
    assert [row.n for row in spark.read.parquet(str(tmp_path / "files")).orderBy("n").collect()] == expected
    pairs = spark.read.format("delta").load(str(tmp_path / "pairs")).orderBy("n").collect()
    assert [(row.n, row.m) for row in pairs] == [(n, n) for n in expected]
    rows = spark.read.format("delta").load(str(tmp_path / "so_far"))
    assert rows.count() == rows.distinct().count()
    most = {row.k: row.n for row in rows.groupBy("k").agg(F.max("n").alias("n")).collect()}
    assert most == {k: len([n for n in expected if n % 3 == k]) for k in {n % 3 for n in expected}}
    counted = {row.k: row["count"] for row in spark.table("ice.db.counts").collect()}
    assert counted == {k: len([n for n in expected if n % 3 == k]) for k in {n % 3 for n in expected}}
    # The queries had something to do in each round.
    assert len(list((tmp_path / "checkpoints" / "delta" / "commits").iterdir())) > ROUNDS
    spark.stop()
