#!/usr/bin/env python3
"""Puts the built server, Sail and DuckDB alone to the benchmark that lies beside the checkout.

    tools/bench.py [--suites FOLDER] [--binary build/release/bin/frazil] [arguments of bench.py …]

Without further arguments: TPC-H at scale 1 over Parquet and Iceberg, and commits. Run by the Python of venv-bench.
"""
import argparse
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from frazil.spark import SparkConnectServer  # noqa: E402

DEFAULT = ["--workload", "tpch:parquet", "tpch:iceberg", "commits:iceberg", "start", "--scale", "1", "--rounds", "3"]


SAIL = [Path(sys.executable).parent / "sail", "spark", "server", "--port"]
SAIL_CATALOG = '[{type="memory", name="spark_catalog", initial_database=["default"]}]'


@contextlib.contextmanager
def sail_server():
    """Sail's server, as an endpoint of bench.py."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"SAIL_CATALOG__LIST": SAIL_CATALOG}
    process = subprocess.Popen([*SAIL, str(port)], env=environment, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"sail=sc://127.0.0.1:{port},pid={process.pid}"
    finally:
        process.terminate()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    args, more = parser.parse_known_args()
    program = args.suites / "bench" / "bench.py"
    if not program.exists():
        sys.exit(f"bench: no benchmark in {args.suites}")
    os.environ["FRAZIL_BINARY"] = str(args.binary.resolve())
    with (tempfile.TemporaryDirectory() as work, SparkConnectServer(warehouse=f"{work}/warehouse") as server,
          sail_server() as sail):
        start = [f"frazil={args.binary.resolve()} server --port {{port}} --warehouse {work}/started",
                 f"sail={' '.join(map(str, SAIL))} {{port}}"]
        command = [sys.executable, program, f"frazil={server.remote_url},pid={server.pid}", sail, "duckdb=duckdb:",
                   *(more or [*DEFAULT, *(f"--start={one}" for one in start)])]
        return subprocess.run([str(c) for c in command], env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
