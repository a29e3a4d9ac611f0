"""Random choices: each row in exactly one split, the same for the same seed, and one choice a statement."""
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Observation
from pyspark.sql import functions as F

ROWS = 300_000  # More than one of the engine's row groups, from several files.


@pytest.fixture(scope="module")
def numbers(lake):
    spark, folder = lake
    path = str(folder / "numbers")
    spark.range(ROWS).repartition(4).write.parquet(path)
    return spark.read.parquet(path)


def test_splits_are_a_partition_of_the_rows(numbers):
    parts = numbers.randomSplit([0.3, 0.3, 0.4], seed=7)
    ids = [{row.id for row in part.collect()} for part in parts]
    assert all(ids) and sum(len(part) for part in ids) == ROWS
    assert set().union(*ids) == set(range(ROWS))
    again = numbers.randomSplit([0.3, 0.3, 0.4], seed=7)
    assert [{row.id for row in part.collect()} for part in again] == ids


def test_samples_with_a_seed(numbers):
    first, second = (numbers.orderBy("id").sample(fraction=0.1, seed=3).agg(F.count("*"), F.sum("id")).first() for _ in "12")
    assert first == second and 0.09 * ROWS < first[0] < 0.11 * ROWS


def test_numbers_do_not_repeat(numbers):
    drawn = numbers.select(F.rand(5).alias("r"), F.monotonically_increasing_id().alias("i"))
    assert tuple(drawn.agg(F.countDistinct("r"), F.countDistinct("i")).first()) == (ROWS, ROWS)


def test_numbers_of_a_seed_are_the_same_each_time(numbers):
    drawn = numbers.withColumn("r", F.rand(5))
    total = drawn.agg(F.sum(F.hash("id", "r").cast("long")))
    assert total.first() == total.first()
    kept = numbers.where(F.rand(5) < 0.1).agg(F.count("*"), F.sum("id"))
    assert kept.first() == kept.first() == drawn.where("r < 0.1").agg(F.count("*"), F.sum("id")).first()
    first = numbers.orderBy(F.rand(5)).limit(5)
    assert first.collect() == first.collect() == drawn.orderBy("r").limit(5).select("id").collect()


@pytest.mark.parametrize("rows", [10, 10_000])
def test_observed_rows_are_those_that_came(spark, rows):
    observation = Observation()
    frame = spark.range(rows).withColumn("r", F.rand()).where("r < 0.5")
    found = frame.observe(observation, F.count(F.lit(1)).alias("n"), F.sum("r").alias("s")).collect()
    assert observation.get["n"] == len(found)
    assert observation.get["s"] == pytest.approx(sum(row.r for row in found))


def test_observations_above_each_other(spark):
    inner, outer = Observation("inner"), Observation("outer")
    frame = spark.range(1000).withColumn("r", F.rand()).observe(inner, F.count(F.lit(1)).alias("n"))
    found = frame.where("r < 0.5").observe(outer, F.count(F.lit(1)).alias("n")).collect()
    assert (inner.get["n"], outer.get["n"]) == (1000, len(found))


@pytest.mark.ours  # Spark refuses it: INVALID_NON_DETERMINISTIC_EXPRESSIONS.
def test_merge_sees_one_state_of_a_random_source(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t (id BIGINT, v STRING) USING iceberg")
    spark.sql(f"INSERT INTO {namespace}.t SELECT id, 'old' FROM range(100)")
    spark.sql(f"""MERGE INTO {namespace}.t USING (SELECT id, rand() < 0.5 AS late FROM range(100)) s
                  ON t.id = s.id + CASE WHEN s.late THEN 1000 ELSE 0 END
                  WHEN MATCHED THEN UPDATE SET v = 'new'
                  WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id + 1000, 'late')""")
    found = {row.v: row[1] for row in spark.sql(f"SELECT v, count(*) FROM {namespace}.t GROUP BY v").collect()}
    # Each source row is either matched or inserted.
    assert found["new"] + found["late"] == 100 and found["old"] == found["late"]


def test_seeds_of_samples_and_shuffles(spark):
    """The rows that Spark 4.1 takes for these seeds from one partition."""
    def rows(*arguments):
        return [row.id for row in spark.range(0, 100, 1, 1).sample(*arguments).collect()]

    assert rows(False, 0.1, 3) == [29, 50, 52, 53, 56, 58, 78, 83, 98]
    assert rows(True, 0.1, 3) == [7, 33, 40, 40, 51, 73, 77, 98]
    assert spark.sql("SELECT shuffle(array(1, 2, 3, 4, 5), 5) AS s").first().s == [5, 1, 4, 2, 3]


@pytest.mark.parametrize("replacement, fraction", [(False, 2.0), (False, -0.5), (True, -1.0)])
def test_fractions_that_there_are_not(spark, replacement, fraction):
    with pytest.raises(Exception, match=r"Sampling fraction \(" + str(fraction)):
        spark.range(3).sample(replacement, fraction, 3).collect()


SEEDED = {
    "rand": "rand(3)", "randn": "randn(3)", "uuid": "uuid(4)", "uniform": "uniform(1, 100, 3)", "randstr": "randstr(3, 4)",
    "row": "monotonically_increasing_id()", "shuffle": "shuffle(array(1, 2, 3), 7)",
}


def test_rows_keep_their_numbers_under_filters(spark):
    """What a row draws hangs on its place among all rows, not among those that a later step wants."""
    drawn = spark.range(0, 5000, 1, 1).selectExpr("id", *[f"{call} AS {name}" for name, call in SEEDED.items()])
    whole = {row.id: row for row in drawn.collect()}
    some = spark.createDataFrame([(4997,), (11,)], "id bigint")
    for part in (drawn.where("id IN (2, 700, 4999)"), drawn.where("id > 3000").limit(3), drawn.join(some, "id"),
                 drawn.where("id % 2 = 1").where("id < 10")):
        rows = part.collect()
        assert rows and all(row == whole[row.id] for row in rows)


def test_numbers_of_a_seed_are_sparks(spark):
    """The numbers that Spark 4.1 gives."""
    rows = spark.range(0, 4, 1, 1).selectExpr("rand(5)", "uuid(7)", "shuffle(array(1, 2, 3, 4), 7)").collect()
    assert [row[0] for row in rows] == [0.02390696427502892, 0.09509767744084452, 0.7705061443410145, 0.5445134295748614]
    assert [row[1] for row in rows][:2] == ["cee40aac-b68a-440d-b75a-41718652cb36", "50fe06d6-e030-43ea-9ff6-ff3a773b207a"]
    assert [row[2] for row in rows] == [[1, 2, 4, 3], [1, 4, 3, 2], [3, 2, 1, 4], [4, 1, 2, 3]]
    # A row without an array draws nothing.
    lists = spark.range(0, 50, 1, 1).selectExpr(
        "id", "shuffle(CASE WHEN id % 7 = 3 THEN NULL ELSE sequence(0, CAST(id % 5 AS INT)) END, 5) AS s").collect()
    assert [row.s for row in lists if row.s is None] == [None] * 7
    with pytest.raises(AnalysisException) as refused:
        spark.sql("SELECT uuid(CAST(NULL AS INT))").collect()
    assert refused.value.getCondition() == "INVALID_PARAMETER_VALUE.LONG"
