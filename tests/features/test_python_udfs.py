"""The user's Python functions: udf and pandas_udf in DataFrames and SQL, their values and errors."""
import datetime
import decimal
import os
import time

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PythonException
from pyspark.errors.exceptions.connect import SparkConnectGrpcException
from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructType

needs_arrow_functions = pytest.mark.skipif(not hasattr(F, "arrow_udf"), reason="arrow_udf came with PySpark 4.1")


@pytest.fixture
def people(spark):
    return spark.createDataFrame([(1, "John Doe", 21), (2, None, None)], "id INT, name STRING, age INT")


def values(frame):
    return [tuple(row) for row in frame.collect()]


def test_columns_are_named_as_spark_names_them(people):
    slen = F.udf(lambda s: None if s is None else len(s), IntegerType())

    @F.udf
    def shout(s):
        return s and s.upper()

    frame = people.select(slen("name"), slen("name").alias("n"), shout("name"), (slen(F.col("name")) + 1))
    assert frame.columns == ["<lambda>(name)", "n", "shout(name)", "(<lambda>(name) + 1)"]
    assert frame.dtypes[0][1] == "int" and frame.dtypes[2][1] == "string"
    assert values(frame) == [(8, 8, "JOHN DOE", 9), (None, None, None, None)]


def test_functions_stand_wherever_an_expression_does(spark):
    plus = F.udf(lambda a, b: a + b, "bigint")
    frame = spark.range(100)
    assert values(frame.filter(plus("id", F.lit(1)) > 98)) == [(98,), (99,)]
    assert frame.withColumn("x", plus(plus("id", "id"), F.sqrt("id").cast("long"))).agg(F.sum("x")).first()[0] == 10515
    assert frame.groupBy(plus(F.col("id") % 2, F.lit(10)).alias("k")).count().orderBy("k").collect() == [
        Row(k=10, count=50), Row(k=11, count=50)]
    assert frame.agg(plus(F.max("id"), F.min("id"))).first()[0] == 99
    assert frame.orderBy(plus(-F.col("id"), F.lit(0))).first()[0] == 99
    joined = frame.join(spark.range(3).withColumnRenamed("id", "k"), plus("id", F.lit(-98)) == F.col("k"))
    assert sorted(values(joined)) == [(98, 0), (99, 1)]
    assert values(spark.sql("SELECT * FROM {f} WHERE id = 7", f=frame).select(F.when(plus("id", "id") > 5, "big"))) == [
        ("big",)]


@pytest.mark.parametrize("use_arrow", [False, True])
def test_values_of_every_type_go_both_ways(spark, use_arrow):
    frame = spark.sql("""SELECT true AS a, 1Y AS b, 2S AS c, 3 AS d, 4L AS e, 1.5F AS f, 2.5D AS g, 1.25BD AS h, 'x' AS i,
      X'0102' AS j, DATE'2024-02-29' AS k, TIMESTAMP'2024-01-01 12:00:00.5' AS l,
      TIMESTAMP_NTZ'2024-01-01 12:00:00' AS m, array(1, null) AS n, map('a', 1) AS o,
      named_struct('x', 1, 'Y', array('z')) AS p, INTERVAL '1' DAY AS q""")
    for field in frame.schema.fields:
        same = F.udf(lambda v: v, field.dataType, useArrow=use_arrow)
        nothing = F.udf(lambda v: None, field.dataType, useArrow=use_arrow)
        given, back, none = frame.select(field.name, same(field.name), nothing(field.name)).first()
        assert back == given and none is None, field


def test_python_values_are_the_client_s_types(spark):
    frame = spark.sql("SELECT named_struct('x', 1, 'y', DATE'2024-02-29') AS s, 1.50BD AS d, array(map(1, 'a')) AS m")
    show = F.udf(lambda s, d, m: repr((s, d, m)), "string")
    assert frame.select(show("s", "d", "m")).first()[0] == repr(
        (Row(x=1, y=datetime.date(2024, 2, 29)), decimal.Decimal("1.50"), [{1: "a"}]))


def test_pickled_results_of_another_type_are_null(spark):
    frame = spark.range(1)

    def result(value, kind):
        return frame.select(F.udf(lambda i: value, kind, useArrow=False)("id")).first()[0]

    assert result("a", "int") is None and result(1.0, "int") is None and result(True, "int") is None
    assert result(1, "double") is None and result(1, "boolean") is None and result(1, "decimal(5,2)") is None
    assert result(2**40 + 5, "int") == 5 and result(2**70, "bigint") is None and result(300, "tinyint") == 44
    assert result(5, "string") == "5" and result(True, "string") == "true" and result(1e10, "string") == "1.0E10"
    assert result([1, None], "string") == "[1, null]" and result({"a": 1.5}, "string") == "{a=1.5}"
    assert result((1, 2), "array<int>") == [1, 2] and result({1}, "array<int>") is None
    assert result(decimal.Decimal("1.005"), "decimal(5,2)") == decimal.Decimal("1.01")
    assert result({"a": 1, "b": "x"}, "struct<a:int,b:string>") == Row(a=1, b="x")
    with pytest.raises(PythonException):
        result((1,), "struct<a:int,b:string>")


def test_arrow_results_are_cast_or_refused(spark):
    frame = spark.range(1)

    def result(value, kind):
        return frame.select(F.udf(lambda i: value, kind, useArrow=True)("id")).first()[0]

    assert result("7", "int") == 7 and result(5, "string") == "5" and result(1, "double") == 1.0
    with pytest.raises(PythonException):
        result("a", "int")


def test_named_arguments(people):
    @F.udf("string")
    def tell(id, name="?", **more):
        return f"{id} {name} {more}"

    frame = people.select(tell(F.col("id"), name=F.col("name")), tell("id", age=F.col("age")))
    assert frame.columns == ["tell(id, name => name)", "tell(id, age => age)"]
    assert values(frame)[0] == ("1 John Doe {}", "1 ? {'age': 21}")


def test_functions_without_arguments_run_for_each_row(spark):
    counter = iter(range(10**6))
    count = F.udf(lambda: next(counter), "int", useArrow=False)
    assert len({row[0] for row in spark.range(5).select(count()).collect()}) == 5


def test_nondeterministic_functions_are_computed_once_for_a_row(spark):
    import random

    draw = F.udf(lambda: random.random(), "double").asNondeterministic()
    frame = spark.range(3000).select(draw().alias("r")).selectExpr("r", "r AS s").filter("r < 0.5")
    rows = frame.collect()
    assert 0 < len(rows) < 3000 and all(row.r == row.s < 0.5 for row in rows)


def test_pandas_functions(spark, people):
    @F.pandas_udf("long")
    def plus_one(s: pd.Series) -> pd.Series:
        return s + 1

    @F.pandas_udf("first string, last string")
    def split_expand(s: pd.Series) -> pd.DataFrame:
        return s.str.split(expand=True)

    @F.pandas_udf("long")
    def area(s: pd.DataFrame) -> pd.Series:
        return s["a"] * s["b"]

    frame = spark.range(5000)
    assert frame.select(F.sum(plus_one("id"))).first()[0] == 5000 * 5001 // 2
    assert people.limit(1).select(split_expand("name")).columns == ["split_expand(name)"]
    assert people.limit(1).select(split_expand("name")).first()[0] == Row(first="John", last="Doe")
    assert values(spark.sql("SELECT named_struct('a', 3, 'b', 4) AS s").select(area("s"))) == [(12,)]


def test_pandas_iterators(spark):
    from typing import Iterator, Tuple

    @F.pandas_udf("long")
    def plus(batches: Iterator[Tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
        for a, b in batches:
            yield a + b

    assert spark.range(5000).select(F.sum(plus("id", "id"))).first()[0] == 4999 * 5000


@needs_arrow_functions
def test_arrow_functions(spark):
    @F.arrow_udf("string")
    def upper(v: pa.Array) -> pa.Array:
        return pa.compute.ascii_upper(v)

    assert values(spark.createDataFrame([("a",), (None,)], "s string").select(upper("s"))) == [("A",), (None,)]


def test_registered_functions_are_callable_from_sql(spark):
    plus = spark.udf.register("py_plus", lambda a, b=10: a + b, "int")
    spark.udf.register("py_len", F.pandas_udf(lambda s: s.str.len(), "int"))
    assert values(spark.sql("SELECT py_plus(1, 2) AS a, PY_PLUS(b => 5, a => 1) AS b, py_len('abc')")) == [(3, 6, 3)]
    assert spark.sql("SELECT py_plus(1, 2)").columns == ["py_plus(1, 2)"]
    assert values(spark.range(2).select(plus("id"), F.expr("py_plus(id)"))) == [(10, 10), (11, 11)]
    assert values(spark.sql("SELECT id FROM range(20) WHERE py_plus(id, 1) > 19")) == [(19,)]
    spark.udf.register("py_plus", lambda a: -a, "int")
    assert values(spark.sql("SELECT py_plus(1)")) == [(-1,)]


def test_the_user_s_exception_comes_with_its_traceback(spark):
    @F.udf("int")
    def quotient(a):
        return 1 // a

    with pytest.raises(PythonException) as raised:
        spark.range(3).select(quotient("id")).collect()
    text = str(raised.value)
    assert "ZeroDivisionError: integer division or modulo by zero" in text and "in quotient" in text
    assert spark.range(1, 3).select(quotient("id")).collect() == [Row(1), Row(0)]


def test_lambdas_with_python_functions_are_refused(spark):
    plus = F.udf(lambda a: a + 1, "int")
    with pytest.raises(AnalysisException) as raised:
        spark.sql("SELECT array(1) AS a").select(F.transform("a", lambda x: plus(x))).collect()
    assert raised.value.getCondition() == "UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_PYTHON_UDF"


def test_a_worker_that_dies_fails_its_query_only(spark):
    die = F.udf(lambda a: os._exit(7), "int")
    same = F.udf(lambda a: a, "bigint")
    assert spark.range(3).select(F.sum(same("id"))).first()[0] == 3
    with pytest.raises(SparkConnectGrpcException) as raised:
        spark.range(3).select(die("id")).collect()
    assert "Python worker exited unexpectedly" in str(raised.value)
    assert spark.range(3).select(F.sum(same("id"))).first()[0] == 3


@pytest.mark.ours
def test_an_interrupt_ends_a_function_that_sleeps(new_session):
    import threading

    session = new_session()
    sleep = F.udf(lambda a: time.sleep(300), "int")
    timer = threading.Timer(3, session.interruptAll)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(Exception):
        session.range(1).select(sleep("id")).collect()
    timer.join()
    assert time.monotonic() - begin < 30


def test_functions_may_print_and_read_nothing(spark):
    def noisy(a):
        print("noise", flush=True)
        import sys

        return sys.stdin.read()

    assert values(spark.range(1).select(F.udf(noisy, StringType())("id"))) == [("",)]


def test_large_batches_and_closures(spark):
    table = {i: str(i) * 10 for i in range(50000)}
    look_up = F.udf(lambda i: table[i], "string")
    assert spark.range(50000).select(F.sum(F.length(look_up("id")))).first()[0] == sum(map(len, table.values()))


@pytest.mark.ours
def test_an_interpreter_that_is_not_there_is_named(new_session):
    session = new_session({"spark.pyspark.python": "no-such-python"})
    with pytest.raises(SparkConnectGrpcException, match="cannot run 'no-such-python'"):
        session.range(1).select(F.udf(lambda a: a, "int")("id")).collect()


def test_map_in_pandas_and_arrow(spark):
    frame = spark.range(5000).withColumn("name", F.concat(F.lit("n"), "id"))

    def even(batches):
        for batch in batches:
            yield batch[batch.id % 2 == 0]

    def names(batches):
        for batch in batches:
            yield pa.RecordBatch.from_arrays([batch.column(1), batch.column(1)], ["a", "b"])

    def nothing(batches):
        for _ in batches:
            pass
        return iter(())

    mapped = frame.mapInPandas(even, frame.schema)
    assert mapped.columns == ["id", "name"]
    assert mapped.filter("id >= 10").agg(F.count("*"), F.sum("id"), F.max("name")).first() == (2495, 6247480, "n998")
    assert values(frame.limit(1).mapInArrow(names, "a string, b string")) == [("n0", "n0")]
    assert values(frame.mapInArrow(nothing, "a string, b string")) == []
    assert values(frame.limit(1).mapInArrow(names, "a string")) == [("n0",)]  # by position, as in Spark
    for schema in ("a string, b int", "a string, b string, c string"):
        with pytest.raises(SparkConnectGrpcException):
            frame.mapInArrow(names, schema).collect()


def test_functions_over_groups(spark):
    frame = spark.createDataFrame([(1, 1.0), (1, 2.0), (2, 3.0), (2, 5.0), (None, 10.0)], "id INT, v DOUBLE")

    def center(rows):
        return rows.assign(v=rows.v - rows.v.mean())

    def with_key(key, rows):
        return pd.DataFrame([key + (rows.v.sum(),)])

    def arrow(table):
        return table.slice(0, 1)

    assert sorted(values(frame.dropna().groupBy("id").applyInPandas(center, "id int, v double"))) == [
        (1, -0.5), (1, 0.5), (2, -1.0), (2, 1.0)]
    keyed = frame.dropna().groupBy((F.col("id") * 2).alias("k"), "id").applyInPandas(
        with_key, "k int, id int, s double")
    assert sorted(values(keyed)) == [(2, 1, 3.0), (4, 2, 8.0)]
    assert values(frame.groupBy().applyInPandas(lambda rows: rows.head(1), frame.schema)) == [(1, 1.0)]
    assert frame.filter("false").groupBy().applyInPandas(center, frame.schema).collect() == []
    assert sorted(values(frame.dropna().groupBy("id").applyInArrow(arrow, frame.schema))) == [(1, 1.0), (2, 3.0)]


def test_aggregate_functions_of_pandas(spark):
    frame = spark.createDataFrame([(1, 1.0), (1, 2.0), (2, 3.0), (2, None), (2, 10.0)], "id INT, v DOUBLE")

    @F.pandas_udf("double")
    def mean(v: pd.Series) -> float:
        return v.mean()

    @F.pandas_udf("string")
    def both(a: pd.Series, b: pd.Series) -> str:
        return f"{len(a)} {b.sum()}"

    assert frame.groupBy("id").agg(mean("v")).columns == ["id", "mean(v)"]
    assert sorted(values(frame.groupBy("id").agg(mean("v"), (mean(frame.v) * 2).alias("m")))) == [
        (1, 1.5, 3.0), (2, 6.5, 13.0)]
    assert values(frame.agg(both("id", "v"))) == [("5 16.0",)]
    spark.udf.register("py_mean", mean)
    frame.createOrReplaceTempView("numbers_to_mean")
    assert values(spark.sql("SELECT id, py_mean(v) FROM numbers_to_mean GROUP BY id ORDER BY id")) == [
        (1, 1.5), (2, 6.5)]
    for call in ("py_mean(DISTINCT v)", "py_mean(v) FILTER (WHERE id > 1)"):
        with pytest.raises(AnalysisException):
            spark.sql(f"SELECT {call} FROM numbers_to_mean").collect()


@needs_arrow_functions
def test_aggregate_functions_of_arrow(spark):
    @F.arrow_udf("double")
    def total(v: pa.Array) -> float:
        return pa.compute.sum(v).as_py()

    frame = spark.createDataFrame([(1, 1.0), (1, 2.0), (2, 3.0), (2, None), (2, 10.0)], "id INT, v DOUBLE")
    assert sorted(values(frame.groupBy("id").agg(total("v")))) == [(1, 3.0), (2, 13.0)]


def test_functions_over_windows(spark):
    from pyspark.sql import Window

    @F.pandas_udf("double")
    def mean(v: pd.Series) -> float:
        return v.mean()

    whole = Window.partitionBy(F.col("id") % 2)
    running = whole.orderBy("id").rowsBetween(Window.unboundedPreceding, 0)
    frame = spark.range(5).select("id", mean("id").over(whole), mean("id").over(running)).orderBy("id")
    assert values(frame) == [(0, 2.0, 0.0), (1, 2.0, 1.0), (2, 2.0, 1.0), (3, 2.0, 2.0), (4, 2.0, 2.0)]
    with pytest.raises(AnalysisException):
        spark.range(3).select(F.udf(lambda a: a, "bigint")("id").over(whole)).collect()


def test_foreach_calls_the_function_for_each_row(people, tmp_path):
    seen, sizes = tmp_path / "seen", tmp_path / "sizes"

    def note(row):
        with open(seen, "a") as file:
            file.write(f"{row.id} {row.name}\n")

    def count(rows):
        with open(sizes, "a") as file:
            file.write(f"{len(list(rows))}\n")

    people.foreach(note)
    assert sorted(seen.read_text().splitlines()) == ["1 John Doe", "2 None"]
    people.foreachPartition(count)
    assert sum(int(line) for line in sizes.read_text().splitlines()) == 2


@pytest.mark.ours  # The reference may run without pyarrow in its Python.
def test_files_that_the_client_sends_are_with_the_functions(spark, tmp_path):
    import zipfile

    (tmp_path / "sent_module.py").write_text("ANSWER = 42")
    (tmp_path / "sent.txt").write_text("hello")
    with zipfile.ZipFile(tmp_path / "sent_library.zip", "w") as library:
        library.writestr("sent_package/__init__.py", "NAME = 'packed'")
    with zipfile.ZipFile(tmp_path / "sent_archive.zip", "w") as archive:
        archive.writestr("inside.txt", "unpacked")
    spark.addArtifacts(str(tmp_path / "sent_module.py"), str(tmp_path / "sent_library.zip"), pyfile=True)
    spark.addArtifacts(str(tmp_path / "sent.txt"), file=True)
    spark.addArtifacts(str(tmp_path / "sent_archive.zip") + "#sent_folder", archive=True)

    @F.udf("string")
    def found(_):
        import sent_module
        import sent_package
        from pyspark import SparkFiles

        with open(SparkFiles.get("sent.txt")) as file, open("sent_folder/inside.txt") as inside:
            return f"{sent_module.ANSWER} {sent_package.NAME} {file.read()} {inside.read()}"

    assert spark.range(1).select(found("id")).first()[0] == "42 packed hello unpacked"
    # A module that comes later is found by later queries.
    (tmp_path / "sent_later.py").write_text("ANSWER = 43")
    spark.addArtifacts(str(tmp_path / "sent_later.py"), pyfile=True)

    @F.udf("int")
    def later(_):
        import sent_later

        return sent_later.ANSWER

    assert spark.range(1).select(later("id")).first()[0] == 43


def test_functions_get_more_rows_at_once_than_a_vector(spark):
    sizes = F.pandas_udf(lambda s: pd.Series([len(s)] * len(s)), "int")
    size = spark.range(50_000).select(sizes("id").alias("n")).agg(F.max("n")).first()[0]
    assert 2048 < size <= 10_000
    # Each row keeps its own values: those before, beside and behind the functions, in order.
    double = F.pandas_udf(lambda s: s * 2, "bigint")
    text = F.udf(lambda i: None if i % 7 == 0 else f"t{i}", "string")
    frame = spark.range(50_000).withColumn("l", F.array("id")).withColumn("s", F.concat(F.lit("k"), "id"))
    found = frame.select("s", double(double("id")).alias("d"), text("id").alias("t"), "l", (double("id") + 1).alias("e"))
    rows = found.toPandas()
    assert len(rows) == 50_000
    for i in list(range(0, 50_000, 997)) + [8191, 8192, 16_383, 49_999]:
        assert rows.s[i] == f"k{i}" and rows.d[i] == 4 * i and list(rows.l[i]) == [i] and rows.e[i] == 2 * i + 1
        assert rows.t[i] == (None if i % 7 == 0 else f"t{i}")


def test_functions_of_filters_aggregates_and_branches_over_many_rows(spark):
    even = F.udf(lambda i: i % 2 == 0, "boolean")
    double = F.udf(lambda i: i * 2, "bigint")
    inverse = F.udf(lambda i: 1 / i, "double")
    frame = spark.range(30_000)
    kept = frame.withColumn("x", F.col("id") + 1).filter(even("id") & (F.col("id") >= 10_000) & ~even(double("id") + 1))
    assert kept.count() == 10_000
    assert kept.agg(F.min("id"), F.max("x"), F.sum("x")).first() == (10_000, 29_999, 199_990_000 + 10_000)
    groups = frame.groupBy(even("id").alias("k")).agg(F.sum(double("id")), F.count("*")).orderBy("k")
    assert values(groups) == [(False, 450_000_000, 15_000), (True, 449_970_000, 15_000)]
    # Other conditions go first, branches that are not taken are not called.
    assert frame.filter((inverse("id") > 0) & (F.col("id") > 0)).count() == 29_999
    assert frame.select(F.when(F.col("id") > 0, inverse("id")).alias("x")).agg(F.count("x")).first()[0] == 29_999
    always = F.udf(lambda: 1, "int").asNondeterministic()
    assert frame.select(always().alias("x")).agg(F.sum("x")).first()[0] == 30_000
    assert frame.select(double("id").alias("x")).limit(3).agg(F.sum("x")).first()[0] == 6
    assert frame.join(spark.range(5), "id").filter(even("id")).select(double("id")).count() == 3
    nothing = frame.filter(F.col("id") < 0).select(double("id").alias("x"))
    assert nothing.collect() == [] and nothing.agg(F.count("x")).first()[0] == 0
