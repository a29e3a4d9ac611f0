"""DELETE, UPDATE and MERGE by marking rows as deleted (merge-on-read): the same statements on a table that rewrites
files (copy-on-write) must give the same rows, at every step and in every snapshot.
"""
import threading

import pytest
from pyspark.errors import AnalysisException

MODES = ("delete", "update", "merge")
PROPERTIES = ", ".join(f"'write.{mode}.mode' = 'merge-on-read'" for mode in MODES)

# What a table lives through: statements over {t}, in this order. Rows have distinct ids.
LIFE = [
    "INSERT INTO {t} SELECT id, CAST(id % 3 AS STRING), id * 10 FROM range(0, 60)",
    "DELETE FROM {t} WHERE id % 10 = 3",
    "DELETE FROM {t} WHERE id % 10 = 4",
    "UPDATE {t} SET amount = amount + 1 WHERE id % 7 = 0",
    "INSERT INTO {t} SELECT id, CAST(id % 4 AS STRING), id FROM range(100, 130)",
    "MERGE INTO {t} t USING (SELECT id, 'm' AS p, -id AS amount FROM range(50, 110, 5)) s ON t.id = s.id "
    "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "DELETE FROM {t} WHERE amount IS NULL OR id IN (SELECT id + 1 FROM {t} WHERE id < 20)",
    "ALTER TABLE {t} ADD COLUMN note STRING",
    "UPDATE {t} SET note = p, p = 'moved' WHERE id BETWEEN 20 AND 29",
    "ALTER TABLE {t} ADD PARTITION FIELD bucket(4, id)",
    "INSERT INTO {t} SELECT id, 'late', id, 'new' FROM range(200, 220)",
    "DELETE FROM {t} WHERE id % 5 = 0",
    "CALL ice.system.rewrite_data_files(table => '{t}', where => 'id < 40', options => map('rewrite-all', 'true'))",
    "UPDATE {t} SET amount = NULL, id = id + 1000 WHERE id % 6 = 1",
    "ALTER TABLE {t} RENAME COLUMN note TO remark",
    "MERGE INTO {t} t USING (SELECT id FROM range(0, 2000, 3)) s ON t.id = s.id "
    "WHEN NOT MATCHED BY SOURCE AND t.id > 1010 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET remark = 'alone'",
    "MERGE INTO {t} t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "DELETE FROM {t} WHERE id = -1",
    "UPDATE {t} SET amount = 0 WHERE id = -1",
    "INSERT OVERWRITE {t} SELECT * FROM {t} WHERE id % 2 = 0",
    "DELETE FROM {t} WHERE id % 8 = 2",
    "CALL ice.system.rewrite_data_files(table => '{t}', options => map('rewrite-all', 'true'))",
    "DELETE FROM {t} WHERE id % 8 = 4",
    "DELETE FROM {t}",
]


def rows(spark, query):
    return sorted(spark.sql(query).collect(), key=lambda row: tuple((x is None, str(x)) for x in row))


def newest(spark, table):
    return spark.sql(f"SELECT snapshot_id FROM {table}.refs WHERE name = 'main'").first()[0]


@pytest.mark.parametrize("partitioned", ["", "PARTITIONED BY (p)"], ids=["one", "by_p"])
@pytest.mark.parametrize("version, granularity", [("2", "file"), ("2", "partition"), ("3", "file")])
def test_same_rows_as_copy_on_write(spark, namespace, version, granularity, partitioned):
    copied, marked = f"{namespace}.copied", f"{namespace}.marked"
    columns = "(id BIGINT, p STRING, amount BIGINT) USING iceberg"
    common = f"'format-version' = '{version}', 'write.delete.granularity' = '{granularity}'"
    spark.sql(f"CREATE TABLE {copied} {columns} {partitioned} TBLPROPERTIES ({common})")
    spark.sql(f"CREATE TABLE {marked} {columns} {partitioned} TBLPROPERTIES ({common}, {PROPERTIES})")
    states = []
    for statement in LIFE:
        for table in (copied, marked):
            spark.sql(statement.format(t=table)).collect()
        expected = rows(spark, f"SELECT * FROM {copied}")
        assert rows(spark, f"SELECT * FROM {marked}") == expected, statement
        assert spark.table(marked).count() == len(expected), statement
        assert rows(spark, f"SELECT id FROM {marked} WHERE amount > 50") == rows(
            spark, f"SELECT id FROM {copied} WHERE amount > 50"), statement
        if not states or states[-1][0] != newest(spark, marked):  # A change of the schema makes no snapshot.
            states.append((newest(spark, marked), statement, expected))
        if version == "3":
            lineage = [r[0] for r in spark.sql(f"SELECT _row_id FROM {marked}").collect()]
            assert None not in lineage and len(set(lineage)) == len(lineage), statement
    assert states[-1][2] == []
    for snapshot, statement, expected in states:
        assert rows(spark, f"SELECT * FROM {marked} VERSION AS OF {snapshot}") == expected, statement
    operations = {r[0] for r in spark.sql(f"SELECT operation FROM {marked}.snapshots").collect()}
    assert operations == {"append", "overwrite", "delete", "replace"}


def numbers(spark, table, version, extra=""):
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING) USING iceberg "
              f"TBLPROPERTIES ('format-version' = '{version}', {PROPERTIES}{extra})")
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ id, 'v' FROM range(0, 20)")
    return table


def summary(spark, table):
    return spark.sql(f"SELECT summary FROM {table}.snapshots ORDER BY committed_at DESC LIMIT 1").first()[0]


def test_vectors_have_one_file_a_commit_and_one_a_data_file(spark, namespace):
    table = numbers(spark, f"{namespace}.t", 3)
    spark.sql(f"INSERT INTO {table} SELECT id, 'w' FROM range(20, 40)")
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 0")
    found = spark.table(f"{table}.delete_files").collect()
    assert len(found) == 2 and len({r.file_path for r in found}) == 1
    assert sorted(r.record_count for r in found) == [2, 2]
    told = summary(spark, table)
    assert {k: told.get(k) for k in ("added-dvs", "added-delete-files", "added-position-deletes", "total-delete-files",
                                     "total-records", "added-position-delete-files")} == {
        "added-dvs": "2", "added-delete-files": "2", "added-position-deletes": "4", "total-delete-files": "2",
        "total-records": "40", "added-position-delete-files": None}
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    told = summary(spark, table)
    assert {k: told.get(k) for k in ("added-dvs", "removed-dvs", "added-position-deletes", "removed-position-deletes",
                                     "total-position-deletes")} == {
        "added-dvs": "1", "removed-dvs": "1", "added-position-deletes": "3", "removed-position-deletes": "2",
        "total-position-deletes": "5"}


def test_rows_that_move_keep_their_ids(spark, namespace):
    table = numbers(spark, f"{namespace}.t", 3)
    spark.sql(f"UPDATE {table} SET v = 'x' WHERE id = 7")
    spark.sql(f"MERGE INTO {table} t USING (SELECT 8 AS id UNION ALL SELECT 100) s ON t.id = s.id "
              "WHEN MATCHED THEN UPDATE SET v = 'y' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'z')")
    found = spark.sql(f"SELECT id, _row_id, _last_updated_sequence_number FROM {table} WHERE id IN (6, 7, 8, 100) ORDER BY id")
    first, second, third, fourth = [tuple(r) for r in found.collect()]
    assert (first, second, third) == ((6, 6, 1), (7, 7, 2), (8, 8, 3))
    assert fourth[1] >= 20 and fourth[2] == 3


def test_random_rows_lose_no_row(spark, namespace):
    table = numbers(spark, f"{namespace}.t", 2)
    # Which rows are changed must not depend on chance (Spark refuses it), where they come from and what they become may.
    with pytest.raises(AnalysisException, match="INVALID_NON_DETERMINISTIC_EXPRESSIONS"):
        spark.sql(f"UPDATE {table} SET v = 'r' WHERE rand() < 0.5")
    for _ in range(5):
        spark.sql(f"UPDATE {table} SET v = CASE WHEN rand() < 0.5 THEN 'r' ELSE 's' END WHERE id % 2 = 0")
        assert [r.id for r in spark.sql(f"SELECT id FROM {table} ORDER BY id").collect()] == list(range(20))
        spark.sql(f"MERGE INTO {table} t USING (SELECT id FROM range(20) WHERE rand() < 0.5) s ON t.id = s.id "
                  "WHEN MATCHED THEN UPDATE SET v = 'm'")
        assert [r.id for r in spark.sql(f"SELECT id FROM {table} ORDER BY id").collect()] == list(range(20))


def test_version_1_has_no_delete_files(spark, namespace):
    table = numbers(spark, f"{namespace}.t", 1)
    with pytest.raises(Exception, match="Deletes are supported in V2 and above"):
        spark.sql(f"DELETE FROM {table} WHERE id = 1")
    assert spark.table(table).count() == 20


@pytest.mark.parametrize("form", ["avro", "orc"])
def test_other_formats_of_delete_files(spark, namespace, form):
    table = numbers(spark, f"{namespace}.t", 2, f", 'write.delete.format.default' = '{form}'")
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    spark.sql(f"DELETE FROM {table} WHERE id = 2")
    assert {r.file_format for r in spark.sql(f"SELECT * FROM {table}.delete_files").collect()} == {form.upper()}
    assert sorted(r.id for r in spark.table(table).collect()) == [0, *range(3, 20)]


@pytest.mark.parametrize("version", [2, 3])
def test_a_branch_has_its_own_deletes(spark, namespace, version):
    table = numbers(spark, f"{namespace}.t", version)
    spark.sql(f"DELETE FROM {table} WHERE id = 0")
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH b")
    spark.sql(f"DELETE FROM {table}.branch_b WHERE id = 1")
    spark.sql(f"UPDATE {table} SET v = 'main' WHERE id = 2")
    assert spark.table(table).count() == 19 and spark.table(f"{table}.branch_b").count() == 18
    spark.sql(f"DELETE FROM {table} WHERE id = 3")
    assert [r.id for r in spark.sql(f"SELECT id FROM {table}.branch_b WHERE id < 5 ORDER BY id").collect()] == [2, 3, 4]
    assert [r.id for r in spark.sql(f"SELECT id FROM {table} WHERE id < 5 ORDER BY id").collect()] == [1, 2, 4]


@pytest.mark.ours  # Spark runs the statements of one client one after the other
@pytest.mark.parametrize("version", [2, 3])
def test_statements_at_once_lose_nothing(spark, namespace, version):
    """What comes through is there, what conflicts changes nothing."""
    table = numbers(spark, f"{namespace}.t", version, ", 'write.update.isolation-level' = 'snapshot', "
                    "'write.delete.isolation-level' = 'snapshot'")
    done, refused = [], []

    def run(n):
        text = (f"DELETE FROM {table} WHERE id = {n}" if n % 2 == 0 else
                f"UPDATE {table} SET v = 'u' WHERE id = {n}" if n % 4 == 1 else f"INSERT INTO {table} VALUES ({100 + n}, 'i')")
        try:
            spark.sql(text).collect()
            done.append(n)
        except Exception as error:
            assert "Found" in str(error) or "Cannot commit" in str(error) or "Missing required" in str(error), error
            refused.append(n)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(done) + len(refused) == 8 and done
    found = {r.id: r.v for r in spark.table(table).collect()}
    expected = {n: "v" for n in range(20)}
    for n in done:
        if n % 2 == 0:
            del expected[n]
        elif n % 4 == 1:
            expected[n] = "u"
        else:
            expected[100 + n] = "i"
    assert found == expected


@pytest.mark.parametrize("version", [2, 3])
def test_deleted_rows_show_for_who_names_the_column(spark, namespace, version):
    table = numbers(spark, f"{namespace}.t", version)
    other = numbers(spark, f"{namespace}.other", version)
    spark.sql(f"DELETE FROM {table} WHERE id IN (3, 4, 19)")
    shown = spark.sql(f"SELECT id, _deleted FROM {table} ORDER BY id").collect()
    assert [r.id for r in shown if r["_deleted"]] == [3, 4, 19] and len(shown) == 20
    assert spark.sql(f"SELECT id FROM {table} WHERE _deleted").count() == 3
    assert spark.sql(f"SELECT id FROM {table} WHERE NOT _deleted").count() == 17
    assert [r[0] for r in spark.sql(f"SELECT id FROM {table} ORDER BY _deleted DESC, id LIMIT 4").collect()] == [3, 4, 19, 0]
    assert [r[0] for r in spark.sql(f"SELECT count(*) FROM {other} WHERE id IN (SELECT id FROM {table} WHERE _deleted)").collect()] == [3]
    # Everybody else sees what is there, whatever becomes of the hidden columns.
    for query in ("SELECT * FROM {}", "SELECT id, _pos FROM {}", "SELECT DISTINCT id FROM {}", "SELECT * FROM {} ORDER BY _pos",
                  "SELECT * FROM {} JOIN " + other + " USING (id)", "SELECT * FROM {} UNION SELECT * FROM {}",
                  "WITH x AS (SELECT * FROM {}) SELECT * FROM x a JOIN x b ON a.id = b.id", "SELECT _file, count(id) OVER () FROM {}"):
        assert len(spark.sql(query.replace("{}", table)).collect()) == 17, query
    assert spark.table(table).count() == 17 and len(spark.table(table).collect()) == 17


def test_delete_files_are_rewritten(spark, namespace):
    table = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, p STRING) USING iceberg PARTITIONED BY (p) TBLPROPERTIES "
              f"({PROPERTIES}, 'write.delete.granularity' = 'partition')")
    for n in range(3):
        spark.sql(f"INSERT INTO {table} SELECT id, CAST(id % 2 AS STRING) FROM range({n * 10}, {n * 10 + 10})")
    for n in range(4):
        spark.sql(f"DELETE FROM {table} WHERE id % 10 = {n}")
    before = rows(spark, f"SELECT * FROM {table}")
    assert len(before) == 18 and spark.table(f"{table}.delete_files").count() == 4
    assert spark.table(f"{table}.position_deletes").count() == 12
    call = f"CALL ice.system.rewrite_position_delete_files(table => '{table}'"
    assert tuple(spark.sql(call + ")").first())[:2] == (0, 0)
    with pytest.raises(Exception, match="nosuch"):
        spark.sql(call + ", options => map('nosuch', '1'))")
    assert tuple(spark.sql(call + ", options => map('rewrite-all', 'true'))").first())[:2] == (4, 2)
    assert rows(spark, f"SELECT * FROM {table}") == before
    assert spark.table(f"{table}.position_deletes").count() == 12
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')")
    assert tuple(spark.sql(call + ")").first())[:2] == (2, 6)
    assert rows(spark, f"SELECT * FROM {table}") == before
    assert {r.file_format for r in spark.table(f"{table}.delete_files").collect()} == {"PUFFIN"}
    assert tuple(spark.sql(call + ")").first())[:2] == (0, 0)
    spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))")
    assert spark.table(f"{table}.delete_files").count() == 0 and rows(spark, f"SELECT * FROM {table}") == before


def test_compaction_can_leave_out_deletes_that_delete_nothing(spark, namespace):
    table = numbers(spark, f"{namespace}.t", 2)
    spark.sql(f"INSERT INTO {table} SELECT id, 'w' FROM range(20, 40)")
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 1")
    options = "options => map('rewrite-all', 'true', 'remove-dangling-deletes', '{}')"
    found = spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', {options.format('true')})").first()
    assert found.removed_delete_files_count == 2 and spark.table(f"{table}.delete_files").count() == 0
    assert spark.table(table).count() == 36


def test_compaction_says_how_many_deletion_vectors_went(spark, namespace):
    table = numbers(spark, f"{namespace}.t", 3)
    spark.sql(f"DELETE FROM {table} WHERE id % 10 = 1")
    vectors = spark.table(f"{table}.delete_files").count()
    assert vectors > 0
    found = spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))").first()
    assert found.removed_delete_files_count == vectors and spark.table(f"{table}.delete_files").count() == 0
    # None is left to go.
    found = spark.sql(f"CALL ice.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))").first()
    assert found.removed_delete_files_count == 0
