"""The source check finds what it must find."""
import check_source
import pytest


@pytest.fixture
def offences(tmp_path):
    def check(name, text):
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return check_source.check(tmp_path)
    return check


def test_an_orderly_file(offences):
    assert offences("frazil/base/clock.h", "#pragma once\n// Why.\n") == []


@pytest.mark.parametrize("name, text, words", [
    ("string_utils.cc", "", "says nothing"),
    ("StringText.cc", "", "snake_case"),
    ("long.cc", "\n" * 801, "801 lines"),
    ("guard.h", "int a;\n", "#pragma once"),
    ("todo.cc", "// TO" + "DO later\n", "unfinished"),
    ("skip_test.cc", "GTEST_" + "SKIP();\n", "tests nothing"),
    ("raise.cc", "return Error::Of(\"NO_SUCH_THING\", {});\n", "no error condition NO_SUCH_THING"),
])
def test_each_offence(offences, name, text, words):
    found = offences(name, text)
    assert len(found) == 1 and words in found[0] and found[0].startswith(f"src/{name}:")


def test_where_packages_come_from(tmp_path):
    path = tmp_path / "tools" / "setup" / "requirements.txt"
    path.parent.mkdir(parents=True)
    path.write_text("--find-links /packages\n\na==1 \\\n    --hash=sha256:00\n")
    assert check_source.check(tmp_path) == [
        "tools/setup/requirements.txt:1: requirements name packages, not where they come from"]
