"""The text tests: how a *.test file is read and run. test_sql_files.py makes one test of each.

A file has a head (`# name:`, `# description:`), then records separated by empty lines:

    statement                   runs, whatever it returns
    CREATE TABLE t (a INT)

    query                       rows as text, columns separated by tabs, in any order
    SELECT a, b FROM t
    ----
    1	x
    2	NULL

    query ordered               the same, in this order
    query schema                the schema's DDL in one line, then the rows
    error DIVIDE_BY_ZERO        fails with this condition (and SQLSTATE, if a second word stands there)
    SELECT 1 / 0

    set spark.sql.ansi.enabled false

Tables lie in an empty namespace of the Iceberg catalog `ice`, which is the current one; {namespace} in a statement is its
full name.
"""
import datetime
import decimal
import re

from pyspark.errors import PySparkException

RECORD = re.compile(r"^(statement|query(?: ordered| schema)*|error \S+(?: \S+)?|set \S+ .*)$")


def text_of(value, top=True):
    """A value as Spark's CAST(… AS STRING) writes it."""
    if value is None:
        return "NULL" if top else "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return "NaN" if value != value else repr(value).replace("inf", "Infinity")
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex().upper()
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, list):
        return "[" + ", ".join(text_of(v, False) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text_of(k, False)} -> {text_of(v, False)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "{" + ", ".join(text_of(v, False) for v in value) + "}"
    return str(value)


def parse(text):
    """[(line number, kind, body lines, expected lines)] of a file."""
    records, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].startswith("#"):
            at += 1
            continue
        start, kind = at + 1, lines[at].strip()
        if not RECORD.match(kind):
            raise ValueError(f"line {start}: no record starts with {kind!r}")
        at += 1
        body, expected = [], None
        while at < len(lines) and lines[at].strip():
            if lines[at] == "----" and expected is None:
                expected = []
            else:
                (body if expected is None else expected).append(lines[at])
            at += 1
        if kind.startswith("query") and expected is None:
            raise ValueError(f"line {start}: a query needs ---- and its rows")
        if not body and not kind.startswith("set "):
            raise ValueError(f"line {start}: no statement")
        records.append((start, kind, body, expected or []))
    return records


class Mismatch(AssertionError):
    """An answer that is not the expected one."""


def run_record(spark, namespace, kind, body, expected):
    sql = "\n".join(body).replace("{namespace}", namespace)
    if kind == "statement":
        spark.sql(sql).collect()
    elif kind.startswith("set "):
        _, key, value = kind.split(" ", 2)
        spark.conf.set(key, value)
    elif kind.startswith("error "):
        condition, state = (kind.split(" ") + [None])[1:3]
        try:
            rows = spark.sql(sql).collect()
        except PySparkException as error:
            if error.getCondition() != condition or (state and error.getSqlState() != state):
                raise Mismatch(f"expected {condition} {state or ''}, got {error.getCondition()} "
                               f"{error.getSqlState()}: {error}") from error
        else:
            raise Mismatch(f"expected {condition}, got {len(rows)} rows")
    else:
        frame = spark.sql(sql)
        got = ["\t".join(text_of(v) for v in row) for row in frame.collect()]
        wanted = list(expected)
        if "schema" in kind:
            schema = ", ".join(f"{f.name} {f.dataType.simpleString().upper()}" for f in frame.schema.fields)
            if not wanted or schema != wanted.pop(0):
                raise Mismatch(f"schema: expected {expected[0] if expected else 'none given'}\n             got {schema}")
        if "ordered" not in kind:
            got, wanted = sorted(got), sorted(wanted)
        if got != wanted:
            raise Mismatch("expected:\n  " + "\n  ".join(wanted) + "\ngot:\n  " + "\n  ".join(got))
