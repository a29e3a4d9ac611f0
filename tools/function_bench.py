#!/usr/bin/env python3
"""What the most used functions of Spark cost beside DuckDB's nearest, over 10 million rows.

    tools/function_bench.py [--binary build/release/bin/frazil] [--rows 10000000] [--rounds 3] [--only REGEX] [--all]

Both read the same Parquet files, made by DuckDB once, with two threads. A query puts a function's results into an
aggregate that costs next to nothing; what the query costs that does the same with the bare columns is taken off. Each
figure is the least of the rounds, in which the engines take turns; the ratio is that of the CPU seconds, for the machine
may be busy with other things. Costs under 10 ns a row count as 10 ns: they cannot be told apart.

Exit status 1 when a function costs more than three times DuckDB's, and FUNCTIONS has no reason for it. DuckDB is the
Python package of the version that the server has in it.
"""
import argparse
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

THREADS = 2
LIMIT = 3.0
LEAST_SECONDS_PER_ROW = 10e-9

# Every row comes from a hash of its number: each run and each machine has the same.
TABLE = """
SELECT i AS id, (h % 2000001)::INT - 1000000 AS i, CASE WHEN h % 10 > 0 THEN (h % 5000)::INT END AS n, (h % 1000)::INT AS k,
       (h % 1000000000000)::BIGINT AS l, (h % 1000000007)::DOUBLE / 1000 - 500000 AS d,
       ((h % 1000000007)::BIGINT / 100)::DECIMAL(12, 2) AS c, h % 3 = 0 AS b,
       'Alpha bravo ' || (h % 100000) || ' Charlie ' || chr((65 + h % 26)::INT) AS s,
       'Zürich Genève ' || (h % 100000) || ' Ñandú ' || chr((97 + h % 26)::INT) AS u,
       '  ' || (h % 1000000) || ' padded   ' AS p,
       'a' || (h % 100) || ',bb,' || (h % 977) || ',d' AS csv,
       (h % 1000000)::VARCHAR AS digits, (h % 1000000) || '.' || (h % 900 + 100) AS num,
       DATE '2000-01-01' + (h % 9000)::INT AS day, to_timestamp(946684800 + (h % 777600000)::BIGINT) AS ts,
       strftime(DATE '2000-01-01' + (h % 9000)::INT, '%Y-%m-%d') AS day_text,
       strftime(make_timestamp(946684800000000 + (h % 777600000)::BIGINT * 1000000), '%Y-%m-%d %H:%M:%S') AS ts_text,
       '{"a": ' || (h % 1000) || ', "b": "text ' || (h % 77) || '", "c": [1, 2, ' || (h % 10) || '], "d": {"e": 1.5}}' AS js,
       [(h % 7)::INT, (h % 11)::INT, (h % 13)::INT, (h % 17)::INT, (h % 19)::INT] AS arr,
       [(h % 5)::INT, (h % 23)::INT, 3] AS arr2,
       ['w' || h % 100, 'word', 'x' || h % 31] AS words,
       MAP {'one': (h % 10)::INT, 'two': (h % 20)::INT, 'k' || h % 10: 3} AS m,
       {'a': (h % 1000)::INT, 'b': 'text ' || h % 1000} AS st
FROM (SELECT i, hash(i) AS h FROM range({rows}) r(i))
"""

# How the results of a kind are put into an aggregate, in Spark's and in DuckDB's words.
SINKS = {
    "value": ("max({})", "max({})"),
    "text": ("max(octet_length({}))", "max(strlen({}))"),
    "bytes": ("max(octet_length({}))", "max(octet_length({}))"),
    "list": ("max(size({}))", "max(len({}))"),
    "map": ("max(size({}))", "max(cardinality({}))"),
    "whole": ("{}", "{}"),  # Aggregates.
}
KIND_OF_COLUMN = dict(s="text", u="text", p="text", csv="text", digits="text", num="text", day_text="text", ts_text="text",
                      js="text", arr="list", arr2="list", words="list", m="map", st="struct")


class Function(NamedTuple):
    """A call in Spark's words and DuckDB's nearest, with the columns that it reads (none: nothing is taken off)."""

    name: str
    columns: str
    kind: str
    spark: str
    duckdb: str = None
    reason: str = None
    source: str = "t"


F = Function
WINDOW = "(PARTITION BY k ORDER BY id)"

FUNCTIONS = [
    # Text
    F("upper", "s", "text", "upper(s)"),
    F("upper, not ASCII", "u", "text", "upper(u)"),
    F("lower", "s", "text", "lower(s)"),
    F("length", "s", "value", "length(s)"),
    F("length, not ASCII", "u", "value", "length(u)"),
    F("trim", "p", "text", "trim(p)"),
    F("ltrim", "p", "text", "ltrim(p)"),
    F("rtrim", "p", "text", "rtrim(p)"),
    F("concat", "s p", "text", "concat(s, '-', p)"),
    F("||", "s p", "text", "s || p"),
    F("concat_ws", "s p", "text", "concat_ws('-', s, p)"),
    F("substring", "s", "text", "substring(s, 3, 8)"),
    F("substring, from the end", "s", "text", "substring(s, -5, 3)"),
    F("substring, not ASCII", "u", "text", "substring(u, 3, 8)"),
    F("left", "s", "text", "left(s, 5)"),
    F("right", "s", "text", "right(s, 5)"),
    F("replace", "s", "text", "replace(s, 'bravo', 'x')"),
    F("translate", "s", "text", "translate(s, 'abc', 'xyz')"),
    F("lpad", "digits", "text", "lpad(digits, 12, '0')"),
    F("rpad", "digits", "text", "rpad(digits, 12, '0')"),
    F("instr", "s", "value", "instr(s, 'Charlie')"),
    F("locate", "s", "value", "locate('Charlie', s)", "instr(s, 'Charlie')"),
    F("split", "csv", "list", "split(csv, ',')", "string_split(csv, ',')"),
    F("split_part", "csv", "text", "split_part(csv, ',', 2)"),
    F("substring_index", "csv", "text", "substring_index(csv, ',', 2)",
      "array_to_string(string_split(csv, ',')[1:2], ',')"),
    F("initcap", "s", "text", "initcap(s)", "upper(s)"),
    F("reverse", "s", "text", "reverse(s)"),
    F("repeat", "digits", "text", "repeat(digits, 3)"),
    F("contains", "s", "value", "contains(s, '99')"),
    F("startswith", "s", "value", "startswith(s, 'Alpha')", "starts_with(s, 'Alpha')"),
    F("endswith", "s", "value", "endswith(s, 'e B')", "ends_with(s, 'e B')"),
    F("like", "s", "value", "s LIKE '%9%Char_ie%'"),
    F("ilike", "s", "value", "s ILIKE '%9%char%'"),
    F("ascii", "s", "value", "ascii(s)"),
    F("hex", "s", "text", "hex(s)"),
    F("base64", "s", "text", "base64(s)", "base64(s::BLOB)"),
    F("format_string", "s i", "text", "format_string('%s-%d', s, i)", "printf('%s-%d', s, i)"),
    F("levenshtein", "digits num", "value", "levenshtein(digits, num)"),
    # Regular expressions
    F("rlike", "s", "value", "s RLIKE '[0-9]{5} C'", "regexp_matches(s, '[0-9]{5} C')"),
    F("regexp_extract", "s", "text", "regexp_extract(s, '([a-z]+) ([0-9]+)', 2)"),
    F("regexp_extract_all", "s", "list", "regexp_extract_all(s, '([A-Z])', 1)"),
    F("regexp_replace", "s", "text", "regexp_replace(s, '[0-9]+', '#')", "regexp_replace(s, '[0-9]+', '#', 'g')"),
    F("split by a pattern", "s", "list", "split(s, ' [0-9]* ?')", "string_split_regex(s, ' [0-9]* ?')"),
    # Hashes
    F("md5", "s", "text", "md5(s)"),
    F("sha1", "s", "text", "sha1(s)"),
    F("sha2", "s", "text", "sha2(s, 256)", "sha256(s)"),
    F("hash", "s", "value", "hash(s)"),
    F("xxhash64", "s", "value", "xxhash64(s)", "hash(s)"),
    F("crc32", "s", "value", "crc32(s)", "hash(s)", "DuckDB has none; beside it stands its hash, which reads words"),
    # Conditions
    F("coalesce", "n i", "value", "coalesce(n, i)"),
    F("nvl", "n", "value", "nvl(n, 7)", "ifnull(n, 7)"),
    F("if", "b i k", "value", "if(b, i, k)"),
    F("case", "k i", "value", "CASE WHEN k < 10 THEN 1 WHEN k < 500 THEN i ELSE k END"),
    F("nullif", "k", "value", "nullif(k, 5)"),
    F("greatest", "i k", "value", "greatest(i, k)"),
    F("least", "i k", "value", "least(i, k)"),
    F("isnull", "n", "value", "isnull(n)", "n IS NULL"),
    F("isnan", "d", "value", "isnan(d)"),
    F("in", "k", "value", "k IN (1, 5, 77, 500, 999)"),
    # Numbers
    F("+", "i k", "value", "i + k"),
    F("*", "l", "value", "l * 3"),
    F("/", "d i", "value", "d / nullif(i, 0)"),
    F("div", "l", "value", "l div 7", "l // 7"),
    F("%", "l", "value", "l % 7"),
    F("pmod", "i", "value", "pmod(i, 7)", "(i % 7 + 7) % 7"),
    F("+ of decimals", "c", "value", "c + c"),
    F("* of decimals", "c", "value", "c * 1.25BD", "c * 1.25"),
    F("abs", "i", "value", "abs(i)"),
    F("round", "d", "value", "round(d, 1)"),
    F("round of decimals", "c", "value", "round(c, 1)"),
    F("floor", "d", "value", "floor(d)"),
    F("ceil", "d", "value", "ceil(d)"),
    F("sqrt", "d", "value", "sqrt(d * d)"),
    F("pow", "d", "value", "pow(d, 2)"),
    F("exp", "d", "value", "exp(d / 1000000)"),
    F("ln", "k", "value", "ln(k + 1)"),
    F("log10", "k", "value", "log10(k + 1)"),
    F("sin", "d", "value", "sin(d)"),
    F("sign", "i", "value", "sign(i)"),
    F("rand", "k", "value", "x", source="(SELECT {rand} + k AS x FROM t)"),
    F("&", "i k", "value", "i & k"),
    F("shiftleft", "k", "value", "shiftleft(k, 3)", "k << 3"),
    # Casts
    F("cast int to string", "i", "text", "cast(i AS STRING)"),
    F("cast double to string", "d", "text", "cast(d AS STRING)"),
    F("cast decimal to string", "c", "text", "cast(c AS STRING)"),
    F("cast date to string", "day", "text", "cast(day AS STRING)"),
    F("cast timestamp to string", "ts", "text", "cast(ts AS STRING)"),
    F("cast string to int", "digits", "value", "cast(digits AS INT)"),
    F("cast string to double", "num", "value", "cast(num AS DOUBLE)"),
    F("cast string to decimal", "num", "value", "cast(num AS DECIMAL(12, 3))"),
    F("cast string to date", "day_text", "value", "cast(day_text AS DATE)"),
    F("cast string to timestamp", "ts_text", "value", "cast(ts_text AS TIMESTAMP)", "cast(ts_text AS TIMESTAMPTZ)"),
    F("cast double to int", "d", "value", "cast(d AS INT)"),
    # Dates and timestamps
    F("year", "day", "value", "year(day)"),
    F("month", "day", "value", "month(day)"),
    F("dayofmonth", "day", "value", "dayofmonth(day)"),
    F("dayofweek", "day", "value", "dayofweek(day)"),
    F("dayofyear", "day", "value", "dayofyear(day)"),
    F("weekofyear", "day", "value", "weekofyear(day)"),
    F("quarter", "day", "value", "quarter(day)"),
    F("hour", "ts", "value", "hour(ts)"),
    F("minute", "ts", "value", "minute(ts)"),
    F("second", "ts", "value", "second(ts)"),
    F("date_add", "day", "value", "date_add(day, 7)", "day + 7"),
    F("date_sub", "day", "value", "date_sub(day, 7)", "day - 7"),
    F("datediff", "day", "value", "datediff(day, DATE '2010-01-01')", "day - DATE '2010-01-01'"),
    F("add_months", "day", "value", "add_months(day, 1)", "(day + INTERVAL 1 MONTH)::DATE"),
    F("months_between", "ts", "value", "months_between(ts, TIMESTAMP '2010-01-01 00:00:00')",
      "datesub('month', TIMESTAMP '2010-01-01 00:00:00', ts::TIMESTAMP)"),
    F("last_day", "day", "value", "last_day(day)"),
    F("trunc", "day", "value", "trunc(day, 'MM')", "date_trunc('month', day)"),
    F("date_trunc", "ts", "value", "date_trunc('HOUR', ts)"),
    F("date_trunc to months", "ts", "value", "date_trunc('MONTH', ts)"),
    F("timestamp + interval", "ts", "value", "ts + INTERVAL 3 HOURS"),
    F("to_date", "ts", "value", "to_date(ts)", "ts::DATE"),
    F("to_date, format", "day_text", "value", "to_date(day_text, 'yyyy-MM-dd')", "strptime(day_text, '%Y-%m-%d')::DATE"),
    F("to_timestamp, format", "ts_text", "value", "to_timestamp(ts_text, 'yyyy-MM-dd HH:mm:ss')",
      "strptime(ts_text, '%Y-%m-%d %H:%M:%S')::TIMESTAMPTZ"),
    F("date_format", "ts", "text", "date_format(ts, 'yyyy-MM-dd HH:mm')", "strftime(ts, '%Y-%m-%d %H:%M')"),
    F("unix_timestamp", "ts", "value", "unix_timestamp(ts)", "epoch(ts)::BIGINT"),
    F("from_unixtime", "l", "text", "from_unixtime(l % 1000000000)",
      "strftime(to_timestamp(l % 1000000000), '%Y-%m-%d %H:%M:%S')"),
    F("make_date", "k", "value", "make_date(2020, k % 12 + 1, 5)"),
    F("from_utc_timestamp", "ts", "value", "from_utc_timestamp(ts, 'Europe/Paris')",
      "timezone('Europe/Paris', ts)"),
    # JSON
    F("get_json_object", "js", "text", "get_json_object(js, '$.b')", "json_extract_string(js, '$.b')"),
    F("get_json_object, nested", "js", "text", "get_json_object(js, '$.d.e')", "json_extract_string(js, '$.d.e')"),
    F("from_json", "js", "value", "from_json(js, 'a INT, b STRING').a",
      """from_json(js, '{"a": "INTEGER", "b": "VARCHAR"}').a"""),
    F("to_json", "st", "text", "to_json(st)"),
    # Arrays, maps, structs
    F("array", "i k", "list", "array(i, k, 3)", "list_value(i, k, 3)"),
    F("size", "arr", "value", "size(arr)", "len(arr)"),
    F("element of array", "arr", "value", "arr[2]", "arr[3]"),
    F("element_at", "arr", "value", "element_at(arr, -1)", "arr[-1]"),
    F("array_contains", "arr", "value", "array_contains(arr, 5)"),
    F("array_position", "arr", "value", "array_position(arr, 5)"),
    F("array_distinct", "arr", "list", "array_distinct(arr)"),
    F("sort_array", "arr", "list", "sort_array(arr)", "list_sort(arr)"),
    F("array_max", "arr", "value", "array_max(arr)", "list_max(arr)"),
    F("array_join", "words", "text", "array_join(words, ',')", "array_to_string(words, ',')"),
    F("slice", "arr", "list", "slice(arr, 2, 3)", "arr[2:4]"),
    F("concat of arrays", "arr arr2", "list", "concat(arr, arr2)", "list_concat(arr, arr2)"),
    F("array_union", "arr arr2", "list", "array_union(arr, arr2)", "list_distinct(list_concat(arr, arr2))"),
    F("array_intersect", "arr arr2", "list", "array_intersect(arr, arr2)", "list_intersect(arr, arr2)"),
    F("array_except", "arr arr2", "list", "array_except(arr, arr2)", "list_filter(arr, lambda x: NOT list_contains(arr2, x))"),
    F("flatten", "arr arr2", "list", "flatten(array(arr, arr2))", "flatten([arr, arr2])"),
    F("sequence", "k", "list", "sequence(0, k % 10)", "generate_series(0, k % 10)"),
    F("arrays_zip", "arr arr2", "list", "arrays_zip(arr, arr2)", "list_zip(arr, arr2)"),
    F("transform", "arr", "list", "transform(arr, x -> x + 1)", "list_transform(arr, lambda x: x + 1)"),
    F("filter", "arr", "list", "filter(arr, x -> x > 5)", "list_filter(arr, lambda x: x > 5)"),
    F("exists", "arr", "value", "exists(arr, x -> x > 15)", "len(list_filter(arr, lambda x: x > 15)) > 0"),
    F("aggregate", "arr", "value", "aggregate(arr, 0, (a, x) -> a + x)", "list_reduce(arr, lambda a, x: a + x, 0)"),
    F("explode", "arr", "value", "e", "e", source="(SELECT {explode} AS e FROM t)"),
    F("map", "i k", "map", "map(i, 1, k + 1000001, 2)", "MAP {i: 1, k + 1000001: 2}"),
    F("element of map", "m", "value", "m['two']"),
    F("map_keys", "m", "list", "map_keys(m)"),
    F("map_values", "m", "list", "map_values(m)"),
    F("map_from_arrays", "words", "map", "map_from_arrays(words, array(1, 2, 3))", "map(words, [1, 2, 3])"),
    F("struct", "i s", "value", "struct(i, s).i", "struct_pack(i := i, s := s).i"),
    F("field of struct", "st", "value", "st.a"),
    # Aggregates
    F("count", "", "whole", "count(n)"),
    F("count distinct", "", "whole", "count(DISTINCT i)"),
    F("sum of int", "", "whole", "sum(i)"),
    F("sum of double", "", "whole", "sum(d)"),
    F("sum of decimal", "", "whole", "sum(c)"),
    F("avg", "", "whole", "avg(i)"),
    F("avg of double", "", "whole", "avg(d)"),
    F("avg of decimal", "", "whole", "avg(c)"),
    F("min", "", "whole", "min(i)"),
    F("max of text", "", "whole", "max(s)"),
    F("stddev", "", "whole", "stddev(d)"),
    F("corr", "", "whole", "corr(d, i)"),
    F("first", "", "whole", "first(i)"),
    F("max_by", "", "whole", "max_by(s, l)"),
    F("bool_or", "", "whole", "bool_or(b)"),
    F("count_if", "", "whole", "count_if(k > 500)"),
    F("approx_count_distinct", "", "whole", "approx_count_distinct(l)", None, "it counts exactly"),
    F("percentile_approx", "", "whole", "percentile_approx(d, 0.5)", "approx_quantile(d, 0.5)"),
    F("percentile", "", "whole", "percentile(d, 0.5)", "quantile_cont(d, 0.5)"),
    *(F(f"{name}, grouped", "", "value", "x", source="(SELECT k, " + call + " AS x FROM t GROUP BY k)")
      for name, call in (("sum", "sum(i)"), ("sum of decimal", "sum(c)"), ("avg", "avg(d)"), ("max", "max(l)"))),
    F("collect_list", "", "list", "x", source="(SELECT k, {collect_list} AS x FROM t GROUP BY k)"),
    F("collect_set", "", "list", "x", source="(SELECT k, {collect_set} AS x FROM t GROUP BY k)"),
    # Window functions
    *(F(name, "", "value", "x", source=f"(SELECT {call} OVER {WINDOW} AS x FROM t)")
      for name, call in (("row_number", "row_number()"), ("rank", "rank()"), ("dense_rank", "dense_rank()"),
                         ("lag", "lag(i)"), ("lead", "lead(i)"), ("sum, window", "sum(i)"), ("first_value", "first_value(i)"))),
]
# What stands in {…} of a source: in Spark's words and in DuckDB's.
WORDS = {
    "rand": ("rand()", "random()"),
    "explode": ("explode(arr)", "unnest(arr)"),
    "collect_list": ("collect_list(i)", "list(i)"),
    "collect_set": ("collect_set(n)", "list(DISTINCT n) FILTER (n IS NOT NULL)"),
}


def query(function, engine):
    """The query with the function; engine 0 is Spark's words, 1 DuckDB's."""
    call = function.spark if engine == 0 else function.duckdb or function.spark
    source = re.sub(r"{(\w+)}", lambda match: WORDS[match[1]][engine], function.source)
    return f"SELECT {SINKS[function.kind][engine].format(call)} FROM {source}"


def bare_query(columns, engine):
    """The query that takes the bare columns."""
    def sink(column):
        kind = KIND_OF_COLUMN.get(column, "value")
        return f"max({column}.a), max(length({column}.b))" if kind == "struct" else SINKS[kind][engine].format(column)

    return f"SELECT {', '.join(map(sink, columns.split()))} FROM t"


def cpu_seconds(pid):
    """Of a process, with all its threads: the clock that clock_getcpuclockid gives for it."""
    return time.clock_gettime((~pid << 3) | 2)


class Frazil:
    def __init__(self, server, files):
        from pyspark.sql import SparkSession

        self.spark, self.pid = SparkSession.builder.remote(server.remote_url).create(), server.pid
        self.spark.conf.set("spark.sql.session.timeZone", "UTC")
        self.spark.read.parquet(str(files)).createOrReplaceTempView("t")

    def run(self, text):
        return self.spark.sql(text).toArrow().to_pylist()


class DuckDb:
    def __init__(self, files):
        import duckdb

        self.connection, self.pid = duckdb.connect(config={"threads": THREADS}), os.getpid()
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{files}/*.parquet')")

    def run(self, text):
        return self.connection.execute(text).fetchall()


def measure(engine, text):
    """(CPU seconds, wall seconds, answer)"""
    cpu, wall = cpu_seconds(engine.pid), time.perf_counter()
    answer = engine.run(text)
    return cpu_seconds(engine.pid) - cpu, time.perf_counter() - wall, answer


def make_files(folder, rows):
    import duckdb

    files = folder / f"functions-{rows}"
    if not files.exists():
        fresh = folder / f".functions-{rows}-{os.getpid()}"
        fresh.mkdir(parents=True)
        print(f"making {rows} rows in {files}", file=sys.stderr)
        duckdb.connect(config={"threads": THREADS}).execute(
            f"SET TimeZone = 'UTC'; COPY ({TABLE.replace('{rows}', str(rows))}) TO '{fresh}/rows.parquet' (FORMAT parquet)")
        fresh.rename(files)
    return files


def best_of(engines, queries, rounds):
    """The least (CPU seconds, wall seconds) of each engine, and whether both answered the same."""
    best, answers = [None, None], [None, None]
    for number in range(rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            cpu, wall, answer = measure(engines[which], queries[which])
            answers[which] = [list(row.values()) if isinstance(row, dict) else list(row) for row in answer]
            best[which] = (cpu, wall) if best[which] is None else tuple(map(min, best[which], (cpu, wall)))
    return best, str(answers[0]) == str(answers[1])


def compare(engines, functions, args):
    bare, rows = {}, []
    print(f"{'function':28} {'CPU s':>8} {'DuckDB':>8} {'ratio':>6}   {'wall s':>8} {'DuckDB':>8}")
    for function in functions:
        if function.columns and function.columns not in bare:
            bare[function.columns] = best_of(engines, [bare_query(function.columns, e) for e in (0, 1)], args.rounds + 1)[0]
        taken_off = bare.get(function.columns, [(0, 0), (0, 0)])
        whole, _ = best_of(engines, [query(function, e) for e in (0, 1)], args.rounds)
        (cpu, wall), (duckdb_cpu, duckdb_wall) = ([max(a - b, 0) for a, b in zip(whole[e], taken_off[e])] for e in (0, 1))
        least = LEAST_SECONDS_PER_ROW * args.rows
        ratio = max(cpu, least) / max(duckdb_cpu, least)
        row = dict(function=function.name, cpu=cpu, duckdb_cpu=duckdb_cpu, ratio=ratio, wall=wall, duckdb_wall=duckdb_wall,
                   reason=function.reason)
        rows.append(row)
        reason = function.reason if ratio > LIMIT else ""
        mark = (reason or "TOO SLOW") if ratio > LIMIT else ""
        print(f"{function.name:28} {cpu:8.3f} {duckdb_cpu:8.3f} {ratio:6.2f}   {wall:8.3f} {duckdb_wall:8.3f}  {mark}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    parser.add_argument("--cache", type=Path, default=Path(os.environ.get("BENCH_CACHE", Path.home() / ".cache" / "frazil-bench")))
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="the functions whose names match this pattern")
    parser.add_argument("--json", type=Path, help="where the figures go, too")
    args = parser.parse_args()
    os.environ["FRAZIL_BINARY"] = str(args.binary.resolve())
    from frazil.spark import SparkConnectServer

    functions = [f for f in FUNCTIONS if not args.only or re.search(args.only, f.name)]
    files = make_files(args.cache, args.rows)
    with SparkConnectServer() as server:
        rows = compare([Frazil(server, files), DuckDb(files)], functions, args)
    slow = [row for row in rows if row["ratio"] > LIMIT]
    unexplained = [row["function"] for row in slow if not row["reason"]]
    print(f"{len(rows)} functions: {len(slow)} slower than {LIMIT:g} times DuckDB's, {len(unexplained)} of them without a reason"
          + (": " + ", ".join(unexplained) if unexplained else ""))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
