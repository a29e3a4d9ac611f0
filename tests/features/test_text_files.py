"""CSV, JSON and text as Spark's readers and writers see them: cells, blanks, inferred types, bytes that are no text, names of files."""
import re

import pytest
from pyspark.sql import functions as F


def put(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def types(frame):
    return [f.dataType.simpleString() for f in frame.schema.fields]


def tuples(frame):
    return [tuple(row) for row in frame.collect()]


@pytest.mark.parametrize("options, found", [
    ({}, (1, None, None)),
    ({"emptyValue": "EMPTY", "nullValue": "x"}, (1, "EMPTY", None)),
    ({"nullValue": "x"}, (1, "", None)),
    ({"emptyValue": "EMPTY"}, (1, "EMPTY", None)),
])
def test_empty_cells_in_quotes(spark, tmp_path, options, found):
    path = put(tmp_path / "a.csv", '1,"",\n')
    assert tuples(spark.read.schema("a INT, b STRING, c STRING").options(**options).csv(path)) == [found]


@pytest.mark.parametrize("escape, cell, found", [
    ("\\", '"x ""q"" y"', '"x ""q"" y"'),
    ('"', '"x ""q"" y"', 'x "q" y'),
    ("\\", '"x \\"q\\" y"', 'x "q" y'),
    ("\\", '"a\\\\b"', "a\\b"),
    ("\\", '"a" b', '"a" b'),
    ("\\", '"a"  ', "a"),
    ("\\", 'a"b', 'a"b'),
])
def test_quotes_in_cells(spark, tmp_path, escape, cell, found):
    path = put(tmp_path / "a.csv", f"1,{cell},2\n")
    assert tuples(spark.read.option("escape", escape).csv(path)) == [("1", found, "2")]


@pytest.mark.parametrize("type_name", ["INT", "BIGINT", "DECIMAL(5,2)", "BOOLEAN"])
def test_blanks_around_values(spark, tmp_path, type_name):
    """Only fractions may stand between blanks."""
    value = "true" if type_name == "BOOLEAN" else "4"
    path = put(tmp_path / "a.csv", f"{value}\n {value} \n")
    read = spark.read.schema(f"a {type_name}, _corrupt_record STRING").csv(path)
    assert [(row.a is None, row._corrupt_record) for row in read.collect()] == [(False, None), (True, f" {value} ")]
    assert spark.read.schema(f"a {type_name}").option("mode", "DROPMALFORMED").csv(path).count() == 1
    with pytest.raises(Exception, match="MALFORMED|FAILED_READ_FILE"):
        spark.read.schema(f"a {type_name}").option("mode", "FAILFAST").csv(path).collect()
    trimmed = spark.read.schema(f"a {type_name}").options(ignoreLeadingWhiteSpace=True, ignoreTrailingWhiteSpace=True)
    assert all(row.a is not None for row in trimmed.csv(path).collect())
    assert tuples(spark.read.schema("a DOUBLE").csv(put(tmp_path / "b.csv", " 4 \n"))) == [(4.0,)]


@pytest.mark.parametrize("lines, options, found", [
    ([" 1", "2 "], {}, "double"),
    ([" 1", "2 "], {"ignoreLeadingWhiteSpace": True, "ignoreTrailingWhiteSpace": True}, "int"),
    (["2024-01-01", "2024-01-02"], {}, "date"),
    (["2024-01-01", "2024-1-2"], {}, "timestamp"),
    (["2024-01-01 00:00:00", '""'], {"timestampFormat": "yyyy-MM-dd HH:mm:ss"}, "timestamp"),
    (["01/02/2024", "03/04/2024"], {"timestampFormat": "dd/MM/yyyy"}, "timestamp"),
    (["01/02/2024", "03/04/2024"], {"dateFormat": "dd/MM/yyyy"}, "date"),
    (["01/02/2024", "03/04/2024"], {}, "string"),
    (["1", "12345678901234567890"], {}, "decimal(20,0)"),
    (["1", "3000000000"], {}, "bigint"),
    (["1", "1.5"], {}, "double"),
    (["true", "1"], {}, "string"),
    (["x", "1"], {}, "string"),
])
def test_inferred_types_of_csv(spark, tmp_path, lines, options, found):
    path = put(tmp_path / "a.csv", "\n".join(lines) + "\n")
    assert types(spark.read.options(inferSchema=True, **options).csv(path)) == [found]


def test_blanks_in_the_header(spark, tmp_path):
    path = put(tmp_path / "a.csv", "a, b\n1, 2\n")
    assert spark.read.options(header=True, ignoreLeadingWhiteSpace=True).csv(path).columns == ["a", "b"]
    assert spark.read.options(header=True).csv(path).columns == ["a", " b"]


@pytest.mark.ours
@pytest.mark.parametrize("format_name", ["csv", "json"])
def test_other_locales_are_refused(spark, tmp_path, format_name):
    path = put(tmp_path / "a", '{"a": "1,5"}\n')
    for reader in (spark.read, spark.read.schema("a DECIMAL(5,2)")):
        with pytest.raises(Exception, match="UNSUPPORTED_FEATURE.*locale"):
            reader.option("locale", "de-DE").format(format_name).load(path).collect()
        reader.option("locale", "en-US").format(format_name).load(path).collect()


@pytest.mark.parametrize("format_name", ["csv", "json"])
def test_written_timestamps_have_milliseconds(spark, tmp_path, format_name):
    frame = spark.sql("SELECT TIMESTAMP'2024-07-01 10:00:00.123456Z' AS t, TIMESTAMP_NTZ'2024-07-01 10:00:00.123456' AS n")
    frame.coalesce(1).write.option("timeZone", "Europe/Berlin").format(format_name).save(str(tmp_path / "o"))
    (file,) = (tmp_path / "o").glob(f"*.{format_name}")
    zoned, local = "2024-07-01T12:00:00.123+02:00", "2024-07-01T10:00:00.123"
    expected = f"{zoned},{local}" if format_name == "csv" else f'{{"t":"{zoned}","n":"{local}"}}'
    assert file.read_text().strip() == expected


def test_blanks_are_not_written_to_csv(spark, tmp_path):
    frame = spark.sql("SELECT ' a ' AS a, '' AS b, CAST(NULL AS STRING) AS c")
    frame.coalesce(1).write.csv(str(tmp_path / "o"))
    frame.coalesce(1).write.options(ignoreLeadingWhiteSpace=False, ignoreTrailingWhiteSpace=False, emptyValue="E").csv(str(tmp_path / "p"))
    assert [next((tmp_path / name).glob("*.csv")).read_text() for name in "op"] == ['a,"",\n', " a ,E,\n"]


def test_inferred_types_of_json(spark, tmp_path):
    path = put(tmp_path / "a.json", '{"t": "2024-01-01 10:00:00", "e": "", "n": {"x": null, "y": 1}, "z": [null]}\n{"e": 2}\n')
    assert spark.read.json(path).schema.simpleString() == "struct<e:bigint,n:struct<x:string,y:bigint>,t:string,z:array<string>>"
    inferred = spark.read.options(inferTimestamp=True, dropFieldIfAllNull=True).json(path)
    assert inferred.schema.simpleString() == "struct<e:bigint,n:struct<y:bigint>,t:timestamp>"
    assert inferred.where("t IS NOT NULL").select(F.date_format("t", "HH:mm")).first()[0] == "10:00"


def test_names_that_differ_by_case_only(spark, tmp_path):
    path = put(tmp_path / "a.json", '{"a": 1, "A": 2}\n')
    with pytest.raises(Exception, match="COLUMN_ALREADY_EXISTS"):
        spark.read.json(path).collect()
    with pytest.raises(Exception, match="COLUMN_ALREADY_EXISTS"):
        spark.range(1).selectExpr("id AS a", "id AS A").write.parquet(str(tmp_path / "o"))


def test_bytes_that_are_no_text(spark, tmp_path):
    content = b"a\n\xc4b\n"
    assert tuples(spark.read.option("header", True).csv(put(tmp_path / "a.csv", content))) == [("\ufffdb",)]
    assert tuples(spark.read.option("encoding", "ISO-8859-1").csv(put(tmp_path / "b.csv", content))) == [("a",), ("\u00c4b",)]
    frame = spark.read.json(put(tmp_path / "a.json", b'{"a": "\xc4b"}\n{"a": "c"}\n'))
    assert tuples(frame.select("a", "_corrupt_record")) == [(None, '{"a": "\ufffdb"}'), ("c", None)]


@pytest.mark.ours
def test_bytes_that_are_no_text_in_text_files(spark, tmp_path):
    assert tuples(spark.read.text(put(tmp_path / "a.txt", b"a\n\xc4b\n"))) == [("a",), ("\ufffdb",)]


@pytest.mark.parametrize("format_name", ["parquet", "csv", "json", "text"])
def test_most_rows_of_a_file(spark, tmp_path, format_name):
    path = str(tmp_path / "o")
    frame = spark.range(10).selectExpr("CAST(id AS STRING) AS id").coalesce(1)
    frame.write.option("maxRecordsPerFile", 4).format(format_name).save(path)
    assert len(list((tmp_path / "o").glob("part-*"))) == 3
    assert spark.read.format(format_name).load(path).count() == 10


def test_most_rows_of_a_file_by_partition_and_setting(spark, tmp_path):
    frame = spark.range(10).selectExpr("id % 2 AS k", "id").coalesce(1)
    spark.conf.set("spark.sql.files.maxRecordsPerFile", "2")
    try:
        frame.write.partitionBy("k").parquet(str(tmp_path / "o"))
    finally:
        spark.conf.unset("spark.sql.files.maxRecordsPerFile")
    assert [len(list((tmp_path / "o" / f"k={k}").glob("part-*"))) for k in (0, 1)] == [3, 3]
    assert sorted(tuples(spark.read.parquet(str(tmp_path / "o")).selectExpr("id", "k"))) == [(i, i % 2) for i in range(10)]


def test_names_of_files(spark, tmp_path):
    uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    frame = spark.range(1).coalesce(1).selectExpr("id", "id AS k")
    for number, (format_name, codec, ending) in enumerate([
            ("parquet", None, ".snappy.parquet"), ("parquet", "zstd", ".zstd.parquet"), ("parquet", "uncompressed", ".parquet"),
            ("csv", None, ".csv"), ("csv", "gzip", ".csv.gz"), ("json", None, ".json")]):
        folder = tmp_path / str(number)
        writer = frame.write if codec is None else frame.write.option("compression", codec)
        writer.format(format_name).save(str(folder))
        (name,) = [file.name for file in folder.glob("part-*")]
        assert re.fullmatch(f"part-00000-{uuid}-c000{re.escape(ending)}", name), name
    frame.write.partitionBy("k").parquet(str(tmp_path / "p"))
    (name,) = [file.name for file in (tmp_path / "p" / "k=0").glob("part-*")]
    assert re.fullmatch(f"part-00000-{uuid}.c000.snappy.parquet", name), name


CODECS = {"bzip2": ".bz2", "deflate": ".deflate", "gzip": ".gz", "lz4": ".lz4", "snappy": ".snappy", "none": ""}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("format_name", ["csv", "json", "text"])
def test_codecs(spark, tmp_path, codec, format_name):
    """Each is written, has Hadoop's ending, and is read by it. More than one buffer of text, and none at all."""
    frame = spark.range(60_000).selectExpr("concat_ws('-', id, hash(id), repeat('x', int(id % 50))) AS value").coalesce(1)
    target = tmp_path / "out"
    frame.write.format(format_name).option("compression", codec).save(str(target))
    (file,) = target.glob("part-*")
    extension = "txt" if format_name == "text" else format_name
    assert file.name.endswith(f".{extension}{CODECS[codec]}")
    assert (file.stat().st_size < 2_000_000) == (codec != "none")
    found = spark.read.schema("value STRING").format(format_name).load(str(target))
    assert found.exceptAll(frame).isEmpty() and found.count() == 60_000
    frame.where("false").write.format(format_name).option("compression", codec).save(str(tmp_path / "empty"))
    assert spark.read.schema("value STRING").format(format_name).load(str(tmp_path / "empty")).count() == 0


def test_codecs_that_there_are_not(spark, tmp_path):
    with pytest.raises(Exception, match="CODEC_NOT_AVAILABLE.*bzip2, deflate, uncompressed, snappy, none, lz4, gzip"):
        spark.range(1).write.option("compression", "brotli").csv(str(tmp_path / "out"))


def test_binary_files_are_not_decompressed(spark, tmp_path):
    import gzip

    content = gzip.compress(b"text")
    (tmp_path / "a.gz").write_bytes(content)
    row = spark.read.format("binaryFile").load(str(tmp_path / "a.gz")).first()
    assert bytes(row.content) == content and row.length == len(content)


def test_streams_one_behind_the_other(spark, tmp_path):
    """What `cat a.gz b.gz` makes is one text."""
    import bz2
    import gzip

    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"one\ntw") + gzip.compress(b"o\n"))
    (tmp_path / "b.txt.bz2").write_bytes(bz2.compress(b"three\n") + bz2.compress(b"four\n"))
    assert sorted(row.value for row in spark.read.text(str(tmp_path)).collect()) == ["four", "one", "three", "two"]
