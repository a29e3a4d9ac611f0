#!/usr/bin/env python3
"""Measures Iceberg tables on an S3 server of this machine: TPC-H against the same tables on the local disk, planning over many
files by a server that has just started, and the requests that each query makes.

    tools/store_bench.py [--scale 1] [--files 10000] [--rounds 3] [--s3 URL] [--only tpch,planning] [--json FILE]

The S3 server is SeaweedFS, which FOLDER/services starts (--suites FOLDER, by default the one beside the checkout); --s3
names another, with S3_ACCESS_KEY and S3_SECRET_KEY and a bucket `warehouse`. Times are medians of rounds in turn, without
the first; requests are counted by a proxy in a round of their own. Exit status 1 where a target is missed: TPC-H over S3
at most 1.5 times the local time, a selective query over all files at most 2 s cold. Run by the Python of venv-bench, on a
machine with nothing else to do.
"""
import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools"), str(ROOT / "tests" / "services")]

from faulty_proxy import FaultyProxy  # noqa: E402
from frazil.spark import SparkConnectServer  # noqa: E402

TPCH_TARGET, PLANNING_TARGET = 1.5, 2.0


@contextlib.contextmanager
def s3_server(suites, url):
    """The endpoint of an S3 server."""
    if url:
        yield url
        return
    script = suites / "services" / "s3.sh"
    if not script.exists():
        sys.exit(f"store_bench: no S3 server in {suites}; name one by --s3")
    with tempfile.TemporaryDirectory() as data:
        try:
            started = subprocess.run([script, "start", "21900", data], check=True, capture_output=True, text=True).stdout
            yield re.search(r"^endpoint=(\S+)", started, re.M).group(1)
        finally:
            subprocess.run([script, "stop", data], capture_output=True)


def session(server, endpoint, warehouse):
    """A new session with the catalogs `s3` and `disk`."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(server.remote_url)
    settings = {"s3": {"warehouse": "s3://warehouse/bench", "s3.endpoint": endpoint, "s3.path-style-access": "true",
                       "client.region": "us-east-1", "s3.access-key-id": os.environ.get("S3_ACCESS_KEY", "admin"),
                       "s3.secret-access-key": os.environ.get("S3_SECRET_KEY", "password")},
                "disk": {"warehouse": warehouse}}
    for name, own in settings.items():
        prefix = f"spark.sql.catalog.{name}"
        builder = builder.config(prefix, "org.apache.iceberg.spark.SparkCatalog").config(f"{prefix}.type", "hadoop")
        for key, value in own.items():
            builder = builder.config(f"{prefix}.{key}", value)
    return builder.create()


def seconds(run):
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def kinds(log):
    """Requests by what they are for: {"GET data": 3, ...}."""
    def kind(path):
        name = path.split("?")[0]
        if "list-type" in path:
            return "list"
        for ending, what in ((".parquet", "data"), (".avro", "manifests"), (".metadata.json", "metadata"), ("hint.text", "hint")):
            if name.endswith(ending):
                return what
        return "other"
    return dict(sorted(Counter(f"{method} {kind(path)}" for method, path, _ in log).items()))


def tpch(work, endpoint, proxy, args):
    import duckdb
    from tpc import generate

    data = generate("tpch", args.scale)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    import duckdb_extension_tpch
    (extension,) = Path(duckdb_extension_tpch.__file__).parent.rglob("tpch.duckdb_extension")
    connection.execute(f"LOAD '{extension}'")
    queries = dict(connection.execute("SELECT query_nr, query FROM tpch_queries()").fetchall())
    if args.queries:
        queries = {number: queries[number] for number in map(int, args.queries.split(","))}
    found = {"queries": {}}
    with SparkConnectServer(warehouse=f"{work}/warehouse") as server:
        spark = session(server, endpoint, f"{work}/lake")
        for catalog in ("disk", "s3"):
            spark.sql(f"CREATE NAMESPACE {catalog}.tpch")
            for name, path in data.items():
                spark.sql(f"CREATE TABLE {catalog}.tpch.{name} USING iceberg AS SELECT * FROM parquet.`{path}`")
        times = {number: {"disk": [], "s3": []} for number in queries}
        for round_ in range(args.rounds + 1):
            for catalog in ("disk", "s3"):
                spark.sql(f"USE {catalog}.tpch")
                for number, text in queries.items():
                    taken = seconds(lambda: spark.sql(text.rstrip().rstrip(";")).collect())
                    if round_ > 0:
                        times[number][catalog].append(taken)
        spark.stop()
        spark = session(server, proxy.url, f"{work}/lake")
        spark.sql("USE s3.tpch")
        for number, text in queries.items():
            spark.sql(text.rstrip().rstrip(";")).collect()  # What is cached of the tables is so by then.
            proxy.log.clear()
            spark.sql(text.rstrip().rstrip(";")).collect()
            median = {catalog: statistics.median(times[number][catalog]) for catalog in ("disk", "s3")}
            found["queries"][number] = median | {"requests": len(proxy.log), "kinds": kinds(proxy.log)}
        spark.stop()
    print(f"\nTPC-H at scale {args.scale:g}, Iceberg: seconds (median of {args.rounds}), requests of a warm run")
    for number, one in found["queries"].items():
        print(f"  q{number:02d}  disk {one['disk']:7.3f}  s3 {one['s3']:7.3f}  x{one['s3'] / one['disk']:.2f}  "
              f"{one['requests']:4d} requests {one['kinds']}")
    total = {catalog: sum(one[catalog] for one in found["queries"].values()) for catalog in ("disk", "s3")}
    found["ratio"] = total["s3"] / total["disk"]
    print(f"  all  disk {total['disk']:7.3f}  s3 {total['s3']:7.3f}  x{found['ratio']:.2f} (target {TPCH_TARGET})")
    return found, found["ratio"] <= TPCH_TARGET


def planning(work, endpoint, proxy, args):
    with SparkConnectServer(warehouse=f"{work}/warehouse") as server:
        spark = session(server, endpoint, f"{work}/lake")
        for catalog in ("disk", "s3"):
            spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {catalog}.planning")
            spark.sql(f"CREATE TABLE {catalog}.planning.t (id BIGINT, v STRING) USING iceberg PARTITIONED BY (id)")
            for first in range(0, args.files, 1000):
                spark.sql(f"INSERT INTO {catalog}.planning.t SELECT id, concat('v', id) "
                          f"FROM range({first}, {min(first + 1000, args.files)})")
        spark.stop()
    steps = {"selective": "SELECT v FROM {}.planning.t WHERE id = 77", "count": "SELECT count(*) FROM {}.planning.t",
             "files": "SELECT count(*) FROM {}.planning.t.files"}
    found, counted = {}, {}
    for catalog in ("disk", "s3"):
        for step, query in steps.items():
            times = []
            for _ in range(max(args.rounds, 1)):
                # A server that has just started knows nothing of the table.
                with SparkConnectServer(warehouse=f"{work}/warehouse") as server:
                    spark = session(server, endpoint, f"{work}/lake")
                    spark.sql("SELECT 1").collect()
                    times.append(seconds(lambda: spark.sql(query.format(catalog)).collect()))
                    spark.stop()
            found[f"{catalog} {step}"] = statistics.median(times)
    with SparkConnectServer(warehouse=f"{work}/warehouse") as server:
        spark = session(server, proxy.url, f"{work}/lake")
        for temperature in ("cold", "warm"):
            proxy.log.clear()
            spark.sql(steps["selective"].format("s3")).collect()
            counted[temperature] = {"requests": len(proxy.log), "kinds": kinds(proxy.log)}
        spark.stop()
    print(f"\nPlanning over {args.files} files by a server that has just started: seconds (median of {max(args.rounds, 1)})")
    for step, taken in found.items():
        print(f"  {step:16s} {taken:7.3f}" + (f" (target {PLANNING_TARGET})" if step == "s3 selective" else ""))
    for temperature, one in counted.items():
        print(f"  selective, {temperature}: {one['requests']} requests {one['kinds']}")
    return found | {"requests": counted}, found["s3 selective"] <= PLANNING_TARGET


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--suites", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    parser.add_argument("--s3", help="endpoint of a running S3 server")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--queries", help="numbers of TPC-H's queries, by commas")
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="tpch,planning")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    os.environ["FRAZIL_BINARY"] = str(args.binary.resolve())
    results, good = {}, True
    with tempfile.TemporaryDirectory() as work, s3_server(args.suites, args.s3) as endpoint, \
            FaultyProxy(endpoint, share=0) as proxy:
        for name in args.only.split(","):
            results[name], met = {"tpch": tpch, "planning": planning}[name](f"{work}/{name}", endpoint, proxy, args)
            good &= met
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
