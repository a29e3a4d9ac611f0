"""Batch data sources that users write in Python: registered, read, written, with filters; their errors."""
import os
import sys

import pytest

pytest.importorskip("pyspark.sql.datasource", reason="data sources in Python came with PySpark 4.0")

from pyspark import cloudpickle
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition, WriterCommitMessage

pytestmark = pytest.mark.ours  # The reference may run without pyarrow in its Python.

# The processes of the server cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Counting(DataSource):
    @classmethod
    def name(cls):
        return "counting"

    def schema(self):
        return "a INT, b STRING"

    def reader(self, schema):
        return CountingReader(self.options)

    def writer(self, schema, overwrite):
        return CountingWriter(self.options, schema, overwrite)


class Piece(InputPartition):
    def __init__(self, value):
        self.value = value


class CountingReader(DataSourceReader):
    def __init__(self, options):
        self.options = options

    def partitions(self):
        return [Piece(i) for i in range(int(self.options.get("pieces", "2")))]

    def read(self, partition):
        if "fail" in self.options:
            raise ValueError("no rows today")
        for i in range(3):
            yield (partition.value * 10 + i, self.options.get("path"))


class CountingWriter(DataSourceWriter):
    def __init__(self, options, schema, overwrite):
        self.options, self.names, self.overwrite = options, schema.names, overwrite

    def write(self, rows):
        from pyspark import TaskContext

        message = WriterCommitMessage()
        message.rows = [tuple(row) for row in rows]
        message.partition = TaskContext.get().partitionId()
        if "fail" in self.options:
            raise ValueError("not written")
        return message

    def commit(self, messages):
        with open(self.options["out"], "w") as out:
            out.write(f"{self.overwrite} {self.names} {sorted(row for m in messages for row in m.rows)}")

    def abort(self, messages):
        with open(self.options["out"], "w") as out:
            out.write(f"aborted {messages}")


@pytest.fixture
def source(spark):
    spark.dataSource.register(Counting)
    return lambda **options: spark.read.format("counting").options(**options)


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


def test_rows_of_all_partitions(spark, source):
    assert rows(source().load()) == [(n, None) for n in (0, 1, 2, 10, 11, 12)]
    assert rows(source(pieces="1").load("/x/y").filter("a > 0").select("b", F.col("a") + 1)) == [("/x/y", 2), ("/x/y", 3)]
    assert source(pieces="50").load().count() == 150
    assert rows(source().load().groupBy((F.col("a") % 2).alias("k")).agg(F.sum("a"))) == [(0, 24), (1, 12)]
    assert source().load().orderBy(F.desc("a")).limit(2).toPandas()["a"].tolist() == [12, 11]
    assert spark.read.format("COUNTING").load().schema.simpleString() == "struct<a:int,b:string>"
    assert rows(source().schema("a INT, b STRING").load())[0] == (0, None)


def test_sql_reads_it_through_a_view(spark, source):
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW counted USING counting OPTIONS (pieces '1')")
    assert rows(spark.sql("SELECT sum(a) FROM counted")) == [(3,)]
    assert rows(spark.sql("SELECT x.a FROM counted x JOIN counted y ON x.a = y.a + 1")) == [(1,), (2,)]


def test_without_partitions_and_with_arrow_batches(spark):
    import pyarrow as pa

    class Batches(DataSource):
        @classmethod
        def name(cls):
            return "batches"

        def schema(self):
            return "n BIGINT, d DATE, t ARRAY<STRING>"

        def reader(self, schema):
            return BatchesReader()

    class BatchesReader(DataSourceReader):
        def read(self, partition):
            import datetime

            assert partition is None
            for n in range(3):
                yield pa.RecordBatch.from_pydict(
                    {"n": [n], "d": [datetime.date(2024, 1, 1 + n)], "t": [["a", None]]},
                    schema=pa.schema([("n", pa.int64()), ("d", pa.date32()), ("t", pa.list_(pa.string()))]),
                )

    spark.dataSource.register(Batches)
    found = rows(spark.read.format("batches").load().select("n", F.col("d").cast("string"), F.size("t")))
    assert found == [(0, "2024-01-01", 2), (1, "2024-01-02", 2), (2, "2024-01-03", 2)]


def test_filters_reach_a_reader_that_takes_them(spark):
    class Filtered(Counting):
        @classmethod
        def name(cls):
            return "filtered"

        def reader(self, schema):
            return FilteredReader(self.options)

    class FilteredReader(CountingReader):
        def pushFilters(self, filters):
            self.seen = []
            for one in filters:
                self.seen.append(repr(one))
                yield one

        def read(self, partition):
            for n in range(5):
                yield (n, ";".join(getattr(self, "seen", [])))

    spark.dataSource.register(Filtered)
    read = spark.read.format("filtered").options(pieces="1")
    with pytest.raises(AnalysisException, match="DATA_SOURCE_PUSHDOWN_DISABLED"):
        read.load().collect()
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        [(n, seen)] = rows(read.load().filter("a = 3"))
        assert n == 3 and "EqualTo(attribute=('a',), value=3)" in seen
        # Filters are applied whatever the reader does with them.
        [(n, seen)] = rows(read.load().filter("a > 2 AND a IN (1, 4)"))
        assert n == 4 and "GreaterThan(attribute=('a',), value=2)" in seen
        assert rows(read.load())[0] == (0, "")
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_writes_commit_or_abort(spark, source, tmp_path):
    out = str(tmp_path / "out")
    frame = spark.sql("SELECT id, concat('r', id) AS name FROM range(3)")
    write = lambda mode, **options: frame.write.format("counting").mode(mode).options(out=out, **options).save()
    write("append")
    assert open(out).read() == "False ['id', 'name'] [(0, 'r0'), (1, 'r1'), (2, 'r2')]"
    write("overwrite")
    assert open(out).read().startswith("True")
    os.unlink(out)
    with pytest.raises(PythonException, match="not written"):
        write("append", fail="yes")
    assert open(out).read() == "aborted [None]"
    for mode in ("error", "ignore"):
        with pytest.raises(AnalysisException, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE"):
            write(mode)


def test_errors_tell_whose_they_are(spark, source):
    class Bare(DataSource):
        @classmethod
        def name(cls):
            return "bare"

    class BadSchema(Bare):
        @classmethod
        def name(cls):
            return "bad_schema"

        def schema(self):
            raise ValueError("no schema today")

    class NoReader(Bare):
        @classmethod
        def name(cls):
            return "no_reader"

        def schema(self):
            return "a INT"

    for one in (BadSchema, NoReader):
        spark.dataSource.register(one)
    with pytest.raises(PythonException, match="no rows today"):
        source(fail="yes").load().collect()
    with pytest.raises(AnalysisException, match="(?s)PYTHON_DATA_SOURCE_ERROR.*create.*no schema today"):
        spark.read.format("bad_schema").load().schema
    with pytest.raises(AnalysisException, match="(?s)PYTHON_DATA_SOURCE_ERROR.*plan.*NOT_IMPLEMENTED"):
        spark.read.format("no_reader").load().collect()
    with pytest.raises(AnalysisException, match="(?s)PYTHON_DATA_SOURCE_ERROR.*initialize.*NOT_IMPLEMENTED"):
        spark.range(1).write.format("no_reader").mode("append").save()
    with pytest.raises(Exception, match="DATA_SOURCE_RETURN_SCHEMA_MISMATCH"):
        source().schema("a INT").load().collect()
