#!/usr/bin/env python3
"""Reads table metadata and manifest lists that others have made and says where ours is not what it should be.

    python tools/iceberg_tables.py FOLDER...

Each FOLDER is searched, with all below it, for

    *.json   table metadata: those of Iceberg's own tests (apache/iceberg, core/src/test/resources) and of iceberg-rust
             (apache/iceberg-rust, crates/iceberg/testdata). Each becomes a table of its own, whose columns, snapshots and
             references must be those that PyIceberg finds in it
    *.avro   manifest lists (iceberg-rust, testdata/manifests_lists): their manifests must be those that PyIceberg finds

What must not be read (REFUSED below says why) has to be refused in words that tell it, never by INTERNAL_ERROR. Ends with
1 where something is read wrong, or refused without a name. Run it by the Python of ~/.cache/frazil/venv; FRAZIL_BINARY
names another server.
"""
import argparse
import json
import logging
import os
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ["TZ"] = "UTC"
time.tzset()

from frazil.spark import SparkConnectServer  # noqa: E402
from pyiceberg.io.pyarrow import PyArrowFileIO  # noqa: E402
from pyiceberg.manifest import read_manifest_list  # noqa: E402
from pyiceberg.table.metadata import TableMetadataUtil  # noqa: E402

# What is broken on purpose, by file name: what the refusal must say.
REFUSED = {
    "TableMetadataUnsupportedVersion": "version",
    "TableMetadataUnsupportedVersion of v3": "schemas",  # iceberg-rust's: v3 is supported by now, and v3 has no "schema".
    "TableMetadataV1MissingSchemaType": "type",
    "TableMetadataV1NoValidSchema": "schema",
    # Iceberg's own library refuses these too; iceberg-rust takes what the deprecated members say.
    "TableMetadataV1PartitionSpecsWithoutDefaultId": "default-spec-id",
    "TableMetadataV1SchemasWithoutCurrentId": "current-schema-id",
    "TableMetadataV2CurrentSchemaNotFound": "schema",
    "TableMetadataV2MissingLastPartitionId": "last-partition-id",
    "TableMetadataV2MissingPartitionSpecs": "partition-specs",
    "TableMetadataV2MissingSchemas": "schemas",
    "TableMetadataV2MissingSortOrder": "sort-orders",
    "manifest-list-v3-encrypted": "[Ee]ncrypt",
}
# What can be looked at, but whose rows must be refused.
ROWS_REFUSED = {"TableMetadataV3ValidEncryption": "[Ee]ncrypt"}


def is_table_metadata(path):
    try:
        document = json.loads(path.read_text())
    except ValueError:
        return False
    return isinstance(document, dict) and "format-version" in document and "last-updated-ms" in document


def type_text(kind):
    """A type of Iceberg as Spark writes it, without nullability."""
    from pyiceberg import types

    if isinstance(kind, types.StructType):
        return "struct<" + ",".join(f"{field.name}:{type_text(field.field_type)}" for field in kind.fields) + ">"
    if isinstance(kind, types.ListType):
        return f"array<{type_text(kind.element_type)}>"
    if isinstance(kind, types.MapType):
        return f"map<{type_text(kind.key_type)},{type_text(kind.value_type)}>"
    if isinstance(kind, types.DecimalType):
        return f"decimal({kind.precision},{kind.scale})"
    if isinstance(kind, types.FixedType):
        return "binary"
    return {"long": "bigint", "timestamp": "timestamp_ntz", "timestamptz": "timestamp", "uuid": "string"}.get(str(kind), str(kind))


def refusal(error, expected):
    """What is wrong with a refusal, or None."""
    text = str(error).split("\nJVM stacktrace")[0]
    if "INTERNAL_ERROR" in text:
        return f"an internal error: {text[:200]}"
    if not re.search(expected, text):
        return f"refused, but not for {expected}: {text[:200]}"
    return None


def check_metadata(spark, name, path, table, folder):
    """What is wrong with our reading of a table's metadata, or None; and a word on what was seen."""
    document = json.loads(path.read_text())
    document["location"] = str(folder)
    (folder / "metadata").mkdir(parents=True)
    (folder / "metadata" / "v1.metadata.json").write_text(json.dumps(document))
    expected = REFUSED.get(f"{name} of v{document['format-version']}", REFUSED.get(name))
    try:
        kind = spark.table(table).schema.simpleString()
    except Exception as error:
        if expected is None:
            return f"refused: {str(error)[:300]}", None
        return refusal(error, expected), f"refused: {str(error).splitlines()[0][:100]}"
    if expected is not None:
        return f"read, but should be refused for its {expected}", None
    try:
        # PyIceberg knows two kinds of statistics only.
        theirs = TableMetadataUtil.parse_raw(json.dumps({k: v for k, v in document.items() if "statistics" not in k}))
    except Exception as error:
        return None, f"{kind}, unchecked; PyIceberg: {' '.join(str(error).split())[:100]}"
    if kind != type_text(theirs.schema().as_struct()):
        return f"columns {kind}, PyIceberg: {type_text(theirs.schema().as_struct())}", None
    snapshots = sorted(row.snapshot_id for row in spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").collect())
    if snapshots != sorted(snapshot.snapshot_id for snapshot in theirs.snapshots):
        return f"snapshots {snapshots}", None
    refs = {row.name: row.snapshot_id for row in spark.sql(f"SELECT name, snapshot_id FROM {table}.refs").collect()}
    if refs != {ref: pointer.snapshot_id for ref, pointer in theirs.refs.items()}:
        return f"references {refs}, PyIceberg: {theirs.refs}", None
    history = spark.sql(f"SELECT snapshot_id FROM {table}.history").count()
    if history != len(theirs.snapshot_log):
        return f"{history} lines of history, PyIceberg: {len(theirs.snapshot_log)}", None
    try:
        rows = spark.table(table).count()
    except Exception as error:
        # Its files are not there.
        wanted = ROWS_REFUSED.get(name, "does not exist|PATH_NOT_FOUND|No such file|not found|s3")
        return refusal(error, wanted), f"{len(snapshots)} snapshots; rows refused: {str(error).splitlines()[0][:100]}"
    if name in ROWS_REFUSED:
        return "rows are read, but should be refused", None
    if rows != 0 or theirs.current_snapshot() is not None:
        return f"{rows} rows of files that are not there", None
    return None, f"{kind}, {len(snapshots)} snapshots, {len(refs)} references"


def check_manifest_list(spark, name, path, table, folder):
    """The same for a manifest list, as that of the only snapshot of a table."""
    encrypted = name.endswith("encrypted")
    snapshot = {"snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 0, "manifest-list": str(path), "schema-id": 0,
                "summary": {"operation": "append"}}
    document = {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": str(folder),
                "last-sequence-number": 1, "last-updated-ms": 0, "last-column-id": 1, "current-schema-id": 0,
                "schemas": [{"type": "struct", "schema-id": 0,
                             "fields": [{"id": 1, "name": "x", "required": False, "type": "long"}]}],
                "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999,
                "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}], "current-snapshot-id": 1,
                "snapshots": [snapshot]}
    if encrypted:
        document["format-version"], document["next-row-id"] = 3, 0
        snapshot |= {"key-id": "k", "first-row-id": 0, "added-rows": 0}
        document["encryption-keys"] = [{"key-id": "k", "encrypted-key-metadata": "AAAA"}]
    (folder / "metadata").mkdir(parents=True)
    (folder / "metadata" / "v1.metadata.json").write_text(json.dumps(document))
    try:
        ours = spark.sql(f"SELECT path, length, partition_spec_id, added_data_files_count FROM {table}.manifests").collect()
    except Exception as error:
        if name not in REFUSED:
            return f"refused: {str(error)[:300]}", None
        return refusal(error, REFUSED[name]), f"refused: {str(error).splitlines()[0][:100]}"
    if name in REFUSED:
        return f"read, but should be refused for its {REFUSED[name]}", None
    theirs = list(read_manifest_list(PyArrowFileIO().new_input(str(path))))
    mine = sorted((row.path, row.length, row.partition_spec_id, row.added_data_files_count) for row in ours)
    other = sorted((m.manifest_path, m.manifest_length, m.partition_spec_id, m.added_files_count) for m in theirs)
    if mine != other:
        return f"{mine[:2]}, PyIceberg: {other[:2]}", None
    return None, f"{len(mine)} manifests as PyIceberg"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--only", help="regular expression of the files' names")
    args = parser.parse_args()
    from pyspark.sql import SparkSession

    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    wrong = right = refused = 0
    with tempfile.TemporaryDirectory() as work, SparkConnectServer(warehouse=Path(work) / "warehouse") as server:
        lake = Path(work) / "lake"
        catalog = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".warehouse": str(lake)}
        builder = SparkSession.builder.remote(server.remote_url).config("spark.sql.session.timeZone", "UTC")
        for key, value in catalog.items():
            builder = builder.config(f"spark.sql.catalog.ice{key}", value)
        spark = builder.create()
        number = 0
        for folder in args.folders:
            for path in sorted([*folder.rglob("*.json"), *folder.rglob("*.avro")]):
                if path.suffix == ".json" and not is_table_metadata(path):
                    continue
                if args.only and not re.search(args.only, path.name):
                    continue
                number += 1
                check = check_metadata if path.suffix == ".json" else check_manifest_list
                problem, seen = check(spark, path.stem, path.resolve(), f"ice.n.t{number}", lake / "n" / f"t{number}")
                wrong += problem is not None
                refused += problem is None and seen.startswith("refused")
                right += problem is None
                print(f"{'WRONG' if problem else 'ok   '} {path.relative_to(folder)}: {problem or seen}", flush=True)
        spark.stop()
    print(f"{right - refused} right, {refused} refused as they must be, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
