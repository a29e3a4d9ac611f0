"""Tables of Glue that are not Iceberg's, through spark_catalog: plain files with their partitions, Delta, views."""
import uuid

import pytest
from aws_services import aws, client, s3a  # noqa: F401
from conftest import open_session


@pytest.fixture(scope="module")
def session(remote, aws):  # noqa: F811
    prefix = "spark.sql.catalog.spark_catalog"
    # Plain files are reached as Hadoop says, Iceberg's as the catalog does.
    session = open_session(remote, s3a(aws) | {
        prefix: "org.apache.iceberg.spark.SparkSessionCatalog", f"{prefix}.catalog-impl":
        "org.apache.iceberg.aws.glue.GlueCatalog", f"{prefix}.warehouse": "s3://lake/plain",
        f"{prefix}.glue.endpoint": aws, f"{prefix}.s3.endpoint": aws, f"{prefix}.client.region": "us-east-1",
        f"{prefix}.s3.path-style-access": "true", f"{prefix}.client.access-key-id": "test",
        f"{prefix}.client.secret-access-key": "test"})
    yield session
    session.stop()


@pytest.fixture
def db(session):
    name = f"g{uuid.uuid4().hex[:8]}"
    session.sql(f"CREATE DATABASE {name}")
    yield name
    session.sql(f"DROP DATABASE {name} CASCADE")


def rows(session, text):
    return sorted(tuple(row) for row in session.sql(text).collect())


def parts(aws, db, name):  # noqa: F811
    return sorted(p["Values"] for p in client(aws, "glue").get_partitions(DatabaseName=db, TableName=name)["Partitions"])


def test_plain_tables(session, aws, db):  # noqa: F811
    session.sql(f"CREATE TABLE {db}.T (Id INT, City STRING) USING parquet PARTITIONED BY (City) COMMENT 'c'")
    session.sql(f"INSERT INTO {db}.t VALUES (1, 'sf'), (2, 'la')")
    assert rows(session, f"SELECT * FROM {db}.t") == [(1, "sf"), (2, "la")] and session.table(f"{db}.t").columns == ["Id", "City"]
    held = client(aws, "glue").get_table(DatabaseName=db, Name="t")["Table"]
    assert held["TableType"] == "MANAGED_TABLE" and held["Description"] == "c"
    assert held["StorageDescriptor"]["SerdeInfo"]["SerializationLibrary"].endswith("ParquetHiveSerDe")
    assert parts(aws, db, "t") == [["la"], ["sf"]]
    session.sql(f"INSERT OVERWRITE {db}.t VALUES (3, 'ny')")
    assert parts(aws, db, "t") == [["ny"]]
    session.sql(f"ALTER TABLE {db}.t ADD COLUMN (v STRING)")
    session.sql(f"ALTER TABLE {db}.t RENAME TO {db}.u")
    assert rows(session, f"SELECT * FROM {db}.u") == [(3, None, "ny")] and parts(aws, db, "u") == [["ny"]]
    session.sql(f"DROP TABLE {db}.u")
    assert "Contents" not in client(aws, "s3").list_objects_v2(Bucket="lake", Prefix=f"plain/{db}.db/")


def test_a_table_of_a_crawler(session, aws, db):  # noqa: F811
    """As Glue's crawlers describe CSV with a header."""
    s3 = client(aws, "s3")
    s3.put_object(Bucket="lake", Key=f"crawled/{db}/day=1/a.csv", Body=b"id,v\n1,x\n2,\"y,z\"\n")
    client(aws, "glue").create_table(DatabaseName=db, TableInput={
        "Name": "crawled", "TableType": "EXTERNAL_TABLE", "Parameters": {"skip.header.line.count": "1", "classification": "csv"},
        "PartitionKeys": [{"Name": "day", "Type": "int"}],
        "StorageDescriptor": {
            "Columns": [{"Name": "id", "Type": "bigint"}, {"Name": "v", "Type": "string"}],
            "Location": f"s3://lake/crawled/{db}", "InputFormat": "org.apache.hadoop.mapred.TextInputFormat",
            "OutputFormat": "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            "SerdeInfo": {"SerializationLibrary": "org.apache.hadoop.hive.serde2.OpenCSVSerde",
                          "Parameters": {"separatorChar": ",", "quoteChar": '"'}}}})
    assert rows(session, f"SELECT * FROM {db}.crawled") == []
    session.sql(f"MSCK REPAIR TABLE {db}.crawled")
    assert rows(session, f"SELECT * FROM {db}.crawled") == [("1", "x", 1), ("2", "y,z", 1)]
    session.sql(f"ALTER TABLE {db}.crawled DROP PARTITION (day = 1)")
    assert parts(aws, db, "crawled") == [] and "Contents" in s3.list_objects_v2(Bucket="lake", Prefix=f"crawled/{db}/day=1")


def test_formats_side_by_side(session, aws, db):  # noqa: F811
    session.sql(f"CREATE TABLE {db}.d USING delta AS SELECT 1 AS id")
    session.sql(f"CREATE TABLE {db}.i USING iceberg AS SELECT 2 AS id")
    session.sql(f"CREATE TABLE {db}.o USING orc AS SELECT 3 AS id")
    session.sql(f"CREATE VIEW {db}.v AS SELECT * FROM {db}.d UNION ALL SELECT * FROM {db}.i UNION ALL SELECT * FROM {db}.o")
    assert rows(session, f"SELECT * FROM {db}.v") == [(1,), (2,), (3,)]
    assert {row.tableName for row in session.sql(f"SHOW TABLES IN {db}").collect()} >= {"d", "i", "o"}
    assert [row.viewName for row in session.sql(f"SHOW VIEWS IN {db}").collect()] == ["v"]
    session.sql(f"UPDATE {db}.d SET id = 7")
    assert rows(session, f"SELECT * FROM {db}.v") == [(2,), (3,), (7,)]
    held = client(aws, "glue").get_table(DatabaseName=db, Name="d")["Table"]
    assert held["Parameters"]["spark.sql.sources.provider"] == "delta"
