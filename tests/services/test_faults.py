"""Commits through a network that drops, delays, truncates and fails: none is lost, none is done twice."""
import uuid

from aws_services import aws, s3a  # noqa: F401
from conftest import open_session
from faulty_proxy import FaultyProxy

COMMITS = 8


def commit_all(session, table):
    """Appends one number after the other; returns those whose statement said that it failed."""
    failed = []
    for n in range(COMMITS):
        try:
            session.sql(f"INSERT INTO {table} VALUES ({n})")
        except Exception as error:  # noqa: BLE001
            failed.append((n, str(error)))
    return failed


def check(session, table, failed, proxy, unit):
    assert sum(proxy.seen.values()) > 5, proxy.seen
    found = sorted(row.n for row in session.table(table).collect())
    expected = sorted(set(range(COMMITS)) - {n for n, _ in failed})
    # What failed with an unknown outcome may be there; nothing else may, and nothing twice.
    unknown = {n for n, message in failed if "CommitStateUnknown" in message}
    assert len(found) == len(set(found)) and set(expected) <= set(found) <= set(expected) | unknown, (found, failed)
    assert len(failed) <= 1, failed
    assert session.sql(f"SELECT * FROM {table}.{unit}").count() == len(found)


def test_an_iceberg_table_on_s3(remote, aws):
    with FaultyProxy(aws, share=0.1) as proxy:
        session = open_session(remote, s3a(proxy.url) | {
            "spark.sql.catalog.h": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.h.type": "hadoop",
            "spark.sql.catalog.h.warehouse": f"s3a://lake/{uuid.uuid4().hex[:8]}"})
        session.sql("CREATE TABLE h.db.t (n INT) USING iceberg")
        failed = commit_all(session, "h.db.t")
        check(session, "h.db.t", failed, proxy, "snapshots")
        session.stop()


def test_a_delta_table_on_s3(remote, aws):
    with FaultyProxy(aws, share=0.15) as proxy:
        session = open_session(remote, s3a(proxy.url) | {
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"})
        table = f"delta.`s3a://lake/{uuid.uuid4().hex[:8]}`"
        session.sql(f"CREATE TABLE {table} (n INT) USING delta")
        failed = commit_all(session, table)
        assert failed == [] and sum(proxy.seen.values()) > 5
        assert sorted(row.n for row in session.table(table).collect()) == list(range(COMMITS))
        assert session.sql(f"DESCRIBE HISTORY {table}").count() == COMMITS + 1
        session.stop()


def test_glue(remote, aws):
    with FaultyProxy(aws, share=0.15) as proxy:
        prefix = "spark.sql.catalog.glue"
        session = open_session(remote, {
            prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "glue",
            f"{prefix}.warehouse": f"s3://lake/{uuid.uuid4().hex[:8]}", f"{prefix}.glue.endpoint": proxy.url,
            f"{prefix}.s3.endpoint": proxy.url, f"{prefix}.client.region": "us-east-1",
            f"{prefix}.client.access-key-id": "test", f"{prefix}.client.secret-access-key": "test"})
        database = f"d{uuid.uuid4().hex[:8]}"
        session.sql(f"CREATE DATABASE glue.{database}")
        session.sql(f"CREATE TABLE glue.{database}.t (n INT) USING iceberg")
        failed = commit_all(session, f"glue.{database}.t")
        check(session, f"glue.{database}.t", failed, proxy, "snapshots")
        session.stop()
