"""How many requests a query makes of S3, counted by a proxy that fails nothing."""
import uuid

from aws_services import aws, s3a  # noqa: F401
from conftest import open_session
from faulty_proxy import FaultyProxy


def test_a_selective_query_reads_what_it_needs(remote, aws):  # noqa: F811
    with FaultyProxy(aws, share=0) as proxy:
        session = open_session(remote, s3a(proxy.url) | {
            "spark.sql.catalog.h": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.h.type": "hadoop",
            "spark.sql.catalog.h.warehouse": f"s3a://lake/{uuid.uuid4().hex[:8]}"})
        session.sql("CREATE TABLE h.db.t (id BIGINT, p BIGINT, v STRING) USING iceberg PARTITIONED BY (p)")
        session.sql("INSERT INTO h.db.t SELECT id, id % 10, CAST(id AS STRING) FROM range(1000)")

        def requests(query):
            proxy.log.clear()
            found = session.sql(query).collect()
            listed = [(method, path.split("?")[0].rpartition("/")[2] or path, part) for method, path, part in proxy.log]
            print(f"\n{query}: {len(listed)} requests", *listed, sep="\n  ")
            return found, listed

        query = "SELECT count(v), max(id) FROM h.db.t WHERE p = 3"
        (row,), cold = requests(query)
        assert tuple(row) == (100, 993)
        data = {name for _, name, _ in cold if name.endswith(".parquet")}
        assert len(data) == 1, cold
        (row,), warm = requests(query)
        assert tuple(row) == (100, 993)
        # The newest state is asked for; of the metadata nothing is read again, of the files one at most.
        assert {name for _, name, _ in warm if name.endswith(".parquet")} <= data, warm
        assert [name for _, name, _ in warm if name.endswith(".avro")] == [], warm
        # Three loads of the table (the statement, its schema, its rows), each of six requests: the hint, the version that
        # it names, no later one under three names, the metadata.
        assert len(warm) <= 18, warm
        (row,), counted = requests("SELECT count(*) FROM h.db.t")
        assert row[0] == 1000 and not [name for _, name, _ in counted if name.endswith(".parquet")], counted
        session.stop()
