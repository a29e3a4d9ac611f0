"""CALL system.rewrite_data_files beside what else a table has: audited branches, sort orders, row lineage."""
import pytest
from pyspark.errors import PySparkException


@pytest.fixture
def table(spark, namespace):
    """Four files of two rows each."""
    name = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, v STRING) USING iceberg")
    for n in range(4):
        spark.sql(f"INSERT INTO {name} VALUES ({n * 10}, 'v{n}'), ({n * 10 + 1}, 'v{n}')")
    return name


def rewrite(spark, table, arguments=""):
    arguments = arguments or "options => map('rewrite-all', 'true')"
    (row,) = spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', {arguments})").collect()
    return row.rewritten_data_files_count, row.added_data_files_count


def test_main_is_rewritten_while_another_branch_is_audited(spark, table):
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    spark.conf.set("spark.wap.branch", "audit")
    try:
        spark.sql(f"INSERT INTO {table} VALUES (99, 'audited')")
        assert spark.table(table).count() == 9
        assert rewrite(spark, table) == (4, 1)
        assert spark.table(table).count() == 9
    finally:
        spark.conf.unset("spark.wap.branch")
    assert spark.table(table).count() == 8 and spark.table(f"{table}.files").count() == 1
    assert spark.sql(f"SELECT count(*) FROM {table} VERSION AS OF 'audit'").first()[0] == 9


def test_files_from_before_the_partitioning_changed_become_files_of_the_new_one(spark, namespace):
    name = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, day DATE) USING iceberg PARTITIONED BY (days(day))")
    spark.sql(f"INSERT INTO {name} SELECT id, date_add(DATE '2024-01-01', cast(id AS INT)) FROM range(10)")
    spark.sql(f"ALTER TABLE {name} REPLACE PARTITION FIELD days(day) WITH months(day)")
    assert spark.table(f"{name}.files").count() == 10
    assert rewrite(spark, name, "strategy => 'binpack'") == (10, 1)
    assert [row.spec_id for row in spark.table(f"{name}.files").collect()] == [1]
    assert spark.table(name).count() == 10


def test_orders(spark, table):
    assert rewrite(spark, table, "sort_order => 'id DESC NULLS LAST', options => map('rewrite-all', 'true')") == (4, 1)
    ordered = spark.sql(f"SELECT id FROM {table} ORDER BY _pos").collect()
    assert [row.id for row in ordered] == [31, 30, 21, 20, 11, 10, 1, 0]
    # An order that is not the table's is not said to be.
    assert spark.table(f"{table}.files").first().sort_order_id == 0
    spark.sql(f"ALTER TABLE {table} WRITE ORDERED BY v, id DESC")
    assert rewrite(spark, table, "strategy => 'sort', options => map('rewrite-all', 'true')") == (1, 1)
    assert [row.id for row in spark.sql(f"SELECT id FROM {table} ORDER BY _pos").collect()] == [1, 0, 11, 10, 21, 20, 31, 30]
    assert spark.table(f"{table}.files").first().sort_order_id == 1
    assert rewrite(spark, table, "sort_order => 'V asc, iD desc NULLS LAST', options => map('rewrite-all', 'true')") == (1, 1)
    assert spark.table(f"{table}.files").first().sort_order_id == 1


@pytest.mark.parametrize("arguments, message", [
    ("sort_order => 'nosuch'", "nosuch"), ("sort_order => 'id,, v'", "sortOrder"), ("sort_order => 'id) WRITE UNORDERED --'", "sortOrder"),
    ("sort_order => 'zorder(id, v), id'", "(?i)Cannot mix"), ("strategy => 'sort'", "(?i)sort order"), ("strategy => 'nosuch'", "(?i)strategy"),
    ("strategy => 'binpack', sort_order => 'id'", "Cannot set rewrite mode, it has already been set to BIN-PACK"),
    ("options => map('output-spec-id', '99')", "Cannot use output spec id 99"), ("options => map('min-input-files', 'x')", 'For input string: "x"'),
    ("options => map('min-input-files', '0')", "'min-input-files' is set to 0 but must be > 0"),
    ("options => map('delete-ratio-threshold', '2')", "'delete-ratio-threshold' is set to 2.0 but must be <= 1"),
    ("options => map('target-file-size-bytes', '10', 'min-file-size-bytes', '1000')", "all new files will be smaller than the min threshold"),
    ("options => map('rewrite-job-order', 'x')", "Invalid rewrite job order name: x"),
    ("options => map('max-output-size', '10')", "not supported by the action or the rewriter BIN-PACK"),
    ("sort_order => 'zorder(id, v)', options => map('max-output-size', '0')", "use less than 1 byte"),
    ("sort_order => 'zorder(id, v)', options => map('var-length-contribution', '0')", "use less than 1 byte"),
    ("sort_order => 'id', options => map('compression-factor', '0')", "'compression-factor' is set to 0.0 but must be > 0"),
    ("options => map('nosuch', '1')", "nosuch"), ("where => 'nosuch = 1'", "nosuch"), ("where => 'id ='", "where"),
])
def test_refusals_leave_the_table_alone(spark, table, arguments, message):
    options = "" if "options" in arguments else ", options => map('rewrite-all', 'true')"
    with pytest.raises(PySparkException, match=message):
        rewrite(spark, table, arguments + options)
    assert spark.table(f"{table}.snapshots").count() == 4


def test_lineage_is_kept(spark, namespace):
    table = f"{namespace}.lineage"
    spark.sql(f"CREATE TABLE {table} (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
    for n in range(3):
        spark.sql(f"INSERT INTO {table} VALUES ({n})")
    query = f"SELECT id, _row_id, _last_updated_sequence_number FROM {table} ORDER BY id"
    before = spark.sql(query).collect()
    assert len({row[1] for row in before}) == 3 and [row[2] for row in before] == [1, 2, 3]
    assert rewrite(spark, table, "sort_order => 'id DESC', options => map('rewrite-all', 'true')") == (3, 1)
    assert spark.sql(query).collect() == before


@pytest.mark.parametrize("curve", ["zorder", "hilbert"])
def test_curves_put_near_rows_together(spark, namespace, curve):
    table = f"{namespace}.c"
    spark.sql(f"CREATE TABLE {table} (x BIGINT, y BIGINT, v STRING) USING iceberg")
    for n in range(2):
        spark.sql(f"INSERT INTO {table} SELECT id % 64, id DIV 64, 'v' FROM range({n * 2048}, {n * 2048 + 2048})")
    assert rewrite(spark, table, f"sort_order => '{curve}(x, y)', options => map('rewrite-all', 'true')") == (2, 1)
    rows = spark.sql(f"SELECT x, y FROM {table} ORDER BY _pos").collect()
    assert len({(r.x, r.y) for r in rows}) == 4096
    # Every part of the file is a small square of the plane.
    for at in range(0, 4096, 256):
        part = rows[at:at + 256]
        assert max(r.x for r in part) - min(r.x for r in part) <= 16 and max(r.y for r in part) - min(r.y for r in part) <= 16
    with pytest.raises(PySparkException, match="nosuch"):
        rewrite(spark, table, f"sort_order => '{curve}(x, nosuch)', options => map('rewrite-all', 'true')")


def test_partial_progress(spark, namespace):
    """So many commits as max-commits allows, in the order of the jobs."""
    table = f"{namespace}.p"
    spark.sql(f"CREATE TABLE {table} (id INT, k INT) USING iceberg PARTITIONED BY (k)")
    for n in range(2):
        spark.sql(f"INSERT INTO {table} SELECT id, id % 5 FROM range({n * 20}, {n * 20 + 20})")
    before = spark.table(f"{table}.snapshots").count()
    options = "options => map('rewrite-all', 'true', 'partial-progress.enabled', 'true', 'partial-progress.max-commits', '3', 'rewrite-job-order', 'bytes-asc')"
    assert rewrite(spark, table, options) == (10, 5)
    commits = spark.table(f"{table}.snapshots").where("operation = 'replace'").orderBy("committed_at").collect()
    assert len(commits) == 3 and spark.table(f"{table}.snapshots").count() == before + 3
    assert [int(row.summary["added-data-files"]) for row in commits] == [2, 2, 1]
    assert spark.sql(f"SELECT count(DISTINCT id) FROM {table}").first()[0] == 40


def test_into_another_spec(spark, namespace):
    table = f"{namespace}.s"
    spark.sql(f"CREATE TABLE {table} (id INT, k INT) USING iceberg PARTITIONED BY (k)")
    spark.sql(f"INSERT INTO {table} SELECT id, id % 3 FROM range(30)")
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD k")
    spark.sql(f"INSERT INTO {table} SELECT id, id % 3 FROM range(30, 60)")
    assert rewrite(spark, table, "options => map('rewrite-all', 'true', 'output-spec-id', '0')") == (4, 6)
    assert {row.spec_id for row in spark.table(f"{table}.files").collect()} == {0}
    assert spark.sql(f"SELECT count(*) FROM {table} WHERE k = 1").first()[0] == 20
    assert rewrite(spark, table, "options => map('rewrite-all', 'true', 'output-spec-id', '1')") == (6, 1)


def test_a_branch_that_is_not_there_has_no_files(spark, table):
    assert rewrite(spark, table, "branch => 'nosuch', options => map('rewrite-all', 'true')") == (0, 0)
