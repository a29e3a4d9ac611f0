"""Files, and tables of a catalog, on Google Cloud Storage and Azure, by their emulators.

They run where the emulators are on the path: `gcp-storage-emulator` (PyPI) and `azurite-blob` (npm's azurite).
"""
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
import uuid

import pytest
from aws_services import free_port
from conftest import open_session
from pyarrow.fs import AzureFileSystem
from pyspark.errors import PySparkException

# The account that every Azurite has, with its published key.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def start(command, port, log):
    """A running emulator, once it answers."""
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=os.environ | {"TMPDIR": str(log.parent)})
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2)
            break
        except urllib.error.HTTPError:
            break
        except OSError:
            assert process.poll() is None, log.read_text()[-2000:]
            time.sleep(0.1)
    return process


def google(port, log):
    program = shutil.which("gcp-storage-emulator") or pytest.skip("the emulator gcp-storage-emulator is not installed")
    process = start([program, "start", "--host=127.0.0.1", f"--port={port}", "--in-memory", "--default-bucket=lake"], port, log)
    return process, "gs://lake", {"gcs.no-auth": "true", "gcs.service.host": f"http://127.0.0.1:{port}", "gcs.project-id": "p"}


def azure(port, log):
    program = shutil.which("azurite-blob") or pytest.skip("the emulator azurite-blob is not installed")
    process = start([program, "--silent", "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort", str(port),
                     "--location", str(log.parent)], port, log)
    AzureFileSystem(ACCOUNT, account_key=KEY, blob_storage_scheme="http", dfs_storage_scheme="http",
                    blob_storage_authority=f"127.0.0.1:{port}", dfs_storage_authority=f"127.0.0.1:{port}").create_dir("lake")
    host = f"{ACCOUNT}.dfs.core.windows.net"
    return process, f"abfss://lake@{host}", {f"spark.hadoop.fs.azure.account.key.{host}": KEY,
                                             f"adls.connection-string.{ACCOUNT}": f"http://127.0.0.1:{port}/{ACCOUNT}"}


@pytest.fixture(scope="module", params=[google, azure])
def cloud(request, tmp_path_factory):
    """(root of a bucket or container, settings that lead there)."""
    process, root, settings = request.param(free_port(), tmp_path_factory.mktemp("cloud") / "log")
    yield root, settings
    process.terminate()
    process.wait()


@pytest.fixture
def session(cloud, remote, tmp_path):
    prefix = "spark.sql.catalog.j"
    made = open_session(remote, cloud[1] | {
        prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "jdbc", f"{prefix}.uri": f"jdbc:sqlite:{tmp_path}/c.db",
        f"{prefix}.warehouse": f"{cloud[0]}/{uuid.uuid4().hex[:8]}"})
    yield made
    made.stop()


@pytest.fixture
def folder(cloud):
    return f"{cloud[0]}/{uuid.uuid4().hex[:8]}"


@pytest.mark.parametrize("kind, options", [("parquet", {}), ("csv", {"header": True, "inferSchema": True}), ("json", {})])
def test_files(session, folder, kind, options):
    frame = session.range(100).selectExpr("id", "id % 3 AS k", "concat('a b+%', id) AS v")
    frame.write.format(kind).options(**options).partitionBy("k").save(folder)
    read = session.read.format(kind).options(**options).load(folder)
    assert sorted(map(tuple, read.select("id", "k", "v").collect())) == [(i, i % 3, f"a b+%{i}") for i in range(100)]
    frame.limit(1).write.format(kind).options(**options).mode("overwrite").save(folder)
    assert session.read.format(kind).options(**options).load(folder).count() == 1


def test_names_that_need_encoding(session, folder):
    session.range(3).write.parquet(f"{folder}/a b/c+d=e%20/ü")
    assert session.read.parquet(f"{folder}/a b/*/ü").count() == 3


def test_an_iceberg_table_of_a_catalog(session):
    session.sql("CREATE NAMESPACE j.db")
    session.sql("CREATE TABLE j.db.t (id BIGINT, v STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
    session.sql("INSERT INTO j.db.t SELECT id, 'a' FROM range(10)")
    session.sql("UPDATE j.db.t SET v = 'b' WHERE id = 3")
    session.sql("ALTER TABLE j.db.t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    session.sql("DELETE FROM j.db.t WHERE id > 7")
    assert sorted(map(tuple, session.table("j.db.t").collect())) == [(i, "b" if i == 3 else "a") for i in range(8)]
    assert session.table("j.db.t.snapshots").count() == 3
    session.sql("DROP TABLE j.db.t PURGE")


def test_a_delta_table_is_refused_for_the_missing_conditional_write(session, folder):
    with pytest.raises(PySparkException, match="use a catalog that keeps the tables' pointers"):
        session.range(10).write.format("delta").save(folder)


def test_what_is_not_there(session, folder):
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        session.read.parquet(folder).count()


def test_a_wrong_key_is_named_and_not_shown(cloud, remote, folder):
    if cloud[0].startswith("gs:"):
        pytest.skip("the emulator takes every credential")
    wrong = "d3Jvbmc="
    session = open_session(remote, cloud[1] | {key: wrong for key in cloud[1] if ".account.key." in key})
    with pytest.raises(PySparkException, match=r"account key of setting spark\.hadoop\.fs\.azure\.account\.key") as error:
        session.read.parquet(folder).count()
    assert wrong not in str(error.value)
    session.stop()
