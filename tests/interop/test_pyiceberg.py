"""Iceberg tables between this server and PyIceberg: theirs are read, ours are read by them."""
import datetime
import decimal
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.table import StaticTable


def table_folder(spark, table):
    found = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Location'").first()["data_type"]
    return Path(found.removeprefix("file://").removeprefix("file:"))


def newest_metadata(folder):
    files = sorted((folder / "metadata").glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))
    return files[-1]


def read_by_pyiceberg(spark, table, **scan):
    return StaticTable.from_metadata(str(newest_metadata(table_folder(spark, table)))).scan(**scan).to_arrow()


def test_every_type_is_read_by_pyiceberg(spark, namespace):
    table = f"{namespace}.kinds"
    spark.sql(f"""CREATE TABLE {table} (b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, m DECIMAL(20,4), day DATE,
                  t TIMESTAMP, n TIMESTAMP_NTZ, s STRING, y BINARY, a ARRAY<INT>, k MAP<STRING,BIGINT>,
                  r STRUCT<x: INT, z: STRING>) USING iceberg""")
    spark.sql(f"""INSERT INTO {table} VALUES (true, 1, 2, 1.5, 2.5, 12.3456, DATE '2024-02-29',
                  TIMESTAMP '2024-02-29 01:02:03.123456', TIMESTAMP_NTZ '2024-02-29 01:02:03', 'ü', X'00FF', array(1, NULL),
                  map('k', 5), named_struct('x', 1, 'z', NULL)),
                  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)""")
    got = sorted(read_by_pyiceberg(spark, table).to_pylist(), key=lambda r: r["i"] is None)
    assert got[0] == {
        "b": True, "i": 1, "l": 2, "f": 1.5, "d": 2.5, "m": decimal.Decimal("12.3456"), "day": datetime.date(2024, 2, 29),
        "t": datetime.datetime(2024, 2, 29, 1, 2, 3, 123456, datetime.timezone.utc),
        "n": datetime.datetime(2024, 2, 29, 1, 2, 3), "s": "ü", "y": b"\x00\xff", "a": [1, None], "k": [("k", 5)],
        "r": {"x": 1, "z": None}}
    assert all(value is None for value in got[1].values())


def test_changes_partitions_and_pruning_hold_for_pyiceberg(spark, namespace):
    table = f"{namespace}.parts"
    spark.sql(f"CREATE TABLE {table} (id INT, at TIMESTAMP, k STRING) USING iceberg PARTITIONED BY (days(at), bucket(4, k))")
    spark.sql(f"INSERT INTO {table} SELECT id, timestamp_seconds(id * 43200), concat('k', id % 3) FROM range(20)")
    spark.sql(f"DELETE FROM {table} WHERE id = 3")
    spark.sql(f"UPDATE {table} SET k = 'changed' WHERE id = 4")
    ours = sorted((r.id, r.k) for r in spark.table(table).select("id", "k").collect())
    theirs = read_by_pyiceberg(spark, table, selected_fields=("id", "k"))
    assert sorted(zip(theirs["id"].to_pylist(), theirs["k"].to_pylist())) == ours and len(ours) == 19
    part = read_by_pyiceberg(spark, table, row_filter="k == 'changed'")
    assert part["id"].to_pylist() == [4]


def test_statistics_in_the_manifests(spark, namespace):
    table = f"{namespace}.stats"
    spark.sql(f"CREATE TABLE {table} (id INT, s STRING) USING iceberg")
    rows = spark.createDataFrame([(5, "b"), (-1, "a"), (9, None)], "id INT, s STRING")
    rows.coalesce(1).writeTo(table).append()
    static = StaticTable.from_metadata(str(newest_metadata(table_folder(spark, table))))
    (file,) = static.inspect.files().to_pylist()
    metrics = file["readable_metrics"]
    assert file["record_count"] == 3
    assert (metrics["id"]["lower_bound"], metrics["id"]["upper_bound"], metrics["id"]["null_value_count"]) == (-1, 9, 0)
    assert (metrics["s"]["lower_bound"], metrics["s"]["upper_bound"], metrics["s"]["null_value_count"]) == ("a", "b", 1)


def test_old_snapshots_are_read_by_both(spark, namespace):
    table = f"{namespace}.old"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg")
    for n in (1, 2, 3):
        spark.sql(f"INSERT INTO {table} VALUES ({n})")
    snapshots = [r.snapshot_id for r in spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").collect()]
    for count, snapshot in enumerate(snapshots, 1):
        assert spark.sql(f"SELECT count(*) FROM {table} VERSION AS OF {snapshot}").first()[0] == count
        assert read_by_pyiceberg(spark, table, snapshot_id=snapshot).num_rows == count


@pytest.fixture
def their_table(tmp_path):
    """A table written by PyIceberg, as the hadoop catalog `theirs` would find it: (warehouse, table)."""
    catalog = InMemoryCatalog("theirs", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("db")
    data = pa.table({"id": pa.array([1, 2, None], pa.int32()), "name": ["a", "b", None],
                     "tags": pa.array([["x"], [], None], pa.list_(pa.string()))})
    table = catalog.create_table("db.t", data.schema, location=f"file://{tmp_path}/db/t")
    table.append(data)
    with table.update_schema() as update:
        update.rename_column("name", "label")
    table.append(pa.table({"id": pa.array([4], pa.int32()), "label": ["d"], "tags": pa.array([["y", "z"]])}))
    metadata = Path(table.metadata_location.removeprefix("file://"))
    (metadata.parent / "v1.metadata.json").write_text(json.dumps(json.loads(metadata.read_text())))
    (metadata.parent / "version-hint.text").write_text("1")
    return tmp_path, table


def test_a_table_of_pyiceberg_is_read(new_session, their_table):
    from conftest import iceberg_catalog

    warehouse, table = their_table
    spark = new_session(iceberg_catalog("theirs", warehouse))
    assert sorted((tuple(r) for r in spark.table("theirs.db.t").collect()), key=str) == [
        (1, "a", ["x"]), (2, "b", []), (4, "d", ["y", "z"]), (None, None, None)]
    first = table.metadata.snapshots[0].snapshot_id
    old = spark.sql(f"SELECT * FROM theirs.db.t VERSION AS OF {first}")
    assert old.columns == ["id", "name", "tags"] and old.count() == 3
