"""Table functions that users write in Python: eval, terminate, TABLE arguments, analyze; and cogroup."""
import sys

import pandas as pd
import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import Row
from pyspark.sql import functions as F

pytestmark = pytest.mark.ours  # The reference may run without pyarrow in its Python.

# The processes of the server cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


class Squares:
    def eval(self, start: int, end: int):
        for n in range(start, end + 1):
            yield n, n * n


class Totals:
    """The sum of a table's column a, told at the end of each partition."""

    def __init__(self):
        self.total, self.seen = 0, []

    def eval(self, row: Row):
        self.total += row["a"]
        self.seen.append(row["b"])

    def terminate(self):
        yield self.total, ",".join(self.seen)


def test_calls_by_code_and_by_name(spark):
    squares = F.udtf(Squares, returnType="num: int, squared: int")
    assert rows(squares(F.lit(1), F.lit(3))) == [(1, 1), (2, 4), (3, 9)]
    spark.udtf.register("squares", squares)
    assert rows(spark.sql("SELECT squared FROM squares(2, 3) WHERE num > 2")) == [(9,)]
    assert rows(spark.sql("SELECT * FROM squares(end => 2, start => 1) AS t(x, y)")) == [(1, 1), (2, 4)]
    assert spark.sql("SELECT * FROM squares(1, 1)").columns == ["num", "squared"]


def test_lateral_joins(spark):
    spark.udtf.register("squares", F.udtf(Squares, returnType="num: int, squared: int"))
    spark.createDataFrame([(1, 2), (3, 3), (9, 8)], "a INT, b INT").createOrReplaceTempView("spans")
    assert rows(spark.sql("SELECT a, num FROM spans, LATERAL squares(a, b)")) == [(1, 1), (1, 2), (3, 3)]
    assert rows(spark.sql("SELECT a, num FROM spans LEFT JOIN LATERAL squares(a, b) ORDER BY a"))[-1] == (9, None)


def test_terminate_and_nothing(spark):
    class Ending:
        def __init__(self):
            self.count = 0

        def eval(self, x):
            self.count += 1

        def terminate(self):
            yield (self.count,)

    assert rows(F.udtf(Ending, returnType="n: int")(F.lit(5))) == [(1,)]

    class Silent:
        def eval(self):
            pass

    assert rows(F.udtf(Silent, returnType="n: int")()) == []


def test_table_arguments(spark):
    spark.udtf.register("totals", F.udtf(Totals, returnType="total: bigint, seen: string"))
    spark.createDataFrame(
        [(1, "x", "p"), (2, "y", "q"), (3, "z", "p"), (4, "w", None)], "a INT, b STRING, k STRING"
    ).createOrReplaceTempView("facts")
    assert rows(spark.sql("SELECT total FROM totals(TABLE(facts) WITH SINGLE PARTITION)")) == [(10,)]
    assert rows(spark.sql("SELECT * FROM totals(TABLE(facts) PARTITION BY k ORDER BY a DESC)")) == [
        (2, "y"), (4, "w"), (4, "z,x")]
    assert rows(spark.sql("SELECT * FROM totals(TABLE(SELECT * FROM facts WHERE a < 3) PARTITION BY 1 ORDER BY b DESC)")) == [
        (3, "y,x")]
    assert rows(spark.sql("SELECT * FROM totals(TABLE(SELECT a, b FROM facts WHERE false) PARTITION BY a)")) == []
    totals = F.udtf(Totals, returnType="total: bigint, seen: string")
    frame = spark.table("facts")
    assert rows(totals(frame.asTable().partitionBy("k").orderBy(F.col("a").desc()))) == [(2, "y"), (4, "w"), (4, "z,x")]
    with pytest.raises(AnalysisException, match="TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS"):
        spark.sql("SELECT * FROM totals(TABLE(facts), TABLE(facts))").collect()


def test_analyze_says_the_schema(spark):
    from pyspark.sql.functions import AnalyzeArgument, AnalyzeResult, OrderingColumn, PartitioningColumn
    from pyspark.sql.types import IntegerType, StructType

    @F.udtf
    class Repeat:
        @staticmethod
        def analyze(count: AnalyzeArgument) -> AnalyzeResult:
            assert count.isConstantExpression and not count.isTable
            schema = StructType()
            for i in range(count.value):
                schema = schema.add(f"c{i}", IntegerType())
            return AnalyzeResult(schema)

        def eval(self, count):
            yield tuple(range(count))

    spark.udtf.register("repeat_columns", Repeat)
    frame = spark.sql("SELECT * FROM repeat_columns(3)")
    assert frame.columns == ["c0", "c1", "c2"] and rows(frame) == [(0, 1, 2)]

    @F.udtf
    class Partitioned:
        def __init__(self, result):
            self.last, self.columns = None, result.schema.names

        @staticmethod
        def analyze(table: AnalyzeArgument) -> AnalyzeResult:
            assert table.isTable and table.dataType.names == ["k", "v"]
            return AnalyzeResult(
                StructType().add("v", IntegerType()),
                partitionBy=[PartitioningColumn("k")],
                orderBy=[OrderingColumn("v")],
            )

        def eval(self, row):
            self.last = row["v"]

        def terminate(self):
            assert self.columns == ["v"]
            yield (self.last,)

    spark.udtf.register("last_of", Partitioned)
    spark.createDataFrame([("a", 3), ("a", 1), ("b", 2)], "k STRING, v INT").createOrReplaceTempView("pairs")
    assert rows(spark.sql("SELECT * FROM last_of(TABLE(pairs))")) == [(2,), (3,)]
    with pytest.raises(AnalysisException, match="REQUIRED_METADATA_INCOMPATIBLE_WITH_CALL"):
        spark.sql("SELECT * FROM last_of(TABLE(pairs) PARTITION BY v)").collect()
    with pytest.raises(AnalysisException, match="(?s)FAILED_TO_ANALYZE_IN_PYTHON.*signature"):
        spark.sql("SELECT * FROM repeat_columns(1, 2)").collect()


@pytest.mark.skipif(not hasattr(F, "arrow_udtf"), reason="arrow_udtf came with PySpark 4.1")
def test_arrow_table_functions(spark):
    @F.arrow_udtf(returnType="n BIGINT, total BIGINT")
    class Sums:
        def eval(self, batch):
            yield pa.table({"n": pa.array([batch.num_rows]), "total": pa.array([sum(batch.column("v").to_pylist())])})

    spark.udtf.register("sums", Sums)
    spark.createDataFrame([("a", 3), ("a", 1), ("b", 2)], "k STRING, v INT").createOrReplaceTempView("pairs")
    assert rows(spark.sql("SELECT * FROM sums(TABLE(pairs) PARTITION BY k)")) == [(1, 2), (2, 4)]


def test_errors(spark):
    class Failing:
        def eval(self, x):
            raise ValueError("not this one")

    class TooWide:
        def eval(self):
            yield 1, 2

    with pytest.raises(PythonException, match="(?s)UDTF_EXEC_ERROR.*not this one"):
        F.udtf(Failing, returnType="n: int")(F.lit(1)).collect()
    with pytest.raises(PythonException, match="UDTF_RETURN_SCHEMA_MISMATCH"):
        F.udtf(TooWide, returnType="n: int")().collect()
    with pytest.raises(PythonException, match="UDTF_EVAL_METHOD_ARGUMENTS_DO_NOT_MATCH_SIGNATURE"):
        F.udtf(Squares, returnType="num: int, squared: int")(F.lit(1)).collect()


def test_cogrouped_functions(spark):
    left = spark.createDataFrame([(1, "a", 1.0), (1, "b", 2.0), (2, "c", 3.0), (None, "n", 4.0)], "id INT, l STRING, v DOUBLE")
    right = spark.createDataFrame([(1, "x"), (3, "y"), (None, "m")], "id INT, r STRING")

    def merged(left_rows, right_rows):
        return pd.DataFrame({"n": [len(left_rows)], "m": [len(right_rows)]})

    def keyed(key, left_rows, right_rows):
        return pd.DataFrame({"id": [key[0]], "text": ["".join(left_rows["l"]) + "|" + "".join(right_rows["r"])]})

    pair = lambda: left.groupBy("id").cogroup(right.groupBy("id"))
    assert rows(pair().applyInPandas(merged, "n INT, m INT")) == [(0, 1), (1, 0), (1, 1), (2, 1)]
    found = pair().applyInPandas(keyed, "id DOUBLE, text STRING").orderBy("text").collect()
    assert [row["text"] for row in found] == ["ab|x", "c|", "n|m", "|y"]

    def arrow_pairs(left_rows, right_rows):
        return pa.table({"n": pa.array([left_rows.num_rows]), "m": pa.array([right_rows.num_rows])})

    assert rows(pair().applyInArrow(arrow_pairs, "n BIGINT, m BIGINT")) == [(0, 1), (1, 0), (1, 1), (2, 1)]
