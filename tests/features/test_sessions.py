"""Sessions: apart from each other, several at once, errors, interrupts, configuration."""
import threading
import time

import pytest
from pyspark.errors import (
    AnalysisException, ArithmeticException, NumberFormatException, ParseException, PySparkException,
)


def test_views_and_settings_stay_in_their_session(new_session):
    first, second = new_session(), new_session({"spark.sql.ansi.enabled": "false"})
    first.range(3).createOrReplaceTempView("mine")
    assert first.table("mine").count() == 3
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        second.table("mine").count()
    assert second.sql("SELECT 1 / 0").first()[0] is None
    with pytest.raises(ArithmeticException):
        first.sql("SELECT 1 / 0").collect()


def test_configuration(new_session):
    spark = new_session({"spark.my.own": "kept"})
    assert spark.conf.get("spark.my.own") == "kept"
    assert spark.conf.get("spark.not.set", "default") == "default"
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    assert spark.sql("SET spark.sql.shuffle.partitions").first()["value"] == "5"
    spark.conf.unset("spark.my.own")
    assert spark.conf.get("spark.my.own", None) is None
    with pytest.raises(PySparkException):
        spark.conf.get("spark.not.set")
    assert spark.version.startswith("4.")


@pytest.mark.parametrize("statement, kind, condition, state", [
    ("SELEC 1", ParseException, "PARSE_SYNTAX_ERROR", "42601"),
    ("SELECT * FROM nowhere", AnalysisException, "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
    ("SELECT 1 / 0", ArithmeticException, "DIVIDE_BY_ZERO", "22012"),
    ("SELECT CAST('x' AS INT)", NumberFormatException, "CAST_INVALID_INPUT", "22018"),
])
def test_errors_are_those_of_pyspark(new_session, statement, kind, condition, state):
    with pytest.raises(kind) as found:
        new_session().sql(statement).collect()
    assert found.value.getCondition() == condition
    assert found.value.getSqlState() == state


def test_an_error_names_its_parameters(new_session):
    with pytest.raises(AnalysisException) as found:
        new_session().sql("SELECT * FROM some.where").collect()
    assert found.value.getMessageParameters() == {"relationName": "`some`.`where`"}


def test_an_error_keeps_the_session_usable(new_session):
    spark = new_session()
    for _ in range(3):
        with pytest.raises(PySparkException):
            spark.sql("SELECT raise_error('no')").collect()
    assert spark.range(10).count() == 10


def test_queries_side_by_side_in_one_session(new_session):
    spark, answers = new_session(), {}

    def work(n):
        answers[n] = spark.range(n * 1000).selectExpr("sum(id) AS s").first()["s"]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: n * 1000 * (n * 1000 - 1) // 2 for n in range(1, 9)}


@pytest.mark.ours
def test_interrupt_stops_a_running_query(new_session):
    spark, outcome = new_session(), {}

    def work():
        started = time.monotonic()
        try:
            spark.sql("SELECT count(*) FROM range(200000) a JOIN range(200000) b ON a.id % 7 < b.id % 11").collect()
            outcome["error"] = None
        except Exception as error:  # the kind is looked at below
            outcome["error"] = error
        outcome["seconds"] = time.monotonic() - started

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(1)
    asked = time.monotonic()
    interrupted = spark.interruptAll()
    thread.join(20)
    assert not thread.is_alive() and len(interrupted) == 1
    assert "OPERATION_CANCELED" in str(outcome["error"])
    assert time.monotonic() - asked < 2
    assert spark.range(5).count() == 5


def test_interrupt_by_tag_leaves_others_alone(new_session):
    spark = new_session()
    spark.addTag("slow")
    assert spark.getTags() == {"slow"}
    assert spark.interruptTag("slow") == []
    spark.clearTags()
    assert spark.range(5).count() == 5


def test_a_large_result_comes_whole(new_session):
    table = new_session().range(1_000_000).selectExpr("id", "cast(id AS STRING) AS s").toArrow()
    assert table.num_rows == 1_000_000
    assert table.column("s")[999_999].as_py() == "999999"
    assert sum(table.column("id").to_pylist()) == 499_999_500_000


@pytest.mark.ours
def test_functions_of_the_catalog_are_seen_by_other_sessions(new_session):
    spark, other = new_session(), new_session()
    spark.sql("CREATE FUNCTION spark_catalog.default.test_twice(a INT) RETURNS INT RETURN a * 2")
    spark.sql("CREATE FUNCTION spark_catalog.default.test_class AS 'org.example.Sum'")
    try:
        assert other.sql("SELECT spark_catalog.default.test_twice(4)").collect()[0][0] == 8
        found = other.catalog.getFunction("spark_catalog.default.test_class")
        assert (found.name, found.catalog, found.namespace) == ("test_class", "spark_catalog", ["default"])
        assert (found.className, found.isTemporary) == ("org.example.Sum", False)
        other.catalog.setCurrentCatalog("spark_catalog")
        names = [row.function for row in other.sql("SHOW USER FUNCTIONS").collect()]
        assert "spark_catalog.default.test_twice" in names
        with pytest.raises(AnalysisException, match="CANNOT_LOAD_FUNCTION_CLASS"):
            other.sql("SELECT spark_catalog.default.test_class(1)").collect()
    finally:
        spark.sql("DROP FUNCTION spark_catalog.default.test_twice")
        spark.sql("DROP FUNCTION spark_catalog.default.test_class")
