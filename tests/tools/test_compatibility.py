"""The page of what passes says what the lists say."""
import json

import compatibility
import pytest


@pytest.fixture
def lists(tmp_path, monkeypatch):
    monkeypatch.setattr(compatibility, "LISTS", tmp_path)
    monkeypatch.setattr(compatibility, "PAGE", tmp_path / "page.md")
    known = {"golden": {"xml-functions.sql": 3, "other.sql": 2}, "doctests": ["a.b.xpath", "a.b.c"],
             "functions": ["to_xml: SELECT 1", "abs: SELECT 2"]}
    (tmp_path / "suites.json").write_text(json.dumps(known))
    (tmp_path / "golden.txt").write_text("# passes\nxml-functions.sql#0\nother.sql#0\nother.sql#1\n")
    (tmp_path / "doctests.txt").write_text("a.b.xpath\n")
    return tmp_path


def test_counts_and_kinds(lists):
    text = compatibility.page()
    assert "| Golden SQL files | queries of Spark's own SQL test files | 3 | 5 | 60.0 % |" in text
    assert "| XML | 2 |  | 1 |" in text
    assert "| Single differences |  | 1 | 1 |" in text
    assert "- Golden SQL files: `xml-functions.sql` (2)" in text
    assert "SQL functions" not in text


def test_check_sees_an_old_page(lists, monkeypatch):
    monkeypatch.setattr("sys.argv", ["compatibility.py"])
    assert compatibility.main() == 0
    monkeypatch.setattr("sys.argv", ["compatibility.py", "--check"])
    assert compatibility.main() == 0
    with (lists / "doctests.txt").open("a") as file:
        file.write("a.b.c\n")
    assert compatibility.main() == 1
