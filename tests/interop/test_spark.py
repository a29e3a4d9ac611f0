"""Iceberg tables between this server and the real Spark, in one folder that both have as a catalog.

Runs only where FRAZIL_SPARK_REMOTE names a Spark Connect server with Iceberg's Spark runtime (CONTRIBUTING.md has the
command). Each engine makes tables and changes them; both must see the same rows, and so must PyIceberg.
"""
import os
import shutil
import uuid
from contextlib import suppress

import pytest
from conftest import iceberg_catalog, open_session
from tables import EVERY_TYPE, EVERY_VALUE, LIFE, ODD_TEXTS, TRANSFORMS, plain, rows, rows_as_pyiceberg, rows_by_pyiceberg

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


def agree(engines, folder, table, query="SELECT * FROM {}", pyiceberg=True):
    """Both engines give the same rows, and PyIceberg of the table itself too; they are returned."""
    found = {name: rows(session, query.format(table)) for name, session in engines.items()}
    assert found["ours"] == found["spark"]
    types = {name: session.sql(query.format(table)).schema.simpleString() for name, session in engines.items()}
    assert types["ours"] == types["spark"]
    if pyiceberg and query == "SELECT * FROM {}":
        assert rows_by_pyiceberg(folder.joinpath(*table.split(".")[1:])) == rows_as_pyiceberg(engines["ours"], query.format(table))
    return found["ours"]


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


def lineage(session, table):
    return rows(session, f"SELECT id, _row_id, _last_updated_sequence_number FROM {table}")


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_row_lineage_in_turns(engines, folder, table, writer, mode):
    """Ids and last updates of rows are the same for both, whoever moves or changes them."""
    engines[writer].sql(f"""CREATE TABLE {table} (id INT, v STRING) USING iceberg TBLPROPERTIES ('format-version'='3',
                            'write.delete.mode'='{mode}', 'write.update.mode'='{mode}', 'write.merge.mode'='{mode}')""")
    for name in ("ours", "spark", "ours"):
        other = "spark" if name == "ours" else "ours"
        engines[name].sql(f"INSERT INTO {table} SELECT id, 'v' FROM range(10)")
        engines[other].sql(f"UPDATE {table} SET v = concat(v, '+') WHERE id = 3")
        engines[name].sql(f"DELETE FROM {table} WHERE id = 4")
        engines[other].sql(f"""MERGE INTO {table} t USING (SELECT 5 AS id UNION ALL SELECT 50) s ON t.id = s.id
                               WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n')""")
        assert lineage(engines["ours"], table) == lineage(engines["spark"], table)
        before = lineage(engines["ours"], table)
        for compactor in (name, other):
            engines[compactor].sql(f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))").collect()
            assert lineage(engines["ours"], table) == lineage(engines["spark"], table) == before
        agree(engines, folder, table)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("form", ["orc", "avro"])
def test_other_file_formats_in_turns(engines, folder, table, writer, form, mode):
    engines[writer].sql(f"""CREATE TABLE {table} (id INT, v STRING, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, m DECIMAL(20,3), l ARRAY<INT>,
                            k MAP<STRING,BIGINT>, ik MAP<INT,STRING>, s STRUCT<a: INT, b: STRING>) USING iceberg
                            TBLPROPERTIES ('write.format.default'='{form}', 'write.delete.mode'='{mode}', 'write.update.mode'='{mode}')""")
    for n, name in enumerate(["ours", "spark"]):
        engines[name].sql(f"""INSERT INTO {table} VALUES ({n}, 'a', DATE '2024-02-29', TIMESTAMP '2024-02-29 01:02:03.456789',
                              TIMESTAMP_NTZ '1960-01-01 00:00:00', -1.5, array(1, NULL), map('k', 1L), map(7, 'x'), named_struct('a', 1, 'b', 'y')),
                              ({n + 10}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ({n + 20}, 'gone', NULL, NULL, NULL, 0, array(), map(), map(), NULL)""")
        agree(engines, folder, table, pyiceberg=form == "orc")
        engines[name].sql(f"DELETE FROM {table} WHERE id = {n + 20}")
        engines[name].sql(f"UPDATE {table} SET v = '{name}' WHERE id = {n + 10}")
        agree(engines, folder, table, pyiceberg=form == "orc")
    engines[writer].sql(f"ALTER TABLE {table} RENAME COLUMN v TO w")
    engines[writer].sql(f"ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT")
    agree(engines, folder, table, pyiceberg=form == "orc")


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


CHANGES = ["INSERT INTO {t} VALUES {every}", "INSERT INTO {t} VALUES {every}", "DELETE FROM {t} WHERE i = -2147483648",
           "UPDATE {t} SET s = 'x' WHERE i = 2147483647", "INSERT OVERWRITE {t} VALUES {every}", "ALTER TABLE {t} WRITE ORDERED BY l",
           """MERGE INTO {t} AS target USING (SELECT -2147483648 AS i UNION ALL SELECT 7) s ON target.i = s.i WHEN MATCHED THEN UPDATE SET s = 'm'
              WHEN NOT MATCHED THEN INSERT (i, t) VALUES (s.i, TIMESTAMP '1969-12-31 23:00:00')""",
           "ALTER TABLE {t} ADD PARTITION FIELD truncate(2, s)", "INSERT INTO {t} (i, s) VALUES (1, 'abc'), (2, NULL)", "DELETE FROM {t} WHERE true",
           "INSERT INTO {t} SELECT * FROM {t}", "TRUNCATE TABLE {t}"]


@pytest.mark.parametrize("partitioning", ["i", "days(t), bucket(4, i)", "truncate(10, l), b"])
def test_statistics_and_summaries(engines, table, partitioning):
    """The same statements leave the same figures: of each file, and of each snapshot."""
    names = {"ours": f"{table}1", "spark": f"{table}2"}
    properties = "TBLPROPERTIES ('write.summary.partition-limit'='100', 'write.distribution-mode'='hash')"
    every = f"({'), ('.join(EVERY_VALUE)})"

    def files(name):
        """What of each file does not depend on who wrote its bytes. Only we count what is in lists and maps."""
        found = []
        for row in engines["spark"].sql(f"SELECT * FROM {name}.files").collect():
            figures = {key: row[key] for key in ("content", "spec_id", "record_count", "nan_value_counts", "lower_bounds", "upper_bounds",
                                                 "sort_order_id")}
            counted = set(row.lower_bounds) | {k for k, nulls in row.null_value_counts.items() if nulls == row.record_count}
            for key in ("value_counts", "null_value_counts"):
                figures[key] = {k: v for k, v in row[key].items() if k in counted and k < 20}
            found.append(plain([figures, row.asDict().get("partition")]))
        return sorted(found)

    def summaries(name):
        varying = ("engine", "iceberg-version", "app-", "spark.")
        return [(row.operation, {k: v for k, v in row.summary.items() if "size" not in k and not k.startswith(varying) and "partitions." not in k})
                for row in engines["spark"].sql(f"SELECT operation, summary FROM {name}.snapshots ORDER BY committed_at").collect()]

    for name, session in engines.items():
        session.sql(f"CREATE TABLE {names[name]} ({EVERY_TYPE}) USING iceberg PARTITIONED BY ({partitioning}) {properties}")
    for change in CHANGES:
        for name, session in engines.items():
            session.sql(change.format(t=names[name], every=every))
        assert files(names["ours"]) == files(names["spark"]), change
        assert summaries(names["ours"]) == summaries(names["spark"]), change
    for name, session in engines.items():
        session.sql(f"DROP TABLE {names[name]}")


MARKED = ", ".join(f"'write.{mode}.mode' = 'merge-on-read'" for mode in ("delete", "update", "merge"))
MARKED_CHANGES = [
    "INSERT INTO {t} SELECT id, CAST(id % 3 AS STRING) FROM range(0, 30, 1, 1)",
    "DELETE FROM {t} WHERE id % 10 = 3",
    "UPDATE {t} SET p = concat(p, '!') WHERE id % 7 = 0",
    "MERGE INTO {t} t USING (SELECT id, 'm' AS p FROM range(20, 40, 4)) s ON t.id = s.id "
    "WHEN MATCHED AND s.id > 30 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "DELETE FROM {t} WHERE id % 10 = 4",
    "ALTER TABLE {t} ADD PARTITION FIELD bucket(2, id)",
    "INSERT INTO {t} SELECT id, 'late' FROM range(100, 110)",
    "DELETE FROM {t} WHERE id % 5 = 2",
    "UPDATE {t} SET id = id + 1000 WHERE id % 6 = 1",
    "DELETE FROM {t} WHERE id = -1",
]


@pytest.mark.parametrize("turns", ["ours", "alternately", "the other way"])
@pytest.mark.parametrize("partitioned", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize("version, granularity", [(2, "file"), (2, "partition"), (3, "file")])
def test_rows_that_are_marked_as_deleted(engines, folder, table, version, granularity, partitioned, turns):
    order = {"ours": ["ours"], "alternately": ["ours", "spark"], "the other way": ["spark", "ours"]}[turns]
    engines["ours"].sql(f"CREATE TABLE {table} (id BIGINT, p STRING) USING iceberg {partitioned} TBLPROPERTIES ("
                        f"'format-version' = '{version}', 'write.delete.granularity' = '{granularity}', {MARKED})")
    for n, statement in enumerate(MARKED_CHANGES):
        engines[order[n % len(order)]].sql(statement.format(t=table))
        agree(engines, folder, table)
        if version == 3:
            agree(engines, folder, table, "SELECT id, _row_id, _last_updated_sequence_number FROM {}", pyiceberg=False)
    for metadata in ("snapshots", "files", "partitions", "entries", "all_entries", "delete_files", "all_delete_files", "position_deletes"):
        agree(engines, folder, table, f"SELECT * FROM {{}}.{metadata}", pyiceberg=False)
    for (snapshot,) in engines["ours"].sql(f"SELECT snapshot_id FROM {table}.snapshots").collect():
        agree(engines, folder, table, f"SELECT * FROM {{}} VERSION AS OF {snapshot}")
    columns = "SELECT id, _deleted, _spec_id, _pos FROM {}"
    agree(engines, folder, table, columns, pyiceberg=False)
    engines[order[-1]].sql(f"CALL ice.system.rewrite_position_delete_files(table => '{table}', options => map('rewrite-all', 'true'))")
    agree(engines, folder, table)


@pytest.mark.parametrize("version, granularity", [(2, "file"), (2, "partition"), (3, "file")])
def test_summaries_of_rows_that_are_marked_as_deleted(engines, folder, table, version, granularity):
    """The same statements give the same summaries, but for sizes."""
    told = {}
    for name in ("ours", "spark"):
        own = f"{table}_{name}"
        engines[name].sql(f"CREATE TABLE {own} (id BIGINT, p STRING) USING iceberg TBLPROPERTIES ('format-version' = '{version}', "
                          f"'write.delete.granularity' = '{granularity}', {MARKED})")
        for statement in MARKED_CHANGES[:5]:
            engines[name].sql(statement.format(t=own))
        found = engines[name].sql(f"SELECT operation, summary FROM {own}.snapshots ORDER BY committed_at").collect()
        told[name] = [(r.operation, {k: v for k, v in r.summary.items() if "size" not in k and not k.startswith(("spark.", "app-", "engine", "iceberg-version"))})
                      for r in found]
    assert told["ours"] == told["spark"]


@pytest.mark.parametrize("codec", ["bzip2", "deflate", "gzip", "lz4", "snappy"])
@pytest.mark.parametrize("format_name", ["csv", "json", "text"])
def test_codecs_of_text_files(engines, folder, writer, format_name, codec):
    """More than one of Hadoop's buffers, and a file without a row."""
    target = str(folder / f"text-{writer}-{format_name}-{codec}")
    frame = engines[writer].range(30_000).selectExpr("concat_ws('-', id, hash(id), repeat('x', int(id % 50))) AS value").coalesce(1)
    frame.write.format(format_name).option("compression", codec).mode("append").save(target)
    frame.where("value IS NULL").write.format(format_name).option("compression", codec).mode("append").save(target)
    figures = "count(*)", "count(value)", "sum(CAST(hash(value) AS BIGINT))"
    found = {name: session.read.schema("value STRING").format(format_name).load(target).selectExpr(*figures).first()
             for name, session in engines.items()}
    assert found["ours"] == found["spark"] and found["ours"][0] == 30_000


def test_compressed_metadata(engines, folder, writer, table):
    engines[writer].sql(f"CREATE TABLE {table} (a INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec'='gzip')")
    for name, session in engines.items():
        session.sql(f"INSERT INTO {table} VALUES (1), (2)")
    assert {p.name for p in folder.joinpath(*table.split(".")[1:], "metadata").glob("v*.json")} == {f"v{n}.gz.metadata.json" for n in (1, 2, 3)}
    assert len(agree(engines, folder, table)) == 4


@pytest.mark.parametrize("kind", ["vectors", "position deletes"])
def test_tables_that_move(engines, folder, table, writer, kind):
    """rewrite_table_path by one engine: both read the copy, whatever was deleted stays deleted, and both go on with it."""
    properties = "'write.delete.mode' = 'merge-on-read', 'format-version' = '" + ("3'" if kind == "vectors" else "2'")
    session = engines[writer]
    session.sql(f"CREATE TABLE {table} (id BIGINT, p BIGINT) USING iceberg PARTITIONED BY (p) TBLPROPERTIES ({properties})")
    session.sql(f"INSERT INTO {table} SELECT id, id % 2 FROM range(10)")
    session.sql(f"DELETE FROM {table} WHERE id IN (3, 4)")
    namespace = table.split(".")[1]
    source, target = folder / namespace / "t", folder / namespace / "a longer name"
    for version, start in ((3, ""), (5, ", start_version => 'v3.metadata.json'")):
        if start:
            session.sql(f"INSERT INTO {table} VALUES (100, 1)")
            session.sql(f"DELETE FROM {table} WHERE id = 5")
        found = session.sql(f"CALL ice.system.rewrite_table_path(table => '{namespace}.t', source_prefix => '{source}', target_prefix => '{target}', "
                            f"staging_location => '{folder}/staging-{namespace}-{version}'{start})").first()
        assert found.latest_version == f"v{version}.metadata.json" and found.rewritten_delete_file_paths_count > 0
        for line in open(found.file_list_location.removeprefix("file:")).read().splitlines():
            here, there = (path.removeprefix("file:") for path in line.split(","))
            os.makedirs(os.path.dirname(there), mode=0o777, exist_ok=True)
            shutil.copy(here, there)
        (target / "metadata" / "version-hint.text").write_text(str(version))
        assert len(agree(engines, folder, f"ice.{namespace}.`a longer name`", pyiceberg=False)) == 8
    for path in (target, *target.rglob("*")):
        path.chmod(0o777)
    for name, session in engines.items():
        session.sql(f"DELETE FROM ice.{namespace}.`a longer name` WHERE id = {8 if name == 'ours' else 9}")
        agree(engines, folder, f"ice.{namespace}.`a longer name`", pyiceberg=False)


def test_branches_tags_and_audited_writes(engines, folder, table, writer):
    session, other = engines[writer], engines["spark" if writer == "ours" else "ours"]
    session.sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg TBLPROPERTIES ('write.wap.enabled' = 'true')")
    session.sql(f"INSERT INTO {table} VALUES (1)")
    session.sql(f"ALTER TABLE {table} CREATE TAG one RETAIN 30 DAYS")
    session.sql(f"ALTER TABLE {table} CREATE BRANCH b RETAIN 7 DAYS WITH SNAPSHOT RETENTION 3 SNAPSHOTS 2 DAYS")
    other.sql(f"INSERT INTO {table}.branch_b VALUES (2)")
    session.conf.set("spark.wap.id", "w1")
    session.sql(f"INSERT INTO {table} VALUES (3)")
    session.conf.unset("spark.wap.id")
    assert agree(engines, folder, table) == rows(session, "SELECT 1L")
    agree(engines, folder, table, "SELECT name, type, snapshot_id, max_reference_age_in_ms, min_snapshots_to_keep, max_snapshot_age_in_ms FROM {}.refs",
          pyiceberg=False)
    other.sql(f"CALL ice.system.publish_changes('{table.removeprefix('ice.')}', 'w1')")
    assert len(agree(engines, folder, table)) == 2
    for reference, count in (("one", 1), ("b", 2)):
        assert len(agree(engines, folder, table, f"SELECT * FROM {{}} VERSION AS OF '{reference}'", pyiceberg=False)) == count
    agree(engines, folder, table, "SELECT snapshot_id, parent_id, operation FROM {}.snapshots", pyiceberg=False)


def test_files_without_ids(engines, folder, table, writer, tmp_path):
    tmp_path.chmod(0o777)
    engines["ours"].sql("SELECT id, CAST(id AS STRING) AS s FROM range(3)").coalesce(1).write.parquet(f"{tmp_path}/files")
    session = engines[writer]
    session.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg")
    session.sql(f"CALL ice.system.add_files('{table.removeprefix('ice.')}', '`parquet`.`{tmp_path}/files`')")
    assert len(agree(engines, folder, table, pyiceberg=False)) == 3
    session.sql(f"ALTER TABLE {table} RENAME COLUMN s TO s2")
    agree(engines, folder, table, pyiceberg=False)
    session.sql(f"ALTER TABLE {table} ADD COLUMN s STRING")
    for name in engines:
        engines[name].sql(f"INSERT INTO {table} VALUES (10, 'new', 'newer')")
        agree(engines, folder, table, pyiceberg=False)


def test_maintenance_in_turns(engines, folder, table, writer):
    """What one engine has tidied up the other reads, and tidies up further."""
    order = [engines[writer], engines["spark" if writer == "ours" else "ours"]]
    name = table.removeprefix("ice.")
    order[0].sql(f"CREATE TABLE {table} (id BIGINT, p BIGINT) USING iceberg PARTITIONED BY (p) TBLPROPERTIES "
                 "('format-version' = '2', 'write.delete.mode' = 'merge-on-read')")
    for n in range(6):
        order[n % 2].sql(f"INSERT INTO {table} SELECT id + {n * 10}, id % 2 FROM range(10)")
    order[0].sql(f"DELETE FROM {table} WHERE id % 7 = 3")
    before = agree(engines, folder, table)
    for n, call in enumerate((f"compute_table_stats('{name}')", f"compute_partition_stats('{name}')", f"rewrite_manifests('{name}')",
                              f"rewrite_position_delete_files(table => '{name}', options => map('rewrite-all', 'true'))",
                              f"rewrite_data_files(table => '{name}', strategy => 'sort', sort_order => 'id DESC', options => map('rewrite-all', 'true'))",
                              f"expire_snapshots(table => '{name}', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 2, clean_expired_metadata => true)",
                              f"remove_orphan_files('{name}')")):
        order[n % 2].sql(f"CALL ice.system.{call}")
        assert agree(engines, folder, table) == before
        agree(engines, folder, table, "SELECT content, partition, record_count FROM {}.files", pyiceberg=False)
        agree(engines, folder, table, "SELECT partition, record_count, file_count, position_delete_record_count FROM {}.partitions", pyiceberg=False)
    order[1].sql(f"DELETE FROM {table} WHERE id = 0")
    assert len(agree(engines, folder, table)) == len(before) - 1


def test_merges_insert_a_key_once(engines, folder, table):
    """Both engines at once: ours sees what the other has committed meanwhile."""
    import threading

    engines["ours"].sql(f"CREATE TABLE {table} (id BIGINT, who STRING) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '20')")

    def merge(name, key):
        with suppress(Exception):
            engines[name].sql(f"MERGE INTO {table} t USING (SELECT CAST({key} AS BIGINT) AS id, '{name}' AS who) s ON t.id = s.id "
                              "WHEN MATCHED THEN UPDATE SET who = s.who WHEN NOT MATCHED THEN INSERT (id, who) VALUES (s.id, s.who)").collect()

    for key in range(3):
        threads = [threading.Thread(target=merge, args=(name, key)) for name in engines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = [row[0] for row in engines["ours"].sql(f"SELECT id FROM {table}").collect()]
    assert sorted(found) == sorted(set(found)) and agree(engines, folder, table) is not None
