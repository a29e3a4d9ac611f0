#!/usr/bin/env python3
"""Makes the self-contained wheel: the Python package, the server, and every shared library that it needs but glibc's.

    tools/wheel_file.py [--binary build/release/bin/frazil] [--output dist]

Also the build backend of pyproject.toml (`pip wheel .` after `make build`). The platform tag states the newest glibc
symbol version that anything inside asks for. Needs patchelf, strip, readelf, ldd. Uses the standard library only.
"""
import argparse
import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST_BYTES = 120_000_000
# glibc's own libraries and the loader: every Linux has them, and they must match one another.
GLIBC = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|BrokenLocale)\.so)")
# Same bytes in every build of the same input.
FIXED_DATE = (2020, 1, 1, 0, 0, 0)


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def needed_libraries(binary):
    """{name: path} of all shared libraries that the program loads, without glibc's."""
    found = {}
    for line in run("ldd", binary).splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if not match or GLIBC.match(Path(match[1]).name):
            continue
        if match[2] == "not":
            sys.exit(f"wheel: {match[1]} is not found")
        found[Path(match[1]).name] = Path(match[2])
    return found


def glibc_floor(files):
    """The newest GLIBC_x.y that any of the files asks for, as (x, y)."""
    newest = (2, 17)
    for file in files:
        for found in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "--version-info", "--wide", file)):
            newest = max(newest, tuple(map(int, found)))
    return newest


def copy_time_zones(target):
    """The system's time zone database, for machines that have none."""
    shutil.copytree("/usr/share/zoneinfo", target, ignore=shutil.ignore_patterns(
        "posix", "right", "*.tab", "*.zi", "leap*", "localtime", "posixrules"))
    for zone in ("UTC", "America/Los_Angeles", "Asia/Tokyo"):
        if not (target / zone).exists():
            sys.exit(f"wheel: /usr/share/zoneinfo lacks {zone}: install tzdata")


def lay_out(binary, folder):
    """Copies package, program and libraries into `folder`; returns the ELF files."""
    package = folder / "frazil"
    shutil.copytree(ROOT / "python" / "frazil", package, ignore=shutil.ignore_patterns("__pycache__", "bin", "lib", "share"))
    copy_time_zones(package / "share" / "zoneinfo")
    (package / "bin").mkdir()
    (package / "lib").mkdir()
    program = package / "bin" / "frazil"
    shutil.copy(binary, program)
    libraries = []
    for name, path in sorted(needed_libraries(binary).items()):
        target = package / "lib" / name
        shutil.copy(path.resolve(), target)
        target.chmod(0o755)
        libraries.append(target)
    run("strip", "--strip-debug", "--strip-unneeded", program)
    run("patchelf", "--set-rpath", "$ORIGIN/../lib", program)
    for library in libraries:
        run("strip", "--strip-debug", "--strip-unneeded", library)
        run("patchelf", "--set-rpath", "$ORIGIN", library)
    check_closed(program, package / "lib")
    return [program, *libraries]


def check_closed(program, libraries):
    """Nothing may come from outside the wheel but glibc."""
    for name, path in needed_libraries(program).items():
        if path.resolve().parent != libraries.resolve():
            sys.exit(f"wheel: {name} would still be loaded from {path}")


def metadata(project, version):
    """The METADATA file of the wheel."""
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"License-Expression: {project['license']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {c}" for c in project["classifiers"]]
    lines += ["License-File: LICENSE", "License-File: THIRD_PARTY.md"]
    lines += [f"Requires-Dist: {d}" for d in project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {d}; extra == '{extra}'" for d in wanted]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def write_info(folder, project, version, tag):
    info = folder / f"{project['name']}-{version}.dist-info"
    (info / "licenses").mkdir(parents=True)
    (info / "METADATA").write_text(metadata(project, version), encoding="utf-8")
    (info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: frazil\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n")
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    (info / "entry_points.txt").write_text(f"[console_scripts]\n{scripts}")
    for name in ("LICENSE", "THIRD_PARTY.md"):
        shutil.copy(ROOT / name, info / "licenses" / name)
    record = []
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
        record.append(f"{file.relative_to(folder)},sha256={digest},{file.stat().st_size}")
    record.append(f"{info.name}/RECORD,,")
    (info / "RECORD").write_text("\n".join(record) + "\n")


def pack(folder, wheel):
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(folder)), FIXED_DATE)
            entry.external_attr = (0o100755 if os.access(file, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())


def make(binary, output):
    """Makes the wheel of `binary` in the folder `output`; returns its path."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = (ROOT / "python" / "frazil" / "VERSION").read_text().strip()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        major, minor = glibc_floor(lay_out(binary, folder))
        tag = f"manylinux_{major}_{minor}_{platform.machine()}"
        write_info(folder, project, version, tag)
        wheel = output / f"{project['name']}-{version}-py3-none-{tag}.whl"
        for old in output.glob(f"{project['name']}-*.whl"):
            old.unlink()
        pack(folder, wheel)
    size = wheel.stat().st_size
    print(f"{wheel}: {size / 1e6:.1f} MB, glibc {major}.{minor} or newer")
    if size > LARGEST_BYTES:
        sys.exit(f"wheel: larger than {LARGEST_BYTES / 1e6:.0f} MB")
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: what `pip wheel .` calls."""
    return make(ROOT / "build" / "release" / "bin" / "frazil", Path(wheel_directory)).name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "release" / "bin" / "frazil")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    args = parser.parse_args()
    if not args.binary.exists():
        sys.exit(f"wheel: {args.binary} is missing: run 'make build'")
    make(args.binary, args.output)


if __name__ == "__main__":
    main()
