"""Tables of a Hive Metastore that are not Iceberg's, through spark_catalog: Hive's own, Spark's, Delta's, and views."""
import os
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import open_session
from frazil.spark import SparkConnectServer
from hive_service import metastore, metastore_uri  # noqa: F401
from pyspark.errors import PySparkException

PARQUET = ("org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
           "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
           "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe")
ORC = ("org.apache.hadoop.hive.ql.io.orc.OrcInputFormat", "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
       "org.apache.hadoop.hive.ql.io.orc.OrcSerde")
AVRO = ("org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat",
        "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat", "org.apache.hadoop.hive.serde2.avro.AvroSerDe")
TEXT = ("org.apache.hadoop.mapred.TextInputFormat", "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe")
CSV = TEXT[:2] + ("org.apache.hadoop.hive.serde2.OpenCSVSerde",)


@pytest.fixture(scope="module")
def session(remote, metastore_uri):
    prefix = "spark.sql.catalog.spark_catalog"
    session = open_session(remote, {prefix: "org.apache.iceberg.spark.SparkSessionCatalog", f"{prefix}.type": "hive",
                                    f"{prefix}.uri": metastore_uri})
    yield session
    session.stop()


@pytest.fixture
def db(session, tmp_path):
    name = f"h{uuid.uuid4().hex[:8]}"
    tmp_path.chmod(0o777)
    session.sql(f"CREATE DATABASE {name} LOCATION '{tmp_path}/{name}.db'")
    yield name
    session.sql(f"DROP DATABASE {name} CASCADE")


@pytest.fixture
def hive_table(metastore, db, tmp_path):  # noqa: F811
    """Makes a table as Hive itself does."""
    from hive_metastore.ttypes import FieldSchema, SerDeInfo, StorageDescriptor, Table

    def make(name, columns, kind=PARQUET, keys=(), serde=None, parameters=None, external=True):
        def fields(pairs):
            return [FieldSchema(name=n, type=t, comment=None) for n, t in pairs]

        folder = tmp_path / f"{db}.db" / name
        folder.mkdir(parents=True, exist_ok=True)
        metastore.create_table(Table(
            tableName=name, dbName=db, owner="hive", createTime=1, lastAccessTime=0, retention=0,
            sd=StorageDescriptor(cols=fields(columns), location=f"file:{folder}", inputFormat=kind[0],
                                 outputFormat=kind[1], compressed=False, numBuckets=-1, bucketCols=[], sortCols=[],
                                 parameters={}, serdeInfo=SerDeInfo(name=None, serializationLib=kind[2],
                                                                    parameters=serde or {"serialization.format": "1"})),
            partitionKeys=fields(keys), parameters=({"EXTERNAL": "TRUE"} if external else {}) | (parameters or {}),
            tableType="EXTERNAL_TABLE" if external else "MANAGED_TABLE"))
        return folder

    return make


def rows(session, text):
    return sorted(tuple(row) for row in session.sql(text).collect())


def parts(metastore, db, name):  # noqa: F811
    return {tuple(p.values): p.sd.location for p in metastore.get_partitions(db, name, -1)}


@pytest.mark.parametrize("kind", [PARQUET, ORC, AVRO, TEXT, CSV], ids=["parquet", "orc", "avro", "text", "csv"])
def test_every_format_is_written_and_read(session, db, hive_table, kind):
    hive_table("t", [("id", "int"), ("v", "string"), ("d", "decimal(7,2)"), ("at", "timestamp"), ("day", "date")], kind)
    session.sql(f"""INSERT INTO {db}.t VALUES (1, 'a,b"c', 1.25, TIMESTAMP '2026-01-02 03:04:05.678', DATE '2026-01-02'),
                                              (2, NULL, NULL, NULL, NULL), (3, '', 0, NULL, NULL)""")
    found = rows(session, f"SELECT CAST(id AS STRING), v, CAST(d AS STRING), CAST(at AS STRING), CAST(day AS STRING) "
                          f"FROM {db}.t")
    null = "" if kind is CSV else None  # OpenCSVSerde knows no NULL.
    assert found == [("1", 'a,b"c', "1.25", "2026-01-02 03:04:05.678", "2026-01-02"), ("2", null, null, null, null),
                     ("3", "", "0.00" if kind is not CSV else found[2][2], null, null)]
    schema = dict(session.table(f"{db}.t").dtypes)
    assert schema["id"] == ("string" if kind is CSV else "int") and schema["v"] == "string"


def test_text_is_hives(session, db, hive_table):
    folder = hive_table("t", [("id", "int"), ("v", "string"), ("at", "timestamp")], TEXT)
    (folder / "000000_0").write_bytes(b"1\x01a,\"b\"\x012026-01-02 03:04:05.5\n2\x01\\N\x01\\N\n3\x01\n\\N\x01 x \x01\n")
    assert rows(session, f"SELECT id, v, CAST(at AS STRING) FROM {db}.t WHERE id IS NOT NULL") == [
        (1, 'a,"b"', "2026-01-02 03:04:05.5"), (2, None, None), (3, "", None)]
    assert rows(session, f"SELECT v FROM {db}.t WHERE id IS NULL") == [(" x ",)]
    folder = hive_table("u", [("id", "int"), ("v", "string")], TEXT,
                        serde={"field.delim": ",", "escape.delim": "\\", "serialization.format": ","},
                        parameters={"skip.header.line.count": "1"})
    (folder / "data.txt").write_text("id,v\n1,a\\,b\n2,c\n")
    assert rows(session, f"SELECT * FROM {db}.u") == [(1, "a,b"), (2, "c")]
    session.sql(f"INSERT INTO {db}.u VALUES (3, 'x,y'), (NULL, NULL)")
    (written,) = [p for p in folder.iterdir() if p.name.startswith("part-")]
    assert written.read_text() == "id,v\n3,x\\,y\n\\N,\\N\n"


def test_partitions_are_the_metastores(session, db, hive_table, metastore, tmp_path):  # noqa: F811
    folder = hive_table("t", [("id", "int")], keys=[("city", "string"), ("n", "int")])
    for place in ("city=sf/n=1", "city=la/n=2"):
        (folder / place).mkdir(parents=True)
        pq.write_table(pa.table({"id": pa.array([len(place)], pa.int32())}), folder / place / "f.parquet")
    # A folder that the Metastore does not know is no partition.
    assert rows(session, f"SELECT * FROM {db}.t") == [] == rows(session, f"SHOW PARTITIONS {db}.t")
    session.sql(f"MSCK REPAIR TABLE {db}.t")
    assert rows(session, f"SHOW PARTITIONS {db}.t") == [("city=la/n=2",), ("city=sf/n=1",)]
    assert rows(session, f"SELECT * FROM {db}.t") == [(11, "la", 2), (11, "sf", 1)]
    session.sql(f"INSERT INTO {db}.t VALUES (7, 'sf', 3), (8, NULL, 4)")
    assert ("sf", "3") in parts(metastore, db, "t")
    assert ("__HIVE_DEFAULT_PARTITION__", "4") in parts(metastore, db, "t")
    assert rows(session, f"SELECT id, n FROM {db}.t WHERE city IS NULL") == [(8, 4)]
    # One that lies elsewhere.
    other = tmp_path / "other"
    other.mkdir()
    pq.write_table(pa.table({"id": pa.array([9], pa.int32())}), other / "f.parquet")
    session.sql(f"ALTER TABLE {db}.t ADD PARTITION (city = 'ny', n = 5) LOCATION '{other}'")
    session.sql(f"INSERT INTO {db}.t PARTITION (city = 'ny', n = 5) VALUES (10)")
    assert len(list(other.glob("*.parquet"))) == 2 and not (folder / "city=ny").exists()
    assert rows(session, f"SELECT id FROM {db}.t WHERE city = 'ny'") == [(9,), (10,)]
    session.sql(f"INSERT OVERWRITE {db}.t PARTITION (city = 'ny', n = 5) VALUES (11)")
    assert rows(session, f"SELECT id FROM {db}.t WHERE city = 'ny'") == [(11,)]
    assert rows(session, f"SELECT count(*) FROM {db}.t") == [(5,)]
    # The files of an external table stay, and are no partition any more.
    session.sql(f"ALTER TABLE {db}.t DROP PARTITION (city = 'sf')")
    assert (folder / "city=sf" / "n=1" / "f.parquet").exists()
    assert rows(session, f"SELECT DISTINCT city FROM {db}.t WHERE city IS NOT NULL") == [("la",), ("ny",)]
    session.sql(f"INSERT INTO {db}.t VALUES (12, 'la', 2)")
    assert rows(session, f"SELECT count(*) FROM {db}.t WHERE city = 'sf'") == [(0,)]
    session.sql(f"ALTER TABLE {db}.t PARTITION (city = 'la', n = 2) RENAME TO PARTITION (city = 'la', n = 6)")
    assert rows(session, f"SELECT id, n FROM {db}.t WHERE city = 'la'") == [(11, 6), (12, 6)]
    (other / "f.parquet").unlink(missing_ok=True)
    [p.unlink() for p in other.iterdir()]
    other.rmdir()
    session.sql(f"MSCK REPAIR TABLE {db}.t SYNC PARTITIONS")
    assert ("ny", "5") not in parts(metastore, db, "t") and ("sf", "1") in parts(metastore, db, "t")


def test_overwrites_and_truncates(session, db, metastore):  # noqa: F811
    session.sql(f"CREATE TABLE {db}.t (id INT, City STRING) USING parquet PARTITIONED BY (City)")
    session.sql(f"INSERT INTO {db}.t VALUES (1, 'sf'), (2, 'la')")
    location = metastore.get_table(db, "t").sd.location
    assert parts(metastore, db, "t") == {("sf",): f"{location}/City=sf", ("la",): f"{location}/City=la"}
    session.sql(f"INSERT OVERWRITE {db}.t VALUES (3, 'ny')")
    assert list(parts(metastore, db, "t")) == [("ny",)] and rows(session, f"SELECT * FROM {db}.t") == [(3, "ny")]
    session.sql(f"INSERT INTO {db}.t VALUES (1, 'sf')")
    session.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    session.sql(f"INSERT OVERWRITE {db}.t VALUES (4, 'ny')")
    session.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert rows(session, f"SELECT * FROM {db}.t") == [(1, "sf"), (4, "ny")]
    session.sql(f"TRUNCATE TABLE {db}.t")
    assert rows(session, f"SELECT * FROM {db}.t") == [] and len(parts(metastore, db, "t")) == 2
    session.sql(f"DROP TABLE {db}.t")
    assert not Path(location.removeprefix("file:")).exists()


def test_statistics_of_others_do_not_outlive_a_write(session, db, hive_table, metastore):  # noqa: F811
    hive_table("t", [("id", "int")], parameters={"numRows": "7", "COLUMN_STATS_ACCURATE": "{}", "k": "v"})
    assert rows(session, f"SHOW TBLPROPERTIES {db}.t") == [("k", "v")]
    session.sql(f"INSERT INTO {db}.t VALUES (1)")
    kept = metastore.get_table(db, "t").parameters
    assert "numRows" not in kept and "COLUMN_STATS_ACCURATE" not in kept and kept["k"] == "v"


def test_alter(session, db, hive_table, metastore):  # noqa: F811
    hive_table("t", [("id", "int")], keys=[("p", "string")], parameters={"k": "v"})
    session.sql(f"INSERT INTO {db}.t VALUES (1, 'a')")
    session.sql(f"ALTER TABLE {db}.t ADD COLUMN (v STRING COMMENT 'words')")
    session.sql(f"ALTER TABLE {db}.t SET TBLPROPERTIES (l = 'w')")
    held = metastore.get_table(db, "t")
    assert [(c.name, c.type, c.comment) for c in held.sd.cols] == [("id", "int", None), ("v", "string", "words")]
    assert held.parameters["l"] == "w" and held.parameters["k"] == "v" and held.owner == "hive"
    session.sql(f"INSERT INTO {db}.t VALUES (2, 'x', 'a')")
    assert rows(session, f"SELECT * FROM {db}.t WHERE v IS NOT NULL") == [(2, "x", "a")]
    session.sql(f"ALTER TABLE {db}.t RENAME TO {db}.u")
    assert session.table(f"{db}.u").count() == 2
    session.sql(f"ALTER TABLE {db}.u UNSET TBLPROPERTIES (k)")
    assert rows(session, f"SHOW TBLPROPERTIES {db}.u") == [("l", "w")]


def test_delta(session, db, metastore, tmp_path):  # noqa: F811
    session.sql(f"CREATE TABLE {db}.d (id INT, v STRING) USING delta PARTITIONED BY (v)")
    session.sql(f"INSERT INTO {db}.d VALUES (1, 'a'), (2, 'b')")
    session.sql(f"UPDATE {db}.d SET v = 'c' WHERE id = 1")
    assert rows(session, f"SELECT * FROM {db}.d") == [(1, "c"), (2, "b")]
    held = metastore.get_table(db, "d")
    assert held.parameters["spark.sql.sources.provider"] == "delta" and held.tableType == "MANAGED_TABLE"
    folder = Path(held.sd.location.removeprefix("file:"))
    assert (folder / "_delta_log").is_dir()
    session.sql(f"ALTER TABLE {db}.d ADD COLUMN (w INT)")
    session.sql(f"CREATE OR REPLACE TABLE {db}.d USING delta AS SELECT 7 AS id")
    assert rows(session, f"SELECT * FROM {db}.d") == [(7,)] and session.sql(f"DESCRIBE HISTORY {db}.d").count() == 5
    # A folder that is a table already becomes known.
    session.range(3).write.format("delta").save(f"{tmp_path}/there")
    session.sql(f"CREATE TABLE {db}.e USING delta LOCATION '{tmp_path}/there'")
    assert session.table(f"{db}.e").count() == 3
    session.sql(f"DROP TABLE {db}.e")
    assert (tmp_path / "there" / "_delta_log").is_dir()
    session.sql(f"DROP TABLE {db}.d")
    assert not folder.exists()


def test_formats_side_by_side(session, db, hive_table):
    hive_table("h", [("id", "int")])
    session.sql(f"CREATE TABLE {db}.p USING orc AS SELECT 1 AS id")
    session.sql(f"CREATE TABLE {db}.d USING delta AS SELECT 2 AS id")
    session.sql(f"CREATE TABLE {db}.i USING iceberg AS SELECT 3 AS id")
    session.sql(f"CREATE VIEW {db}.v AS SELECT id FROM {db}.p UNION ALL SELECT id FROM {db}.d")
    assert {row.tableName for row in session.sql(f"SHOW TABLES IN {db}").collect()} >= {"h", "p", "d", "i"}
    session.sql(f"INSERT INTO {db}.h SELECT id FROM {db}.v UNION ALL SELECT id FROM {db}.i")
    assert rows(session, f"SELECT id FROM {db}.h") == [(1,), (2,), (3,)]
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        session.sql(f"CREATE TABLE {db}.h (id INT) USING iceberg")
    session.createDataFrame([(9,)], "id INT").write.mode("overwrite").format("parquet").saveAsTable(f"{db}.p")
    assert rows(session, f"SELECT id FROM {db}.v") == [(2,), (9,)]


def test_views(session, db, hive_table, metastore):  # noqa: F811
    hive_table("t", [("id", "int")])
    session.sql(f"INSERT INTO {db}.t VALUES (1), (2)")
    session.sql(f"CREATE VIEW {db}.v (n COMMENT 'words') COMMENT 'c' TBLPROPERTIES (k = 'w') AS SELECT id FROM {db}.t WHERE id > 1")
    held = metastore.get_table(db, "v")
    assert held.tableType == "VIRTUAL_VIEW" and held.parameters["view.query.out.col.0"] == "id"
    assert rows(session, f"SELECT n FROM {db}.v") == [(2,)]
    session.sql(f"CREATE OR REPLACE VIEW {db}.v AS SELECT id FROM {db}.t")
    assert session.table(f"{db}.v").count() == 2
    assert [row.viewName for row in session.sql(f"SHOW VIEWS IN {db}").collect()] == ["v"]
    # One that Hive has made.
    held.tableName, held.parameters = "w", {}
    held.viewOriginalText, held.viewExpandedText = "select id from t", f"select `t`.`id` from `{db}`.`t`"
    held.sd.cols[0].name = "id"
    metastore.create_table(held)
    assert session.table(f"{db}.w").count() == 2
    session.sql(f"DROP VIEW {db}.v")
    session.sql(f"DROP VIEW {db}.w")
    assert session.sql(f"SHOW VIEWS IN {db}").collect() == []


@pytest.mark.parametrize("kind, serde, parameters, columns, word", [
    (("org.apache.hadoop.mapred.SequenceFileInputFormat",) + TEXT[1:], None, {}, [("id", "int")], "SequenceFile"),
    (TEXT[:2] + ("org.example.RegexSerDe",), None, {}, [("id", "int")], "RegexSerDe"),
    (ORC, None, {"transactional": "true"}, [("id", "int")], "transactional"),
    (TEXT, None, {}, [("a", "array<int>")], "ARRAY<INT>"),
    (PARQUET, None, {}, [("u", "uniontype<int,string>")], "uniontype"),
    (TEXT, None, {"storage_handler": "org.example.HBase"}, [("id", "int")], "HBase")])
def test_what_cannot_be_read_is_refused_by_name(session, db, hive_table, kind, serde, parameters, columns, word):
    if "transactional" in parameters and "HIVE_URI" in os.environ:
        pytest.skip("a real Metastore does not take this entry")
    hive_table("t", columns, kind, serde=serde, parameters=parameters)
    with pytest.raises(PySparkException, match="(?s)UNSUPPORTED_FEATURE.*" + word):
        session.table(f"{db}.t").collect()
    assert [row.tableName for row in session.sql(f"SHOW TABLES IN {db}").collect()] == ["t"]


@pytest.mark.parametrize("more", [{}, {"spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"}])
def test_the_metastore_as_spark_is_told_of_it(metastore_uri, session, db, more, tmp_path):  # noqa: F811
    conf = {"spark.sql.catalogImplementation": "hive", "spark.hadoop.hive.metastore.uris": metastore_uri}
    with SparkConnectServer(warehouse=tmp_path / "wh", conf=conf) as server:
        other = open_session(server.remote_url, more)
        other.sql(f"CREATE TABLE {db}.d USING delta AS SELECT 1 AS id")
        other.sql(f"CREATE TABLE {db}.p USING parquet AS SELECT 2 AS id")
        assert rows(session, f"SELECT * FROM {db}.d UNION ALL SELECT * FROM {db}.p") == [(1,), (2,)]
        other.stop()


@pytest.mark.parametrize("clause, kind", [
    ("STORED AS PARQUET", PARQUET), ("STORED AS orc", ORC), ("STORED AS AVRO", AVRO), ("STORED AS TEXTFILE", TEXT),
    ("ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' ESCAPED BY '\\\\' NULL DEFINED AS 'null'", TEXT),
    (f"ROW FORMAT SERDE '{CSV[2]}' WITH SERDEPROPERTIES ('separatorChar' = ';') STORED AS TEXTFILE", CSV),
    (f"ROW FORMAT SERDE '{ORC[2]}' STORED AS INPUTFORMAT '{ORC[0]}' OUTPUTFORMAT '{ORC[1]}'", ORC),
], ids=["parquet", "orc", "avro", "text", "delimited", "csv", "classes"])
def test_stored_as(session, db, metastore, clause, kind):  # noqa: F811
    session.sql(f"CREATE TABLE {db}.t (Id STRING, v STRING) PARTITIONED BY (p INT COMMENT 'day') {clause} "
                "TBLPROPERTIES (k = 'v')")
    held = metastore.get_table(db, "t")
    assert (held.sd.inputFormat, held.sd.outputFormat, held.sd.serdeInfo.serializationLib) == kind
    assert "spark.sql.sources.provider" not in held.parameters and held.parameters["k"] == "v"
    assert [(c.name, c.type) for c in held.sd.cols] == [("id", "string"), ("v", "string")]
    assert [(c.name, c.type, c.comment) for c in held.partitionKeys] == [("p", "int", "day")]
    session.sql(f"INSERT INTO {db}.t VALUES ('1', 'a|b', 1), ('2', 'c', 2)")
    assert session.table(f"{db}.t").columns == ["Id", "v", "p"]
    assert rows(session, f"SELECT * FROM {db}.t WHERE p = 1") == [("1", "a|b", 1)]
    assert set(parts(metastore, db, "t")) == {("1",), ("2",)}
    session.sql(f"CREATE TABLE {db}.u {clause} AS SELECT 'x' AS a, 'y' AS b")
    assert metastore.get_table(db, "u").sd.serdeInfo.serializationLib == kind[2]
    assert rows(session, f"SELECT * FROM {db}.u") == [("x", "y")]


def test_stored_as_elsewhere(session, db, metastore, tmp_path):  # noqa: F811
    place = tmp_path / "elsewhere"
    session.sql(f"CREATE EXTERNAL TABLE {db}.t (id INT, v STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' "
                f"STORED AS TEXTFILE LOCATION '{place}'")
    held = metastore.get_table(db, "t")
    assert held.tableType == "EXTERNAL_TABLE" and held.sd.location == f"file:{place}"
    assert held.sd.serdeInfo.parameters["field.delim"] == ","
    session.sql(f"INSERT INTO {db}.t VALUES (1, 'a'), (2, NULL)")
    assert sorted("".join(p.read_text() for p in place.glob("part-*")).split()) == ["1,a", "2,\\N"]
    session.sql(f"CREATE TABLE {db}.l LIKE {db}.t STORED AS ORC")
    assert metastore.get_table(db, "l").sd.serdeInfo.serializationLib == ORC[2]
    session.sql(f"DROP TABLE {db}.t")
    assert len(list(place.glob("part-*"))) > 0
    for format, message in [("foo", "STORED AS with file format 'foo' is invalid"), ("rcfile", "RCFileInputFormat")]:
        with pytest.raises(PySparkException, match=message):
            session.sql(f"CREATE TABLE {db}.bad (id INT) STORED AS {format}")
    with pytest.raises(PySparkException, match="ARRAY<INT>"):
        session.sql(f"CREATE TABLE {db}.bad (a ARRAY<INT>) STORED AS TEXTFILE")


def test_no_rows_into_buckets(session, db, hive_table, metastore):  # noqa: F811
    hive_table("t", [("id", "int")])
    session.sql(f"INSERT INTO {db}.t VALUES (1)")
    held = metastore.get_table(db, "t")
    held.sd.numBuckets, held.sd.bucketCols = 4, ["id"]
    metastore.alter_table_with_environment_context(db, "t", held, None)
    assert rows(session, f"SELECT * FROM {db}.t") == [(1,)]
    for statement in ("INSERT INTO {} VALUES (2)", "INSERT OVERWRITE {} VALUES (2)"):
        with pytest.raises(PySparkException, match="CLUSTERED BY") as refused:
            session.sql(statement.format(f"{db}.t"))
        assert refused.value.getCondition() == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert rows(session, f"SELECT * FROM {db}.t") == [(1,)]
    with pytest.raises(PySparkException, match="CLUSTERED BY"):
        session.sql(f"CREATE TABLE {db}.b (id INT) CLUSTERED BY (id) INTO 4 BUCKETS STORED AS ORC")
