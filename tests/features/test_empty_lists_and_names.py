"""What programs that build their statements come upon: empty lists, all columns, names that are not there."""
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F


@pytest.fixture
def people(spark):
    return spark.createDataFrame([(1, "a"), (None, "b")], "id int, name string")


def test_nothing_is_in_an_empty_list(people):
    assert people.where(F.col("id").isin([])).count() == 0
    assert people.where(~F.col("id").isin([])).count() == 2
    assert [row[0] for row in people.select(F.col("id").isin([])).collect()] == [False, False]


def test_a_struct_of_all_columns(spark, people):
    people.createOrReplaceTempView("people_of_empty_lists")
    wanted = [(1, "a"), (None, "b")]
    assert [tuple(row[0]) for row in people.select(F.struct("*")).collect()] == wanted
    literal = people.select(F.lit(1).alias("one"), F.upper("name").alias("name"))
    assert [tuple(row[0]) for row in literal.select(F.struct(F.col("*"))).collect()] == [(1, "A"), (1, "B")]
    assert [tuple(row[0]) for row in spark.sql("SELECT struct(*) FROM people_of_empty_lists").collect()] == wanted


def test_duplicates_by_a_column_that_is_not_there(people):
    with pytest.raises(AnalysisException) as error:
        people.dropDuplicates(["zz"]).collect()
    assert error.value.getCondition() == "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES"


def test_a_merge_that_only_inserts(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t (id INT, name STRING) USING iceberg")
    for _ in range(2):
        spark.sql(f"""MERGE INTO {namespace}.t USING (SELECT 1 AS id, 'x' AS name) s ON false
                      WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)""")
    assert spark.table(f"{namespace}.t").count() == 2


def test_a_namespace_of_a_folder_catalog_comes_with_its_first_table(spark, namespace):
    for statement in ("CREATE TABLE {}.t (id INT) USING iceberg", "CREATE TABLE {}.t USING iceberg AS SELECT 1 AS id"):
        name = f"{namespace}_{'as' if ' AS ' in statement else 'of'}"
        spark.sql(statement.format(name))
        assert [row.tableName for row in spark.sql(f"SHOW TABLES IN {name}").collect()] == ["t"]
        spark.sql(f"DROP TABLE {name}.t")
        spark.sql(f"DROP NAMESPACE {name}")
    with pytest.raises(AnalysisException) as error:
        spark.sql("CREATE TABLE spark_catalog.nowhere.t (id INT) USING parquet")
    assert error.value.getCondition() == "SCHEMA_NOT_FOUND"
