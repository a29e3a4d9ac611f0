"""The ratchet: what is lost fails, what is new is added, nothing is taken out."""
import json
import time
from argparse import Namespace

import pytest
import ratchet


@pytest.fixture
def lists(tmp_path, monkeypatch):
    monkeypatch.setattr(ratchet, "LISTS", tmp_path / "lists")
    (tmp_path / "lists").mkdir()
    return tmp_path / "lists"


def run(monkeypatch, tmp_path, passed, failed, update=False):
    def program(*_):
        return ratchet.Outcome(passed, failed)
    monkeypatch.setitem(ratchet.SUITES, "functions", ("conformance", program))
    args = Namespace(remote="sc://nowhere:1", quick=False, update=update, logs=None)
    return ratchet.run_suite("functions", tmp_path, args)


def test_a_listed_test_that_fails_is_lost(lists, monkeypatch, tmp_path):
    ratchet.write_list("functions", ["a", "b"])
    _, lost, text = run(monkeypatch, tmp_path, ["a"], ["b"])
    assert lost == ["b"] and "lost: b" in text


def test_what_passes_the_second_time_is_not_lost(lists, monkeypatch, tmp_path):
    ratchet.write_list("functions", ["a", "b"])
    outcomes = iter([ratchet.Outcome(["a"], ["b"]), ratchet.Outcome(["b"], ["a"])])
    monkeypatch.setitem(ratchet.SUITES, "functions", ("conformance", lambda *_: next(outcomes)))
    args = Namespace(remote="sc://nowhere:1", quick=False, update=False, logs=None)
    assert ratchet.run_suite("functions", tmp_path, args)[1] == []


def test_a_listed_test_that_was_not_run_is_not_lost(lists, monkeypatch, tmp_path):
    ratchet.write_list("functions", ["a", "b"])
    assert run(monkeypatch, tmp_path, ["a"], [])[1] == []


def test_a_program_that_does_not_end_is_begun_once_more(lists, monkeypatch, tmp_path, capsys):
    ratchet.write_list("functions", ["a"])
    monkeypatch.setattr(ratchet, "suite_seconds", 0.5)
    runs = []

    def program(folder, remote, work, *_):
        runs.append(work)
        # A child of the program holds the log open: it has to go too.
        script = "sleep 60 & sleep 60" if len(runs) == 1 else "true"
        ratchet.run(["sh", "-c", script], remote, work / "log.txt")
        return ratchet.Outcome(["a"], [])

    monkeypatch.setitem(ratchet.SUITES, "functions", ("conformance", program))
    args = Namespace(remote="sc://nowhere:1", quick=False, update=False, logs=None)
    began = time.monotonic()
    assert ratchet.run_suite("functions", tmp_path, args)[1] == []
    assert len(runs) == 2 and time.monotonic() - began < 20
    assert "did not end within 0.5 s" in capsys.readouterr().out


def test_a_program_that_never_ends_fails(lists, monkeypatch, tmp_path):
    monkeypatch.setattr(ratchet, "suite_seconds", 0.2)
    monkeypatch.setitem(ratchet.SUITES, "functions", (
        "conformance", lambda folder, remote, work, *_: ratchet.run(["sleep", "60"], remote, work / "log.txt")))
    args = Namespace(remote="sc://nowhere:1", quick=False, update=False, logs=None)
    _, lost, text = ratchet.run_suite("functions", tmp_path, args)
    assert lost is None and "did not end" in text


def test_update_only_adds(lists, monkeypatch, tmp_path):
    ratchet.write_list("functions", ["a", "b"])
    run(monkeypatch, tmp_path, ["c"], ["a"], update=True)
    assert ratchet.read_list("functions") == {"a", "b", "c"}


def test_without_update_the_list_stays(lists, monkeypatch, tmp_path):
    ratchet.write_list("functions", ["a"])
    run(monkeypatch, tmp_path, ["a", "c"], [])
    assert ratchet.read_list("functions") == {"a"}


def test_golden_results_become_names(lists, monkeypatch, tmp_path):
    def fake_run(command, remote, log, **_):
        result = command[command.index("--json") + 1]
        result.write_text(json.dumps({"files": [
            {"file": "a.sql", "counts": {"pass": 2, "rows": 1}, "failures": [{"n": 1}]},
            {"file": "udf/b.sql", "counts": {"skipped": 3}, "failures": [], "skipped": "why"}]}))
    monkeypatch.setattr(ratchet, "run", fake_run)
    outcome = ratchet.run_golden(tmp_path, "sc://nowhere:1", tmp_path, set(), quick=False)
    assert outcome.passed == {"a.sql#0", "a.sql#2"} and outcome.failed == {"a.sql#1"}


def test_names_of_acceptance_tests():
    assert ratchet.acceptance_name("test_a", "test_x[1]") == "test_a.py::test_x[1]"
    assert ratchet.acceptance_name("suite.test_a.TestB", "test_x") == "test_a.py::TestB::test_x"


def test_listed_acceptance_tests_that_do_not_run_are_failures(tmp_path):
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "test_a.py").write_text("def test_here():\n    pass\n")
    for listed, failed in (({"test_a.py::test_here"}, set()),
                           ({"test_a.py::test_here", "test_gone.py::test_there"},
                            {"test_a.py::test_here", "test_gone.py::test_there"})):
        work = tmp_path / str(len(listed))
        work.mkdir()
        outcome = ratchet.run_acceptance(tmp_path / "suite", "sc://nowhere:1", work, listed, quick=True)
        assert outcome.failed == failed
