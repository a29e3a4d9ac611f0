#!/usr/bin/env python3
"""Generates and compiles the Spark Connect messages and service for C++.

The messages are not shipped as .proto files by anyone but Spark's source; the installed pyspark-client holds them as
serialized descriptors. This script collects these into one FileDescriptorSet, lets protoc generate C++ from it, and
compiles that into a static library. Result in FOLDER:

    descriptors.bin   include/spark/connect/*.pb.h   include/google/rpc/*.pb.h   src/…   libspark_connect_proto.a

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
# google.rpc.Status and its details carry Spark's errors.
EXTRA_MODULES = ["google.rpc.status_pb2", "google.rpc.error_details_pb2"]
OWN_PACKAGES = ("spark/connect/", "google/rpc/")


def collect_descriptors():
    """The FileDescriptorSet (bytes) of all Spark Connect files and what they import, dependencies first."""
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

    package = importlib.import_module("pyspark.sql.connect.proto")
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if m.name.endswith("_pb2"))
    for name in names:
        add(importlib.import_module(f"{package.__name__}.{name}").DESCRIPTOR)
    for name in EXTRA_MODULES:
        add(importlib.import_module(name).DESCRIPTOR)
    files = descriptor_pb2.FileDescriptorSet(file=found.values())
    return files.SerializeToString(deterministic=True), [n for n in found if n.startswith(OWN_PACKAGES)]


def generate(folder, descriptors, names):
    """Runs protoc; headers go to folder/include, sources to folder/src."""
    set_file = folder / "descriptors.bin"
    set_file.write_bytes(descriptors)
    made = folder / "generated.new"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    command = ["protoc", f"--descriptor_set_in={set_file}", f"--cpp_out={made}"]
    subprocess.run(command + names, check=True)
    plugin = shutil.which("grpc_cpp_plugin")
    if not plugin:
        sys.exit("grpc_cpp_plugin is missing: install protobuf-compiler-grpc")
    service = [n for n in names if n == "spark/connect/base.proto"]
    subprocess.run(["protoc", f"--descriptor_set_in={set_file}", f"--plugin=protoc-gen-grpc={plugin}",
                    f"--grpc_out={made}"] + service, check=True)
    for kind, pattern in (("include", "*.h"), ("src", "*.cc")):
        shutil.rmtree(folder / kind, ignore_errors=True)
        for file in sorted(made.rglob(pattern)):
            target = folder / kind / file.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    shutil.rmtree(made)


def compile_all(folder):
    """Compiles folder/src into folder/libspark_connect_proto.a, largest files first."""
    objects = folder / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
    sources = sorted((folder / "src").rglob("*.cc"), key=lambda p: -p.stat().st_size)

    def one(source):
        out = objects / (str(source.relative_to(folder / "src")).replace("/", "_") + ".o")
        subprocess.run(launcher + COMPILE + [f"-I{folder / 'include'}", "-c", str(source), "-o", str(out)], check=True)
        return out

    made = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for number, out in enumerate(pool.map(one, sources), 1):
            print(f"  [{number}/{len(sources)}] {out.stem}", flush=True)
            made.append(out)
    library = folder / "libspark_connect_proto.a"
    fresh = folder / "libspark_connect_proto.a.new"
    fresh.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", str(fresh)] + [str(m) for m in made], check=True)
    fresh.replace(library)
    shutil.rmtree(objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=["generate"], help="generate the sources, do not compile them")
    args = parser.parse_args()
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        descriptors, names = collect_descriptors()
        versions = subprocess.run(["protoc", "--version"], check=True, capture_output=True).stdout
        compiler = subprocess.run(["g++", "-dumpfullversion"], check=True, capture_output=True).stdout
        digest = hashlib.sha256(descriptors + versions + compiler + " ".join(COMPILE).encode()).hexdigest()
        generated, compiled = folder / "generated.sha256", folder / "compiled.sha256"

        def holds(stamp, file):
            return stamp.exists() and stamp.read_text() == digest and (folder / file).exists()

        if not holds(generated, "include/spark/connect/base.pb.h"):
            print("Generating the Spark Connect messages", flush=True)
            generate(folder, descriptors, names)
            generated.write_text(digest)
        if args.only != "generate" and not holds(compiled, "libspark_connect_proto.a"):
            print("Compiling the Spark Connect messages (some minutes, once)", flush=True)
            compile_all(folder)
            compiled.write_text(digest)


if __name__ == "__main__":
    main()
