"""Random choices: each row in exactly one split, the same for the same seed, and one choice a statement."""
import pytest
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
