"""What Delta casts on its way into a table, and how it names what it refuses. Compared with Spark 4.1 and Delta 4.3."""
import datetime
import decimal

import pytest
from pyspark.errors import PySparkException


@pytest.fixture
def table(spark, tmp_path):
    """A table by its path, with columns of several types."""
    name = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"CREATE TABLE {name} (id INT, l BIGINT, d DATE, s STRING, b BOOLEAN, de DECIMAL(5,2)) USING delta")
    return name


@pytest.fixture
def nested(spark, tmp_path):
    name = f"delta.`{tmp_path / 'n'}`"
    spark.sql(f"CREATE TABLE {name} (id INT, st STRUCT<a:INT,b:INT>, ar ARRAY<INT>, m MAP<STRING,INT>) USING delta")
    return name


def rows(frame):
    return sorted((tuple(r) for r in frame.collect()), key=str)


def fails(action, condition):
    with pytest.raises(PySparkException) as caught:
        action()
    assert f"[{condition}" in str(caught.value), str(caught.value)


def test_inserts_cast_at_run_time(spark, table):
    spark.sql(f"INSERT INTO {table} VALUES ('5', '6', '2024-01-01', 7, 'true', '1.5')")
    spark.sql(f"INSERT INTO {table} BY NAME SELECT '11' AS id")
    spark.sql(f"INSERT INTO {table} (id, b) VALUES (true, 1)")
    spark.sql(f"INSERT INTO {table} (s) VALUES (named_struct('a', 1))")
    day = datetime.date(2024, 1, 1)
    expected = [(5, 6, day, "7", True, decimal.Decimal("1.50")), (11, None, None, None, None, None),
                (1, None, None, None, True, None), (None, None, None, "{1}", None, None)]
    assert rows(spark.table(table)) == sorted(expected, key=str)
    spark.sql(f"INSERT OVERWRITE {table} (id, s) SELECT '12', DATE'2024-01-01'")
    assert rows(spark.table(table)) == [(12, None, None, "2024-01-01", None, None)]


def test_values_that_cannot_be_cast(spark, table):
    fails(lambda: spark.sql(f"INSERT INTO {table} (id) VALUES ('x')").collect(), "CAST_INVALID_INPUT]")
    fails(lambda: spark.sql(f"INSERT INTO {table} (id) VALUES (300000000000)").collect(), "CAST_OVERFLOW_IN_TABLE_INSERT]")
    fails(lambda: spark.sql(f"INSERT INTO {table} (id) VALUES (array(1))").collect(), "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION]")
    fails(lambda: spark.sql(f"INSERT INTO {table} (id) VALUES (DATE'2024-01-01')").collect(), "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION]")
    fails(lambda: spark.sql(f"INSERT INTO {table} (d) VALUES (1)").collect(), "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION]")
    assert rows(spark.table(table)) == []


def test_updates_and_merges_cast_at_run_time(spark, table):
    spark.sql(f"INSERT INTO {table} (id) VALUES (1)")
    spark.sql(f"UPDATE {table} SET id = '8', d = '2025-01-01', s = 1")
    spark.sql(f"MERGE INTO {table} t USING (SELECT '12' AS id, '5' AS v) s ON t.id = s.id"
              " WHEN NOT MATCHED THEN INSERT (id, l) VALUES (s.id, s.v)")
    spark.sql(f"MERGE INTO {table} t USING (SELECT '8' AS id, '5' AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET l = s.v")
    assert rows(spark.table(table)) == [(12, 5, None, None, None, None), (8, 5, datetime.date(2025, 1, 1), "1", None, None)]
    fails(lambda: spark.sql(f"UPDATE {table} SET id = 'x'").collect(), "CAST_INVALID_INPUT]")
    fails(lambda: spark.sql(f"UPDATE {table} SET id = 300000000000").collect(), "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE]")
    fails(lambda: spark.sql(f"UPDATE {table} SET id = array(1)").collect(), "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION]")
    fails(lambda: spark.sql(f"UPDATE {table} SET d = 1").collect(), "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION]")


def test_nested_values_are_cast(spark, nested):
    spark.sql(f"INSERT INTO {nested} VALUES (1, named_struct('a', '1', 'b', '2'), array('1'), map('x', '1'))")
    spark.sql(f"UPDATE {nested} SET st = named_struct('b', '1', 'a', '3')")
    spark.sql(f"MERGE INTO {nested} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET ar = array('7'), st.a = '9'")
    assert rows(spark.table(nested)) == [(1, (9, 1), [7], {"x": 1})]
    fails(lambda: spark.sql(f"UPDATE {nested} SET st.a = 'x'").collect(), "CAST_INVALID_INPUT]")
    fails(lambda: spark.sql(f"UPDATE {nested} SET st = named_struct('b', 1)").collect(), "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION]")
    fails(lambda: spark.sql(f"UPDATE {nested} SET st = named_struct('b', 1, 'a', 2, 'c', 3)").collect(), "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION]")
    fails(lambda: spark.sql(f"UPDATE {nested} SET st = 1").collect(), "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION]")


def test_partition_values_are_cast(spark, tmp_path):
    table = f"delta.`{tmp_path / 'p'}`"
    spark.sql(f"CREATE TABLE {table} (a INT, b STRING, c INT) USING delta PARTITIONED BY (a, b)")
    spark.sql(f"INSERT INTO {table} PARTITION (a = '3', b = 'q') VALUES (12)")
    fails(lambda: spark.sql(f"INSERT INTO {table} PARTITION (a = 'zz', b = 'q') VALUES (12)").collect(), "CAST_INVALID_INPUT]")
    spark.sql(f"INSERT INTO {table} PARTITION (a = '4', b) VALUES ('r', '13')")
    spark.sql(f"INSERT OVERWRITE {table} PARTITION (a = '3', b = 'q') VALUES ('14')")
    spark.sql(f"INSERT INTO {table} REPLACE WHERE a = 4 SELECT '4', 'r', '99'")
    assert rows(spark.table(table)) == [(3, "q", 14), (4, "r", 99)]


def test_columns_that_do_not_fit(spark, table, nested):
    fails(lambda: spark.sql(f"INSERT INTO {table} SELECT 1, 2, DATE'2024-01-01', 'x', true, 1, 7 AS more").collect(), "DELTA_METADATA_MISMATCH")
    fails(lambda: spark.sql(f"INSERT INTO {table} BY NAME SELECT 1 AS id, 2 AS nope").collect(), "DELTA_METADATA_MISMATCH")
    fails(lambda: spark.sql(f"INSERT INTO {table} SELECT 1, 2").collect(), "DELTA_INSERT_COLUMN_ARITY_MISMATCH]")
    fails(lambda: spark.sql(f"INSERT INTO {table} (id, l) VALUES (1)").collect(), "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS]")
    fails(lambda: spark.sql(f"INSERT INTO {nested} BY NAME SELECT 4 AS id, named_struct('a', 1) AS st").collect(), "DELTA_INSERT_COLUMN_ARITY_MISMATCH]")
    fails(lambda: spark.sql(f"INSERT INTO {nested} VALUES (3, named_struct('a', 1), NULL, NULL)").collect(), "DELTA_INSERT_COLUMN_ARITY_MISMATCH]")
    extra = "named_struct('b', 1, 'a', 2, 'c', 3)"
    fails(lambda: spark.sql(f"INSERT INTO {nested} BY NAME SELECT 9 AS id, {extra} AS st").collect(), "DELTA_METADATA_MISMATCH")
    fails(lambda: spark.sql(f"INSERT INTO {nested} SELECT 9 AS id, {extra} AS st, NULL, NULL").collect(), "DELTA_METADATA_MISMATCH")
    assert rows(spark.table(table)) == rows(spark.table(nested)) == []


def test_mistakes_in_updates_and_merges(spark, table):
    spark.sql(f"INSERT INTO {table} (id, l) VALUES (1, 1)")

    def merge(clauses, on="t.id = s.i", source="SELECT 1 AS i, 2 AS v", evolves=""):
        return lambda: spark.sql(f"MERGE {evolves} INTO {table} t USING ({source}) s ON {on} {clauses}").collect()

    fails(lambda: spark.sql(f"UPDATE {table} SET id = 1, id = 2").collect(), "DELTA_CONFLICT_SET_COLUMN]")
    fails(lambda: spark.sql(f"UPDATE {table} SET l = rand()").collect(), "INVALID_NON_DETERMINISTIC_EXPRESSIONS]")
    fails(merge("WHEN MATCHED THEN UPDATE SET l = 1, l = 2"), "DELTA_CONFLICT_SET_COLUMN]")
    fails(merge("WHEN NOT MATCHED THEN INSERT (id, id) VALUES (1, 2)"), "DELTA_DUPLICATE_COLUMNS_ON_INSERT]")
    fails(merge("WHEN MATCHED THEN DELETE", on="rand() > 0.5"), "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED]")
    fails(merge("WHEN MATCHED THEN DELETE", on="sum(t.id) = s.i"), "DELTA_AGGREGATION_NOT_SUPPORTED]")
    fails(merge("WHEN MATCHED AND EXISTS (SELECT 1) THEN DELETE"), "DELTA_UNSUPPORTED_SUBQUERY]")
    fails(merge("WHEN MATCHED AND rand() > 1 THEN DELETE"), "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED]")
    unresolved = "DELTA_MERGE_UNRESOLVED_EXPRESSION]"
    fails(merge("WHEN MATCHED THEN DELETE", on="t.id = nope"), unresolved)
    fails(merge("WHEN MATCHED AND nope = 1 THEN DELETE"), unresolved)
    fails(merge("WHEN MATCHED THEN UPDATE SET *"), unresolved)
    fails(merge("WHEN NOT MATCHED THEN INSERT *"), unresolved)
    fails(merge("WHEN MATCHED THEN UPDATE SET id = nope"), unresolved)
    fails(merge("WHEN MATCHED THEN UPDATE SET nope = 1"), unresolved)
    fails(merge("WHEN NOT MATCHED THEN INSERT (nope) VALUES (1)"), unresolved)
    fails(merge("WHEN NOT MATCHED THEN INSERT (id) VALUES (nope)"), unresolved)
    fails(merge("WHEN MATCHED THEN UPDATE SET t.v = s.v", evolves="WITH SCHEMA EVOLUTION"), unresolved)
    assert rows(spark.table(table)) == [(1, 1, None, None, None, None)]


def test_texts_that_are_too_long(spark, tmp_path):
    table = f"delta.`{tmp_path / 'cv'}`"
    spark.sql(f"CREATE TABLE {table} (id INT, c CHAR(3), v VARCHAR(3)) USING delta")
    too_long = "DELTA_EXCEED_CHAR_VARCHAR_LIMIT]"
    fails(lambda: spark.sql(f"INSERT INTO {table} VALUES (1, 'abcd', 'x')").collect(), too_long)
    fails(lambda: spark.sql(f"INSERT INTO {table} VALUES (1, 'abc', 'xabd')").collect(), too_long)
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 'xab')")
    fails(lambda: spark.sql(f"UPDATE {table} SET v = 'asdf'").collect(), too_long)
    fails(lambda: spark.sql(f"MERGE INTO {table} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET c = '12345'").collect(), too_long)
    assert rows(spark.table(table)) == [(1, "a  ", "xab")]


def test_data_frames_that_are_saved_are_not_cast(spark, tmp_path):
    folder = str(tmp_path / "t")
    spark.sql("SELECT 1L AS id, named_struct('a', 1) AS st, CAST(1.5 AS DECIMAL(5,2)) AS de, CAST(1 AS SHORT) AS sh").write.format("delta").save(folder)

    def save(query, mode="append", **options):
        return lambda: spark.sql(query).write.format("delta").mode(mode).options(**options).save(folder)

    for query in ["SELECT 1 AS id", "SELECT '1' AS id", "SELECT 1L AS id, named_struct('a', '1') AS st",
                  "SELECT 1L AS id, CAST(1.5 AS DECIMAL(4,1)) AS de", "SELECT CAST(1 AS BYTE) AS id"]:
        fails(save(query), "DELTA_FAILED_TO_MERGE_FIELDS]")
        fails(save(query, "overwrite"), "DELTA_FAILED_TO_MERGE_FIELDS]")
    fails(save("SELECT 1L AS id, 1 AS sh"), "DELTA_METADATA_MISMATCH")
    fails(save("SELECT 1L AS id, 2 AS z, 3 AS Z", mergeSchema="true"), "DELTA_DUPLICATE_COLUMNS_FOUND.DATA]")
    save("SELECT 2L AS id, CAST(1 AS BYTE) AS sh")()
    save("SELECT 3L AS id, CAST(NULL AS VOID) AS de")()
    # By the table's name they are.
    spark.sql("SELECT '4' AS id").writeTo(f"delta.`{folder}`").append()
    spark.sql("SELECT '5' AS id, NULL, NULL, '1' AS sh").write.insertInto(f"delta.`{folder}`")
    assert rows(spark.read.format("delta").load(folder).select("id", "sh")) == [(1, 1), (2, 1), (3, None), (4, None), (5, 1)]
    save("SELECT 6L AS id", "overwrite", replaceWhere="id = 6", overwriteSchema="true")()
    fails(save("SELECT 6L AS id, 2 AS n", "overwrite", replaceWhere="id = 6", overwriteSchema="true"), "DELTA_METADATA_MISMATCH")
    save("SELECT '1' AS id", "overwrite", overwriteSchema="true")()
    assert rows(spark.read.format("delta").load(folder)) == [("1",)]


def test_times_and_versions_that_are_refused(spark, tmp_path):
    folder = str(tmp_path / "t")
    spark.range(3).write.format("delta").save(folder)

    def read(**options):
        return lambda: spark.read.format("delta").options(**options).load(folder).collect()

    fails(read(versionAsOf="0", timestampAsOf="2020-01-01"), "DELTA_ONEOF_IN_TIMETRAVEL]")
    fails(read(versionAsOf="x"), "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE]")
    fails(read(timestampAsOf="x"), "DELTA_TIMESTAMP_INVALID]")
    fails(lambda: spark.sql(f"RESTORE delta.`{folder}` TO TIMESTAMP AS OF '2001-01-01'").collect(), "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER]")
    fails(lambda: spark.sql(f"RESTORE delta.`{folder}` TO TIMESTAMP AS OF '2099-01-01'").collect(), "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER]")
    fails(lambda: spark.sql(f"RESTORE delta.`{folder}` TO VERSION AS OF 99").collect(), "DELTA_CANNOT_RESTORE_TABLE_VERSION]")
    fails(lambda: spark.sql(f"VACUUM delta.`{folder}` RETAIN 0 HOURS").collect(), "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT]")
