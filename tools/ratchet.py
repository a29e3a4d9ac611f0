#!/usr/bin/env python3
"""Runs the suites that lie beside the checkout and compares with what passed before: it may only become more.

    tools/ratchet.py [--suites FOLDER] [--only acceptance,golden,doctests,functions] [--quick] [--update]

The suites are the acceptance tests (FOLDER/acceptance) and Spark's own tests (FOLDER/conformance: golden SQL files,
PySpark's doctests, function examples). Each gets a server of its own with an empty warehouse. tests/ratchet/SUITE.txt
lists what passes, one test a line. Exit status 1 if a listed test that was run does not pass any more.

A suite that does not end in time (--timeout) is stopped and begun once more: the Python client can block itself for good
when its garbage collector closes a session in the middle of a call. A suite that does not end twice counts as failed.

--quick runs a part that takes some minutes: listed acceptance tests but those against services, and a fixed selection
of the others.
--update adds to the lists what passes now, and writes docs/compatibility.md. Nothing is ever taken out of a list by this
program.
"""
import argparse
import collections
import fnmatch
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = ROOT / "tests" / "ratchet"
sys.path.insert(0, str(ROOT / "python"))

from frazil.spark import SparkConnectServer  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
import compatibility  # noqa: E402

# --quick runs one golden file in so many, chosen by the hash of its name, and these modules' doctests.
QUICK_GOLDEN_SHARE = 4
QUICK_DOCTEST_MODULES = "column,group,window,catalog,conf,types,merge,tvf"


# They pass or not as threads go: see tests/ratchet/README.md.
UNORDERED = {"pyspark.sql.connect.functions.builtin.lag", "pyspark.sql.connect.functions.builtin.lead"}


class Outcome:
    """What a run showed: names that passed, and names that ran and did not pass."""

    def __init__(self, passed, failed):
        self.passed = set(passed)
        self.failed = set(failed) - self.passed


def read_list(suite):
    path = LISTS / f"{suite}.txt"
    if not path.exists():
        return set()
    return {line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}


def write_list(suite, names):
    text = f"# What passes of the suite '{suite}' (tools/ratchet.py --update adds to it).\n"
    text += "".join(f"{name}\n" for name in sorted(names))
    (LISTS / f"{suite}.txt").write_text(text, encoding="utf-8")


writing = threading.Lock()


def write_suite(suite, outcome):
    """Keeps the names of all tests of a suite in suites.json; those of golden files as numbers of queries."""
    names = outcome.passed | outcome.failed
    known = sorted(names)
    if suite == "golden":
        known = dict(sorted(collections.Counter(name.rpartition("#")[0] for name in names).items()))
    path = LISTS / "suites.json"
    with writing:
        every = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        every[suite] = known
        path.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class OutOfTime(Exception):
    """A suite's program did not end in time."""


# The most seconds of one run of a suite; main() sets it.
suite_seconds = 600


def run(command, remote, log, **variables):
    """Runs one suite's program against a server; what it prints goes to the log."""
    environment = os.environ | {"SPARK_REMOTE": remote, "PYTHONDONTWRITEBYTECODE": "1"} | variables
    with open(log, "w", encoding="utf-8") as out:
        # A session of its own: what the program has started ends with it.
        process = subprocess.Popen([str(c) for c in command], env=environment, stdout=out, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(suite_seconds)
        except subprocess.TimeoutExpired:
            raise OutOfTime(f"did not end within {suite_seconds} s") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def load(path, log):
    """The JSON that a suite's program wrote."""
    if not path.exists():
        raise RuntimeError(f"no result; the end of its output:\n{log.read_text(encoding='utf-8')[-2000:]}")
    return json.loads(path.read_text(encoding="utf-8"))


def needs_services(file):
    """Whether an acceptance file starts services (an object store, catalogs) beside the server."""
    return file.exists() and "from services import" in file.read_text(encoding="utf-8")


def acceptance_name(place, test):
    """pytest's own name of a test: "a.test_b.TestC", "test_d" -> "test_b.py::TestC::test_d"."""
    parts = place.split(".")
    module = next(i for i, part in enumerate(parts) if part.startswith("test_"))
    return "::".join([f"{parts[module]}.py", *parts[module + 1:], test])


def run_acceptance(folder, remote, work, listed, quick):
    report = work / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
               f"--rootdir={folder}"]
    if quick:
        # Tests against services would first fetch and start those.
        listed = {name for name in listed if not needs_services(folder / name.split("::")[0])}
        if not listed:
            return Outcome([], [])
        command += [f"{folder / name.split('::')[0]}::{name.split('::', 1)[1]}" for name in sorted(listed)]
    else:
        command.append(folder)
    run(command, remote, work / "log.txt")
    if not report.exists():
        raise RuntimeError(f"no result; the end of its output:\n{(work / 'log.txt').read_text()[-2000:]}")
    passed, failed, seen = [], [], set()
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = acceptance_name(case.get("classname", ""), case.get("name"))
        seen.add(name)
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed.append(name)
        elif "skipped" not in kinds:
            passed.append(name)
    if quick:
        # What was asked for and did not run at all, as where its file could not be read.
        failed += sorted(listed - seen)
    return Outcome(passed, failed)


def without_collection(program, *arguments):
    """A command that runs a Python program without its garbage collector: that may close a session in the middle of
    another one's call, and then the client waits for itself."""
    start = ("import gc, runpy, sys; gc.disable(); sys.argv.pop(0); sys.path.insert(0, sys.argv[0].rpartition('/')[0]); "
             "runpy.run_path(sys.argv[0], run_name='__main__')")
    return [sys.executable, "-c", start, program, *arguments]


def quick_golden_files(folder):
    names = [n.strip() for n in (folder / "open-files.txt").read_text().splitlines() if n.strip() and n[0] != "#"]
    return [n for n in names if int(hashlib.sha256(n.encode()).hexdigest(), 16) % QUICK_GOLDEN_SHARE == 0]


def run_golden(folder, remote, work, listed, quick):
    result = work / "result.json"
    command = without_collection(folder / "golden.py", "--json", result, "--wait", "10")
    if quick:
        touched = {name.rpartition("#")[0] for name in listed}
        files = [n for n in quick_golden_files(folder) if n in touched]
        if not files:
            return Outcome([], [])
        command += ["--files", ",".join(files)]
    run(command, remote, work / "log.txt")
    passed, failed = [], []
    for file in load(result, work / "log.txt")["files"]:
        bad = {failure["n"] for failure in file["failures"]}
        if file.get("skipped"):
            continue
        for number in range(sum(file["counts"].values())):
            (failed if number in bad else passed).append(f"{file['file']}#{number}")
    return Outcome(passed, failed)


def run_doctests(folder, remote, work, listed, quick):
    result = work / "result.json"
    command = without_collection(folder / "doctests.py", "--json", result)
    if quick:
        command += ["--modules", QUICK_DOCTEST_MODULES]
    run(command, remote, work / "log.txt")
    tests = load(result, work / "log.txt")["tests"]
    return Outcome((t["test"] for t in tests if t["verdict"] == "passed"),
                   (t["test"] for t in tests if t["verdict"] == "failed"))


def run_functions(folder, remote, work, listed, quick):
    def name(function, sql):
        return f"{function}: {json.dumps(sql, ensure_ascii=False)[1:-1]}"

    result = work / "result.json"
    run([sys.executable, folder / "functions.py", "--json", result], remote, work / "log.txt")
    failed = {name(f["function"], f["sql"]) for f in load(result, work / "log.txt")["failures"]}
    known = json.loads((folder / "functions.json").read_text(encoding="utf-8"))["functions"]
    every = {name(entry["name"], example["sql"]) for entry in known for example in entry["examples"]
             if not example.get("unstable") and example.get("error") != "TIMEOUT"}
    return Outcome(every - failed, failed)


SUITES = {
    "acceptance": ("acceptance", run_acceptance),
    "golden": ("conformance", run_golden),
    "doctests": ("conformance", run_doctests),
    "functions": ("conformance", run_functions),
}


def run_in_time(program, folder, work, listed, args, **conf):
    """run_once, a second time where the first one did not end."""
    try:
        return run_once(program, folder, work, listed, args, conf)
    except OutOfTime as reason:
        print(f"ratchet: {folder.name}: {reason}: once more", flush=True)
        return run_once(program, folder, work.with_name(f"{work.name}-again"), listed, args, conf)


def run_once(program, folder, work, listed, args, more_conf):
    """Runs a suite against a new server (or the one of --remote)."""
    work.mkdir()
    if args.remote:
        return program(folder, args.remote, work, listed, args.quick)
    # What the acceptance tests say of the environment of the server under test.
    os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_REGION="us-east-1")
    # Spark's own suites expect the zone of the machine that they were made on (see their reference_server.sh).
    conf = {"spark.sql.session.timeZone": "America/Los_Angeles"} if folder.name == "conformance" else {}
    conf |= more_conf
    with SparkConnectServer(warehouse=work / "warehouse", conf=conf, arguments=["--log-level", "off"]) as server:
        return program(folder, server.remote_url, work, listed, args.quick)


def run_suite(suite, folder, args):
    """(suite, tests lost or None, text): starts a server, runs the suite against it."""
    sub, program = SUITES[suite]
    started = time.monotonic()
    work = Path(tempfile.mkdtemp(prefix=f"ratchet-{suite}-"))
    try:
        listed = read_list(suite)
        outcome = run_in_time(program, folder / sub, work / "1", listed, args)
        if listed & outcome.failed:
            # On a busy machine a query may run out of time: what is lost has to be lost twice. The second time with one
            # thread: rows that are equal under an ORDER BY come as threads deliver them, and some golden files have such.
            again = run_in_time(program, folder / sub, work / "2", listed, args, **{"spark.master": "local[1]"})
            outcome = Outcome(outcome.passed | again.passed, outcome.failed & again.failed)
    except (OSError, OutOfTime, RuntimeError, ValueError) as error:
        return suite, None, f"{suite}: could not be run: {error}"
    finally:
        if args.logs:
            args.logs.mkdir(parents=True, exist_ok=True)
            for name in ("log.txt", "result.json", "report.xml"):
                if (work / "1" / name).exists():
                    shutil.copy(work / "1" / name, args.logs / f"{suite}-{name}")
        shutil.rmtree(work, ignore_errors=True)
    lost = sorted(listed & outcome.failed)
    won = sorted(outcome.passed - listed - UNORDERED)
    if args.update and won:
        write_list(suite, listed | set(won))
    if args.update and not args.quick and suite in compatibility.SUITES:
        write_suite(suite, outcome)
    seconds = time.monotonic() - started
    text = (f"{suite}: {len(outcome.passed)} pass, {len(outcome.failed)} do not, {len(listed)} listed, "
            f"{len(won)} new, {len(lost)} lost ({seconds:.0f} s)")
    return suite, lost, "\n".join([text, *(f"  lost: {name}" for name in lost[:50])])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=Path, default=ROOT.parent / "shared", help="folder with acceptance/, conformance/")
    parser.add_argument("--only", default="*", help="suites to run, separated by commas")
    parser.add_argument("--quick", action="store_true", help="only the part that continuous integration runs")
    parser.add_argument("--update", action="store_true", help="add to the lists what passes now")
    parser.add_argument("--remote", help="a running server instead of own ones, sc://host:port (one suite at a time)")
    parser.add_argument("--logs", type=Path, help="folder for the suites' output and results")
    parser.add_argument("--timeout", type=float, default=suite_seconds, metavar="SECONDS",
                        help="the most time for one run of a suite (default: %(default)s)")
    args = parser.parse_args()
    globals()["suite_seconds"] = args.timeout
    chosen = [s for s in SUITES if any(fnmatch.fnmatch(s, wanted) for wanted in args.only.split(","))]
    present = [s for s in chosen if (args.suites / SUITES[s][0]).is_dir()]
    if not present:
        print(f"ratchet: no suites in {args.suites}: nothing was compared")
        return 0
    failed = 0
    with ThreadPoolExecutor(1 if args.remote else 2) as pool:
        for suite, lost, text in pool.map(lambda s: run_suite(s, args.suites, args), present):
            print(text, flush=True)
            failed += lost is None or bool(lost)
    if args.update:
        compatibility.write()
    print("ratchet: holds" if not failed else "ratchet: something that passed does not pass any more")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
