"""Iceberg tables between this server and PyIceberg: every kind of table that we write has the same rows there, at every
snapshot; theirs are read here, or refused by name."""
import datetime
import decimal
import json
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (BinaryType, DateType, DecimalType, FixedType, IntegerType, ListType, LongType, MapType, NestedField,
                             StringType, StructType, TimestampType, TimestamptzType, TimeType, UUIDType)
from tables import (EVERY_TYPE, EVERY_VALUE, LIFE, ODD_TEXTS, TRANSFORMS, add_equality_deletes, newest_metadata, open_by_pyiceberg, plain, rows, rows_as_pyiceberg,
                    rows_by_pyiceberg, table_folder)

EVERY_ROW = f"({'), ('.join(EVERY_VALUE)})"


def agree(spark, table, history=True):
    """PyIceberg reads the rows that we read, now and (history) at every snapshot; they are returned."""
    folder = table_folder(spark, table)
    found = rows_as_pyiceberg(spark, f"SELECT * FROM {table}")
    assert rows_by_pyiceberg(folder) == found
    for snapshot in open_by_pyiceberg(folder).metadata.snapshots if history else []:
        then = rows_as_pyiceberg(spark, f"SELECT * FROM {table} VERSION AS OF {snapshot.snapshot_id}")
        assert rows_by_pyiceberg(folder, snapshot_id=snapshot.snapshot_id) == then
    return found


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_type(spark, namespace, version):
    table = f"{namespace}.kinds"
    spark.sql(f"CREATE TABLE {table} ({EVERY_TYPE}) USING iceberg TBLPROPERTIES ('format-version'='{version}')")
    assert agree(spark, table) == []
    spark.sql(f"INSERT INTO {table} VALUES {EVERY_ROW}")
    assert len(agree(spark, table)) == 3
    # What a value is, said once without this server.
    (row,) = open_by_pyiceberg(table_folder(spark, table)).scan(row_filter="i == 2147483647").to_arrow().to_pylist()
    assert row["m38"] == decimal.Decimal("1234567890123456789012345678.0123456789") and row["day"] == datetime.date(9999, 12, 31)
    assert row["t"] == datetime.datetime(2024, 2, 29, 1, 2, 3, 123456, datetime.timezone.utc) and row["y"] == b"\x00\xff\x10"
    assert row["n"] == datetime.datetime(1969, 12, 31, 23, 59, 59, 999999) and row["k"] == [("k", 5), ("n", None)]
    assert row["r"] == {"x": 1, "z": {"q": datetime.date(1582, 10, 15), "w": [{"e": "deep"}, None]}}


CONDITIONS = {"b": "b == true", "i": "i == 2147483647", "l": "l > 0", "f": "f == 3.25", "d": "d > 0.0", "m5": "m5 == 123.45", "m18": "m18 < 0",
              "m38": "m38 < 0", "day": "day >= '2000-01-01'", "t": "t < '1970-01-01T00:00:00+00:00'", "n": "n == '1969-12-31T23:59:59.999999'",
              "s": "s == 'ü€😀'", "y": "y is null"}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_partition_transforms(spark, namespace, transform):
    table = f"{namespace}.p"
    spark.sql(f"CREATE TABLE {table} ({EVERY_TYPE}) USING iceberg PARTITIONED BY ({transform})")
    spark.sql(f"INSERT INTO {table} VALUES {EVERY_ROW}")
    assert len(agree(spark, table, history=False)) == 3
    # The row stands in the partition where PyIceberg looks for it.
    condition = CONDITIONS[transform.split("(")[-1].split(",")[-1].strip(" )")]
    assert len(rows_by_pyiceberg(table_folder(spark, table), row_filter=condition)) == 1


def test_odd_partition_values(spark, namespace):
    table = f"{namespace}.odd"
    spark.sql(f"CREATE TABLE {table} (n INT, s STRING) USING iceberg PARTITIONED BY (s, truncate(1, s))")
    spark.sql(f"INSERT INTO {table} VALUES " + ", ".join(f"({n}, '{text}')" for n, text in enumerate(ODD_TEXTS)) + ", (99, NULL)")
    spark.sql(f"UPDATE {table} SET s = concat(s, '/x=%') WHERE n % 5 = 1")
    assert len(agree(spark, table)) == len(ODD_TEXTS) + 1


def test_the_life_of_a_table(spark, namespace):
    table = f"{namespace}.life"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, at TIMESTAMP, m DECIMAL(10,2)) USING iceberg")
    for statement in LIFE:
        spark.sql(statement.format(t=table))
        agree(spark, table, history=False)
    assert agree(spark, table) == ["[1, None, None, None, None]"] or len(agree(spark, table)) == 1
    folder = table_folder(spark, table)
    for reference in ("b", "g"):
        assert rows_by_pyiceberg(folder, reference) == rows(spark, f"SELECT * FROM {table} VERSION AS OF '{reference}'") != []


def test_nested_columns_change(spark, namespace):
    table = f"{namespace}.nested"
    spark.sql(f"""CREATE TABLE {table} (id INT, s STRUCT<a: INT, b: STRUCT<c: FLOAT>>, l ARRAY<STRUCT<x: INT>>,
                  m MAP<STRING, STRUCT<v: INT>>) USING iceberg""")
    spark.sql(f"""INSERT INTO {table} VALUES (1, named_struct('a', 1, 'b', named_struct('c', 1.5F)), array(named_struct('x', 1), NULL),
                  map('k', named_struct('v', 1))), (2, NULL, NULL, NULL)""")
    for change in ("ADD COLUMN s.b.d STRING", "ADD COLUMN l.element.y DATE", "ADD COLUMN m.value.w STRING", "ALTER COLUMN s.a TYPE BIGINT",
                   "ALTER COLUMN s.b.c TYPE DOUBLE", "RENAME COLUMN s.b.c TO cc", "ALTER COLUMN m.value.v TYPE BIGINT",
                   "ALTER COLUMN l.element.y FIRST", "RENAME COLUMN m.value.v TO vv", "ALTER COLUMN s.b FIRST", "DROP COLUMN s.a",
                   "ADD COLUMN s.a STRING"):
        spark.sql(f"ALTER TABLE {table} {change}")
        assert len(agree(spark, table)) == 2
    spark.sql(f"""INSERT INTO {table} VALUES (3, named_struct('b', named_struct('cc', 2.5D, 'd', 'x'), 'a', 'again'),
                  array(named_struct('y', DATE '2024-01-01', 'x', 3)), map('q', named_struct('vv', 5000000000L, 'w', 'z')))""")
    spark.sql(f"UPDATE {table} SET s.b.d = 'changed' WHERE id = 1")
    assert len(agree(spark, table)) == 3


@pytest.mark.parametrize("version", [1, 2])
def test_overwrites(spark, namespace, version):
    table = f"{namespace}.o"
    spark.sql(f"""CREATE TABLE {table} (id INT, p STRING) USING iceberg PARTITIONED BY (p)
                  TBLPROPERTIES ('format-version'='{version}')""")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    spark.sql(f"INSERT OVERWRITE {table} PARTITION (p = 'a') SELECT 10")
    assert len(agree(spark, table)) == 3
    spark.sql(f"INSERT INTO {table} REPLACE WHERE p = 'b' SELECT 20, 'b'")
    frame = spark.createDataFrame([(30, None), (40, "d")], "id INT, p STRING")
    frame.writeTo(table).overwritePartitions()
    assert agree(spark, table) == sorted(plain(row) for row in [(10, "a"), (20, "b"), (30, None), (40, "d")])
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(2, id)")
    frame.writeTo(table).overwritePartitions()
    assert len(agree(spark, table)) == 6
    spark.sql(f"DELETE FROM {table} WHERE p IS NULL")
    spark.sql(f"INSERT OVERWRITE {table} SELECT 7, 'all'")
    assert agree(spark, table) == ["[7, 'all']"]


def test_definitions(spark, namespace, tmp_path):
    table = f"{namespace}.d"
    spark.sql(f"CREATE TABLE {table} USING iceberg PARTITIONED BY (bucket(3, id)) AS SELECT id, array(id) AS a FROM range(10)")
    assert len(agree(spark, table)) == 10
    spark.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT 'x' AS s, id FROM range(3)")
    assert len(agree(spark, table)) == 3
    spark.sql(f"REPLACE TABLE {table} (only STRING NOT NULL) USING iceberg PARTITIONED BY (only)")
    assert agree(spark, table) == []
    spark.sql(f"INSERT INTO {table} VALUES ('a')")
    assert agree(spark, table) == ["['a']"]
    # In the built-in catalog: a table at a path, and one that is renamed.
    names = [f"spark_catalog.default.t{uuid.uuid4().hex[:8]}" for _ in range(3)]
    spark.sql(f"CREATE TABLE {names[0]} (id INT) USING iceberg LOCATION '{tmp_path}/a table'")
    spark.sql(f"CREATE TABLE {names[1]} (id INT) USING iceberg")
    for name in names[:2]:
        spark.sql(f"INSERT INTO {name} VALUES (1), (NULL)")
        assert len(agree(spark, name)) == 2
    spark.sql(f"ALTER TABLE {names[1]} RENAME TO {names[2]}")
    spark.sql(f"INSERT INTO {names[2]} VALUES (2)")
    assert len(agree(spark, names[2])) == 3
    for name in (names[0], names[2]):
        spark.sql(f"DROP TABLE {name}")


def test_odd_names(spark, namespace):
    table = f"{namespace}.`a b-ü.😀`"
    spark.sql(f"""CREATE TABLE {table} (`a.b` INT, `c d` STRING, `ü%😀` DATE, `select` STRUCT<`x.y`: INT, `z w`: STRING>,
                  `1st` BINARY) USING iceberg PARTITIONED BY (`c d`, days(`ü%😀`), bucket(2, `a.b`))""")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'x', DATE '2024-01-01', named_struct('x.y', 1, 'z w', 'q'), X'01'), (NULL, NULL, NULL, NULL, NULL)")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN `n.ew` INT")
    spark.sql(f"UPDATE {table} SET `n.ew` = 5, `select`.`x.y` = 7 WHERE `a.b` = 1")
    assert len(agree(spark, table)) == 2
    data = open_by_pyiceberg(table_folder(spark, table)).scan().to_arrow()
    assert data.column_names == ["a.b", "c d", "ü%😀", "select", "1st", "n.ew"]


def test_defaults_of_version_3(spark, namespace):
    table = f"{namespace}.v3"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('format-version'='3')")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
    spark.sql(f"UPDATE {table} SET id = 20 WHERE id = 2")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN s STRING")
    assert len(agree(spark, table)) == 2
    # Spark 4.1's Iceberg takes no defaults in DDL: the metadata gets them as another writer would put them there.
    path = newest_metadata(table_folder(spark, table))
    metadata = json.loads(path.read_text())
    (schema,) = [s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"]]
    schema["fields"].append({"id": 50, "name": "d", "required": False, "type": "int", "initial-default": 7, "write-default": 8})
    metadata["last-column-id"] = 50
    (path.parent / f"v{int(path.name[1:].split('.')[0]) + 1}.metadata.json").write_text(json.dumps(metadata))
    assert [row.d for row in spark.table(table).collect()] == [7, 7]
    assert len(agree(spark, table)) == 2
    spark.sql(f"INSERT INTO {table} (id) VALUES (3)")
    assert sorted((row.id, row.d) for row in spark.table(table).collect()) == [(1, 7), (3, 8), (20, 7)]
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    assert len(agree(spark, table)) == 2


def test_row_lineage_is_kept(spark, namespace):
    """Ids and last updates of rows go with them into other files, where PyIceberg finds the columns by their reserved ids."""
    table = f"{namespace}.lineage"
    spark.sql(f"CREATE TABLE {table} (id INT, v STRING) USING iceberg TBLPROPERTIES ('format-version'='3')")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    spark.sql(f"INSERT INTO {table} VALUES (4, 'd')")

    def lineage():
        found = spark.sql(f"SELECT id, _row_id, _last_updated_sequence_number FROM {table}").collect()
        return {row[0]: tuple(row[1:]) for row in found}

    before = lineage()
    assert sorted(before) == [1, 2, 3, 4] and sorted(ids for ids, _ in before.values()) == [0, 1, 2, 3]
    assert [before[n][1] for n in (1, 2, 3, 4)] == [1, 1, 1, 2]
    spark.sql(f"UPDATE {table} SET v = 'B' WHERE id = 2")
    assert lineage() == before | {2: (before[2][0], 3)}
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    spark.sql(f"""MERGE INTO {table} USING (SELECT 3 AS id UNION ALL SELECT 9) s ON {table}.id = s.id
                  WHEN MATCHED THEN UPDATE SET v = 'C' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'new')""")
    now = lineage()
    assert now.pop(9)[1] == 5 and now == {2: (before[2][0], 3), 3: (before[3][0], 5), 4: before[4]}
    kept = lineage()
    assert len({ids for ids, _ in kept.values()}) == 4
    spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))").collect()
    assert lineage() == kept
    assert len(agree(spark, table)) == 4
    (task,) = open_by_pyiceberg(table_folder(spark, table)).scan().plan_files()
    schema = parquet.read_schema(task.file.file_path.removeprefix("file://").removeprefix("file:"))
    ids = {field.name: int(field.metadata[b"PARQUET:field_id"]) for field in schema}
    assert ids == {"id": 1, "v": 2, "_row_id": 2147483540, "_last_updated_sequence_number": 2147483539}


def test_statistics_in_the_manifests(spark, namespace):
    table = f"{namespace}.stats"
    spark.sql(f"CREATE TABLE {table} (id INT, s STRING) USING iceberg")
    frame = spark.createDataFrame([(5, "b"), (-1, "a"), (9, None)], "id INT, s STRING")
    frame.coalesce(1).writeTo(table).append()
    (file,) = open_by_pyiceberg(table_folder(spark, table)).inspect.files().to_pylist()
    metrics = file["readable_metrics"]
    assert file["record_count"] == 3
    assert (metrics["id"]["lower_bound"], metrics["id"]["upper_bound"], metrics["id"]["null_value_count"]) == (-1, 9, 0)
    assert (metrics["s"]["lower_bound"], metrics["s"]["upper_bound"], metrics["s"]["null_value_count"]) == ("a", "b", 1)


@pytest.fixture
def theirs(tmp_path, new_session):
    """(session with the hadoop catalog `theirs`, PyIceberg's catalog over the same folder, show(table)): what PyIceberg
    writes is there for us once it is shown."""
    from conftest import iceberg_catalog

    catalog = InMemoryCatalog("theirs", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("db")

    def show(table):
        metadata = Path(table.metadata_location.removeprefix("file://"))
        (metadata.parent / "v1.metadata.json").write_text(metadata.read_text())
        (metadata.parent / "version-hint.text").write_text("1")

    return new_session(iceberg_catalog("theirs", tmp_path)), catalog, show


def agree_on_theirs(spark, table):
    """We read the rows that PyIceberg reads, at each of its snapshots."""
    for snapshot in [None] + [s.snapshot_id for s in table.metadata.snapshots]:
        folder = Path(table.metadata.location.removeprefix("file://"))
        version = f" VERSION AS OF {snapshot}" if snapshot else ""
        assert rows(spark, f"SELECT * FROM theirs.db.t{version}") == rows_by_pyiceberg(folder, snapshot_id=snapshot)


def test_a_table_of_pyiceberg_is_read(theirs):
    spark, catalog, show = theirs
    data = pa.table({"id": pa.array([1, 2, None], pa.int32()), "name": ["a", "b", None],
                     "tags": pa.array([["x"], [], None], pa.list_(pa.string()))})
    table = catalog.create_table("db.t", data.schema)
    table.append(data)
    with table.update_schema() as update:
        update.rename_column("name", "label")
    table.append(pa.table({"id": pa.array([4], pa.int32()), "label": ["d"], "tags": pa.array([["y", "z"]])}))
    table.delete("id == 2")
    table.overwrite(pa.table({"id": pa.array([5], pa.int32()), "label": ["e"], "tags": pa.array([["q"]])}), "id == 4")
    show(table)
    agree_on_theirs(spark, table)
    first = table.metadata.snapshots[0].snapshot_id
    assert spark.sql(f"SELECT * FROM theirs.db.t VERSION AS OF {first}").columns == ["id", "name", "tags"]
    spark.sql("INSERT INTO theirs.db.t VALUES (6, 'ours', array('o'))")
    assert len(agree(spark, "theirs.db.t", history=False)) == 4


def test_partitions_of_pyiceberg_are_read(theirs):
    spark, catalog, show = theirs
    early, late, utc = datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2024, 2, 29, 12, 30), datetime.timezone.utc
    columns = {"i": (IntegerType(), [-7, 12345]), "l": (LongType(), [-(2**40), 7]), "s": (StringType(), ["ü€/=%", ""]),
               "d": (DateType(), [early.date(), late.date()]), "t": (TimestampType(), [early, late]),
               "z": (TimestamptzType(), [early.replace(tzinfo=utc), late.replace(tzinfo=utc)]),
               "m": (DecimalType(9, 2), [decimal.Decimal("-12.34"), decimal.Decimal("99.99")]), "y": (BinaryType(), [b"\xff\x00\x01", b""]),
               "x": (FixedType(3), [b"abc", b"\x00\x00\xff"])}
    schema = Schema(*(NestedField(i, name, kind, required=False) for i, (name, (kind, _)) in enumerate(columns.items(), 1)))
    spec = PartitionSpec(*(PartitionField(i, 1000 + i, IdentityTransform(), f"p_{name}") for i, name in enumerate(columns, 1)))
    table = catalog.create_table("db.t", schema, partition_spec=spec)
    table.append(pa.table({field.name: pa.array([*columns[field.name][1], None], field.type) for field in schema_to_pyarrow(schema)}))
    show(table)
    agree_on_theirs(spark, table)
    for name in columns:
        assert spark.sql(f"SELECT count(*) FROM theirs.db.t WHERE {name} IS NULL").first()[0] == 1
    assert spark.sql("SELECT l FROM theirs.db.t WHERE t < TIMESTAMP_NTZ '1970-01-01 00:00:00' AND x = X'616263'").collect() == [(-(2**40),)]
    # Their files have exactly three bytes there, which ours would not.
    with pytest.raises(Exception, match="UNSUPPORTED_FEATURE.*fixed"):
        spark.sql("UPDATE theirs.db.t SET i = 8 WHERE y = X''")
    spark.sql("DELETE FROM theirs.db.t WHERE y = X''")
    assert len(agree(spark, "theirs.db.t", history=False)) == 2


def test_nested_and_odd_types_of_pyiceberg_are_read(theirs):
    spark, catalog, show = theirs
    schema = Schema(
        NestedField(1, "u", UUIDType()), NestedField(2, "x", FixedType(4)), NestedField(3, "y", BinaryType()),
        NestedField(4, "r", StructType(NestedField(5, "u", UUIDType()), NestedField(6, "m", DecimalType(38, 10)))),
        NestedField(7, "a", ListType(8, FixedType(2), element_required=False)), NestedField(9, "k", MapType(10, StringType(), 11, DecimalType(4, 1))))
    one, two = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"), uuid.UUID(int=0)
    table = catalog.create_table("db.t", schema)
    kinds = schema_to_pyarrow(schema)
    uuids = [pa.ExtensionArray.from_storage(pa.uuid(), pa.array(values, pa.binary(16))) for values in ([one.bytes, None], [two.bytes, None])]
    table.append(pa.Table.from_arrays([
        uuids[0], pa.array([b"abcd", None], pa.binary(4)), pa.array([b"", None], kinds.field("y").type),
        pa.StructArray.from_arrays([uuids[1], pa.array([decimal.Decimal("-1.5"), None], pa.decimal128(38, 10))], ["u", "m"]),
        pa.array([[b"ab", None], None], kinds.field("a").type), pa.array([[("p", decimal.Decimal("9.5"))], None], kinds.field("k").type),
    ], names=["u", "x", "y", "r", "a", "k"]))
    show(table)
    agree_on_theirs(spark, table)
    assert [row.u for row in spark.sql(f"SELECT u, r FROM theirs.db.t WHERE u = '{one}'").collect()] == [str(one)]
    assert spark.sql("SELECT r.u FROM theirs.db.t WHERE r.m < 0").first()[0] == str(two)
    with pytest.raises(Exception, match="UNSUPPORTED_FEATURE.*uuid"):
        spark.sql("INSERT INTO theirs.db.t (u) VALUES ('00112233-4455-6677-8899-aabbccddeeff')")


def test_types_that_spark_lacks_are_refused_by_name(theirs):
    spark, catalog, show = theirs
    table = catalog.create_table("db.t", Schema(NestedField(1, "id", IntegerType()), NestedField(2, "at", TimeType())))
    table.append(pa.table({"id": pa.array([1], pa.int32()), "at": pa.array([datetime.time(1, 2)], pa.time64("us"))}))
    show(table)
    with pytest.raises(Exception, match="(?i)time"):
        spark.table("theirs.db.t").collect()


MARKED = ", ".join(f"'write.{mode}.mode' = 'merge-on-read'" for mode in ("delete", "update", "merge"))
CHANGES = [
    "INSERT INTO {t} SELECT id, CAST(id % 3 AS STRING) FROM range(30)",
    "DELETE FROM {t} WHERE id % 10 = 3",
    "UPDATE {t} SET p = concat(p, '!') WHERE id % 7 = 0",
    "MERGE INTO {t} t USING (SELECT id, 'm' AS p FROM range(20, 40, 4)) s ON t.id = s.id "
    "WHEN MATCHED AND s.id > 30 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "DELETE FROM {t} WHERE id % 10 = 4",
]


@pytest.mark.parametrize("partitioned", ["", "PARTITIONED BY (p)"])
@pytest.mark.parametrize("version, granularity", [(2, "file"), (2, "partition"), (3, "file")])
def test_rows_that_are_marked_as_deleted(spark, namespace, version, granularity, partitioned):
    table = f"{namespace}.marked"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, p STRING) USING iceberg {partitioned} TBLPROPERTIES ('format-version' = '{version}', "
              f"'write.delete.granularity' = '{granularity}', {MARKED})")
    for statement in CHANGES:
        spark.sql(statement.format(t=table))
        agree(spark, table, history=False)
    assert len(agree(spark, table)) == 26
    spark.sql(f"CALL ice.system.rewrite_position_delete_files(table => '{table}', options => map('rewrite-all', 'true'))")
    agree(spark, table, history=False)


def test_equality_deletes_of_others(spark, namespace):
    table = f"{namespace}.e"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, p STRING, f DOUBLE) USING iceberg PARTITIONED BY (p)")
    ids = lambda: [r[0] for r in spark.sql(f"SELECT id FROM {table} ORDER BY id").collect()]
    spark.sql(f"INSERT INTO {table} SELECT id, IF(id % 2 = 0, 'a', 'b'), IF(id = 7, NULL, id) FROM range(10)")
    folder = table_folder(spark, table)
    add_equality_deletes(folder, ["id"], pa.table({"id": pa.array([2, 3, 99], pa.int64())}), ["a"])
    # Of the partition alone, and of older files alone.
    assert ids() == [0, 1, 3, 4, 5, 6, 7, 8, 9]
    spark.sql(f"INSERT INTO {table} VALUES (2, 'a', 0.0)")
    assert ids() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] and spark.table(table).count() == 10
    # By several columns, where NULL equals NULL.
    add_equality_deletes(folder, ["id", "f"], pa.table({"id": pa.array([7, 9, 5], pa.int64()), "f": pa.array([None, None, 5.0], pa.float64())}), ["b"])
    assert ids() == [0, 1, 2, 3, 4, 6, 8, 9]
    # Renamed, moved and widened columns are the same columns.
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN f TO g")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN f STRING FIRST")
    assert ids() == [0, 1, 2, 3, 4, 6, 8, 9]
    # Changes of ours on top, by both ways; compaction leaves nothing to apply.
    spark.sql(f"DELETE FROM {table} WHERE id = 0")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({MARKED})")
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    spark.sql(f"UPDATE {table} SET f = 'x' WHERE id = 4")
    assert ids() == [2, 3, 4, 6, 8, 9] and spark.sql(f"SELECT id FROM {table} WHERE f = 'x'").first()[0] == 4
    spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))")
    assert ids() == [2, 3, 4, 6, 8, 9] and spark.table(f"{table}.delete_files").count() == 0
    agree(spark, table, history=False)


def test_equality_deletes_tell_signed_zeros_apart(spark, namespace):
    """As Java's Double.equals does, to which NaN equals NaN."""
    table = f"{namespace}.z"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, d DOUBLE, f FLOAT) USING iceberg")
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ id, CAST(v AS DOUBLE), CAST(v AS FLOAT) FROM VALUES (1, '0.0'), (2, '-0.0'), (3, 'NaN'), (4, NULL), (5, '0.1') AS t(id, v)")
    folder = table_folder(spark, table)
    ids = lambda: [r[0] for r in spark.sql(f"SELECT id FROM {table} ORDER BY id").collect()]
    add_equality_deletes(folder, ["d"], pa.table({"d": pa.array([0.0, float("nan")], pa.float64())}))
    assert ids() == [2, 4, 5]
    add_equality_deletes(folder, ["f"], pa.table({"f": pa.array([-0.0, 0.1], pa.float32())}))
    assert ids() == [4]


def test_equality_deletes_of_a_whole_table(spark, namespace):
    table = f"{namespace}.g"
    spark.sql(f"CREATE TABLE {table} (id INT, v STRING) USING iceberg")
    spark.sql(f"INSERT INTO {table} SELECT id, 'v' FROM range(5)")
    folder = table_folder(spark, table)
    add_equality_deletes(folder, ["id"], pa.table({"id": pa.array([1], pa.int32())}))
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(2, id)")
    spark.sql(f"INSERT INTO {table} SELECT id, 'w' FROM range(5)")
    add_equality_deletes(folder, ["id"], pa.table({"id": pa.array([2], pa.int32())}))
    found = sorted(tuple(r) for r in spark.table(table).collect())
    assert found == [(0, "v"), (0, "w"), (1, "w"), (3, "v"), (3, "w"), (4, "v"), (4, "w")]
    spark.sql(f"ALTER TABLE {table} DROP COLUMN v")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT")
    assert sorted(r[0] for r in spark.table(table).collect()) == [0, 0, 1, 3, 3, 4, 4]


def test_compressed_metadata(spark, namespace):
    table = f"{namespace}.z"
    spark.sql(f"CREATE TABLE {table} (a INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec' = 'gzip')")
    spark.sql(f"INSERT INTO {table} VALUES (1), (NULL)")
    assert newest_metadata(table_folder(spark, table)).name == "v2.gz.metadata.json"
    assert len(agree(spark, table)) == 2
