"""The 336,776 flights that left New York in 2013, through an Iceberg lakehouse: Bronze, Silver, Gold, and corrections.

    SPARK_REMOTE=sc://localhost:15002 python flights_2013.py DATA_FOLDER WAREHOUSE_FOLDER

An ordinary PySpark script: it runs unchanged on any Spark Connect server with Iceberg. DATA_FOLDER holds flights.csv,
airlines.csv, airports.csv, planes.csv and weather.csv; the tables go to WAREHOUSE_FOLDER.
"""
import datetime
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

FLIGHTS = 336_776

FLIGHTS_SCHEMA = """
    year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT, sched_arr_time INT,
    arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING, air_time INT, distance INT,
    hour INT, minute INT, time_hour TIMESTAMP"""


def heading(text):
    print(f"\n== {text}", flush=True)


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, expected {expected!r}")


def open_session(warehouse):
    return (
        SparkSession.builder.appName("flights 2013")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
        .config("spark.sql.catalog.lake.type", "hadoop")
        .config("spark.sql.catalog.lake.warehouse", warehouse)
        .getOrCreate()
    )


def read_csv(spark, folder, name, schema=None):
    reader = spark.read.option("header", True).option("nullValue", "NA")
    reader = reader.schema(schema) if schema else reader.option("inferSchema", True)
    return reader.csv(f"{folder}/{name}.csv")


def bronze(spark, folder):
    """The raw data, as it came, partitioned by month."""
    heading("Bronze: raw CSV into an Iceberg table, one partition a month")
    flights = read_csv(spark, folder, "flights", FLIGHTS_SCHEMA)
    flights.writeTo("lake.bronze.flights").using("iceberg").partitionedBy(F.col("month")).createOrReplace()
    for name in ("airlines", "airports", "planes", "weather"):
        read_csv(spark, folder, name).writeTo(f"lake.bronze.{name}").using("iceberg").createOrReplace()
    check("flights loaded", spark.table("lake.bronze.flights").count(), FLIGHTS)
    counts = [(name, spark.table(f"lake.bronze.{name}").count())
              for name in ("flights", "airlines", "airports", "planes", "weather")]
    spark.createDataFrame(counts, "table STRING, rows BIGINT").show()
    spark.sql("""
        SELECT partition.month AS month, count(*) AS files, sum(record_count) AS rows, sum(file_size_in_bytes) AS bytes
        FROM lake.bronze.flights.files GROUP BY 1 ORDER BY 1""").show()


def silver(spark):
    """Cleaned: cancelled flights are marked, names are joined, the weather at departure is added."""
    heading("Silver: cleaned and joined")
    spark.sql("""
        CREATE OR REPLACE TABLE lake.silver.flights USING iceberg PARTITIONED BY (month) AS
        SELECT f.month, make_date(f.year, f.month, f.day) AS day, f.carrier, a.name AS airline, f.flight, f.tailnum,
               f.origin, f.dest, d.name AS destination, p.manufacturer, 2013 - p.year AS plane_age,
               f.dep_time IS NULL AS cancelled, f.dep_delay, f.arr_delay, f.air_time, f.distance,
               w.wind_speed, w.precip, f.time_hour
        FROM lake.bronze.flights f
        JOIN lake.bronze.airlines a ON a.carrier = f.carrier
        LEFT JOIN lake.bronze.airports d ON d.faa = f.dest
        LEFT JOIN lake.bronze.planes p ON p.tailnum = f.tailnum
        LEFT JOIN lake.bronze.weather w ON w.origin = f.origin AND w.time_hour = f.time_hour""")
    table = spark.table("lake.silver.flights")
    check("rows in silver", table.count(), FLIGHTS)
    (table.groupBy("airline")
     .agg(F.count("*").alias("flights"), F.sum(F.col("cancelled").cast("int")).alias("cancelled"),
          F.round(F.avg("dep_delay"), 1).alias("mean_delay"), F.round(F.avg("plane_age"), 1).alias("plane_age"))
     .orderBy(F.col("flights").desc()).show(20))


def gold(spark):
    """Daily figures for each carrier and airport."""
    heading("Gold: daily figures per carrier and airport")
    (spark.table("lake.silver.flights")
     .groupBy("day", "carrier", "origin")
     .agg(F.count("*").alias("flights"), F.count_if("cancelled").alias("cancelled"),
          F.avg("dep_delay").alias("mean_delay"), F.max("dep_delay").alias("worst_delay"))
     .writeTo("lake.gold.daily").using("iceberg").partitionedBy(F.partitioning.months("day")).createOrReplace())
    spark.sql("""
        SELECT day, carrier, origin, flights, cancelled, round(mean_delay, 1) AS mean_delay,
               rank() OVER (ORDER BY mean_delay DESC) AS place
        FROM lake.gold.daily WHERE flights >= 20 ORDER BY place LIMIT 8""").show()


def corrections(spark):
    """What comes in late: a recoded carrier, flights that never were, measured delays."""
    heading("Corrections: UPDATE, DELETE, MERGE")
    silver_table = "lake.silver.flights"
    skywest = spark.table(silver_table).where("carrier = 'OO'").count()
    spark.sql(f"UPDATE {silver_table} SET carrier = 'DL', airline = 'Delta Air Lines Inc.' WHERE carrier = 'OO'")

    ghosts = "dest = 'LGA' OR (cancelled AND tailnum IS NULL AND month = 2)"
    ghost_rows = spark.table(silver_table).where(ghosts).count()
    spark.sql(f"DELETE FROM {silver_table} WHERE {ghosts}")

    late = (spark.table("lake.bronze.flights")
            .where("month = 12 AND dep_delay > 300 AND dest <> 'LGA'")
            .select(F.make_date("year", "month", "day").alias("day"), "carrier", "flight", "origin",
                    (F.col("dep_delay") - 10).alias("dep_delay")))
    news = [tuple(row) for row in late.collect()]
    added = [(datetime.date(2013, 12, 31), "XX", number, "JFK", 0) for number in (9001, 9002)]
    schema = "day DATE, carrier STRING, flight INT, origin STRING, dep_delay INT"
    spark.createDataFrame(news + added, schema).createOrReplaceTempView("late_news")
    spark.sql(f"""
        MERGE INTO {silver_table} t USING late_news s
        ON t.day = s.day AND t.carrier = s.carrier AND t.flight = s.flight AND t.origin = s.origin
        WHEN MATCHED THEN UPDATE SET dep_delay = s.dep_delay
        WHEN NOT MATCHED THEN INSERT (month, day, carrier, airline, flight, origin, cancelled, dep_delay)
          VALUES (12, s.day, s.carrier, 'Charter', s.flight, s.origin, false, s.dep_delay)""")
    spark.createDataFrame(
        [("UPDATE: carrier recoded", skywest), ("DELETE: never flown", ghost_rows), ("MERGE: delays corrected", len(news)),
         ("MERGE: flights added", len(added))], "change STRING, rows BIGINT").show(truncate=False)
    expected = FLIGHTS - ghost_rows + len(added)
    check("rows after the corrections", spark.table(silver_table).count(), expected)
    return expected


def history(spark):
    """Every version is still there."""
    heading("All snapshots")
    snapshots = spark.sql("""
        SELECT row_number() OVER (ORDER BY committed_at) AS version, snapshot_id, operation,
               summary['added-records'] AS added, summary['deleted-records'] AS deleted, summary['total-records'] AS total
        FROM lake.silver.flights.snapshots ORDER BY committed_at""")
    snapshots.show(truncate=False)
    found = snapshots.collect()
    check("snapshots after the load", [row.operation for row in found[1:]], ["overwrite"] * 3)

    heading("The first version beside the present one")
    first = found[0].snapshot_id
    spark.sql(f"""
        SELECT coalesce(a.carrier, b.carrier) AS carrier, a.flights AS at_first, b.flights AS now,
               coalesce(b.flights, 0) - coalesce(a.flights, 0) AS difference
        FROM (SELECT carrier, count(*) AS flights FROM lake.silver.flights VERSION AS OF {first} GROUP BY carrier) a
        FULL JOIN (SELECT carrier, count(*) AS flights FROM lake.silver.flights GROUP BY carrier) b
          ON a.carrier = b.carrier
        WHERE NOT a.flights <=> b.flights ORDER BY carrier""").show()
    old = spark.read.option("versionAsOf", first).table("lake.silver.flights").count()
    check("rows of the first version", old, FLIGHTS)

    heading("Files of each partition")
    spark.sql("""
        SELECT partition.month AS month, file_count, record_count, last_updated_snapshot_id AS changed_by
        FROM lake.silver.flights.partitions ORDER BY month""").show(20)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, warehouse = sys.argv[1:]
    started = time.monotonic()
    spark = open_session(warehouse)
    for layer in ("bronze", "silver", "gold"):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS lake.{layer}")
    bronze(spark, data)
    silver(spark)
    gold(spark)
    rows = corrections(spark)
    history(spark)
    print(f"\n{rows} rows in lake.silver.flights; {time.monotonic() - started:.1f} s on Spark {spark.version}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
