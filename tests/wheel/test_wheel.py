"""The wheel in an empty environment: it installs, starts a server, and needs nothing of this machine but glibc.

    pytest tests/wheel --wheel dist
"""
import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

GLIBC = re.compile(r"^(ld-linux|linux-vdso|/lib64/ld-linux|lib(c|m|dl|rt|pthread|resolv)\.so)")


@pytest.fixture(scope="module")
def wheel(request):
    (found,) = Path(request.config.getoption("--wheel")).resolve().glob("frazil-*.whl")
    return found


@pytest.fixture(scope="module")
def environment():
    """Nothing of the test's own environment but what a program needs."""
    return {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"], "LANG": "C.UTF-8"} | {
        key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_", "HTTPS_", "https_"))}


@pytest.fixture(scope="module")
def python(wheel, environment, tmp_path_factory):
    """The Python of an empty environment with the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", "--no-deps", "--no-index", wheel], check=True, env=environment)
    return folder / "bin" / "python"


def test_its_size_and_name(wheel):
    assert wheel.stat().st_size < 120_000_000
    assert re.fullmatch(r"frazil-[\d.]+-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.whl", wheel.name)


def test_every_library_comes_from_the_wheel(python, environment):
    package = next((python.parent.parent / "lib").glob("python*/site-packages/frazil")).resolve()
    listed = subprocess.run(["ldd", package / "bin" / "frazil"], check=True, capture_output=True, text=True,
                            env=environment).stdout
    for line in listed.splitlines():
        name, _, path = line.strip().partition(" => ")
        if not GLIBC.match(name.split(" ")[0]):
            assert Path(path.split(" ")[0]).resolve().is_relative_to(package), line


def test_the_program_is_on_the_path(python, environment):
    out = subprocess.run([python.parent / "frazil", "version"], check=True, capture_output=True, text=True, env=environment)
    assert re.search(r"\d+\.\d+\.\d+", out.stdout)


def test_a_server_starts_without_the_client(python, environment, tmp_path):
    script = ("from frazil.spark import SparkConnectServer\n"
              "with SparkConnectServer('127.0.0.1', 0, warehouse='w') as server:\n"
              "    print(server.listening_address)\n")
    out = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert re.fullmatch(r"\('127\.0\.0\.1', \d+\)\n", out.stdout)


def test_session_asks_for_the_extra(python, environment):
    out = subprocess.run([python, "-c", "import frazil; frazil.session()"], capture_output=True, text=True, env=environment)
    assert out.returncode == 1 and "frazil[client]" in out.stderr


def test_a_query_with_the_client(wheel, python, environment, tmp_path):
    subprocess.run([python, "-m", "pip", "install", "-q", f"{wheel}[client]"], check=True, env=environment)
    script = tmp_path / "query.py"
    script.write_text("import frazil\nprint(frazil.session().range(10).count())\n")
    out = subprocess.run([python, script], check=True, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert out.stdout == "10\n"
