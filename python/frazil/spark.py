"""A Spark Connect server in a process of its own."""
import atexit
import collections
import re
import subprocess
import threading

from frazil.binary import find_binary, program_environment

_READY = re.compile(r"^frazil: listening on (?P<host>.+):(?P<port>\d+)\s*$")
_START_SECONDS = 60
_STOP_SECONDS = 10


class SparkConnectServer:
    """Starts and stops a server that Spark Connect clients can use.

        server = SparkConnectServer("127.0.0.1", 0)      # port 0: any free one
        server.start(background=True)
        host, port = server.listening_address
        spark = SparkSession.builder.remote(f"sc://{host}:{port}").create()
        …
        server.stop()

    It is a context manager too. `conf` holds settings for all sessions (`spark.sql.…`), `warehouse` is the folder of the
    built-in catalog, `arguments` go to `frazil server` as they are. The server's log goes to this process's standard error.
    """

    def __init__(self, ip="127.0.0.1", port=0, *, conf=None, warehouse=None, arguments=()):
        self._command = ["server", "--host", ip, "--port", str(port)]
        for key, value in (conf or {}).items():
            self._command += ["--conf", f"{key}={_text(value)}"]
        if warehouse is not None:
            self._command += ["--warehouse", str(warehouse)]
        self._command += [str(argument) for argument in arguments]
        self._process = None
        self._address = None

    def start(self, *, background=True):
        """Returns when the server takes connections; with background=False, when it has ended (Ctrl-C stops it)."""
        if self.running:
            raise RuntimeError("the server is running already")
        self._process = subprocess.Popen(
            [str(find_binary()), *self._command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            env=program_environment())
        atexit.register(self.stop)
        self._address = self._wait_until_ready(self._process)
        if not background:
            try:
                self._process.wait()
            except KeyboardInterrupt:
                pass
            finally:
                self.stop()

    def _wait_until_ready(self, process):
        ready = threading.Event()
        found = {}
        printed = collections.deque(maxlen=20)

        def read():
            # Goes on to the end: a full pipe would block the server.
            for line in process.stdout:
                match = _READY.match(line)
                if match and not found:
                    found.update(match.groupdict())
                    ready.set()
                printed.append(line)
            ready.set()

        threading.Thread(target=read, name="frazil-server-output", daemon=True).start()
        ready.wait(_START_SECONDS)
        if not found:
            self.stop()
            raise RuntimeError(f"the server did not start (exit status {process.poll()}): {''.join(printed).strip()}")
        return found["host"].strip("[]"), int(found["port"])

    def stop(self):
        """Ends the server; does nothing if it does not run."""
        process, self._process, self._address = self._process, None, None
        atexit.unregister(self.stop)
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @property
    def running(self):
        """Whether the server's process is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self):
        """The server's process id, or None."""
        return self._process.pid if self.running else None

    @property
    def listening_address(self):
        """(host, port) while the server runs, else None."""
        return self._address if self.running else None

    @property
    def remote_url(self):
        """What SparkSession.builder.remote() takes, or None while the server does not run."""
        address = self.listening_address
        if address is None:
            return None
        host, port = address
        return f"sc://[{host}]:{port}" if ":" in host else f"sc://{host}:{port}"

    def __enter__(self):
        if not self.running:
            self.start(background=True)
        return self

    def __exit__(self, *_):
        self.stop()


def _text(value):
    """A setting as Spark writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
