"""Topics of Kafka, read and written in batches and as streams, beside librdkafka's own broker and clients."""
import json
import time
import uuid
from ast import literal_eval

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException, StreamingQueryException
from pyspark.sql import functions as F

from kafka_service import Kafka

COLUMNS = [("key", "binary"), ("value", "binary"), ("topic", "string"), ("partition", "int"), ("offset", "bigint"),
           ("timestamp", "timestamp"), ("timestampType", "int")]


@pytest.fixture(scope="module")
def kafka():
    broker = Kafka()
    yield broker
    broker.close()


@pytest.fixture
def topic(kafka):
    """An empty topic of two partitions."""
    name = f"t{uuid.uuid4().hex[:8]}"
    kafka.create(name, 2)
    return name


@pytest.fixture(autouse=True)
def no_query_stays(spark):
    yield
    for query in spark.streams.active:
        query.stop()


def read(spark, kafka, topic, **options):
    options = {"subscribe": topic, **options}
    return spark.read.format("kafka").option("kafka.bootstrap.servers", kafka.servers).options(**options).load()


def read_stream(spark, kafka, topic, **options):
    options = {"subscribe": topic, "startingOffsets": "earliest", **options}
    return spark.readStream.format("kafka").option("kafka.bootstrap.servers", kafka.servers).options(**options).load()


def write(df, kafka, **options):
    df.write.format("kafka").option("kafka.bootstrap.servers", kafka.servers).options(**options).save()


def texts(df):
    return sorted(row.v for row in df.select(F.col("value").cast("string").alias("v")).collect())


def drain(df, folder, **options):
    """A query that runs to the end of what there is, into a table."""
    query = (df.writeStream.format("delta").option("checkpointLocation", f"{folder}/checkpoint").options(**options)
             .trigger(availableNow=True).start(f"{folder}/out"))
    assert query.awaitTermination(60)
    return query


# --- batches

def test_a_batch_reads_what_is_there(spark, kafka, topic):
    kafka.send(topic, ("k0", "a"), ("k1", None), (None, ""), partition=0)
    kafka.send(topic, *[f"n{i}" for i in range(1000)], partition=1)
    df = read(spark, kafka, topic)
    assert df.dtypes == COLUMNS and not df.isStreaming
    rows = df.where("partition = 0").orderBy("offset").collect()
    assert [(row.key, row.value, row.topic, row.offset, row.timestampType) for row in rows] == [
        (b"k0", b"a", topic, 0, 0), (b"k1", None, topic, 1, 0), (None, b"", topic, 2, 0)]
    found = df.where("partition = 1").agg(F.count("*"), F.min("offset"), F.max("offset"),
                                          F.countDistinct("value")).first()
    assert tuple(found) == (1000, 0, 999, 1000)
    assert df.where("timestamp > current_timestamp() - INTERVAL 1 HOUR AND timestamp <= current_timestamp()").count() == 1003
    assert df.select("value").count() == 1003


def test_a_batch_begins_and_ends_where_it_is_told(spark, kafka, topic):
    for partition in (0, 1):
        kafka.send(topic, *[f"{partition}{i}" for i in range(5)], partition=partition)
    starts = json.dumps({topic: {"0": 1, "1": -2}})
    ends = json.dumps({topic: {"0": -1, "1": 2}})
    assert texts(read(spark, kafka, topic, startingOffsets=starts, endingOffsets=ends)) == ["01", "02", "03", "04", "10", "11"]
    assert texts(read(spark, kafka, topic, startingOffsets=json.dumps({topic: {"0": 5, "1": 4}}))) == ["14"]
    def chosen(option, value):
        return spark.read.format("kafka").option("kafka.bootstrap.servers", kafka.servers).option(option, value).load()

    assert texts(chosen("assign", json.dumps({topic: [1]}))) == ["10", "11", "12", "13", "14"]
    assert chosen("subscribePattern", f"^{topic[:-2]}..$").count() == 10
    with pytest.raises(PySparkException) as refused:
        read(spark, kafka, topic, startingOffsets=json.dumps({topic: {"0": 1}})).count()
    assert refused.value.getCondition() == "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED"
    assert refused.value.getMessageParameters() == {"specifiedPartitions": f"Set({topic}-0)",
                                                    "assignedPartitions": f"Set({topic}-0, {topic}-1)"}
    with pytest.raises(PySparkException) as refused:
        read(spark, kafka, topic, startingOffsets=json.dumps({topic: {"0": 9, "1": 0}})).count()
    assert refused.value.getCondition() == "RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET"


def test_records_that_kafka_has_dropped(spark, kafka):
    topic = f"old{uuid.uuid4().hex[:8]}"
    kafka.create(topic, 1)
    for _ in range(70):  # The broker keeps 5 MB.
        kafka.send(topic, *["x" * 1000] * 100)
    there = read(spark, kafka, topic).selectExpr("count(*)", "min(offset)", "max(offset)").first()
    assert 0 < there[1] and there[2] == 6999 and there[0] == 7000 - there[1]
    first = {"startingOffsets": json.dumps({topic: {"0": 0}})}
    with pytest.raises(PySparkException) as refused:
        read(spark, kafka, topic, **first).count()
    assert refused.value.getCondition() == "KAFKA_DATA_LOSS.COULD_NOT_READ_OFFSET_RANGE"
    assert read(spark, kafka, topic, failOnDataLoss="false", **first).selectExpr("count(*)", "min(offset)", "max(offset)").first() == there


def test_a_temporary_view_reads_a_topic(spark, kafka, topic):
    kafka.send(topic, "a", "b")
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW topic_view USING kafka "
              f"OPTIONS (`kafka.bootstrap.servers` '{kafka.servers}', subscribe '{topic}')")
    assert texts(spark.sql("SELECT value FROM topic_view WHERE offset > 0")) == ["b"]


def test_rows_are_written_where_they_say(spark, kafka, topic):
    df = spark.sql(f"""SELECT * FROM VALUES
        ('{topic}', 'k', 'to 1', 1, array(struct('h' AS key, X'01' AS value), struct('h' AS key, CAST(NULL AS BINARY) AS value))),
        ('{topic}', NULL, 'to 0', 0, NULL), ('{topic}', '', NULL, 0, array()) AS t(topic, key, value, partition, headers)""")
    write(df, kafka)
    assert kafka.records(topic, 1) == [(b"k", b"to 1", [("h", b"\x01"), ("h", None)])]
    assert sorted(kafka.records(topic, 0), key=str) == [(None, b"to 0", None), (b"", None, None)]
    back = read(spark, kafka, topic, includeHeaders="true")
    assert back.dtypes == COLUMNS + [("headers", "array<struct<key:string,value:binary>>")]
    found = {row.value: row.headers for row in back.collect()}
    assert [tuple(header) for header in found[b"to 1"]] == [("h", b"\x01"), ("h", None)]
    assert found[b"to 0"] is None
    # The option comes before the column.
    other = topic + "x"
    kafka.create(other, 1)
    write(df.drop("partition", "headers"), kafka, topic=f" {other} ")
    assert len(kafka.records(other)) == 3


def test_many_rows_are_written_once(spark, kafka, topic):
    write(spark.range(50_000).selectExpr("CAST(id AS STRING) AS key", "CAST(id AS STRING) AS value"), kafka, topic=topic)
    df = read(spark, kafka, topic)
    assert tuple(df.agg(F.count("*"), F.countDistinct("key")).first()) == (50_000, 50_000)
    # Where Java's producer would put these keys: murmur2 of the bytes.
    parts = {row.k: row.partition for row in df.selectExpr("CAST(key AS STRING) k", "partition").where("k IN ('0', '1', '21', '777')").collect()}
    assert parts == {key: murmur2(key.encode()) % 2 for key in parts} and len(parts) == 4


def murmur2(data):
    """The hash of Kafka's default partitioner, without its sign."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i:i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return (h ^ h >> 15) & 0x7FFFFFFF


@pytest.mark.parametrize("sql, options, message", [
    ("SELECT 'v' AS value", {}, "topic option required when no 'topic' attribute is present"),
    ("SELECT 'k' AS key", {"topic": "t"}, "Required attribute 'value' not found"),
    ("SELECT 1 AS value", {"topic": "t"}, "value attribute unsupported type int. value must be a\\(n\\) string or binary"),
    ("SELECT 'v' AS value, 1L AS partition", {"topic": "t"}, "partition attribute unsupported type bigint"),
    ("SELECT 'v' AS value, 'h' AS headers", {"topic": "t"}, "headers attribute unsupported type string"),
    ("SELECT 'v' AS value", {"topic": "t", "kafka.key.serializer": "x"}, "Kafka option 'key.serializer' is not supported"),
])
def test_rows_that_cannot_be_written(spark, kafka, sql, options, message):
    with pytest.raises((AnalysisException, IllegalArgumentException), match=message):
        write(spark.sql(sql), kafka, **options)


def test_writes_that_are_refused(spark, kafka, topic):
    with pytest.raises(PySparkException) as refused:
        write(spark.sql("SELECT CAST(NULL AS STRING) AS topic, 'v' AS value"), kafka)
    assert refused.value.getCondition() == "KAFKA_NULL_TOPIC_IN_DATA"
    for mode in ("overwrite", "ignore"):
        with pytest.raises(AnalysisException, match=f"Save mode {mode.title()} not allowed for Kafka"):
            spark.range(1).write.format("kafka").mode(mode).save()
    with pytest.raises(PySparkException, match="(?i)partition"):
        write(spark.sql(f"SELECT '{topic}' AS topic, 'v' AS value, 9 AS partition"), kafka, **{"kafka.delivery.timeout.ms": "5000"})


@pytest.mark.parametrize("options, message", [
    ({}, "Option 'kafka.bootstrap.servers' must be specified"),
    ({"kafka.bootstrap.servers": "h:1", "assign": "{}"}, "Only one of the following options can be specified"),
    ({"kafka.bootstrap.servers": "h:1", "kafka.auto.offset.reset": "latest"}, "Kafka option 'auto.offset.reset' is not supported"),
    ({"kafka.bootstrap.servers": "h:1", "startingOffsets": "soon"}, "Expected e.g. "),
    ({"kafka.bootstrap.servers": "h:1", "kafka.interceptor.classes": "x"}, "Kafka option 'interceptor.classes' is not supported"),
])
def test_options_without_meaning(spark, options, message):
    for reader in (spark.read, spark.readStream):
        with pytest.raises(IllegalArgumentException, match=message):
            reader.format("kafka").option("subscribe", "t").options(**options).load().schema


def test_a_schema_of_ones_own_is_refused(spark):
    options = {"kafka.bootstrap.servers": "h:1", "subscribe": "t"}
    with pytest.raises(IllegalArgumentException, match="Kafka source has a fixed schema"):
        spark.readStream.schema("a INT").format("kafka").options(**options).load().schema
    with pytest.raises(AnalysisException, match="user-specified schema doesn't match the actual schema"):
        spark.read.schema("a INT").format("kafka").options(**options).load().schema


# --- streams

def test_a_stream_goes_on_where_it_stopped(spark, kafka, topic, tmp_path):
    kafka.send(topic, "a", "b", partition=0)
    kafka.send(topic, "c", partition=1)
    stream = read_stream(spark, kafka, topic)
    assert stream.isStreaming and stream.dtypes == COLUMNS
    progress = drain(stream, tmp_path).lastProgress
    assert texts(spark.read.format("delta").load(f"{tmp_path}/out")) == ["a", "b", "c"]
    assert progress.sources[0].description == f"KafkaV2[Subscribe[{topic}]]"
    assert literal_eval(progress.sources[0].endOffset) == {topic: {"0": 2, "1": 1}}
    assert progress.numInputRows == 3
    # Spark's layout.
    assert (tmp_path / "checkpoint/sources/0/0").read_bytes() == b'\0v1\n{"%s":{"0":0,"1":0}}' % topic.encode()
    assert (tmp_path / "checkpoint/offsets/0").read_text().splitlines()[2] == '{"%s":{"0":2,"1":1}}' % topic
    kafka.send(topic, "d", partition=1)
    drain(stream, tmp_path)
    drain(stream, tmp_path)
    assert texts(spark.read.format("delta").load(f"{tmp_path}/out")) == ["a", "b", "c", "d"]
    assert not (tmp_path / "checkpoint/offsets/2").exists()


def test_a_checkpoint_of_spark_is_taken(spark, kafka, topic, tmp_path):
    kafka.send(topic, *"abcde", partition=0)
    kafka.send(topic, *"fgh", partition=1)
    checkpoint = tmp_path / "checkpoint"
    for folder in ("offsets", "commits", "sources/0"):
        (checkpoint / folder).mkdir(parents=True)
    (checkpoint / "metadata").write_text('{"id":"%s"}' % uuid.uuid4())
    (checkpoint / "sources/0/0").write_bytes(b'\0v1\n{"%s":{"1":0,"0":0}}' % topic.encode())
    (checkpoint / "offsets/0").write_text('v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"%s":{"1":1,"0":3}}' % topic)
    (checkpoint / "commits/0").write_text('v1\n{"nextBatchWatermarkMs":0}')
    drain(read_stream(spark, kafka, topic), tmp_path)
    assert texts(spark.read.format("delta").load(f"{tmp_path}/out")) == ["d", "e", "g", "h"]


def test_batches_are_as_large_as_they_may_be(spark, kafka, topic, tmp_path):
    kafka.send(topic, *[str(i) for i in range(30)], partition=0)
    kafka.send(topic, *[str(i) for i in range(30, 40)], partition=1)
    query = drain(read_stream(spark, kafka, topic, maxOffsetsPerTrigger=8), tmp_path)
    ends = [literal_eval(each.sources[0].endOffset)[topic] for each in query.recentProgress]
    assert ends == [{"0": 6, "1": 2}, {"0": 12, "1": 4}, {"0": 18, "1": 6}, {"0": 24, "1": 8}, {"0": 30, "1": 10}]
    assert query.recentProgress[1].sources[0].metrics == {
        "minOffsetsBehindLatest": "6", "maxOffsetsBehindLatest": "18", "avgOffsetsBehindLatest": "12.0"}
    assert literal_eval(query.recentProgress[0].sources[0].latestOffset) == {topic: {"0": 30, "1": 10}}
    assert spark.read.format("delta").load(f"{tmp_path}/out").select("value").distinct().count() == 40


def test_a_running_stream_sees_what_comes(spark, kafka, topic, tmp_path):
    kafka.send(topic, "early")
    stream = read_stream(spark, kafka, topic, startingOffsets="latest")
    query = stream.writeStream.format("memory").queryName(f"seen_{topic}").option(
        "checkpointLocation", f"{tmp_path}/checkpoint").start()
    query.processAllAvailable()
    for value in ("one", "two", "three"):
        kafka.send(topic, value, partition=len(value) % 2)
        query.processAllAvailable()
    query.stop()
    assert texts(spark.table(f"seen_{topic}")) == ["one", "three", "two"]


def test_topics_that_come_later_are_read_from_their_beginning(spark, kafka, topic, tmp_path):
    kafka.send(topic, "a")
    stream = spark.readStream.format("kafka").options(
        **{"kafka.bootstrap.servers": kafka.servers, "subscribePattern": f"{topic}.*", "startingOffsets": "earliest"}).load()
    drain(stream, tmp_path)
    kafka.create(topic + "later", 1)
    kafka.send(topic + "later", "b", "c")
    drain(stream, tmp_path, maxOffsetsPerTrigger="1")
    assert texts(spark.read.format("delta").load(f"{tmp_path}/out")) == ["a", "b", "c"]


def test_lost_records_end_the_query_or_are_passed_over(spark, kafka, topic, tmp_path):
    kafka.send(topic, "a", "b")
    where = json.dumps({topic: {"0": 100, "1": 0}})
    for strict in ("true", "false"):
        stream = read_stream(spark, kafka, topic, startingOffsets=where, failOnDataLoss=strict)
        query = stream.writeStream.format("noop").option("checkpointLocation", f"{tmp_path}/{strict}").trigger(availableNow=True).start()
        if strict == "false":
            assert query.awaitTermination(60)
            continue
        with pytest.raises(StreamingQueryException, match="KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED"):
            query.awaitTermination(60)


def test_a_topic_that_is_not_there(spark, kafka, tmp_path):
    with pytest.raises(PySparkException, match="This server does not host this topic-partition"):
        read(spark, kafka, "nosuch", **{"fetchOffset.numRetries": "1"}).count()


def test_a_stop_ends_a_query_whose_broker_is_not_there(spark, tmp_path):
    stream = spark.readStream.format("kafka").options(**{"kafka.bootstrap.servers": "127.0.0.1:1", "subscribe": "t"}).load()
    query = stream.writeStream.format("noop").option("checkpointLocation", f"{tmp_path}/checkpoint").start()
    time.sleep(1)
    begun = time.monotonic()
    query.stop()
    assert time.monotonic() - begun < 20 and not query.isActive and query.exception() is None


def test_a_stream_from_topic_to_topic(spark, kafka, topic, tmp_path):
    target = topic + "out"
    kafka.create(target, 1)
    stream = read_stream(spark, kafka, topic).selectExpr("key", "upper(CAST(value AS STRING)) AS value")

    def run():
        query = (stream.writeStream.format("kafka").option("kafka.bootstrap.servers", kafka.servers).option("topic", target)
                 .option("checkpointLocation", f"{tmp_path}/checkpoint").trigger(availableNow=True).start())
        assert query.awaitTermination(60)
        return query

    kafka.send(topic, ("k", "a"))
    assert "KafkaTable" in run().lastProgress.sink.description
    kafka.send(topic, "b", partition=1)
    run()
    assert kafka.records(target) == [(b"k", b"A", None), (None, b"B", None)]


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_results_of_an_aggregation_are_written_as_they_change(spark, kafka, topic, tmp_path, mode):
    target = topic + "counts"
    kafka.create(target, 1)
    counts = read_stream(spark, kafka, topic).groupBy("value").count().selectExpr(
        "value AS key", "CAST(count AS STRING) AS value")
    query = (counts.writeStream.outputMode(mode).format("kafka").option("kafka.bootstrap.servers", kafka.servers)
             .option("topic", target).option("checkpointLocation", f"{tmp_path}/checkpoint").start())
    kafka.send(topic, "x", "y", "x")
    query.processAllAvailable()
    first = len(kafka.records(target))
    kafka.send(topic, "x")
    query.processAllAvailable()
    query.stop()
    later = [(key, value) for key, value, _ in kafka.records(target)[first:]]
    assert (b"x", b"3") in later and (b"y", b"1") in later or mode == "update"
    assert later == [(b"x", b"3")] or mode == "complete"
