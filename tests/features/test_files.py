"""Files as sources and sinks: Parquet, CSV, JSON, text; partition folders, schemas, save modes."""
import os
import uuid

import pyarrow
import pytest
from pyarrow import parquet
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F


def rows(frame):
    return sorted((tuple(r) for r in frame.collect()), key=str)


def test_parquet_with_partition_folders(spark, tmp_path):
    path = str(tmp_path / "p")
    spark.createDataFrame([(1, "a"), (2, "b"), (3, "a")], "id INT, k STRING").write.partitionBy("k").parquet(path)
    assert {p.name for p in (tmp_path / "p").iterdir() if p.is_dir()} == {"k=a", "k=b"}
    frame = spark.read.parquet(path)
    assert frame.columns == ["id", "k"]
    assert rows(frame.where("k = 'a'")) == [(1, "a"), (3, "a")]


def test_save_modes(spark, tmp_path):
    path = str(tmp_path / "m")
    spark.range(2).write.parquet(path)
    with pytest.raises(AnalysisException, match="PATH_ALREADY_EXISTS"):
        spark.range(2).write.parquet(path)
    spark.range(2).write.mode("ignore").parquet(path)
    assert spark.read.parquet(path).count() == 2
    spark.range(3).write.mode("append").parquet(path)
    assert spark.read.parquet(path).count() == 5
    spark.range(1).write.mode("overwrite").parquet(path)
    assert spark.read.parquet(path).count() == 1


def test_csv(spark, tmp_path):
    (tmp_path / "a.csv").write_text("id,name,day\n1,ann,2024-01-01\n2,,2024-01-02\n3,\"x, y\",\n")
    frame = spark.read.csv(str(tmp_path / "a.csv"), header=True, inferSchema=True)
    assert [(f.name, f.dataType.simpleString()) for f in frame.schema.fields] == [
        ("id", "int"), ("name", "string"), ("day", "date")]
    assert frame.where("id = 3").first()["name"] == "x, y"
    plain = spark.read.csv(str(tmp_path / "a.csv"))
    assert plain.columns == ["_c0", "_c1", "_c2"] and plain.count() == 4
    bad = spark.read.schema("id INT, name INT").option("header", True).csv(str(tmp_path / "a.csv"))
    assert rows(bad.select("name").where("id = 1")) == [(None,)]
    with pytest.raises(Exception, match="MALFORMED|FAILED_READ_FILE"):
        spark.read.schema("id INT, name INT").options(header=True, mode="FAILFAST").csv(str(tmp_path / "a.csv")).collect()


def test_json(spark, tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1, "b": {"c": [1, 2]}}\n{"a": null, "d": "x"}\nbroken\n')
    frame = spark.read.json(str(tmp_path / "a.json"))
    assert frame.columns == ["_corrupt_record", "a", "b", "d"]
    assert rows(frame.select("a", "b.c", "d").where("_corrupt_record IS NULL")) == [(1, [1, 2], None), (None, None, "x")]


@pytest.mark.parametrize("multi_line", [False, True])
def test_json_arrays(spark, tmp_path, multi_line):
    """The members of an array are rows; one that is no object spoils the record."""
    (tmp_path / "a.json").write_text('[{"a": 1}, {"a": 2}]' if multi_line else '[{"a": 1}, {"a": 2}]\n{"a": 3}\n[]\n[{}]\n')
    frame = spark.read.option("multiLine", multi_line).json(str(tmp_path / "a.json"))
    assert frame.columns == ["a"]
    assert rows(frame) == ([(1,), (2,)] if multi_line else [(1,), (2,), (3,), (None,)])
    assert frame.count() == (2 if multi_line else 4)


def test_json_arrays_that_do_not_fit(spark, tmp_path):
    lines = ['[{"a":4},5]', '[[{"a":6}]]', '[{"a":1},null]', '[{"a":1},{"a":"x"}]', "null", "5", '[{"a":7}']
    (tmp_path / "a.json").write_text("\n".join(lines))
    reader = spark.read.schema("a INT, _corrupt_record STRING")
    found = {(row.a, row._corrupt_record) for row in reader.json(str(tmp_path / "a.json")).collect()}
    assert found == {(None, line) for line in lines} | {(1, lines[3])}
    assert spark.read.schema("a INT").option("mode", "DROPMALFORMED").json(str(tmp_path / "a.json")).collect() == []
    assert spark.read.json(str(tmp_path / "a.json")).columns == ["_corrupt_record", "a"]


def test_text_and_several_paths(spark, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    assert rows(spark.read.text([str(tmp_path / "a.txt"), str(tmp_path / "b.txt")])) == [("a1",), ("a2",), ("b1",), ("b2",)]
    assert spark.read.text(str(tmp_path / "*.txt")).count() == 4


def test_a_path_that_is_not_there(spark, tmp_path):
    with pytest.raises(AnalysisException) as found:
        spark.read.parquet(str(tmp_path / "none")).collect()
    assert found.value.getCondition() == "PATH_NOT_FOUND"


@pytest.mark.ours
@pytest.mark.parametrize("content", [b"junk", b"", b"PAR1" + b"junk" * 9 + b"PAR1"])
def test_files_that_are_no_parquet(spark, tmp_path, content):
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(Exception) as found:
        spark.read.schema("a INT").parquet(str(tmp_path)).collect()
    assert found.value.getCondition() == "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER"


def test_a_column_of_another_type(spark, tmp_path):
    path = str(tmp_path / "q")
    spark.range(5).write.parquet(path)
    for other in ("DATE", "ARRAY<INT>"):
        with pytest.raises(Exception) as found:
            spark.read.schema(f"id {other}").parquet(path).collect()
        assert found.value.getCondition() == "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"


@pytest.mark.ours
def test_bytes_that_are_no_page(spark, tmp_path):
    spark.range(5).coalesce(1).write.parquet(str(tmp_path / "q"))
    (file,) = (tmp_path / "q").glob("*.parquet")
    content = bytearray(file.read_bytes())
    content[4:60] = b"\xff" * 56
    file.write_bytes(content)
    with pytest.raises(Exception) as found:
        spark.read.schema("id LONG").parquet(str(tmp_path / "q")).collect()
    assert found.value.getCondition().startswith("FAILED_READ_FILE")


def test_sql_on_files(spark, tmp_path):
    path = str(tmp_path / "q")
    spark.range(7).write.parquet(path)
    assert spark.sql(f"SELECT count(*) FROM parquet.`{path}`").first()[0] == 7


def test_json_and_csv_out(spark, tmp_path):
    frame = spark.createDataFrame([(1, "a,b", None)], "i INT, s STRING, n INT")
    frame.coalesce(1).write.csv(str(tmp_path / "c"), header=True)
    frame.coalesce(1).write.json(str(tmp_path / "j"))
    (csv,) = (tmp_path / "c").glob("*.csv")
    (json,) = (tmp_path / "j").glob("*.json")
    assert csv.read_text() == 'i,s,n\n1,"a,b",\n'
    assert json.read_text() == '{"i":1,"s":"a,b"}\n'


def test_the_file_of_a_row(spark, tmp_path):
    spark.range(1).coalesce(1).write.parquet(str(tmp_path / "f"))
    name = spark.read.parquet(str(tmp_path / "f")).select(F.input_file_name()).first()[0]
    assert name.startswith("file:///") and name.endswith(".parquet")


def test_codec_of_the_session(spark, tmp_path):
    spark.conf.set("spark.sql.parquet.compression.codec", "gzip")
    spark.range(3).write.parquet(str(tmp_path / "session"))
    spark.range(3).write.option("compression", "zstd").parquet(str(tmp_path / "option"))
    for name, codec in (("session", "GZIP"), ("option", "ZSTD")):
        (file,) = (tmp_path / name).glob("*.parquet")
        assert parquet.ParquetFile(file).metadata.row_group(0).column(0).compression == codec


WIDENED = [("tinyint", "int", 5), ("smallint", "bigint", 5), ("int", "bigint", 5), ("int", "double", 5.0), ("float", "double", 5.0),
           ("int", "decimal(12,2)", "5.00"), ("bigint", "decimal(22,2)", "5.00"), ("decimal(5,2)", "decimal(8,4)", "5.0000"),
           ("int", "smallint", 5), ("date", "timestamp_ntz", "2024-01-01 00:00:00")]
OTHERS = [("bigint", "int"), ("bigint", "string"), ("int", "string"), ("string", "int"), ("double", "float"), ("double", "int"), ("boolean", "int"),
          ("int", "boolean"), ("int", "float"), ("decimal(8,4)", "decimal(5,2)"), ("decimal(5,2)", "double"), ("timestamp", "date"), ("string", "date"),
          ("array<bigint>", "array<int>"), ("struct<a:bigint>", "struct<a:string>"), ("map<string,bigint>", "map<string,string>"), ("bigint", "array<bigint>")]
VALUES = {"date": "DATE '2024-01-01'", "timestamp": "TIMESTAMP '2024-01-01 00:00:00'", "boolean": "true", "string": "'5'",
          "array<bigint>": "array(5L)", "struct<a:bigint>": "named_struct('a', 5L)", "map<string,bigint>": "map('a', 5L)"}


@pytest.mark.parametrize("written, read, value", WIDENED)
def test_parquet_numbers_are_widened(spark, tmp_path, written, read, value):
    spark.sql(f"SELECT CAST({VALUES.get(written, '5')} AS {written}) AS c").write.parquet(str(tmp_path / "p"))
    (row,) = spark.read.schema(f"c {read}").parquet(str(tmp_path / "p")).collect()
    assert (row.c if isinstance(value, (int, float)) else str(row.c)) == value


@pytest.mark.parametrize("written, read", OTHERS)
def test_parquet_columns_of_another_type(spark, tmp_path, written, read):
    """Only columns that are read count."""
    spark.sql(f"SELECT CAST({VALUES.get(written, '5')} AS {written}) AS c, 1 AS k").write.parquet(str(tmp_path / "p"))
    frame = spark.read.schema(f"c {read}, k INT").parquet(str(tmp_path / "p"))
    assert [row.k for row in frame.select("k").collect()] == [1]
    with pytest.raises(Exception, match="FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH|ClassCast|FAILED_READ_FILE"):
        frame.collect()


def test_overwriting_the_table_that_is_read(spark):
    """Refused for tables."""
    spark.range(3).write.saveAsTable("spark_catalog.default.read_and_written")
    try:
        for run in (lambda: spark.sql("INSERT OVERWRITE spark_catalog.default.read_and_written SELECT id + 1 FROM spark_catalog.default.read_and_written"),
                    lambda: spark.table("spark_catalog.default.read_and_written").write.insertInto("spark_catalog.default.read_and_written", overwrite=True),
                    lambda: spark.table("spark_catalog.default.read_and_written").where("id > 1").write.mode("overwrite").saveAsTable("spark_catalog.default.read_and_written")):
            with pytest.raises(AnalysisException, match="UNSUPPORTED_OVERWRITE.TABLE"):
                run()
            assert spark.table("spark_catalog.default.read_and_written").count() == 3
        spark.sql("INSERT OVERWRITE spark_catalog.default.read_and_written SELECT id FROM range(5)")
        assert spark.table("spark_catalog.default.read_and_written").count() == 5
    finally:
        spark.sql("DROP TABLE spark_catalog.default.read_and_written")


@pytest.mark.ours  # Spark deletes the files and then misses them
def test_overwriting_the_folder_that_is_read(spark, tmp_path):
    path = str(tmp_path / "p")
    spark.range(100_000).write.parquet(path)
    spark.read.parquet(path).selectExpr("id + 1 AS id").write.mode("overwrite").parquet(path)
    assert spark.read.parquet(path).selectExpr("count(*)", "min(id)", "max(id)").first()[:] == (100_000, 1, 100_000)


def test_rows_for_a_table_that_is_another(spark):
    """saveAsTable in the mode append says what the table is, and is wrong."""
    frame = spark.createDataFrame([(1, "a", 1.5)], "id INT, k STRING, v DOUBLE")
    name = "spark_catalog.default.appended"
    frame.write.partitionBy("id").format("json").saveAsTable(name)

    def append(rows, format_name="json", *columns):
        writer = rows.write.mode("append").partitionBy(*columns)
        (writer.format(format_name) if format_name else writer).saveAsTable(name)

    try:
        for condition, run in (
                ("1159|doesn't match the specified format", lambda: append(frame, "csv", "id")),
                ("1159|doesn't match the specified format", lambda: append(frame, None, "id")),
                ("1161|doesn't match the data schema", lambda: append(frame.select("id"), "json", "id")),
                ("1161|doesn't match the data schema", lambda: append(frame.selectExpr("*", "1 AS z"), "json", "id")),
                ("1162|Cannot resolve 'k' given input columns", lambda: append(frame.withColumnRenamed("k", "q"), "json", "id")),
                ("1163|partitioning does not match", lambda: append(frame, "json", "k")),
                ("1163|partitioning does not match", lambda: append(frame, "json"))):
            with pytest.raises(AnalysisException, match=condition):
                run()
        assert spark.table(name).count() == 1
        append(frame.selectExpr("V", "ID", "k"), "json", "ID")
        assert rows(spark.table(name)) == [("a", 1.5, 1), ("a", 1.5, 1)]
    finally:
        spark.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize("keep_time", [False, True])
def test_a_parquet_file_that_is_written_anew_in_place(spark, tmp_path, keep_time):
    """The same size and second, as other programs leave it: nothing of the old file's statistics may be believed."""
    path = tmp_path / "changing.parquet"
    for round_ in range(1, 6):
        parquet.write_table(pyarrow.table({"a": pyarrow.array([round_] * 1000, pyarrow.int64())}), path, compression="none", use_dictionary=False)
        if keep_time:
            os.utime(path, (1_500_000_000, 1_500_000_000))
        frame = spark.read.parquet(str(path))
        assert [frame.filter(f"a = {n}").count() for n in range(1, 6)] == [1000 if n == round_ else 0 for n in range(1, 6)]
        assert frame.selectExpr("min(a)", "max(a)", "count(*)").first()[:] == (round_, round_, 1000)


def files_of(folder):
    return sorted(p for p in folder.rglob("part-*"))


def test_repartition_says_how_many_files_a_write_makes(spark, tmp_path):
    def write(name, frame, **partitioning):
        writer = frame.write
        if partitioning:
            writer = writer.partitionBy(partitioning["by"])
        writer.parquet(str(tmp_path / name))
        return [parquet.read_table(path).to_pydict() for path in files_of(tmp_path / name)]

    frame = spark.range(1000).selectExpr("id", "id % 7 AS k")
    assert [len(file["id"]) for file in write("turns", frame.repartition(4))] == [250] * 4
    assert len(write("kept", frame.repartition(4).where("id >= 0").selectExpr("id + 1 AS n", "k"))) == 4
    by_key = write("keys", frame.repartition(3, "k"))
    assert 1 < len(by_key) <= 3 and sum(len(file["id"]) for file in by_key) == 1000
    seen = [set(file["k"]) for file in by_key]
    assert sum(map(len, seen)) == 7  # Each key lies in one file.
    assert len(write("one", frame.repartition(4).coalesce(1))) == 1
    assert len(write("few", spark.range(2).repartition(5))) == 2
    assert len(write("folders", frame.repartition(2), by="k")) == 14
    assert len(write("grouped", frame.repartition(4).groupBy("k").count())) == 1
    frame.repartition(3).write.json(str(tmp_path / "lines"))
    assert len(files_of(tmp_path / "lines")) == 3 and spark.read.json(str(tmp_path / "lines")).count() == 1000
    frame.repartition(3).write.format("delta").save(str(tmp_path / "delta"))
    assert len(files_of(tmp_path / "delta")) == 3


def test_repartition_and_iceberg(spark, namespace):
    frame = spark.range(100).selectExpr("id", "id % 2 AS k")
    frame.repartition(4).writeTo(f"{namespace}.spread").using("iceberg").create()
    assert spark.table(f"{namespace}.spread.files").count() == 4 and spark.table(f"{namespace}.spread").count() == 100
    # A partitioned table says itself how rows lie.
    frame.repartition(4).writeTo(f"{namespace}.spread_by_k").using("iceberg").partitionedBy(F.col("k")).create()
    assert spark.table(f"{namespace}.spread_by_k.files").count() == 2


def test_partition_folders_have_the_types_that_all_their_values_have(spark, tmp_path):
    for number, (texts, type_name, read) in enumerate([
            (["+5", "007"], "int", ["5", "7"]), (["1", "1.5"], "double", ["1.0", "1.5"]), (["9999999999", "1.5"], "string", ["1.5", "9999999999"]),
            (["1", "99999999999999999999"], "decimal(20,0)", ["1", "99999999999999999999"]), (["NaN", "1d"], "double", ["1.0", "NaN"]),
            (["2026-01-31"], "date", ["2026-01-31"]), (["2026-01-31 xyz"], "string", ["2026-01-31 xyz"]),
            (["2026-01-31 06%3A02%3A07.089"], "string", ["2026-01-31 06:02:07.089"]),
            (["2026-01-31", "2026-01-31 06%3A02%3A07.5"], "timestamp", ["2026-01-31 00:00:00", "2026-01-31 06:02:07.5"]),
            (["06%3A02%3A07"], "time(6)", ["06:02:07"]), (["__HIVE_DEFAULT_PARTITION__"], "void", ["None"])]):
        for text in texts:
            folder = tmp_path / str(number) / f"p={text}"
            folder.mkdir(parents=True)
            (folder / "x.txt").write_text("1\n")
        df = spark.read.text(str(tmp_path / str(number)))
        assert df.dtypes[1] == ("p", type_name), texts
        assert sorted(str(row[0]) for row in df.selectExpr("CAST(p AS STRING)").collect()) == read


def test_timestamps_in_partition_folders_are_local(spark, new_session, tmp_path):
    local = new_session({"spark.sql.session.timeZone": "America/Los_Angeles"})
    local.sql("SELECT 1 AS a, TIMESTAMP'2026-07-01 10:00:00.5' AS t").write.partitionBy("t").parquet(str(tmp_path / "t"))
    assert local.read.parquet(str(tmp_path / "t")).selectExpr("CAST(t AS STRING)", "unix_millis(t)").collect() == [("2026-07-01 10:00:00.5", 1782925200500)]
    assert spark.read.parquet(str(tmp_path / "t")).selectExpr("unix_millis(t)").collect() == [(1782900000500,)]
    zoned = spark.read.option("timeZone", "America/Los_Angeles").parquet(str(tmp_path / "t"))
    assert zoned.selectExpr("unix_millis(t)").collect() == [(1782925200500,)]


def test_timestamps_that_partition_a_table_are_local(new_session):
    local = new_session({"spark.sql.session.timeZone": "America/Los_Angeles"})
    name = f"spark_catalog.default.local_{uuid.uuid4().hex[:8]}"
    local.sql(f"CREATE TABLE {name} (a INT, t TIMESTAMP) USING parquet PARTITIONED BY (t)")
    local.sql(f"INSERT INTO {name} VALUES (1, TIMESTAMP'2026-07-01 10:00:00'), (2, NULL)")
    assert local.sql(f"SELECT a, CAST(t AS STRING) FROM {name} WHERE t = TIMESTAMP'2026-07-01 10:00:00'").collect() == [(1, "2026-07-01 10:00:00")]
    local.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize("type_name, value, kept", [
    ("DATE", "'2026-01-01'", "2026-01-01"), ("DATE", "TIMESTAMP'2026-01-01 01:00:00'", "2026-01-01"), ("TIMESTAMP", "'2026-01-01 01:02:03'", "2026-01-01 01:02:03"),
    ("INT", "'5'", "5"), ("BIGINT", "'7'", "7"), ("DOUBLE", "'1.5'", "1.5"), ("STRING", "5", "5"), ("BOOLEAN", "'true'", "true"),
    ("DECIMAL(5, 2)", "'1.555'", "1.56"), ("DATE", "NULL", None), ("INT", "5.5", "CAST_INVALID_INPUT"), ("INT", "'x'", "CAST_INVALID_INPUT"),
    ("TINYINT", "300", "CAST_INVALID_INPUT"), ("INT", "true", "CAST_INVALID_INPUT"), ("DECIMAL(5, 2)", "12345.6", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION")])
def test_constants_of_partitions_are_texts(spark, type_name, value, kept):
    name = f"spark_catalog.default.texts_{uuid.uuid4().hex[:8]}"
    spark.sql(f"CREATE TABLE {name} (a INT, p {type_name}) USING parquet PARTITIONED BY (p)")
    for verb in ("INTO", "OVERWRITE"):
        insert = f"INSERT {verb} {name} PARTITION (p = {value}) SELECT 1"
        if kept is not None and kept.isupper():
            with pytest.raises(PySparkException) as refused:
                spark.sql(insert)
            assert refused.value.getCondition() == kept
        else:
            spark.sql(insert)
            assert spark.sql(f"SELECT a, CAST(p AS STRING) FROM {name}").collect() == [(1, kept)]
    spark.sql(f"DROP TABLE {name}")
