"""Iceberg tables between this server and the real Spark, in one folder that both have as a catalog.

Runs only where FRAZIL_SPARK_REMOTE names a Spark Connect server with Iceberg's Spark runtime (CONTRIBUTING.md has the
command). Each engine makes tables and changes them; both must see the same rows, and PyIceberg as many.
"""
import os
import uuid
from contextlib import suppress

import pytest
from conftest import iceberg_catalog, open_session
from pyiceberg.table import StaticTable

SPARK = os.environ.get("FRAZIL_SPARK_REMOTE")
pytestmark = pytest.mark.skipif(not SPARK, reason="FRAZIL_SPARK_REMOTE names no Spark")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The warehouse that both engines share."""
    path = tmp_path_factory.mktemp("shared")
    path.chmod(0o777)
    return path


@pytest.fixture(scope="module")
def engines(remote, folder):
    """{"ours": session, "spark": session}. Spark must not show the tables as it saw them last."""
    conf = iceberg_catalog("ice", folder) | {"spark.sql.catalog.ice.cache-enabled": "false"}
    made = {"ours": open_session(remote, conf), "spark": open_session(SPARK, conf)}
    yield made
    for session in made.values():
        session.stop()


@pytest.fixture(params=["ours", "spark"])
def writer(request):
    """Who makes the table."""
    return request.param


@pytest.fixture
def table(engines):
    """A name for a new table in a namespace of its own."""
    name = f"ice.n{uuid.uuid4().hex[:8]}"
    engines["ours"].sql(f"CREATE NAMESPACE {name}")
    yield f"{name}.t"
    for engine in engines.values():
        with suppress(Exception):
            engine.sql(f"DROP TABLE IF EXISTS {name}.t")


def plain(value):
    """A value of any of the readers in one form that has an order."""
    if isinstance(value, (bytes, bytearray)):
        return f"X'{bytes(value).hex()}'"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{plain(k)}: {plain(v)}" for k, v in value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(plain(v) for v in value) + "]"
    return repr(value)


def rows(session, query):
    return sorted(plain(tuple(row)) for row in session.sql(query).collect())


def metadata_file(folder, table):
    path = folder.joinpath(*table.split(".")[1:]) / "metadata"
    return str(max(path.glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0])))


def agree(engines, folder, table, query="SELECT * FROM {}", pyiceberg=True):
    """Both engines give the same rows (and as many as PyIceberg); they are returned."""
    found = {name: rows(session, query.format(table)) for name, session in engines.items()}
    assert found["ours"] == found["spark"]
    types = {name: session.sql(query.format(table)).schema.simpleString() for name, session in engines.items()}
    assert types["ours"] == types["spark"]
    if pyiceberg and query == "SELECT * FROM {}":
        assert StaticTable.from_metadata(metadata_file(folder, table)).scan().to_arrow().num_rows == len(found["ours"])
    return found["ours"]


EVERY_TYPE = """b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, m5 DECIMAL(5,2), m18 DECIMAL(18,6), m38 DECIMAL(38,10), day DATE,
  t TIMESTAMP, n TIMESTAMP_NTZ, s STRING, y BINARY, a ARRAY<INT>, aa ARRAY<ARRAY<STRING>>, k MAP<STRING,BIGINT>,
  km MAP<INT,MAP<STRING,DOUBLE>>, r STRUCT<x: INT, z: STRUCT<q: DATE, w: ARRAY<STRUCT<e: STRING>>>>,
  ar ARRAY<STRUCT<u: INT, v: MAP<STRING,STRING>>>"""
EVERY_VALUE = [
    """true, 2147483647, 9223372036854775807, 3.25, 1.5e300, 123.45, 123456789012.123456,
       1234567890123456789012345678.0123456789, DATE '9999-12-31', TIMESTAMP '2024-02-29 01:02:03.123456',
       TIMESTAMP_NTZ '1969-12-31 23:59:59.999999', 'ü€😀', X'00FF10', array(1, NULL, -3), array(array('a', NULL), NULL, array()),
       map('k', 5L, 'n', NULL), map(1, map('x', 1.5D), 2, NULL),
       named_struct('x', 1, 'z', named_struct('q', DATE '1582-10-15', 'w', array(named_struct('e', 'deep'), NULL))),
       array(named_struct('u', 1, 'v', map('a', 'b')), named_struct('u', NULL, 'v', NULL))""",
    """false, -2147483648, -9223372036854775808, float('NaN'), double('-Infinity'), -999.99, -0.000001, -0.0000000001,
       DATE '0001-01-01', TIMESTAMP '1960-01-01 00:00:00.000001', TIMESTAMP_NTZ '0001-01-01 00:00:00', '', X'', array(),
       array(), map(), map(), named_struct('x', NULL, 'z', NULL), array()""",
    ", ".join(["NULL"] * 19),
]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_type(engines, folder, table, writer, version):
    session = engines[writer]
    session.sql(f"CREATE TABLE {table} ({EVERY_TYPE}) USING iceberg TBLPROPERTIES ('format-version'='{version}')")
    assert agree(engines, folder, table) == []
    session.sql(f"INSERT INTO {table} VALUES ({'), ('.join(EVERY_VALUE)})")
    assert len(agree(engines, folder, table)) == 3
    for condition in ("b", "i = 2147483647", "l < 0", "f = 3.25", "d < 0", "m5 < 0", "m18 > 0", "m38 > 0",
                      "day = DATE '9999-12-31'", "t < TIMESTAMP '1970-01-01 00:00:00'", "n IS NULL", "s = ''", "y = X'00FF10'",
                      "r.x = 1", "r.z.q = DATE '1582-10-15'", "s LIKE 'ü%'", "f = float('NaN')", "d IS NOT NULL"):
        assert len(agree(engines, folder, table, f"SELECT * FROM {{}} WHERE {condition}")) == 1 + (condition == "d IS NOT NULL")


TRANSFORMS = ["b", "i", "l", "f", "d", "m5", "m18", "m38", "day", "t", "n", "s", "y", "bucket(7, i)", "bucket(7, l)", "bucket(7, m5)",
              "bucket(7, m38)", "bucket(7, day)", "bucket(7, t)", "bucket(7, n)", "bucket(7, s)", "bucket(7, y)", "truncate(10, i)",
              "truncate(10, l)", "truncate(3, m5)", "truncate(50, m38)", "truncate(2, s)", "truncate(2, y)", "years(day)", "months(day)",
              "days(day)", "years(t)", "months(t)", "days(t)", "hours(t)", "years(n)", "months(n)", "days(n)", "hours(n)"]


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_partition_transforms(engines, folder, table, writer, transform):
    engines[writer].sql(f"CREATE TABLE {table} ({EVERY_TYPE}) USING iceberg PARTITIONED BY ({transform})")
    for name in (writer, "ours", "spark"):
        engines[name].sql(f"INSERT INTO {table} VALUES ({'), ('.join(EVERY_VALUE)})")
    assert len(agree(engines, folder, table)) == 9
    # Both put each row into the same partition.
    partitions = agree(engines, folder, table, "SELECT partition, record_count, file_count FROM {}.partitions", pyiceberg=False)
    assert len(partitions) in (2, 3)
    # Nothing that NaN is greater than: Spark leaves out files that hold nothing but NaN.
    for condition in ("i IS NULL", "l > 0", "day < DATE '2000-01-01'", "t >= TIMESTAMP '2024-02-29 00:00:00'", "s = 'ü€😀'", "y = X''",
                      "d < 0", "m5 = 123.45", "m38 < 0", "n < TIMESTAMP_NTZ '1969-12-31 23:00:00'", "b", "f IS NOT NULL"):
        agree(engines, folder, table, f"SELECT i, s FROM {{}} WHERE {condition}")
    for name in ("ours", "spark"):
        engines[name].sql(f"DELETE FROM {table} WHERE i = 2147483647")
        agree(engines, folder, table)


ODD_TEXTS = ["", " ", "a/b", "a=b", "100%", "%2F", "é", "😀", "a b", "a+b", "a:b", "a\\\\b", "null", "NULL", "__HIVE_DEFAULT_PARTITION__", "..", ".",
             "a\\nb", "a\\tb", "\\'q\\'", '"q"', "#", "?", "&", "*", "<>", "|", "{x}", "[x]", "~", "^", "`"]


@pytest.mark.parametrize("transform", ["s", "truncate(1, s)", "s, n"])
def test_odd_partition_values(engines, folder, table, writer, transform):
    engines[writer].sql(f"CREATE TABLE {table} (n INT, s STRING) USING iceberg PARTITIONED BY ({transform})")
    values = ", ".join(f"({n}, '{text}')" for n, text in enumerate(ODD_TEXTS)) + ", (99, NULL)"
    for name in ("ours", "spark"):
        engines[name].sql(f"INSERT INTO {table} VALUES {values}")
        agree(engines, folder, table)
    for n, text in enumerate(ODD_TEXTS):
        assert len(agree(engines, folder, table, f"SELECT n FROM {table} WHERE s = '{text}'".replace("{", "{{").replace("}", "}}"))) == 2
    agree(engines, folder, table, "SELECT partition, record_count FROM {}.partitions", pyiceberg=False)
    for name in ("ours", "spark"):
        engines[name].sql(f"DELETE FROM {table} WHERE s = 'a/b' OR n % 7 = 3")
        engines[name].sql(f"UPDATE {table} SET s = concat(s, '/x=%') WHERE n % 5 = 1")
        agree(engines, folder, table)


LIFE = [
    "INSERT INTO {t} SELECT id, concat('v', id), timestamp_seconds(id * 40000), CAST(id AS DECIMAL(10,2)) / 3 FROM range(20)",
    "UPDATE {t} SET v = 'changed' WHERE id % 4 = 0",
    "DELETE FROM {t} WHERE id = 5",
    """MERGE INTO {t} USING (SELECT id, concat('m', id) AS v FROM range(18, 23)) s ON {t}.id = s.id
       WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, at, m) VALUES (s.id, s.v, NULL, 0)""",
    "ALTER TABLE {t} ADD COLUMN extra STRUCT<a: INT, b: STRING>",
    "INSERT INTO {t} VALUES (100, 'x', TIMESTAMP '2024-01-01 00:00:00', 1.5, named_struct('a', 1, 'b', 'z'))",
    "ALTER TABLE {t} RENAME COLUMN v TO label",
    "ALTER TABLE {t} ADD COLUMN extra.c BIGINT",
    "ALTER TABLE {t} ALTER COLUMN m TYPE DECIMAL(20,2)",
    "ALTER TABLE {t} ALTER COLUMN label FIRST",
    "INSERT INTO {t} VALUES ('y', 101, NULL, 12345678901234.5, named_struct('a', 1, 'b', 'z', 'c', 5))",
    "ALTER TABLE {t} ADD PARTITION FIELD bucket(4, id)",
    "INSERT INTO {t} (label, id) VALUES ('p1', 200), ('p2', 201), ('p3', NULL)",
    "ALTER TABLE {t} ADD PARTITION FIELD days(at)",
    "INSERT INTO {t} (label, id, at) VALUES ('p4', 202, TIMESTAMP '2024-05-05 01:00:00')",
    "ALTER TABLE {t} DROP PARTITION FIELD bucket(4, id)",
    "DELETE FROM {t} WHERE id > 200 OR at < TIMESTAMP '1970-01-03 00:00:00'",
    "UPDATE {t} SET extra = named_struct('a', 7, 'b', NULL, 'c', 8) WHERE id = 100",
    "ALTER TABLE {t} REPLACE PARTITION FIELD days(at) WITH months(at)",
    "INSERT OVERWRITE {t} SELECT label, id + 1, at, m, extra FROM {t} WHERE id < 50",
    "ALTER TABLE {t} DROP COLUMN extra.b",
    "ALTER TABLE {t} DROP COLUMN m",
    "ALTER TABLE {t} ADD COLUMN m STRING COMMENT 'anew'",
    "INSERT INTO {t} (id, m) VALUES (300, 'm')",
    "ALTER TABLE {t} WRITE ORDERED BY id DESC, label",
    "INSERT INTO {t} (id, m) SELECT id, 'sorted' FROM range(400, 410)",
    "ALTER TABLE {t} SET TBLPROPERTIES ('k' = 'v')",
    "ALTER TABLE {t} CREATE BRANCH b",
    "INSERT INTO {t}.branch_b (id) VALUES (500)",
    "DELETE FROM {t}.branch_b WHERE id = 300",
    "ALTER TABLE {t} CREATE TAG g",
    "TRUNCATE TABLE {t}",
    "INSERT INTO {t} (id) VALUES (1)",
]


@pytest.mark.parametrize("turns", ["ours", "spark", "alternately", "the other way"])
def test_the_life_of_a_table(engines, folder, table, turns):
    order = {"ours": ["ours"], "spark": ["spark"], "alternately": ["ours", "spark"], "the other way": ["spark", "ours"]}[turns]
    engines[order[0]].sql(f"CREATE TABLE {table} (id BIGINT, v STRING, at TIMESTAMP, m DECIMAL(10,2)) USING iceberg")
    for n, statement in enumerate(LIFE, 1):
        engines[order[n % len(order)]].sql(statement.format(t=table))
        agree(engines, folder, table)
    for reference in ("b", "g"):
        agree(engines, folder, table, f"SELECT * FROM {{}} VERSION AS OF '{reference}'")
    for (snapshot,) in engines["ours"].sql(f"SELECT snapshot_id FROM {table}.snapshots").collect():
        agree(engines, folder, table, f"SELECT * FROM {{}} VERSION AS OF {snapshot}")
    for metadata in ("snapshots", "refs", "history", "files", "manifests", "partitions", "entries", "all_data_files", "all_manifests",
                     "all_entries", "delete_files", "data_files", "metadata_log_entries", "all_files", "all_delete_files"):
        agree(engines, folder, table, f"SELECT * FROM {{}}.{metadata}", pyiceberg=False)


def test_ctas_replace_and_rename(engines, folder, table, writer):
    session = engines[writer]
    session.sql(f"CREATE TABLE {table} USING iceberg PARTITIONED BY (bucket(3, id)) AS SELECT id, array(id) AS a FROM range(10)")
    assert len(agree(engines, folder, table)) == 10
    session.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT id, 'x' AS s FROM range(3)")
    assert len(agree(engines, folder, table)) == 3
    for name in ("ours", "spark"):
        engines[name].sql(f"INSERT INTO {table} VALUES (7, 'later')")
    assert len(agree(engines, folder, table)) == 5
    session.sql(f"REPLACE TABLE {table} (only STRING NOT NULL) USING iceberg PARTITIONED BY (only)")
    assert agree(engines, folder, table) == []
    engines["spark"].sql(f"INSERT INTO {table} VALUES ('a')")
    engines["ours"].sql(f"INSERT INTO {table} VALUES ('b')")
    assert len(agree(engines, folder, table)) == 2


def test_required_and_identifier_columns(engines, folder, table, writer):
    engines[writer].sql(f"CREATE TABLE {table} (id BIGINT NOT NULL COMMENT 'key', r STRUCT<x: INT NOT NULL> NOT NULL) USING iceberg")
    engines[writer].sql(f"ALTER TABLE {table} SET IDENTIFIER FIELDS id, r.x")
    for name in ("spark", "ours"):
        engines[name].sql(f"INSERT INTO {table} VALUES (1, named_struct('x', 2))")
    assert len(agree(engines, folder, table)) == 2


def test_append_in_turns(engines, folder, table, writer):
    engines[writer].sql(f"CREATE TABLE {table} (who STRING, n INT) USING iceberg PARTITIONED BY (who)")
    for n in range(12):
        name = ("spark", "ours")[n % 2]
        engines[name].sql(f"INSERT INTO {table} VALUES ('{name}', {n})")
        assert len(agree(engines, folder, table)) == n + 1
    for name in ("spark", "ours"):
        assert engines[name].table(f"{table}.snapshots").count() == 12


def test_commits_of_both_at_once(engines, folder, table):
    import threading

    engines["ours"].sql(f"CREATE TABLE {table} (who STRING, n INT) USING iceberg TBLPROPERTIES "
                        "('commit.retry.num-retries'='60', 'commit.retry.min-wait-ms'='10', 'commit.retry.max-wait-ms'='300')")
    failures = []

    def append(name):
        try:
            for n in range(8):
                engines[name].sql(f"INSERT INTO {table} VALUES ('{name}', {n})")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=append, args=(name,)) for name in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(set(agree(engines, folder, table))) == 16


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("granularity", ["file", "partition"])
def test_merge_on_read_of_spark(engines, folder, table, version, granularity):
    """Position deletes (v2) and deletion vectors (v3) that Spark wrote count for every later statement of ours."""
    spark, ours = engines["spark"], engines["ours"]
    spark.sql(f"""CREATE TABLE {table} (id BIGINT, p STRING) USING iceberg PARTITIONED BY (p) TBLPROPERTIES (
        'format-version'='{version}', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read',
        'write.merge.mode'='merge-on-read', 'write.delete.granularity'='{granularity}')""")
    spark.sql(f"INSERT INTO {table} SELECT id, concat('p', id % 2) FROM range(1000)")
    spark.sql(f"INSERT INTO {table} SELECT id, concat('p', id % 2) FROM range(1000, 1100)")
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 3")
    spark.sql(f"UPDATE {table} SET id = id + 10000 WHERE id % 10 = 4")
    assert len(agree(engines, folder, table)) == 990
    assert agree(engines, folder, table, "SELECT count(*) FROM {}") == ["[990]"]
    assert agree(engines, folder, table, "SELECT count(*), min(id), max(id) FROM {} WHERE p = 'p1'") == ["[440, 1, 1099]"]
    ours.sql(f"INSERT INTO {table} VALUES (-1, 'p0')")
    assert len(agree(engines, folder, table)) == 991
    ours.sql(f"DELETE FROM {table} WHERE id = 1")
    ours.sql(f"UPDATE {table} SET p = 'p9' WHERE id = 2")
    ours.sql(f"MERGE INTO {table} USING (SELECT 5 AS id) s ON {table}.id = s.id WHEN MATCHED THEN DELETE")
    assert len(agree(engines, folder, table)) == 989
    spark.sql(f"DELETE FROM {table} WHERE id = 7")
    ours.sql(f"DELETE FROM {table} WHERE p = 'p1'")
    assert len(agree(engines, folder, table)) == 551
    agree(engines, folder, table, "SELECT content, file_path, record_count FROM {}.files", pyiceberg=False)


@pytest.mark.parametrize("form", ["orc", "avro"])
def test_other_file_formats_are_refused_by_name(engines, table, form):
    engines["spark"].sql(f"CREATE TABLE {table} USING iceberg TBLPROPERTIES ('write.format.default'='{form}') AS SELECT 1 AS a")
    with pytest.raises(Exception, match=f"(?i){form}"):
        engines["ours"].table(table).collect()
    with pytest.raises(Exception, match=f"(?i){form}"):
        engines["ours"].sql(f"INSERT INTO {table} VALUES (2)")
    assert rows(engines["spark"], f"SELECT * FROM {table}") == ["[1]"]


def test_version_3_in_turns(engines, folder, table, writer):
    engines[writer].sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('format-version'='3')")
    for name in ("ours", "spark"):
        engines[name].sql(f"INSERT INTO {table} VALUES (1), (2)")
        engines[name].sql(f"UPDATE {table} SET id = id + 10 WHERE id = 1")
        agree(engines, folder, table)


def test_empty_tables_of_every_kind(engines, folder, table, writer):
    engines[writer].sql(f"CREATE TABLE {table} (id INT, at TIMESTAMP) USING iceberg PARTITIONED BY (days(at))")
    assert agree(engines, folder, table) == []
    for metadata in ("snapshots", "refs", "history", "files", "manifests", "partitions", "entries", "all_data_files"):
        assert agree(engines, folder, table, f"SELECT * FROM {{}}.{metadata}", pyiceberg=False) == []
    for name in ("ours", "spark"):
        engines[name].sql(f"DELETE FROM {table} WHERE id = 1")
        engines[name].sql(f"INSERT INTO {table} SELECT 1, NULL WHERE false")
        assert agree(engines, folder, table) == []
