"""Iceberg's definitions, references, properties and metadata tables, where they are refused or cleaned up."""
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest


def folder_of(spark, table):
    found = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Location'").first()["data_type"]
    return Path(found.removeprefix("file:"))


def metadata(spark, table):
    found = max((folder_of(spark, table) / "metadata").glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))
    return json.loads(found.read_text())


def test_defaults_need_version_3(spark, namespace):
    """Spark's Iceberg takes no defaults of columns in DDL; tables of version 3 take them here from ALTER TABLE."""
    with pytest.raises(Exception, match="does not support column default value"):
        spark.sql(f"CREATE TABLE {namespace}.c (a INT DEFAULT 5) USING iceberg")
    table = f"{namespace}.d"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    for statement in (f"ALTER TABLE {table} ADD COLUMN a INT DEFAULT 5", f"ALTER TABLE {table} ALTER COLUMN id SET DEFAULT 5"):
        with pytest.raises(Exception, match="default value"):
            spark.sql(statement)
    assert metadata(spark, table)["schemas"][-1]["fields"] == [{"id": 1, "name": "id", "required": False, "type": "int"}]


@pytest.mark.ours  # Spark's Iceberg takes no defaults
def test_defaults_of_version_3(spark, namespace):
    table = f"{namespace}.d"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN a INT DEFAULT 5")
    spark.sql(f"INSERT INTO {table} (id) VALUES (2)")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN a SET DEFAULT 6")
    spark.sql(f"INSERT INTO {table} VALUES (3, DEFAULT)")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN a DROP DEFAULT")
    spark.sql(f"INSERT INTO {table} (id) VALUES (4)")
    assert sorted(tuple(row) for row in spark.table(table).collect()) == [(1, 5), (2, 5), (3, 6), (4, None)]


def test_time_travel_on_metadata_tables(spark, namespace):
    """Tables about the whole table are the same at every snapshot; those of all snapshots have none."""
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    spark.sql(f"ALTER TABLE {table} CREATE TAG one")
    spark.sql(f"INSERT INTO {table} VALUES (2)")
    for name, rows in (("snapshots", 2), ("history", 2), ("refs", 2), ("metadata_log_entries", 4), ("files", 1), ("entries", 1),
                       ("manifests", 1), ("partitions", 1), ("position_deletes", 0)):
        assert spark.sql(f"SELECT * FROM {table}.{name} VERSION AS OF 'one'").count() == rows, name
    for name in ("all_files", "all_data_files", "all_delete_files", "all_entries", "all_manifests"):
        with pytest.raises(Exception, match=f"Cannot select snapshot in table: {name.upper()}"):
            spark.sql(f"SELECT * FROM {table}.{name} VERSION AS OF 'one'").collect()
    with pytest.raises(Exception, match="Can't time travel"):
        spark.sql(f"SELECT * FROM {table}.tag_one VERSION AS OF 'one'").collect()


def test_metadata_that_names_no_main_branch(spark, namespace):
    """Others leave it out; what the current snapshot has must not be lost when snapshots expire."""
    table = f"{namespace}.m"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    spark.sql(f"ALTER TABLE {table} CREATE TAG one")
    spark.sql(f"INSERT INTO {table} VALUES (2)")
    state = metadata(spark, table)
    del state["refs"]["main"]
    folder = Path(str(folder_of(spark, table))) / "metadata"
    (folder / "v5.metadata.json").write_text(json.dumps(state))
    (folder / "version-hint.text").write_text("5")
    assert {row.name for row in spark.table(f"{table}.refs").collect()} == {"main", "one"}
    spark.sql(f"CALL ice.system.expire_snapshots(table => '{table}', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)")
    assert sorted(row.id for row in spark.table(table).collect()) == [1, 2]


def test_references_that_are_kept_for_no_time(spark, namespace):
    table = f"{namespace}.r"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    for clause, message in (("BRANCH b RETAIN 0 DAYS", "Max reference age"), ("TAG b RETAIN 0 HOURS", "Max reference age"),
                            ("BRANCH b WITH SNAPSHOT RETENTION 0 SNAPSHOTS", "Min snapshots to keep"),
                            ("BRANCH b WITH SNAPSHOT RETENTION 0 DAYS", "Max snapshot age")):
        with pytest.raises(Exception, match=f"{message} must be greater than 0|{message}.*must be greater than 0"):
            spark.sql(f"ALTER TABLE {table} CREATE {clause}")
    assert set(metadata(spark, table)["refs"]) == {"main"}


def test_properties_that_are_reserved(spark, namespace):
    table = f"{namespace}.p"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    for key in ("location", "provider", "owner", "external", "collation", "is_managed_location", "table_type"):
        for statement in (f"ALTER TABLE {table} SET TBLPROPERTIES ('{key}' = 'x')", f"ALTER TABLE {table} UNSET TBLPROPERTIES ('{key}')",
                          f"CREATE TABLE {namespace}.q (id INT) USING iceberg TBLPROPERTIES ('{key}' = 'x')"):
            with pytest.raises(Exception, match="SET_TABLE_PROPERTY"):
                spark.sql(statement)
    with pytest.raises(Exception, match="Invalid metrics config, could not find column nope"):
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.metrics.column.nope' = 'full')")


def test_properties_of_data_files(spark, namespace):
    """Each is followed, or refused where its value cannot be."""
    def written(name, properties, column="s"):
        spark.sql(f"CREATE TABLE {namespace}.{name} (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ({properties})")
        spark.sql(f"INSERT INTO {namespace}.{name} SELECT /*+ COALESCE(1) */ id, concat('text ', id % 5000) FROM range(30000)")
        files = list((folder_of(spark, f"{namespace}.{name}") / "data").glob("*.parquet"))
        found = [pq.ParquetFile(file).metadata for file in files]
        return sum(file.stat().st_size for file in files), sum(m.num_row_groups for m in found), found[0].row_group(0).column(1)

    size, _, column = written("plain", "'k' = 'v'")
    assert column.compression == "ZSTD"
    assert written("level", "'write.parquet.compression-level' = '19'")[0] < size
    for codec in ("gzip", "snappy", "uncompressed"):
        assert written(codec, f"'write.parquet.compression-codec' = '{codec}'")[2].compression == codec.upper()
    assert written("groups", "'write.parquet.row-group-size-bytes' = '100000'")[1] > 3
    spark.sql(f"CREATE TABLE {namespace}.none (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('write.metadata.metrics.column.s' = 'none')")
    spark.sql(f"INSERT INTO {namespace}.none VALUES (1, 'a')")
    metrics = spark.table(f"{namespace}.none.files").first()
    assert set(metrics.column_sizes) == set(metrics.value_counts) == set(metrics.lower_bounds) == {1}
    for key, value, message in (("write.parquet.row-group-size-bytes", "abc", "For input string"), ("write.parquet.compression-level", "x", "For input string"),
                                ("write.target-file-size-bytes", "1 MB", "For input string"), ("write.distribution-mode", "foo", "Invalid distribution mode: foo"),
                                ("commit.retry.num-retries", "x", "must have integer value"), ("commit.retry.num-retries", "-1", "must have non negative"),
                                ("write.metadata.path", "/nowhere", "cannot relocate metadata"), ("write.location-provider.impl", "a.B", "(?s).")):
        with pytest.raises(Exception, match=message):
            spark.sql(f"CREATE TABLE {namespace}.bad (id BIGINT) USING iceberg TBLPROPERTIES ('{key}' = '{value}')")
            spark.sql(f"INSERT INTO {namespace}.bad VALUES (1)")
        spark.sql(f"DROP TABLE IF EXISTS {namespace}.bad")


def test_files_are_cut_at_the_target_size(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '500000')")
    spark.sql(f"INSERT INTO {table} SELECT id, sha2(CAST(id AS STRING), 256) FROM range(0, 100000, 1, 1)")
    sizes = [row.file_size_in_bytes for row in spark.table(f"{table}.files").collect()]
    assert len(sizes) > 5 and max(sizes) < 1000000 and spark.table(table).distinct().count() == 100000


def test_a_mode_of_changes_that_is_none(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg TBLPROPERTIES ('write.delete.mode' = 'nonsense')")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
    spark.sql(f"UPDATE {table} SET id = 3 WHERE id = 2")
    with pytest.raises(Exception, match="Unknown row-level operation mode: nonsense"):
        spark.sql(f"DELETE FROM {table} WHERE id = 1")


def test_schemas_and_specs_that_expire(spark, namespace):
    table = f"{namespace}.x"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg PARTITIONED BY (id)")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN s STRING")
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD id")
    spark.sql(f"INSERT OVERWRITE {table} VALUES (2, 'b')")
    call = f"CALL ice.system.expire_snapshots(table => '{table}', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1"
    spark.sql(f"{call}, clean_expired_metadata => true)")
    state = metadata(spark, table)
    assert [schema["schema-id"] for schema in state["schemas"]] == [state["current-schema-id"]] and len(state["snapshots"]) == 1
    # The overwriting snapshot's manifest of deleted files is still of the old spec.
    assert {spec["spec-id"] for spec in state["partition-specs"]} in ({0, 1}, {1})
    assert [tuple(row) for row in spark.table(table).collect()] == [(2, "b")]


def test_manifests_are_sorted_by_partition_fields(spark, namespace):
    table = f"{namespace}.s"
    spark.sql(f"CREATE TABLE {table} (a INT, b INT) USING iceberg PARTITIONED BY (a, b) TBLPROPERTIES "
              "('commit.manifest.target-size-bytes' = '1')")
    for n in range(6):
        spark.sql(f"INSERT INTO {table} VALUES ({n}, {10 - n})")
    call = f"CALL ice.system.rewrite_manifests(table => '{table}', sort_by => array("
    with pytest.raises(Exception, match="nope"):
        spark.sql(call + "'nope'))")
    assert spark.sql(call + "'b'))").first().rewritten_manifests_count == 6
    bounds = [row.partition_summaries[1] for row in spark.sql(f"SELECT * FROM {table}.manifests").collect()]
    assert [int(bound.lower_bound) for bound in bounds] == sorted(int(bound.lower_bound) for bound in bounds)
    assert spark.table(table).count() == 6


def test_a_named_branch_is_not_the_audited_one(spark, namespace):
    table = f"{namespace}.w"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('write.wap.enabled' = 'true')")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
    try:
        spark.conf.set("spark.wap.branch", "audit")
        spark.sql(f"INSERT INTO {table} VALUES (3)")
        spark.sql(f"INSERT INTO {table}.branch_main VALUES (4)")
        spark.sql(f"UPDATE {table}.branch_main SET id = 10 WHERE id = 1")
        spark.sql(f"DELETE FROM {table}.branch_main WHERE id = 2")
        assert sorted(row.id for row in spark.sql(f"SELECT * FROM {table} VERSION AS OF 'main'").collect()) == [4, 10]
        assert sorted(row.id for row in spark.sql(f"SELECT * FROM {table} VERSION AS OF 'audit'").collect()) == [1, 2, 3]
    finally:
        spark.conf.unset("spark.wap.branch")


def test_an_audit_id_that_two_snapshots_have(spark, namespace):
    table = f"{namespace}.w"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('write.wap.enabled' = 'true')")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    try:
        spark.conf.set("spark.wap.id", "w1")
        for value in (2, 3):
            spark.sql(f"INSERT INTO {table} VALUES ({value})")
    finally:
        spark.conf.unset("spark.wap.id")
    with pytest.raises(Exception, match="non-unique WAP ID"):
        spark.sql(f"CALL ice.system.publish_changes('{table.removeprefix('ice.')}', 'w1')")
    assert spark.table(table).count() == 1


def with_column(spark, table, column_type):
    """The table with an optional column `x` of a type that no statement can make, as another engine adds it."""
    state, folder = metadata(spark, table), folder_of(spark, table) / "metadata"
    newest = max(int(p.name[1:].split(".")[0]) for p in folder.glob("v*.metadata.json"))
    schema = json.loads(json.dumps(state["schemas"][-1]))
    state["last-column-id"] += 1
    schema["schema-id"] += 1
    schema["fields"].append({"id": state["last-column-id"], "name": "x", "required": False, "type": column_type})
    state["schemas"].append(schema)
    state["current-schema-id"] = schema["schema-id"]
    (folder / f"v{newest + 1}.metadata.json").write_text(json.dumps(state))
    (folder / "version-hint.text").write_text(str(newest + 1))


@pytest.mark.parametrize("column_type, shown", [("unknown", "void"), ("uuid", "string"), ("fixed[4]", "binary")])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_columns_of_types_that_are_not_written_leave_the_others_alone(spark, namespace, column_type, shown, mode):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = '{mode}')")
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b')")
    with_column(spark, table, column_type)
    spark.sql(f"INSERT INTO {table} (id) VALUES (3)")
    ids = lambda: sorted(row.id for row in spark.sql(f"SELECT id FROM {table}").collect())
    assert ids() == [1, 2, 3]
    assert [tuple(row) for row in spark.sql(f"SELECT * FROM {table} WHERE x IS NULL ORDER BY id").collect()] == [(1, "a", None), (2, "b", None), (3, None, None)]
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    assert ids() == [2, 3]
    assert {row.col_name: row.data_type for row in spark.sql(f"DESCRIBE {table}").collect()}["x"] == shown
    assert spark.table(f"{table}.files").count() >= 2


@pytest.mark.parametrize("column_type, shown", [("geometry", "geometry(4326)"), ("geography", "geography(4326)"), ("geometry(EPSG:3857)", "geometry(3857)")])
def test_tables_with_spatial_columns_are_described_and_written(spark, namespace, column_type, shown):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
    with_column(spark, table, column_type)
    spark.sql(f"INSERT INTO {table} (id) VALUES (3)")
    assert {row.col_name: row.data_type for row in spark.sql(f"DESCRIBE {table}").collect()}["x"] == shown
    assert metadata(spark, table)["snapshots"][-1]["summary"]["total-records"] == "1"


@pytest.mark.ours  # Spark writes texts into columns of the type uuid
@pytest.mark.parametrize("column_type, value", [("uuid", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'"), ("fixed[4]", "X'01020304'")])
def test_values_of_types_that_are_not_written_are_refused(spark, namespace, column_type, value):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
    with_column(spark, table, column_type)
    with pytest.raises(Exception, match="UNSUPPORTED_FEATURE"):
        spark.sql(f"INSERT INTO {table} VALUES (1, NULL), (2, {value})")
    assert spark.table(table).select("id").count() == 0
