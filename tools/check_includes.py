#!/usr/bin/env python3
"""Checks every #include below src/frazil against tools/include_rules.json.

A file may include
  * headers of its own library and of the libraries in its 'depends' (tests also 'test_depends');
  * third-party headers of the packages in its 'third_party' and 'private_third_party', and nothing that would reach it through one of our
    headers from a package that it may not use: a public header must not leak DuckDB, Arrow or gRPC.

    tools/check_includes.py [--root FOLDER]      prints each offence as FILE:LINE: …; exit status 1 if there are any
"""
import argparse
import json
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
OWN = "frazil/"


class Rules:
    def __init__(self, table):
        self.libraries = table["libraries"]
        self.packages = table["third_party_headers"]
        # The longest folder first, so that tables/iceberg is found before tables.
        self.folders = sorted(self.libraries, key=len, reverse=True)

    def library_of(self, path):
        """The library that owns a path relative to src/frazil, or None."""
        return next((f for f in self.folders if path == f or path.startswith(f + "/")), None)

    def package_of(self, header):
        """The third-party package of a header, or None for the standard library and the system."""
        return next((name for name, prefixes in self.packages.items()
                     if any(header == p or (p[-1] in "/_-" and header.startswith(p)) for p in prefixes)), None)

    def allowed_libraries(self, library, is_test):
        entry = self.libraries[library]
        return {library, *entry["depends"], *(entry.get("test_depends", []) if is_test else [])}

    def allowed_packages(self, library, is_test):
        return {*self.packages_of(self.libraries[library]), *(["gtest"] if is_test else [])}

    @staticmethod
    def packages_of(entry):
        return entry["third_party"] + entry.get("private_third_party", [])

    def defects(self):
        """Faults of the table itself: unknown names and circles."""
        known = set(self.libraries)
        found = []
        for name, entry in self.libraries.items():
            for other in entry["depends"] + entry.get("test_depends", []):
                if other not in known:
                    found.append(f"include_rules.json: {name} depends on {other}, which is no library")
            for package in self.packages_of(entry):
                if package not in self.packages:
                    found.append(f"include_rules.json: {name} uses {package}, which has no headers listed")
        seen = set()
        for name, entry in self.libraries.items():
            late = [d for d in entry["depends"] if d in known and d not in seen and d != name]
            if late:
                found.append(f"include_rules.json: {name} depends on {', '.join(late)}, which must stand above it")
            seen.add(name)
        return found


def read_includes(path):
    """(line number, quote, header) of each #include."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match[1], match[2]))
    return found


def check(root, rules):
    source = root / "src" / "frazil"
    files = {str(p.relative_to(source)): read_includes(p)
             for p in sorted(source.rglob("*")) if p.suffix in (".cc", ".h")}
    offences = rules.defects()
    if offences:
        return offences

    reached = {}

    def packages_through(header, pending=()):
        """Third-party packages that one of our headers brings along, with the header that does it."""
        if header in reached:
            return reached[header]
        found = {}
        for _, _, name in files.get(header, []):
            if name.startswith(OWN):
                inner = name[len(OWN):]
                if inner not in pending:
                    for package, where in packages_through(inner, (*pending, header)).items():
                        found.setdefault(package, where)
            else:
                package = rules.package_of(name)
                if package:
                    found.setdefault(package, header)
        reached[header] = found
        return found

    for path, includes in files.items():
        is_test = path.endswith("_test.cc") or "/testing/" in path  # What tests share lies in a folder "testing".
        library = rules.library_of(path)
        where = f"src/frazil/{path}"
        if library is None:
            offences.append(f"{where}:1: lies in no library of include_rules.json")
            continue
        libraries = rules.allowed_libraries(library, is_test)
        packages = rules.allowed_packages(library, is_test)
        for number, quote, name in includes:
            if name.startswith(OWN):
                inner = name[len(OWN):]
                target = rules.library_of(inner)
                if quote != '"':
                    offences.append(f'{where}:{number}: write "{name}" in quotes')
                if inner not in files:
                    offences.append(f"{where}:{number}: {name} does not exist")
                elif target not in libraries:
                    offences.append(f"{where}:{number}: {library} may not include {name}")
                else:
                    for package, through in sorted(packages_through(inner).items()):
                        if package not in packages:
                            offences.append(f"{where}:{number}: {name} brings {package} (by {through}) into {library}")
                continue
            package = rules.package_of(name)
            if package is None:
                if quote == '"':
                    offences.append(f'{where}:{number}: write "{name}" as "frazil/<folder>/{name}"')
            elif package not in packages:
                offences.append(f"{where}:{number}: {library} may not include {name} ({package})")
    return offences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    args = parser.parse_args()
    rules = Rules(json.loads((args.root / "tools" / "include_rules.json").read_text()))
    offences = check(args.root, rules)
    print("\n".join(offences) if offences else "includes: in order")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
