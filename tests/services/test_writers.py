"""Writers of several engines at once on one table of one catalog: nothing is lost, nothing is there twice.

PyIceberg writes in processes of its own; a real Spark joins them where FRAZIL_SPARK_REMOTE names one that sees this disk.
FRAZIL_LONG_TESTS=1: 100 commits, by four writers of each engine.
"""
import faulthandler
import os
import subprocess
import sys
import threading
import time

from conftest import open_session
from hive_service import start_metastore
from rest_service import RestService

LONG = os.environ.get("FRAZIL_LONG_TESTS") == "1"
COMMITS, WRITERS = (100, 4) if LONG else (12, 2)

PYICEBERG = """
import sys, time
import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException

kind, uri = sys.argv[1:3]
catalog = load_catalog("c", type=kind, uri=uri)
for n in map(int, sys.argv[3:]):
    for attempt in range(200):
        try:
            catalog.load_table("db.t").append(pa.table({"n": pa.array([n], pa.int32()), "engine": ["pyiceberg"]}))
            break
        except CommitFailedException:
            time.sleep(0.05)
    else:
        raise SystemExit("no end of conflicts")
"""


def append(session, table, engine, numbers, wrong):
    for n in numbers:
        try:
            session.sql(f"INSERT INTO {table} VALUES ({n}, '{engine}')").collect()
        except Exception as error:  # noqa: BLE001
            wrong.append((engine, n, str(error)[:500]))


def run(sessions, kind, uri, table):
    """Appends 0, 1, ... by turns: one writer for each of `sessions` [(session, engine)], and those of PyIceberg."""
    count = len(sessions) + WRITERS
    wrong = []
    threads = [threading.Thread(target=append, args=(session, table, engine, range(i, COMMITS, count), wrong))
               for i, (session, engine) in enumerate(sessions)]
    processes = [subprocess.Popen([sys.executable, "-c", PYICEBERG, kind, uri]
                                  + [str(n) for n in range(len(sessions) + i, COMMITS, count)],
                                  stderr=subprocess.PIPE, text=True) for i in range(WRITERS)]
    started = time.time()
    if LONG:  # pytest's own limit for a test is shorter.
        faulthandler.cancel_dump_traceback_later()
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for process in processes:
        _, message = process.communicate(timeout=600)
        if process.returncode:
            wrong.append(("pyiceberg", message[-500:]))
    assert wrong == []
    if LONG:
        print(f"\n{COMMITS} commits by {count} writers over {kind} in {time.time() - started:.0f} s")


def check(sessions, kind, uri, table):
    from pyiceberg.catalog import load_catalog

    numbers = list(range(COMMITS))
    for session, engine in sessions:
        assert sorted(row.n for row in session.table(table).collect()) == numbers, engine
        assert session.sql(f"SELECT * FROM {table}.snapshots").count() == COMMITS, engine
    found = load_catalog("c", type=kind, uri=uri).load_table("db.t").scan().to_arrow()
    assert sorted(found["n"].to_pylist()) == numbers
    assert set(found["engine"].to_pylist()) == {engine for _, engine in sessions} | {"pyiceberg"}


def open_all(remote, settings, spark=True):
    sessions = [(open_session(remote, settings), "frazil") for _ in range(WRITERS)]
    other = os.environ.get("FRAZIL_SPARK_REMOTE")
    if other and spark:
        sessions += [(open_session(other, settings), "spark") for _ in range(WRITERS)]
    return sessions


CREATE = "(n INT, engine STRING) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '100')"


def test_over_a_rest_catalog(remote, tmp_path):
    with RestService(tmp_path) as service:
        prefix = "spark.sql.catalog.writers_rest"
        settings = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "rest", f"{prefix}.uri": service.url,
                    f"{prefix}.cache-enabled": "false"}
        sessions = open_all(remote, settings)
        sessions[0][0].sql("CREATE DATABASE writers_rest.db")
        sessions[0][0].sql(f"CREATE TABLE writers_rest.db.t {CREATE}")
        run(sessions, "rest", service.url, "writers_rest.db.t")
        check([sessions[0], sessions[-1]], "rest", service.url, "writers_rest.db.t")
        [session.stop() for session, _ in sessions]


def test_over_a_hive_metastore(remote, tmp_path):
    """Spark's own client asks more of a Metastore than the tests' one knows: HIVE_URI names a real one."""
    uri = os.environ.get("HIVE_URI") or start_metastore()[0]
    prefix = "spark.sql.catalog.writers_hive"
    settings = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "hive", f"{prefix}.uri": uri,
                f"{prefix}.cache-enabled": "false"}
    sessions = open_all(remote, settings, spark="HIVE_URI" in os.environ)
    session = sessions[0][0]
    session.sql("DROP TABLE IF EXISTS writers_hive.db.t")
    session.sql("DROP DATABASE IF EXISTS writers_hive.db")
    session.sql(f"CREATE DATABASE writers_hive.db LOCATION 'file:{tmp_path}/db'")
    session.sql(f"CREATE TABLE writers_hive.db.t {CREATE}")
    run(sessions, "hive", uri, "writers_hive.db.t")
    check([sessions[0], sessions[-1]], "hive", uri, "writers_hive.db.t")
    session.sql("DROP TABLE writers_hive.db.t")
    session.sql("DROP DATABASE writers_hive.db")
    [session.stop() for session, _ in sessions]
