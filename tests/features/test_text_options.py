"""Options of CSV, JSON and text that make no sense are refused before anything is read or written, as Spark refuses them."""
import glob

import pytest


@pytest.fixture()
def files(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,x\n")
    (tmp_path / "a.json").write_text('{"a":1}\n')
    return tmp_path


CSV = [
    ({"sep": ""}, "Delimiter cannot be empty"),
    ({"delimiter": ""}, "Delimiter cannot be empty"),
    ({"sep": "\\"}, "INVALID_DELIMITER_VALUE"),
    ({"sep": "\\q"}, "UNSUPPORTED_SPECIAL_CHARACTER"),
    ({"quote": "ab"}, "quote cannot be more than one character"),
    ({"escape": "ab"}, "escape cannot be more than one character"),
    ({"comment": "ab"}, "comment cannot be more than one character"),
    ({"charToEscapeQuoteEscaping": "ab"}, "charToEscapeQuoteEscaping cannot be more than one character"),
    ({"lineSep": ""}, "'lineSep' cannot be an empty string"),
    ({"lineSep": "abc"}, "'lineSep' can contain only 1 character"),
    ({"header": "maybe"}, "header flag can be true or false"),
    ({"inferSchema": "x"}, "inferSchema flag can be true or false"),
    ({"quoteAll": "x"}, "quoteAll flag can be true or false"),
    ({"multiLine": "zz"}, 'For input string: "zz"'),
    ({"maxColumns": "x"}, "maxColumns should be an integer. Found x"),
]
JSON = [({"lineSep": ""}, "'lineSep' cannot be an empty string"), ({"multiLine": "x"}, 'For input string: "x"'),
        ({"primitivesAsString": "x"}, 'For input string: "x"')]


@pytest.mark.parametrize("options, message", CSV)
def test_refused_of_csv(spark, files, options, message):
    reader = spark.read.options(**options)
    for run in (lambda: reader.csv(f"{files}/a.csv").collect(),
                lambda: reader.schema("a STRING, b STRING").csv(f"{files}/a.csv").collect(),
                lambda: spark.range(2).write.options(**options).csv(f"{files}/out"),
                lambda: spark.range(2).selectExpr(
                    "from_csv(string(id), 'a INT', map({}))".format(
                        ", ".join(f"'{key}', r'{value}'" for key, value in options.items()))).collect()):
        with pytest.raises(Exception, match=message):
            run()


@pytest.mark.parametrize("options, message", JSON)
def test_refused_of_json_and_text(spark, files, options, message):
    reader = spark.read.options(**options)
    for run in (lambda: reader.json(f"{files}/a.json").collect(),
                lambda: reader.schema("a INT").json(f"{files}/a.json").collect(),
                lambda: spark.range(2).write.options(**options).json(f"{files}/out")):
        with pytest.raises(Exception, match=message):
            run()
    if "lineSep" in options:
        with pytest.raises(Exception, match=message):
            reader.text(f"{files}/a.csv").collect()
        with pytest.raises(Exception, match=message):
            spark.sql("SELECT 'x' b").write.options(**options).text(f"{files}/out")


def test_refused_in_sql(spark, files):
    with pytest.raises(Exception, match="Delimiter cannot be empty"):
        spark.sql(f"CREATE OR REPLACE TEMP VIEW no_sep USING csv OPTIONS (path '{files}/a.csv', sep '')")
        spark.table("no_sep").collect()
    for call in ("schema_of_csv('1,2', map('sep', ''))", "to_csv(struct(1, 2), map('sep', ''))",
                 "from_csv('1,2', 'a INT', map('delimiter', ''))"):
        with pytest.raises(Exception, match="Delimiter cannot be empty"):
            spark.sql("SELECT " + call).collect()


@pytest.mark.parametrize("options", [{"sep": '"'}, {"sep": "ab"}, {"quote": ","}, {"quote": ""}, {"escape": ""},
                                     {"comment": ""}, {"sep": "\\\\"}, {"lineSep": "ab"}])
def test_odd_ones_end(spark, files, options):
    """Unusual, not wrong: they only must come to an end, with rows."""
    assert spark.read.options(**options).csv(f"{files}/a.csv").count() >= 1


def test_limits_of_lines(spark, files):
    for options in ({"maxColumns": 1}, {"maxCharsPerColumn": 1}):
        (files / "wide.csv").write_text("aa,b\n")
        for reader in (spark.read, spark.read.schema("a STRING, b STRING")):
            with pytest.raises(Exception, match="MALFORMED_CSV_RECORD"):
                reader.options(**options).csv(f"{files}/wide.csv").collect()
    assert spark.read.options(maxColumns=2, maxCharsPerColumn=2).csv(f"{files}/wide.csv").count() == 1


@pytest.mark.parametrize("type_name", ["ARRAY<INT>", "MAP<STRING, INT>", "STRUCT<x: INT>", "VOID"])
def test_types_that_csv_cannot_hold(spark, files, type_name):
    with pytest.raises(Exception, match="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"):
        spark.read.schema(f"a {type_name}, b STRING").csv(f"{files}/a.csv").collect()


def test_options_that_are_not_done(spark, files):
    for run in (lambda: spark.read.option("singleVariantColumn", "v").json(f"{files}/a.json").collect(),
                lambda: spark.read.option("singleVariantColumn", "v").csv(f"{files}/a.csv").collect(),
                lambda: spark.read.option("unescapedQuoteHandling", "SKIP_VALUE").csv(f"{files}/a.csv").collect(),
                lambda: spark.range(1).write.option("pretty", True).json(f"{files}/out"),
                lambda: spark.sql("SELECT to_json(struct(1), map('pretty', 'true'))").collect()):
        with pytest.raises(Exception, match="UNSUPPORTED_FEATURE"):
            run()


def test_members_that_stand_twice(spark, files):
    (files / "twice.json").write_text('{"b":1}\n{"a":1,"a":2}\n')
    with pytest.raises(Exception, match="COLUMN_ALREADY_EXISTS"):
        spark.read.json(f"{files}/twice.json").collect()
    assert spark.read.schema("a INT").json(f"{files}/twice.json").collect()[1].a == 2


def test_other_refusals_of_files(spark, files):
    for flag in ("recursiveFileLookup", "ignoreCorruptFiles", "ignoreMissingFiles"):
        with pytest.raises(Exception, match='For input string: "x"'):
            spark.read.option(flag, "x").csv(f"{files}/a.csv").collect()


@pytest.mark.parametrize("options, text", [
    ({"quoteAll": True, "nullValue": "NULL"}, '"a","b,c","d\\"e"\n"1","NULL",""\n'),
    ({"nullValue": "NULL"}, 'a,"b,c","d\\"e"\n1,NULL,""\n'),
    ({"escape": '"'}, 'a,"b,c","d""e"\n1,,""\n'),
    ({"sep": "|", "quote": "'"}, "a|b,c|d\"e\n1||\"\"\n"),
    ({"escapeQuotes": False, "emptyValue": ""}, 'a,"b,c",d"e\n1,,\n'),
])
def test_header_is_written_as_rows_are(spark, tmp_path, options, text):
    frame = spark.sql("SELECT 1 a, CAST(NULL AS STRING) `b,c`, '' ` d\"e`")
    frame.coalesce(1).write.options(header=True, **options).csv(f"{tmp_path}/out")
    assert open(glob.glob(f"{tmp_path}/out/part*")[0]).read() == text


def test_numbers_with_leading_zeros_are_inferred(spark, tmp_path):
    (tmp_path / "a.json").write_text('{"a":01}\n')
    frame = spark.read.option("allowNumericLeadingZeros", True).json(f"{tmp_path}/a.json")
    assert [tuple(row) for row in frame.collect()] == [(1,)]
    assert frame.schema.simpleString() == "struct<a:bigint>"


def test_prefer_date_is_an_option_of_inference(spark, tmp_path):
    (tmp_path / "a.csv").write_text("2024-01-01\n")
    infer = spark.read.option("inferSchema", True)
    assert infer.csv(f"{tmp_path}/a.csv").schema.simpleString() == "struct<_c0:date>"
    assert infer.option("preferDate", False).csv(f"{tmp_path}/a.csv").schema.simpleString() == "struct<_c0:timestamp>"


def test_where_rows_of_text_files_come_from(spark, files):
    for form in ("csv", "json", "text", "binaryFile"):
        path = f"{files}/a.json" if form == "json" else f"{files}/a.csv"
        frame = spark.read.format(form).load(path)
        row = frame.selectExpr("input_file_name()", "input_file_block_start()", "input_file_block_length()").first()
        size = len(open(path).read())
        assert tuple(row) == ("file://" + path, 0, size)
        about = frame.selectExpr("_metadata.*").first().asDict()
        assert about.pop("file_modification_time").year >= 2024
        assert about == {"file_path": "file:" + path, "file_name": path.rsplit("/", 1)[1], "file_size": size,
                         "file_block_start": 0, "file_block_length": size}
        assert "_metadata" not in frame.columns
    assert spark.range(1).selectExpr("input_file_name()", "input_file_block_start()").first()[:] == ("", -1)
    parts = f"{files}/parts"
    spark.range(4).selectExpr("id", "id % 2 p").write.partitionBy("p").csv(parts)
    read = spark.read.csv(parts).selectExpr("p", "_c0", "_metadata.file_path LIKE concat('%/p=', p, '/%') fits")
    assert sorted(map(tuple, read.collect())) == [(0, "0", True), (0, "2", True), (1, "1", True), (1, "3", True)]
    with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
        spark.read.csv(parts).select("_pos").collect()


def test_partition_columns_that_are_not_there(spark, files):
    from pyspark.errors import AnalysisException
    writer = spark.range(1).write.partitionBy("zz")
    with pytest.raises(AnalysisException, match="Partition column `?zz`? not found in schema"):
        writer.parquet(f"{files}/out")
    with pytest.raises(AnalysisException, match="COLUMN_NOT_DEFINED_IN_TABLE"):
        writer.format("parquet").saveAsTable("no_such_partition")
    with pytest.raises(AnalysisException, match="COLUMN_NOT_DEFINED_IN_TABLE"):
        spark.sql("CREATE TABLE no_such_partition (a INT) USING parquet PARTITIONED BY (zz)")


def test_defaults_and_options_in_descriptions(spark):
    spark.sql("CREATE TABLE described (a INT DEFAULT 7 COMMENT 'c', b STRING, p INT DEFAULT 1+2) USING csv "
              "OPTIONS (header 'true', sep ';') PARTITIONED BY (p)")
    try:
        text = spark.sql("SHOW CREATE TABLE described").first()[0]
        assert "a INT DEFAULT 7 COMMENT 'c'" in text and "p INT DEFAULT 1+2" in text
        assert "OPTIONS (\n  'header' = 'true',\n  'sep' = ';')\n" in text
        spark.sql("DROP TABLE described")
        spark.sql(text)
        assert spark.sql("SHOW CREATE TABLE described").first()[0] == text
        rows = [tuple(row) for row in spark.sql("DESCRIBE described").collect()]
        assert rows[-4:] == [("", "", ""), ("# Column Default Values", "", ""), ("a", "int", "7"), ("p", "int", "1+2")]
    finally:
        spark.sql("DROP TABLE IF EXISTS described")


def test_header_of_another_schema(spark, files):
    """enforceSchema=false compares them; else the schema is taken by position."""
    reader = spark.read.option("header", True).schema("b STRING, a STRING")
    assert [tuple(row) for row in reader.csv(f"{files}/a.csv").collect()] == [("1", "x")]
    strict = reader.option("enforceSchema", False)
    with pytest.raises(Exception, match="FAILED_READ_FILE|does not conform to the schema"):
        strict.csv(f"{files}/a.csv").collect()
    with pytest.raises(Exception, match="FAILED_READ_FILE|is not equal to number of fields"):
        strict.schema("a STRING").csv(f"{files}/a.csv").collect()
    same = spark.read.option("header", True).option("enforceSchema", False).schema("A INT, b STRING")
    assert [tuple(row) for row in same.csv(f"{files}/a.csv").collect()] == [(1, "x")]
    assert same.csv(f"{files}/a.csv").select("b").collect()[0].b == "x"


def test_a_query_of_nothing_but_corrupt_records(spark, files):
    (files / "bad.json").write_text("no json\n{also none\n")
    condition = "QUERY_ONLY_CORRUPT_RECORD_COLUMN"
    found = spark.read.json(f"{files}/bad.json")
    assert found.columns == ["_corrupt_record"] and found.count() == 2
    declared = spark.read.schema("a INT, _corrupt_record STRING").json(f"{files}/bad.json")
    assert [row.a for row in declared.collect()] == [None, None]
    for query in (found, found.where("_corrupt_record IS NOT NULL"), declared.select("_corrupt_record"),
                  declared.where("_corrupt_record IS NULL").groupBy().count(),
                  spark.read.schema("a INT, b STRING").option("columnNameOfCorruptRecord", "b").csv(f"{files}/a.csv").select("b")):
        with pytest.raises(Exception, match=condition):
            query.collect()


def test_files_that_cannot_be_read(spark, files):
    """Left out where ignoreCorruptFiles or ignoreMissingFiles says so, by option or setting."""
    import gzip

    folder = files / "mixed"
    folder.mkdir()
    (folder / "good.csv").write_text("1\n2\n")
    whole = gzip.compress(b"".join(b"%d\n" % n for n in range(100_000)))
    (folder / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "none.csv.gz").write_bytes(b"this is not gzip at all")
    reader = spark.read.schema("a INT")
    with pytest.raises(Exception, match="FAILED_READ_FILE"):
        reader.csv(str(folder)).collect()
    found = [row.a for row in reader.option("ignoreCorruptFiles", True).csv(str(folder)).collect()]
    # What was read before the damage counts, up to the last whole line.
    assert set(found) >= {1, 2} and 2 < len(found) < 100_002 and max(found) < 100_000 and None not in found
    parquet = files / "parquet"
    spark.range(3).coalesce(1).write.parquet(str(parquet))
    (parquet / "part-bad.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(Exception, match="FAILED_READ_FILE"):
        spark.read.schema("id BIGINT").parquet(str(parquet)).collect()
    assert spark.read.schema("id BIGINT").option("ignoreCorruptFiles", True).parquet(str(parquet)).count() == 3
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        assert sorted(row.id for row in spark.read.parquet(str(parquet)).collect()) == [0, 1, 2]
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")
    frame = spark.read.schema("a INT").csv(str(files / "a.csv"))
    assert frame.count() == 2


def test_a_file_that_is_gone_when_it_is_read(spark, files):
    (files / "two").mkdir()
    for name in ("a", "b"):
        (files / "two" / f"{name}.csv").write_text("1\n")
    for ignore in (False, True):
        frame = spark.read.schema("a INT").option("ignoreMissingFiles", ignore).csv(str(files / "two"))
        assert frame.count() == 2
