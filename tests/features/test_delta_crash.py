"""Delta tables under several processes at once, and under processes that die: versions without gaps, every commit that
was made known is there once, whole, and nothing else. FRAZIL_LONG_TESTS=1: as often as the tables promise to hold (8
writers with 200 commits, 200 processes killed)."""
import json
import os
import random
import time
from pathlib import Path

import pytest
from crash_rows import check_pairs
from deltalake import DeltaTable
from processes import Processes, finish

pytestmark = pytest.mark.ours

LONG = os.environ.get("FRAZIL_LONG_TESTS") == "1"


@pytest.fixture
def start(tmp_path):
    """start(statements) -> a process of its own that runs them one after the other."""
    processes = Processes(tmp_path)
    yield processes.start
    processes.stop()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "t"


def versions(folder):
    return sorted(int(f.stem) for f in (folder / "_delta_log").glob("*.json") if f.stem.isdigit())


def check_log(folder):
    """Versions without gaps; every live file is there; deltalake reads the same."""
    assert versions(folder) == list(range(len(versions(folder))))
    live = {}
    for version in versions(folder):
        for line in (folder / "_delta_log" / f"{version:020}.json").read_text().splitlines():
            action = json.loads(line)
            if "remove" in action:
                del live[action["remove"]["path"]]
            if "add" in action:
                assert action["add"]["path"] not in live
                live[action["add"]["path"]] = action["add"]
    assert all((folder / path).exists() for path in live)
    theirs = DeltaTable(str(folder))
    assert theirs.version() == versions(folder)[-1]
    return theirs


def test_processes_that_append_at_once_lose_nothing(start, folder):
    writers, commits = (8, 25) if LONG else (3, 8)
    table = f"delta.`{folder}`"
    finish(start([f"CREATE TABLE {table} (w INT, n INT)"]))
    processes = [start([f"INSERT INTO {table} VALUES ({w}, {n})" for n in range(commits)]) for w in range(writers)]
    for process in processes:
        finish(process, timeout=600)
    expected = [(w, n) for w in range(writers) for n in range(commits)]
    rows = finish(start([f"SELECT w, n FROM {table}"]))[1:]
    assert sorted((int(w), int(n)) for w, n in rows) == expected
    assert sorted(tuple(r.values()) for r in check_log(folder).to_pyarrow_table().to_pylist()) == expected
    assert versions(folder)[-1] == writers * commits


def test_processes_that_change_the_same_rows_change_them_once(start, folder):
    table = f"delta.`{folder}`"
    finish(start([f"CREATE TABLE {table} (id INT, n INT)", f"INSERT INTO {table} VALUES (0, 0)"]))
    # One of each pair may lose, by name; none is made twice or halfway. The first failure ends a process.
    statements = [f"UPDATE {table} SET n = n + 1",
                  f"MERGE INTO {table} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 0)"]
    for process in [start(statements * 4) for _ in range(3)]:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0 or "DELTA_CONCURRENT" in errors, errors
    rows = {int(i): int(n) for i, n in finish(start([f"SELECT id, n FROM {table}"]))[1:]}
    done = [r["operation"] for r in check_log(folder).history()]
    # No second row by a MERGE that had not seen the first.
    assert finish(start([f"SELECT count(*) FROM {table} WHERE id = 1"]))[1] == ["1"]
    assert rows[0] == done.count("UPDATE") >= 4


def test_killed_in_the_middle_of_commits(start, folder):
    table = f"delta.`{folder}`"
    rounds = 200 if LONG else 8
    finish(start([f"CREATE TABLE {table} (r INT, n INT, p STRING, v INT) PARTITIONED BY (p)"]))
    random.seed(7)
    done = set()
    for r in range(rounds):
        statements = []
        for n in range(40):
            statements.append(f"INSERT INTO {table} VALUES ({r}, {n}, 'a', 0), ({r}, {n}, 'b', 0)")
            if n % 3 == 2:
                statements.append(f"UPDATE {table} SET v = v + 1 WHERE r = {r} AND n = {n}")
            statements.append(f"SELECT 'done', {r}, {n}")
        process = start(statements)
        # At some moment after the first commits.
        lines = [process.stdout.readline() for _ in range(random.randrange(1, 8))]
        time.sleep(random.random() * 0.05)
        process.kill()
        lines += process.communicate()[0].splitlines()
        done |= {(r, int(line.split(",")[2])) for line in lines if line.startswith("done,")}
    assert done
    rows = [(int(r), int(n), p, int(v)) for r, n, p, v in finish(start([f"SELECT r, n, p, v FROM {table}"]))[1:]]
    theirs = check_log(folder).to_pyarrow_table(columns=["r", "n", "p", "v"]).to_pylist()
    assert sorted(rows) == sorted(tuple(row.values()) for row in theirs)
    check_pairs(rows, done, rounds)
    finish(start([f"DELETE FROM {table} WHERE r < 3", f"INSERT INTO {table} VALUES (999, 0, 'a', 0)"]))
    check_log(folder)
