#!/usr/bin/env python3
"""Runs TPC-H and TPC-DS on the server and compares every answer with DuckDB's on the same data.

    tools/tpc.py [--suites FOLDER] [--only tpch,tpcds] [--tables parquet,iceberg] [--tpch-scale 1] [--tpcds-scale 0.1] [--limit SECONDS]

The query texts are Spark's own, from its tests jar (FOLDER/conformance fetches it). The data comes from DuckDB's
generators and is kept in the cache. `parquet`: temporary views over the files. `iceberg`: tables that the server itself
made of them by CREATE TABLE AS SELECT. Exit status 1 if an answer differs. Run by the Python of venv-bench.
"""
import argparse
import contextlib
import datetime
import glob
import importlib
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
from pyspark.errors import ArithmeticException

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from frazil.spark import SparkConnectServer  # noqa: E402

CACHE = Path(os.environ.get("FRAZIL_CACHE", Path.home() / ".cache" / "frazil"))
GENERATORS = {"tpch": "dbgen", "tpcds": "dsdgen"}
# Where DuckDB has another name for a column than Spark's texts.
RENAMED = {"customer": {"c_last_review_date_sk": "c_last_review_date"}}


def generate(suite, scale):
    """{table: Parquet file} of the generated data."""
    folder = CACHE / "data" / f"{suite}-sf{scale:g}"
    if not (folder / ".complete").exists():
        print(f"{suite}: generating data of scale {scale:g}", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        module = importlib.import_module(f"duckdb_extension_{suite}")
        (extension,) = glob.glob(f"{Path(module.__file__).parent}/**/{suite}.duckdb_extension", recursive=True)
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"CALL {GENERATORS[suite]}(sf={scale})")
        for (table,) in connection.execute("SHOW TABLES").fetchall():
            names = [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()]
            new = RENAMED.get(table, {}) if suite == "tpcds" else {}
            columns = ", ".join(f"{n} AS {new.get(n, n)}" for n in names)
            connection.execute(f"COPY (SELECT {columns} FROM {table}) TO '{folder}/{table}.parquet' (FORMAT parquet)")
        (folder / ".complete").touch()
    return {p.stem: p for p in sorted(folder.glob("*.parquet"))}


def query_texts(suites, suite):
    """{name: text} out of Spark's tests jar."""
    where = subprocess.run([sys.executable, "-c", "import common; print(common.suite_dir())"], check=True, text=True,
                           capture_output=True, cwd=suites / "conformance",
                           env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}).stdout.strip()
    files = sorted(Path(where, suite).glob("q*.sql"), key=lambda p: (int(re.findall(r"\d+", p.stem)[0]), p.stem))
    return {p.stem: p.read_text().strip().rstrip(";") for p in files}


def for_duckdb(text):
    """The same query as DuckDB spells it."""
    text = text.replace("`", '"')
    text = re.sub(r"coalesce\((\w+), 0\) returns", r"coalesce(\1, 0) AS returns", text)
    return re.sub(r"\)\s+at,", ') AS "at",', text)


def without_limit(text):
    """Ties at the end of ORDER BY … LIMIT are settled by chance: without the limit answers can be compared."""
    return re.sub(r"(?is)\bLIMIT\s+\d+\s*$", "", text)


def plain(value):
    """A value in a form that compares between engines."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, datetime.datetime):
        return value.date() if value.time() == datetime.time() else value
    if isinstance(value, datetime.date):
        return value
    return float(value)


def order(row):
    return tuple((v is None, f"{v:.3e}" if isinstance(v, float) else str(v)) for v in row)


def same(left, right):
    if len(left) != len(right):
        return False

    def close(a, b):
        if isinstance(a, float) and isinstance(b, float):
            return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-5) or (a != a and b != b)
        return a == b

    def equal(rows, others):
        return all(len(a) == len(b) and all(map(close, a, b)) for a, b in zip(rows, others))

    left = [tuple(map(plain, row)) for row in left]
    right = [tuple(map(plain, row)) for row in right]
    return equal(left, right) or equal(sorted(left, key=order), sorted(right, key=order))


def difference(left, right):
    left = sorted((tuple(map(plain, row)) for row in left), key=order)
    right = sorted((tuple(map(plain, row)) for row in right), key=order)
    for number, (a, b) in enumerate(zip(left, right)):
        if not same([a], [b]):
            return f"{len(left)} and {len(right)} rows; the first that differs (sorted, {number}): {a} and {b}"
    return f"{len(left)} and {len(right)} rows"


def attach(spark, tables, kind, lake):
    """Makes the tables known by their plain names."""
    if kind == "parquet":
        for name, path in tables.items():
            spark.read.parquet(str(path)).createOrReplaceTempView(name)
        return
    spark.conf.set("spark.sql.catalog.tpc", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set("spark.sql.catalog.tpc.type", "hadoop")
    spark.conf.set("spark.sql.catalog.tpc.warehouse", lake)
    spark.sql("CREATE NAMESPACE tpc.db")
    spark.sql("USE tpc.db")
    for name, path in tables.items():
        spark.sql(f"CREATE TABLE {name} USING iceberg AS SELECT * FROM parquet.`{path}`")


@contextlib.contextmanager
def interrupted_after(seconds, interrupt):
    """Calls `interrupt` if the body takes longer."""
    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def compare(spark, reference, text, limit):
    """None if the answers are the same, else what differs. Each engine has `limit` seconds for an answer."""
    def ours(query):
        with interrupted_after(limit, spark.interruptAll):
            return [tuple(row) for row in spark.sql(query).collect()]

    def theirs(query):
        with interrupted_after(limit, reference.interrupt):
            return reference.execute(for_duckdb(query)).fetchall()

    got, wanted = ours(text), theirs(text)
    if same(got, wanted):
        return None
    whole = without_limit(text)
    if whole != text and len(got) == len(wanted):
        got, wanted = ours(whole), theirs(whole)
        if same(got, wanted):
            return None
    return difference(got, wanted)


def compare_without_ansi_errors(spark, reference, text, limit):
    """`compare`; where the answer is that the data makes a query divide by zero (TPC-DS q90 on little data), which DuckDB
    answers with NULL, the answers without ANSI mode."""
    try:
        return compare(spark, reference, text, limit)
    except ArithmeticException as error:
        if error.getCondition() != "DIVIDE_BY_ZERO":
            raise
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        return compare(spark, reference, text, limit)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


def run(suite, kind, tables, texts, limit, verbose):
    """(number that passed, number of all)."""
    from pyspark.sql import SparkSession

    reference = duckdb.connect()
    # What divides by zero is NULL.
    reference.execute("SET ieee_floating_point_ops = false")
    reference.execute("SET default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC'")
    for name, path in tables.items():
        reference.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
    passed, started = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as work, SparkConnectServer(warehouse=f"{work}/warehouse") as server:
        spark = SparkSession.builder.remote(server.remote_url).create()
        attach(spark, tables, kind, f"{work}/lake")
        for name, text in texts.items():
            begun = time.monotonic()
            try:
                wrong = compare_without_ansi_errors(spark, reference, text, limit)
            except Exception as error:
                wrong = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            passed += wrong is None
            if wrong or verbose:
                print(f"  {suite} {kind} {name}: {wrong or 'right'} ({time.monotonic() - begun:.1f} s)", flush=True)
        spark.stop()
    print(f"{suite} over {kind}: {passed} of {len(texts)} right ({time.monotonic() - started:.0f} s)", flush=True)
    return passed, len(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--only", default="tpch,tpcds")
    parser.add_argument("--tables", default="parquet,iceberg")
    parser.add_argument("--queries", help="names such as q1,q14a")
    parser.add_argument("--tpch-scale", type=float, default=1)
    parser.add_argument("--tpcds-scale", type=float, default=0.1)
    parser.add_argument("--limit", type=float, default=60, help="seconds for an answer")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    passed = total = 0
    for suite in args.only.split(","):
        tables = generate(suite, args.tpch_scale if suite == "tpch" else args.tpcds_scale)
        texts = query_texts(args.suites, suite)
        if args.queries:
            texts = {name: text for name, text in texts.items() if name in args.queries.split(",")}
        for kind in args.tables.split(","):
            right, all_of_them = run(suite, kind, tables, texts, args.limit, args.verbose)
            passed, total = passed + right, total + all_of_them
    print(f"{passed} passed, {total - passed} failed")
    return 0 if passed == total else 1


if __name__ == "__main__":
    sys.exit(main())
