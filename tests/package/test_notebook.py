"""The magics of notebooks, in a real IPython shell: %load_ext frazil, %%sql, %%configure."""
import json

import pandas
import pytest
from conftest import iceberg_catalog, open_session
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

pytestmark = pytest.mark.ours


class Notebook:
    """Runs cells as a notebook does."""

    def __init__(self):
        self.shell = InteractiveShell()
        self.run("%load_ext frazil")

    def run(self, cell):
        """What the cell shows, or None."""
        done = self.shell.run_cell(cell, store_history=False)
        done.raise_error()
        return done.result

    def refusal(self, cell):
        """The message of the UsageError that the cell must end with."""
        error = self.shell.run_cell(cell, store_history=False).error_in_exec
        assert isinstance(error, UsageError), error
        return str(error)

    def __getitem__(self, name):
        return self.shell.user_ns[name]

    def __setitem__(self, name, value):
        self.shell.user_ns[name] = value

    def __contains__(self, name):
        return name in self.shell.user_ns


@pytest.fixture
def notebook(remote, monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", remote)
    made = Notebook()
    yield made
    if "spark" in made:
        made["spark"].stop()


def test_a_notebook_of_sql_cells(notebook, tmp_path):
    notebook.run("%%configure -f\n" + json.dumps({"conf": iceberg_catalog("lake", tmp_path), "driverMemory": "2G"}))
    assert notebook.run("%%sql\nCREATE TABLE lake.db.orders (id INT, product STRING) USING iceberg;") is None
    assert notebook.run("%%sql\nINSERT INTO lake.db.orders\nVALUES (1, '<b>'), (2, NULL)") is None
    shown = notebook.run("%%sql\nSELECT * FROM lake.db.orders ORDER BY id")
    assert (shown.columns, shown.rows, shown.complete) == (["id", "product"], [(1, "<b>"), (2, None)], True)
    assert repr(shown) == "id | product\n---+--------\n1  | <b>\n2  | NULL\n2 rows"
    assert "<td>1</td><td>&lt;b&gt;</td>" in shown._repr_html_() and "<th>product</th>" in shown._repr_html_()
    assert shown.dataframe.count() == 2
    assert notebook["spark"].table("lake.db.orders").count() == 2
    assert (tmp_path / "db" / "orders" / "metadata").is_dir()


def test_options_of_sql(notebook):
    assert notebook.run("%%sql -q -o numbers\nSELECT id AS n FROM range(300)") is None
    assert isinstance(notebook["numbers"], pandas.DataFrame) and list(notebook["numbers"].n) == list(range(300))
    assert len(notebook.run("%sql SELECT * FROM range(300)").rows) == 100
    few = notebook.run("%%sql -n 2 SELECT *\nFROM range(3)")
    assert (few.rows, few.complete) == ([(0,), (1,)], False) and "there are more" in repr(few)
    assert notebook.run("%%sql --maxrows 3\nSELECT * FROM range(3)").complete
    # Braces, dollars and comments are SQL's, not the notebook's.
    notebook["a"] = "other"
    assert notebook.run("%%sql -- a comment\nSELECT get_json_object('{\"a\": 1}', '$.a') AS v, '{a}$a'").rows == [("1", "{a}$a")]
    assert notebook.run("%sql SELECT '{a} $a'").rows == [("{a} $a",)]


def test_a_statement_that_fails(notebook):
    from pyspark.errors import AnalysisException
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        notebook.run("%%sql\nSELECT * FROM nowhere")


@pytest.mark.parametrize("cell, message", [
    ("%%sql\n   ", "no statement"), ("%sql", "no statement"), ("%%sql -x\nSELECT 1", "unknown option -x"),
    ("%%sql -o 1a\nSELECT 1", "name of a variable"), ("%%sql -o\nSELECT 1", "name of a variable"),
    ("%%sql -n -1\nSELECT 1", "a number of rows"), ("%%configure -y\n{}", "unknown option -y"),
    ("%%configure\n{'conf'}", "not JSON"), ("%%configure\n[]", "settings are an object"),
    ('%%configure\n{"conf": [1]}', "settings are an object")])
def test_wrong_use(notebook, cell, message):
    assert message in notebook.refusal(cell)
    assert "spark" not in notebook


def test_configure_again(notebook):
    notebook.run('%%configure\n{"conf": {"spark.sql.ansi.enabled": false, "spark.sql.shuffle.partitions": 7}}')
    first = notebook["spark"]
    assert first.conf.get("spark.sql.shuffle.partitions") == "7"
    assert notebook.run("%sql SELECT 1 / 0 AS q").rows == [(None,)]
    notebook.run("%sql CREATE TEMPORARY VIEW mine AS SELECT 1")
    assert "runs already" in notebook.refusal('%%configure\n{"conf": {}}')
    assert notebook["spark"] is first
    notebook.run('%%configure -f\n{"conf": {"spark.sql.shuffle.partitions": 8}}')
    assert notebook["spark"].conf.get("spark.sql.shuffle.partitions") == "8"
    assert notebook.run("%sql SHOW VIEWS").rows == []


def test_the_notebooks_own_session_is_used_and_kept(notebook, remote):
    own = notebook["spark"] = open_session(remote)
    own.sql("CREATE TEMPORARY VIEW mine AS SELECT 5 AS five")
    assert notebook.run("%sql SELECT * FROM mine").rows == [(5,)]
    assert "did not make" in notebook.refusal('%%configure -f\n{"conf": {}}')
    assert notebook["spark"] is own and own.range(2).count() == 2


def test_a_server_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    notebook = Notebook()
    assert notebook.run("%sql SELECT true AS yes").rows == [(True,)]
    notebook["spark"].stop()
