"""What all product tests share: a server, sessions on it, warehouses.

The server is the one built in this checkout (FRAZIL_BINARY names another); FRAZIL_TEST_REMOTE=sc://host:port takes a
running server instead, for example the real Spark: tests that say something of ours alone are then left out.
"""
import logging
import os
import sys
import time
import uuid
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "tools"))

# Python's own datetimes are local: client and sessions agree on UTC.
os.environ["TZ"] = "UTC"
time.tzset()
# The client logs each error that it raises.
logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)

from frazil.spark import SparkConnectServer  # noqa: E402

# A session that is garbage-collected closes itself in the middle of another one's call; all are kept to the end.
KEPT_SESSIONS = []


def pytest_addoption(parser):
    parser.addoption("--wheel", help="folder with a built wheel: runs the tests of tests/wheel on it (`make wheel`)")


def pytest_configure(config):
    config.addinivalue_line("markers", "ours: holds for this server alone, not for Spark")


def pytest_ignore_collect(collection_path, config):
    return True if collection_path.name == "wheel" and not config.getoption("--wheel") else None


def pytest_collection_finish(session):
    # Columns that a test file makes while it is imported, without a session, would settle for the whole run that calls
    # are not told by their place in the code.
    from pyspark.errors import utils

    if hasattr(utils, "_enable_debugging_cache"):
        utils._enable_debugging_cache = None


def pytest_collection_modifyitems(config, items):
    if os.environ.get("FRAZIL_TEST_REMOTE"):
        dropped = [item for item in items if item.get_closest_marker("ours")]
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if not item.get_closest_marker("ours")]


@pytest.fixture(scope="session")
def server_warehouse(tmp_path_factory):
    """The folder of the built-in catalog of the server under test."""
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def server(server_warehouse):
    """The server under test: a started SparkConnectServer."""
    with SparkConnectServer(warehouse=server_warehouse) as started:
        yield started


@pytest.fixture(scope="session")
def remote(request):
    """What SparkSession.builder.remote() takes."""
    return os.environ.get("FRAZIL_TEST_REMOTE") or request.getfixturevalue("server").remote_url


def open_session(remote, conf=None):
    """A new session; its time zone is UTC unless `conf` says otherwise."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(remote)
    for key, value in ({"spark.sql.session.timeZone": "UTC"} | (conf or {})).items():
        builder = builder.config(key, value)
    session = builder.create()
    KEPT_SESSIONS.append(session)
    return session


def iceberg_catalog(name, warehouse):
    """The settings that declare an Iceberg catalog over a folder."""
    prefix = f"spark.sql.catalog.{name}"
    return {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "hadoop",
            f"{prefix}.warehouse": str(warehouse)}


@pytest.fixture
def new_session(remote):
    """Makes sessions: new_session(conf) -> SparkSession; they are closed after the test."""
    made = []

    def make(conf=None):
        made.append(open_session(remote, conf))
        return made[-1]

    yield make
    for session in made:
        session.stop()


@pytest.fixture(scope="module")
def lake(remote, tmp_path_factory):
    """(session, folder): a session with an Iceberg catalog `ice` over an empty folder, one for a test file."""
    folder = tmp_path_factory.mktemp("lake")
    session = open_session(remote, iceberg_catalog("ice", folder))
    yield session, folder
    session.stop()


@pytest.fixture
def spark(lake):
    """The test file's session."""
    return lake[0]


@pytest.fixture
def namespace(spark):
    """An empty namespace of the catalog `ice`: its full name."""
    name = f"ice.n{uuid.uuid4().hex[:8]}"
    spark.sql(f"CREATE NAMESPACE {name}")
    return name


def pytest_unconfigure(config):
    """The servers have gone by now: a client's own clean-up at exit would wait for its server for minutes."""
    import atexit
    import gc

    from pyspark.sql.connect.client.core import SparkConnectClient

    for client in gc.get_objects():
        # The client of Spark 4.0 has no such clean-up.
        if isinstance(client, SparkConnectClient) and hasattr(client, "_cleanup_ml_cache"):
            atexit.unregister(client._cleanup_ml_cache)
