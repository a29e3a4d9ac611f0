"""Rules of Delta tables that hold for whoever writes: Iceberg compatibility, states chosen by path, NOT NULL within structs, types widened within
lists and maps, and what the history tells of conditions."""
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from test_delta import fails, folder, load, log, name, rows, schema_of, theirs  # noqa: F401: fixtures

pytestmark = pytest.mark.ours


def data_files(folder):  # noqa: F811
    return sorted(Path(folder).rglob("*.parquet"))


def field_ids(fields):
    """All field ids of a Parquet schema's fields."""
    for field in fields:
        if field.metadata:
            yield int(field.metadata[b"PARQUET:field_id"])
        yield from field_ids([field.type.field(i) for i in range(field.type.num_fields)])


@pytest.mark.parametrize("version", [1, 2])
def test_iceberg_compatibility(spark, folder, name, version):  # noqa: F811
    nested = "" if version == 1 else ", l ARRAY<ARRAY<INT>>, m MAP<STRING, STRUCT<x: ARRAY<INT>>>"
    values = "" if version == 1 else ", array(array(1)), map('k', named_struct('x', array(2)))"
    violation = "DELTA_ICEBERG_COMPAT_VIOLATION."
    spark.sql(f"""CREATE TABLE {name} (p STRING, id INT, t TIMESTAMP{nested}) USING delta PARTITIONED BY (p) LOCATION '{folder}'
                  TBLPROPERTIES ('delta.enableIcebergCompatV{version}' = 'true')""")
    fields = {field["name"]: field for field in schema_of(folder)}
    assert all(field["metadata"]["delta.columnMapping.id"] for field in fields.values())
    spark.sql(f"INSERT INTO {name} SELECT 'a', 1, TIMESTAMP '2024-01-01 00:00:00'{values}")
    schema = pq.read_schema(data_files(folder)[0])
    physical = {key: field["metadata"]["delta.columnMapping.physicalName"] for key, field in fields.items()}
    assert schema.names[-1] == physical["p"] and len(schema.names) == len(fields)
    assert pq.ParquetFile(data_files(folder)[0]).schema.column(1).physical_type == "INT64"
    if version == 2:
        ids = fields["l"]["metadata"]["delta.columnMapping.nested.ids"] | fields["m"]["metadata"]["delta.columnMapping.nested.ids"]
        inner = fields["m"]["type"]["valueType"]["fields"][0]["metadata"]
        ids |= inner["delta.columnMapping.nested.ids"] | {"id": inner["delta.columnMapping.id"]}
        assert len(ids) == len(set(ids.values())) == 6
        assert set(ids.values()) <= set(field_ids(schema))
    assert rows(spark.sql(f"SELECT id, p FROM {name}")) == [(1, "a")]
    spark.sql(f"UPDATE {name} SET id = 2")
    spark.sql(f"ALTER TABLE {name} ADD COLUMNS (z INT)")
    fails(lambda: spark.sql(f"ALTER TABLE {name} ADD COLUMNS (v VARIANT)"), violation + "UNSUPPORTED_DATA_TYPE")
    if version == 1:
        fails(lambda: spark.sql(f"ALTER TABLE {name} ADD COLUMNS (v ARRAY<INT>)"), violation + "UNSUPPORTED_DATA_TYPE")
    fails(lambda: spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"), violation + "DELETION_VECTORS_SHOULD_BE_DISABLED")
    fails(lambda: spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableIcebergCompatV{3 - version}' = 'true')"), violation + "VERSION_MUTUAL_EXCLUSIVE")
    other = f"CREATE OR REPLACE TABLE {name} (id INT, q STRING) USING delta PARTITIONED BY (q) LOCATION '{folder}' TBLPROPERTIES ('delta.enableIcebergCompatV{version}' = 'true')"
    fails(lambda: spark.sql(other), violation + "REPLACE_TABLE_CHANGE_PARTITION_NAMES")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableIcebergCompatV{version}' = 'false')")
    spark.sql(f"ALTER TABLE {name} ADD COLUMNS (v VARIANT)")
    assert rows(spark.sql(f"SELECT id, p, z FROM {name}")) == [(2, "a", None)]


def test_iceberg_compatibility_of_tables_that_exist(spark, folder, name):  # noqa: F811
    violation = "DELTA_ICEBERG_COMPAT_VIOLATION."
    turn_on = f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')"
    spark.sql(f"CREATE TABLE {name} (id INT, l ARRAY<INT>) USING delta LOCATION '{folder}' TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    spark.sql(f"INSERT INTO {name} VALUES (1, array(1))")
    fails(lambda: spark.sql(turn_on), violation + "WRONG_REQUIRED_TABLE_PROPERTY")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    spark.sql(turn_on)
    assert schema_of(folder)[1]["metadata"]["delta.columnMapping.nested.ids"] == {"l.element": 3}
    spark.sql(f"INSERT INTO {name} VALUES (2, array(2))")
    spark.sql(f"ALTER TABLE {name} ALTER COLUMN id TYPE BIGINT")
    fails(lambda: spark.sql(f"ALTER TABLE {name} ALTER COLUMN id TYPE DECIMAL(30, 0)"), violation + "UNSUPPORTED_TYPE_WIDENING")
    assert rows(spark.sql(f"SELECT * FROM {name}")) == [(1, [1]), (2, [2])]
    fails(lambda: spark.sql(f"CREATE TABLE {name}3 (id INT) USING delta TBLPROPERTIES ('delta.enableIcebergCompatV3' = 'true')"), "icebergCompatV3")


def test_states_that_a_path_chooses_are_not_changed(spark, folder):  # noqa: F811
    table, old = f"delta.`{folder}`", f"delta.`{folder}@v1`"
    spark.sql(f"CREATE TABLE {table} (id INT) USING delta")
    for n in (1, 2, 3):
        spark.sql(f"INSERT INTO {table} VALUES ({n})")
    for statement in (f"INSERT INTO {old} VALUES (5)", f"INSERT OVERWRITE {old} VALUES (5)", f"DELETE FROM {old}", f"DELETE FROM {old} WHERE id = 1", f"UPDATE {old} SET id = 9",
                      f"MERGE INTO {old} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE", f"ALTER TABLE {old} ADD COLUMNS (x INT)", f"TRUNCATE TABLE {old}",
                      f"ALTER TABLE {old} SET TBLPROPERTIES ('a' = 'b')", f"RESTORE {old} TO VERSION AS OF 0", f"VACUUM {old}", f"GENERATE symlink_format_manifest FOR TABLE {old}"):
        fails(lambda: spark.sql(statement), "DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION")
    assert rows(spark.sql(f"SELECT * FROM {old}")) == [(1,)]
    assert rows(spark.sql(f"SELECT * FROM {table}")) == [(1,), (2,), (3,)]


def test_not_null_within_structs(spark, folder, name):  # noqa: F811
    spark.sql(f"CREATE TABLE {name} (id INT, s STRUCT<a: INT NOT NULL, b: STRUCT<c: INT NOT NULL>>) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1, named_struct('a', 1, 'b', named_struct('c', 2)))")
    for statement in (f"INSERT INTO {name} VALUES (2, NULL)", f"INSERT INTO {name} VALUES (2, named_struct('a', 1, 'b', NULL))", f"UPDATE {name} SET s = NULL"):
        fails(lambda: spark.sql(statement), "DELTA_NOT_NULL_CONSTRAINT_VIOLATED")
    assert spark.table(name).count() == 1


def test_types_widen_within_lists_and_maps(spark, folder, name):  # noqa: F811
    spark.sql(f"""CREATE TABLE {name} (l ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<q: ARRAY<MAP<INT, INT>>>) USING delta LOCATION '{folder}'
                  TBLPROPERTIES ('delta.enableTypeWidening' = 'true')""")
    spark.sql(f"INSERT INTO {name} VALUES (array(1), map('a', 1), named_struct('q', array(map(1, 1))))")
    for column in ("l.element", "m.value", "s.q.element.key"):
        spark.sql(f"ALTER TABLE {name} ALTER COLUMN {column} TYPE BIGINT")
    fields = schema_of(folder)
    change = {"toType": "long", "fromType": "integer"}
    assert fields[0]["metadata"]["delta.typeChanges"] == [change | {"fieldPath": "element"}]
    assert fields[2]["type"]["fields"][0]["metadata"]["delta.typeChanges"] == [change | {"fieldPath": "element.key"}]
    spark.sql(f"INSERT INTO {name} VALUES (array(5000000000), map('a', 5000000000), named_struct('q', array(map(5000000000, 1))))")
    assert rows(spark.sql(f"SELECT l[0], m['a'], map_keys(s.q[0])[0] FROM {name}")) == [(1, 1, 1), (5000000000,) * 3]
    fails(lambda: spark.sql(f"ALTER TABLE {name} ALTER COLUMN m.value TYPE STRING"), "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP")


def test_partition_values_that_are_no_text(spark, folder, name):  # noqa: F811
    spark.sql(f"CREATE TABLE {name} (id INT, b BINARY) USING delta PARTITIONED BY (b) LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1, X'00FF80'), (2, X'61')")
    spark.sql(f"UPDATE {name} SET id = 10 WHERE id = 1")
    assert rows(spark.sql(f"SELECT id, hex(b) FROM {name}")) == [(10, "00FF80"), (2, "61")]


def test_the_history_tells_conditions(spark, folder, name):  # noqa: F811
    spark.sql(f"CREATE TABLE {name} (id INT, v STRING) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT), 'a' FROM range(5)")
    spark.sql(f"""MERGE INTO {name} t USING (SELECT CAST(id AS INT) AS id FROM range(2, 9)) s ON t.id = s.id WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'm'
                  WHEN NOT MATCHED AND s.id < 8 THEN INSERT (id) VALUES (s.id) WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN DELETE""")
    spark.sql(f"ALTER TABLE {name} ADD CONSTRAINT few CHECK (id < 100)")
    spark.sql(f"ALTER TABLE {name} DROP CONSTRAINT few")
    spark.sql(f"DELETE FROM {name}")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'b')")
    spark.sql(f"TRUNCATE TABLE {name}")
    history = {row.version: row for row in spark.sql(f"DESCRIBE HISTORY {name}").collect()}
    told = history[2].operationParameters
    assert json.loads(told["predicate"]) == ["(id = id)"]
    assert json.loads(told["matchedPredicates"]) == [{"predicate": "(id = 2)", "actionType": "delete"}, {"actionType": "update"}]
    assert json.loads(told["notMatchedPredicates"]) == [{"predicate": "(id < 8)", "actionType": "insert"}]
    assert json.loads(told["notMatchedBySourcePredicates"]) == [{"predicate": "(id = 0)", "actionType": "delete"}]
    assert history[1].operationParameters == {"mode": "Append", "partitionBy": "[]"} and history[1].isBlindAppend
    assert history[3].operation == "ADD CONSTRAINT" and history[3].isBlindAppend
    assert history[4].operationParameters == {"name": "few", "expr": "id < 100", "existed": "true"}
    assert history[5].operationParameters == {"predicate": '["true"]'} and not history[5].isBlindAppend
    assert history[7].operation == "TRUNCATE"


@pytest.mark.parametrize("key, value", [("appendOnly", "maybe"), ("checkpointInterval", "0"), ("logRetentionDuration", "3 months"), ("dataSkippingNumIndexedCols", "-2"),
                                        ("enableChangeDataFeed", "1"), ("deletedFileRetentionDuration", "week")])
def test_values_of_properties_are_checked(spark, folder, name, key, value):  # noqa: F811
    properties = f"TBLPROPERTIES ('delta.{key}' = '{value}')"
    with pytest.raises(Exception):
        spark.sql(f"CREATE TABLE {name} (id INT) USING delta LOCATION '{folder}' {properties}")
    spark.sql(f"CREATE TABLE {name} (id INT) USING delta LOCATION '{folder}'")
    fails(lambda: spark.sql(f"ALTER TABLE {name} SET {properties}"), "Unsupported table change: ")


def test_in_commit_timestamps_are_turned_on(spark, folder, name):  # noqa: F811
    spark.sql(f"CREATE TABLE {name} (id INT) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    spark.sql(f"INSERT INTO {name} VALUES (2)")
    properties = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {name}").collect()}
    assert properties["delta.inCommitTimestampEnablementVersion"] == "2"
    commits = [json.loads(Path(folder, "_delta_log", f"{n:020}.json").read_text().splitlines()[0])["commitInfo"] for n in range(4)]
    assert ["inCommitTimestamp" in commit for commit in commits] == [False, False, True, True]
    assert properties["delta.inCommitTimestampEnablementTimestamp"] == str(commits[2]["inCommitTimestamp"])
    times = {row.version: row.timestamp for row in spark.sql(f"DESCRIBE HISTORY {name}").collect()}
    for version, count in ((1, 1), (2, 1), (3, 2)):
        assert spark.read.option("timestampAsOf", str(times[version])).format("delta").load(folder).count() == count


def test_the_history_tells_a_vacuum(spark, folder, name):  # noqa: F811
    spark.sql(f"CREATE TABLE {name} (id INT) USING delta LOCATION '{folder}'")
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    spark.sql(f"DELETE FROM {name}")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        spark.sql(f"VACUUM {name} RETAIN 0 HOURS DRY RUN")
        spark.sql(f"VACUUM {name} RETAIN 0 HOURS")
    finally:
        spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
    end, start, delete = spark.sql(f"DESCRIBE HISTORY {name} LIMIT 3").collect()
    assert [end.operation, start.operation, delete.operation] == ["VACUUM END", "VACUUM START", "DELETE"]
    assert start.operationParameters == {"retentionCheckEnabled": "false", "defaultRetentionMillis": "604800000", "specifiedRetentionMillis": "0"}
    assert start.operationMetrics["numFilesToDelete"] == end.operationMetrics["numDeletedFiles"] == "1" and start.isolationLevel == "SnapshotIsolation"
    assert end.operationParameters == {"status": "COMPLETED"} and end.operationMetrics["numVacuumedDirectories"] == "1"
    assert theirs(folder) == []
