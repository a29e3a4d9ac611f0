#!/usr/bin/env python3
"""Checks what no compiler checks: file names, lengths, header guards, unfinished work, names of error conditions, pins.

    tools/check_source.py [--root FOLDER]        prints each offence as FILE:LINE: …; exit status 1 if there are any
"""
import argparse
import re
import sys
from pathlib import Path

LONGEST = 800
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
FILE_NAME = re.compile(r"^[a-z][a-z0-9_]*\.(cc|h)$")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|not implemented yet|for now|placeholder)\b", re.IGNORECASE)
DEFINED_CONDITION = re.compile(r'\{\s*"([A-Z_0-9.]+)"')
# What ends with a dot is the first half of a name.
RAISED_CONDITION = re.compile(r'Error::Of\((?:ExceptionClass::\w+,\s*)?"([A-Z_0-9.]*[A-Z_0-9])"')
EXPECTED_FAILURE = re.compile(r"\b(GTEST_SKIP|DISABLED_\w+)\b")


def check_file(path, shown):
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if path.suffix in (".cc", ".h") and not FILE_NAME.match(path.name):
        yield f"{shown}:1: file names are snake_case"
    if path.stem.removesuffix("_test").removesuffix("_internal").rpartition("_")[2] in FORBIDDEN_NAMES:
        yield f"{shown}:1: the name says nothing about what is inside"
    if len(lines) > LONGEST:
        yield f"{shown}:{len(lines)}: {len(lines)} lines: split it by topic"
    if path.suffix == ".h" and "#pragma once" not in text:
        yield f"{shown}:1: #pragma once is missing"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield f"{shown}:{number}: says that something is unfinished: {line.strip()[:80]}"
        if EXPECTED_FAILURE.search(line):
            yield f"{shown}:{number}: a test that does not run tests nothing"


def undefined_conditions(root):
    """Error conditions that code raises and no table of base/ has: they would become internal errors."""
    tables = "".join(path.read_text() for path in (root / "src").rglob("error_conditions_*.cc"))
    defined = set(DEFINED_CONDITION.findall(tables))
    for path in sorted((root / "src").rglob("*.cc")):
        if path.name.endswith("_test.cc"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for condition in RAISED_CONDITION.findall(line):
                if condition not in defined:
                    yield f"{path.relative_to(root)}:{number}: there is no error condition {condition}"


def places_of_packages(root):
    """Options of pip in pinned requirements: they name the place of one machine or registry, and pip takes them silently."""
    for path in sorted((root / "tools").rglob("requirements*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("-"):
                yield f"{path.relative_to(root)}:{number}: requirements name packages, not where they come from"


def check(root):
    found = [*undefined_conditions(root), *places_of_packages(root)]
    for folder, kinds in (("src", (".cc", ".h")), ("python", (".py",))):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in kinds:
                found.extend(check_file(path, path.relative_to(root)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    offences = check(parser.parse_args().root)
    print("\n".join(offences) if offences else "source rules: in order")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
