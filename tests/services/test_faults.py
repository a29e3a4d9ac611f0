"""Commits through a network that drops, delays, truncates and fails: none is lost, none is done twice, none hangs.

FRAZIL_LONG_TESTS=1: 500 commits to each, by four writers at a time.
"""
import faulthandler
import os
import threading
import time
import uuid

import pytest
from aws_services import aws, s3a  # noqa: F401
from conftest import open_session
from faulty_proxy import FaultyProxy, FaultyStreamProxy
from hive_service import start_metastore
from rest_service import RestService

LONG = os.environ.get("FRAZIL_LONG_TESTS") == "1"
COMMITS, WRITERS = (500, 4) if LONG else (8, 1)


def commit_all(session, table, remote=None, settings=None):
    """Appends each number by a statement of its own; returns those whose statement said that it failed."""
    failed = []
    started = time.time()
    if LONG:  # pytest's own limit for a test is shorter.
        faulthandler.cancel_dump_traceback_later()

    def write(session, numbers):
        for n in numbers:
            begun = time.time()
            try:
                session.sql(f"INSERT INTO {table} VALUES ({n})")
            except Exception as error:  # noqa: BLE001
                failed.append((n, str(error)))
            assert time.time() - begun < 300, f"commit {n} took {time.time() - begun:.0f} s"

    sessions = [session] + [open_session(remote, settings) for _ in range(WRITERS - 1)]
    threads = [threading.Thread(target=write, args=(one, range(i, COMMITS, WRITERS))) for i, one in enumerate(sessions)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    [one.stop() for one in sessions[1:]]
    if LONG:
        print(f"\n{table}: {COMMITS} commits by {WRITERS} writers in {time.time() - started:.0f} s, "
              f"{len(failed)} said that they failed: {[message[:150] for _, message in failed]}")
    return failed


def check(session, table, failed, proxy, unit):
    if LONG:
        print(dict(proxy.seen))
    assert sum(proxy.seen.values()) > 5, proxy.seen
    found = sorted(row.n for row in session.table(table).collect())
    expected = sorted(set(range(COMMITS)) - {n for n, _ in failed})
    # What failed with an unknown outcome may be there; nothing else may, and nothing twice.
    unknown = {n for n, message in failed if "CommitStateUnknown" in message}
    assert len(found) == len(set(found)) and set(expected) <= set(found) <= set(expected) | unknown, (found, failed)
    assert len(failed) <= max(1, COMMITS // 20), failed
    assert session.sql(f"SELECT * FROM {table}.{unit}").count() == len(found)


RETRIES = "TBLPROPERTIES ('commit.retry.num-retries' = '40')"


def test_an_iceberg_table_on_s3(remote, aws):  # noqa: F811
    with FaultyProxy(aws, share=0.1) as proxy:
        settings = s3a(proxy.url) | {
            "spark.sql.catalog.h": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.h.type": "hadoop",
            "spark.sql.catalog.h.warehouse": f"s3a://lake/{uuid.uuid4().hex[:8]}"}
        session = open_session(remote, settings)
        session.sql(f"CREATE TABLE h.db.t (n INT) USING iceberg {RETRIES}")
        failed = commit_all(session, "h.db.t", remote, settings)
        check(session, "h.db.t", failed, proxy, "snapshots")
        session.stop()


def test_a_delta_table_on_s3(remote, aws):  # noqa: F811
    with FaultyProxy(aws, share=0.15) as proxy:
        settings = s3a(proxy.url) | {"spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"}
        session = open_session(remote, settings)
        table = f"delta.`s3a://lake/{uuid.uuid4().hex[:8]}`"
        session.sql(f"CREATE TABLE {table} (n INT) USING delta")
        failed = commit_all(session, table, remote, settings)
        assert failed == [] and sum(proxy.seen.values()) > 5
        assert sorted(row.n for row in session.table(table).collect()) == list(range(COMMITS))
        assert session.sql(f"DESCRIBE HISTORY {table}").count() == COMMITS + 1
        session.stop()


def test_glue(remote, aws):  # noqa: F811
    with FaultyProxy(aws, share=0.15) as proxy:
        prefix = "spark.sql.catalog.glue"
        settings = {
            prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "glue",
            f"{prefix}.warehouse": f"s3://lake/{uuid.uuid4().hex[:8]}", f"{prefix}.glue.endpoint": proxy.url,
            f"{prefix}.s3.endpoint": proxy.url, f"{prefix}.client.region": "us-east-1",
            f"{prefix}.client.access-key-id": "test", f"{prefix}.client.secret-access-key": "test"}
        if WRITERS > 1:  # Glue's stand-in checks no versions: the lock table keeps the writers apart.
            settings |= {f"{prefix}.lock-impl": "org.apache.iceberg.aws.dynamodb.DynamoDbLockManager",
                         f"{prefix}.lock.table": "locks", f"{prefix}.dynamodb.endpoint": aws}
        session = open_session(remote, settings)
        database = f"d{uuid.uuid4().hex[:8]}"
        session.sql(f"CREATE DATABASE glue.{database}")
        session.sql(f"CREATE TABLE glue.{database}.t (n INT) USING iceberg {RETRIES}")
        failed = commit_all(session, f"glue.{database}.t", remote, settings)
        check(session, f"glue.{database}.t", failed, proxy, "snapshots")
        session.stop()


def test_a_rest_catalog(remote, tmp_path):
    with RestService(tmp_path) as service, FaultyProxy(service.url, share=0.15) as proxy:
        prefix = "spark.sql.catalog.rest"
        settings = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "rest",
                    f"{prefix}.uri": proxy.url}
        session = open_session(remote, settings)
        session.sql("CREATE DATABASE rest.db")
        session.sql(f"CREATE TABLE rest.db.t (n INT) USING iceberg {RETRIES}")
        failed = commit_all(session, "rest.db.t", remote, settings)
        check(session, "rest.db.t", failed, proxy, "snapshots")
        session.stop()


def test_a_hive_metastore(remote, tmp_path):
    pytest.importorskip("thrift")
    uri, _ = start_metastore()
    with FaultyStreamProxy(uri, share=0.1 if LONG else 0.15) as proxy:
        prefix = "spark.sql.catalog.hms"
        settings = {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "hive",
                    f"{prefix}.uri": f"thrift://{proxy.address}", f"{prefix}.warehouse": str(tmp_path)}
        session = open_session(remote, settings)
        for statement in ("CREATE DATABASE IF NOT EXISTS hms.db",
                          f"CREATE TABLE IF NOT EXISTS hms.db.t (n INT) USING iceberg {RETRIES}"):
            for _ in range(5):  # Creation is one call, whose answer may be lost; the statement says so.
                try:
                    session.sql(statement)
                    break
                except Exception:  # noqa: BLE001
                    continue
        failed = commit_all(session, "hms.db.t", remote, settings)
        check(session, "hms.db.t", failed, proxy, "snapshots")
        session.stop()
