"""Writers at once: nothing is lost, a reader sees whole commits."""
import threading

import pytest
from conftest import iceberg_catalog, open_session


@pytest.mark.ours  # Spark shows a session its cached table
def test_appends_of_many_sessions_lose_nothing(remote, spark, lake, namespace):
    table, failures = f"{namespace}.appends", []
    spark.sql(f"CREATE TABLE {table} (writer INT, n INT) USING iceberg "
              "TBLPROPERTIES ('commit.retry.num-retries' = '50', 'commit.retry.min-wait-ms' = '5')")

    def write(writer):
        session = open_session(remote, iceberg_catalog("ice", lake[1]))
        try:
            for n in range(5):
                session.sql(f"INSERT INTO {table} VALUES ({writer}, {n})")
        except Exception as error:  # shown below
            failures.append(error)
        finally:
            session.stop()

    threads = [threading.Thread(target=write, args=(w,)) for w in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    found = sorted((r.writer, r.n) for r in spark.table(table).collect())
    assert found == [(w, n) for w in range(6) for n in range(5)]
    assert spark.table(f"{table}.snapshots").count() == 30


@pytest.mark.ours
def test_a_session_sees_what_another_has_just_committed(new_session, lake, namespace):
    first, second = (new_session(iceberg_catalog("ice", lake[1])) for _ in range(2))
    first.sql(f"CREATE TABLE {namespace}.t (a INT) USING iceberg")
    for n in range(1, 4):
        first.sql(f"INSERT INTO {namespace}.t VALUES ({n})")
        assert second.table(f"{namespace}.t").count() == n
