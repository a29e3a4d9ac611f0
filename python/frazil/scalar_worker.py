"""Scalar functions (udf, pandas_udf), inside a worker process: udf_worker.py loads this text.

They are called for each 2,048 rows. Around a function over so few, what pyspark's own worker does once a batch (streams,
types as JSON, checks of each series) costs more than the function. So this takes the common steps by itself, and leaves
every value that has to be converted to the converters of pyspark (over Arrow and pandas) or of udf_worker.py (pickled).
"""

import sys

SQL_SCALAR_PANDAS_UDF = 200
# The Python types whose values pyarrow takes for Spark's as they are. Those of subclasses (bool is one of int) are not.
EXACT_TYPES = {
    "BooleanType": bool,
    "ByteType": int,
    "ShortType": int,
    "IntegerType": int,
    "LongType": int,
    "FloatType": float,
    "DoubleType": float,
    "StringType": str,
}


def worker():
    return sys.modules["__main__"]


def row_caller(function, names):
    """Calls the function for each row of lists of arguments (`names`: null for those by position), of so many rows."""
    from pyspark.util import fail_on_stopiteration

    positional = [i for i, name in enumerate(names) if name is None]
    named = [(i, name) for i, name in enumerate(names) if name is not None]

    def call(columns, rows):
        if named:
            return [
                function(*(row[i] for i in positional), **{name: row[i] for i, name in named}) for row in zip(*columns)
            ]
        if len(names) == 1:
            return [function(value) for value in columns[0]]
        if len(names) == 2:
            return [function(first, second) for first, second in zip(*columns)]
        return [function(*row) for row in zip(*columns)] if names else [function() for _ in range(rows)]

    return fail_on_stopiteration(call)


def pickled_function(header, function, return_type, input_type):
    """SQL_BATCHED_UDF: one call a row, with Python values."""
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    call = row_caller(function, header["arguments"])
    converters = [
        ArrowTableToRowsConversion._create_converter(field.dataType)
        if ArrowTableToRowsConversion._need_converter(field.dataType)
        else None
        for field in input_type.fields
    ]
    to_internal = return_type.toInternal if return_type.needConversion() else None
    to_arrow = worker().pickled_result(return_type)
    result_type = worker().arrow_type(return_type)
    exact = EXACT_TYPES.get(type(return_type).__name__)

    def result_column(values):
        if exact is not None and set(map(type, values)) <= {exact, type(None)}:
            try:
                return pa.array(values, type=result_type)
            except (pa.ArrowInvalid, OverflowError):
                pass  # Integers that do not fit, which wrap or are NULL.
        if to_internal is not None:
            values = map(to_internal, values)
        return pa.array([to_arrow(value) for value in values], type=result_type)

    def run(data):
        batch = pa.ipc.open_stream(data).read_next_batch()
        columns = [column.to_pylist() for column in batch.columns]
        columns = [
            column if convert is None else [convert(value) for value in column]
            for convert, column in zip(converters, columns)
        ]
        return worker().as_stream(result_column(call(columns, batch.num_rows)))

    return run


def arrow_function(header, function, return_type, input_type):
    """A function that pyspark's worker would get over Arrow. The steps taken here are those of 4.1."""
    from pyspark.sql.pandas import serializers

    run = worker().arrow_runner(header, function, return_type, range(len(header["arguments"])))
    rows_serializer = getattr(serializers, "ArrowBatchUDFSerializer", None)
    if rows_serializer is not None and header["eval_type"] == SQL_SCALAR_PANDAS_UDF:
        return pandas_function(run)
    with_threads = "spark.sql.execution.pythonUDF.arrow.concurrency.level" in header["settings"]
    if rows_serializer is not None and type(run.serializer) is rows_serializer and not with_threads:
        return rows_over_arrow(header, function, return_type, input_type, run.serializer)
    return lambda data: worker().as_stream(run(data))


def rows_over_arrow(header, function, return_type, input_type, serializer):
    """SQL_ARROW_BATCHED_UDF: as pyspark's ArrowBatchUDFSerializer and wrap_arrow_batch_udf_arrow."""
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowTableToRowsConversion, LocalDataToArrowConversion
    from pyspark.sql.pandas.types import to_arrow_type

    call = row_caller(function, header["arguments"])
    converters = [
        ArrowTableToRowsConversion._create_converter(
            field.dataType, none_on_identity=True, binary_as_bytes=serializer._binary_as_bytes
        )
        for field in input_type.fields
    ]
    to_local = LocalDataToArrowConversion._create_converter(
        return_type,
        none_on_identity=True,
        int_to_decimal_coercion_enabled=serializer._int_to_decimal_coercion_enabled,
    )
    large = header["settings"].get("spark.sql.execution.arrow.useLargeVarTypes", "false").lower() == "true"
    result_type = to_arrow_type(return_type, prefers_large_types=large)
    takes_texts = type(return_type).__name__ == "StringType"

    def result_column(values):
        # The converter of texts only makes texts of other values.
        if to_local is not None and not (takes_texts and set(map(type, values)) <= {str, type(None)}):
            values = [to_local(value) for value in values]
        try:
            return pa.array(values, type=result_type)
        except pa.ArrowInvalid:
            return pa.array(values).cast(target_type=result_type, safe=serializer._safecheck)

    def run(data):
        batch = pa.ipc.open_stream(data).read_next_batch()
        columns = [column.to_pylist() for column in batch.columns]
        columns = [
            column if convert is None else [convert(value) for value in column]
            for convert, column in zip(converters, columns)
        ]
        return worker().as_stream(result_column(call(columns, batch.num_rows)))

    return run


def pandas_function(runner):
    """SQL_SCALAR_PANDAS_UDF."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    serializer = runner.serializer

    def series_of(batch, number):
        """What pyspark would make of the column; where that is no more than pandas' own, without asking."""
        column, name = batch.column(number), batch.schema.names[number]
        kind = column.type
        if column.null_count == 0 and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            return pd.Series(column.to_numpy(), name=name, copy=False)
        if pa.types.is_string(kind) or pa.types.is_floating(kind):
            return column.to_pandas().rename(name)
        return serializer.arrow_to_pandas(pa.Table.from_batches([batch]).column(number), number)

    def column_of(result, arrow_type):
        dtype = result.dtype if type(result) is pd.Series else None
        is_plain = isinstance(dtype, np.dtype) and dtype.kind in "iufb" and pa.types.is_primitive(arrow_type)
        if is_plain and dtype == arrow_type.to_pandas_dtype():
            return pa.array(result.to_numpy(), type=arrow_type, from_pandas=True)
        return serializer._create_batch((result, arrow_type)).column(0)

    def run(data):
        batch = pa.ipc.open_stream(data).read_next_batch()
        series = [series_of(batch, i) for i in range(batch.num_columns)]
        (result,) = runner.udf(0, iter([series]))
        return worker().as_stream(column_of(*result[:2]))

    return run
