"""Tables of an open-source Unity Catalog: Delta and plain files, and the keys that come with them."""
import json
import time
import uuid

import pytest
from aws_services import aws, client  # noqa: F401
from conftest import open_session
from pyspark.errors import PySparkException
from pyspark.sql.types import LongType
from test_rest_access import Store
from unity_service import UnityService


def catalog(service, **more):
    prefix = "spark.sql.catalog.unity"
    return {prefix: "io.unitycatalog.spark.UCSingleCatalog", f"{prefix}.uri": service.url, f"{prefix}.token": "t"} | {
        f"{prefix}.{key}": value for key, value in more.items()}


@pytest.fixture(scope="module")
def service():
    with UnityService(token="t") as started:
        yield started


@pytest.fixture
def session(remote, service):
    session = open_session(remote, catalog(service))
    yield session
    session.stop()


@pytest.fixture
def schema(session):
    name = f"unity.s{uuid.uuid4().hex[:8]}"
    session.sql(f"CREATE SCHEMA {name} COMMENT 'c' WITH DBPROPERTIES (k = 'v')")
    yield name
    session.sql(f"DROP SCHEMA {name} CASCADE")


def rows(frame):
    return sorted(map(tuple, frame.collect()))


def test_schemas(session, schema):
    name = schema.partition(".")[2]
    for i in range(3):
        session.sql(f"CREATE SCHEMA unity.more{i}")
    assert {row[0] for row in session.sql("SHOW SCHEMAS IN unity").collect()} >= {name, "more0", "more1", "more2"}
    described = dict(session.sql(f"DESCRIBE SCHEMA EXTENDED {schema}").collect())
    assert described["Comment"] == "c" and "k,v" in described["Properties"].replace(", ", ",")
    session.sql(f"ALTER SCHEMA {schema} SET DBPROPERTIES (l = 'w')")
    assert "w" in dict(session.sql(f"DESCRIBE SCHEMA EXTENDED {schema}").collect())["Properties"]
    with pytest.raises(PySparkException, match="SCHEMA_ALREADY_EXISTS"):
        session.sql(f"CREATE SCHEMA {schema}")
    for i in range(3):
        session.sql(f"DROP SCHEMA unity.more{i}")
    with pytest.raises(PySparkException, match="SCHEMA_NOT_FOUND"):
        session.sql("DROP SCHEMA unity.more0")


def test_delta(session, schema, service, tmp_path):
    session.sql(f"CREATE TABLE {schema}.t (id INT COMMENT 'key', d DECIMAL(9,2), p STRING) USING delta PARTITIONED BY (p) "
                f"LOCATION '{tmp_path}/t'")
    told = service.tables[f"{schema}.t"]
    assert told["data_source_format"] == "DELTA" and told["storage_location"] == f"file://{tmp_path}/t"
    assert [(c["name"], c["type_name"], c.get("partition_index")) for c in told["columns"]] == [
        ("id", "INT", None), ("d", "DECIMAL", None), ("p", "STRING", 0)]
    assert told["columns"][1]["type_precision"] == 9 and json.loads(told["columns"][0]["type_json"])["type"] == "integer"
    session.sql(f"INSERT INTO {schema}.t VALUES (1, 1.5, 'a'), (2, 2.5, 'b')")
    session.sql(f"UPDATE {schema}.t SET d = 9 WHERE id = 1")
    assert rows(session.table(f"{schema}.t").selectExpr("id", "double(d)", "p")) == [(1, 9.0, "a"), (2, 2.5, "b")]
    session.sql(f"ALTER TABLE {schema}.t ADD COLUMN (x INT)")
    assert session.table(f"{schema}.t").columns == ["id", "d", "p", "x"]
    assert session.read.format("delta").load(f"{tmp_path}/t").count() == 2
    # A table that is there already, and one made of a query.
    session.sql(f"CREATE TABLE {schema}.again USING delta LOCATION '{tmp_path}/t'")
    session.sql(f"CREATE TABLE {schema}.q USING delta LOCATION '{tmp_path}/q' AS SELECT id, p FROM {schema}.again")
    assert rows(session.table(f"{schema}.q")) == [(1, "a"), (2, "b")]
    assert [row.tableName for row in session.sql(f"SHOW TABLES IN {schema}").collect()] == ["again", "q", "t"]
    session.sql(f"DROP TABLE {schema}.t")
    assert f"{schema}.t" not in service.tables and (tmp_path / "t" / "_delta_log").exists()
    for statement, message in [
            (f"CREATE TABLE {schema}.q USING delta LOCATION '{tmp_path}/z' AS SELECT 1 AS a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
            (f"CREATE TABLE {schema}.m (a INT) USING delta", "without LOCATION"),
            (f"ALTER TABLE {schema}.q RENAME TO {schema}.r", "RENAME"),
            (f"DROP TABLE {schema}.none", "TABLE_OR_VIEW_NOT_FOUND")]:
        with pytest.raises(PySparkException, match=message):
            session.sql(statement)


@pytest.mark.parametrize("format", ["parquet", "csv", "json", "orc", "avro"])
def test_plain_files(session, schema, tmp_path, format):
    session.sql(f"CREATE TABLE {schema}.f (id BIGINT, v STRING) USING {format} LOCATION '{tmp_path}/f'")
    session.sql(f"INSERT INTO {schema}.f VALUES (1, 'a'), (2, 'b')")
    assert rows(session.table(f"{schema}.f")) == [(1, "a"), (2, "b")]


def test_kinds_that_are_not_read(session, schema, service, tmp_path):
    service.tables[f"{schema}.s"] = {"name": "s", "table_type": "STREAMING_TABLE", "data_source_format": "DELTA",
                                     "storage_location": str(tmp_path), "columns": [], "table_id": "1"}
    with pytest.raises(PySparkException, match="STREAMING_TABLE"):
        session.table(f"{schema}.s").collect()


def test_signing_in(remote, service):
    session = open_session(remote, catalog(service, token="wrong"))
    with pytest.raises(PySparkException, match="Access denied.*Invalid access token") as refused:
        session.sql("SHOW SCHEMAS IN unity").collect()
    assert "wrong" not in str(refused.value)
    session.stop()


def test_keys_to_files(remote, aws):  # noqa: F811
    """Those that the service hands out, which it is asked for again before they end."""
    ends = {}

    def allows(method, path, headers):
        return None if ends.get(headers.get("x-amz-security-token"), 0) > time.time() else (400, "ExpiredToken")

    class Service(UnityService):
        def answer(self, method, path, query, body):
            if path.startswith("/temporary-"):
                token = f"token-{len(ends)}"
                ends[token] = time.time() + 3
                self.keys = {"aws_temp_credentials": {"access_key_id": "k", "secret_access_key": "s", "session_token": token},
                             "expiration_time": int(ends[token] * 1000)}
            return super().answer(method, path, query, body)

    with Store(aws, allows) as store, Service(token="t") as service:
        session = open_session(remote, catalog(service, **{"s3.endpoint": store.url, "s3.path-style-access": "true"}))
        place = f"s3://lake/{uuid.uuid4().hex[:8]}"
        session.sql("CREATE SCHEMA unity.s")
        session.sql(f"CREATE TABLE unity.s.t (id BIGINT, p INT) USING delta PARTITIONED BY (p) LOCATION '{place}'")
        session.sql("INSERT INTO unity.s.t SELECT id, id % 20 FROM range(100)")
        session.udf.register("slow", lambda x: time.sleep(0.4) or x, LongType())
        before = len(ends)
        session.sql("INSERT INTO unity.s.t SELECT slow(id), p FROM unity.s.t WHERE id < 20")
        assert session.table("unity.s.t").count() == 120 and len(ends) > before + 1
        session.stop()
