"""A process that dies in the middle of its statements leaves a table that can be read: what it had committed is there,
whole, and nothing else. Several processes that write at once lose nothing. FRAZIL_LONG_TESTS=1: as often as the tables
promise to hold (200 processes killed, 8 writers)."""
import os
import random
import time
from pathlib import Path

import pytest
from crash_rows import check_pairs
from processes import Processes, finish
from pyiceberg.table import StaticTable

pytestmark = pytest.mark.ours

LONG = os.environ.get("FRAZIL_LONG_TESTS") == "1"
TABLE = "ice.db.t"
RETRIES = "TBLPROPERTIES ('commit.retry.num-retries'='100', 'commit.retry.min-wait-ms'='5', 'commit.retry.max-wait-ms'='200')"


@pytest.fixture
def start(tmp_path):
    """start(statements) -> a process of its own that runs them one after the other, over the test's warehouse."""
    processes = Processes(tmp_path, {
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(tmp_path / "lake")})
    yield processes.start
    processes.stop()


def writes(round_number, count):
    """Commits of two rows in two partitions, each made known once it is done; some are changed by MERGE, in both."""
    statements = []
    for n in range(count):
        statements.append(f"INSERT INTO {TABLE} VALUES ({round_number}, {n}, 'a', 0), ({round_number}, {n}, 'b', 0)")
        if n % 3 == 2:
            statements.append(f"MERGE INTO {TABLE} t USING (SELECT {round_number} AS r, {n} AS n) s ON t.r = s.r AND t.n = s.n "
                              "WHEN MATCHED THEN UPDATE SET v = t.v + 1")
        statements.append(f"SELECT 'done', {round_number}, {n}")
    return statements


def check_files(folder):
    """Whatever the newest metadata names is there."""
    newest = max((folder / "metadata").glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))
    table = StaticTable.from_metadata(str(newest))
    for snapshot in table.metadata.snapshots:
        for manifest in snapshot.manifests(table.io):
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                assert Path(entry.data_file.file_path.removeprefix("file://").removeprefix("file:")).exists()


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read", "vectors"])
def test_killed_in_the_middle_of_commits(start, tmp_path, mode):
    properties = {"copy-on-write": "'format-version' = '2'", "merge-on-read": "'write.merge.mode' = 'merge-on-read'",
                  "vectors": "'format-version' = '3', 'write.merge.mode' = 'merge-on-read'"}[mode]
    # Old states go as new ones come: what is read in the end is the work of all.
    properties += ", 'write.metadata.delete-after-commit.enabled' = 'true', 'write.metadata.previous-versions-max' = '5'"
    finish(start(["CREATE NAMESPACE ice.db", f"CREATE TABLE {TABLE} (r INT, n INT, p STRING, v INT) USING iceberg PARTITIONED BY (p) "
                  f"TBLPROPERTIES ({properties})"]))
    random.seed(7)
    done = set()
    rounds = (200 if mode == "copy-on-write" else 50) if LONG else 5
    for round_number in range(rounds):
        process = start(writes(round_number, 400))
        # At some moment after the first commits.
        lines = [process.stdout.readline() for _ in range(random.randrange(1, 8))]
        time.sleep(random.random() * 0.02)
        process.kill()
        lines += process.communicate()[0].splitlines()
        known = {(round_number, int(line.split(",")[2])) for line in lines if line.startswith("done,")}
        assert known
        done |= known
    rows = [(int(r), int(n), p, int(v)) for r, n, p, v in finish(start([f"SELECT r, n, p, v FROM {TABLE}"]))[1:]]
    check_pairs(rows, done, rounds)
    check_files(tmp_path / "lake" / "db" / "t")
    finish(start([f"CALL ice.system.rewrite_data_files('db.t', options => map('rewrite-all', 'true'))",
                  f"CALL ice.system.expire_snapshots('db.t', TIMESTAMP '2100-01-01 00:00:00', 1)"]))
    again = [(int(r), int(n), p, int(v)) for r, n, p, v in finish(start([f"SELECT r, n, p, v FROM {TABLE}"]))[1:]]
    assert sorted(again) == sorted(rows)
    check_files(tmp_path / "lake" / "db" / "t")
    finish(start([f"DELETE FROM {TABLE} WHERE r < {rounds - 1}", f"INSERT INTO {TABLE} VALUES (99, 0, 'a', 0)"]))
    check_files(tmp_path / "lake" / "db" / "t")


def test_processes_that_append_at_once_lose_nothing(start, tmp_path):
    finish(start(["CREATE NAMESPACE ice.db", f"CREATE TABLE {TABLE} (r INT, n INT) USING iceberg {RETRIES}"]))
    processes = [start([f"INSERT INTO {TABLE} VALUES ({r}, {n})" for n in range(10)]) for r in range(3)]
    for process in processes:
        finish(process)
    rows = finish(start([f"SELECT r, n FROM {TABLE}"]))[1:]
    assert sorted((int(r), int(n)) for r, n in rows) == [(r, n) for r in range(3) for n in range(10)]
    assert finish(start([f"SELECT count(*) FROM {TABLE}.snapshots"]))[1] == ["30"]
    # Two that change the same rows: one of each pair of changes may lose, by name, but none is made twice or halfway.
    finish(start([f"INSERT OVERWRITE {TABLE} VALUES (0, 0)"]))
    processes = [start([f"UPDATE {TABLE} SET n = n + 1"] * 8) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=120)
    (total,) = finish(start([f"SELECT n FROM {TABLE}"]))[1]
    updates = finish(start([f"SELECT count(*) FROM {TABLE}.snapshots WHERE operation = 'overwrite'"]))[1]
    assert int(total) == int(updates[0]) - 1 >= 8
    check_files(tmp_path / "lake" / "db" / "t")


class Writer:
    """A writer that goes on after a conflict, with the statement that lost. Each statement is followed by a mark."""

    def __init__(self, start, statements):
        self.start, self.left, self.lost = start, list(statements), 0
        self.process = self.begin()

    def begin(self):
        return self.start([line for n, statement in enumerate(self.left) for line in (statement, f"SELECT 'done' AS mark, {n} AS n")])

    def finish(self):
        while True:
            out, errors = self.process.communicate(timeout=600)
            if self.process.returncode == 0:
                return
            # What lost did so by name. A statement that has come through has one line of its own; headers have other names.
            assert any(word in errors for word in ("ValidationException", "CommitFailedException", "conflict", "Conflict")), errors
            self.left = self.left[sum(line.startswith("done,") for line in out.splitlines()):]
            self.lost += 1
            assert self.lost <= 40, "conflicts without end"
            self.process = self.begin()


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_appends_merges_and_compaction_at_once(start, tmp_path, mode):
    """Nothing is lost and nothing is done twice, as if one had come after the other; conflicts end."""
    appenders, mergers, count = (4, 3, 15) if LONG else (2, 2, 4)
    properties = RETRIES[:-1] + f", 'write.merge.mode'='{mode}', 'write.delete.mode'='{mode}')"
    finish(start(["CREATE NAMESPACE ice.db", f"CREATE TABLE {TABLE} (p STRING, id INT, n INT) USING iceberg PARTITIONED BY (p) {properties}"]
                 + [f"INSERT INTO {TABLE} VALUES ('m{w}', 0, 0)" for w in range(mergers)]))
    writers = [Writer(start, [f"INSERT INTO {TABLE} VALUES ('a{w}', {n}, 0), ('shared', {w * 1000 + n}, 0)" for n in range(count)])
               for w in range(appenders)]
    writers += [Writer(start, [f"MERGE INTO {TABLE} t USING (SELECT 'm{w}' AS p, explode(array(0, {n})) AS id) s ON t.p = 'm{w}' AND t.p = s.p "
                               "AND t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + 1 WHEN NOT MATCHED THEN INSERT *".replace("INSERT *",
                               "INSERT (p, id, n) VALUES (s.p, s.id, 0)") for n in range(1, count + 1)]) for w in range(mergers)]
    writers.append(Writer(start, ["CALL ice.system.rewrite_data_files(table => 'db.t', options => map('min-input-files', '2'))"] * count))
    for writer in writers:
        writer.finish()
    rows = sorted((p, int(i), int(n)) for p, i, n in finish(start([f"SELECT p, id, n FROM {TABLE}"]))[1:])
    expected = [(f"a{w}", n, 0) for w in range(appenders) for n in range(count)]
    expected += [("shared", w * 1000 + n, 0) for w in range(appenders) for n in range(count)]
    # Row 0 counts the merges: each was done once.
    expected += [(f"m{w}", n, count if n == 0 else 0) for w in range(mergers) for n in range(count + 1)]
    assert rows == sorted(expected)
    print(f"{mode}: conflicts of {len(writers)} writers: {[writer.lost for writer in writers]}")
    check_files(tmp_path / "lake" / "db" / "t")


@pytest.mark.parametrize("changes", ["", "WHEN MATCHED THEN UPDATE SET who = s.who"], ids=["insert", "upsert"])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_merges_that_insert_the_same_key(start, tmp_path, mode, changes):
    """One row or one conflict: never two rows."""
    keys = 20 if LONG else 5
    finish(start(["CREATE NAMESPACE ice.db",
                  f"CREATE TABLE {TABLE} (id INT, who INT) USING iceberg {RETRIES[:-1]}, 'write.merge.mode'='{mode}')"]))
    merges = [[f"MERGE INTO {TABLE} t USING (SELECT {key} AS id, {w} AS who) s ON t.id = s.id {changes} WHEN NOT MATCHED THEN INSERT (id, who) VALUES (s.id, s.who)"
               for key in range(keys)] for w in range(2)]
    writers = [Writer(start, statements) for statements in merges]
    for writer in writers:
        writer.finish()
    rows = [int(i) for i, _ in finish(start([f"SELECT id, who FROM {TABLE}"]))[1:]]
    assert sorted(rows) == list(range(keys))
