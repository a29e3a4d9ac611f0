"""Procedures about files: statistics files, tables that move elsewhere."""
import json
import shutil
from pathlib import Path

import pytest


def folder_of(spark, table):
    found = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Location'").first()["data_type"]
    return Path(found.removeprefix("file:"))


def metadata(spark, table):
    found = max((folder_of(spark, table) / "metadata").glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))
    return json.loads(found.read_text())


def test_distinct_values_of_columns(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"""CREATE TABLE {table} USING iceberg AS SELECT id, id % 7 AS few, CAST(NULL AS INT) AS none, IF(id < 5, '', 's') AS s,
                  CAST(id % 3 AS DECIMAL(10,2)) AS m, id % 2 = 0 AS b, CAST(id % 11 AS DOUBLE) AS d, date_add(DATE '2020-01-01', CAST(id % 5 AS INT)) AS day,
                  timestamp_seconds(id % 13) AS t, array(id) AS a FROM range(20000)""")
    (path,) = spark.sql(f"CALL ice.system.compute_table_stats(table => '{table}')").first()
    assert path.endswith(".stats") and Path(path.removeprefix("file:")).read_bytes()[:4] == b"PFA1"
    (entry,) = metadata(spark, table)["statistics"]
    names = {f["id"]: f["name"] for f in metadata(spark, table)["schemas"][0]["fields"]}
    found = {names[b["fields"][0]]: int(b["properties"]["ndv"]) for b in entry["blob-metadata"]}
    assert abs(found.pop("id") - 20000) < 1000
    assert found == {"few": 7, "none": 0, "s": 1, "m": 3, "b": 2, "d": 11, "day": 5, "t": 13}
    size = Path(path.removeprefix("file:")).stat().st_size
    assert entry["file-size-in-bytes"] == size and 0 < entry["file-footer-size-in-bytes"] < size
    # Of an old snapshot, of some columns; a second run takes the first one's place.
    first = entry["snapshot-id"]
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1")
    spark.sql(f"CALL ice.system.compute_table_stats(table => '{table}', snapshot_id => {first}, columns => array('few'))")
    (entry,) = metadata(spark, table)["statistics"]
    assert [b["properties"]["ndv"] for b in entry["blob-metadata"]] == ["7"]
    for wrong in ("columns => array('nosuch')", "columns => array('a')", "snapshot_id => 42"):
        with pytest.raises(Exception, match="(?i)nosuch|non-primitive|42"):
            spark.sql(f"CALL ice.system.compute_table_stats(table => '{table}', {wrong})")
    with pytest.raises(Exception, match="FAILED_TO_LOAD_ROUTINE"):
        spark.sql(f"CALL ice.system.`#store_table_stats`(table => '{table}')")


def test_figures_of_partitions(spark, namespace):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = f"{namespace}.p"
    spark.sql(f"""CREATE TABLE {table} (id BIGINT, at DATE, m DECIMAL(10,2)) USING iceberg PARTITIONED BY (at, truncate(1.0, m))
                  TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')""".replace("1.0", "100"))
    spark.sql(f"INSERT INTO {table} VALUES (1, DATE '2024-01-01', 1.25), (2, DATE '2024-01-01', 1.75), (3, NULL, NULL)")
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    (path,) = spark.sql(f"CALL ice.system.compute_partition_stats('{table}')").first()
    found = parquet.read_table(path.removeprefix("file:"))
    ids = [int(found.schema.field(n).metadata[b"PARQUET:field_id"]) for n in range(len(found.schema))]
    assert ids == list(range(1, 13))
    rows = sorted(found.to_pylist(), key=lambda r: str(r["partition"]["at"]))
    assert [(str(r["partition"]["at"]), str(r["partition"]["m_trunc"]), r["data_record_count"], r["data_file_count"],
             r["position_delete_record_count"], r["position_delete_file_count"]) for r in rows] == [
        ("2024-01-01", "1.00", 2, 1, 1, 1), ("None", "None", 1, 1, 0, 0)]
    (entry,) = metadata(spark, table)["partition-statistics"]
    assert entry["statistics-path"] == path and entry["file-size-in-bytes"] == Path(path.removeprefix("file:")).stat().st_size
    spark.sql(f"CREATE TABLE {namespace}.u (id INT) USING iceberg")
    with pytest.raises(Exception, match="must be partitioned"):
        spark.sql(f"CALL ice.system.compute_partition_stats('{namespace}.u')")


def test_a_table_that_moves(spark, namespace, tmp_path):
    table = f"{namespace}.m"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, p STRING) USING iceberg PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table} SELECT id, CAST(id % 2 AS STRING) FROM range(10)")
    first = metadata(spark, table)["current-snapshot-id"]
    spark.sql(f"DELETE FROM {table} WHERE id = 3")
    source, target, staging = folder_of(spark, table), tmp_path / "elsewhere" / "m", tmp_path / "staging"
    call = f"CALL ice.system.rewrite_table_path(table => '{table}', source_prefix => '{source}', target_prefix => '{target}'"
    found = spark.sql(f"{call}, staging_location => '{staging}')").first()
    assert found.latest_version == "v3.metadata.json" and found.rewritten_manifest_file_paths_count >= 2
    for line in Path(found.file_list_location).read_text().splitlines():
        here, there = line.split(",")
        Path(there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)
    (target / "metadata" / "version-hint.text").write_text("3")
    spark.sql(f"DROP TABLE {table} PURGE")
    moved = spark.read.format("iceberg").load(str(target))
    assert sorted(r.id for r in moved.collect()) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert spark.read.format("iceberg").option("snapshot-id", first).load(str(target)).count() == 10


def test_paths_that_cannot_be_rewritten(spark, namespace):
    table = f"{namespace}.r"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    spark.sql(f"INSERT INTO {table} SELECT id FROM range(3)")
    source = folder_of(spark, table)
    call = f"CALL ice.system.rewrite_table_path(table => '{table}', source_prefix => "
    for arguments, message in ((f"'/nowhere', target_prefix => '/x')", "does not start with"),
                               (f"'{source}', target_prefix => '{source}')", "cannot be the same"),
                               (f"'{source}', target_prefix => '/x', end_version => 'v9.metadata.json')", "v9.metadata.json"),
                               (f"'{source}', target_prefix => '/x', start_version => 'v9.metadata.json')", "v9.metadata.json"),
                               (f"'{source}', target_prefix => '/x', start_version => ' ')", r"Start version\(' '\) cannot be empty"),
                               (f"'{source}', target_prefix => '/x', staging_location => '')", "Staging location")):
        with pytest.raises(Exception, match=message):
            spark.sql(call + arguments)


@pytest.mark.parametrize("kind", ["vectors", "file", "partition", "partition orc", "partition avro"])
def test_a_table_with_deletes_moves(spark, namespace, tmp_path, kind):
    """What is deleted stays deleted where the table is copied to, first as a whole, then what has come since."""
    granularity, _, form = kind.partition(" ")
    properties = {"write.delete.mode": "merge-on-read", "write.update.mode": "merge-on-read"}
    properties |= {"format-version": "3"} if kind == "vectors" else {"write.delete.granularity": granularity}
    properties |= {"write.delete.format.default": form} if form else {}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    table = f"{namespace}.d"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, p BIGINT) USING iceberg PARTITIONED BY (p) TBLPROPERTIES ({listed})")
    for _ in range(2):
        spark.sql(f"INSERT INTO {table} SELECT id, id % 2 FROM range(10)")
    spark.sql(f"DELETE FROM {table} WHERE id IN (3, 4, 5)")
    spark.sql(f"UPDATE {table} SET id = 100 WHERE id = 7")
    source, target, copied = folder_of(spark, table), tmp_path / "a longer name of a folder" / "d", set()

    def move(version, **more):
        """Copies what the file list says; the table there is at `version`. How many files of deletes were rewritten."""
        staging = tmp_path / f"staging{version}"
        arguments = "".join(f", {key} => '{value}'" for key, value in more.items())
        found = spark.sql(f"CALL ice.system.rewrite_table_path(table => '{table}', source_prefix => '{source}', target_prefix => "
                          f"'{target}', staging_location => '{staging}'{arguments})").first()
        assert found.latest_version == f"v{version}.metadata.json"
        for line in Path(found.file_list_location).read_text().splitlines():
            here, there = line.split(",")
            assert there not in copied and there.startswith(str(target) + "/")
            assert here.startswith(str(staging) if "/metadata/" in there or "-deletes" in Path(there).name else str(source))
            copied.add(there)
            Path(there).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)
        (target / "metadata" / "version-hint.text").write_text(str(version))
        return found.rewritten_delete_file_paths_count

    deletes = spark.table(f"{table}.delete_files").count()
    before = spark.table(f"{table}.snapshots").orderBy("committed_at").collect()
    assert deletes > 0 and move(5) >= deletes
    rows = sorted(tuple(r) for r in spark.table(table).collect())
    # Nothing of the table in its first place is read.
    hidden = Path(source).rename(tmp_path / "hidden")
    moved = spark.read.format("iceberg").load(str(target))
    assert sorted(tuple(r) for r in moved.collect()) == rows and len(rows) == 14
    for n, snapshot in enumerate(before):
        read = spark.read.format("iceberg").option("snapshot-id", snapshot.snapshot_id).load(str(target))
        assert read.count() == [10, 20, 14, 14][n]
    hidden.rename(source)
    # What has come since.
    spark.sql(f"DELETE FROM {table} WHERE id = 8")
    spark.sql(f"INSERT INTO {table} VALUES (200, 1)")
    assert move(7, start_version="v5.metadata.json") > 0
    rows = sorted(tuple(r) for r in spark.table(table).collect())
    hidden = Path(source).rename(tmp_path / "hidden")
    assert sorted(tuple(r) for r in spark.read.format("iceberg").load(str(target)).collect()) == rows and len(rows) == 13


@pytest.mark.ours  # Spark's own catalog takes no Iceberg tables
def test_purge_of_a_table_elsewhere(spark, tmp_path):
    """What the table's metadata names goes, whatever else lies beside it stays; without PURGE all stays."""
    for purge in (False, True):
        folder = tmp_path / f"t{purge}"
        spark.sql(f"CREATE TABLE spark_catalog.default.elsewhere (a INT) USING iceberg LOCATION '{folder}'")
        for value in (1, 2):
            spark.sql(f"INSERT INTO spark_catalog.default.elsewhere VALUES ({value})")
        (folder / "note.txt").write_text("mine")
        before = {p for p in folder.rglob("*") if p.is_file()}
        assert len(before) > 8
        spark.sql("DROP TABLE spark_catalog.default.elsewhere" + (" PURGE" if purge else ""))
        left = {p for p in folder.rglob("*") if p.is_file()}
        assert left == ({folder / "note.txt"} if purge else before)
    # The place is free again.
    spark.sql(f"CREATE TABLE spark_catalog.default.elsewhere (a INT) USING iceberg LOCATION '{folder}'")
    assert spark.table("spark_catalog.default.elsewhere").count() == 0
    spark.sql("ALTER TABLE spark_catalog.default.elsewhere SET TBLPROPERTIES ('gc.enabled' = 'false')")
    with pytest.raises(Exception, match="GC is disabled"):
        spark.sql("DROP TABLE spark_catalog.default.elsewhere PURGE")
    spark.sql("DROP TABLE spark_catalog.default.elsewhere")


def test_compressed_metadata(spark, namespace):
    import gzip

    table = f"{namespace}.z"
    spark.sql(f"CREATE TABLE {table} (a INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec' = 'gzip')")
    spark.sql(f"INSERT INTO {table} VALUES (1)")
    folder = folder_of(spark, table) / "metadata"
    names = sorted(p.name for p in folder.glob("v*.json"))
    assert names == ["v1.gz.metadata.json", "v2.gz.metadata.json"]
    text = gzip.decompress((folder / names[1]).read_bytes())
    assert json.loads(text)["properties"]["write.metadata.compression-codec"] == "gzip"
    assert spark.table(table).count() == 1
    assert spark.sql(f"SELECT count(*) FROM {table}.metadata_log_entries").first()[0] == 2
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.compression-codec' = 'none')")
    spark.sql(f"INSERT INTO {table} VALUES (2)")
    assert (folder / "v4.metadata.json").read_bytes()[:1] == b"{"
    assert spark.table(table).count() == 2
    with pytest.raises(Exception, match="Invalid codec name: lzma"):
        spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.compression-codec' = 'lzma')")
        spark.sql(f"INSERT INTO {table} VALUES (3)")
