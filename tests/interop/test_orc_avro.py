"""ORC and Avro data files: plain folders and Iceberg tables, read by pyarrow and PyIceberg, and the other way round."""
import datetime
import decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.orc as orc
import pytest
from pyiceberg.avro.file import AvroFile
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from tables import rows_as_pyiceberg, rows_by_pyiceberg, table_folder

UTC = datetime.timezone.utc
KINDS = """b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, m5 DECIMAL(5,2), m18 DECIMAL(18,6), m38 DECIMAL(38,10), day DATE,
  t TIMESTAMP, n TIMESTAMP_NTZ, s STRING, y BINARY, a ARRAY<INT>, k MAP<STRING,BIGINT>, km MAP<INT,STRING>,
  r STRUCT<x: INT, z: STRUCT<q: DATE, w: ARRAY<STRUCT<e: STRING>>>>"""
VALUES = [
    """true, 2147483647, 9223372036854775807, 3.25, 1.5e300, 123.45, 123456789012.123456, 1234567890123456789012345678.0123456789,
       DATE '9999-12-31', TIMESTAMP '2024-02-29 01:02:03.123456', TIMESTAMP_NTZ '1969-12-31 23:59:59', 'ü€😀', X'00FF10',
       array(1, NULL, -3), map('k', 5L, 'n', NULL), map(1, 'x', 2, NULL),
       named_struct('x', 1, 'z', named_struct('q', DATE '1582-10-15', 'w', array(named_struct('e', 'deep'), NULL)))""",
    """false, -2147483648, -9223372036854775808, float('-Infinity'), double('-0.0'), -999.99, -0.000001, -0.0000000001,
       DATE '0001-01-01', TIMESTAMP '1960-01-01 00:00:00', TIMESTAMP_NTZ '2200-01-01 00:00:00', '', X'', array(), map(), map(),
       named_struct('x', NULL, 'z', NULL)""",
    ", ".join(["NULL"] * 17),
]
ALL = "(" + "), (".join(VALUES) + ")"


def rows(spark, query):
    return sorted((tuple(r.asDict(True).values()) for r in spark.sql(query).collect()), key=str)


def files(folder, extension):
    return sorted(str(p) for p in Path(folder).rglob(f"*.{extension}"))


def split(kinds):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(kinds):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(kinds[start:i].strip())
            start = i + 1
    return parts + [kinds[start:].strip()]


def source(spark):
    columns = split(KINDS)
    names = [c.split()[0] for c in columns]
    frame = spark.sql(f"SELECT * FROM VALUES {ALL} AS v({', '.join(names)})")
    return frame.selectExpr(*[f"CAST({n} AS {c.split(None, 1)[1]}) AS {n}" for n, c in zip(names, columns)])


@pytest.mark.parametrize("codec", ["zstd", "snappy", "zlib", "lz4", "none"])
def test_orc_files_of_every_type(spark, tmp_path, codec):
    folder = str(tmp_path / "t")
    source(spark).write.orc(folder, compression=codec)
    (file,) = files(folder, "orc")
    assert file.endswith(".orc" if codec == "none" else f".{codec}.orc")
    found = spark.read.orc(folder)
    assert found.schema.simpleString() == source(spark).schema.simpleString()
    assert sorted(map(str, found.collect())) == sorted(map(str, source(spark).collect()))
    theirs = orc.ORCFile(file)
    assert theirs.compression == {"none": "UNCOMPRESSED"}.get(codec, codec.upper())
    (row,) = theirs.read().filter(compute.field("i") == 2147483647).to_pylist()
    assert row["m38"] == decimal.Decimal("1234567890123456789012345678.0123456789") and row["day"] == datetime.date(9999, 12, 31)
    assert row["t"] == datetime.datetime(2024, 2, 29, 1, 2, 3, 123456) and row["y"] == b"\x00\xff\x10" and row["s"] == "ü€😀"
    assert row["a"] == [1, None, -3] and row["k"] == [("k", 5), ("n", None)] and row["r"]["z"]["w"] == [{"e": "deep"}, None]


def test_orc_files_of_pyarrow(spark, tmp_path):
    table = pa.table({
        "i8": pa.array([1, None, -3], pa.int8()), "i64": pa.array([1 << 40, 2, None], pa.int64()), "s": ["a", None, "ü"],
        "m": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal128(12, 2)),
        "day": pa.array([datetime.date(1969, 7, 20), None, datetime.date(2024, 2, 29)]),
        "instant": pa.array([datetime.datetime(2024, 1, 1, 1, 2, 3, tzinfo=UTC), None, datetime.datetime(1970, 1, 1, tzinfo=UTC)]),
        "l": pa.array([[1, 2], None, []], pa.list_(pa.int32())),
        "st": pa.array([{"x": 1, "y": "q"}, None, {"x": None, "y": None}], pa.struct([("x", pa.int32()), ("y", pa.string())])),
    })
    for codec in ["uncompressed", "snappy", "zlib", "zstd", "lz4"]:
        orc.write_table(table, str(tmp_path / f"{codec}.orc"), compression=codec, stripe_size=1 << 16)
    found = spark.read.orc(str(tmp_path / "zlib.orc"))
    assert found.schema.simpleString() == ("struct<i8:tinyint,i64:bigint,s:string,m:decimal(12,2),day:date,instant:timestamp,"
                                           "l:array<int>,st:struct<x:int,y:string>>")
    assert [r.asDict(True) for r in found.collect()][0] == {
        "i8": 1, "i64": 1 << 40, "s": "a", "m": decimal.Decimal("1.50"), "day": datetime.date(1969, 7, 20),
        "instant": datetime.datetime(2024, 1, 1, 1, 2, 3), "l": [1, 2], "st": {"x": 1, "y": "q"}}
    assert spark.read.orc([str(tmp_path / "snappy.orc"), str(tmp_path / "lz4.orc")]).count() == 6
    everything = spark.read.format("orc").load(str(tmp_path / "*.orc"))
    assert everything.count() == 15 and everything.where("i64 > 1000 AND s = 'a'").count() == 5
    assert everything.select("st.y").where("st.y IS NOT NULL").count() == 5


def test_old_dates_and_local_timestamps_are_kept_as_spark_keeps_them(spark, tmp_path):
    folder = str(tmp_path / "old")
    frame = spark.sql("SELECT DATE '1582-01-01' AS d, array(DATE '1000-02-28', DATE '1582-10-15') AS l, TIMESTAMP_NTZ '0001-01-01 00:00:00.5' AS n")
    frame.write.orc(folder)
    assert spark.read.orc(folder).collect() == frame.collect()
    (row,) = orc.ORCFile(files(folder, "orc")[0]).read().to_pylist()
    assert row["d"] == datetime.date(1582, 1, 11) and row["l"] == [datetime.date(1000, 3, 5), datetime.date(1582, 10, 15)]
    assert row["n"] == -62135596799500000


def test_many_stripes_in_order_and_pruned_columns(spark, tmp_path):
    count = 200_000
    table = pa.table({"id": pa.array(range(count), pa.int64()), "text": [f"row {i}" for i in range(count)], "n": pa.array([i % 7 for i in range(count)], pa.int32())})
    with orc.ORCWriter(str(tmp_path / "big.orc"), stripe_size=64 * 1024, batch_size=1024, compression="zstd") as writer:
        writer.write(table)
    assert orc.ORCFile(str(tmp_path / "big.orc")).nstripes > 1
    found = spark.read.orc(str(tmp_path / "big.orc"))
    assert found.count() == count
    (row,) = found.selectExpr("sum(id)", "count(DISTINCT text)", "max(n)").collect()
    assert tuple(row) == (count * (count - 1) // 2, count, 6)
    assert [r[0] for r in found.where("id BETWEEN 150000 AND 150002").select("text").collect()] == ["row 150000", "row 150001", "row 150002"]
    assert [r[0] for r in found.select("id").limit(3).collect()] == [0, 1, 2]
    about = found.where("id = 7").select("_metadata").collect()[0][0].asDict()
    assert about["file_name"] == "big.orc" and about["file_size"] == (tmp_path / "big.orc").stat().st_size and "row_index" not in about


def test_partition_folders_modes_and_tables(spark, namespace, tmp_path):
    folder = str(tmp_path / "p")
    frame = spark.createDataFrame([(1, "a", "x"), (2, "b", "y"), (3, "c", "x")], "id long, v string, p string")
    frame.write.partitionBy("p").orc(folder)
    assert [Path(f).parent.name for f in files(folder, "orc")] == ["p=x", "p=y"]
    assert rows(spark, f"SELECT id FROM orc.`{folder}` WHERE p = 'x'") == [(1,), (3,)]
    frame.limit(1).write.mode("append").partitionBy("p").orc(folder)
    assert spark.read.orc(folder).count() == 4
    frame.limit(1).write.mode("overwrite").partitionBy("p").orc(folder)
    assert rows(spark, f"SELECT id, v, p FROM orc.`{folder}`") == [(1, "a", "x")]
    assert spark.read.schema("v string, other int, p string").orc(folder).collect()[0].asDict() == {"v": "a", "other": None, "p": "x"}


def test_merged_schemas(spark, tmp_path):
    folder = str(tmp_path / "m")
    spark.sql("SELECT 1 AS a").write.orc(folder)
    spark.sql("SELECT 2 AS a, 'x' AS b").write.mode("append").orc(folder)
    found = spark.read.option("mergeSchema", "true").orc(folder)
    assert sorted(found.columns) == ["a", "b"]
    assert sorted(tuple(r) for r in found.select("a", "b").collect()) == [(1, None), (2, "x")]


@pytest.mark.parametrize("codec", ["snappy", "deflate", "zstandard", "uncompressed"])
def test_avro_files_of_every_type(spark, tmp_path, codec):
    folder = str(tmp_path / "t")
    frame = source(spark).drop("km")  # Spark's Avro files have maps of strings alone.
    frame.write.format("avro").option("compression", codec).save(folder)
    found = spark.read.format("avro").load(folder)
    assert found.schema.simpleString() == frame.schema.simpleString()
    assert sorted(map(str, found.collect())) == sorted(map(str, frame.collect()))


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("form", ["orc", "avro"])
def test_iceberg_tables_of_every_type(spark, namespace, form, version):
    table = f"{namespace}.kinds"
    spark.sql(f"CREATE TABLE {table} ({KINDS}) USING iceberg TBLPROPERTIES ('format-version'='{version}', 'write.format.default'='{form}')")
    assert rows(spark, f"SELECT * FROM {table}") == []
    spark.sql(f"INSERT INTO {table} VALUES {ALL}")
    assert rows(spark, f"SELECT file_format, record_count FROM {table}.files") == [(form.upper(), 3)]
    expected = sorted(map(str, source(spark).collect()))
    assert sorted(map(str, spark.table(table).collect())) == expected
    if form == "orc" and version < 3:  # PyIceberg does not read ORC's timestamps in tables of version 3.
        assert rows_by_pyiceberg(table_folder(spark, table)) == rows_as_pyiceberg(spark, f"SELECT * FROM {table}")
    if form == "orc":
        schema = orc.ORCFile(files(table_folder(spark, table), "orc")[0]).schema
        assert [int(f.metadata[b"iceberg.id"]) for f in schema] == list(range(1, 18))
        assert schema.field("t").type.tz == "UTC" and schema.field("n").type.tz is None


def test_avro_data_files_are_read_by_pyiceberg(spark, namespace):
    table = f"{namespace}.a"
    spark.sql(f"CREATE TABLE {table} (id BIGINT NOT NULL, `odd name` STRING) USING iceberg TBLPROPERTIES ('write.format.default'='avro')")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, NULL)")
    (file,) = files(Path(table_folder(spark, table)) / "data", "avro")
    wanted = Schema(NestedField(2, "odd", StringType(), required=False), NestedField(1, "number", LongType(), required=True))
    with AvroFile(PyArrowFileIO().new_input(file), wanted) as records:
        assert [(r[0], r[1]) for r in records] == [("a", 1), (None, 2)]


LIFE = [
    "INSERT INTO {t} SELECT id, concat('v', id), CAST(id AS DECIMAL(10,2)) / 4, CAST(id AS INT), CAST(id AS FLOAT) FROM range(20)",
    "DELETE FROM {t} WHERE id IN (3, 4)",
    "UPDATE {t} SET v = 'changed' WHERE id % 5 = 0",
    "ALTER TABLE {t} RENAME COLUMN v TO label",
    "ALTER TABLE {t} ADD COLUMN extra STRUCT<a: INT, b: STRING>",
    "ALTER TABLE {t} ALTER COLUMN n TYPE BIGINT",
    "ALTER TABLE {t} ALTER COLUMN f TYPE DOUBLE",
    "ALTER TABLE {t} ALTER COLUMN m TYPE DECIMAL(20,2)",
    "INSERT INTO {t} VALUES (100, 'x', 123456789012.5, 1L << 40, 1.5, named_struct('a', 1, 'b', 'z'))",
    "ALTER TABLE {t} DROP COLUMN m",
    "ALTER TABLE {t} ADD COLUMN m STRING",
    "ALTER TABLE {t} ADD PARTITION FIELD bucket(3, id)",
    "INSERT INTO {t} (id, m) VALUES (200, 'new'), (201, NULL)",
    "MERGE INTO {t} USING (SELECT id FROM range(18, 22)) s ON {t}.id = s.id WHEN MATCHED THEN UPDATE SET label = 'merged' WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
    "DELETE FROM {t} WHERE label = 'v7' OR id = 201",
]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("form", ["orc", "avro"])
def test_the_life_of_a_table_is_that_of_a_parquet_table(spark, namespace, form, mode, version):
    tables = {}
    for kind in (form, "parquet"):
        table = tables[kind] = f"{namespace}.{kind}"
        modes = ", ".join(f"'write.{what}.mode'='{mode}'" for what in ("delete", "update", "merge"))
        spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, m DECIMAL(10,2), n INT, f FLOAT) USING iceberg "
                  f"TBLPROPERTIES ('format-version'='{version}', 'write.format.default'='{kind}', {modes})")
    for statement in LIFE:
        for table in tables.values():
            spark.sql(statement.format(t=table))
        assert rows(spark, f"SELECT * FROM {tables[form]}") == rows(spark, f"SELECT * FROM {tables['parquet']}"), statement
    formats = {r[0] for r in rows(spark, f"SELECT file_format FROM {tables[form]}.all_files")}
    assert formats == ({form.upper(), "PUFFIN"} if mode == "merge-on-read" and version == 3 else {form.upper()})
    conditions = ["id = 100", "label = 'changed'", "n > 15", "f < 2", "extra.a = 1", "m IS NULL", "id IN (1, 200)"]
    for condition in conditions:
        assert rows(spark, f"SELECT id FROM {tables[form]} WHERE {condition}") == rows(spark, f"SELECT id FROM {tables['parquet']} WHERE {condition}")
    if form == "orc" and not (mode == "merge-on-read" and version == 3):
        assert rows_by_pyiceberg(table_folder(spark, tables[form])) == rows_as_pyiceberg(spark, f"SELECT * FROM {tables[form]}")


def test_files_of_three_formats_in_one_table(spark, namespace):
    table = f"{namespace}.mixed"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING) USING iceberg")
    for n, form in enumerate(["parquet", "orc", "avro"]):
        spark.sql(f"SELECT {n} AS id, '{form}' AS v").selectExpr("CAST(id AS BIGINT) AS id", "v").writeTo(table).option("write-format", form).append()
    assert rows(spark, f"SELECT * FROM {table}") == [(0, "parquet"), (1, "orc"), (2, "avro")]
    assert rows(spark, f"SELECT count(*) FROM {table} WHERE id >= 1") == [(2,)]
    assert rows(spark, f"SELECT id, _pos FROM {table}") == [(0, 0), (1, 0), (2, 0)]
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    assert rows(spark, f"SELECT v FROM {table}") == [("avro",), ("parquet",)]


@pytest.mark.parametrize("form", ["orc", "avro"])
def test_add_files_without_ids(spark, namespace, tmp_path, form):
    folder = str(tmp_path / "plain")
    frame = spark.createDataFrame([(1, "a", "x"), (2, "b", "y")], "id long, v string, p string")
    frame.write.partitionBy("p").format(form).save(folder)
    table = f"{namespace}.added"
    catalog = table.split(".")[0]
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING, p STRING) USING iceberg PARTITIONED BY (p)")
    found = spark.sql(f"CALL {catalog}.system.add_files(table => '{table}', source_table => '`{form}`.`{folder}`')").collect()[0]
    assert found["added_files_count"] == 2
    assert rows(spark, f"SELECT * FROM {table}") == [(1, "a", "x"), (2, "b", "y")]
    assert rows(spark, f"SELECT DISTINCT file_format FROM {table}.files") == [(form.upper(),)]
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN v TO w")
    assert rows(spark, f"SELECT w FROM {table} WHERE id = 2") == [("b",)]


def test_metrics_prune_orc_files(spark, namespace):
    table = f"{namespace}.pruned"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, d DOUBLE) USING iceberg TBLPROPERTIES ('write.format.default'='orc')")
    spark.sql(f"INSERT INTO {table} VALUES (1, 1.5), (2, double('NaN')), (3, NULL)")
    (found,) = spark.sql(f"SELECT value_counts, null_value_counts, nan_value_counts, readable_metrics FROM {table}.files").collect()
    assert found["value_counts"] == {1: 3, 2: 3} and found["null_value_counts"] == {1: 0, 2: 1} and found["nan_value_counts"] == {2: 1}
    assert (found["readable_metrics"]["id"]["lower_bound"], found["readable_metrics"]["id"]["upper_bound"]) == (1, 3)


def refused(action, text):
    with pytest.raises(Exception) as caught:
        action()
    assert text in str(caught.value), str(caught.value)


def test_what_orc_cannot_hold_is_refused_by_name(spark, tmp_path):
    early = spark.sql("SELECT TIMESTAMP '1960-01-01 00:00:00.5' AS t")
    refused(lambda: early.write.orc(str(tmp_path / "a")), "before 1970")
    orc.write_table(pa.table({"t": pa.array([datetime.datetime(9999, 1, 1)], pa.timestamp("us"))}), str(tmp_path / "late.orc"))
    refused(lambda: spark.read.orc(str(tmp_path / "late.orc")).collect(), "FAILED_READ_FILE")
    (tmp_path / "no.orc").write_bytes(b"nothing of the kind")
    refused(lambda: spark.read.orc(str(tmp_path / "no.orc")).schema, "FAILED_READ_FILE")
    refused(lambda: spark.sql("SELECT INTERVAL 1 DAY AS i").write.format("avro").save(str(tmp_path / "b")), "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")
    refused(lambda: spark.range(1).write.orc(str(tmp_path / "c"), compression="brotli"), "CODEC_NOT_AVAILABLE")


def test_options_of_spark_avro_that_are_not_followed_are_refused_by_name(spark, tmp_path):
    frame, place = spark.range(2), str(tmp_path / "a")
    frame.write.option("recordName", "topLevelRecord").option("datetimeRebaseMode", "CORRECTED").format("avro").save(place)
    schema = '{"type": "record", "name": "r", "fields": [{"name": "other", "type": ["null", "long"], "default": null}]}'
    for key, value in (("avroSchema", schema), ("avroSchemaUrl", place), ("recordName", "r"), ("recordNamespace", "n"), ("ignoreExtension", "false"),
                       ("positionalFieldMatching", "true"), ("enableStableIdentifiersForUnionType", "true"), ("stableIdentifierPrefixForUnionType", "x"),
                       ("recursiveFieldMaxDepth", "3"), ("datetimeRebaseMode", "LEGACY")):
        for run in (lambda: spark.read.format("avro").option(key, value).load(place).collect(),
                    lambda: frame.write.format("avro").option(key, value).save(str(tmp_path / "b"))):
            with pytest.raises(Exception, match=f"UNSUPPORTED_FEATURE.*the Avro option {key}"):
                run()
    assert spark.read.format("avro").option("ignoreExtension", "true").load(place).count() == 2
