"""SQL in notebooks: `%load_ext frazil` gives `%sql`, `%%sql` and `%%configure`.

    %load_ext frazil

    %%configure -f
    {"conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", …}}

    %%sql -o days
    SELECT origin, count(*) FROM lake.db.flights GROUP BY origin

The names and options are those that notebooks written for Spark have (sparkmagic's `%%sql -o -n -q` and `%%configure -f`).
"""
import html
import json
import os

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class, no_var_expand

_DEFAULT_ROWS = 100
_SQL_USAGE = "%%sql [-o NAME] [-n ROWS] [-q] STATEMENT"
_CONFIGURE_USAGE = '%%configure [-f], then lines of JSON: {"conf": {"key": "value"}}'


class SqlResult:
    """The first rows of a statement's result, shown as a table.

    `dataframe` is the whole result, as a DataFrame of Spark that has not run; `columns` are names, `rows` tuples of Python
    values. `complete` is False if the result has more rows than these.
    """

    def __init__(self, dataframe, limit):
        self.dataframe = dataframe
        self.columns = list(dataframe.columns)
        # One row more than is shown tells whether there are more.
        found = [tuple(row) for row in dataframe.limit(limit + 1).collect()]
        self.rows = found[:limit]
        self.complete = len(found) <= limit

    def __repr__(self):
        cells = [[_text(name) for name in self.columns], *([_text(value) for value in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        lines.insert(1, "-+-".join("-" * width for width in widths))
        return "\n".join([*lines, self._footer()])

    def _repr_html_(self):
        def row(kind, values):
            return f"<tr>{''.join(f'<{kind}>{html.escape(_text(value))}</{kind}>' for value in values)}</tr>"
        body = "".join(row("td", values) for values in self.rows)
        return (f"<table><thead>{row('th', self.columns)}</thead><tbody>{body}</tbody></table>"
                f"<small>{html.escape(self._footer())}</small>")

    def _footer(self):
        count = len(self.rows)
        return f"{count} row{'' if count == 1 else 's'}" if self.complete else f"the first {count} rows, there are more"


@magics_class
class SqlMagics(Magics):
    """`%sql`, `%%sql` and `%%configure` of an IPython shell.

    Statements run on the session that the notebook's variable `spark` holds. Where there is none, one is made and put there:
    on the server that the environment variable SPARK_REMOTE names, else on a server of this process.
    """

    _made = None  # The session that was made here, if any.

    @no_var_expand  # `{…}` and `$` belong to SQL here.
    @line_cell_magic
    def sql(self, line, cell=None):
        """%%sql [-o NAME] [-n ROWS] [-q] STATEMENT: runs one statement of Spark SQL and shows its rows as a table.

        -o NAME  puts the whole result into the variable NAME, as a pandas DataFrame
        -n ROWS  how many rows are shown (100 without it)
        -q       shows nothing
        """
        output, limit, quiet, rest = _sql_options(line)
        statement = rest if cell is None else f"{rest}\n{cell}"
        if not statement.strip():
            raise UsageError(f"no statement was given: {_SQL_USAGE}")
        dataframe = self._session().sql(statement)
        if output:
            self.shell.user_ns[output] = dataframe.toPandas()
        if not dataframe.columns:  # A command without a result has run by now.
            return None
        result = SqlResult(dataframe, limit)
        return None if quiet else result

    @no_var_expand
    @cell_magic
    def configure(self, line, cell):
        """%%configure [-f]: the settings of the session that %%sql uses, as JSON: {"conf": {"key": "value"}}.

        -f  if a session runs already, it is stopped and a new one takes its place (temporary views go with it)

        Sizes of a cluster ("numExecutors", "driverMemory" …) are taken and have no meaning here.
        """
        options = line.split()
        if set(options) - {"-f", "--force"}:
            raise UsageError(f"unknown option {line.strip()}: {_CONFIGURE_USAGE}")
        conf = _configuration(cell)
        running = self.shell.user_ns.get("spark")
        if running is not None and running is not self._made:
            raise UsageError("the variable spark holds a session that %%configure did not make: give it its settings where it "
                             "is made, or `del spark` first")
        if running is not None and not options:
            raise UsageError("a session runs already: %%configure -f stops it and makes a new one")
        if running is not None:
            running.stop()
        self._make(conf)

    def _session(self):
        session = self.shell.user_ns.get("spark")
        return self._make({}) if session is None else session

    def _make(self, conf):
        self._made = self.shell.user_ns["spark"] = _new_session(conf)
        return self._made


def _new_session(conf):
    if "SPARK_REMOTE" not in os.environ:
        from frazil.local_session import session
        return session(conf)
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.remote(os.environ["SPARK_REMOTE"])
    for key, value in conf.items():
        builder = builder.config(key, value)
    return builder.create()


def _sql_options(line):
    """(variable's name or None, number of rows, quiet, the rest of the line: the statement or its beginning)."""
    output, limit, quiet, rest = None, _DEFAULT_ROWS, False, line.strip()
    while rest.startswith("-") and not rest.startswith("-- "):
        option, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if option in ("-q", "--quiet"):
            quiet = True
            continue
        if option not in ("-o", "--output", "-n", "--maxrows"):
            raise UsageError(f"unknown option {option}: {_SQL_USAGE}")
        value, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if option in ("-o", "--output"):
            if not value.isidentifier():
                raise UsageError(f"{option} takes the name of a variable, not {value!r}: {_SQL_USAGE}")
            output = value
        elif value.isdecimal():
            limit = int(value)
        else:
            raise UsageError(f"{option} takes a number of rows, not {value!r}: {_SQL_USAGE}")
    return output, limit, quiet, rest


def _configuration(text):
    """{key: value} of %%configure's JSON."""
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON ({error}): {_CONFIGURE_USAGE}") from None
    conf = given.get("conf", {}) if isinstance(given, dict) else None
    if not isinstance(conf, dict):
        raise UsageError(f"settings are an object: {_CONFIGURE_USAGE}")
    return conf


def _text(value):
    """A value as `show` writes the commonest ones."""
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)
