"""The Python package: SparkConnectServer, frazil.session, the program."""
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import frazil
import pytest
from frazil.binary import find_binary
from frazil.spark import SparkConnectServer

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.ours


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Puts a shell script in the place of the server's program."""
    def write(text):
        path = tmp_path / "frazil"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("FRAZIL_BINARY", str(path))
    return write


def accepts(address):
    with socket.socket() as client:
        client.settimeout(5)
        return client.connect_ex(address) == 0


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_start_and_stop(tmp_path):
    server = SparkConnectServer("127.0.0.1", 0, warehouse=tmp_path)
    assert server.listening_address is None and not server.running
    server.start(background=True)
    address = server.listening_address
    assert address[0] == "127.0.0.1" and address[1] > 0 and accepts(address)
    assert server.remote_url == f"sc://127.0.0.1:{address[1]}"
    server.stop()
    assert server.listening_address is None and not server.running and not accepts(address)
    server.stop()


def test_a_given_port_and_a_second_start(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with SparkConnectServer("127.0.0.1", port, warehouse=tmp_path) as server:
        assert server.listening_address == ("127.0.0.1", port)
        with pytest.raises(RuntimeError, match="running already"):
            server.start()


def test_a_port_that_is_taken(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(RuntimeError, match="did not start"):
            SparkConnectServer("127.0.0.1", taken.getsockname()[1], warehouse=tmp_path).start()


def test_settings_reach_the_sessions(tmp_path):
    from pyspark.sql import SparkSession

    conf = {"spark.sql.session.timeZone": "Asia/Tokyo", "spark.sql.ansi.enabled": False}
    with SparkConnectServer(warehouse=tmp_path, conf=conf) as server:
        spark = SparkSession.builder.remote(server.remote_url).create()
        assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
        assert spark.sql("SELECT 1 / 0").first()[0] is None
        spark.stop()


def test_a_signal_ends_the_server_cleanly(tmp_path):
    process = subprocess.Popen([find_binary(), "server", "--port", "0", "--warehouse", tmp_path],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("frazil: listening on 127.0.0.1:")
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    process.stdout.close()


def test_the_server_ends_with_its_process(tmp_path):
    script = ("import frazil.spark, sys; s = frazil.spark.SparkConnectServer(warehouse=sys.argv[1]);"
              "s.start(background=True); print(s.pid)")
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT / "python")})
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(pid)


def test_a_program_that_fails_is_told(program):
    program("echo 'no such warehouse'; exit 3")
    with pytest.raises(RuntimeError, match=r"exit status 3\): no such warehouse"):
        SparkConnectServer().start()


def test_a_binary_that_is_not_there(monkeypatch):
    monkeypatch.setenv("FRAZIL_BINARY", "/nowhere/frazil")
    with pytest.raises(FileNotFoundError, match="names /nowhere/frazil"):
        find_binary()


def test_session_shares_one_server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = frazil.session(conf={"spark.sql.shuffle.partitions": "7"})
    second = frazil.session()
    assert first.conf.get("spark.sql.shuffle.partitions") == "7"
    assert second.conf.get("spark.sql.shuffle.partitions") != "7"
    first.sql("CREATE TEMPORARY VIEW mine AS SELECT 1 AS a")
    assert first.table("mine").count() == 1
    assert [row.viewName for row in second.sql("SHOW VIEWS").collect()] == []
    first.stop()
    assert second.range(3).count() == 3
    second.stop()


def test_the_module_is_the_program():
    done = subprocess.run([sys.executable, "-m", "frazil", "version"], capture_output=True, text=True, check=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT / "python")})
    assert frazil.__version__ in done.stdout
