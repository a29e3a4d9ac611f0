"""Files, Iceberg tables and Delta tables on an object store."""
import threading

import pytest
from aws_services import aws, client, folder, s3_session, s3a  # noqa: F401
from conftest import open_session
from faulty_proxy import FaultyProxy
from pyspark.errors import PySparkException


@pytest.mark.parametrize("kind, options", [("parquet", {}), ("csv", {"header": True, "inferSchema": True}), ("json", {})])
def test_files(s3_session, folder, kind, options):
    frame = s3_session.range(100).selectExpr("id", "id % 3 AS k", "concat('a b+%', id) AS v")
    frame.write.format(kind).options(**options).partitionBy("k").save(folder)
    read = s3_session.read.format(kind).options(**options).load(folder)
    assert sorted(map(tuple, read.select("id", "k", "v").collect())) == [(i, i % 3, f"a b+%{i}") for i in range(100)]
    frame.limit(1).write.format(kind).options(**options).mode("overwrite").save(folder)
    assert s3_session.read.format(kind).options(**options).load(folder).count() == 1


def test_a_file_that_is_replaced_within_a_second(remote, aws, folder):
    """The store tells times in seconds: the tag says which of the two objects of one size it is."""
    import io
    import re

    import pyarrow as pa
    import pyarrow.parquet as pq

    class StandingClock(FaultyProxy):
        """Every object has the same time."""

        def answer(self, request, status, content, headers, truncated=False):
            headers = [(k, "Mon, 30 Nov 2026 12:00:00 GMT" if k.lower() == "last-modified" else v) for k, v in headers]
            content = re.sub(rb"<LastModified>[^<]*<", b"<LastModified>2026-11-30T12:00:00.000Z<", content)
            super().answer(request, status, content, headers, truncated)

    key = folder.rpartition("/")[2] + "/f.parquet"
    with StandingClock(aws, share=0) as store:
        session = open_session(remote, s3a(store.url))
        for round_ in range(3):
            for column in ("aa", "bb"):
                held = io.BytesIO()
                pq.write_table(pa.table({column: pa.array([1, 2, round_])}), held)
                client(aws, "s3").put_object(Bucket="lake", Key=key, Body=held.getvalue())
                read = session.read.parquet(f"{folder}/f.parquet")
                assert read.columns == [column] and read.agg({column: "sum"}).first()[0] == 3 + round_
        session.stop()


def test_names_that_need_encoding(s3_session, aws, folder):
    s3_session.range(3).write.parquet(f"{folder}/a b/c+d=e%20/ü")
    assert s3_session.read.parquet(f"{folder}/a b/c+d=e%20/ü").count() == 3
    assert s3_session.read.parquet(f"{folder}/a b/*/ü").count() == 3
    listed = client(aws, "s3").list_objects_v2(Bucket="lake", Prefix=folder.rpartition("/")[2])["Contents"]
    assert any("/a b/c+d=e%20/ü/part-" in item["Key"] for item in listed)


def test_large_files_are_uploaded_in_parts(s3_session, folder, remote, aws):
    session = open_session(remote, s3a(aws) | {"spark.hadoop.fs.s3a.multipart.size": "5M"})
    session.conf.set("spark.sql.parquet.compression.codec", "uncompressed")
    session.range(3_000_000).selectExpr("id", "hash(id) AS h").coalesce(1).write.format("delta").save(folder)
    (large,) = [item for item in client(aws, "s3").list_objects_v2(Bucket="lake", Prefix=folder.rpartition("/")[2])["Contents"]
                if item["Size"] > 10_000_000]
    assert large["ETag"].strip('"').endswith(("-3", "-4", "-5", "-6", "-7", "-8"))
    assert s3_session.read.format("delta").load(folder).selectExpr("count(*)", "sum(id)").first()[:] == (3_000_000, 4_499_998_500_000)
    session.stop()


def test_an_iceberg_table(s3_session):
    s3_session.sql("CREATE NAMESPACE h.db")
    assert [row[0] for row in s3_session.sql("SHOW NAMESPACES IN h").collect()] == ["db"]
    s3_session.sql("CREATE TABLE h.db.t (id BIGINT, v STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
    s3_session.sql("INSERT INTO h.db.t SELECT id, 'a' FROM range(10)")
    s3_session.sql("UPDATE h.db.t SET v = 'b' WHERE id = 3")
    s3_session.sql("ALTER TABLE h.db.t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    s3_session.sql("DELETE FROM h.db.t WHERE id > 7")
    assert sorted(map(tuple, s3_session.table("h.db.t").collect())) == [(i, "b" if i == 3 else "a") for i in range(8)]
    assert s3_session.table("h.db.t.snapshots").count() == 3
    s3_session.sql("DROP TABLE h.db.t")
    s3_session.sql("DROP NAMESPACE h.db")
    assert s3_session.sql("SHOW NAMESPACES IN h").collect() == []


def test_a_delta_table(s3_session, folder):
    s3_session.range(10).write.format("delta").save(folder)
    s3_session.range(10, 20).write.format("delta").mode("append").save(folder)
    s3_session.sql(f"DELETE FROM delta.`{folder}` WHERE id < 5")
    assert s3_session.read.format("delta").load(folder).count() == 15
    assert [row.operation for row in s3_session.sql(f"DESCRIBE HISTORY delta.`{folder}`").collect()] == ["DELETE", "WRITE", "WRITE"]


def test_writers_at_once_lose_nothing(s3_session, remote, aws):
    """The commits of several sessions to one table: a PUT that only one of them can make."""
    s3_session.sql("CREATE NAMESPACE IF NOT EXISTS h.many")
    s3_session.sql("CREATE TABLE h.many.t (writer INT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '30')")
    conf = {key: s3_session.conf.get(key) for key in (
        "spark.sql.catalog.h", "spark.sql.catalog.h.type", "spark.sql.catalog.h.warehouse")} | s3a(aws)
    sessions = [open_session(remote, conf) for _ in range(3)]
    failures = []

    def write(writer):
        try:
            for n in range(4):
                sessions[writer].sql(f"INSERT INTO h.many.t VALUES ({writer}, {n})")
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []
    assert sorted(map(tuple, s3_session.table("h.many.t").collect())) == [(w, n) for w in range(3) for n in range(4)]
    [session.stop() for session in sessions]


@pytest.mark.ours  # the messages
def test_what_is_missing_or_refused_is_said(s3_session, folder, remote):
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        s3_session.read.parquet(f"{folder}/none").collect()
    with pytest.raises(PySparkException, match="NoSuchBucket"):
        s3_session.read.parquet("s3a://no-such-bucket/t").collect()
    session = open_session(remote, {
        "spark.hadoop.fs.s3a.endpoint": "http://127.0.0.1:1", "spark.hadoop.fs.s3a.access.key": "an-id",
        "spark.hadoop.fs.s3a.secret.key": "hidden-key", "spark.hadoop.fs.s3a.attempts.maximum": "0"})
    with pytest.raises(PySparkException, match="http://127.0.0.1:1 after 1 attempt") as failed:
        session.read.parquet("s3a://lake/t").collect()
    assert "hidden-key" not in str(failed.value)
    session.stop()


def test_secrets_are_not_shown(s3_session):
    shown = {row.key: row.value for row in s3_session.sql("SET").collect()}
    assert shown["spark.hadoop.fs.s3a.secret.key"] == "*********(redacted)"
    assert shown["spark.hadoop.fs.s3a.endpoint"].startswith("http://")
    assert s3_session.conf.get("spark.hadoop.fs.s3a.secret.key") == "test"
