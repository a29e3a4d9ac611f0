"""DeltaTable of the real delta-spark package over Connect: builders, changes of rows, upkeep, protocol."""
import os
import sys
from pathlib import Path

import pytest
from conftest import open_session
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

CACHE = Path(os.environ.get("FRAZIL_CACHE", Path.home() / ".cache/frazil"))
sys.path.append(str(CACHE / "deps/delta-spark"))

from delta.connect.tables import DeltaTable  # noqa: E402
from delta.tables import IdentityGenerator  # noqa: E402

CONF = {"spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.retentionDurationCheck.enabled": "false"}


@pytest.fixture(scope="module")
def spark(remote):
    session = open_session(remote, CONF)
    yield session
    session.stop()


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o777)
    return str(tmp_path / "t")


def write(spark, path, rows=(("a", 1), ("b", 2), ("c", 3), ("d", 4)), **options):
    writer = spark.createDataFrame(list(rows), "key string, value bigint").coalesce(1).write.format("delta")
    writer.options(**options).mode("append").save(path)
    return DeltaTable.forPath(spark, path)


def rows(table):
    return sorted(tuple(row) for row in table.toDF().collect())


def answer(frame):
    """The one row that a change of rows is answered by."""
    (row,) = frame.collect()
    return tuple(row)


def last_commit(table):
    return table.history(1).first()


@pytest.fixture(params=[False, True], ids=["copy", "vectors"])
def properties(request):
    return {"delta.enableDeletionVectors": "true"} if request.param else {}


def with_properties(spark, path, properties, definition="key STRING, value BIGINT", data=None):
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark.sql(f"CREATE TABLE delta.`{path}` ({definition}) USING delta" + (f" TBLPROPERTIES ({listed})" if listed else ""))
    return write(spark, path) if data is None else data(spark, path)


# --- tables by path and by name

def test_for_path_and_name(spark, path):
    table = write(spark, path)
    assert rows(table) == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]
    assert table.toDF().where("value > 2").select("key").count() == 2
    assert rows(DeltaTable.forName(spark, f"delta.`{path}`")) == rows(table)
    assert table.alias("t").toDF().select("t.key").count() == 4
    spark.sql("DROP TABLE IF EXISTS ds_named")
    spark.sql("CREATE TABLE ds_named (a INT) USING delta")
    assert rows(DeltaTable.forName(spark, "ds_named")) == []
    spark.sql("DROP TABLE ds_named")


def test_what_is_no_delta_table(spark, path):
    spark.range(3).write.parquet(path)
    with pytest.raises(AnalysisException, match="DELTA_MISSING_DELTA_TABLE"):
        DeltaTable.forPath(spark, path).toDF().collect()
    with pytest.raises(AnalysisException, match="DELTA_MISSING_DELTA_TABLE"):
        DeltaTable.forName(spark, "ds_no_such_table").toDF().collect()
    spark.range(3).createOrReplaceTempView("ds_view")
    with pytest.raises(AnalysisException, match="DELTA_MISSING_DELTA_TABLE"):
        DeltaTable.forName(spark, "ds_view").toDF().collect()
    assert not DeltaTable.isDeltaTable(spark, path)


def test_is_delta_table(spark, path):
    write(spark, path)
    assert DeltaTable.isDeltaTable(spark, path)
    assert DeltaTable.isDeltaTable(spark, path + "/below/it")
    assert not DeltaTable.isDeltaTable(spark, path + "_other")


# --- changes of rows

def test_delete(spark, path, properties):
    table = with_properties(spark, path, properties)
    assert answer(table.delete(F.col("key") == "a")) == (1,)
    assert answer(table.delete("value > 10")) == (0,)
    assert rows(table) == [("b", 2), ("c", 3), ("d", 4)]
    metrics = table.history().where("operation = 'DELETE'").first().operationMetrics
    assert metrics["numDeletedRows"] == "1"
    assert metrics["numDeletionVectorsAdded"] == ("1" if properties else "0")
    assert metrics["numAddedFiles"] == ("0" if properties else "1")
    assert metrics["numCopiedRows"] == ("0" if properties else "3")
    assert answer(table.delete()) == (3,)
    assert rows(table) == []


def test_update(spark, path, properties):
    table = with_properties(spark, path, properties)
    assert answer(table.update("key IN ('a', 'b')", {"value": "value + 100"})) == (2,)
    assert answer(table.alias("t").update(F.col("t.key") == "c", {"t.value": F.lit(-1)})) == (1,)
    assert rows(table) == [("a", 101), ("b", 102), ("c", -1), ("d", 4)]
    metrics = table.history().where("version = 2").first().operationMetrics
    assert metrics["numUpdatedRows"] == "2"
    assert metrics["numAddedFiles"] == "1"
    assert metrics["numRemovedFiles"] == ("0" if properties else "1")
    assert metrics["numDeletionVectorsAdded"] == ("1" if properties else "0")
    assert metrics["numCopiedRows"] == ("0" if properties else "2")
    assert answer(table.update(set={"key": "upper(key)"})) == (4,)
    assert rows(table) == [("A", 101), ("B", 102), ("C", -1), ("D", 4)]


def source(spark, *changes):
    return spark.createDataFrame(list(changes), "key string, value bigint")


def test_merge(spark, path, properties):
    table = with_properties(spark, path, properties)
    changes = source(spark, ("a", -1), ("b", 0), ("e", -5), ("f", -6))
    merge = (table.alias("t").merge(changes.alias("s"), "t.key = s.key")
             .whenMatchedDelete("s.value = 0")
             .whenMatchedUpdate(set={"value": "t.value + s.value"})
             .whenNotMatchedInsert("s.key = 'e'", {"key": "s.key", "value": F.col("s.value") * 2})
             .whenNotMatchedInsertAll()
             .whenNotMatchedBySourceUpdate("t.key = 'c'", {"value": "t.value * 10"})
             .whenNotMatchedBySourceDelete())
    assert answer(merge.execute()) == (6, 2, 2, 2)
    assert rows(table) == [("a", 0), ("c", 30), ("e", -10), ("f", -6)]
    metrics = last_commit(table).operationMetrics
    assert metrics["numTargetRowsInserted"] == "2"
    assert metrics["numTargetRowsUpdated"] == "2"
    assert metrics["numTargetRowsDeleted"] == "2"
    assert metrics["numTargetRowsCopied"] == "0"


def test_merge_keeps_other_rows(spark, path, properties):
    table = with_properties(spark, path, properties)
    merge = table.merge(source(spark, ("a", 9), ("z", 26)).alias("s"), "s.key = 'q'")
    assert answer(merge.whenNotMatchedInsertAll().execute()) == (2, 0, 0, 2)
    changes = source(spark, ("b", 20), ("y", 25)).alias("s")
    merged = table.alias("t").merge(changes, F.col("t.key") == F.col("s.key"))
    assert answer(merged.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()) == (2, 1, 0, 1)
    assert rows(table) == [("a", 1), ("a", 9), ("b", 20), ("c", 3), ("d", 4), ("y", 25), ("z", 26)]
    metrics = last_commit(table).operationMetrics
    assert metrics["numTargetRowsCopied"] == ("0" if properties else "3")
    assert metrics["numTargetDeletionVectorsAdded"] == ("1" if properties else "0")


def test_merge_with_schema_evolution(spark, path):
    table = write(spark, path)
    changes = spark.createDataFrame([("a", 10, "x"), ("e", 50, "y")], "key string, value bigint, extra string").alias("s")
    merge = table.alias("t").merge(changes, "t.key = s.key").withSchemaEvolution()
    assert answer(merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()) == (2, 1, 0, 1)
    assert sorted(map(tuple, table.toDF().collect()), key=str) == [
        ("a", 10, "x"), ("b", 2, None), ("c", 3, None), ("d", 4, None), ("e", 50, "y")]


def test_merge_without_clauses(spark, path):
    table = write(spark, path)
    with pytest.raises(AnalysisException, match="DELTA_MERGE_MISSING_WHEN"):
        table.alias("t").merge(source(spark, ("a", 1)).alias("s"), "t.key = s.key").execute()
    merge = table.alias("t").merge(source(spark, ("a", 1)).alias("s"), "t.key = s.key")
    with pytest.raises(Exception, match="NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION"):
        merge.whenMatchedDelete().whenMatchedUpdateAll().execute()


def test_change_feed_of_marked_rows(spark, path):
    table = with_properties(spark, path, {"delta.enableDeletionVectors": "true", "delta.enableChangeDataFeed": "true"})
    table.update("key = 'a'", {"value": "7"})
    changes = source(spark, ("b", 8), ("e", 9)).alias("s")
    table.alias("t").merge(changes, "t.key = s.key").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    table.delete("key = 'c'")
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 2).load(path)
    found = sorted(tuple(row) for row in feed.select("_commit_version", "_change_type", "key", "value").collect())
    assert found == [(2, "update_postimage", "a", 7), (2, "update_preimage", "a", 1),
                     (3, "insert", "e", 9), (3, "update_postimage", "b", 8), (3, "update_preimage", "b", 2),
                     (4, "delete", "c", 3)]


# --- history, detail, upkeep

def test_history_and_detail(spark, path):
    table = write(spark, path)
    write(spark, path, [("x", 1)])
    assert [row.version for row in table.history().select("version").collect()] == [1, 0]
    assert table.history(1).select("operation", "operationParameters.mode").first() == ("WRITE", "Append")
    detail = table.detail().first()
    assert (detail.format, detail.numFiles, detail.location) == ("delta", 2, "file:" + path)


def test_vacuum(spark, path):
    table = write(spark, path)
    table.update("key = 'a'", {"value": "7"})
    assert len(list(Path(path).glob("*.parquet"))) == 2
    table.vacuum(1000.0)
    assert len(list(Path(path).glob("*.parquet"))) == 2
    table.vacuum(0)
    assert len(list(Path(path).glob("*.parquet"))) == 1
    assert len(rows(table)) == 4


def test_optimize(spark, path):
    table = write(spark, path)
    for number in range(3):
        write(spark, path, [(str(number), number)])
    metrics = table.optimize().executeCompaction().first().metrics
    assert metrics["numFilesAdded"] == 1
    assert metrics["numFilesRemoved"] == 4
    assert metrics["filesRemoved"]["totalFiles"] == 4
    assert last_commit(table).operation == "OPTIMIZE"
    table.optimize().executeZOrderBy("key", "value")
    assert last_commit(table).operationParameters["zOrderBy"] == '["key","value"]'
    assert len(rows(table)) == 7


def test_optimize_partitions(spark, path):
    frame = spark.createDataFrame([("a", 1), ("b", 2)], "key string, value bigint")
    for _ in range(2):
        frame.coalesce(1).write.format("delta").partitionBy("key").mode("append").save(path)
    table = DeltaTable.forPath(spark, path)
    metrics = table.optimize().where("key = 'a'").executeCompaction().first().metrics
    assert (metrics["numFilesAdded"], metrics["numFilesRemoved"], metrics["totalConsideredFiles"]) == (1, 2, 2)
    with pytest.raises(AnalysisException, match="DELTA_NON_PARTITION_COLUMN_REFERENCE.*.value."):
        table.optimize().where("value = 1").executeCompaction()


def test_optimize_of_a_clustered_table_is_incremental(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (key STRING, value BIGINT) USING delta CLUSTER BY (key, value)")
    table = write(spark, path)
    write(spark, path, [("x", 1)])
    first = table.optimize().executeCompaction().first().metrics
    assert (first["numFilesAdded"], first["numFilesRemoved"]) == (1, 2)
    assert first["clusteringStats"]["inputOtherFiles"]["numFiles"] == 2
    version = last_commit(table).version
    again = table.optimize().executeCompaction().first().metrics
    assert (again["numFilesAdded"], again["numFilesRemoved"]) == (0, 0)
    assert again["clusteringStats"]["inputNumZCubes"] == 1
    assert last_commit(table).version == version
    # New columns: what is in order already stays so, unless all shall be put in order.
    spark.sql(f"ALTER TABLE delta.`{path}` CLUSTER BY (value)")
    assert table.optimize().executeCompaction().first().metrics["numFilesRemoved"] == 0
    full = spark.sql(f"OPTIMIZE delta.`{path}` FULL").first().metrics
    assert full["numFilesRemoved"] == 1
    assert len(rows(table)) == 5


def test_restore(spark, path):
    table = write(spark, path)
    table.delete("key = 'a'")
    time = table.history().where("version = 0").select(F.expr("string(timestamp)")).first()[0]
    assert table.restoreToVersion(0).first().num_restored_files == 1
    assert len(rows(table)) == 4
    table.delete("key = 'b'")
    table.restoreToTimestamp(time)
    assert len(rows(table)) == 4
    with pytest.raises(AnalysisException, match="DELTA_TIMESTAMP_INVALID.*'05/04/1999'"):
        table.restoreToTimestamp("05/04/1999")


def test_generate(spark, path):
    write(spark, path).generate("symlink_format_manifest")
    assert Path(path, "_symlink_format_manifest", "manifest").exists()
    with pytest.raises(Exception, match="DELTA_MODE_NOT_SUPPORTED"):
        DeltaTable.forPath(spark, path).generate("other")


def test_convert_to_delta(spark, path):
    frame = spark.createDataFrame([("a", 1), ("b", 2)], "key string, value int")
    frame.write.partitionBy("value").parquet(path)
    table = DeltaTable.convertToDelta(spark, f"parquet.`{path}`", "value int")
    assert rows(table) == [("a", 1), ("b", 2)]
    assert table.detail().first().partitionColumns == ["value"]
    other = path + "_other"
    frame.write.partitionBy("value").parquet(other)
    schema = StructType([StructField("value", IntegerType(), True)])
    assert rows(DeltaTable.convertToDelta(spark, f"parquet.`{other}`", schema)) == [("a", 1), ("b", 2)]


def test_clone(spark, path):
    table = write(spark, path)
    table.delete("key = 'a'")
    table.clone(path + "_now", isShallow=True, properties={"delta.appendOnly": "true"})
    now = DeltaTable.forPath(spark, path + "_now")
    assert len(rows(now)) == 3
    assert now.detail().first().properties["delta.appendOnly"] == "true"
    table.cloneAtVersion(0, path + "_then", isShallow=True)
    assert len(rows(DeltaTable.forPath(spark, path + "_then"))) == 4
    time = table.history().where("version = 0").select(F.expr("string(timestamp)")).first()[0]
    table.cloneAtTimestamp(time, path + "_then", isShallow=True, replace=True)
    assert len(rows(DeltaTable.forPath(spark, path + "_then"))) == 4
    with pytest.raises(Exception, match="DELTA_UNSUPPORTED_DEEP_CLONE"):
        table.clone(path + "_deep", isShallow=False)


# --- builders

def test_create(spark, path):
    spark.sql("DROP TABLE IF EXISTS ds_built")
    table = (DeltaTable.create(spark).tableName("ds_built").location(path).comment("of tests")
             .addColumn("id", LongType(), generatedAlwaysAs=IdentityGenerator(start=10, step=10))
             .addColumn("key", "STRING", nullable=False, comment="a key")
             .addColumn("length", "INT", generatedAlwaysAs="length(key)")
             .partitionedBy("length").property("delta.appendOnly", "false").execute())
    spark.sql("INSERT INTO ds_built (key) VALUES ('abc')")
    assert rows(table) == [(10, "abc", 3)]
    detail = table.detail().first()
    assert (detail.description, detail.partitionColumns, detail.location) == ("of tests", ["length"], "file:" + path)
    assert table.toDF().schema["key"].metadata["comment"] == "a key"
    with pytest.raises(AnalysisException, match="ALREADY_EXISTS"):
        DeltaTable.create(spark).tableName("ds_built").addColumn("a", "INT").execute()
    DeltaTable.createIfNotExists(spark).tableName("ds_built").addColumn("a", "INT").execute()
    assert rows(table) == [(10, "abc", 3)]
    spark.sql("DROP TABLE ds_built")


def test_replace(spark, path):
    schema = StructType([StructField("a", StringType()), StructField("b", LongType())])
    with pytest.raises(AnalysisException, match="NOT_FOUND"):
        DeltaTable.replace(spark).location(path).addColumns(schema).execute()
    table = DeltaTable.createOrReplace(spark).location(path).addColumns(schema).clusterBy("a").execute()
    assert table.detail().first().clusteringColumns == ["a"]
    spark.sql(f"INSERT INTO delta.`{path}` VALUES ('x', 1)")
    replaced = DeltaTable.replace(spark).location(path).addColumn("c", "INT").property("foo", "bar").execute()
    assert ("foo", "bar") in [tuple(row) for row in spark.sql(f"SHOW TBLPROPERTIES delta.`{path}`").collect()]
    assert replaced.toDF().columns == ["c"]
    assert rows(replaced) == []


def test_create_without_a_place(spark):
    with pytest.raises(AnalysisException, match="DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION"):
        DeltaTable.create(spark).addColumn("a", "INT").execute()


# --- protocol

def test_protocol(spark, path):
    table = write(spark, path)
    table.upgradeTableProtocol(1, 4)
    detail = table.detail().first()
    assert (detail.minReaderVersion, detail.minWriterVersion) == (1, 4)
    table.addFeatureSupport("deletionVectors")
    assert "deletionVectors" in table.detail().first().tableFeatures
    with pytest.raises(Exception, match="DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"):
        table.addFeatureSupport("noSuchFeature")


# --- dropping features

def features_of(table):
    return sorted(table.detail().first().tableFeatures)


def test_drop_deletion_vectors(spark, path):
    table = with_properties(spark, path, {"delta.enableDeletionVectors": "true"})
    table.delete("key = 'a'")
    table.dropFeatureSupport("deletionVectors")
    assert rows(table) == [("b", 2), ("c", 3), ("d", 4)]
    detail = table.detail().first()
    assert "deletionVectors" not in detail.tableFeatures and "checkpointProtection" in detail.tableFeatures
    assert (detail.minReaderVersion, detail.minWriterVersion) == (1, 7)
    version = last_commit(table).version
    assert detail.properties["delta.requireCheckpointProtectionBeforeVersion"] == str(version)
    assert last_commit(table).operation == "DROP FEATURE"
    # Behind three checkpoints what came before is out of the way, and can be read all the same.
    checkpoints = sorted(file.name for file in Path(path, "_delta_log").glob("*.checkpoint.parquet"))
    assert len(checkpoints) >= 4
    assert spark.read.format("delta").option("versionAsOf", 2).load(path).count() == 3
    table.update("key = 'b'", {"value": "7"})
    assert last_commit(table).operationMetrics["numDeletionVectorsAdded"] == "0"
    with pytest.raises(Exception, match="DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION"):
        table.dropFeatureSupport("checkpointProtection")
    with pytest.raises(Exception, match="DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD"):
        table.dropFeatureSupport("checkpointProtection", True)


def test_drop_with_truncated_history(spark, path):
    table = with_properties(spark, path, {"delta.enableDeletionVectors": "true",
                                          "delta.dropFeatureTruncateHistory.retentionDuration": "interval 0 hours"})
    table.delete("key = 'a'")
    with pytest.raises(Exception, match="DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"):
        table.dropFeatureSupport("deletionVectors", True)
    assert rows(table) == [("b", 2), ("c", 3), ("d", 4)]
    # The versions are as old as minutes tell.
    with pytest.raises(Exception, match="DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST"):
        table.dropFeatureSupport("deletionVectors", True)
    for file in Path(path, "_delta_log").iterdir():
        os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 600))
    table.dropFeatureSupport("deletionVectors", True)
    detail = table.detail().first()
    assert (detail.minReaderVersion, detail.minWriterVersion) == (1, 2)
    assert features_of(table) == ["appendOnly", "invariants"]
    assert rows(table) == [("b", 2), ("c", 3), ("d", 4)]


def test_drop_type_widening(spark, path):
    table = with_properties(spark, path, {"delta.enableTypeWidening": "true"}, "key STRING, value INT",
                            lambda spark, path: spark.sql(f"INSERT INTO delta.`{path}` VALUES ('a', 1)"))
    table = DeltaTable.forPath(spark, path)
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN value TYPE BIGINT")
    spark.sql(f"ALTER TABLE delta.`{path}` DROP FEATURE typeWidening")
    assert "typeWidening" not in features_of(table)
    assert rows(table) == [("a", 1)]
    schema = Path(path, "_delta_log", f"{last_commit(table).version:020}.json").read_text()
    assert "delta.typeChanges" not in schema


def test_drop_writer_features(spark, path):
    table = write(spark, path)
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT positive CHECK (value > 0)")
    with pytest.raises(Exception, match="must be dropped first: positive"):
        table.dropFeatureSupport("checkConstraints")
    spark.sql(f"ALTER TABLE delta.`{path}` DROP CONSTRAINT positive")
    table.dropFeatureSupport("checkConstraints")
    detail = table.detail().first()
    assert (detail.minReaderVersion, detail.minWriterVersion, features_of(table)) == (1, 2, ["appendOnly", "invariants"])
    table.addFeatureSupport("vacuumProtocolCheck")
    table.dropFeatureSupport("vacuumProtocolCheck")
    assert features_of(table) == ["appendOnly", "checkpointProtection", "invariants"]


def test_features_that_cannot_be_dropped(spark, path):
    table = write(spark, path)
    for feature, condition in (("noSuchFeature", "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE"),
                               ("deletionVectors", "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT"),
                               ("appendOnly", "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE"),
                               ("delta.enableDeletionVectors", "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY")):
        with pytest.raises(Exception, match=condition):
            table.dropFeatureSupport(feature)
    table.addFeatureSupport("domainMetadata")
    with pytest.raises(Exception, match="DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED"):
        table.dropFeatureSupport("domainMetadata", True)
    clustered = path + "_clustered"
    spark.sql(f"CREATE TABLE delta.`{clustered}` (a INT) USING delta CLUSTER BY (a)")
    with pytest.raises(Exception, match="DELTA_FEATURE_DROP_DEPENDENT_FEATURE.*clustering"):
        DeltaTable.forPath(spark, clustered).dropFeatureSupport("domainMetadata")
