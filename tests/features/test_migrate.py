"""CALL system.migrate: an Iceberg table takes the name of a table of Parquet files, over the same files."""
import uuid
from pathlib import Path

import pytest
from pyspark.errors import PySparkException

pytestmark = pytest.mark.ours  # Spark's session catalog is not Iceberg's here.


@pytest.fixture
def table(spark):
    name = f"migrated_{uuid.uuid4().hex[:8]}"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, k STRING) USING parquet PARTITIONED BY (k) TBLPROPERTIES ('p' = 'q')")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'x'), (2, 'y'), (3, null)")
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def rows(spark, table):
    return sorted(map(tuple, spark.table(table).collect()), key=str)


def provider(spark, table):
    return {r[0]: r[1] for r in spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()}["Provider"]


ROWS = [(1, "x"), (2, "y"), (3, None)]


def test_the_files_stay_and_are_the_new_tables(spark, table, server_warehouse):
    files = sorted((server_warehouse / table).rglob("*.parquet"))
    assert spark.sql(f"CALL spark_catalog.system.migrate('default.{table}')").collect()[0].migrated_files_count == 3
    assert provider(spark, table) == "iceberg" and rows(spark, table) == ROWS
    assert sorted(Path(f.file_path.removeprefix("file:")) for f in spark.table(f"{table}.files").collect()) == files
    assert rows(spark, f"{table}_backup_") == ROWS
    properties = {r.key: r.value for r in spark.sql(f"SHOW TBLPROPERTIES {table}").collect()}
    assert properties["p"] == "q" and properties["migrated"] == "true"
    spark.sql(f"UPDATE {table} SET id = 20 WHERE k = 'y'")
    assert rows(spark, f"{table}_backup_") == ROWS
    # They are no longer the former table's: dropping it takes nothing away.
    spark.sql(f"DROP TABLE {table}_backup_")
    assert rows(spark, table) == [(1, "x"), (20, "y"), (3, None)]
    assert sorted((server_warehouse / table).rglob("*.parquet")) == files


def test_without_a_backup(spark, table):
    spark.sql(f"CALL spark_catalog.system.migrate(table => 'default.{table}', drop_backup => true, "
              "properties => map('k', 'v'), backup_table_name => 'aside')")
    assert rows(spark, table) == ROWS and not spark.catalog.tableExists("aside")
    assert ("k", "v") in map(tuple, spark.sql(f"SHOW TBLPROPERTIES {table}").collect())


@pytest.mark.parametrize("arguments, told", [("table => 'default.{}', backup_table_name => 'taken'", "taken"),
                                             ("table => 'default.nothing_{}'", "nothing_"),
                                             ("table => 'default.{}', ignore_missing_files => true", "ignore_missing")])
def test_what_cannot_be_leaves_the_table(spark, table, arguments, told, server_warehouse):
    spark.sql("CREATE TABLE IF NOT EXISTS taken (id INT) USING parquet")
    with pytest.raises(PySparkException, match=told):
        spark.sql(f"CALL spark_catalog.system.migrate({arguments.format(table)})")
    assert provider(spark, table) == "parquet" and rows(spark, table) == ROWS
    # Its files are its own still.
    spark.sql(f"DROP TABLE {table}")
    assert not list((server_warehouse / table).rglob("*.parquet"))


def test_a_failed_import_puts_the_table_back(spark, table, server_warehouse):
    (broken,) = (server_warehouse / table / "k=x").glob("*.parquet")
    broken.write_bytes(b"PAR1 this is no Parquet file PAR1")
    with pytest.raises(PySparkException):
        spark.sql(f"CALL spark_catalog.system.migrate('default.{table}')")
    assert provider(spark, table) == "parquet" and not spark.catalog.tableExists(f"{table}_backup_")
    spark.sql(f"DROP TABLE {table}")
    assert not list((server_warehouse / table).rglob("*.parquet"))


def test_other_tables_are_refused_by_name(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t (id INT) USING iceberg")
    with pytest.raises(PySparkException, match="migrate"):
        spark.sql(f"CALL ice.system.migrate('{namespace.split('.', 1)[1]}.t')")
    spark.sql("CREATE OR REPLACE TABLE lines USING csv AS SELECT 1 AS id")
    with pytest.raises(PySparkException, match="csv"):
        spark.sql("CALL spark_catalog.system.migrate('default.lines')")
