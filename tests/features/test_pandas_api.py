"""The pandas API on Spark: the same results as pandas on the same rows."""
import warnings

import pandas
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

ROWS = pandas.DataFrame({
    "id": range(1, 13),
    "city": ["a", "b", "c"] * 4,
    "x": [1.5, 2.0, None, 4, 5.25, 6, 7, None, 9, 10, 11, 12.5],
    "n": [3, 1, 2] * 4,
    "s": ["Foo bar", "baz", None, "Qux"] * 3,
    "d": pandas.date_range("2024-01-01", periods=12, freq="5D"),
    "b": [True, False] * 6,
})
NAMES = {"city": ["a", "b"], "name": ["A", "B"]}

# A name and what is done with (the rows, the module: pandas or pyspark.pandas). Order of rows: of the index.
SAME = {
    "group sums": lambda d, p: d.groupby("city")[["x", "n"]].sum(),
    "group aggregates": lambda d, p: d.groupby("city").agg({"x": ["min", "max"], "n": "sum"}),
    "named aggregates": lambda d, p: d.groupby("city").agg(most=("x", "max"), least=("n", "min")),
    "group sizes": lambda d, p: d.groupby("city").size(),
    "group shift": lambda d, p: d.groupby("city")["x"].shift(1),
    "group difference": lambda d, p: d.groupby("city")["id"].diff(),
    "group running sum": lambda d, p: d.groupby("city")["n"].cumsum(),
    "group rank": lambda d, p: d.groupby("city")["id"].rank(),
    "group deviation": lambda d, p: d.groupby("city")["id"].std(),
    "group variance": lambda d, p: d.groupby("city")["id"].var(ddof=0),
    "group skewness": lambda d, p: d.groupby("city")["x"].skew(),
    "group fill": lambda d, p: d.groupby("city")["x"].ffill(),
    "group head": lambda d, p: d.groupby("city").head(1),
    "group place of maximum": lambda d, p: d.groupby("city")["id"].idxmax(),
    "group transform": lambda d, p: d.groupby("city")["n"].transform(lambda values: values - values.mean()),
    "group apply": lambda d, p: d.groupby("city")[["x", "n"]].apply(lambda group: group.sum()),
    "join": lambda d, p: d.merge(p.DataFrame(NAMES), on="city", how="left").sort_values("id").reset_index(drop=True)[["name"]],
    "pivot": lambda d, p: d.pivot(index="id", columns="city", values="n"),
    "pivot table": lambda d, p: d.pivot_table(values="x", index=["n"], columns="city", aggfunc="sum"),
    "melt": lambda d, p: d.melt(id_vars=["id"], value_vars=["x", "n"]).sort_values(["id", "variable"]).reset_index(drop=True),
    "counts of values": lambda d, p: d["city"].value_counts().sort_index(),
    "slice of labels": lambda d, p: d.loc[2:5, ["id", "x"]],
    "slice of places": lambda d, p: d.iloc[2:5, [0, 2]],
    "query": lambda d, p: d.query("x > 5 and n < 3"),
    "difference": lambda d, p: d[["id", "n"]].diff(),
    "relative change": lambda d, p: d[["id"]].pct_change(),
    "shift": lambda d, p: d["id"].shift(2),
    "rank": lambda d, p: d["id"].rank(ascending=False),
    "interpolation": lambda d, p: d["x"].interpolate(),
    "exponential mean": lambda d, p: d[["x"]].ewm(com=1).mean(),
    "exponential mean past gaps": lambda d, p: d[["x"]].ewm(alpha=0.3, ignore_na=True).mean(),
    "rolling": lambda d, p: d[["id", "n"]].rolling(3).sum(),
    "expanding": lambda d, p: d[["id", "n"]].expanding(2).mean(),
    "running product": lambda d, p: d[["n"]].cumprod(),
    "correlation": lambda d, p: d[["id", "n"]].corr(),
    "covariance": lambda d, p: d[["id", "n"]].cov(),
    "modes": lambda d, p: d["n"].mode().sort_values().reset_index(drop=True),
    "skewness": lambda d, p: float(d["x"].skew()),
    "kurtosis": lambda d, p: float(d["x"].kurt()),
    "product": lambda d, p: float(d["x"].prod()),
    "product of whole numbers": lambda d, p: int(d["n"].prod()),
    "deviation": lambda d, p: float(d["x"].std(ddof=2)),
    "texts": lambda d, p: d["s"].str.replace("o", "0").str.upper(),
    "dates": lambda d, p: d["d"].dt.strftime("%Y/%m/%d"),
    "days of the week": lambda d, p: d["d"].dt.dayofweek,
    "rows as a function's argument": lambda d, p: d[["id", "n"]].apply(lambda row: row.id + row.n, axis=1),
    "indicators": lambda d, p: p.get_dummies(d[["city"]]),
    "concatenation": lambda d, p: p.concat([d[["id"]], d[["id"]]], ignore_index=True),
    "transposition": lambda d, p: d[["id", "n"]].head(3).T,
    "duplicates": lambda d, p: d.drop_duplicates("city"),
    "missing values": lambda d, p: d.fillna({"x": 0, "s": "-"}),
    "conditions": lambda d, p: d["n"].where(d["n"] > 1, -1),
}


@pytest.fixture
def pandas_on_spark(spark):
    """pyspark.pandas on the session of the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyspark.pandas as module
    before = module.get_option("compute.ops_on_diff_frames")
    module.set_option("compute.ops_on_diff_frames", True)
    yield module
    module.set_option("compute.ops_on_diff_frames", before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SAME)
def test_same_as_pandas(name, pandas_on_spark):
    ours = SAME[name](pandas_on_spark.from_pandas(ROWS), pandas_on_spark)
    expected = SAME[name](ROWS, pandas)
    if isinstance(expected, pandas.DataFrame):
        assert_frame_equal(ours.to_pandas().sort_index(), expected.sort_index(), check_dtype=False, check_names=False)
    elif isinstance(expected, pandas.Series):
        assert_series_equal(ours.to_pandas().sort_index(), expected.sort_index(), check_dtype=False, check_names=False)
    else:
        assert ours == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "orc", "delta"])
def test_files(kind, pandas_on_spark, tmp_path):
    path = str(tmp_path / kind)
    getattr(pandas_on_spark.from_pandas(ROWS[["id", "x", "s"]]), f"to_{kind}")(path)
    read = getattr(pandas_on_spark, f"read_{kind}")(path).sort_values("id").to_pandas().reset_index(drop=True)
    assert_frame_equal(read[["id", "x", "s"]], ROWS[["id", "x", "s"]], check_dtype=False)


@pytest.mark.filterwarnings("ignore")
def test_sql_over_frames(pandas_on_spark):
    frame = pandas_on_spark.from_pandas(ROWS[["id"]])
    assert pandas_on_spark.sql("SELECT sum(id) AS s FROM {frame}", frame=frame)["s"][0] == 78
