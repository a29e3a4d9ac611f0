#!/usr/bin/env python3
"""Puts the built server and DuckDB alone to the benchmark that lies beside the checkout.

    tools/bench.py [--suites FOLDER] [--binary build/release/bin/frazil] [arguments of bench.py …]

Without further arguments: TPC-H at scale 1 over Parquet and Iceberg, and commits. Run by the Python of venv-bench.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from frazil.spark import SparkConnectServer  # noqa: E402

DEFAULT = ["--workload", "tpch:parquet", "tpch:iceberg", "commits:iceberg", "start", "--scale", "1", "--rounds", "3"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    args, more = parser.parse_known_args()
    program = args.suites / "bench" / "bench.py"
    if not program.exists():
        sys.exit(f"bench: no benchmark in {args.suites}")
    os.environ["FRAZIL_BINARY"] = str(args.binary.resolve())
    with tempfile.TemporaryDirectory() as work, SparkConnectServer(warehouse=f"{work}/warehouse") as server:
        start = f"frazil={args.binary.resolve()} server --port {{port}} --warehouse {work}/started"
        command = [sys.executable, program, f"frazil={server.remote_url},pid={server.pid}", "duckdb=duckdb:",
                   *(more or [*DEFAULT, "--start", start])]
        return subprocess.run([str(c) for c in command], env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
