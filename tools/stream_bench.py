#!/usr/bin/env python3
"""How long a micro-batch takes beside what it does, and how many rows a second an aggregation takes.

    tools/stream_bench.py [--binary build/release/bin/frazil] [--spark sc://host:port] [--files 200] [--seconds 15]

Batches: a stream over small files, one a batch, to its end, into each sink; with --spark also there, and the quotient.
Rows: source `rate` at --rows a second into an aggregation; the rows that were counted in the time, and the state's size
in memory. A Spark has to see the same disk.
"""
import argparse
import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

SINKS = ["noop", "parquet", "delta", "iceberg", "aggregation", "deduplication"]


def connect(url):
    from pyspark.sql import SparkSession

    return SparkSession.builder.remote(url).create()


def input_files(folder, count):
    folder.mkdir()
    for i in range(count):
        (folder / f"{i:05}.json").write_text("".join(f'{{"n": {100 * i + j}, "k": {j % 10}}}\n' for j in range(100)))
    return folder


def run_batches(spark, sink, files, work):
    """Milliseconds of a batch, from the start of the query to its end."""
    stream = spark.readStream.schema("n BIGINT, k INT").option("maxFilesPerTrigger", 1).json(str(files))
    mode = "append"
    if sink == "aggregation":
        stream, mode = stream.groupBy("k").agg({"n": "sum"}), "update"
    elif sink == "deduplication":
        stream = stream.dropDuplicates(["n"])
    # Spark makes 200 partitions of state unless told otherwise; one is fairer to it.
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    writer = stream.writeStream.outputMode(mode).trigger(availableNow=True).option("checkpointLocation", str(work / "checkpoint"))
    began = time.perf_counter()
    if sink in ("parquet", "delta"):
        query = writer.format(sink).start(str(work / "out"))
    elif sink == "iceberg":
        query = writer.format("iceberg").toTable(os.environ.get("STREAM_BENCH_TABLE", "stream_bench.db") + f".t{os.getpid()}")
    else:
        query = writer.format("noop").start()
    query.awaitTermination()
    seconds = time.perf_counter() - began
    batches = query.lastProgress["batchId"] + 1
    return 1000 * seconds / batches, query.recentProgress


def print_steps(progress):
    steps = {}
    for one in progress:
        for step, millis in one["durationMs"].items():
            steps[step] = steps.get(step, 0) + millis
    print("    " + ", ".join(f"{step} {millis / len(progress):.1f}" for step, millis in sorted(steps.items())))


def measure_batches(args, url, sinks, work):
    spark = connect(url)
    result = {}
    for sink in sinks:
        folder = Path(tempfile.mkdtemp(dir=work))
        files = input_files(folder / "in", args.files)
        if sink == "iceberg":
            spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {os.environ.get('STREAM_BENCH_TABLE', 'stream_bench.db')}")
        with contextlib.suppress(Exception):  # The first batches of a new server compile and load.
            run_batches(spark, "noop", input_files(folder / "warm", 3), folder / "warmed")
        result[sink], progress = run_batches(spark, sink, files, folder)
        print(f"  {sink:15} {result[sink]:8.1f} ms a batch")
        if args.verbose:
            print_steps(progress)
        if sink == "iceberg":
            spark.sql(f"DROP TABLE {os.environ.get('STREAM_BENCH_TABLE', 'stream_bench.db')}.t{os.getpid()}")
    spark.stop()
    return result


def resident_mib(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) // 1024


def measure_rows(args, url, pid, work):
    from pyspark.sql import functions as f

    spark = connect(url)
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    for name, keys in (("10 keys", f.col("value") % 10), ("100000 keys", f.col("value") % 100000)):
        stream = spark.readStream.format("rate").option("rowsPerSecond", args.rows).load()
        query = (stream.groupBy(keys.alias("k")).agg(f.count("*").alias("n"), f.sum("value").alias("s"))
                 .writeStream.outputMode("update").format("noop")
                 .option("checkpointLocation", tempfile.mkdtemp(dir=work)).start())
        time.sleep(3)
        first, began = query.lastProgress, time.perf_counter()
        time.sleep(args.seconds)
        progress = [one for one in query.recentProgress if one["batchId"] > first["batchId"]]
        seconds = time.perf_counter() - began
        rows = sum(one["numInputRows"] for one in progress)
        busy = sum(one["durationMs"]["triggerExecution"] for one in progress) / 1000
        query.stop()
        print(f"  {name:12} {rows / seconds / 1e6:6.2f} M rows/s of {args.rows / 1e6:.1f} asked for, "
              f"{rows / max(busy, 1e-9) / 1e6:6.2f} M rows/s while busy" + (f", {resident_mib(pid)} MiB" if pid else ""))
        if args.verbose and progress:
            print_steps(progress)
    spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    parser.add_argument("--spark", help="the URL of a Spark to compare with")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the source rate, a second")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--sinks", nargs="*", default=SINKS)
    parser.add_argument("--verbose", action="store_true", help="what each step of a batch takes")
    args = parser.parse_args()
    os.environ["FRAZIL_BINARY"] = str(args.binary.resolve())
    from frazil.spark import SparkConnectServer

    # Both see the folder; Spark's own user may be another one.
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        work.chmod(0o777)
        conf = {"spark.sql.catalog.stream_bench": "org.apache.iceberg.spark.SparkCatalog",
                "spark.sql.catalog.stream_bench.type": "hadoop",
                "spark.sql.catalog.stream_bench.warehouse": f"{work}/lake"}
        with SparkConnectServer(warehouse=work / "warehouse", conf=conf) as server:
            print(f"batches of one file, {args.files} of them: frazil")
            ours = measure_batches(args, server.remote_url, args.sinks, work)
            print("rows through rate -> aggregation: frazil")
            measure_rows(args, server.remote_url, server.pid, work)
        if args.spark:
            # A catalog by that name is not there in every Spark.
            print("batches: Spark")
            theirs = measure_batches(args, args.spark, [s for s in args.sinks if s != "iceberg"], work)
            print("of Spark's time a batch of frazil takes")
            for sink, millis in theirs.items():
                print(f"  {sink:15} {ours[sink] / millis:8.3f}")
            print("rows through rate -> aggregation: Spark")
            measure_rows(args, args.spark, None, work)


if __name__ == "__main__":
    sys.exit(main())
