#!/usr/bin/env python3
"""Generates and compiles the messages and the service of Spark Connect for C++, or Delta's extension of them.

The messages are not shipped as .proto files by anyone but the sources of Spark and Delta; the installed pyspark-client
(and delta-spark) hold them as serialized descriptors. This script collects these into one FileDescriptorSet, lets
protoc generate C++ from it, and compiles that into a static library. Result in FOLDER:

    descriptors.bin   include/spark/connect/*.pb.h   include/google/rpc/*.pb.h   src/…   libspark_connect_proto.a

With --delta PACKAGE, the folder that delta-spark is installed in, Delta's messages alone: libdelta_connect_proto.a,
include/delta/connect/*.pb.h, compiled against the Spark Connect messages that stand in the folder spark-connect beside
FOLDER.

Run it by a Python that has pyspark-client. Nothing is done when FOLDER already holds the result of the same input.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

COMPILE = ["g++", "-std=c++20", "-O1", "-g0", "-fPIC", "-w", "-DNDEBUG"]


class Messages:
    """Which messages are made, and into what."""

    def __init__(self, name, package, own, modules=(), service=None, includes=()):
        self.name = name          # As people are told.
        self.package = package    # Python package with the descriptors.
        self.own = own            # Prefixes of the files that C++ is generated for.
        self.modules = modules    # More modules with descriptors.
        self.service = service    # The file with a gRPC service.
        self.includes = includes  # Folders with headers of the messages that these use.
        self.library = f"lib{name.lower().replace(' ', '_')}_proto.a"
        self.header = f"include/{own[0]}base.pb.h"


# google.rpc.Status and its details carry Spark's errors.
SPARK = Messages("Spark Connect", "pyspark.sql.connect.proto", ("spark/connect/", "google/rpc/"),
                 ("google.rpc.status_pb2", "google.rpc.error_details_pb2"), "spark/connect/base.proto")


def collect_descriptors(messages):
    """The FileDescriptorSet (bytes) of all files of the messages and what they import, dependencies first; the names of
    those that are their own."""
    from google.protobuf import descriptor_pb2

    found = {}

    def add(file):
        if file.name in found:
            return
        for dependency in file.dependencies:
            add(dependency)
        proto = descriptor_pb2.FileDescriptorProto()
        file.CopyToProto(proto)
        found[file.name] = proto

    package = importlib.import_module(messages.package)
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if m.name.endswith("_pb2"))
    for name in names:
        add(importlib.import_module(f"{package.__name__}.{name}").DESCRIPTOR)
    for name in messages.modules:
        add(importlib.import_module(name).DESCRIPTOR)
    files = descriptor_pb2.FileDescriptorSet(file=found.values())
    return files.SerializeToString(deterministic=True), [n for n in found if n.startswith(messages.own)]


def generate(messages, folder, descriptors, names):
    """Runs protoc; headers go to folder/include, sources to folder/src."""
    set_file = folder / "descriptors.bin"
    set_file.write_bytes(descriptors)
    made = folder / "generated.new"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    command = ["protoc", f"--descriptor_set_in={set_file}", f"--cpp_out={made}"]
    subprocess.run(command + names, check=True)
    if messages.service:
        plugin = shutil.which("grpc_cpp_plugin")
        if not plugin:
            sys.exit("grpc_cpp_plugin is missing: install protobuf-compiler-grpc")
        subprocess.run(["protoc", f"--descriptor_set_in={set_file}", f"--plugin=protoc-gen-grpc={plugin}",
                        f"--grpc_out={made}", messages.service], check=True)
    for kind, pattern in (("include", "*.h"), ("src", "*.cc")):
        shutil.rmtree(folder / kind, ignore_errors=True)
        for file in sorted(made.rglob(pattern)):
            target = folder / kind / file.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    shutil.rmtree(made)


def compile_all(messages, folder):
    """Compiles folder/src into a library in the folder, largest files first."""
    objects = folder / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
    sources = sorted((folder / "src").rglob("*.cc"), key=lambda p: -p.stat().st_size)

    def one(source):
        out = objects / (str(source.relative_to(folder / "src")).replace("/", "_") + ".o")
        includes = [f"-I{include}" for include in (folder / "include", *messages.includes)]
        subprocess.run(launcher + COMPILE + includes + ["-c", str(source), "-o", str(out)], check=True)
        return out

    made = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for number, out in enumerate(pool.map(one, sources), 1):
            print(f"  [{number}/{len(sources)}] {out.stem}", flush=True)
            made.append(out)
    library = folder / messages.library
    fresh = folder / (messages.library + ".new")
    fresh.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", str(fresh)] + [str(m) for m in made], check=True)
    fresh.replace(library)
    shutil.rmtree(objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=["generate"], help="generate the sources, do not compile them")
    parser.add_argument("--delta", type=Path, metavar="PACKAGE", help="Delta's messages; where delta-spark is installed")
    args = parser.parse_args()
    folder = args.folder.resolve()
    messages = SPARK
    if args.delta:
        sys.path.insert(0, str(args.delta.resolve()))
        messages = Messages("Delta Connect", "delta.connect.proto", ("delta/connect/",),
                            includes=(folder.parent / "spark-connect" / "include",))
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        descriptors, names = collect_descriptors(messages)
        versions = subprocess.run(["protoc", "--version"], check=True, capture_output=True).stdout
        compiler = subprocess.run(["g++", "-dumpfullversion"], check=True, capture_output=True).stdout
        digest = hashlib.sha256(descriptors + versions + compiler + " ".join(COMPILE).encode()).hexdigest()
        generated, compiled = folder / "generated.sha256", folder / "compiled.sha256"

        def holds(stamp, file):
            return stamp.exists() and stamp.read_text() == digest and (folder / file).exists()

        if not holds(generated, messages.header):
            print(f"Generating the {messages.name} messages", flush=True)
            generate(messages, folder, descriptors, names)
            generated.write_text(digest)
        if args.only != "generate" and not holds(compiled, messages.library):
            print(f"Compiling the {messages.name} messages (some minutes, once)", flush=True)
            compile_all(messages, folder)
            compiled.write_text(digest)


if __name__ == "__main__":
    main()
