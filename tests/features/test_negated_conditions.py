"""Conditions whose parts are unknown for some rows, and their negations: what a table leaves out, deletes and rewrites by
metadata alone must be what the condition says row by row."""
import itertools
import random

import pytest
from conftest import iceberg_catalog, open_session
from pyspark.sql import functions as F

ROWS = [(0, 1, 7, "a"), (1, None, 7, "b"), (2, 5, None, "c"), (3, None, None, None), (4, -3, 2, "a")]
LEAVES = [
    "f < 0", "f = 5", "f <=> 5", "f IS DISTINCT FROM 1", "f IS NULL", "i IS NOT NULL", "i <= NULL", "i = CAST(NULL AS INT)",
    "i IN (2, 7)", "i IN (2, NULL)", "i NOT IN (2, NULL)", "i IN (3000000000)", "i BETWEEN 0 AND NULL", "s > NULL", "s = 'a'",
    "s <=> NULL", "CAST(NULL AS BOOLEAN)", "true", "f <=> i", "s LIKE 'a%'"]


def conditions(seed, count):
    """Random conditions of the leaves, with NOT at every level."""
    chance = random.Random(seed)

    def make(depth):
        if depth == 0 or chance.random() < 0.2:
            text = chance.choice(LEAVES)
        else:
            text = f"({make(depth - 1)} {chance.choice(['AND', 'OR'])} {make(depth - 1)})"
        return f"(NOT {text})" if chance.random() < 0.5 else text
    return [make(3) for _ in range(count)]


@pytest.fixture(scope="module")
def session(remote, tmp_path_factory):
    made = open_session(remote, iceberg_catalog("lake", tmp_path_factory.mktemp("lake")) | {
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"})
    made.createDataFrame(ROWS, "id INT, f INT, i INT, s STRING").createOrReplaceTempView("plain_rows")
    yield made
    made.stop()


def fill(session, table, provider):
    """A table with a file for each row."""
    session.sql(f"CREATE OR REPLACE TABLE {table} (id INT, f INT, i INT, s STRING) USING {provider}")
    for id_ in range(len(ROWS)):
        session.sql(f"INSERT INTO {table} SELECT * FROM plain_rows WHERE id = {id_}")


def ids(session, query):
    return sorted(row[0] for row in session.sql(query).collect())


@pytest.mark.parametrize("provider, table", [("iceberg", "lake.db.selected"), ("delta", "negations_selected")])
def test_files_left_out_hold_no_row_of_the_answer(session, provider, table):
    fill(session, table, provider)
    for condition in itertools.chain((f"NOT ({leaf})" for leaf in LEAVES), LEAVES, conditions(7, 60)):
        expected = ids(session, f"SELECT id FROM plain_rows WHERE {condition}")
        assert ids(session, f"SELECT id FROM {table} WHERE {condition}") == expected, condition


@pytest.mark.parametrize("provider, table", [("iceberg", "lake.db.deleted"), ("delta", "negations_deleted")])
def test_deletes_take_the_rows_that_the_condition_is_true_for(session, provider, table):
    fill(session, table, provider)
    restore = (f"CALL lake.system.rollback_to_snapshot('db.deleted', {{0}})" if provider == "iceberg"
               else f"RESTORE TABLE {table} TO VERSION AS OF {{0}}")
    start = (session.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at DESC").first()[0]
             if provider == "iceberg" else session.sql(f"DESCRIBE HISTORY {table}").first()[0])
    cases = ["NOT (f < 0 OR i <= NULL)", "NOT (f < 0 OR i IN (3000000000))", "NOT (f IS NULL OR i < NULL)", *conditions(11, 25)]
    for condition in cases:
        gone = ids(session, f"SELECT id FROM plain_rows WHERE {condition}")
        session.sql(f"DELETE FROM {table} WHERE {condition}")
        assert ids(session, f"SELECT id FROM {table}") == [row[0] for row in ROWS if row[0] not in gone], condition
        if gone:
            session.sql(restore.format(start))


def test_replace_where_and_overwrite_keep_what_does_not_match(session):
    fill(session, "lake.db.replaced", "iceberg")
    session.sql("INSERT INTO lake.db.replaced REPLACE WHERE NOT (f < 0 OR i <= NULL) SELECT * FROM plain_rows WHERE false")
    assert ids(session, "SELECT id FROM lake.db.replaced") == [0, 1, 2, 3, 4]
    session.sql("SELECT * FROM plain_rows WHERE false").writeTo("lake.db.replaced").overwrite(F.expr("NOT (f < 0 OR i <= NULL)"))
    assert ids(session, "SELECT id FROM lake.db.replaced") == [0, 1, 2, 3, 4]
