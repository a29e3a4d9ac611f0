"""Processes of their own that run statements, for tests of what several of them, or the end of one, do to a table."""
import csv
import subprocess


class Processes:
    """Runs files of SQL statements, each in a process of its own, over one warehouse."""

    def __init__(self, folder, settings=None):
        from frazil.binary import find_binary

        self.folder, self.started = folder, []
        self.command = [str(find_binary()), "sql", "--warehouse", str(folder / "warehouse"), "--format", "csv"]
        for key, value in (settings or {}).items():
            self.command += ["--conf", f"{key}={value}"]

    def start(self, statements):
        """A process that runs the statements one after the other."""
        file = self.folder / f"{len(self.started)}.sql"
        file.write_text(";\n".join(statements) + ";\n")
        process = subprocess.Popen([*self.command, "-f", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def stop(self):
        for process in self.started:
            process.kill()
            process.communicate()


def finish(process, timeout=120):
    """The rows that a process printed; it must have ended well."""
    out, errors = process.communicate(timeout=timeout)
    assert process.returncode == 0, errors
    return list(csv.reader(out.splitlines()))
