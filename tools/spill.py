#!/usr/bin/env python3
"""A sort and a join that are larger than the server's memory limit end, rightly, by spilling to disk.

Prints time and the server's peak memory of each; a wrong answer is an error. FRAZIL_BINARY names another server.
"""
import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

import pyarrow.compute as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from frazil.spark import SparkConnectServer  # noqa: E402
from pyspark.sql import SparkSession, functions as F  # noqa: E402


def peak_megabytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def check_sorted(folder, column, rows):
    """All rows are there, and the files, in the order of their names, hold them in order."""
    found, last = 0, None
    for path in sorted(Path(folder).glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(columns=[column], batch_size=1 << 20):
            values = batch.column(0)
            if len(values) == 0:
                continue
            in_order = pc.all(pc.less_equal(values[:-1], values[1:])).as_py()
            if in_order is False or (last is not None and last > values[0].as_py()):
                raise SystemExit(f"{path} is not in order")
            found, last = found + len(values), values[-1].as_py()
    if found != rows:
        raise SystemExit(f"{found} rows were written, not {rows}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--memory", default="2g", help="spark.driver.memory of the server")
    options = parser.parse_args()
    if math.gcd(options.rows, 3 * 7919) != 1:
        parser.error("--rows must not be divisible by 3 or 7919, which make the keys")
    rows, text = options.rows, F.sha2(F.col("id").cast("string"), 256)
    with tempfile.TemporaryDirectory() as folder, \
            SparkConnectServer(warehouse=f"{folder}/warehouse", conf={"spark.driver.memory": options.memory}) as server:
        spark = SparkSession.builder.remote(server.remote_url).create()
        left = spark.range(rows).select((F.col("id") * 7919 % rows).alias("key"), text.alias("text"))
        right = spark.range(rows).select((F.col("id") * 3 % rows).alias("other"), F.repeat(text, 2).alias("long"))

        started = time.monotonic()
        left.orderBy("text").write.parquet(f"{folder}/sorted")
        print(f"sort  {time.monotonic() - started:6.1f} s  peak {peak_megabytes(server.pid)} MB", flush=True)
        check_sorted(f"{folder}/sorted", "text", rows)

        started = time.monotonic()
        lengths = F.sum(F.length("text") + F.length("long"))
        joined = left.join(right, left.key == right.other).agg(F.count("*"), lengths).first()
        print(f"join  {time.monotonic() - started:6.1f} s  peak {peak_megabytes(server.pid)} MB", flush=True)
        # Each key is there once on each side.
        if tuple(joined) != (rows, 192 * rows):
            raise SystemExit(f"the join answered {tuple(joined)}, not {(rows, 192 * rows)}")
        spark.stop()


if __name__ == "__main__":
    main()
