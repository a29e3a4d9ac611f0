"""Data sources of Python as streams: readers, simple readers and writers.

These hold on Spark too.
"""
import json
import os

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.datasource import (
    DataSource, DataSourceStreamReader, DataSourceStreamWriter, InputPartition, SimpleDataSourceStreamReader, WriterCommitMessage)
from test_streaming import drain


def make_source(kind, folder):
    # Made here, so that it is pickled with its code.
    class Reader(DataSourceStreamReader):
        def __init__(self, options):
            self.most, self.current = int(options.get("most", 6)), 0

        def initialOffset(self):
            return {"at": 0}

        def latestOffset(self):
            produced = os.path.join(folder, "produced")
            if kind == "remembers":
                self.current = min(self.most, self.current + 4)
            else:
                before = int(open(produced).read()) if os.path.exists(produced) else 0
                self.current = min(self.most, before + 4)
                # A query that is stopped ends it anywhere.
                with open(produced + ".new", "w") as file:
                    file.write(str(self.current))
                os.replace(produced + ".new", produced)
            return {"at": self.current}

        def partitions(self, start, end):
            return [InputPartition(n) for n in range(start["at"], end["at"])]

        def read(self, partition):
            yield (partition.value, f"row {partition.value}")

        def commit(self, end):
            with open(os.path.join(folder, "commits"), "a") as file:
                file.write(json.dumps(end) + "\n")

    class Simple(SimpleDataSourceStreamReader):
        def initialOffset(self):
            return {"at": 0}

        def read(self, start):
            end = min(6, start["at"] + 2)
            return iter([(n, f"row {n}") for n in range(start["at"], end)]), {"at": end}

        def readBetweenOffsets(self, start, end):
            return iter([(n, f"row {n}") for n in range(start["at"], end["at"])])

    class Writer(DataSourceStreamWriter):
        def write(self, rows):
            message = WriterCommitMessage()
            message.rows = sorted(row.n for row in rows)
            return message

        def commit(self, messages, batchId):
            with open(os.path.join(folder, "written"), "a") as file:
                file.write(json.dumps([batchId, sorted(n for message in messages if message for n in message.rows)]) + "\n")

        def abort(self, messages, batchId):
            pass

    class Source(DataSource):
        @classmethod
        def name(cls):
            return "numbered"

        def schema(self):
            return "n INT, text STRING"

        def streamReader(self, schema):
            if kind == "simple":
                raise NotImplementedError
            return Reader(self.options)

        def simpleStreamReader(self, schema):
            return Simple()

        def streamWriter(self, schema, overwrite):
            return Writer()

    return Source


def run(df, folder, **trigger):
    return drain(df.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint"), f"{folder}/out", **trigger)


def test_a_reader(spark, tmp_path):
    spark.dataSource.register(make_source("reader", str(tmp_path)))
    stream = spark.readStream.format("numbered").option("most", 6).load()
    assert stream.isStreaming and stream.schema.simpleString() == "struct<n:int,text:string>"
    query = run(stream, tmp_path)
    assert sum(progress["numInputRows"] for progress in query.recentProgress) == 4
    assert sorted(tuple(row) for row in spark.read.parquet(f"{tmp_path}/out").collect()) == [(n, f"row {n}") for n in range(4)]


@pytest.mark.parametrize("kind, starts", [("reader", 2), ("simple", 2), ("remembers", 1)])
def test_batches_and_a_restart(spark, tmp_path, kind, starts):
    spark.dataSource.register(make_source(kind, str(tmp_path)))
    for _ in range(starts):
        query = (spark.readStream.format("numbered").load().writeStream.format("parquet")
                 .option("checkpointLocation", f"{tmp_path}/checkpoint").start(f"{tmp_path}/out"))
        query.processAllAvailable()
        query.stop()
        assert query.exception() is None
        assert sorted(row.n for row in spark.read.parquet(f"{tmp_path}/out").collect()) == list(range(6))


def test_a_writer(spark, tmp_path):
    spark.dataSource.register(make_source("reader", str(tmp_path)))
    (tmp_path / "in").mkdir()
    for n in range(3):
        (tmp_path / "in" / f"{n}.json").write_text("".join(f'{{"n": {10 * n + i}}}\n' for i in range(3)))
    stream = spark.readStream.schema("n INT").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    drain(stream.writeStream.format("numbered").option("checkpointLocation", f"{tmp_path}/checkpoint"))
    written = [json.loads(line) for line in (tmp_path / "written").read_text().splitlines()]
    assert [batch for batch, _ in written] == [0, 1, 2] and sorted(n for _, rows in written for n in rows) == [0, 1, 2, 10, 11, 12, 20, 21, 22]


def test_a_source_that_does_not_stream(spark, tmp_path):
    class Batch(DataSource):
        @classmethod
        def name(cls):
            return "batch_only"

        def schema(self):
            return "n INT"

    spark.dataSource.register(Batch)
    with pytest.raises(PySparkException):
        run(spark.readStream.format("batch_only").load(), tmp_path)
