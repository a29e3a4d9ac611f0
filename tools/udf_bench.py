#!/usr/bin/env python3
"""How many rows a second Python functions take, beside Spark.

    tools/udf_bench.py [--binary build/release/bin/frazil] [--spark sc://host:port --spark-pid N] [--rows 10000000]

Plain functions, the same with useArrow=True, and pandas' over numbers and texts of the same Parquet files. The engines take
turns; each figure is the best of the rounds: rows a second, and CPU seconds of the server with all its children. Spark
has to be started with local[2] and without settings for testing, its workers with this Python's minor version. Exit
status 1 when a function over Arrow takes less than 3 times, or one of pandas less than twice, the rows of Spark.
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

# What is a plain function to Spark goes to ours over Arrow as any other.
GOALS = {"plain": 3.0, "pandas": 2.0}


def functions():
    """(kind, what, the column that the function gets, the function)"""
    from pyspark.sql.functions import col, pandas_udf, udf

    number, text = col("id"), col("name")
    plain = lambda x: x + 1  # noqa: E731
    upper = lambda x: x.upper()  # noqa: E731
    return [
        ("plain", "numbers", number, udf(plain, "bigint", useArrow=False)),
        ("plain", "texts", text, udf(upper, "string", useArrow=False)),
        ("useArrow", "numbers", number, udf(plain, "bigint", useArrow=True)),
        ("useArrow", "texts", text, udf(upper, "string", useArrow=True)),
        ("pandas", "numbers", number, pandas_udf(lambda s: s + 1, "bigint")),
        ("pandas", "texts", text, pandas_udf(lambda s: s.str.upper(), "string")),
    ]


def tree_cpu_seconds(pid):
    """Of a process and all its children, those too that have ended."""
    seconds, children = {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It has just ended.
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        seconds[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, todo = 0, [pid]
    while todo:
        one = todo.pop()
        total += seconds.get(one, 0)
        todo += children.get(one, [])
    return total


class Engine:
    def __init__(self, name, url, pid):
        from pyspark.sql import SparkSession

        self.name, self.pid, self.spark = name, pid, SparkSession.builder.remote(url).create()

    def measure(self, column, function, files):
        """(wall seconds, CPU seconds, answer)"""
        from pyspark.sql.functions import length, max as greatest

        result = function(column).alias("x")
        frame = self.spark.read.parquet(files).select(result)
        frame = frame.agg(greatest("x") if frame.schema["x"].dataType.typeName() == "long" else greatest(length("x")))
        cpu, began = tree_cpu_seconds(self.pid) if self.pid else 0, time.perf_counter()
        answer = frame.collect()[0][0]
        return time.perf_counter() - began, (tree_cpu_seconds(self.pid) if self.pid else 0) - cpu, answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    parser.add_argument("--spark", help="the URL of a Spark to compare with")
    parser.add_argument("--spark-pid", type=int, help="its process, for the CPU seconds")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    os.environ["FRAZIL_BINARY"] = str(args.binary.resolve())
    from frazil.spark import SparkConnectServer

    missed = []
    with SparkConnectServer() as server, tempfile.TemporaryDirectory() as folder:
        engines = [Engine("frazil", server.remote_url, server.pid)]
        files, few = f"{folder}/rows", f"{folder}/few"
        for path, count in ((files, args.rows), (few, 10_000)):
            engines[0].spark.sql(f"SELECT id, concat('user ', id) AS name FROM range({count})").write.parquet(path)
        if args.spark:
            engines.append(Engine("Spark", args.spark, args.spark_pid))
        for kind, what, column, function in functions():
            best, answers = {}, set()
            for engine in engines:
                engine.measure(column, function, few)  # The first starts the workers.
            for number in range(args.rounds):
                for engine in engines if number % 2 == 0 else reversed(engines):
                    wall, cpu, answer = engine.measure(column, function, files)
                    best[engine.name] = tuple(map(min, best.get(engine.name, (wall, cpu)), (wall, cpu)))
                    answers.add(answer)
            if len(answers) != 1:
                sys.exit(f"{kind}, {what}: the answers differ: {answers}")
            line = f"{kind:9} {what:8}"
            for name, (wall, cpu) in best.items():
                line += f"   {name} {args.rows / wall / 1e6:6.2f} M rows/s, {cpu:6.2f} CPU s"
            if args.spark:
                (wall, cpu), (spark_wall, spark_cpu) = best["frazil"], best["Spark"]
                line += f"   {spark_wall / wall:5.2f} x the rows of Spark"
                line += f", {cpu / spark_cpu:5.2f} of its CPU" if args.spark_pid else ""
                if spark_wall / wall < GOALS.get(kind, 0):
                    missed.append(f"{kind}, {what}")
            print(line, flush=True)
    if missed:
        print("less than asked for: " + "; ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
