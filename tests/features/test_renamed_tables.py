"""A name that is free again gives a table of its own, wherever the former bearer's files lie."""
import uuid

import pytest
from pyspark.errors import AnalysisException

FORMATS = ["parquet", "csv", "iceberg", "delta"]


@pytest.fixture
def database(spark):
    name = f"renamed_{uuid.uuid4().hex[:8]}"
    spark.sql(f"CREATE DATABASE {name}")
    yield name
    spark.sql(f"DROP DATABASE {name} CASCADE")


def ids(spark, table):
    return sorted(row[0] for row in spark.table(table).collect())


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("create", ["(id INT) USING {}", "USING {} AS SELECT 7 AS id"], ids=["empty", "select"])
def test_a_renamed_tables_former_name_is_free(spark, database, format, create):
    spark.sql(f"CREATE TABLE {database}.t (id INT) USING {format}")
    spark.sql(f"INSERT INTO {database}.t VALUES (1), (2)")
    spark.sql(f"ALTER TABLE {database}.t RENAME TO {database}.u")
    spark.sql(f"CREATE TABLE {database}.t {create.format(format)}")
    before = ids(spark, f"{database}.t")
    assert before in ([], [7]) and ids(spark, f"{database}.u") == [1, 2]
    spark.sql(f"INSERT INTO {database}.t VALUES (9)")
    spark.sql(f"INSERT INTO {database}.u VALUES (3)")
    assert ids(spark, f"{database}.t") == before + [9] and ids(spark, f"{database}.u") == [1, 2, 3]
    spark.sql(f"DROP TABLE {database}.t")
    assert ids(spark, f"{database}.u") == [1, 2, 3]


@pytest.mark.ours
@pytest.mark.parametrize("format", FORMATS)
def test_files_of_nobody_are_left_alone(spark, database, format, server_warehouse):
    """Spark refuses the name (LOCATION_ALREADY_EXISTS); here the table lies beside them."""
    stray = server_warehouse / f"{database}.db" / "t" / "stray.txt"
    stray.parent.mkdir(parents=True)
    stray.write_text("not a table's")
    spark.sql(f"CREATE TABLE {database}.t USING {format} AS SELECT 1 AS id")
    assert ids(spark, f"{database}.t") == [1]
    spark.sql(f"DROP TABLE {database}.t")
    assert stray.read_text() == "not a table's"


def test_a_table_stays_in_its_database(spark, database):
    """Its files lie in the database's folder, which goes with the database."""
    spark.sql(f"CREATE DATABASE {database}_2")
    spark.sql(f"CREATE TABLE {database}_2.t USING parquet AS SELECT 1 AS id")
    with pytest.raises(AnalysisException, match="source and destination databases do not match"):
        spark.sql(f"ALTER TABLE {database}_2.t RENAME TO {database}.t")
    assert ids(spark, f"{database}_2.t") == [1]
    spark.sql(f"DROP DATABASE {database}_2 CASCADE")
