"""Window functions: frames that functions bring themselves, and windows over windows. Beside Spark 4.1."""
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Window
from pyspark.sql import functions as F

ROWS_FRAME = "specifiedwindowframe(RowFrame, unboundedpreceding$(), currentrow$())"


def values(frame):
    return [tuple(row) for row in frame.collect()]


@pytest.mark.parametrize("query, expected", [
    ("SELECT sum(row_number() OVER (ORDER BY id)) OVER () FROM range(3)", [(6,)] * 3),
    ("SELECT id, sum(rank() OVER (ORDER BY id % 2)) OVER (PARTITION BY row_number() OVER (ORDER BY id DESC) % 2 ORDER BY id) "
     "FROM range(5) ORDER BY id", [(0, 1), (1, 4), (2, 2), (3, 8), (4, 3)]),
    ("SELECT rank() OVER (ORDER BY sum(id) OVER (PARTITION BY id % 2)) AS x FROM range(5) ORDER BY x",
     [(1,), (1,), (3,), (3,), (3,)]),
    ("SELECT sum(sum(id)) OVER (ORDER BY rank() OVER (ORDER BY sum(id))) AS x FROM range(3) GROUP BY id % 2 ORDER BY x",
     [(1,), (3,)]),
    ("SELECT max(sum(row_number() OVER (ORDER BY id)) OVER (ORDER BY id)) OVER () FROM range(4)", [(10,)] * 4),
])
def test_windows_over_windows(spark, query, expected):
    assert values(spark.sql(query)) == expected


def test_a_window_in_a_plain_aggregate_is_refused(spark):
    with pytest.raises(AnalysisException, match="not allowed to use a window function inside an aggregate function"):
        spark.sql("SELECT sum(row_number() OVER (ORDER BY id)) FROM range(3)").collect()


@pytest.mark.parametrize("function, bounds, expected", [
    (lambda: F.lag("id", 1), (-1, -1), [(None,), (0,), (1,)]),
    (lambda: F.lead("id", 2), (2, 2), [(2,), (None,), (None,)]),
    (lambda: F.lag("id", -1), (1, 1), [(1,), (2,), (None,)]),
])
def test_an_offset_written_as_its_frame(spark, function, bounds, expected):
    assert values(spark.range(3).select(function().over(Window.orderBy("id").rowsBetween(*bounds)))) == expected


@pytest.mark.parametrize("bounds", [(-2, -1), (-2, -2), (Window.unboundedPreceding, 0), None])
def test_other_frames_of_an_offset(spark, bounds):
    window = Window.orderBy("id")
    frame = window.rowsBetween(*bounds) if bounds else window.rangeBetween(-1, -1)
    with pytest.raises(AnalysisException) as refused:
        spark.range(3).select(F.lag("id", 1).over(frame)).collect()
    assert refused.value.getCondition() == "_LEGACY_ERROR_TEMP_1035"


@pytest.mark.parametrize("function, frame, found, required", [
    ("row_number()", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "specifiedwindowframe(RowFrame, -1, 1)", ROWS_FRAME),
    ("ntile(2)", "RANGE UNBOUNDED PRECEDING", ROWS_FRAME.replace("Row", "Range"), ROWS_FRAME),
    ("cume_dist()", "ROWS UNBOUNDED PRECEDING", ROWS_FRAME, ROWS_FRAME.replace("Row", "Range")),
])
def test_frames_that_a_function_does_not_take(spark, function, frame, found, required):
    with pytest.raises(AnalysisException) as refused:
        spark.sql(f"SELECT {function} OVER (ORDER BY id {frame}) FROM range(3)").collect()
    assert str(refused.value).startswith(f"Window Frame {found} must match the required frame {required}.")


def test_the_frame_of_cume_dist_may_be_written(spark):
    assert values(spark.sql("SELECT cume_dist() OVER (ORDER BY id RANGE UNBOUNDED PRECEDING) FROM range(2)")) == [(0.5,), (1.0,)]
