"""The include check finds what it must find."""
import json

import check_includes
import pytest

TABLE = {
    "libraries": {
        "base": {"depends": [], "third_party": []},
        "tables": {"depends": ["base"], "third_party": []},
        "tables/iceberg": {"depends": ["tables", "base"], "third_party": ["nlohmann_json"]},
        "engine": {"depends": ["tables", "base"], "third_party": ["duckdb"]},
        "session": {"depends": ["engine", "base"], "test_depends": ["tables"], "third_party": []},
    },
    "third_party_headers": {"duckdb": ["duckdb.hpp", "duckdb/"], "nlohmann_json": ["nlohmann/"], "gtest": ["gtest/"]},
}


@pytest.fixture
def offences(tmp_path):
    """Checks a tree given as {path below src/frazil: text}; returns the offences."""
    def check(files, table=TABLE):
        for name, text in files.items():
            path = tmp_path / "src" / "frazil" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_includes.check(tmp_path, check_includes.Rules(json.loads(json.dumps(table))))
    return check


def test_allowed_includes_pass(offences):
    assert offences({
        "base/status.h": "#include <vector>\n#include <sys/stat.h>\n",
        "tables/table.h": '#include "frazil/base/status.h"\n',
        "tables/iceberg/manifest.cc": '#include <nlohmann/json.hpp>\n\n#include "frazil/tables/table.h"\n',
        "tables/iceberg/manifest_test.cc": "#include <gtest/gtest.h>\n",
        "engine/run_internal.h": '#include "duckdb.hpp"\n#include "duckdb/common/types.hpp"\n',
        "engine/run.cc": '#include "frazil/engine/run_internal.h"\n',
    }) == []


def test_an_include_of_a_library_that_is_not_listed(offences):
    assert offences({
        "engine/engine.h": "",
        "tables/table.cc": '#include "frazil/base/status.h"\n#include "frazil/engine/engine.h"\n',
        "base/status.h": "",
    }) == ["src/frazil/tables/table.cc:2: tables may not include frazil/engine/engine.h"]


def test_a_nested_library_is_not_part_of_its_parent(offences):
    assert offences({
        "tables/iceberg/manifest.h": "",
        "engine/scan.cc": '#include "frazil/tables/iceberg/manifest.h"\n',
    }) == ["src/frazil/engine/scan.cc:1: engine may not include frazil/tables/iceberg/manifest.h"]


def test_a_third_party_header_outside_its_folder(offences):
    assert offences({"session/session.cc": "#include <duckdb.hpp>\n"}) == [
        "src/frazil/session/session.cc:1: session may not include duckdb.hpp (duckdb)"]


def test_a_public_header_that_leaks_a_package(offences):
    assert offences({
        "engine/engine.h": '#include "frazil/engine/inner.h"\n',
        "engine/inner.h": '#include "duckdb.hpp"\n',
        "session/session.cc": '#include "frazil/engine/engine.h"\n',
    }) == ["src/frazil/session/session.cc:1: frazil/engine/engine.h brings duckdb (by engine/inner.h) into session"]


def test_only_tests_may_use_what_is_listed_for_tests(offences):
    text = '#include "frazil/tables/table.h"\n'
    assert offences({"tables/table.h": "", "session/a_test.cc": text, "session/a.cc": text}) == [
        "src/frazil/session/a.cc:1: session may not include frazil/tables/table.h"]


def test_includes_are_written_from_the_root_and_exist(offences):
    assert offences({"base/a.cc": '#include "status.h"\n#include "frazil/base/gone.h"\n'}) == [
        'src/frazil/base/a.cc:1: write "status.h" as "frazil/<folder>/status.h"',
        "src/frazil/base/a.cc:2: frazil/base/gone.h does not exist"]


def test_a_folder_that_the_table_does_not_know(offences):
    assert offences({"newer/a.cc": ""}) == ["src/frazil/newer/a.cc:1: lies in no library of include_rules.json"]


def test_a_table_whose_arrows_point_up(offences):
    table = {"libraries": {"base": {"depends": ["types"], "third_party": []},
                           "types": {"depends": ["base"], "third_party": []}}, "third_party_headers": {}}
    assert offences({}, table) == ["include_rules.json: base depends on types, which must stand above it"]
