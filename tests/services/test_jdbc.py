"""Iceberg tables whose names a relational database keeps: SQLite, and PostgreSQL where it is installed."""
import glob
import os
import pwd
import shutil
import socket
import subprocess
import threading
import uuid

import pytest
from conftest import open_session
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException

PREFIX = "spark.sql.catalog.jdbc"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """The address of a PostgreSQL server that lives as long as these tests."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL's server is not installed")
    programs = os.path.dirname(found[-1])
    # PostgreSQL does not run as root; a socket's path must be short.
    user = {"user": "postgres"} if os.getuid() == 0 else {}
    data = tmp_path_factory.mktemp("pg")
    if user:
        shutil.chown(data, "postgres")
        for folder in [data, *data.parents][:3]:
            folder.chmod(0o755)
        pwd.getpwnam("postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = str(data / "data")
    subprocess.run([f"{programs}/initdb", "-D", place, "-U", "frazil", "--auth=trust", "-E", "UTF8", "-N"],
                   check=True, capture_output=True, cwd="/", **user)
    server = subprocess.Popen([f"{programs}/postgres", "-D", place, "-p", str(port), "-k", "", "-h", "127.0.0.1"],
                              stderr=subprocess.DEVNULL, cwd="/", **user)
    for _ in range(100):
        if subprocess.run([f"{programs}/pg_isready", "-p", str(port), "-h", "127.0.0.1", "-t", "1"],
                          capture_output=True).returncode == 0:
            break
    yield f"jdbc:postgresql://127.0.0.1:{port}/postgres"
    server.terminate()
    server.wait()


@pytest.fixture(params=["sqlite", "postgres"])
def uri(request, tmp_path):
    """A database of its own for every test of SQLite, one for all of PostgreSQL."""
    return f"jdbc:sqlite:{tmp_path}/catalog.db" if request.param == "sqlite" else request.getfixturevalue("postgres")


@pytest.fixture
def conf(uri, tmp_path):
    made = {PREFIX: "org.apache.iceberg.spark.SparkCatalog", f"{PREFIX}.type": "jdbc", f"{PREFIX}.uri": uri,
            f"{PREFIX}.warehouse": str(tmp_path / "warehouse")}
    return made if "sqlite" in uri else {**made, f"{PREFIX}.jdbc.user": "frazil", f"{PREFIX}.jdbc.password": "none"}


@pytest.fixture
def session(remote, conf):
    made = open_session(remote, conf)
    yield made
    made.stop()


@pytest.fixture
def space(session):
    name = f"n{uuid.uuid4().hex[:8]}"
    session.sql(f"CREATE NAMESPACE jdbc.{name}")
    yield name
    session.sql(f"DROP NAMESPACE IF EXISTS jdbc.{name} CASCADE")


def rows(session, text):
    return sorted(map(tuple, session.sql(text).collect()))


def test_a_tables_life(session, space, tmp_path):
    name = f"jdbc.{space}.t"
    session.sql(f"CREATE TABLE {name} (id BIGINT, v STRING) USING iceberg PARTITIONED BY (bucket(2, id))")
    session.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    session.sql(f"MERGE INTO {name} t USING (SELECT 2 AS id, 'c' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *")
    session.sql(f"ALTER TABLE {name} ADD COLUMN w INT")
    assert rows(session, f"SELECT * FROM {name}") == [(1, "a", None), (2, "c", None)]
    session.sql(f"ALTER TABLE {name} RENAME TO {space}.u")
    assert [row.tableName for row in session.sql(f"SHOW TABLES IN jdbc.{space}").collect()] == ["u"]
    with pytest.raises(AnalysisException) as none:
        session.table(name).collect()
    assert none.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"
    with pytest.raises(AnalysisException) as taken:
        session.sql(f"CREATE TABLE jdbc.{space}.u (id INT) USING iceberg")
    assert taken.value.getCondition() == "TABLE_OR_VIEW_ALREADY_EXISTS"
    folder = tmp_path / "warehouse" / space / "t"
    assert len(list((folder / "metadata").glob("0000*-*.metadata.json"))) == 4
    session.sql(f"DROP TABLE jdbc.{space}.u PURGE")
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_create_as_select_is_one_commit_or_none(session, space):
    session.sql(f"CREATE TABLE jdbc.{space}.t USING iceberg AS SELECT id FROM range(5)")
    session.sql(f"CREATE OR REPLACE TABLE jdbc.{space}.t USING iceberg AS SELECT id FROM range(7)")
    assert session.table(f"jdbc.{space}.t").count() == 7 and session.table(f"jdbc.{space}.t.snapshots").count() == 2
    with pytest.raises(PySparkException):
        session.sql(f"CREATE TABLE jdbc.{space}.broken USING iceberg AS SELECT raise_error('no') AS x")
    assert not session.catalog.tableExists(f"jdbc.{space}.broken")


def test_namespaces(session, space):
    session.sql(f"CREATE NAMESPACE jdbc.{space}.deep COMMENT 'it''s deep' WITH DBPROPERTIES ('k' = 'v')")
    session.sql(f"ALTER NAMESPACE jdbc.{space}.deep SET DBPROPERTIES ('k' = 'w', 'l' = 'x')")
    told = {row[0]: row[1] for row in session.sql(f"DESCRIBE NAMESPACE EXTENDED jdbc.{space}.deep").collect()}
    assert told["Comment"] == "it's deep" and "(k,w)" in told["Properties"] and "(l,x)" in told["Properties"]
    assert told["Location"].endswith(f"warehouse/{space}/deep")
    assert [row[0] for row in session.sql(f"SHOW NAMESPACES IN jdbc.{space}").collect()] == [f"{space}.deep"]
    with pytest.raises(AnalysisException) as full:
        session.sql(f"DROP NAMESPACE jdbc.{space}")
    assert full.value.getCondition() == "SCHEMA_NOT_EMPTY"
    with pytest.raises(AnalysisException) as twice:
        session.sql(f"CREATE NAMESPACE jdbc.{space}.deep")
    assert twice.value.getCondition() == "SCHEMA_ALREADY_EXISTS"
    with pytest.raises(AnalysisException) as none:
        session.sql("SHOW TABLES IN jdbc.nowhere")
    assert none.value.getCondition() == "SCHEMA_NOT_FOUND"
    # A namespace comes to be with its first table.
    session.sql(f"CREATE TABLE jdbc.{space}.made.t (id INT) USING iceberg")
    assert [row[0] for row in session.sql(f"SHOW NAMESPACES IN jdbc.{space}").collect()] == [f"{space}.deep",
                                                                                           f"{space}.made"]


def test_views(session, space):
    session.sql(f"CREATE TABLE jdbc.{space}.t USING iceberg AS SELECT id FROM range(3)")
    session.sql(f"CREATE VIEW jdbc.{space}.v COMMENT 'twice' AS SELECT id * 2 AS d FROM jdbc.{space}.t")
    assert rows(session, f"SELECT * FROM jdbc.{space}.v") == [(0,), (2,), (4,)]
    session.sql(f"CREATE OR REPLACE VIEW jdbc.{space}.v AS SELECT max(id) AS m FROM jdbc.{space}.t")
    assert rows(session, f"SELECT * FROM jdbc.{space}.v") == [(2,)]
    assert [row.viewName for row in session.sql(f"SHOW VIEWS IN jdbc.{space}").collect()] == ["v"]
    with pytest.raises(AnalysisException):
        session.sql(f"CREATE TABLE jdbc.{space}.v (id INT) USING iceberg")
    session.sql(f"DROP VIEW jdbc.{space}.v")
    assert not session.catalog.tableExists(f"jdbc.{space}.v")


def test_writers_at_once_lose_nothing(remote, conf, session, space):
    session.sql(f"CREATE TABLE jdbc.{space}.t (writer INT, n INT) USING iceberg "
                "TBLPROPERTIES ('commit.retry.num-retries' = '20', 'commit.retry.min-wait-ms' = '10')")
    failures = []

    def write(writer):
        own = open_session(remote, conf)
        try:
            for n in range(5):
                own.sql(f"INSERT INTO jdbc.{space}.t VALUES ({writer}, {n})")
        except PySparkException as error:
            failures.append(error)
        finally:
            own.stop()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert rows(session, f"SELECT * FROM jdbc.{space}.t") == [(w, n) for w in range(4) for n in range(5)]


def test_pyiceberg_shares_the_catalog(remote, tmp_path):
    """What PyIceberg's SqlCatalog makes is read and written, and the other way round."""
    warehouse, database = tmp_path / "warehouse", tmp_path / "catalog.db"
    other = SqlCatalog("jdbc", uri=f"sqlite:///{database}", warehouse=f"file://{warehouse}")
    session = open_session(remote, {PREFIX: "org.apache.iceberg.spark.SparkCatalog",
                                    f"{PREFIX}.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
                                    f"{PREFIX}.uri": f"jdbc:sqlite:{database}", f"{PREFIX}.warehouse": str(warehouse)})
    try:
        import pyarrow as pa

        other.create_namespace("theirs", {"owner": "them"})
        table = other.create_table("theirs.t", pa.schema([("id", pa.int64())]))
        table.append(pa.table({"id": [1, 2]}))
        assert rows(session, "SELECT * FROM jdbc.theirs.t") == [(1,), (2,)]
        session.sql("INSERT INTO jdbc.theirs.t VALUES (3)")
        assert sorted(other.load_table("theirs.t").scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]
        session.sql("CREATE NAMESPACE jdbc.ours")
        session.sql("CREATE TABLE jdbc.ours.t USING iceberg AS SELECT id FROM range(4)")
        session.sql("CREATE VIEW jdbc.ours.v AS SELECT 1 AS one")
        assert ("ours",) in other.list_namespaces() and other.list_tables("ours") == [("ours", "t")]
        assert len(other.load_table("ours.t").scan().to_arrow()) == 4
        other.drop_table("theirs.t")
        assert not session.catalog.tableExists("jdbc.theirs.t")
    finally:
        session.stop()


@pytest.mark.parametrize("change, told", [
    ({"uri": ""}, "URI is required"),
    ({"warehouse": ""}, "warehousePath must not be null or empty"),
    ({"uri": "nothing"}, "no scheme"),
])
def test_settings_that_cannot_be(remote, tmp_path, change, told):
    conf = {"uri": f"jdbc:sqlite:{tmp_path}/catalog.db", "warehouse": str(tmp_path), "type": "jdbc", **change}
    session = open_session(remote, {PREFIX: "org.apache.iceberg.spark.SparkCatalog",
                                    **{f"{PREFIX}.{key}": value for key, value in conf.items() if value}})
    try:
        with pytest.raises(IllegalArgumentException, match=told):
            session.sql("SHOW NAMESPACES IN jdbc").collect()
    finally:
        session.stop()


def test_other_databases_are_refused_by_name(remote, tmp_path):
    session = open_session(remote, {PREFIX: "org.apache.iceberg.spark.SparkCatalog", f"{PREFIX}.type": "jdbc",
                                    f"{PREFIX}.uri": "jdbc:mysql://localhost/x", f"{PREFIX}.warehouse": str(tmp_path)})
    try:
        with pytest.raises(PySparkException, match="a JDBC catalog in mysql"):
            session.sql("SHOW NAMESPACES IN jdbc").collect()
    finally:
        session.stop()
