"""The ratchet: what is lost fails, what is new is added, nothing is taken out."""
import json
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
