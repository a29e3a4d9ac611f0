"""Names that pick a state of an Iceberg table: only branches are written, and never the main one in their place."""
import pytest
from pyspark.errors import PySparkException

CHANGES = {
    "INSERT INTO {} VALUES (9, 'new')": "write to",
    "INSERT OVERWRITE {} VALUES (9, 'new')": "write to",
    "DELETE FROM {} WHERE id = 1": "modify",
    "DELETE FROM {} WHERE d LIKE '%a%'": "modify",
    "DELETE FROM {}": "delete from",
    "UPDATE {} SET d = 'new' WHERE id = 2": "modify",
    "MERGE INTO {} t USING (SELECT 2L AS id, 'new' AS d) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *": "modify",
    "TRUNCATE TABLE {}": "delete from",
}
ROWS = [(1, "a"), (2, "b"), (3, "c")]


@pytest.fixture
def table(spark, namespace):
    """Its tag and its branch have two of the rows, the main branch three."""
    name = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, d STRING) USING iceberg")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    spark.sql(f"ALTER TABLE {name} CREATE TAG old")
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH side")
    spark.sql(f"INSERT INTO {name} VALUES (3, 'c')")
    return name


def rows(spark, table):
    return sorted(tuple(row) for row in spark.table(table).collect())


def states(spark, table):
    """What each reference is at, and how many snapshots there are."""
    refs = sorted((row.name, row.snapshot_id) for row in spark.table(f"{table}.refs").collect())
    return refs, spark.table(f"{table}.snapshots").count()


def selectors(spark, table):
    first = spark.table(f"{table}.snapshots").orderBy("committed_at").first()
    millis = spark.sql(f"SELECT min(unix_millis(committed_at)) FROM {table}.snapshots").first()[0]
    return [f"snapshot_id_{first.snapshot_id}", f"at_timestamp_{millis}", "tag_old"]


def refused(spark, statement, message):
    with pytest.raises(PySparkException, match=message):
        spark.sql(statement).collect()


def test_past_states_are_not_written(spark, table):
    before = states(spark, table)
    frame = spark.createDataFrame([(9, "new")], "id BIGINT, d STRING")
    for selector in selectors(spark, table):
        name = f"{table}.{selector}"
        assert rows(spark, name) == ROWS[:2]
        for change, work in CHANGES.items():
            refused(spark, change.format(name), f"Cannot {work} table with time travel")
        for write in (frame.writeTo(name).append, frame.writeTo(name).overwritePartitions):
            with pytest.raises(PySparkException, match="Cannot write to table with time travel"):
                write()
    assert (states(spark, table), rows(spark, table)) == (before, ROWS)


def test_names_of_no_state(spark, table):
    before = states(spark, table)
    unknown = {"branch_none": "Cannot use branch \\(does not exist\\): none", "tag_none": "Cannot find matching snapshot ID or reference name for version none",
               "snapshot_id_77": "Cannot find snapshot with ID 77", "at_timestamp_5": "Cannot find a snapshot older than"}
    for selector, message in unknown.items():
        for statement in [*CHANGES, "SELECT * FROM {}", "DESCRIBE {}", "ALTER TABLE {} ADD COLUMN e INT"]:
            refused(spark, statement.format(f"{table}.{selector}"), message)
    for change in CHANGES:
        refused(spark, change.format(f"{table}.branch_old"), "old is a tag, not a branch. Tags cannot be targets for producing snapshots")
    assert (states(spark, table), rows(spark, table)) == (before, ROWS)


@pytest.mark.parametrize("selector", ["branch_side", "tag_side"])
@pytest.mark.parametrize("change", CHANGES)
def test_branches_are_written(spark, table, selector, change):
    """A tag's selector may name a branch too."""
    (refs, snapshots) = states(spark, table)
    spark.sql(change.format(f"{table}.{selector}")).collect()
    (changed, count) = states(spark, table)
    assert count == snapshots + 1 and rows(spark, f"{table}.branch_side") != ROWS[:2]
    assert dict(changed) | {"side": 0} == dict(refs) | {"side": 0} and rows(spark, table) == ROWS


def test_columns_and_properties_are_of_the_table(spark, table):
    for selector in [*selectors(spark, table), "branch_side"]:
        for action in ("ADD COLUMN e INT", "SET TBLPROPERTIES ('x' = '1')", "RENAME COLUMN d TO e"):
            refused(spark, f"ALTER TABLE {table}.{selector} {action}", "TABLE_OR_VIEW_NOT_FOUND")
    assert spark.table(table).columns == ["id", "d"]
    spark.sql(f"ALTER TABLE {table}.tag_old CREATE BRANCH other")
    assert "other" in dict(states(spark, table)[0])


def test_selectors_are_of_iceberg(spark, namespace):
    """Tables of other formats have no states with names: nothing is written into the table in their place."""
    name = f"spark_catalog.default.{namespace.split('.')[-1]}"
    spark.sql(f"CREATE TABLE {name} USING parquet AS SELECT 1 AS id")
    for statement in ("INSERT INTO {} VALUES (2)", "TRUNCATE TABLE {}", "SELECT * FROM {}"):
        refused(spark, statement.format(f"{name}.branch_x"), "TABLE_OR_VIEW_NOT_FOUND|REQUIRES_SINGLE_PART_NAMESPACE")
    assert rows(spark, name) == [(1,)]
    spark.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize("provider", ["parquet", "delta"])
def test_tables_without_branches_have_no_such_names(spark, provider):
    name = "spark_catalog.default.unselected"
    spark.sql(f"CREATE TABLE {name} (id INT) USING {provider}")
    try:
        spark.sql(f"INSERT INTO {name} VALUES (1)")
        for part in ["branch_b", "tag_x", "snapshot_id_1", "at_timestamp_1"]:
            for statement in ["INSERT INTO {} VALUES (2)", "INSERT OVERWRITE {} VALUES (2)", "TRUNCATE TABLE {}",
                              "DELETE FROM {}", "SELECT * FROM {}", "DESCRIBE TABLE {}"]:
                with pytest.raises(PySparkException):
                    spark.sql(statement.format(f"{name}.{part}")).collect()
        assert rows(spark, name) == [(1,)]
    finally:
        spark.sql(f"DROP TABLE {name}")


def test_options_of_time_travel_refuse_writes(spark, table):
    frame = spark.createDataFrame([(9, "new")], "id BIGINT, d STRING")
    for option in ["snapshot-id", "as-of-timestamp"]:
        with pytest.raises(PySparkException, match="no longer supported"):
            frame.write.format("iceberg").option(option, 5).mode("append").save(table)
    assert rows(spark, table) == ROWS
