"""The program `frazil` as a user of a terminal sees it."""
import csv
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from frazil.binary import find_binary
from frazil.spark import SparkConnectServer

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.ours


@pytest.fixture
def frazil(tmp_path):
    """Runs the program in an empty folder with an empty home: frazil("sql", "-e", ...) -> CompletedProcess."""
    def run(*arguments, stdin="", **variables):
        return subprocess.run([find_binary(), *map(str, arguments)], input=stdin, capture_output=True, text=True,
                              timeout=120, cwd=tmp_path, env=environment(tmp_path, **variables))
    return run


def environment(home, **variables):
    kept = {key: value for key, value in os.environ.items() if key not in ("SPARK_CONF_DIR", "XDG_STATE_HOME")}
    return kept | {"HOME": str(home), "FRAZIL_PYTHON": sys.executable, "TERM": "dumb",
                   "PYTHONPATH": str(ROOT / "python")} | variables


class Terminal:
    """The program on a terminal of its own: what a user types and reads."""

    def __init__(self, home, *arguments):
        self._terminal, theirs = pty.openpty()
        self._process = subprocess.Popen([find_binary(), *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                                         cwd=home, env=environment(home), start_new_session=True)
        os.close(theirs)
        self.text = ""

    def read_until(self, wanted, seconds=60):
        """Reads on until `wanted` has come since the last call; returns what came."""
        deadline, came = time.monotonic() + seconds, self.text
        while wanted not in came:
            assert time.monotonic() < deadline, f"{wanted!r} did not come, but {came!r}"
            if select.select([self._terminal], [], [], 0.2)[0]:
                try:
                    came += os.read(self._terminal, 65536).decode(errors="replace")
                except OSError:
                    break
        end = came.find(wanted) + len(wanted) if wanted in came else len(came)
        self.text = came[end:]
        return came[:end]

    def type(self, text):
        os.write(self._terminal, text.encode())

    def wait(self):
        code = self._process.wait(30)
        os.close(self._terminal)
        return code

    def end(self):
        """Types Ctrl-D until the program ends: what comes before the prompt the terminal itself takes."""
        for _ in range(30):
            self.type("\x04")
            try:
                return self._process.wait(1)
            except subprocess.TimeoutExpired:
                pass
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def test_help_and_version(frazil):
    assert "usage: frazil COMMAND" in frazil("--help").stdout
    assert frazil("version").stdout.startswith("frazil ")
    unknown = frazil("serve")
    assert unknown.returncode == 2 and "there is no command 'serve'" in unknown.stderr


def test_statements_of_the_command_line(frazil):
    done = frazil("sql", "-e", "CREATE TABLE t (a INT, b STRING) USING iceberg; INSERT INTO t VALUES (1, 'x;y')",
                  "-e", "SELECT * FROM t")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["+-+---+", "|a|b  |", "+-+---+", "|1|x;y|", "+-+---+"]
    again = frazil("sql", "--format", "csv", "-e", "SELECT b FROM t")
    assert again.stdout == "b\nx;y\n"


def test_a_file_of_statements_and_standard_input(frazil, tmp_path):
    text = "-- one; comment\nSELECT 1 AS a;\n/* another; */ SELECT 'a;b'\n  AS t;\n"
    (tmp_path / "script.sql").write_text(text)
    from_file = frazil("sql", "--format", "csv", "-f", "script.sql")
    assert from_file.stdout == "a\n1\nt\na;b\n"
    assert frazil("sql", "--format", "csv", stdin=text).stdout == from_file.stdout


def test_formats(frazil):
    query = ("SELECT 1 AS a, 'x,\"y' AS b, CAST(NULL AS INT) AS c, array(1, 2) AS d, named_struct('n', 1.50) AS e, "
             "DATE'2020-02-29' AS f")
    rows = list(csv.reader(frazil("sql", "--format", "csv", "-e", query).stdout.splitlines()))
    assert rows[0] == list("abcdef") and rows[1][:2] == ["1", 'x,"y'] and rows[1][5] == "2020-02-29"
    row = json.loads(frazil("sql", "--format=json", "-e", query).stdout)
    assert row["a"] == 1 and row["b"] == 'x,"y' and row["f"] == "2020-02-29"
    wrong = frazil("sql", "--format", "xml", "-e", query)
    assert wrong.returncode == 2 and "'xml' is no format" in wrong.stderr


def test_variants(frazil):
    query = "SELECT parse_json('{\"a\": [1, null, \"x\"]}') AS v, array(parse_json('\"text\"')) AS l, CAST(NULL AS VARIANT) AS n"
    assert json.loads(frazil("sql", "--format", "json", "-e", query).stdout) == {
        "v": {"a": [1, None, "x"]}, "l": ["text"], "n": None}
    lines = frazil("sql", "-e", query).stdout.splitlines()
    assert lines[3].split("|")[1:4] == ['{"a":[1,null,"x"]}', "[text]", "NULL"]


def test_an_error_ends_a_script(frazil):
    done = frazil("sql", "--format", "csv", "-e", "SELECT 1 AS a; SELEC 2; SELECT 3")
    assert done.returncode == 1 and "3" not in done.stdout
    assert "PARSE_SYNTAX_ERROR" in done.stderr


def test_a_conversation(tmp_path):
    with Terminal(tmp_path, "sql") as terminal:
        terminal.read_until("frazil> ")
        terminal.type("SELECT 40 +\n")
        terminal.read_until("> ")
        terminal.type("  2 AS answer;\n")
        assert "|42    |" in terminal.read_until("row(s)")
        terminal.read_until("frazil> ")
        terminal.type("SELEC 1;\n")
        terminal.read_until("PARSE_SYNTAX_ERROR")
        terminal.read_until("frazil> ")
        terminal.type("SELECT 'still' || 'here' AS t;\n")
        assert "stillhere" in terminal.read_until("row(s)")
        terminal.read_until("frazil> ")
        terminal.type("exit;\n")
        assert terminal.wait() == 0
    with Terminal(tmp_path, "sql") as terminal:
        terminal.read_until("frazil> ")
        terminal.type("\x10\n")  # Ctrl-P: the last statement again.
        assert "stillhere" in terminal.read_until("row(s)")
        terminal.read_until("frazil> ")
        assert terminal.end() == 0


def test_ctrl_d_before_the_prompt_quotes_nothing(tmp_path):
    with Terminal(tmp_path, "sql") as terminal:
        terminal.type("\x04")
        terminal.read_until("frazil> ")
        time.sleep(0.5)  # The editor has the terminal soon after its prompt.
        terminal.type("\x04")
        assert terminal.wait() == 0


@pytest.mark.parametrize("word", ["quit;", "QUIT", "exit"])
def test_words_that_end_a_conversation(tmp_path, word):
    with Terminal(tmp_path, "sql") as terminal:
        terminal.read_until("frazil> ")
        terminal.type(f"{word}\n")
        assert terminal.wait() == 0


def test_control_c_ends_the_statement_only(tmp_path):
    with Terminal(tmp_path, "sql") as terminal:
        terminal.read_until("frazil> ")
        terminal.type("SELECT count(*) FROM range(400000) a CROSS JOIN range(400000) b WHERE (a.id * b.id) % 7 = 3;\n")
        time.sleep(1)
        terminal._process.send_signal(signal.SIGINT)
        terminal.read_until("OPERATION_CANCELED", 10)
        terminal.type("SELECT 6 * 7 AS answer;\n")
        assert "|42    |" in terminal.read_until("row(s)")


def test_a_script_with_arguments(frazil, tmp_path):
    (tmp_path / "job.py").write_text(
        "import sys\nfrom pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        "print(sys.argv[1:], spark.range(int(sys.argv[1])).count(), spark.conf.get('my.setting'))\n"
        "sys.exit(7)\n")
    done = frazil("run", "--conf", "my.setting=on", "job.py", "5", "--flag")
    assert "['5', '--flag'] 5 on" in done.stdout, done.stderr
    assert done.returncode == 7


def test_a_shell(tmp_path):
    with Terminal(tmp_path, "shell") as terminal:
        terminal.read_until(">>> ")
        terminal.type("print('rows:', spark.range(11).count(), sql('SELECT 7 AS n').first().n)\n")
        terminal.read_until("rows: 11 7")
        terminal.type("exit()\n")
        assert terminal.wait() == 0


def test_defaults_of_spark(frazil, tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(
        "# comment\nspark.sql.session.timeZone   Asia/Tokyo\nspark.sql.ansi.enabled=false\nother.setting 1\n")
    query = "SELECT current_timezone() AS z, 1 / 0 AS n"
    assert frazil("sql", "--format", "csv", "-e", query, SPARK_CONF_DIR=str(tmp_path / "conf")).stdout == (
        "z,n\nAsia/Tokyo,\n")
    (tmp_path / "mine.properties").write_text("spark.sql.session.timeZone: Europe/Paris\n")
    chosen = frazil("sql", "--properties-file", "mine.properties", "--format", "csv", "-e", "SELECT current_timezone() z",
                    SPARK_CONF_DIR=str(tmp_path / "conf"))
    assert chosen.stdout == "z\nEurope/Paris\n"
    wins = frazil("sql", "--conf", "spark.sql.session.timeZone=UTC", "--properties-file", "mine.properties", "--format",
                  "csv", "-e", "SELECT current_timezone() z")
    assert wins.stdout == "z\nUTC\n"


def test_only_this_machine_is_served(tmp_path):
    with SparkConnectServer(warehouse=tmp_path) as server:
        port = server.listening_address[1]
        listening = []
        for table in ("tcp", "tcp6"):
            rows = [line.split() for line in Path(f"/proc/{server.pid}/net/{table}").read_text().splitlines()[1:]]
            listening += [row[1].split(":")[0] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]
        # IPv4's 127.0.0.1, as such or within IPv6.
        assert len(listening) == 1 and listening[0] in ("0100007F", "0000000000000000FFFF00000100007F")
    with SparkConnectServer("0.0.0.0", 0, warehouse=tmp_path) as server:
        with socket.create_connection(("127.0.0.1", server.listening_address[1]), 5):
            pass


def test_a_token_is_demanded(tmp_path):
    from conftest import open_session

    (tmp_path / "token").write_text("secret\n")
    for arguments in (["--token", "secret"], ["--token-file", tmp_path / "token"]):
        with SparkConnectServer(warehouse=tmp_path / "w", arguments=arguments) as server:
            port = server.listening_address[1]
            spark = open_session(f"sc://localhost:{port}/;token=secret")
            assert spark.range(4).count() == 4
            spark.stop()
            for bad in ("", "/;token=wrong"):
                with pytest.raises(Exception, match="(?i)authenticat"):
                    open_session(f"sc://localhost:{port}{bad}").range(1).count()


def test_the_log_has_a_level(tmp_path):
    from conftest import open_session

    logs = {}
    for level in ("debug", "off"):
        process = subprocess.Popen([find_binary(), "server", "--port", "0", "--warehouse", tmp_path, "--log-level", level],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        spark = open_session(f"sc://127.0.0.1:{port}")
        with pytest.raises(Exception):
            spark.sql("SELECT no_such_column").collect()
        spark.stop()
        process.terminate()
        logs[level] = process.communicate(timeout=20)[1]
        assert process.returncode == 0
    assert "UNRESOLVED_COLUMN" in logs["debug"] and logs["off"] == ""


BUSY = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).create()
spark.range(1).collect()
print("ready", flush=True)
spark.sql("SELECT count(*) FROM range(400000) a CROSS JOIN range(400000) b WHERE (a.id * b.id) % 7 = 3").collect()
"""


def test_a_signal_ends_a_server_that_is_busy(tmp_path):
    # A process of its own: where a server has gone the client tries again for minutes, whoever waits for it. A file, since
    # the client of 4.2 takes itself for a doctest under `python -c`.
    script = tmp_path / "busy.py"
    script.write_text(BUSY)
    with SparkConnectServer(warehouse=tmp_path / "warehouse") as server:
        with subprocess.Popen([sys.executable, script, server.remote_url], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL) as client:
            try:
                assert client.stdout.readline() == "ready\n"
                time.sleep(1)
                began = time.monotonic()
                server._process.terminate()
                assert server._process.wait(20) == 0
                assert time.monotonic() - began < 10
            finally:
                client.kill()


def test_idle_sessions_end_and_tables_stay(tmp_path):
    from conftest import open_session

    conf = {"spark.connect.session.manager.defaultSessionTimeout": "1s"}
    with SparkConnectServer(warehouse=tmp_path, conf=conf) as server:
        spark = open_session(server.remote_url)
        spark.sql("CREATE TABLE kept (id INT) USING iceberg")
        spark.sql("INSERT INTO kept VALUES (1)")
        spark.sql("CREATE VIEW kept_view AS SELECT id + 1 AS n FROM kept")
        spark.sql("CREATE TEMPORARY VIEW gone AS SELECT 1")
        time.sleep(8)  # Looked after every five seconds.
        with pytest.raises(Exception, match="INVALID_HANDLE.SESSION"):
            spark.sql("SELECT * FROM gone").collect()
        other = open_session(server.remote_url)
        assert other.sql("SELECT n FROM kept_view").first().n == 2
        with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
            other.sql("SELECT * FROM gone").collect()
        other.stop()
