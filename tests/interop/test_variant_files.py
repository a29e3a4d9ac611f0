"""VARIANT columns in Parquet files that annotate them as such, and that shred them, as Spark 4.1 and DuckDB write them."""
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

VALUES = """SELECT 1 AS id, '{"a": 1, "b": "x", "c": [1, "z", null]}'::JSON::VARIANT AS v UNION ALL SELECT 2, '{"a": "s", "d": {}}'::JSON::VARIANT
            UNION ALL SELECT 3, 'null'::JSON::VARIANT UNION ALL SELECT 4, 5::INTEGER::VARIANT UNION ALL SELECT 5, '[]'::JSON::VARIANT UNION ALL SELECT 6, 1.25::DECIMAL(5, 2)::VARIANT
            UNION ALL SELECT 7, DATE '2024-02-29'::VARIANT UNION ALL SELECT 8, TIMESTAMP '2024-02-29 01:02:03.000004'::VARIANT UNION ALL SELECT 9, true::VARIANT"""
EXPECTED = [(1, '{"a":1,"b":"x","c":[1,"z",null]}'), (2, '{"a":"s","d":{}}'), (3, "null"), (4, "5"), (5, "[]"), (6, "1.25"), (7, '"2024-02-29"'),
            (8, '"2024-02-29 01:02:03.000004"'), (9, "true")]


@pytest.mark.parametrize("shredding", ["", ", SHREDDING {v: 'STRUCT(a BIGINT, b VARCHAR, c VARIANT[])'}", ", SHREDDING {v: 'INTEGER'}",
                                       ", SHREDDING {v: 'VARIANT[]'}", ", SHREDDING {v: 'DATE'}", ", SHREDDING {v: 'DECIMAL(5, 2)'}",
                                       ", SHREDDING {v: 'TIMESTAMP'}", ", SHREDDING {v: 'BOOLEAN'}"])
def test_annotated_and_shredded_columns(new_session, tmp_path, shredding):
    session = new_session()
    duckdb.sql(f"COPY ({VALUES}) TO '{tmp_path}/f.parquet' (FORMAT parquet{shredding})")
    frame = session.read.schema("id INT, v VARIANT").parquet(str(tmp_path))
    found = frame.selectExpr("id", "to_json(v)").orderBy("id").collect()
    assert [tuple(r) for r in found] == EXPECTED
    assert frame.where("v IS NULL").count() == 0
    assert frame.where("v IS NOT NULL AND try_variant_get(v, '$.a', 'int') = 1").count() == 1
    assert frame.selectExpr("count(v)").first()[0] == 9


def test_columns_within_others(new_session, tmp_path):
    """In structs, lists and maps; the type of a part differs from row to row."""
    part = pa.struct([("value", pa.binary()), ("typed_value", pa.int64())])
    variant = pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.struct([("a", part)]))])
    names = b"\x01\x01\x00\x01b"  # The one name "b".
    rows = [{"metadata": names, "value": None, "typed_value": {"a": {"value": None, "typed_value": 5}}},
            {"metadata": names, "value": b"\x02\x01\x00\x00\x02\x0c\x07", "typed_value": {"a": {"value": b"\x05s", "typed_value": None}}},
            {"metadata": names, "value": b"\x02\x01\x00\x00\x02\x0c\x07", "typed_value": {"a": {"value": None, "typed_value": None}}},
            {"metadata": names, "value": b"\x00", "typed_value": None}, None]
    table = pa.table({"s": pa.array([{"a": row} for row in rows], pa.struct([("a", variant)])), "l": pa.array([[row, None] for row in rows], pa.list_(variant)),
                      "m": pa.array([[("k", row)] for row in rows], pa.map_(pa.string(), variant))})
    pq.write_table(table, tmp_path / "f.parquet")
    frame = new_session().read.schema("s STRUCT<a: VARIANT>, l ARRAY<VARIANT>, m MAP<STRING, VARIANT>").parquet(str(tmp_path))
    found = frame.selectExpr("to_json(s.a)", "transform(l, x -> to_json(x))", "to_json(m['k'])").collect()
    texts = ['{"a":5}', '{"a":"s","b":7}', '{"b":7}', "null", None]
    assert [tuple(r) for r in found] == [(text, [text, None], text) for text in texts]


def test_values_that_contradict_their_typed_parts_are_refused(new_session, tmp_path):
    shredded = pa.struct([("metadata", pa.binary()), ("value", pa.binary()), ("typed_value", pa.int64())])
    pq.write_table(pa.table({"v": pa.array([{"metadata": b"\x01\x00\x00", "value": b"\x00", "typed_value": 5}], shredded)}), tmp_path / "f.parquet")
    with pytest.raises(Exception, match="FAILED_READ_FILE.NO_HINT"):
        new_session().read.schema("v VARIANT").parquet(str(tmp_path)).selectExpr("to_json(v)").collect()
