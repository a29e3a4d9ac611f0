"""STORED AS and ROW FORMAT where there is no Metastore: the files are those that Hive would write."""
from pathlib import Path

import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException, ParseException, PySparkException

pytestmark = pytest.mark.ours  # Spark refuses them without a Metastore.


@pytest.fixture
def table(spark):
    name = "spark_catalog.default.stored"
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


def described(spark, table):
    return {row[0]: row[1] for row in spark.sql(f"DESCRIBE EXTENDED {table}").collect()}


def files(spark, table):
    folder = Path(described(spark, table)["Location"].removeprefix("file:"))
    return [p for p in folder.rglob("part-*") if not p.name.endswith(".crc")]


@pytest.mark.parametrize("format, provider", [("ORC", "orc"), ("parquet", "parquet"), ("AVRO", "avro")])
def test_columnar_files(spark, table, format, provider):
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING) PARTITIONED BY (p INT) STORED AS {format}")
    assert described(spark, table)["Provider"] == provider
    spark.sql(f"INSERT INTO {table} VALUES (1, 'x', 7), (2, NULL, 8)")
    assert rows(spark.table(table)) == [(1, "x", 7), (2, None, 8)]
    written = files(spark, table)
    assert {p.parent.name for p in written} == {"p=7", "p=8"}
    if provider == "orc":
        assert sum(pyarrow.orc.read_table(p).num_rows for p in written) == 2
    elif provider == "parquet":
        assert sum(pq.read_metadata(p).num_rows for p in written) == 2
    else:
        assert all(p.read_bytes()[:3] == b"Obj" for p in written)


@pytest.mark.parametrize("clause, lines", [
    ("STORED AS TEXTFILE", ["1\x01a,b", "2\x01\\N"]),
    ("ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' ESCAPED BY '\\\\'", ["1,a\\,b", "2,\\N"]),
    ("ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' NULL DEFINED AS '-' STORED AS TEXTFILE", ["1\ta,b", "2\t-"]),
    ("ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.OpenCSVSerde' STORED AS TEXTFILE", ['"1","a,b"', '"2",""']),
    ("USING hive OPTIONS (fileFormat 'textfile', fieldDelim ';')", ["1;a,b", "2;\\N"]),
    ("USING hive", ["1\x01a,b", "2\x01\\N"]),
])
def test_text(spark, table, clause, lines):
    spark.sql(f"CREATE TABLE {table} (a STRING, b STRING) {clause}")
    spark.sql(f"INSERT INTO {table} VALUES ('1', 'a,b'), ('2', NULL)")
    assert sorted("".join(p.read_text() for p in files(spark, table)).splitlines()) == lines
    null = "" if "CSV" in clause else None
    assert rows(spark.table(table)) == [("1", "a,b"), ("2", null)]


def test_of_queries_others_and_folders(spark, table, tmp_path):
    spark.sql(f"CREATE EXTERNAL TABLE {table} STORED AS ORC LOCATION '{tmp_path}/o' AS SELECT 1 AS a, 'x' AS b")
    assert described(spark, table)["Provider"] == "orc" and described(spark, table)["Type"] == "EXTERNAL"
    assert rows(spark.read.orc(f"{tmp_path}/o")) == [(1, "x")]
    spark.sql(f"CREATE TABLE {table}_like LIKE {table} STORED AS PARQUET")
    assert described(spark, f"{table}_like")["Provider"] == "parquet"
    spark.sql(f"DROP TABLE {table}_like")
    spark.sql(f"INSERT OVERWRITE LOCAL DIRECTORY '{tmp_path}/d' ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' "
              f"SELECT * FROM {table}")
    assert "".join(p.read_text() for p in (tmp_path / "d").glob("part-*")) == "1|x\n"
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{tmp_path}/d' STORED AS ORC SELECT * FROM {table}")
    assert rows(spark.read.orc(f"{tmp_path}/d")) == [(1, "x")]


@pytest.mark.parametrize("clause, kind, message", [
    ("STORED AS foo", AnalysisException, "STORED AS with file format 'foo' is invalid"),
    ("STORED AS SEQUENCEFILE", PySparkException, "SequenceFileInputFormat"),
    ("ROW FORMAT SERDE 'x' STORED AS TEXTFILE", PySparkException, "SerDe x"),
    ("STORED BY 'x'", ParseException, "STORED BY"),
    ("USING orc STORED AS ORC", ParseException, "CREATE TABLE ... USING ... STORED AS ORC"),
    ("ROW FORMAT DELIMITED STORED AS ORC", ParseException, "only compatible with 'textfile', not 'orc'"),
    ("ROW FORMAT SERDE 'x' STORED AS ORC", ParseException, "incompatible with format 'orc'"),
    ("ROW FORMAT DELIMITED LINES TERMINATED BY 'x'", ParseException, "only supports newline"),
    ("STORED AS ORC STORED AS ORC", ParseException, "DUPLICATE_CLAUSES"),
    ("CLUSTERED BY (a) INTO 4 BUCKETS STORED AS ORC", AnalysisException, "CLUSTERED BY"),
])
def test_refused(spark, table, clause, kind, message):
    with pytest.raises(kind, match=message):
        spark.sql(f"CREATE TABLE {table} (a INT) {clause}")
    assert not spark.catalog.tableExists(table)


def test_external_needs_a_location(spark, table):
    with pytest.raises(AnalysisException, match="must be accompanied by LOCATION"):
        spark.sql(f"CREATE EXTERNAL TABLE {table} (a INT) STORED AS ORC")
