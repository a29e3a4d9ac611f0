#!/usr/bin/env python3
"""Writes docs/compatibility.md: how much of Spark's own suites passes, and what does not, by kind, with the reason.

    tools/compatibility.py [--check]

It is made of tests/ratchet: the lists of what passes, and suites.json, which names every test of a suite (tools/ratchet.py
--update writes both, and then this page). --check changes nothing; exit status 1 if the page is not what would be written.
"""
import argparse
import fnmatch
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = ROOT / "tests" / "ratchet"
PAGE = ROOT / "docs" / "compatibility.md"

SUITES = {
    "golden": ("Golden SQL files", "queries of Spark's own SQL test files"),
    "doctests": ("Doctests", "docstrings of the PySpark client"),
    "functions": ("Function examples", "example queries of the built-in functions"),
}

# (kind, reason, patterns by suite). A test belongs to the first kind that one of its suite's patterns names; golden
# queries by their file, doctests by what follows the last two dots, examples by their function.
KINDS = [
    ("Collations", "Comparisons, groups and text functions know UTF8_BINARY, and UTF8_LCASE in part; those of ICU (UNICODE, "
     "UNICODE_CI, names of languages) and the trimming ones are refused.",
     {"golden": ["*collation*.sql"], "doctests": ["*.collations"]}),
    ("SQL functions", "What the bodies of CREATE FUNCTION may not hold in Spark is not always refused.",
     {"golden": ["sql-udf.sql"]}),
    ("Functions of the JVM", "No JVM runs: classes are not called, neither by CREATE FUNCTION nor by reflect.",
     {"golden": ["try_reflect.sql", "udaf/*"],
      "doctests": ["*.java_method", "*.reflect", "*.try_reflect", "*.getFunction"]}),
    ("TRANSFORM", "Scripts as steps of a query are not run.", {"golden": ["transform.sql"]}),
    ("Geospatial types", "Tables do not hold values of GEOMETRY and GEOGRAPHY, and results do not show them; their functions are there.",
     {"golden": ["st-functions.sql", "nonansi/st-functions.sql"], "doctests": ["*.st_*"], "functions": ["st_*"]}),
    ("XML", "XML files are neither read nor written; the functions of XML and XPath are there.",
     {"golden": ["xml-functions.sql"], "doctests": ["*xml", "*.xpath*"], "functions": ["*xml", "xpath*"]}),
    ("IDENTIFIER clause", "IDENTIFIER(...) stands for names of tables, columns and functions, not in every place.",
     {"golden": ["identifier-clause*.sql"]}),
    ("Sketches", "The frequent items of approx_top_k are missing; HLL, Theta, KLL and count-min are there.",
     {"golden": ["hll.sql", "kllquantiles.sql"],
      "doctests": ["*.hll_*", "*.theta_*", "*.kll_*", "*.count_min_sketch", "*.approx_top_k*"],
      "functions": ["hll_*", "theta_*", "kll_*", "count_min_sketch", "approx_top_k*"]}),
    ("Legacy date patterns", "The patterns of java.text.SimpleDateFormat (timeParserPolicy LEGACY) are read as far as they "
     "mean what today's patterns mean.", {"golden": ["datetime-legacy.sql", "*-legacy.sql", "parse-query-correctness-old*"]}),
    ("Descriptions of tables", "DESCRIBE and SHOW print fewer lines, or others, where they tell of Spark's own catalog.",
     {"golden": ["describe*.sql", "show-*.sql", "change-column.sql"]}),
    ("Streaming", "Structured Streaming, as far as it is missing.",
     {"doctests": ["*streaming*", "*.readStream", "*.streams", "*.writeStream", "*.isStreaming", "*Watermark", "*.observe"]}),
    ("Partitions", "There are no partitions of Spark's kind: one process runs a query on all its threads.",
     {"doctests": ["*.spark_partition_id", "*.monotonically_increasing_id", "*.repartition*", "*.coalesce", "*.randomSplit",
                   "*.sampleBy", "*.shuffle"]}),
    ("Order of rows", "Rows without ORDER BY come in another order.",
     {"doctests": ["*.crossJoin", "*.distinct", "*.DataFrame.drop", "*.DataFrame.join", "*.median"]}),
    ("Plans", "EXPLAIN prints the engine's own plan.",
     {"doctests": ["*.explain", "*.cache", "*.persist", "*.hint", "*.sameSemantics"]}),
    ("Table functions of Python", "The docstring of asTable gives another answer; the rest of UDTFs passes.", {"doctests": ["*udtf*", "*.asTable"]}),
    ("Bucketing and clustering", "bucketBy, sortBy and clusterBy of the first writer are refused.",
     {"doctests": ["*.bucketBy", "*.sortBy", "*.clusterBy"]}),
]
OTHER = ("Single differences", "Each of its own kind; issues have them.")


def read_list(suite):
    path = LISTS / f"{suite}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {line for line in lines if line and not line.startswith("#")}


def every_test(suite, known):
    """The names of all tests of a suite; golden files are kept as their numbers of queries."""
    if suite == "golden":
        return {f"{file}#{number}" for file, count in known.items() for number in range(count)}
    return set(known)


def subject(suite, name):
    """What the patterns of KINDS are for: a golden file, a docstring, a function."""
    if suite == "golden":
        return name.rpartition("#")[0]
    return name if suite == "doctests" else name.partition(": ")[0]


def kind_of(suite, name):
    about = subject(suite, name)
    for index, (_, _, patterns) in enumerate(KINDS):
        if any(fnmatch.fnmatchcase(about, pattern) for pattern in patterns.get(suite, [])):
            return index
    return len(KINDS)


def listed(suite, names):
    """The subjects with the number of their tests that fail, for one cell of a table."""
    counts = {}
    for name in names:
        about = subject(suite, name)
        about = about.removeprefix("pyspark.sql.").removeprefix("connect.").removeprefix("functions.builtin.")
        counts[about] = counts.get(about, 0) + 1
    return ", ".join(f"`{about}`" + (f" ({count})" if count > 1 else "") for about, count in sorted(counts.items()))


def page():
    known = json.loads((LISTS / "suites.json").read_text(encoding="utf-8"))
    failing = {}
    lines = ["# Compatibility with Spark", "",
             "How much of Spark 4.1's own suites passes. Made by `tools/compatibility.py` from `tests/ratchet`; do not edit.",
             "", "| Suite | What it is | Pass | Of | Share |", "|---|---|---|---|---|"]
    for suite, (title, about) in SUITES.items():
        tests = every_test(suite, known[suite])
        passed = read_list(suite) & tests
        for name in sorted(tests - passed):
            failing.setdefault(kind_of(suite, name), {}).setdefault(suite, []).append(name)
        lines.append(f"| {title} | {about} | {len(passed)} | {len(tests)} | {100 * len(passed) / max(1, len(tests)):.1f} % |")
    lines += ["", "## What does not pass", "", "| Kind | Golden | Doctests | Examples | Why |", "|---|---|---|---|---|"]
    kinds = [(kind, reason) for kind, reason, _ in KINDS] + [OTHER]
    for index, (kind, reason) in enumerate(kinds):
        if index in failing:
            counts = " | ".join(str(len(failing[index].get(suite, [])) or "") for suite in SUITES)
            lines.append(f"| {kind} | {counts} | {reason} |")
    lines += ["", "## Where", ""]
    for index, (kind, _) in enumerate(kinds):
        if index not in failing:
            continue
        lines += [f"### {kind}", ""]
        for suite, (title, _) in SUITES.items():
            if suite in failing[index]:
                lines.append(f"- {title}: {listed(suite, failing[index][suite])}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def write():
    PAGE.write_text(page(), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    args = parser.parse_args()
    if not args.check:
        write()
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print("docs/compatibility.md is not what tests/ratchet says: run tools/compatibility.py")
        return 1
    print("compatibility: in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
