"""A process that dies in the middle of its statements leaves a table that can be read: what it had committed is there,
whole, and nothing else. Several processes that write at once lose nothing."""
import random
import time
from pathlib import Path

import pytest
from crash_rows import check_pairs
from processes import Processes, finish
from pyiceberg.table import StaticTable

pytestmark = pytest.mark.ours

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


def test_killed_in_the_middle_of_commits(start, tmp_path):
    finish(start(["CREATE NAMESPACE ice.db", f"CREATE TABLE {TABLE} (r INT, n INT, p STRING, v INT) USING iceberg PARTITIONED BY (p)"]))
    random.seed(7)
    done = set()
    for round_number in range(10):
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
    check_pairs(rows, done, 10)
    check_files(tmp_path / "lake" / "db" / "t")
    finish(start([f"DELETE FROM {TABLE} WHERE r < 9", f"INSERT INTO {TABLE} VALUES (99, 0, 'a', 0)"]))
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
