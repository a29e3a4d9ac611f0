"""Delta tables between this server and the real Spark with Delta Lake 4: each makes and changes tables, both see the same rows.

Runs only where FRAZIL_SPARK_REMOTE names a Spark Connect server with Delta Lake (CONTRIBUTING.md has the command).
"""
import os
from pathlib import Path

import pytest
from conftest import open_session

SPARK = os.environ.get("FRAZIL_SPARK_REMOTE")
pytestmark = pytest.mark.skipif(not SPARK, reason="FRAZIL_SPARK_REMOTE names no Spark")

# Many tiny commits: what Spark makes of a log in two parts it makes sooner than in fifty.
CONF = {"spark.databricks.delta.snapshotPartitions": "2", "spark.sql.shuffle.partitions": "2",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"}


@pytest.fixture(scope="module")
def engines(remote):
    """{"ours": session, "spark": session}."""
    made = {"ours": open_session(remote, CONF), "spark": open_session(SPARK, CONF)}
    yield made
    for session in made.values():
        session.stop()


@pytest.fixture(params=["ours", "spark"])
def writer(request):
    return request.param


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o777)
    return str(tmp_path / "t")


def rows(session, folder, columns="*", **options):
    frame = session.read.format("delta").options(**options).load(folder).selectExpr(columns)
    return sorted((tuple(r) for r in frame.collect()), key=str)


def agree(engines, folder, columns="*", **options):
    """Both read the same rows; gives them."""
    ours, theirs = (rows(engines[name], folder, columns, **options) for name in ("ours", "spark"))
    assert ours == theirs
    return ours


KINDS = """b BOOLEAN, y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, m DECIMAL(20,4), day DATE, t TIMESTAMP, n TIMESTAMP_NTZ, s STRING,
           v VARCHAR(5), x BINARY, a ARRAY<INT>, k MAP<STRING,BIGINT>, r STRUCT<x: INT, z: STRING>"""
VALUES = """(true, 1, 2, 3, 4, 1.5, 2.5, 12.3456, DATE '2024-02-29', TIMESTAMP '2024-02-29 01:02:03.123456', TIMESTAMP_NTZ '2024-02-29 01:02:03', 'ü',
            'abc', X'00FF', array(1, NULL), map('k', 5), named_struct('x', 1, 'z', NULL)),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""


def test_every_type(engines, writer, folder):
    session = engines[writer]
    session.sql(f"CREATE TABLE delta.`{folder}` ({KINDS}) USING delta")
    session.sql(f"INSERT INTO delta.`{folder}` VALUES {VALUES}")
    assert len(agree(engines, folder)) == 2
    other = engines["spark" if writer == "ours" else "ours"]
    other.sql(f"INSERT INTO delta.`{folder}` VALUES {VALUES}")
    assert len(agree(engines, folder)) == 4
    assert engines["ours"].table(f"delta.`{folder}`").dtypes == engines["spark"].table(f"delta.`{folder}`").dtypes
    for condition in ("l = 4", "l = 5", "s = 'ü'", "day > DATE '2024-01-01'", "t = TIMESTAMP '2024-02-29 01:02:03.123456'", "m < 13", "r.x IS NULL", "d > 2"):
        counts = {name: engine.table(f"delta.`{folder}`").where(condition).count() for name, engine in engines.items()}
        assert counts["ours"] == counts["spark"], condition


@pytest.mark.parametrize("column, values", [
    ("p STRING", "('a b'), ('x/y=%:'), ('ü'), (NULL)"), ("p INT", "(-1), (0), (NULL)"), ("p DATE", "(DATE '2024-02-29'), (NULL)"),
    ("p TIMESTAMP", "(TIMESTAMP '2024-02-29 01:02:03.000004'), (NULL)"), ("p TIMESTAMP_NTZ", "(TIMESTAMP_NTZ '2024-02-29 01:02:03'), (NULL)"),
    ("p DECIMAL(10,2)", "(1.50), (-0.01), (NULL)"), ("p BOOLEAN", "(true), (false), (NULL)"), ("p DOUBLE", "(1.5), (-0.1), (NULL)"),
    ("p BINARY", "(X'0102'), (NULL)")])
def test_partitions(engines, writer, folder, column, values):
    session = engines[writer]
    session.sql(f"CREATE TABLE delta.`{folder}` (id INT, {column}) USING delta PARTITIONED BY (p)")
    session.sql(f"INSERT INTO delta.`{folder}` SELECT 1, * FROM VALUES {values}")
    found = agree(engines, folder)
    assert len(found) == values.count("(") - values.count("((")
    for engine in engines.values():
        assert engine.table(f"delta.`{folder}`").where("p IS NULL").count() == 1


def test_changes_and_checkpoints(engines, writer, folder):
    """Twelve versions by one, two by the other, and the first ones gone."""
    session, other = engines[writer], engines["spark" if writer == "ours" else "ours"]
    session.sql(f"CREATE TABLE delta.`{folder}` (id INT, p STRING) USING delta PARTITIONED BY (p)")
    for n in range(8):
        session.sql(f"INSERT INTO delta.`{folder}` VALUES ({n}, 'a'), ({n + 100}, 'b')")
    session.sql(f"DELETE FROM delta.`{folder}` WHERE id = 3")
    session.sql(f"UPDATE delta.`{folder}` SET id = id + 1000 WHERE id > 105")
    session.sql(f"""MERGE INTO delta.`{folder}` t USING (SELECT 5 AS id, 'z' AS p UNION ALL SELECT 55, 'b') s ON t.id = s.id
                    WHEN MATCHED THEN UPDATE SET p = s.p WHEN NOT MATCHED THEN INSERT *""")
    assert Path(folder, "_delta_log", "00000000000000000010.checkpoint.parquet").exists()
    other.sql(f"INSERT INTO delta.`{folder}` VALUES (77, 'z')")
    other.sql(f"DELETE FROM delta.`{folder}` WHERE p = 'a' AND id = 1")
    expected = agree(engines, folder)
    assert len(expected) == 16
    assert agree(engines, folder, versionAsOf=4) == agree(engines, folder, versionAsOf=4)
    history = [[(r.version, r.operation) for r in e.sql(f"DESCRIBE HISTORY delta.`{folder}`").collect()] for e in engines.values()]
    assert history[0] == history[1]
    for old in Path(folder, "_delta_log").glob("*.json"):
        if int(old.stem) < 10:
            old.unlink()
    for crc in Path(folder, "_delta_log").glob("*.crc"):
        crc.unlink()
    moved = folder + "-moved"
    Path(folder).rename(moved)
    assert agree(engines, moved) == expected


def test_deletion_vectors(engines, writer, folder):
    session, other = engines[writer], engines["spark" if writer == "ours" else "ours"]
    session.sql(f"CREATE TABLE delta.`{folder}` (id BIGINT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.range(0, 1000).selectExpr("id", "CAST(id AS STRING) AS v").coalesce(1).write.format("delta").mode("append").save(folder)
    session.sql(f"DELETE FROM delta.`{folder}` WHERE id % 10 = 0")
    assert len(agree(engines, folder)) == 900
    other.sql(f"DELETE FROM delta.`{folder}` WHERE id % 10 = 1")
    session.sql(f"DELETE FROM delta.`{folder}` WHERE id = 2")
    assert len(agree(engines, folder)) == 799
    other.sql(f"UPDATE delta.`{folder}` SET v = 'x' WHERE id = 3")
    assert len([r for r in agree(engines, folder) if r[1] == "x"]) == 1


def test_change_data_feed(engines, writer, folder):
    session = engines[writer]
    session.sql(f"CREATE TABLE delta.`{folder}` (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    session.sql(f"INSERT INTO delta.`{folder}` VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    session.sql(f"UPDATE delta.`{folder}` SET v = 'x' WHERE id = 2")
    session.sql(f"DELETE FROM delta.`{folder}` WHERE id = 3")
    session.sql(f"""MERGE INTO delta.`{folder}` t USING (SELECT 1 AS id, 'm' AS v UNION ALL SELECT 9, 'n') s ON t.id = s.id
                    WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    found = agree(engines, folder, "struct(id, v, _change_type, _commit_version)", readChangeFeed="true", startingVersion="0")
    assert len(found) == 3 + 2 + 1 + 3


SPARKS_OWN = {
    "column mapping": ("TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
                       ["INSERT INTO {t} VALUES (1, 'a')", "ALTER TABLE {t} RENAME COLUMN v TO w", "INSERT INTO {t} VALUES (2, 'b')",
                        "ALTER TABLE {t} ADD COLUMN z INT", "ALTER TABLE {t} DROP COLUMN w", "INSERT INTO {t} VALUES (3, 4)"]),
    "column ids": ("TBLPROPERTIES ('delta.columnMapping.mode' = 'id')", ["INSERT INTO {t} VALUES (1, 'a')", "ALTER TABLE {t} RENAME COLUMN v TO `w x`"]),
    "v2 checkpoints": ("TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
                       [f"INSERT INTO {{t}} VALUES ({n}, 'a')" for n in range(5)]),
    "clustering": ("CLUSTER BY (id)", ["INSERT INTO {t} VALUES (1, 'a')", "OPTIMIZE {t}"]),
    "in-commit timestamps": ("TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')", ["INSERT INTO {t} VALUES (1, 'a')"]),
    "row tracking": ("TBLPROPERTIES ('delta.enableRowTracking' = 'true')", ["INSERT INTO {t} VALUES (1, 'a')", "UPDATE {t} SET v = 'b'"]),
    "type widening": ("TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
                      ["INSERT INTO {t} VALUES (1, 'a')", "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT", "INSERT INTO {t} VALUES (5000000000, 'b')"]),
    "statistics as struct": ("TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'false', 'delta.checkpointInterval' = '2')",
                             [f"INSERT INTO {{t}} VALUES ({n}, 'a')" for n in range(3)]),
}


@pytest.mark.parametrize("feature", SPARKS_OWN)
def test_features_that_spark_writes(engines, folder, feature):
    clause, statements = SPARKS_OWN[feature]
    engines["spark"].sql(f"CREATE TABLE delta.`{folder}` (id INT, v STRING) USING delta {clause}")
    for statement in statements:
        engines["spark"].sql(statement.format(t=f"delta.`{folder}`"))
    agree(engines, folder)
    moved = folder + "-moved"  # Without what was kept of it.
    Path(folder).rename(moved)
    assert agree(engines, moved)


# What a feature needs of the table, statements that both take in turn, and the columns to look at.
IN_TURN = {
    "column mapping": ("(id INT, v STRING, s STRUCT<x: INT>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
                       ["INSERT INTO {t} VALUES (1, 'a', named_struct('x', 1))", "ALTER TABLE {t} RENAME COLUMN v TO `the v`", "INSERT INTO {t} VALUES (2, 'b', named_struct('x', 2))",
                        "ALTER TABLE {t} ADD COLUMNS (z INT)", "UPDATE {t} SET z = 5 WHERE s.x = 1", "ALTER TABLE {t} DROP COLUMN `the v`", "ALTER TABLE {t} ADD COLUMNS (v INT)",
                        "INSERT INTO {t} VALUES (3, named_struct('x', 3), 4, 5)", "DELETE FROM {t} WHERE z = 4"]),
    "column ids": ("(id INT, v STRING, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'id')",
                   ["INSERT INTO {t} VALUES (1, 'a', 'x')", "ALTER TABLE {t} RENAME COLUMN v TO w", "INSERT INTO {t} VALUES (2, 'b', 'y')", "ALTER TABLE {t} RENAME COLUMN p TO q",
                    "INSERT INTO {t} VALUES (3, 'c', 'y')", "UPDATE {t} SET w = 'z' WHERE q = 'y'"]),
    "mapping turned on": ("(id INT, v STRING) USING delta",
                          ["INSERT INTO {t} VALUES (1, 'a')", "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", "INSERT INTO {t} VALUES (2, 'b')",
                           "ALTER TABLE {t} RENAME COLUMN v TO w", "INSERT INTO {t} VALUES (3, 'c')", "UPDATE {t} SET w = 'q' WHERE id < 3"]),
    "generated columns": ("(id INT, t TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(t AS DATE))) USING delta PARTITIONED BY (day)",
                          ["INSERT INTO {t} (id, t) VALUES (1, TIMESTAMP '2024-01-01 10:00:00')", "INSERT INTO {t} (id, t) VALUES (2, TIMESTAMP '2024-01-02 10:00:00')",
                           "UPDATE {t} SET t = TIMESTAMP '2024-03-01 00:00:00' WHERE id = 1", "UPDATE {t} SET t = TIMESTAMP '2024-04-01 00:00:00' WHERE id = 2"]),
    "identity columns": ("(id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 10), v STRING) USING delta",
                         ["INSERT INTO {t} (v) VALUES ('a'), ('b')", "INSERT INTO {t} (v) VALUES ('c')", "INSERT INTO {t} (v) VALUES ('d')", "UPDATE {t} SET v = 'x' WHERE v = 'a'"]),
    "clustering": ("(id INT, v STRING) USING delta CLUSTER BY (id, v)",
                   ["INSERT INTO {t} VALUES (1, 'a')", "INSERT INTO {t} VALUES (2, 'b')", "OPTIMIZE {t}", "ALTER TABLE {t} CLUSTER BY (v)", "INSERT INTO {t} VALUES (3, 'c')", "OPTIMIZE {t}",
                    "ALTER TABLE {t} CLUSTER BY NONE", "ALTER TABLE {t} CLUSTER BY (id)"]),
    "type widening": ("(id INT, v DATE) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')",
                      ["INSERT INTO {t} VALUES (1, DATE '2024-01-01')", "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT", "INSERT INTO {t} VALUES (5000000000, DATE '2024-01-02')",
                       "ALTER TABLE {t} ALTER COLUMN v TYPE TIMESTAMP_NTZ", "UPDATE {t} SET v = TIMESTAMP_NTZ '2024-05-05 05:05:05' WHERE id = 1"]),
    "schema evolution": ("(id INT, v STRING) USING delta",
                         ["INSERT INTO {t} VALUES (1, 'a')",
                          "MERGE WITH SCHEMA EVOLUTION INTO {t} t USING (SELECT 1 AS id, 5 AS x) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
                          "MERGE WITH SCHEMA EVOLUTION INTO {t} t USING (SELECT 2 AS id, 'q' AS y) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"]),
    "schema evolution of structs": ("(id INT, s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<a: INT>>) USING delta",
                                    ["INSERT INTO {t} VALUES (1, named_struct('a', 1, 'b', 'x'), array(named_struct('a', 1))), (2, NULL, NULL), (5, named_struct('a', 5, 'b', 'y'), NULL)"]
                                    + [f"""MERGE WITH SCHEMA EVOLUTION INTO {{t}} t USING (SELECT id, named_struct('{field}', id * 10, 'a', id + {n}) AS s, array(named_struct('{field}', id, 'a', id)) AS l
                                           FROM VALUES (1), (2), ({3 + n}) AS v(id) UNION ALL SELECT 5, NULL, NULL) s ON t.id = s.id
                                           WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""" for n, field in enumerate(("c", "d"))]
                                    + ["UPDATE {t} SET s = named_struct('d', 1, 'c', 2, 'b', 'z', 'a', 3) WHERE id = 1"] * 2),
    "deletion vectors": ("(id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
                         ["INSERT INTO {t} SELECT CAST(id AS INT), 'a' FROM range(100)", "UPDATE {t} SET v = 'u' WHERE id = 5", "UPDATE {t} SET v = 'w' WHERE id IN (5, 6)",
                          "DELETE FROM {t} WHERE id = 7", "DELETE FROM {t} WHERE id = 8"]
                         + ["""MERGE INTO {t} t USING (SELECT CAST(id AS INT) AS id FROM range(5, 200, 5)) s ON t.id = s.id WHEN MATCHED AND s.id < 20 THEN DELETE
                               WHEN MATCHED THEN UPDATE SET v = concat(v, 'm') WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n')"""] * 2 + ["OPTIMIZE {t}", "DELETE FROM {t} WHERE id > 50"] * 2),
    "change data feed": ("(id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true')",
                         ["INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, 'c')"] + ["UPDATE {t} SET v = concat(v, 'x') WHERE id = 2", "DELETE FROM {t} WHERE id = 3",
                          "MERGE INTO {t} t USING (SELECT 1 AS id, 'm' AS v UNION ALL SELECT 3, 'n') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"] * 2),
    "v2 checkpoints": ("(id INT, v STRING) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
                       ["INSERT INTO {t} VALUES (1, 'a')", "INSERT INTO {t} VALUES (2, 'b')", "UPDATE {t} SET v = 'u' WHERE id = 1", "DELETE FROM {t} WHERE id = 2"] * 3),
    "variants": ("(id INT, v STRING, j VARIANT, s STRUCT<a: VARIANT>) USING delta",
                 ["INSERT INTO {t} SELECT id, 'a', parse_json('{{\"a\":' || id || '}}'), named_struct('a', parse_json('[1,null]')) FROM range(4)", "UPDATE {t} SET v = 'u' WHERE j:a::int = 1",
                  "DELETE FROM {t} WHERE variant_get(s.a, '$[0]', 'int') > 1 OR id = 0", "OPTIMIZE {t}"] * 2),
    "iceberg compatibility": ("(id INT, v STRING, l ARRAY<INT>, m MAP<STRING, STRUCT<x: ARRAY<INT>>>) USING delta PARTITIONED BY (v) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')",
                              ["INSERT INTO {t} VALUES (1, 'a', array(1), map('k', named_struct('x', array(2)))), (2, 'b', NULL, NULL)", "UPDATE {t} SET id = id + 10 WHERE v = 'a'",
                               "ALTER TABLE {t} ADD COLUMNS (z ARRAY<MAP<INT, INT>>)", "INSERT INTO {t} VALUES (3, 'a', array(3), NULL, array(map(1, 2)))", "OPTIMIZE {t}", "DELETE FROM {t} WHERE id = 2"]),
    "iceberg compatibility, first version": ("(id INT, v STRING) USING delta PARTITIONED BY (v) TBLPROPERTIES ('delta.enableIcebergCompatV1' = 'true')",
                                             ["INSERT INTO {t} VALUES (1, 'a'), (2, 'b')", "INSERT INTO {t} VALUES (3, 'a')", "UPDATE {t} SET id = 7 WHERE id = 1"]),
    "in-commit timestamps turned on": ("(id INT, v STRING) USING delta",
                                       ["INSERT INTO {t} VALUES (1, 'a')", "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
                                        "INSERT INTO {t} VALUES (2, 'b')", "DELETE FROM {t} WHERE id = 1"]),
    "widening within collections": ("(l ARRAY<INT>, m MAP<STRING, INT>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
                                    ["INSERT INTO {t} VALUES (array(1), map('a', 1))", "ALTER TABLE {t} ALTER COLUMN l.element TYPE BIGINT", "INSERT INTO {t} VALUES (array(5000000000), map('a', 1))",
                                     "ALTER TABLE {t} ALTER COLUMN m.value TYPE BIGINT"]),
    "append only": ("(id INT, v STRING) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')", ["INSERT INTO {t} VALUES (1, 'a')"] * 3),
    "constraints": ("(id INT NOT NULL, v STRING) USING delta",
                    ["ALTER TABLE {t} ADD CONSTRAINT small CHECK (id < 10)", "INSERT INTO {t} VALUES (1, 'a')", "UPDATE {t} SET id = id + 1", "ALTER TABLE {t} DROP CONSTRAINT small"]),
    "defaults": ("(id INT, v STRING) USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
                 ["ALTER TABLE {t} ALTER COLUMN v SET DEFAULT 'd'", "INSERT INTO {t} (id) VALUES (1)", "INSERT INTO {t} VALUES (2, DEFAULT)", "ALTER TABLE {t} ALTER COLUMN v DROP DEFAULT",
                  "INSERT INTO {t} (id) VALUES (3)"]),
    "in-commit timestamps": ("(id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
                             ["INSERT INTO {t} VALUES (1, 'a')", "INSERT INTO {t} VALUES (2, 'b')", "UPDATE {t} SET v = 'u' WHERE id = 1", "DELETE FROM {t} WHERE id = 2"]),
}


@pytest.mark.parametrize("feature", IN_TURN)
def test_both_change_a_table_in_turn(engines, writer, folder, feature):
    definition, statements = IN_TURN[feature]
    if writer == "spark" and feature in ("generated columns", "identity columns"):
        pytest.skip("Spark's server makes such tables only if it is started with Delta's catalog")
    # A table of features that both know; the one that begins makes it.
    turn = [writer, "spark" if writer == "ours" else "ours"]
    engines[writer].sql(f"CREATE TABLE delta.`{folder}` {definition}")
    for n, statement in enumerate(statements):
        engines[turn[n % 2]].sql(statement.format(t=f"delta.`{folder}`"))
        agree(engines, folder, "struct(id, v, to_json(j), to_json(s.a))" if feature == "variants" else "*")
        if feature == "change data feed":
            agree(engines, folder, "struct(id, v, _change_type, _commit_version)", readChangeFeed="true", startingVersion="0")
    if feature == "identity columns":
        assert [r[0] for r in rows(engines["ours"], folder, "id")] == sorted([5, 15, 25, 35], key=str)


@pytest.mark.parametrize("properties", ["", ", 'delta.enableDeletionVectors' = 'true'", ", 'delta.columnMapping.mode' = 'name'", ", 'delta.columnMapping.mode' = 'id'"])
def test_row_ids_are_the_same_for_both(engines, writer, folder, properties):
    """Each keeps the ids that the other gave, whoever rewrites the files."""
    table, columns = f"delta.`{folder}`", "struct(id, _metadata.row_id, _metadata.row_commit_version)"
    turn = [writer, "spark" if writer == "ours" else "ours"]
    engines[writer].sql(f"CREATE TABLE {table} (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true'{properties})")
    ids = {}
    for n, statement in enumerate([
            "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'a' FROM range(10)", "INSERT INTO {t} SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'a' FROM range(10, 20)",
            "UPDATE {t} SET v = 'u' WHERE id IN (3, 13)", "UPDATE {t} SET v = 'w' WHERE id IN (3, 4)", "DELETE FROM {t} WHERE id = 5", "DELETE FROM {t} WHERE id = 6",
            *["""MERGE INTO {t} t USING (SELECT CAST(id AS INT) AS id FROM range(0, 30, 7)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm'
                 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n') WHEN NOT MATCHED BY SOURCE AND t.id = 9 THEN UPDATE SET v = 'k'"""] * 2,
            "OPTIMIZE {t}", "UPDATE {t} SET v = 'z' WHERE id = 1", "INSERT INTO {t} VALUES (99, 'new')", "OPTIMIZE {t}"]):
        engines[turn[n % 2]].sql(statement.format(t=table))
        for (row,) in agree(engines, folder, columns):
            assert ids.setdefault(row.id, row.row_id) == row.row_id, statement
    assert len(set(ids.values())) == len(ids)


# Feature, what it needs of the table, and whether DROP FEATURE must truncate history.
DROPPED = {"deletionVectors": "'delta.enableDeletionVectors' = 'true'", "v2Checkpoint": "'delta.checkpointPolicy' = 'v2'",
           "typeWidening": "'delta.enableTypeWidening' = 'true'", "vacuumProtocolCheck": "'delta.feature.vacuumProtocolCheck' = 'supported'"}


@pytest.mark.parametrize("feature", DROPPED)
def test_features_are_dropped(engines, writer, folder, feature):
    """Who drops a feature leaves a table that the other reads and changes."""
    session, other = engines[writer], engines["spark" if writer == "ours" else "ours"]
    session.sql(f"CREATE TABLE delta.`{folder}` (id INT, v STRING) USING delta TBLPROPERTIES ({DROPPED[feature]})")
    other.sql(f"INSERT INTO delta.`{folder}` SELECT CAST(id AS INT), 'a' FROM range(20)")
    session.sql(f"DELETE FROM delta.`{folder}` WHERE id = 3")
    other.sql(f"UPDATE delta.`{folder}` SET v = 'u' WHERE id = 4")
    session.sql(f"ALTER TABLE delta.`{folder}` DROP FEATURE {feature}")
    assert len(agree(engines, folder)) == 19
    for engine in (other, session):
        engine.sql(f"INSERT INTO delta.`{folder}` VALUES (100, 'b')")
        engine.sql(f"DELETE FROM delta.`{folder}` WHERE id = 100 OR id = 7")
    assert len(agree(engines, folder)) == 18
    for engine in engines.values():
        assert f"delta.feature.{feature}" not in {r.key for r in engine.sql(f"SHOW TBLPROPERTIES delta.`{folder}`").collect()}


def test_clones_and_conversions_are_read_by_both(engines, writer, tmp_path):
    tmp_path.chmod(0o777)
    session, source, clone, folder = engines[writer], tmp_path / "s", tmp_path / "c", tmp_path / "f"
    session.sql(f"CREATE TABLE delta.`{source}` (id INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql(f"INSERT INTO delta.`{source}` SELECT CAST(id AS INT), concat('a ', id % 2) FROM range(10)")
    session.sql(f"DELETE FROM delta.`{source}` WHERE id = 3")
    session.sql(f"CREATE TABLE delta.`{clone}` SHALLOW CLONE delta.`{source}`")
    assert len(agree(engines, str(clone))) == 9
    for other in ("ours", "spark"):
        engines[other].sql(f"UPDATE delta.`{clone}` SET id = id + 100 WHERE id = {5 if other == 'ours' else 6}")
        agree(engines, str(clone))
    session.range(6).selectExpr("id", "CAST(id % 2 AS STRING) AS p").write.partitionBy("p").parquet(str(folder))
    session.sql(f"CONVERT TO DELTA parquet.`{folder}` PARTITIONED BY (p STRING)")
    assert len(agree(engines, str(folder))) == 6
    engines["ours" if writer == "spark" else "spark"].sql(f"DELETE FROM delta.`{folder}` WHERE id = 1")
    assert len(agree(engines, str(folder))) == 5
