"""Iceberg tables in AWS Glue."""
import threading
import uuid

import pytest
from aws_services import aws, client  # noqa: F401
from conftest import open_session
from pyspark.errors import PySparkException


@pytest.fixture(scope="module")
def conf(aws):
    prefix = "spark.sql.catalog.glue"
    return {prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog", f"{prefix}.warehouse": "s3://lake/glue",
            f"{prefix}.glue.endpoint": aws, f"{prefix}.s3.endpoint": aws, f"{prefix}.client.region": "us-east-1",
            f"{prefix}.client.access-key-id": "test", f"{prefix}.client.secret-access-key": "test"}


@pytest.fixture(scope="module")
def session(remote, conf):
    made = open_session(remote, conf)
    yield made
    made.stop()


@pytest.fixture
def database(session):
    name = f"d{uuid.uuid4().hex[:8]}"
    session.sql(f"CREATE DATABASE glue.{name}")
    yield name
    session.sql(f"DROP DATABASE glue.{name} CASCADE")


def entry(aws, database, table="t"):
    return client(aws, "glue").get_table(DatabaseName=database, Name=table)["Table"]


def test_a_tables_life(session, aws, database):
    name = f"glue.{database}.t"
    session.sql(f"CREATE TABLE {name} (id BIGINT COMMENT 'number', v STRING) USING iceberg COMMENT 'mine'")
    session.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    session.sql(f"MERGE INTO {name} t USING (SELECT 2 AS id, 'c' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *")
    assert sorted(map(tuple, session.table(name).collect())) == [(1, "a"), (2, "c")]
    held = entry(aws, database)
    assert held["Parameters"]["table_type"] == "ICEBERG" and held["Description"] == "mine"
    assert held["Parameters"]["metadata_location"].startswith(f"s3://lake/glue/{database}.db/t/metadata/00002-")
    assert [(c["Name"], c["Type"], c.get("Comment")) for c in held["StorageDescriptor"]["Columns"]] == [
        ("id", "bigint", "number"), ("v", "string", None)]
    session.sql(f"ALTER TABLE {name} RENAME TO {database}.u")
    assert session.table(f"glue.{database}.u").count() == 2
    assert [row.tableName for row in session.sql(f"SHOW TABLES IN glue.{database}").collect()] == ["u"]
    where = entry(aws, database, "u")["Parameters"]["metadata_location"]
    session.sql(f"DROP TABLE glue.{database}.u")
    (row,) = session.sql(f"CALL glue.system.register_table('{database}.again', '{where}')").collect()
    assert row.total_records_count == 2
    session.sql(f"DROP TABLE glue.{database}.again PURGE")
    assert "Contents" not in client(aws, "s3").list_objects_v2(Bucket="lake", Prefix=f"glue/{database}.db/t/")


def test_create_as_select_is_one_commit(session, aws, database):
    session.sql(f"CREATE TABLE glue.{database}.t USING iceberg AS SELECT id FROM range(5)")
    assert entry(aws, database)["Parameters"]["metadata_location"].rpartition("/")[2].startswith("00000-")
    session.sql(f"CREATE OR REPLACE TABLE glue.{database}.t USING iceberg AS SELECT id FROM range(7)")
    assert session.table(f"glue.{database}.t").count() == 7 and session.table(f"glue.{database}.t.snapshots").count() == 2
    with pytest.raises(PySparkException):
        session.sql(f"CREATE TABLE glue.{database}.broken USING iceberg AS SELECT raise_error('no') AS x")
    assert not session.catalog.tableExists(f"glue.{database}.broken")


def test_databases(session, aws, database):
    session.sql(f"ALTER DATABASE glue.{database} SET PROPERTIES (team = 'a', comment = 'words')")
    held = client(aws, "glue").get_database(Name=database)["Database"]
    assert held["Description"] == "words" and held["Parameters"]["team"] == "a"
    session.sql(f"CREATE TABLE glue.{database}.t (id INT) USING iceberg")
    with pytest.raises(PySparkException, match="SCHEMA_NOT_EMPTY"):
        session.sql(f"DROP DATABASE glue.{database}")
    with pytest.raises(PySparkException, match="SCHEMA_ALREADY_EXISTS"):
        session.sql(f"CREATE DATABASE glue.{database}")
    with pytest.raises(PySparkException, match="SCHEMA_NOT_FOUND"):
        session.sql("SHOW TABLES IN glue.no_such_database").collect()


def test_tables_of_other_kinds_are_left_alone(session, aws, database):
    client(aws, "glue").create_table(DatabaseName=database, TableInput={
        "Name": "plain", "StorageDescriptor": {"Columns": [], "Location": "s3://lake/plain"}, "Parameters": {}})
    assert session.sql(f"SHOW TABLES IN glue.{database}").collect() == []
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_NOT_FOUND"):
        session.table(f"glue.{database}.plain").collect()
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        session.sql(f"CREATE TABLE glue.{database}.plain (id INT) USING iceberg")
    client(aws, "glue").delete_table(DatabaseName=database, Name="plain")


def test_writers_at_once_under_a_lock(remote, conf, aws, database):
    """Glue's stand-in checks no versions: the lock table keeps the writers apart."""
    prefix = "spark.sql.catalog.glue"
    locked = conf | {f"{prefix}.lock-impl": "org.apache.iceberg.aws.dynamodb.DynamoDbLockManager",
                     f"{prefix}.lock.table": "locks", f"{prefix}.dynamodb.endpoint": aws}
    sessions = [open_session(remote, locked) for _ in range(3)]
    sessions[0].sql(f"""CREATE TABLE glue.{database}.t (writer INT, n INT) USING iceberg
                        TBLPROPERTIES ('commit.retry.num-retries' = '30')""")
    failures = []

    def write(writer):
        try:
            for n in range(3):
                sessions[writer].sql(f"INSERT INTO glue.{database}.t VALUES ({writer}, {n})")
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []
    assert sessions[0].table(f"glue.{database}.t").count() == 9
    assert client(aws, "dynamodb").scan(TableName="locks")["Items"] == []
    [session.stop() for session in sessions]
