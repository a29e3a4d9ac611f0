"""What the protocol promises to a client, whatever the query: results in pieces, errors, interrupts, progress, artifacts."""
import threading
import time

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, ArithmeticException, ParseException, PySparkException
from pyspark.errors.exceptions.connect import SparkNoSuchElementException
from pyspark.sql import Observation, functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

LONG_QUERY = "SELECT count(*) FROM range(400000) a CROSS JOIN range(400000) b WHERE (a.id * b.id) % 7 = 3"


def test_large_results_come_whole_and_in_order(spark):
    rows = spark.range(200_000).toPandas()
    assert list(rows["id"]) == list(range(200_000))
    assert sum(1 for _ in spark.range(50_000).toLocalIterator()) == 50_000


def test_empty_results_keep_their_schema(spark):
    table = spark.range(0).select(F.col("id"), F.lit("x").alias("x")).toArrow()
    assert table.num_rows == 0
    assert table.schema.names == ["id", "x"]


def test_rows_wider_than_a_piece(spark):
    text = spark.range(2).select(F.repeat(F.lit("ab"), 3_000_000).alias("t")).collect()
    assert [len(row.t) for row in text] == [6_000_000] * 2


def test_local_data_small_large_and_empty(spark):
    small = spark.createDataFrame([(1, "a"), (2, None)], "id INT, name STRING")
    assert [tuple(r) for r in small.collect()] == [(1, "a"), (2, None)]
    schema = StructType([StructField("id", LongType()), StructField("t", StringType())])
    assert spark.createDataFrame([], schema).collect() == []
    # Beyond spark.sql.session.localRelationCacheThreshold: sent as artifacts, in pieces.
    limit = int(spark.conf.get("spark.sql.session.localRelationCacheThreshold"))
    count = limit // 100 + 1000
    frame = pd.DataFrame({"id": range(count), "t": ["x" * 100] * count})
    large = spark.createDataFrame(frame)
    assert large.agg(F.count("*"), F.sum("id"), F.sum(F.length("t"))).first()[:] == (
        count, count * (count - 1) // 2, count * 100)


def test_arrow_tables_keep_their_types(spark):
    table = pa.table({"d": pa.array([1.5, None]), "b": pa.array([b"x", b""]), "l": pa.array([[1], None])})
    assert spark.createDataFrame(table).toArrow().to_pylist() == table.to_pylist()


def test_errors_have_class_condition_state_and_parameters(spark):
    with pytest.raises(AnalysisException) as error:
        spark.sql("SELECT nothing FROM range(1)").collect()
    assert error.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert error.value.getSqlState() == "42703"
    assert error.value.getMessageParameters()["objectName"] == "`nothing`"
    with pytest.raises(ParseException) as error:
        spark.sql("SELEC 1")
    assert error.value.getCondition() == "PARSE_SYNTAX_ERROR"
    with pytest.raises(ArithmeticException) as error:
        spark.sql("SELECT 1 / (id - id) FROM range(1)").collect()
    assert error.value.getCondition() == "DIVIDE_BY_ZERO"


def test_sql_finds_errors_at_once(spark):
    with pytest.raises(AnalysisException):
        spark.sql("SELECT * FROM no_such_table")


def test_settings(spark):
    spark.conf.set("my.own.setting", "1")
    assert spark.conf.get("my.own.setting") == "1"
    spark.conf.unset("my.own.setting")
    assert spark.conf.get("my.own.setting", "other") == "other"
    with pytest.raises(SparkNoSuchElementException):
        spark.conf.get("my.own.setting")
    assert spark.conf.isModifiable("spark.sql.shuffle.partitions")
    assert not spark.conf.isModifiable("spark.sql.warehouse.dir")


def test_settings_refuse_bad_values_and_static_keys(spark):
    for key, value, condition in [
            ("spark.sql.shuffle.partitions", "x", "INVALID_CONF_VALUE.TYPE_MISMATCH"),
            ("spark.sql.shuffle.partitions", "0", "INVALID_CONF_VALUE.REQUIREMENT"),
            ("spark.sql.execution.arrow.compression.codec", "bogus", "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS"),
            ("spark.sql.warehouse.dir", "/x", "CANNOT_MODIFY_STATIC_CONFIG"),
            ("spark.driver.memory", "1g", "CANNOT_MODIFY_CONFIG")]:
        before = spark.conf.get(key, None)
        for change in (lambda: spark.conf.set(key, value), lambda: spark.sql(f"SET {key}={value}")):
            with pytest.raises(PySparkException) as error:
                change()
            assert error.value.getCondition() == condition
        assert spark.conf.get(key, None) == before
    for key in ("spark.sql.warehouse.dir", "spark.driver.memory"):
        with pytest.raises(AnalysisException, match="CANNOT_MODIFY"):
            spark.conf.unset(key)


def test_interrupt_stops_a_query_soon(spark):
    failure = []

    def run():
        spark.addTag("nightly")
        try:
            spark.sql(LONG_QUERY).collect()
        except Exception as error:
            failure.append((time.monotonic(), error))

    runner = threading.Thread(target=run)
    runner.start()
    interrupted, deadline = [], time.monotonic() + 20
    while not interrupted and time.monotonic() < deadline:
        time.sleep(0.2)
        began = time.monotonic()
        interrupted = spark.interruptTag("nightly")
    runner.join(20)
    assert len(interrupted) == 1
    assert failure[0][0] - began < 2  # 200 ms on an idle machine
    assert "OPERATION_CANCELED" in str(failure[0][1])
    assert spark.range(3).count() == 3


def test_progress_is_told_while_a_query_runs(spark):
    told = []
    spark.registerProgressHandler(lambda stages, inflight_tasks, operation_id, done: told.append((len(stages), done)))
    try:
        spark.sql("SELECT count(*) FROM range(30000) a CROSS JOIN range(30000) b WHERE (a.id * b.id) % 7 = 3").collect()
    finally:
        spark.clearProgressHandlers()
    assert told[-1][1]
    assert any(stages > 0 and not done for stages, done in told)


@pytest.mark.parametrize("query", [
    "SELECT count(DISTINCT id % 100003), sum(hash(id)) FROM range({n})",
    "SELECT max(w) FROM (SELECT sum(id) OVER (PARTITION BY id % 1000 ORDER BY id) AS w FROM range({n}))",
    "SELECT max(s) FROM (SELECT row_number() OVER (ORDER BY hash(id)) AS s FROM range({n}))",
    # A part of the plan that cannot tell how far it is takes nothing away from those that can.
    "SELECT sum(a.id * b.v) FROM range({n}) a JOIN (VALUES (1), (2), (3)) b(v) ON a.id % 7 = b.v",
])
def test_progress_moves(spark, query):
    """Not from nothing to all at once: whoever looks on sees it grow."""
    rows = 2_000_000
    while True:
        told = []
        spark.registerProgressHandler(
            lambda stages, inflight_tasks, operation_id, done: told.append(sum(s.num_completed_tasks for s in stages)))
        began = time.monotonic()
        try:
            spark.sql(query.format(n=rows)).collect()
        finally:
            spark.clearProgressHandlers()
        if time.monotonic() - began > 2:
            break
        rows *= 4
    assert told == sorted(told)
    assert len({parts for parts in told if 0 < parts < 100}) >= 2, told


def test_observed_metrics(spark):
    observation = Observation("stats")
    spark.range(10).observe(observation, F.count("*").alias("n"), F.max("id").alias("most")).collect()
    assert observation.get == {"n": 10, "most": 9}


def test_sql_over_frames(spark):
    frame = spark.range(5)
    assert spark.sql("SELECT sum(id) AS s FROM {df}", df=frame).first().s == 10


def test_commands_answer_with_rows(spark):
    rows = spark.sql("SHOW CATALOGS")
    assert rows.columns == ["catalog"]
    assert "spark_catalog" in [row.catalog for row in rows.collect()]


def test_deep_plans(spark):
    frame = spark.range(3)
    for i in range(120):
        frame = frame.withColumn("id", F.col("id") + 1)
    assert [row.id for row in frame.collect()] == [120, 121, 122]


def test_storage_levels(spark):
    frame = spark.range(7)
    assert not frame.storageLevel.useMemory
    frame.cache()
    assert frame.storageLevel.useMemory
    frame.unpersist()
    assert not frame.storageLevel.useMemory


def test_several_queries_of_one_session_at_once(spark):
    results = {}

    def run(number):
        results[number] = spark.range(number * 1000).count()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {n: n * 1000 for n in range(1, 9)}


def test_a_released_session_opens_again_only_where_it_was_said(new_session):
    from pyspark.sql.connect.proto import ReleaseSessionRequest

    for allowed in (True, False):
        spark = new_session()
        spark.conf.set("my.own.setting", "1")
        client = spark._client
        request = ReleaseSessionRequest(session_id=spark.session_id, allow_reconnect=allowed)
        request.user_context.user_id = client._user_id or ""
        client._stub.ReleaseSession(request, metadata=client._builder.metadata())
        client._server_session_id = None
        if allowed:
            assert spark.conf.get("my.own.setting", "gone") == "gone"
        else:
            with pytest.raises(Exception, match="INVALID_HANDLE.SESSION_CLOSED"):
                spark.range(1).collect()
