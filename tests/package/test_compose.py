"""compose.yaml: services on their customary ports, and a command line that the server takes."""
import subprocess
from pathlib import Path

import yaml
from conftest import open_session
from frazil.binary import find_binary, program_environment

ROOT = Path(__file__).resolve().parent.parent.parent
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]


def test_ports_are_customary_and_of_this_machine_alone():
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {
        "s3": ["127.0.0.1:9000:9000", "127.0.0.1:9001:9001"], "rest": ["127.0.0.1:8181:8181"],
        "frazil": ["127.0.0.1:15002:15002"], "jupyter": ["127.0.0.1:8888:8888"]}


def test_the_server_takes_its_command_line(tmp_path):
    program, *arguments = SERVICES["frazil"]["command"]
    assert program == "frazil"
    here = {"--host=0.0.0.0": "--host=127.0.0.1", "--port=15002": "--port=0", "--warehouse=/warehouse": f"--warehouse={tmp_path}"}
    assert set(here) <= set(arguments)
    server = subprocess.Popen([find_binary(), *(here.get(argument, argument) for argument in arguments)],
                              stdout=subprocess.PIPE, text=True, env=program_environment())
    try:
        address = server.stdout.readline().rpartition(" ")[2].strip()
        session = open_session(f"sc://{address}")
        assert session.conf.get("spark.sql.catalog.demo.uri") == "http://rest:8181"
        assert session.catalog.currentCatalog() == "demo"
        session.stop()
    finally:
        server.terminate()
        assert server.wait(20) == 0
