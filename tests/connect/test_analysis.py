"""Questions about plans: AnalyzePlan answers without running what it is asked about."""
import grpc
import pytest

# SQL text that changes something, over the tables of `tables`.
CHANGES = ["INSERT INTO {t} VALUES (2)", "INSERT OVERWRITE {t} VALUES (2)", "DELETE FROM {t}", "UPDATE {t} SET id = 9",
           "MERGE INTO {t} USING (SELECT 1 AS id) s ON {t}.id = s.id WHEN MATCHED THEN DELETE",
           "TRUNCATE TABLE {t}", "DROP TABLE {t}", "ALTER TABLE {t} ADD COLUMN more INT", "CREATE TABLE {t}_2 (a INT)",
           "CREATE TABLE {t}_3 AS SELECT 1 AS a", "CREATE NAMESPACE {t}_n", "CREATE VIEW v_of_t AS SELECT 1 AS a",
           "CREATE TEMPORARY VIEW v_of_t AS SELECT 1 AS a", "SET my.own.analysis=1", "DECLARE VARIABLE analysed INT",
           "CREATE TEMPORARY FUNCTION analysed(x INT) RETURNS INT RETURN x", "CACHE TABLE {t}",
           "CALL ice.system.expire_snapshots(table => '{t}')", "USE ice",
           "EXECUTE IMMEDIATE 'INSERT INTO {t} VALUES (3)'"]


def analyze(spark, fill):
    """The answer to an AnalyzePlan request that `fill` writes."""
    from pyspark.sql.connect.proto import AnalyzePlanRequest

    request = AnalyzePlanRequest(session_id=spark.session_id)
    request.user_context.user_id = spark._client._user_id or ""
    fill(request)
    return spark._client._stub.AnalyzePlan(request, timeout=60)


def questions(sql):
    """Every kind of analysis, of the relation that `sql` is and of one above it."""
    for above in (False, True):
        for kind in ("schema", "explain", "tree_string", "is_local", "is_streaming", "input_files", "same_semantics",
                     "semantic_hash", "persist", "unpersist", "get_storage_level"):
            def fill(request, kind=kind, above=above):
                analysis = getattr(request, kind)
                if kind in ("persist", "unpersist", "get_storage_level"):
                    relations = [analysis.relation]
                elif kind == "same_semantics":
                    relations = [analysis.target_plan.root, analysis.other_plan.root]
                else:
                    relations = [analysis.plan.root]
                if kind == "explain":
                    analysis.explain_mode = analysis.EXPLAIN_MODE_EXTENDED
                for relation in relations:
                    if above:
                        relation.limit.limit = 1
                        relation = relation.limit.input
                    relation.sql.query = sql
            yield fill


def state(spark, namespace):
    tables = sorted(row.tableName for row in spark.sql(f"SHOW TABLES IN {namespace}").collect())
    return (tables, [row.namespace for row in spark.sql("SHOW NAMESPACES IN ice").collect()],
            spark.table(f"{namespace}.t").schema, spark.table(f"{namespace}.t").collect(),
            spark.sql(f"SELECT count(*) FROM {namespace}.t.snapshots").collect(), spark.catalog.currentCatalog(),
            [row.viewName for row in spark.sql("SHOW VIEWS IN spark_catalog.default").collect()],
            spark.conf.get("my.own.analysis", None), spark.catalog.isCached(f"{namespace}.t"),
            spark.sql("SHOW USER FUNCTIONS LIKE 'analysed'").collect())


@pytest.mark.parametrize("change", CHANGES)
def test_an_analysis_runs_no_command(spark, namespace, change):
    spark.sql(f"CREATE TABLE {namespace}.t (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {namespace}.t VALUES (1)")
    before = state(spark, namespace)
    for fill in questions(change.format(t=f"{namespace}.t")):
        try:
            analyze(spark, fill)
        except grpc.RpcError as error:
            # Refused is well, as long as nothing has happened; an error of the server's own is not.
            assert "INTERNAL_ERROR" not in error.details(), error
    assert state(spark, namespace) == before


def test_commands_have_the_schema_of_their_answer(spark, namespace):
    spark.sql(f"CREATE TABLE {namespace}.t (id INT) USING iceberg")

    def names(sql):
        schema = analyze(spark, lambda request: setattr(request.schema.plan.root.sql, "query", sql)).schema.schema
        return [field.name for field in schema.struct.fields]

    assert names(f"SHOW TABLES IN {namespace}") == ["namespace", "tableName", "isTemporary"]
    assert names(f"DESCRIBE {namespace}.t") == ["col_name", "data_type", "comment"]
    assert names("SET my.own.analysis=1") == ["key", "value"]
    assert names("EXECUTE IMMEDIATE 'SELECT 1 AS one'") == ["one"]
    assert names(f"INSERT INTO {namespace}.t VALUES (1)") == []
    with pytest.raises(grpc.RpcError, match="TABLE_OR_VIEW_NOT_FOUND"):
        names(f"INSERT INTO {namespace}.t SELECT * FROM {namespace}.missing")


@pytest.mark.ours  # the words are ours
def test_explain_shows_what_was_written(spark):
    """The parsed plan is not resolved yet; commands show what they are, above the rows that they take."""
    def explain(text):
        return spark.sql(text).first().plan

    plan = explain("EXPLAIN EXTENDED SELECT id + 1 AS n, 'x' AS s FROM range(3)")
    parsed, analyzed = plan.split("== Analyzed Logical Plan ==\n")
    assert parsed.startswith("== Parsed Logical Plan ==\n'") and "range" in parsed and "#" not in parsed
    assert analyzed.startswith("n: bigint, s: string\n")
    unresolved = explain("EXPLAIN EXTENDED SELECT nope")
    assert unresolved.startswith("== Parsed Logical Plan ==\n'Project[nope]") and "UNRESOLVED_COLUMN" in unresolved
    spark.range(1).write.mode("overwrite").saveAsTable("spark_catalog.default.explained")
    try:
        command = explain("EXPLAIN EXTENDED INSERT INTO spark_catalog.default.explained SELECT id FROM range(7)")
        assert all(f"== {part} Plan ==" in command for part in ("Parsed Logical", "Analyzed Logical", "Optimized Logical", "Physical"))
        assert "Execute Insert[spark_catalog.default.explained]\n+- " in command
        assert spark.table("spark_catalog.default.explained").count() == 1
    finally:
        spark.sql("DROP TABLE spark_catalog.default.explained")


def test_explain_says_another_thing_in_each_mode(spark):
    frame = spark.range(10).where("id > 3").selectExpr("id * 2 AS twice")

    def text(mode):
        return spark.sql(f"EXPLAIN {mode} SELECT id * 2 AS twice FROM range(10) WHERE id > 3").first()[0]

    assert len({text(mode) for mode in ("", "EXTENDED", "CODEGEN", "COST", "FORMATTED")}) == 5
    lines = text("FORMATTED").splitlines()
    assert lines[:4] == ["== Physical Plan ==", "Project (3)", "+- Filter (2)", "   +- Range (1)"]
    filtered = lines.index("(2) Filter")
    assert lines[filtered + 1].startswith("Input [1]: [id#") and lines[filtered + 2].startswith("Output [1]: [id#")
    assert lines[filtered + 3] == "Arguments: (id > 3)"
    assert text("CODEGEN").startswith("Found 0 WholeStageCodegen subtrees.")
    assert frame._explain_string("formatted").count("(3) Project") == 1
