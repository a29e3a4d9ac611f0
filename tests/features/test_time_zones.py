"""Sessions in other time zones than UTC: literals, text, files, partitions and time travel.

What is expected comes from Python's zoneinfo, not from the server.
"""
import datetime
import time
from zoneinfo import ZoneInfo

import pytest
from conftest import iceberg_catalog, open_session

UTC = datetime.timezone.utc
# Local times on both sides of summer time and of years' ends; 2018-11-04 00:30 does not exist in Sao Paulo,
# 2024-10-27 02:30 exists twice in Berlin (Spark takes the earlier), Apia had no 2011-12-30.
LOCAL_TIMES = ["2024-01-01 00:00:00", "2024-07-01 23:59:59.123456", "2018-11-04 00:30:00", "2024-10-27 02:30:00",
               "2011-12-29 12:00:00", "1969-12-31 23:59:59.5", "2024-03-31 02:30:00"]


@pytest.fixture(scope="module", params=["America/Sao_Paulo", "Asia/Kolkata", "Europe/Berlin", "Pacific/Apia"])
def zoned(request, remote, tmp_path_factory):
    """(session, zone): a session of that zone with an Iceberg catalog `ice`."""
    folder = tmp_path_factory.mktemp("lake")
    session = open_session(remote, iceberg_catalog("ice", folder) | {"spark.sql.session.timeZone": request.param})
    session.sql("CREATE NAMESPACE ice.db")
    yield session, ZoneInfo(request.param)
    session.stop()


def instant(value):
    """A collected timestamp as an instant: the client gives it in the zone of this process, UTC."""
    return value.replace(tzinfo=UTC)


def instant_of(text, zone):
    """The instant of a local time as java.time has it: the earlier of two; in a gap, later by the gap's length."""
    local = datetime.datetime.fromisoformat(text).replace(tzinfo=zone, fold=0)
    return local.astimezone(UTC)


@pytest.mark.parametrize("text", LOCAL_TIMES)
def test_literals_casts_and_fields(zoned, text):
    spark, zone = zoned
    expected = instant_of(text, zone)
    local = expected.astimezone(zone)
    row = spark.sql(f"SELECT TIMESTAMP'{text}' AS literal, CAST('{text}' AS TIMESTAMP) AS cast, "
                    f"CAST(TIMESTAMP'{text}' AS DATE) AS day, hour(TIMESTAMP'{text}') AS hour, "
                    f"date_format(TIMESTAMP'{text}', 'yyyy-MM-dd HH:mm:ss.SSSSSS') AS formatted, "
                    f"to_utc_timestamp(TIMESTAMP_NTZ'{text}', '{zone.key}') = TIMESTAMP'{text}' AS kind, "
                    f"unix_micros(TIMESTAMP'{text}') AS micros, "
                    f"date_trunc('DAY', TIMESTAMP'{text}') AS midnight").first()
    assert instant(row.literal) == expected and instant(row.cast) == expected
    assert row.day == local.date() and row.hour == local.hour
    assert row.formatted == local.strftime("%Y-%m-%d %H:%M:%S.%f")
    assert row.micros == round((expected - datetime.datetime(1970, 1, 1, tzinfo=UTC)) / datetime.timedelta(microseconds=1))
    assert instant(row.midnight) == instant_of(local.strftime("%Y-%m-%d 00:00:00"), zone)


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_files_keep_instants(zoned, tmp_path, format):
    spark, zone = zoned
    texts = [text for text in LOCAL_TIMES if not text.startswith("2024-10-27")]  # Text of that hour names two instants.
    values = ", ".join(f"({k}, TIMESTAMP'{text}')" for k, text in enumerate(texts))
    frame = spark.sql(f"SELECT * FROM VALUES {values} AS t(k, ts)")
    frame.write.format(format).option("timestampFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS").save(str(tmp_path / "files"))
    read = spark.read.schema("k INT, ts TIMESTAMP").option("timestampFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS")
    rows = read.format(format).load(str(tmp_path / "files")).orderBy("k").collect()
    assert [instant(row.ts) for row in rows] == [instant_of(text, zone) for text in texts]
    if format == "parquet":  # Not text: the same instants whatever the zone of who reads.
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        try:
            again = spark.read.parquet(str(tmp_path / "files")).orderBy("k").collect()
        finally:
            spark.conf.set("spark.sql.session.timeZone", zone.key)
        assert [row.ts for row in again] == [row.ts for row in rows]


def test_partitions_are_by_utc_and_filters_by_the_session(zoned):
    spark, zone = zoned
    spark.sql("CREATE OR REPLACE TABLE ice.db.days (k INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    hours = [f"2024-05-{day:02d} {hour:02d}:15:00" for day in (1, 2, 3) for hour in range(0, 24, 3)]
    values = ", ".join(f"({k}, TIMESTAMP'{text}')" for k, text in enumerate(hours))
    spark.sql(f"INSERT INTO ice.db.days VALUES {values}")
    for day in (1, 2, 3):
        wanted = [k for k, text in enumerate(hours) if text.startswith(f"2024-05-{day:02d}")]
        rows = spark.sql(f"SELECT k FROM ice.db.days WHERE CAST(ts AS DATE) = DATE'2024-05-{day:02d}' ORDER BY k")
        assert [row.k for row in rows.collect()] == wanted
        rows = spark.sql(f"SELECT k FROM ice.db.days WHERE ts >= '2024-05-{day:02d}' AND "
                         f"ts < TIMESTAMP'2024-05-{day:02d}' + INTERVAL 1 DAY ORDER BY k")
        assert [row.k for row in rows.collect()] == wanted
    partitions = {row.ts_day for row in spark.sql("SELECT partition.ts_day FROM ice.db.days.partitions").collect()}
    assert partitions == {instant_of(text, zone).date() for text in hours}
    spark.sql("DELETE FROM ice.db.days WHERE ts < TIMESTAMP'2024-05-02 00:00:00'")
    left = [row.k for row in spark.sql("SELECT k FROM ice.db.days ORDER BY k").collect()]
    assert left == [k for k, text in enumerate(hours) if text >= "2024-05-02"]


def test_time_travel_by_local_times(zoned):
    spark, zone = zoned
    spark.sql("CREATE OR REPLACE TABLE ice.db.travel (k INT) USING iceberg")
    between = []
    for k in range(3):
        spark.sql(f"INSERT INTO ice.db.travel VALUES ({k})")
        time.sleep(0.02)
        between.append(datetime.datetime.now(UTC))
        time.sleep(0.02)
    for k, moment in enumerate(between):
        local = moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S.%f")
        milliseconds = int(moment.timestamp() * 1000)
        queries = [f"SELECT k FROM ice.db.travel TIMESTAMP AS OF '{local}'",
                   f"SELECT k FROM ice.db.travel FOR SYSTEM_TIME AS OF TIMESTAMP'{local}'",
                   f"SELECT k FROM ice.db.travel TIMESTAMP AS OF TIMESTAMP'{local}' + INTERVAL 1 HOUR - INTERVAL 1 HOUR"]
        for query in queries:
            assert sorted(row.k for row in spark.sql(query).collect()) == list(range(k + 1)), query
        frame = spark.read.option("as-of-timestamp", str(milliseconds)).table("ice.db.travel")
        assert sorted(row.k for row in frame.collect()) == list(range(k + 1))
    with pytest.raises(Exception, match="Cannot find a snapshot older than"):
        spark.sql("SELECT k FROM ice.db.travel TIMESTAMP AS OF '2001-01-01 00:00:00'").collect()
    shown = spark.sql("SELECT committed_at, date_format(committed_at, 'yyyy-MM-dd HH:mm:ss.SSSSSS') AS text "
                      "FROM ice.db.travel.snapshots").collect()
    for row in shown:
        assert row.text == instant(row.committed_at).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S.%f")
