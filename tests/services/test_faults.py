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
        session.sql("CREATE DATABASE hms.db")
        session.sql(f"CREATE TABLE hms.db.t (n INT) USING iceberg {RETRIES}")
        failed = commit_all(session, "hms.db.t", remote, settings)
        check(session, "hms.db.t", failed, proxy, "snapshots")
        session.stop()


def test_definitions_in_a_hive_metastore(remote, tmp_path):
    """What is made, changed and dropped is so once, whatever answers are lost."""
    pytest.importorskip("thrift")
    uri, tables = start_metastore()
    with FaultyStreamProxy(uri, share=0.2) as proxy:
        prefix = "spark.sql.catalog.spark_catalog"
        session = open_session(remote, {
            prefix: "org.apache.iceberg.spark.SparkSessionCatalog", f"{prefix}.type": "hive",
            f"{prefix}.uri": f"thrift://{proxy.address}", f"{prefix}.warehouse": str(tmp_path)})
        for i in range(20 if LONG else 4):
            db = f"d{i}"
            session.sql(f"CREATE DATABASE {db}")
            for name, clauses in [("p", "USING parquet PARTITIONED BY (k)"), ("o", "STORED AS ORC"), ("i", "USING iceberg")]:
                session.sql(f"CREATE TABLE {db}.{name} (n INT, k INT) {clauses}")
                session.sql(f"INSERT INTO {db}.{name} VALUES (1, 1), (2, 2)")
                session.sql(f"ALTER TABLE {db}.{name} SET TBLPROPERTIES (told = '{name}')")
                session.sql(f"ALTER TABLE {db}.{name} RENAME TO {db}.{name}2")
            session.sql(f"ALTER TABLE {db}.p2 ADD PARTITION (k = 3)")
            session.sql(f"ALTER TABLE {db}.p2 DROP PARTITION (k = 2)")
            session.sql(f"CREATE VIEW {db}.v AS SELECT n FROM {db}.p2")
            assert sorted(tables.tables) == [(db, name) for name in ("i2", "o2", "p2", "v")]
            assert sorted(tables.partitions[(db, "p2")]) == [("1",), ("3",)]
            assert all(tables.tables[(db, f"{name}2")].parameters["told"] == name for name in "poi")
            assert [row.n for row in session.table(f"{db}.v").collect()] == [1]
            session.sql(f"DROP VIEW {db}.v")
            for name in "poi":
                session.sql(f"DROP TABLE {db}.{name}2")
            session.sql(f"DROP DATABASE {db}")
            assert not tables.tables and db not in tables.databases
        assert sum(proxy.seen.values()) > 5
        session.stop()
