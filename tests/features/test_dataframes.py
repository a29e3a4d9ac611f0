"""DataFrames: what users write, with answers that Spark gives."""
import datetime
import decimal

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row, Window
from pyspark.sql import functions as F

PEOPLE = [(1, "ann", 30, "x"), (2, "bob", None, "x"), (3, "cid", 41, "y"), (4, None, 25, "y")]


@pytest.fixture
def people(spark):
    return spark.createDataFrame(PEOPLE, "id INT, name STRING, age INT, team STRING")


def rows(frame):
    return sorted((tuple(r) for r in frame.collect()), key=str)


def test_select_filter_and_names(people):
    frame = people.where(F.col("age") > 26).select("id", (F.col("age") + 1).alias("next"), F.upper("name"))
    assert frame.columns == ["id", "next", "upper(name)"]
    assert rows(frame) == [(1, 31, "ANN"), (3, 42, "CID")]


def test_aggregate_and_pivot(people):
    assert rows(people.groupBy("team").agg(F.count("*").alias("n"), F.avg("age").alias("a"))) == [
        ("x", 2, 30.0), ("y", 2, 33.0)]
    assert rows(people.groupBy().pivot("team", ["x", "y"]).agg(F.sum("age"))) == [(30, 66)]


def test_joins(spark, people):
    teams = spark.createDataFrame([("x", "red"), ("z", "blue")], "team STRING, colour STRING")
    assert rows(people.join(teams, "team").select("id", "colour")) == [(1, "red"), (2, "red")]
    assert rows(people.join(teams, "team", "left_anti").select("id")) == [(3,), (4,)]
    assert people.join(teams, people.team == teams.team, "full").count() == 5


def test_windows(people):
    ranked = people.withColumn("r", F.row_number().over(Window.partitionBy("team").orderBy(F.col("age").desc_nulls_last())))
    assert rows(ranked.where("r = 1").select("id")) == [(1,), (3,)]


def test_na_and_dedup(people):
    assert rows(people.na.fill({"name": "?", "age": 0}).select("id", "name", "age")) == [
        (1, "ann", 30), (2, "bob", 0), (3, "cid", 41), (4, "?", 25)]
    assert people.na.drop().count() == 2
    assert people.dropDuplicates(["team"]).count() == 2


def test_set_operations(spark):
    left, right = spark.range(4), spark.range(2, 6)
    assert left.union(right).count() == 8
    assert rows(left.intersect(right)) == [(2,), (3,)]
    assert rows(left.subtract(right)) == [(0,), (1,)]
    named = left.toDF("a").unionByName(right.toDF("b"), allowMissingColumns=True)
    assert named.columns == ["a", "b"] and named.count() == 8


def test_types_go_there_and_back(spark):
    row = Row(b=True, i=1, d=decimal.Decimal("12.34"), f=1.5, s="ü", y=b"\x00\xff", day=datetime.date(2024, 2, 29),
              t=datetime.datetime(2024, 2, 29, 12, 0, 0, 123456), a=[1, None], m={"k": 1}, r=Row(x=1, y="z"), n=None)
    schema = ("b BOOLEAN, i TINYINT, d DECIMAL(10,2), f DOUBLE, s STRING, y BINARY, day DATE, t TIMESTAMP, "
              "a ARRAY<INT>, m MAP<STRING,INT>, r STRUCT<x: INT, y: STRING>, n INT")
    frame = spark.createDataFrame([row], schema)
    assert frame.collect() == [row]
    assert [f.dataType.simpleString() for f in frame.schema.fields] == [
        "boolean", "tinyint", "decimal(10,2)", "double", "string", "binary", "date", "timestamp", "array<int>",
        "map<string,int>", "struct<x:int,y:string>", "int"]


def test_higher_order_functions(spark):
    frame = spark.createDataFrame([([1, 2, 3],)], "a ARRAY<INT>")
    assert frame.select(F.transform("a", lambda x: x * 2), F.filter("a", lambda x: x > 1),
                        F.aggregate("a", F.lit(0), lambda s, x: s + x)).first() == ([2, 4, 6], [2, 3], 6)


def test_show(people, capsys):
    people.orderBy("id").limit(2).show()
    assert capsys.readouterr().out == ("+---+----+----+----+\n| id|name| age|team|\n+---+----+----+----+\n"
                                       "|  1| ann|  30|   x|\n|  2| bob|NULL|   x|\n+---+----+----+----+\n\n")


def test_describe_and_sample(people):
    assert rows(people.describe("age").where("summary = 'count'")) == [("count", "3")]
    assert people.sample(1.0, seed=1).count() == 4


def test_sort_limit_offset_tail(spark):
    frame = spark.range(10).orderBy(F.col("id").desc())
    assert [r.id for r in frame.limit(2).collect()] == [9, 8]
    assert [r.id for r in frame.offset(8).collect()] == [1, 0]
    assert [r.id for r in frame.tail(2)] == [1, 0]


def test_an_unknown_column(people):
    with pytest.raises(AnalysisException) as found:
        people.select("nope").collect()
    assert found.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_sql_with_frames(spark, people):
    assert spark.sql("SELECT count(*) FROM {p} WHERE age > {low}", p=people, low=26).first()[0] == 2


@pytest.mark.ours  # with the parsers of Iceberg and Delta before its own, Spark 4.1.4 finds these unbound
def test_sql_with_arguments(spark):
    assert spark.sql("SELECT :a || :b", args={"a": "x", "b": "y"}).first()[0] == "xy"
    assert spark.sql("SELECT ? + ?", args=[1, 2]).first()[0] == 3


def test_observed_metrics(people):
    from pyspark.sql import Observation

    seen = Observation("seen")
    assert people.observe(seen, F.count(F.lit(1)).alias("n"), F.max("age").alias("oldest")).count() == 4
    assert seen.get == {"n": 4, "oldest": 41}


def test_merge_into(spark, namespace):
    target = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {target} (id INT, v STRING) USING iceberg")
    spark.createDataFrame([(1, "a"), (2, "b")], "id INT, v STRING").writeTo(target).append()
    source = spark.createDataFrame([(2, "B"), (3, "C")], "id INT, v STRING").alias("s")
    (source.mergeInto(target, F.expr(f"{target}.id = s.id"))
     .whenMatched().update({"v": F.col("s.v")})
     .whenNotMatched().insertAll()
     .merge())
    assert rows(spark.table(target)) == [(1, "a"), (2, "B"), (3, "C")]


def test_partitions_by_number_keep_the_rows(spark):
    frame = spark.range(10)
    if not hasattr(type(frame), "repartitionById"):
        pytest.skip("pyspark-client has repartitionById from 4.2 on")
    assert sorted(row.id for row in frame.repartitionById(4, F.col("id").cast("int") % 4).collect()) == list(range(10))


def test_rows_with_their_index(spark):
    frame = spark.range(100, 200, 10)
    if not hasattr(type(frame), "zipWithIndex"):
        pytest.skip("pyspark-client has zipWithIndex from 4.2 on")
    rows = frame.orderBy(F.desc("id")).zipWithIndex("n").collect()
    assert [tuple(row) for row in rows] == [(190 - 10 * n, n) for n in range(10)]
    assert frame.zipWithIndex().schema["index"].dataType.simpleString() == "bigint"
