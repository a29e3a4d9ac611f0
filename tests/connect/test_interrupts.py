"""Cancel: whatever a session does ends soon after it was interrupted, and nothing of it stays."""
import threading
import time

import pytest
from pyspark.sql import functions as F

pytestmark = pytest.mark.ours

# 200 ms on an idle machine; tests run beside other things.
SOON_SECONDS = 2

# (what runs, how long to let it run before the interrupt)
STATEMENTS = {
    "cross join": ("SELECT count(*) FROM range(400000) a CROSS JOIN range(400000) b WHERE (a.id * b.id) % 7 = 3", 0.5),
    "hash join": ("SELECT count(*), max(b.s) FROM (SELECT cast(id AS string) s FROM range(20000000)) a "
                  "JOIN (SELECT cast(id AS string) s FROM range(20000000)) b ON a.s = b.s", 2),
    "sort": ("SELECT max(r) FROM (SELECT id, rand() r FROM range(50000000) ORDER BY r LIMIT 40000000)", 1),
    "aggregate": ("SELECT count(DISTINCT id), count(DISTINCT id * 2) FROM range(50000000)", 1.5),
    "window": ("SELECT max(r) FROM (SELECT sum(id) OVER (PARTITION BY id % 10 ORDER BY id) r FROM range(30000000))", 1),
    "rows": ("SELECT id, cast(id AS string) FROM range(300000000)", 1),
    "one long list": ("SELECT size(transform(sequence(1, 250000000), x -> x * 2 + 1))", 1),
    "one long reduction": ("SELECT aggregate(sequence(1, 50000000), 0L, (a, x) -> a + x)", 1),
    "insert": ("INSERT INTO {table} SELECT id, cast(id AS string) FROM range(300000000)", 1),
    "create table": ("CREATE TABLE {table}_new AS SELECT id, cast(id AS string) s FROM range(300000000)", 1),
    "merge": ("MERGE INTO {table} t USING (SELECT id FROM range(50000000)) s ON t.id = s.id "
              "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'new')", 1),
}


def interrupted(work, interrupt, delay):
    """Runs `work` in a thread and interrupts it after `delay`: (seconds it took to end from then, its error)."""
    outcome = {}

    def run():
        try:
            outcome["result"] = work()
        except Exception as error:
            outcome["error"] = error
        outcome["ended"] = time.monotonic()

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(delay)
    assert thread.is_alive(), f"ended by itself: {outcome}"
    began = time.monotonic()
    assert len(interrupt()) == 1
    thread.join(60)
    assert not thread.is_alive()
    return outcome["ended"] - began, outcome.get("error")


@pytest.fixture
def table(spark, namespace):
    name = f"{namespace}.t"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, s STRING) USING iceberg")
    spark.sql(f"INSERT INTO {name} VALUES (-1, 'kept')")
    return name


@pytest.mark.parametrize("kind", STATEMENTS)
def test_a_statement_ends_soon(spark, table, namespace, kind):
    text, delay = STATEMENTS[kind]

    def work():
        spark.addTag("stop me")
        return spark.sql(text.format(table=table)).toArrow()

    seconds, error = interrupted(work, lambda: spark.interruptTag("stop me"), delay)
    assert "OPERATION_CANCELED" in str(error)
    assert seconds < SOON_SECONDS
    assert [row.id for row in spark.table(table).collect()] == [-1]
    assert [row.tableName for row in spark.sql(f"SHOW TABLES IN {namespace}").collect()] == ["t"]


def test_an_operation_by_its_id(spark):
    """The id is what the client's progress handler and log tell."""
    ids = []
    spark.registerProgressHandler(lambda stages, inflight_tasks, operation_id, done: ids.append(operation_id))
    try:
        seconds, error = interrupted(lambda: spark.sql(STATEMENTS["cross join"][0]).collect(),
                                     lambda: spark.interruptOperation(ids[-1]), 1)
    finally:
        spark.clearProgressHandlers()
    assert "OPERATION_CANCELED" in str(error) and seconds < SOON_SECONDS
    assert spark.interruptOperation(ids[-1]) == []


def test_schema_inference(spark, tmp_path):
    """An analysis has no tag and no id: it ends with all operations of its session."""
    line = "".join(f"{i},2020-01-01 00:00:{i % 60:02d},text {i}\n" for i in range(10_000))
    (tmp_path / "large.csv").write_text("a,b,c\n" + line * 100)
    read = spark.read.option("header", True).option("inferSchema", True)
    seconds, error = interrupted(lambda: read.csv(str(tmp_path)).schema, spark.interruptAll, 0.3)
    assert "OPERATION_CANCELED" in str(error) and seconds < SOON_SECONDS


def test_other_statements_go_on(spark):
    kept = {}
    other = threading.Thread(target=lambda: kept.update(n=spark.sql(
        "SELECT count(*) FROM range(10000) a CROSS JOIN range(10000) b WHERE (a.id * b.id) % 7 = 3").first()[0]))
    other.start()

    def work():
        spark.addTag("only this")
        return spark.sql(STATEMENTS["cross join"][0]).collect()

    seconds, _ = interrupted(work, lambda: spark.interruptTag("only this"), 0.3)
    other.join(60)
    assert seconds < SOON_SECONDS and kept["n"] > 0


def test_lists_and_texts_that_do_not_fit_are_refused(tmp_path):
    from frazil.spark import SparkConnectServer
    from conftest import open_session

    conf = {"spark.driver.memory": "1g"}
    with SparkConnectServer(warehouse=tmp_path, conf=conf) as server:
        spark = open_session(server.remote_url)
        try:
            for text in ("SELECT size(transform(sequence(1, 300000000), x -> x + 1))", "SELECT sequence(1L, 900000000L)",
                         "SELECT size(array_repeat('x', 400000000))", "SELECT size(filter(sequence(1, 250000000), x -> x > 1))"):
                with pytest.raises(Exception, match="UNABLE_TO_ACQUIRE_MEMORY"):
                    spark.sql(text).collect()
            for text in ("SELECT length(repeat('x', 2000000000))", "SELECT length(lpad('x', 1500000000, 'yz'))",
                         "SELECT length(rpad('x', 1500000000))", "SELECT length(space(1500000000))",
                         "SELECT length(replace(repeat('a', 1000000), 'a', repeat('b', 1000000)))",
                         "SELECT sum(length(repeat(CAST(id AS STRING), 10000000))) FROM range(1000)"):
                with pytest.raises(Exception, match="UNABLE_TO_ACQUIRE_MEMORY"):
                    spark.sql(text).collect()
            assert spark.sql("SELECT length(repeat('x', 100000000))").first()[0] == 100_000_000
            with pytest.raises(Exception, match="COLLECTION_SIZE_LIMIT_EXCEEDED"):
                spark.sql("SELECT size(sequence(1L, 3000000000L))").collect()
            assert spark.sql("SELECT size(transform(sequence(1, 1000000), x -> x + 1))").first()[0] == 1_000_000
            with open(f"/proc/{server.pid}/status", encoding="ascii") as status:
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
            assert peak < 1.5 * 1024 * 1024, f"{peak} KiB"
        finally:
            spark.stop()
