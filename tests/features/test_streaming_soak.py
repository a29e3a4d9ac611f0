"""Three queries and a writer beside them, while the server is killed again and again: each row is written once, and the
server's memory does not grow. Half a minute; with FRAZIL_LONG_TESTS=1 twenty minutes, killed every 20 to 40 seconds."""
import faulthandler
import os
import random
import time
from pathlib import Path

import pytest
from pyspark.sql import functions as F
from test_streaming_crash import Feed, kill, server  # noqa: F401

LONG = os.environ.get("FRAZIL_LONG_TESTS") == "1"
SECONDS, LIFE, TRIGGER = (1200, (20, 40), "1 second") if LONG else (20, (3, 6), "0 seconds")
pytestmark = pytest.mark.ours


def start_queries(spark, folder, **trigger):
    def writer(name, df, mode="append"):
        return df.writeStream.outputMode(mode).option("checkpointLocation", str(folder / "checkpoints" / name)).trigger(**trigger)

    rate = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    files = spark.readStream.schema("n BIGINT, k INT").option("maxFilesPerTrigger", 50).json(str(folder / "in"))
    changes = spark.readStream.option("readChangeFeed", "true").option("startingVersion", 0).table("copied")
    counts = changes.where("_change_type = 'insert'").groupBy("k").agg(F.count("*").alias("count"), F.sum("n").alias("sum"))
    return [writer("rate", rate).toTable("ice.db.rate"), writer("copied", files).toTable("copied"),
            writer("counts", counts, "complete").toTable("ice.db.counts")]


def resident_mib(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


def test_each_row_once_and_memory_flat(server, tmp_path):  # noqa: F811
    random.seed(7)
    faulthandler.cancel_dump_traceback_later()
    process, spark = server()
    spark.sql("CREATE NAMESPACE ice.db")
    spark.sql("CREATE TABLE copied (n BIGINT, k INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    feed = Feed(tmp_path / "in")
    feed.pause = 0.2 if LONG else 0.02
    feed.start()
    began, peaks, progressed = time.monotonic(), [], 0
    while time.monotonic() - began < SECONDS:
        queries = start_queries(spark, tmp_path, processingTime=TRIGGER)
        time.sleep(random.uniform(*LIFE))
        for query in queries:
            assert query.exception() is None
            progressed += query.lastProgress is not None
        peaks.append(resident_mib(process.pid))
        print(f"{time.monotonic() - began:.0f} s, {peaks[-1]} MiB, {feed.count} rows", flush=True)
        kill(process)
        process, spark = server()
    feed.stopped.set()
    feed.join()
    assert progressed > len(peaks)
    # Twice: the third one reads what the second one writes.
    for _ in range(2):
        for query in start_queries(spark, tmp_path, availableNow=True):
            assert query.awaitTermination(600)
    total, different, least, most = spark.sql("SELECT count(*), count(DISTINCT value), min(value), max(value) FROM ice.db.rate").first()
    assert (total, different, least, most) == (total, total, 0, total - 1) and total > 0
    rows = spark.table("copied").agg(F.count("*"), F.countDistinct("n"), F.min("n"), F.max("n")).first()
    assert tuple(rows) == (feed.count, feed.count, 0, feed.count - 1)
    expected = spark.table("copied").groupBy("k").agg(F.count("*"), F.sum("n")).orderBy("k").collect()
    assert [tuple(row) for row in spark.table("ice.db.counts").orderBy("k").collect()] == [tuple(row) for row in expected]
    third = max(1, len(peaks) // 3)
    assert max(peaks[-third:]) < 1.3 * max(peaks[:third]) + 64, peaks
