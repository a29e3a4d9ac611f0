"""CALL system.create_changelog_view and table.changes: what changed between two snapshots."""
import pytest


@pytest.fixture
def table(spark, namespace):
    """Three rows, then: one updated, one deleted, one added, and that one deleted again; at last compaction."""
    name = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, v STRING, p STRING) USING iceberg PARTITIONED BY (p)")
    for statement in ("INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, 'v', 'a' FROM range(3)", "UPDATE {t} SET v = 'w' WHERE id = 0",
                      "DELETE FROM {t} WHERE id = 1", "INSERT INTO {t} VALUES (9, NULL, 'b'), (9, NULL, 'b')",
                      "DELETE FROM {t} WHERE id = 9", "CALL ice.system.rewrite_data_files(table => '{t}', options => map('rewrite-all', 'true'))"):
        spark.sql(statement.format(t=name)).collect()
    return name


def snapshots(spark, table):
    return [r[0] for r in spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").collect()]


def view(spark, table, arguments):
    (name,) = spark.sql(f"CALL ice.system.create_changelog_view(table => '{table}', {arguments})").first()
    found = spark.sql(f"SELECT _change_ordinal, id, v, p, _change_type FROM {name} ORDER BY 1, 2, 3, 5").collect()
    return [tuple(r) for r in found]


def test_kinds_of_views(spark, table):
    first = snapshots(spark, table)[0]
    since = f"changelog_view => 'c', options => map('start-snapshot-id', '{first}')"
    assert view(spark, table, since) == [
        (0, 0, "v", "a", "DELETE"), (0, 0, "w", "a", "INSERT"), (1, 1, "v", "a", "DELETE"), (2, 9, None, "b", "INSERT"),
        (2, 9, None, "b", "INSERT"), (3, 9, None, "b", "DELETE"), (3, 9, None, "b", "DELETE")]
    # The row 0 was carried over by the next snapshot, which is the last one to bring it.
    assert view(spark, table, since + ", net_changes => true") == [
        (0, 0, "v", "a", "DELETE"), (1, 0, "w", "a", "INSERT"), (1, 1, "v", "a", "DELETE")]
    with pytest.raises(Exception, match="multiple rows with the same identifier"):
        view(spark, table, since + ", identifier_columns => array('id')")
    last = snapshots(spark, table)[2]
    until = f"changelog_view => 'u', options => map('start-snapshot-id', '{first}', 'end-snapshot-id', '{last}')"
    assert view(spark, table, until + ", identifier_columns => array('id', 'p')") == [
        (0, 0, "v", "a", "UPDATE_BEFORE"), (0, 0, "w", "a", "UPDATE_AFTER"), (1, 1, "v", "a", "DELETE")]
    # From the beginning.
    assert len(view(spark, table, "changelog_view => 'all'")) == 10
    with pytest.raises(Exception, match="net changes"):
        view(spark, table, until + ", identifier_columns => array('id'), net_changes => true")
    with pytest.raises(Exception, match="identifier columns are not set"):
        view(spark, table, until + ", compute_updates => true")


def test_a_view_stays_as_it_was_made(spark, table):
    made = view(spark, table, "changelog_view => 'stays'")
    spark.sql(f"INSERT INTO {table} VALUES (100, 'x', 'c')")
    assert spark.table("stays").count() == len(made)


def test_changes_by_time_and_by_snapshot(spark, table):
    ids = snapshots(spark, table)
    times = [int(r[0].timestamp() * 1000) for r in spark.sql(f"SELECT committed_at FROM {table}.snapshots ORDER BY committed_at").collect()]
    read = lambda **options: spark.read.options(**{k.replace("_", "-"): str(v) for k, v in options.items()}).table(f"{table}.changes")
    assert {r["_commit_snapshot_id"] for r in read(start_snapshot_id=ids[0], end_snapshot_id=ids[1]).collect()} == {ids[1]}
    assert {r["_commit_snapshot_id"] for r in read(start_timestamp=times[0], end_timestamp=times[2]).collect()} == {ids[1], ids[2]}
    assert read(start_timestamp=times[-1] + 1).count() == 0
    with pytest.raises(Exception, match="is not a parent ancestor"):
        read(start_snapshot_id=ids[2], end_snapshot_id=ids[1]).collect()
    with pytest.raises(Exception, match="greater than end-timestamp"):
        read(start_timestamp=times[2], end_timestamp=times[1]).collect()


def test_columns_without_an_order_are_refused(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.m (id INT, m MAP<STRING, INT>) USING iceberg")
    with pytest.raises(Exception, match="unorderable columns"):
        spark.sql(f"CALL ice.system.create_changelog_view(table => '{namespace}.m')")
