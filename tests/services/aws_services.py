"""Services for tests of stores and catalogs, each started for the run from packages of the Python environment.

moto stands for S3, Glue and DynamoDB. Where it is not installed, these tests are skipped. They never leave the machine.
"""
import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
import uuid

import pytest
from conftest import open_session

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="session")
def aws(tmp_path_factory):
    """The endpoint of S3, Glue and DynamoDB, with a bucket `lake`."""
    for module in ("moto", "flask", "flask_cors", "boto3"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no service to test against: the Python package {module} is not installed (make setup)")
    url = f"http://127.0.0.1:{free_port()}"
    log = tmp_path_factory.mktemp("moto") / "log"
    with open(log, "w") as out:
        process = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", url.rpartition(":")[2]],
                                   stdout=out, stderr=subprocess.STDOUT, env=os.environ | KEYS)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/moto-api/", timeout=2)
                break
            except OSError:
                assert process.poll() is None, log.read_text()[-2000:]
                time.sleep(0.1)
        client(url, "s3").create_bucket(Bucket="lake")
        yield url
    finally:
        process.terminate()
        process.wait()


def client(url, service):
    """A client of the service itself, past the server under test."""
    import boto3
    from botocore.config import Config

    return boto3.client(service, endpoint_url=url, aws_access_key_id="test", aws_secret_access_key="test",
                        region_name="us-east-1", config=Config(s3={"addressing_style": "path"}))


def s3a(url):
    """The settings of a session for paths of S3."""
    prefix = "spark.hadoop.fs.s3a"
    return {f"{prefix}.endpoint": url, f"{prefix}.access.key": "test", f"{prefix}.secret.key": "test",
            f"{prefix}.path.style.access": "true"}


@pytest.fixture(scope="module")
def s3_session(remote, aws):
    session = open_session(remote, s3a(aws) | {
        "spark.sql.catalog.h": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.h.type": "hadoop",
        "spark.sql.catalog.h.warehouse": f"s3a://lake/{uuid.uuid4().hex[:8]}",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"})
    yield session
    session.stop()


@pytest.fixture
def folder():
    """A folder of the bucket that nobody else has."""
    return f"s3a://lake/{uuid.uuid4().hex[:8]}"
