#!/usr/bin/env python3
"""Calls the functions of Spark with arguments that their examples do not have, here and on a real Spark.

    tools/compare_functions.py --spark sc://host:port [--remote sc://host:port] [--binary build/release/bin/frazil]
                               [--suites ../shared] [--names 'array_*,to_*'] [--seed 1] [--values 5]

Takes the example calls of `conformance/functions.json`, puts one other value in the place of each argument (NULL, limits
of numbers, other types, texts that are no dates ...), and prints what has another answer: the call, what Spark says, what
this server says. A condition is compared by its name. Exit status 1 where anything differs.
"""
import argparse
import contextlib
import fnmatch
import json
import os
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

NUMBERS = ["0", "-1", "2147483647", "-9223372036854775808L", "1.5", "-0.0D", "double('NaN')", "double('inf')", "1e400",
           "127Y", "0.1BD", "99999999999999999999999999999999999999BD", "NULL", "'3'", "'x'", "true", "interval 1 day"]
TEXTS = ["''", "' '", "'aé漢𝄞'", "'A,b;C'", "NULL", "'%'", "'\\\\d+'", "'2024-02-30'", "'12:00'", "X'00FF'", "3",
         "'NaN'", "date'2024-02-29'", "array('a')"]
DATETIMES = ["date'0001-01-01'", "date'9999-12-31'", "timestamp'1900-01-01 00:00:00'",
             "timestamp_ntz'2024-03-10 02:30:00'", "timestamp'2024-11-03 01:30:00'", "NULL", "'2024-02-29'", "'bad'", "0",
             "time'23:59:59'"]
COLLECTIONS = ["array()", "array(NULL)", "array(1, NULL, 1)", "array(1.5, 2)", "array('a', 'b')", "NULL", "map(1, 2)",
               "array(array(1))", "1"]

# Answers that differ from run to run, or that no two engines share (sketches, the session, the JVM).
LEFT_OUT = re.compile(
    r"rand|uuid|shuffle|^now$|current_|^curdate|version|input_file|monoton|spark_part|sleep|session|user|sketch|hll|theta"
    r"|kll|approx|java_method|reflect|avro|protobuf|localtime|unix_timestamp$|python|aes_enc|raise|assert|collations"
    r"|sql_keywords|histogram")


def arguments_of(text):
    """The arguments of a call, as they are written; None for what is no plain list of values."""
    parts, depth, current, quote = [], 0, "", None
    for char in text:
        if quote:
            quote = None if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        if char == "," and depth == 0 and not quote:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    parts.append(current.strip())
    return parts if all(parts) and not re.search(r"->|\bFROM\b", text) else None


def values_for(argument):
    if re.match(r"^-?[\d.]+[A-Za-z]*$", argument):
        return NUMBERS
    if argument.lower().startswith(("array", "map", "sequence")):
        return COLLECTIONS
    if re.match(r"(?i)^(date|time)|^'\d{4}-", argument):
        return DATETIMES
    return TEXTS


def calls(functions, names, values, chance):
    found = {}
    for function in functions:
        name = function["name"]
        if LEFT_OUT.search(name) or not any(fnmatch.fnmatch(name, pattern) for pattern in names):
            continue
        for example in function["examples"]:
            match = re.match(r"^SELECT\s+([a-z_0-9]+)\((.*)\)\s*;?$", example["sql"], re.S)
            arguments = arguments_of(match[2]) if match and match[1] == name else None
            for place in range(len(arguments or [])):
                pool = values_for(arguments[place])
                for value in chance.sample(pool, min(values, len(pool))):
                    changed = arguments[:place] + [value] + arguments[place + 1:]
                    found[" ".join(f"SELECT {name}({', '.join(changed)})".split())] = None
    return list(found)


def answer(spark, statement):
    try:
        frame = spark.sql(statement)
        return f"{frame.schema.simpleString()} {[tuple(row) for row in frame.collect()]}"
    except Exception as error:  # noqa: BLE001: whatever a client raises is an answer
        condition = re.match(r"\s*(?:\([^)]*\) )?\[([A-Z_0-9.]+)\]", str(error))
        return "error " + (condition[1] if condition else f"{type(error).__name__}: {str(error)[:60]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spark", required=True)
    parser.add_argument("--remote")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/frazil"))
    parser.add_argument("--suites", default=str(ROOT.parent / "shared"))
    parser.add_argument("--names", default="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", type=int, default=5)
    options = parser.parse_args()
    functions = json.loads((Path(options.suites) / "conformance/functions.json").read_text())["functions"]
    statements = calls(functions, options.names.split(","), options.values, random.Random(options.seed))

    os.environ["FRAZIL_BINARY"] = str(Path(options.binary).resolve())
    from frazil.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    differ = 0
    with contextlib.nullcontext() if options.remote else SparkConnectServer() as server:
        ours = SparkSession.builder.remote(options.remote or server.remote_url).create()
        theirs = SparkSession.builder.remote(options.spark).create()
        for spark in (ours, theirs):
            spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
        for statement in statements:
            expected, found = answer(theirs, statement), answer(ours, statement)
            if expected == found:
                continue
            differ += 1
            print(f"{statement}\n  Spark  {expected}\n  Frazil {found}", flush=True)
    print(f"{len(statements)} calls, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
