"""Files behind HTTP, read by their URLs."""
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException


@pytest.fixture
def site(tmp_path):
    """Python's own server, which gives no ranges."""
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_files_are_read(spark, site, tmp_path):
    pq.write_table(pa.table({"id": list(range(1000)), "v": [str(i) for i in range(1000)]}), tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("id,v\n1,x\n2,y\n")
    (tmp_path / "c.json").write_text('{"id": 1}\n')
    assert spark.read.parquet(f"{site}/a.parquet").where("id > 990").count() == 9
    assert spark.sql(f"SELECT sum(id) FROM parquet.`{site}/a.parquet`").first()[0] == 499500
    assert [tuple(r) for r in spark.read.csv(f"{site}/b.csv", header=True, inferSchema=True).collect()] == [(1, "x"), (2, "y")]
    assert spark.read.json(f"{site}/c.json").first()["id"] == 1
    assert spark.read.text(f"{site}/b.csv").count() == 3


def test_what_is_not_there_or_not_done_is_said(spark, site):
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"):
        spark.read.parquet(f"{site}/none.parquet").collect()
    with pytest.raises(PySparkException, match="UNSUPPORTED_FEATURE"):
        spark.range(1).write.mode("append").parquet(f"{site}/new")
