"""What the tests of this folder share: tables of every kind, and their rows as each reader gives them, in one form."""
import datetime
import json
import uuid
from pathlib import Path

import pyarrow as pa
from pyiceberg.table import StaticTable
from pyspark.sql.types import ArrayType, MapType, StructType

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
TRANSFORMS = ["b", "i", "l", "f", "d", "m5", "m18", "m38", "day", "t", "n", "s", "y", "bucket(7, i)", "bucket(7, l)", "bucket(7, m5)",
              "bucket(7, m38)", "bucket(7, day)", "bucket(7, t)", "bucket(7, n)", "bucket(7, s)", "bucket(7, y)", "truncate(10, i)",
              "truncate(10, l)", "truncate(3, m5)", "truncate(50, m38)", "truncate(2, s)", "truncate(2, y)", "years(day)", "months(day)",
              "days(day)", "years(t)", "months(t)", "days(t)", "hours(t)", "years(n)", "months(n)", "days(n)", "hours(n)"]
ODD_TEXTS = ["", " ", "a/b", "a=b", "100%", "%2F", "é", "😀", "a b", "a+b", "a:b", "a\\\\b", "null", "NULL", "__HIVE_DEFAULT_PARTITION__", "..", ".",
             "a\\nb", "a\\tb", "\\'q\\'", '"q"', "#", "?", "&", "*", "<>", "|", "{x}", "[x]", "~", "^", "`"]
# The life of a table that begins as (id BIGINT, v STRING, at TIMESTAMP, m DECIMAL(10,2)).
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
    """The rows of a query on Spark or on this server, in no order."""
    return sorted(plain(tuple(row)) for row in session.sql(query).collect())


def as_pyiceberg(value, kind):
    """A value of pyspark as PyIceberg 0.12 has it, which takes arrays and maps of structs that are NULL for empty ones."""
    if isinstance(kind, ArrayType):
        if value is None:
            return [] if isinstance(kind.elementType, StructType) else None
        return [as_pyiceberg(v, kind.elementType) for v in value]
    if isinstance(kind, MapType):
        if value is None:
            return {} if isinstance(kind.valueType, StructType) else None
        return {k: as_pyiceberg(v, kind.valueType) for k, v in value.items()}
    if isinstance(kind, StructType) and value is not None:
        return tuple(as_pyiceberg(v, field.dataType) for v, field in zip(value, kind.fields))
    return value


def rows_as_pyiceberg(session, query):
    """rows() as PyIceberg should give them."""
    frame = session.sql(query)
    return sorted(plain(as_pyiceberg(tuple(row), frame.schema)) for row in frame.collect())


def from_arrow(value, kind):
    """A value of Arrow as pyspark gives it."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        return {from_arrow(k, kind.key_type): from_arrow(v, kind.item_type) for k, v in value}
    if pa.types.is_struct(kind):
        return tuple(from_arrow(value[kind.field(i).name], kind.field(i).type) for i in range(kind.num_fields))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [from_arrow(v, kind.value_type) for v in value]
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if isinstance(value, uuid.UUID):
        return str(value)
    return value


def newest_metadata(folder):
    """The newest metadata file of a table that is a folder."""
    return max(Path(folder, "metadata").glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))


def table_folder(session, table):
    """Where a table is, as the server tells it."""
    found = session.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Location'").first()["data_type"]
    return Path(found.removeprefix("file://").removeprefix("file:"))


def open_by_pyiceberg(folder):
    return StaticTable.from_metadata(str(newest_metadata(folder)))


def rows_by_pyiceberg(folder, reference=None, **scan):
    """The rows of a table that is a folder, as PyIceberg reads them, in the form of rows()."""
    found = open_by_pyiceberg(folder).scan(**scan)
    data = (found.use_ref(reference) if reference else found).to_arrow()
    kinds = [field.type for field in data.schema]
    columns = [[from_arrow(value, kind) for value in column.to_pylist()] for column, kind in zip(data.columns, kinds)]
    return sorted(plain(row) for row in zip(*columns)) if columns else []


def add_equality_deletes(folder, columns, deleted, partition=None, spec_id=0):
    """A commit with one equality delete file, as Flink makes them: rows that are equal in `columns` go. `deleted`: a
    pyarrow table of these columns. The folder is a table of a catalog of the type hadoop."""
    import time

    import pyarrow as pa
    import pyarrow.parquet as parquet
    from pyiceberg.io.pyarrow import PyArrowFileIO
    from pyiceberg.manifest import (DataFile, DataFileContent, FileFormat, ManifestContent, ManifestEntry, ManifestEntryStatus,
                                    ManifestWriterV2, write_manifest_list)
    from pyiceberg.typedef import Record

    class DeleteManifestWriter(ManifestWriterV2):
        def content(self):
            return ManifestContent.DELETES

        @property
        def _meta(self):
            return super()._meta | {"content": "deletes"}

    table = open_by_pyiceberg(folder)
    metadata, schema = table.metadata, table.schema()
    ids = [schema.find_field(name).field_id for name in columns]
    path = f"{folder}/data/equality-{uuid.uuid4()}.parquet"
    fields = [field.with_metadata({"PARQUET:field_id": str(n)}) for field, n in zip(deleted.schema, ids)]
    parquet.write_table(deleted.cast(pa.schema(fields)), path)
    snapshot_id, number, io = uuid.uuid4().int >> 66, metadata.last_sequence_number + 1, PyArrowFileIO()
    manifest = f"{folder}/metadata/{uuid.uuid4()}-m0.avro"
    with DeleteManifestWriter(metadata.specs()[spec_id], schema, io.new_output(manifest), snapshot_id, "null") as entries:
        file = DataFile.from_args(content=DataFileContent.EQUALITY_DELETES, file_path=path, file_format=FileFormat.PARQUET,
                                  partition=Record(*(partition or [])), record_count=deleted.num_rows,
                                  file_size_in_bytes=Path(path).stat().st_size, equality_ids=ids, spec_id=spec_id)
        entries.add(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=snapshot_id, data_file=file))
    listed = f"{folder}/metadata/snap-{snapshot_id}-1-{uuid.uuid4()}.avro"
    parent = metadata.current_snapshot()
    with write_manifest_list(2, io.new_output(listed), snapshot_id, parent.snapshot_id, number, "null") as writer:
        writer.add_manifests(parent.manifests(io) + [entries.to_manifest_file()])
    newest = newest_metadata(folder)
    state = json.loads(Path(newest).read_text())
    state["snapshots"].append({"snapshot-id": snapshot_id, "parent-snapshot-id": parent.snapshot_id, "sequence-number": number,
                               "timestamp-ms": max(int(time.time() * 1000), state["last-updated-ms"] + 1), "manifest-list": listed,
                               "summary": {"operation": "delete"}, "schema-id": state["current-schema-id"]})
    state.update({"current-snapshot-id": snapshot_id, "last-sequence-number": number,
                  "last-updated-ms": state["snapshots"][-1]["timestamp-ms"]})
    state["refs"]["main"]["snapshot-id"] = snapshot_id
    state["snapshot-log"].append({"snapshot-id": snapshot_id, "timestamp-ms": state["last-updated-ms"]})
    version = int(Path(newest).name.split(".")[0][1:]) + 1
    Path(folder, "metadata", f"v{version}.metadata.json").write_text(json.dumps(state))
    Path(folder, "metadata", "version-hint.text").write_text(str(version))
