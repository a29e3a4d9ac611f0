"""DataFrames that meet themselves: which of them a column means, and columns by name whose structs differ."""
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F


def condition_of(action):
    with pytest.raises(PySparkException) as raised:
        action()
    return raised.value.getCondition()


def test_a_column_of_a_dataframe_that_is_joined_with_itself(spark):
    one = spark.range(3).withColumn("v", F.lit(1))
    some = one.filter("id > 0")
    joined = one.join(some, one.id == some.id)
    assert [tuple(row) for row in joined.orderBy(some.id).select(some.id).collect()] == [(1,), (2,)]
    for ambiguous in (
        lambda: joined.select(one.id).collect(),
        lambda: joined.filter(one.v == 1).collect(),
        lambda: joined.drop(one.id).collect(),
        lambda: joined.join(spark.range(5).withColumnRenamed("id", "x"), one.id == F.col("x")).collect(),
        lambda: one.join(one, one.id == one.id).collect(),
    ):
        assert condition_of(ambiguous) == "AMBIGUOUS_COLUMN_REFERENCE"
    # What only one of the two still has is clear.
    narrow = one.filter("id > 0").select("id")
    assert one.join(narrow, one.id == narrow.id).select(one.v).count() == 2
    named = one.alias("x")
    assert one.join(named, F.col("x.id") == one.id).count() == 3


def test_union_by_name_merges_structs(spark):
    left = spark.sql("SELECT 1 AS id, named_struct('a', 1, 'b', named_struct('x', 1)) AS s")
    right = spark.sql("SELECT 2 AS id, named_struct('c', 'z', 'b', named_struct('y', 2)) AS s")
    both = left.unionByName(right, allowMissingColumns=True)
    assert both.schema["s"].dataType.simpleString() == "struct<a:int,b:struct<x:int,y:int>,c:string>"
    assert [row.s.asDict(True) for row in both.orderBy("id").collect()] == [
        {"a": 1, "b": {"x": 1, "y": None}, "c": None},
        {"a": None, "b": {"x": None, "y": 2}, "c": "z"},
    ]
    left = spark.sql("SELECT array(named_struct('a', 1)) AS s")
    right = spark.sql("SELECT array(named_struct('b', 2)) AS s")
    merged = left.unionByName(right, allowMissingColumns=True).collect()
    assert sorted(str(row.s) for row in merged) == ["[Row(a=1, b=None)]", "[Row(a=None, b=2)]"]
    assert condition_of(lambda: left.unionByName(right).collect()) == "FIELD_NOT_FOUND"
    swapped = spark.sql("SELECT named_struct('a', 1, 'b', 2) AS s").unionByName(
        spark.sql("SELECT named_struct('b', 3, 'a', 4) AS s"))
    assert sorted(tuple(row.s) for row in swapped.collect()) == [(1, 2), (4, 3)]


def test_pivot_takes_no_star(spark):
    data = spark.sql("SELECT * FROM VALUES (1, 'a'), (1, 'b') AS t(k, s)")
    assert condition_of(lambda: data.groupBy("k").pivot("s").agg(F.count("*")).collect()) == (
        "INVALID_USAGE_OF_STAR_OR_REGEX")


def test_time_windows_in_dataframes(spark):
    data = spark.sql("SELECT TIMESTAMP'2024-01-01 00:10:00' AS t, 1 AS v UNION ALL SELECT TIMESTAMP'2024-01-01 00:15:00', 2")
    assert data.withColumn("w", F.window("t", "1 hour")).select("w.start").distinct().count() == 1
    assert data.select(F.window("t", "1 hour").start).columns == ["window.start"]
    sessions = data.groupBy(F.session_window("t", "10 minutes")).agg(F.sum("v").alias("n")).collect()
    assert [row.n for row in sessions] == [3]


def test_quotients_may_be_null(spark):
    data = spark.sql("SELECT id, id % 2 AS m, id / 2 AS q, id DIV 2 AS d, pmod(id, 2) AS p FROM range(1)")
    assert [field.nullable for field in data.schema] == [False, True, True, True, True]


def test_a_column_of_another_dataframe(spark):
    """A column is the DataFrame's that it was taken from: another's column of the same name is an error, not its value."""
    first = spark.createDataFrame([(1, "x")], "id int, v string")
    other = spark.createDataFrame([(2, "y")], "id int, v string")
    for wrong in (
        lambda: other.select(first.id).collect(),
        lambda: other.filter(first.id == 2).collect(),
        lambda: other.orderBy(first.id).collect(),
        lambda: other.groupBy(first.id).count().collect(),
        lambda: other.withColumn("w", first.v).collect(),
        lambda: first.union(other).select(other.id).collect(),
    ):
        assert condition_of(wrong) == "CANNOT_RESOLVE_DATAFRAME_COLUMN"
    assert first.union(other).select(first.id).count() == 2
    assert first.filter("id = 1").select(first.id).first().id == 1
    assert first.withColumn("w", first.id + 1).select(first.id, "w").first() == (1, 2)
    assert first.crossJoin(other).select(first.id, other.id).first() == (1, 2)
    assert first.alias("a").select(first.id).first().id == 1
    assert first.distinct().sort(first.id).limit(1).select(first.v).first().v == "x"
    assert first.groupBy(first.id).agg(F.max(first.v).alias("m")).select(first.id).first().id == 1
    assert first.dropDuplicates(["id"]).select(first.v).first().v == "x"
