#!/usr/bin/env python3
"""Reads Delta tables that others have made and says where the rows differ from what they should be.

    python tools/delta_tables.py FOLDER...

Each FOLDER holds tables, of these kinds:

    NAME.tar.zst, NAME/delta with NAME/expected   rows are those of the Parquet files below expected/: the golden tables
                                                  of delta-kernel-rs (kernel/tests/golden_data), and the Delta
                                                  acceptance tables (delta-incubator/dat, reader_tests/generated)
    NAME/_delta_log                               rows are those that deltalake reads, where it can: the golden tables of
                                                  delta-io/delta (connectors/golden-tables/src/main/resources/golden)

A table that must not be read (NAME says so below, or deltalake refuses it as well) has to be refused by an error
condition, never by INTERNAL_ERROR. Ends with 1 where a table is read wrong or refused without a name. Run it by the
Python of ~/.cache/frazil/venv; FRAZIL_BINARY names another server.
"""
import argparse
import io
import os
import re
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
os.environ["TZ"] = "UTC"
time.tzset()

import pyarrow as pa  # noqa: E402
import pyarrow.compute as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from frazil.spark import SparkConnectServer  # noqa: E402

# Golden tables that are broken on purpose, or that need what no table format here has.
REFUSED = {
    "deltalog-invalid-protocol-version": "DELTA_INVALID_PROTOCOL_VERSION",
    "deltalog-state-reconstruction-without-metadata": "DELTA_STATE_RECOVER_ERROR",
    "deltalog-state-reconstruction-without-protocol": "DELTA_STATE_RECOVER_ERROR",
    # Their commits tell what the checkpoint does not, but their data files are not there.
    "deltalog-state-reconstruction-from-checkpoint-missing-metadata": "FAILED_READ_FILE",
    "deltalog-state-reconstruction-from-checkpoint-missing-protocol": "FAILED_READ_FILE",
    "no-delta-log-folder": "TABLE_OR_VIEW_NOT_FOUND",
    "versions-not-contiguous": "DELTA_VERSIONS_NOT_CONTIGUOUS",
}


# Tables whose rows beside them are wrong, as delta-kernel-rs itself says of them (kernel/tests/integration).
NOT_EXPECTED = {"data-reader-partition-values": "an instant was written in another time zone"}


def unpack(folder, into):
    """Paths of the tables in the folder, archives unpacked: name -> folder."""
    found = {}
    for entry in sorted(folder.iterdir()):
        if entry.name.endswith(".tar.zst"):
            archive = tarfile.open(fileobj=io.BytesIO(pa.input_stream(str(entry), compression="zstd").read()))
            archive.extractall(into, filter="data")
            found[entry.name[:-len(".tar.zst")]] = into / entry.name[:-len(".tar.zst")]
        elif entry.is_dir() and ((entry / "_delta_log").is_dir() or (entry / "delta").is_dir()):
            found[entry.name] = entry
    return found


def expected_rows(folder):
    """The rows that stand beside a table, or None."""
    expected = folder / "expected"
    if (expected / "latest" / "table_content").is_dir():
        expected = expected / "latest" / "table_content"
    elif (expected / "latest").is_dir():
        expected = expected / "latest"
    files = sorted(expected.rglob("*.parquet")) if expected.is_dir() else []
    if not files:
        return None
    return pa.concat_tables([pq.ParquetFile(file).read() for file in files], promote_options="permissive")


def deltalake_rows(folder):
    """The rows as deltalake reads them; an error where it cannot."""
    from deltalake import DeltaTable

    table = DeltaTable(str(folder))
    if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        raise ValueError("it does not map columns")
    return table.to_pyarrow_table()


def plain(value, kind=None):
    """A value in the one form that all readers' values can be brought into."""
    if isinstance(value, dict):
        return tuple((key, plain(member)) for key, member in sorted(value.items()))
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
        return tuple(sorted((repr(plain(key)), plain(member)) for key, member in value))
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    if isinstance(value, float) and value != value:
        return "NaN"
    return value


def column_values(column):
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_timestamp(kind):
        # Instants and local times alike as microseconds.
        return [None if v is None else v // {"s": 1, "ms": 1, "us": 1, "ns": 1000}[kind.unit] *
                {"s": 10**6, "ms": 1000, "us": 1, "ns": 1}[kind.unit] for v in pc.cast(column, pa.int64()).to_pylist()]
    return [plain(value) for value in column.to_pylist()]


def rows_of(table, names):
    columns = [column_values(table.column(name).combine_chunks()) for name in names]
    return sorted(zip(*columns), key=repr) if columns else [()] * table.num_rows


def condition(error):
    found = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", str(error))
    return found.group(1) if found else None


def check(spark, name, folder):
    """What is wrong with our reading of a table, or None; and a word on what was seen."""
    table = folder / "delta" if (folder / "delta").is_dir() else folder
    must_fail = REFUSED.get(name)
    try:
        ours = spark.read.format("delta").load(str(table)).toArrow()
    except pa.ArrowException as error:
        # The client has the rows and fails to show them: NULLs in lists of VARIANTs.
        return None, f"{spark.read.format('delta').load(str(table)).count()} rows, unchecked; pyarrow: {str(error)[:80]}"
    except Exception as error:
        found = condition(error)
        if found is None or found == "INTERNAL_ERROR":
            return f"refused without a name: {str(error)[:300]}", None
        if must_fail is not None:
            return (None if found.startswith(must_fail) else f"refused by {found}, not {must_fail}"), f"refused: {found}"
        try:
            theirs = expected_rows(folder)
            theirs = deltalake_rows(table) if theirs is None else theirs
        except Exception as reason:
            return None, f"refused: {found}; deltalake: {str(reason).splitlines()[0][:80]}"
        return f"refused: {str(error).splitlines()[0][:300]}", None
    if must_fail is not None:
        return f"read, but should be refused by {must_fail}", None
    theirs = expected_rows(folder)
    source = "expected"
    if theirs is None:
        source = "deltalake"
        try:
            theirs = deltalake_rows(table)
        except Exception as reason:
            return None, f"{ours.num_rows} rows, unchecked; deltalake: {str(reason).splitlines()[0][:80]}"
    if ours.column_names != theirs.column_names and sorted(ours.column_names) != sorted(theirs.column_names):
        return f"columns {ours.column_names}, {source}: {theirs.column_names}", None
    mine, other = rows_of(ours, ours.column_names), rows_of(theirs, ours.column_names)
    if mine != other and name in NOT_EXPECTED:
        return None, f"{len(mine)} rows, unchecked: {NOT_EXPECTED[name]}"
    if mine != other:
        only_mine = [row for row in mine if row not in other][:2]
        only_other = [row for row in other if row not in mine][:2]
        return f"{len(mine)} rows, {source}: {len(other)}; ours only {only_mine}; theirs only {only_other}", None
    return None, f"{len(mine)} rows as {source}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--only", help="regular expression of the tables' names")
    args = parser.parse_args()
    from pyspark.sql import SparkSession

    wrong = right = refused = unchecked = 0
    with tempfile.TemporaryDirectory() as work, SparkConnectServer(warehouse=Path(work) / "warehouse") as server:
        spark = SparkSession.builder.remote(server.remote_url).config("spark.sql.session.timeZone", "UTC").create()
        for number, folder in enumerate(args.folders):
            for name, table in unpack(folder, Path(work) / str(number)).items():
                if args.only and not re.search(args.only, name):
                    continue
                problem, seen = check(spark, name, table)
                wrong += problem is not None
                refused += problem is None and seen.startswith("refused")
                unchecked += problem is None and "unchecked" in seen
                right += problem is None
                print(f"{'WRONG' if problem else 'ok   '} {name}: {problem or seen}", flush=True)
        spark.stop()
    print(f"{right - refused - unchecked} right, {refused} refused as they must be, {unchecked} unchecked, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
