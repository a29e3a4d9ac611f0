"""What a restart of the server keeps: tables of the built-in catalog and of hadoop catalogs."""
import pytest
from conftest import iceberg_catalog, open_session

from frazil.spark import SparkConnectServer

pytestmark = pytest.mark.ours


def test_tables_survive(tmp_path):
    warehouse, lake = tmp_path / "warehouse", tmp_path / "lake"
    lake.mkdir()
    with SparkConnectServer(warehouse=warehouse) as server:
        spark = open_session(server.remote_url, iceberg_catalog("ice", lake))
        spark.sql("CREATE NAMESPACE ice.db")
        spark.sql("CREATE TABLE ice.db.t (a INT) USING iceberg")
        spark.sql("INSERT INTO ice.db.t VALUES (1), (2)")
        spark.range(3).write.saveAsTable("plain")
        spark.sql("CREATE TABLE managed (a STRING) USING iceberg")
        spark.sql("INSERT INTO managed VALUES ('x')")
        spark.stop()  # before its server: a client that closes later would wait for it for minutes
    with SparkConnectServer(warehouse=warehouse) as server:
        spark = open_session(server.remote_url, iceberg_catalog("ice", lake))
        assert sorted(r.a for r in spark.table("ice.db.t").collect()) == [1, 2]
        assert spark.table("plain").count() == 3
        assert spark.table("managed").first().a == "x"
        assert {r.tableName for r in spark.sql("SHOW TABLES IN spark_catalog.default").collect()} == {"plain", "managed"}
        spark.stop()
