"""Each *.test file of this folder (format: sql_file.py), in a session and a namespace of its own."""
import sys
import uuid
from pathlib import Path

import pytest
from conftest import iceberg_catalog

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from sql_file import Mismatch, parse, run_record  # noqa: E402

FILES = sorted(HERE.rglob("*.test"))


@pytest.mark.parametrize("path", FILES, ids=[str(f.relative_to(HERE).with_suffix("")) for f in FILES])
def test_sql_file(path, new_session, tmp_path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# name: "), "a text test starts with '# name: …'"
    spark = new_session(iceberg_catalog("ice", tmp_path))
    namespace = f"ice.n{uuid.uuid4().hex[:8]}"
    spark.sql(f"CREATE NAMESPACE {namespace}")
    spark.sql(f"USE {namespace}")
    for line, kind, body, expected in parse(text):
        try:
            run_record(spark, namespace, kind, body, expected)
        except Exception as error:
            shown = str(error) if isinstance(error, Mismatch) else f"{type(error).__name__}: {error}"
            pytest.fail(f"{path}:{line}: {kind}\n" + "\n".join(body) + f"\n{shown}", pytrace=False)


def test_the_format_is_checked():
    assert parse("# name: x\n\nquery\nSELECT 1\n----\n1\n") == [(3, "query", ["SELECT 1"], ["1"])]
    for wrong in ("SELECT 1", "query\nSELECT 1\n", "statement\n\n"):
        with pytest.raises(ValueError, match="line 1"):
            parse(wrong)
