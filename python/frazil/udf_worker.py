"""Runs the Python functions of a query in a process of its own, for the server that started it.

The server has this file compiled in and starts it with `python -c`. Standard input is a socket, over which it sends
requests and gets answers, one at a time; all integers are big-endian.

Request: length (8 bytes) and description of a function, or only the length SAME for that of the last request; length
(8 bytes) and rows as an Arrow IPC stream. The description is a length (4 bytes), JSON of that length, and the function
as the client pickled it. Its JSON: "eval_type", "python" (minor version of the client's Python), "arguments" (a list
with the name of each argument, null where it has none), "input" (Spark's JSON of the schema of the rows), "output"
(Spark's JSON of the function's type), "settings" (Spark's settings that the functions obey).
Callbacks of streaming queries (eval_type "foreachBatch" and "foreach") get as rows a line of JSON with the "batch" and,
for foreachBatch, the id of the "relation" that is the batch, which they ask the server for at the "url" of their
description; for foreach the rows follow as an Arrow IPC stream. They answer nothing.
Answer: b"R", length (8 bytes) and an Arrow IPC stream of one column, a value for each row; or b"E", length and the
traceback.
Scalar functions are in scalar_worker.py, data sources ("dataSource...") and table functions in data_source_worker.py and
table_function_worker.py, whose texts come as arguments of the process.
"""

import inspect
import io
import json
import os
import select
import struct
import sys
import threading
import time
import traceback
import types

SAME = 2**64 - 1
LONGEST_WAIT = 90  # Seconds; the server takes no worker that has waited for longer than 60.
SQL_BATCHED_UDF = 100
SQL_ARROW_BATCHED_UDF = 101
# Functions whose one argument is a struct of all columns, and whose result for a batch of rows is any number of rows.
MAP_UDFS = (205, 207)
# The same for each group, whose rows come as an array of structs, then the columns of its key.
GROUPED_MAP_PANDAS_UDFS = (201, 216)
GROUPED_MAP_ARROW_UDFS = (209, 215)
GROUPED_MAP_PANDAS_UDF_WITH_STATE = 208
# transformWithStateInPandas and transformWithState, without and with an initial state: see stateful_worker.py, whose text
# is this program's argument.
STATEFUL_ROW_UDFS = (213, 214)
STATEFUL_UDFS = (211, 212) + STATEFUL_ROW_UDFS
GROUPED_MAP_UDFS = GROUPED_MAP_PANDAS_UDFS + GROUPED_MAP_ARROW_UDFS
# The same for the groups of two sides with one key: two arrays of structs, NULL where a side has no such group.
COGROUPED_MAP_UDFS = (206, 210)
# Aggregate functions: the rows of a group come as an array of structs of the arguments.
GROUPED_AGG_UDFS = (202, 252)
# Spark writes this in front of an Arrow stream.
START_ARROW_STREAM = struct.pack("!i", -6)
INTEGER_BITS = {"ByteType": 8, "ShortType": 16, "IntegerType": 32, "LongType": 64}


def exit_with(parent):
    """Ends this process when the server has gone, even in the middle of a user's loop."""
    while os.getppid() == parent:
        time.sleep(2)
    os._exit(1)


def read_exactly(channel, size):
    data = channel.read(size)
    if len(data) < size:
        raise EOFError
    return data


def java_double(value):
    """The text of Java's Double.toString."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = format(value, "f") if "e" in repr(value) else repr(value)
        return text if "e" not in repr(value) else text.rstrip("0")
    mantissa, _, exponent = format_scientific(value)
    return f"{mantissa}E{exponent}"


def format_scientific(value):
    sign = "-" if value < 0 else ""
    text = repr(abs(value))
    digits, _, exponent = text.partition("e")
    whole, _, fraction = digits.partition(".")
    shift = int(exponent or 0)
    if whole.strip("0"):
        shift += len(whole) - 1
        digits = whole + fraction
    else:
        stripped = fraction.lstrip("0")
        shift -= len(fraction) - len(stripped) + 1
        digits = stripped
    digits = digits.rstrip("0")
    return sign + digits[0] + "." + (digits[1:] or "0"), "e", shift


def java_text(value):
    """What Java's toString gives for the value that a Python one becomes in Spark's JVM."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_double(value)
    if value is None:
        return "null"
    if isinstance(value, list):
        return "[" + ", ".join(java_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{java_text(key)}={java_text(item)}" for key, item in value.items()) + "}"
    return str(value)


def arrow_type(data_type):
    """As pyspark's to_arrow_type, with the fields of structs named by their position."""
    import pyarrow as pa
    from pyspark.sql import types
    from pyspark.sql.pandas.types import to_arrow_type

    if isinstance(data_type, types.ArrayType):
        return pa.list_(arrow_type(data_type.elementType))
    if isinstance(data_type, types.MapType):
        return pa.map_(arrow_type(data_type.keyType), arrow_type(data_type.valueType))
    if isinstance(data_type, types.StructType):
        return pa.struct([(f"f{i}", arrow_type(field.dataType)) for i, field in enumerate(data_type.fields)])
    if isinstance(data_type, types.TimestampType):
        return pa.timestamp("us", tz="UTC")  # PySpark 4.2 wants the zone told, which 4.1 knows no parameter for.
    return to_arrow_type(data_type)


def pickled_result(data_type):
    """A function that brings a value of a pickled function (after DataType.toInternal) to Arrow as Spark's JVM takes
    it (EvaluatePython.makeFromJava): NULL where the value has another type."""
    import array
    import decimal

    from pyspark.sql import types

    name = type(data_type).__name__
    if isinstance(data_type, types.BooleanType):
        return lambda value: value if isinstance(value, bool) else None
    if name in INTEGER_BITS:
        bits = INTEGER_BITS[name]

        def to_integer(value):
            if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
                return None
            return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

        return to_integer
    if isinstance(data_type, (types.FloatType, types.DoubleType)):
        return lambda value: value if isinstance(value, float) else None
    if isinstance(data_type, types.DecimalType):
        unit = decimal.Decimal(1).scaleb(-data_type.scale)
        context = decimal.Context(prec=100, rounding=decimal.ROUND_HALF_UP)

        def to_decimal(value):
            if not isinstance(value, decimal.Decimal) or not value.is_finite():
                return None
            scaled = value.quantize(unit, context=context)
            if abs(scaled) >= decimal.Decimal(10) ** (data_type.precision - data_type.scale):
                raise OverflowError(f"{value} does not fit {data_type.simpleString()}")
            return scaled

        return to_decimal
    if isinstance(data_type, types.StringType):
        return lambda value: None if value is None else value if isinstance(value, str) else java_text(value)
    if isinstance(data_type, types.BinaryType):

        def to_binary(value):
            if isinstance(value, str):
                return value.encode()
            return bytes(value) if isinstance(value, (bytes, bytearray)) else None

        return to_binary
    if isinstance(data_type, types.ArrayType):
        convert = pickled_result(data_type.elementType)
        return lambda value: (
            [convert(item) for item in value] if isinstance(value, (list, tuple, array.array)) else None
        )
    if isinstance(data_type, types.MapType):
        convert_key, convert_item = pickled_result(data_type.keyType), pickled_result(data_type.valueType)
        return lambda value: (
            [(convert_key(key), convert_item(item)) for key, item in value.items()] if isinstance(value, dict) else None
        )
    if isinstance(data_type, types.StructType):
        converts = [pickled_result(field.dataType) for field in data_type.fields]

        def to_struct(value):
            if not isinstance(value, tuple):
                return None
            if len(value) != len(converts):
                raise ValueError(
                    "Input row doesn't have expected number of values required by the schema. "
                    f"{len(converts)} fields are required while {len(value)} values are provided."
                )
            return {f"f{i}": convert(item) for i, (convert, item) in enumerate(zip(converts, value))}

        return to_struct
    if isinstance(data_type, types.NullType):
        return lambda value: None
    # Dates, timestamps and intervals: toInternal has made integers of them.
    return lambda value: value if isinstance(value, int) and not isinstance(value, bool) else None


def as_stream(column):
    import pyarrow as pa

    batch = pa.RecordBatch.from_arrays([column], ["_0"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def write_text(text, out):
    data = text.encode()
    out.write(struct.pack("!i", len(data)) + data)


def arrow_runner(header, function, return_type, offsets):
    """A function over Arrow or pandas, from what Spark's JVM would send to a column (None: nothing came): pyspark's own
    worker code, which reads what the JVM would write. `offsets` are the numbers of the columns that are arguments."""
    import pyarrow as pa
    from pyspark import cloudpickle, worker
    from pyspark.serializers import CPickleSerializer

    eval_type, settings = header["eval_type"], header["settings"]
    # What is written differs by the release: 4.1 reads the types of the arguments, 4.2 the settings by themselves.
    reads_input_type = "input_types" in inspect.getsource(worker.read_udfs)
    takes_conf = len(inspect.signature(worker.read_udfs).parameters) > 3

    def write_settings(values, out):
        out.write(struct.pack("!i", len(values)))
        for key, value in values.items():
            write_text(key, out)
            write_text(value, out)

    runner, evaluation, description = io.BytesIO(), io.BytesIO(), io.BytesIO()
    if takes_conf:
        write_settings(settings, runner)
        write_settings({"input_type": header["input"]} if eval_type == SQL_ARROW_BATCHED_UDF else {}, evaluation)
    else:
        write_settings(settings, description)
        if eval_type == SQL_ARROW_BATCHED_UDF and reads_input_type:
            write_text(header["input"], description)
        description.write(b"\0")  # No profiler.
    description.write(struct.pack("!ii", 1, len(offsets)))
    for i, offset in enumerate(offsets):
        description.write(struct.pack("!i", offset))
        if eval_type in MAP_UDFS + GROUPED_MAP_UDFS + COGROUPED_MAP_UDFS and not takes_conf:
            continue
        name = header["arguments"][i] if eval_type not in GROUPED_MAP_UDFS + COGROUPED_MAP_UDFS else None
        description.write(struct.pack("!?", name is not None))
        if name is not None:
            write_text(name, description)
    command = cloudpickle.dumps((function, return_type))
    description.write(struct.pack("!ii", 1, len(command)) + command)
    description.write(struct.pack("!q", 0))  # The id of a profile, which 4.2 always reads.
    for stream in (runner, evaluation, description):
        stream.seek(0)
    conf = (worker.RunnerConf(runner), worker.EvalConf(evaluation)) if takes_conf else ()
    run_udf, _, deserializer, serializer = worker.read_udfs(CPickleSerializer(), description, eval_type, *conf)

    def run(data):
        out = io.BytesIO()
        serializer.dump_stream(run_udf(0, deserializer.load_stream(io.BytesIO(data))), out)
        stream = out.getvalue()
        if stream.startswith(START_ARROW_STREAM):
            stream = stream[len(START_ARROW_STREAM) :]
        if not stream:
            return None
        column = pa.ipc.open_stream(stream).read_all().column(0)
        return pa.concat_arrays(column.chunks) if column.num_chunks != 1 else column.chunk(0)

    run.udf, run.serializer = run_udf, serializer
    return run


def list_column(row_type, results, sizes):
    """Arrays of structs, of those sizes, from the structs of all of them."""
    import pyarrow as pa

    kept = [positional_struct(result, row_type) for result in results if result is not None and len(result) > 0]
    rows = pa.concat_arrays(kept) if kept else pa.array([], type=arrow_type(row_type))
    offsets = [0]
    for size in sizes:
        offsets.append(offsets[-1] + size)
    return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), rows)


def positional_struct(rows, row_type):
    """The structs in the type that the server expects, whatever the names in them."""
    import pyarrow as pa

    from pyspark.sql.pandas.types import from_arrow_type

    expected = arrow_type(row_type)
    fields = [expected.field(i) for i in range(len(expected))]
    # As Spark, by position; pandas' index may come behind the columns that were declared.
    columns = rows.flatten()[: len(fields)]
    fits = len(columns) == len(fields) and all(
        pa.types.is_nested(field.type) or from_arrow_type(column.type) == from_arrow_type(field.type)
        for column, field in zip(columns, fields)
    )
    if not fits:
        declared = ", ".join(str(from_arrow_type(field.type)) for field in fields)
        given = ", ".join(str(from_arrow_type(column.type)) for column in columns)
        raise TypeError(
            f"[ARROW_TYPE_MISMATCH] Invalid schema from the function: expected {declared}, got {given}."
        )
    columns = [
        column if column.type == field.type or pa.types.is_nested(field.type) else column.cast(field.type)
        for column, field in zip(columns, fields)
    ]
    return pa.StructArray.from_arrays(columns, names=[field.name for field in fields])


def map_function(header, function, return_type):
    """mapInPandas, mapInArrow: all rows that come for a batch are the result of its first row."""
    import pyarrow as pa

    row_type = return_type.elementType
    run = arrow_runner(header, function, row_type, [0])

    def run_batch(data):
        count = pa.ipc.open_stream(data).read_all().num_rows
        result = run(data)
        return as_stream(list_column(row_type, [result], [0 if result is None else len(result)] + [0] * (count - 1)))

    return run_batch


def grouped_function(header, function, return_type):
    """applyInPandas, applyInArrow and aggregate functions: a row of the input is a group."""
    import pyarrow as pa

    import pyspark

    is_map = header["eval_type"] in GROUPED_MAP_UDFS
    in_struct = header["eval_type"] in GROUPED_MAP_ARROW_UDFS
    # Before 4.1 the batches of one stream are the groups; since then each group is a stream, counted in front.
    counted = [int(part) for part in pyspark.__version__.split(".")[:2]] >= [4, 1]
    row_type = return_type.elementType if is_map else return_type
    runners = {}

    def runner(columns, keys):
        # Spark's offsets of a grouped map: how many follow, how many are of the key, those, those of the values.
        if (columns, keys) not in runners:
            offsets = list(range(columns))
            if is_map:
                offsets = [1 + columns + keys, keys, *range(columns, columns + keys), *offsets]
            runners[columns, keys] = arrow_runner(header, function, row_type, offsets)
        return runners[columns, keys]

    def run_batch(data):
        table = pa.ipc.open_stream(data).read_all().combine_chunks()
        groups, *keys = (column.chunk(0) for column in table.columns)
        results, sizes = [], []
        for i in range(len(groups)):
            rows = groups[i].values
            if is_map and len(rows) == 0:
                sizes.append(0)
                continue
            columns = rows.flatten()
            names = [rows.type.field(n).name for n in range(len(columns))] if is_map else None
            repeat = pa.array([0] * len(rows), type=pa.int32())
            batch_columns = columns + [key.slice(i, 1).take(repeat) for key in keys]
            batch_names = (names or [f"_{n}" for n in range(len(columns))]) + [f"key{n}" for n in range(len(keys))]
            batch = pa.RecordBatch.from_arrays(batch_columns, batch_names)
            if in_struct:
                batch = pa.RecordBatch.from_arrays([batch.to_struct_array()], ["_0"])
            sink = io.BytesIO()
            sink.write(struct.pack("!i", 1) if counted else b"")
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            sink.write(struct.pack("!i", 0) if counted else b"")
            results.append(runner(len(columns), len(keys))(sink.getvalue()))
            sizes.append(0 if results[-1] is None else len(results[-1]))
        if is_map:
            return as_stream(list_column(row_type, results, sizes))
        return as_stream(pa.concat_arrays(results))

    return run_batch


def group_stream(rows, keys, i):
    """The rows of a group (None: it has none) with the columns of its key behind them, as an Arrow IPC stream."""
    import pyarrow as pa

    columns = rows.flatten()
    repeat = pa.array([0] * len(rows), type=pa.int32())
    batch = pa.RecordBatch.from_arrays(
        columns + [key.slice(i, 1).take(repeat) for key in keys],
        [rows.type.field(n).name for n in range(len(columns))] + [f"key{n}" for n in range(len(keys))],
    )
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue(), len(columns)


def cogrouped_function(header, function, return_type):
    """cogroup().applyInPandas and applyInArrow: a row of the input is a pair of groups and their key."""
    import pyarrow as pa

    row_type = return_type.elementType
    runners = {}

    def run_batch(data):
        table = pa.ipc.open_stream(data).read_all().combine_chunks()
        lefts, rights, *keys = (column.chunk(0) for column in table.columns)
        results, sizes = [], []
        for i in range(len(lefts)):
            streams, offsets = [], []
            for side in (lefts, rights):
                rows = side[i].values if side[i].is_valid else pa.array([], type=side.type.value_type)
                stream, columns = group_stream(rows, keys, i)
                streams.append(stream)
                offsets += [1 + columns + len(keys), len(keys), *range(columns, columns + len(keys)), *range(columns)]
            if tuple(offsets) not in runners:
                runners[tuple(offsets)] = arrow_runner(header, function, row_type, offsets)
            pair = struct.pack("!i", 2) + streams[0] + streams[1] + struct.pack("!i", 0)
            results.append(runners[tuple(offsets)](pair))
            sizes.append(0 if results[-1] is None else len(results[-1]))
        return as_stream(list_column(row_type, results, sizes))

    return run_batch


def call_with_state(key, rows):
    """Stands in for the user's function, which pyspark's worker gets as a pickled copy: calls the one of this process."""
    import sys

    return sys.modules["frazil_group_state"].call(key, rows)


def state_module():
    """Where call_with_state finds what to call."""

    return sys.modules.setdefault("frazil_group_state", types.ModuleType("frazil_group_state"))


def part(number, name):
    """A part of this program that came as its argument, as a module."""
    if name not in sys.modules:
        module = types.ModuleType(name)
        exec(compile(sys.argv[number], f"frazil/{name}.py", "exec"), module.__dict__)
        sys.modules[name] = module
    return sys.modules[name]


def state_function(header, function, return_type, input_type):
    """applyInPandasWithState: a row of the input is a group, its key, its state, whether there is one, whether its time
    is up (then it has no rows), the time of the batch, the watermark (-1: there is none) and the kind of time-out. The
    result is the group's rows, its state, whether there is one, and when its time will be up (-1: never)."""
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import Row
    from pyspark.sql.conversion import ArrowTableToRowsConversion, LocalDataToArrowConversion
    from pyspark.sql.streaming.state import GroupState

    keys = len(input_type.fields) - 7
    row_type, state_type = return_type.fields[0].dataType.elementType, return_type.fields[1].dataType
    run_group = grouped_function(
        {**header, "eval_type": GROUPED_MAP_PANDAS_UDFS[0], "arguments": [None]},
        call_with_state,
        return_type.fields[0].dataType,
    )
    to_state = ArrowTableToRowsConversion._create_converter(state_type)
    module = state_module()

    def run_batch(data):
        table = pa.ipc.open_stream(data).read_all().combine_chunks()
        columns = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns]
        groups, key_columns, (states, *others) = columns[0], columns[1 : 1 + keys], columns[1 + keys :]
        results, sizes, kept, has_state, timeouts = [], [], [], [], []
        for i in range(len(groups)):
            exists, is_up, now, watermark, timeout = (column[i].as_py() for column in others)
            value = Row(*to_state(states[i].as_py())) if exists else None
            state = GroupState(
                value, now, watermark, timeout, is_up, watermark >= 0, exists, False, False, -1, b"", state_type
            )

            def call(key, rows):
                frames = list(function(key, iter([rows.iloc[:0] if is_up else rows]), state))
                for frame in frames:
                    if not isinstance(frame, pd.DataFrame):
                        raise TypeError(
                            "[UDF_RETURN_TYPE] Return type of the user-defined function should be pandas.DataFrame, "
                            f"but is {type(frame).__name__}."
                        )
                return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

            module.call = call
            # A group whose time is up has a row of NULLs, by which its key gets to the function.
            group = pa.nulls(1, groups.type.value_type) if is_up else groups[i].values
            offsets = pa.array([0, len(group)], type=pa.int32())
            one = pa.RecordBatch.from_arrays(
                [pa.ListArray.from_arrays(offsets, group), *(key.slice(i, 1) for key in key_columns)],
                [f"_{n}" for n in range(1 + keys)],
            )
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, one.schema) as stream:
                stream.write_batch(one)
            answer = pa.ipc.open_stream(run_group(sink.getvalue().to_pybytes())).read_all().column(0).chunk(0)
            results.append(answer.flatten())
            sizes.append(len(answer.flatten()))
            has_state.append(state.exists)
            kept.append(state.getOption)
            timeouts.append(int(state._timeout_timestamp))
        return as_stream(
            pa.StructArray.from_arrays(
                [
                    list_column(row_type, results, sizes),
                    state_column(kept, state_type, LocalDataToArrowConversion),
                    pa.array(has_state, type=pa.bool_()),
                    pa.array(timeouts, type=pa.int64()),
                ],
                names=["f0", "f1", "f2", "f3"],
            )
        )

    return run_batch


def state_column(values, state_type, conversion):
    """Structs of the state's type from tuples, NULL from None."""
    import pyarrow as pa

    present = [tuple(value) for value in values if value is not None]
    if not present:
        return pa.nulls(len(values), type=arrow_type(state_type))
    for value in present:
        if len(value) != len(state_type.fields):
            raise ValueError(f"The state has {len(state_type.fields)} values, not {len(value)}: {value}")
    table = conversion.convert(present, state_type, False).combine_chunks()
    names = [f"f{i}" for i in range(table.num_columns)]
    rows = pa.StructArray.from_arrays([column.chunk(0) for column in table.columns], names=names)
    places = iter(range(len(present)))
    return rows.take(pa.array([None if value is None else next(places) for value in values], type=pa.int32()))


def foreach_batch(header, function):
    """Calls the function with a DataFrame of the session that started the query."""
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(header["url"]).getOrCreate()

    def run_batch(data):
        job = json.loads(data)
        function(session._create_remote_dataframe(job["relation"]), job["batch"])
        return b""

    return run_batch


def foreach_row(header, function):
    """Calls the function with an iterator over the rows of a batch, which are one partition."""
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowTableToRowsConversion
    from pyspark.sql.types import _parse_datatype_json_string
    from pyspark.taskcontext import TaskContext

    schema = _parse_datatype_json_string(header["input"])

    def run_batch(data):
        line, _, rows = data.partition(b"\n")
        context = TaskContext._getOrCreate()
        context._partitionId = 0
        context._localProperties = {"streaming.sql.batchId": str(json.loads(line)["batch"])}
        table = pa.ipc.open_stream(rows).read_all()
        list(function(0, iter(ArrowTableToRowsConversion.convert(table, schema))))
        return b""

    return run_batch


def make_function(description):
    """A function from an Arrow IPC stream of rows to one of results."""
    (size,) = struct.unpack("!I", description[:4])
    header = json.loads(description[4 : 4 + size])
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if header["python"] and header["python"] != mine:
        raise RuntimeError(
            f"[PYTHON_VERSION_MISMATCH] Python in worker has different version: {mine} than that in driver: "
            f"{header['python']}, PySpark cannot run with different minor versions. The worker runs {sys.executable}; "
            "FRAZIL_PYTHON (in the server's environment) or spark.pyspark.python names another one."
        )
    try:
        from pyspark import cloudpickle
        from pyspark.sql.types import _parse_datatype_json_string
    except ImportError as error:
        raise RuntimeError(
            f"Python functions need pyspark-client, which {sys.executable} lacks ({error}). Install it there, or name "
            "another Python by FRAZIL_PYTHON (in the server's environment) or spark.pyspark.python."
        ) from None
    if str(header["eval_type"]).startswith("dataSource"):
        return part(2, "data_source_worker").make_step(header, description[4 + size :])
    if header["eval_type"] == "foreachBatch":
        return foreach_batch(header, cloudpickle.loads(description[4 + size :]))
    if header["eval_type"] == "foreach":
        return foreach_row(header, cloudpickle.loads(description[4 + size :])[0])
    if header["eval_type"] in part(3, "table_function_worker").TABLE_FUNCTIONS:
        return part(3, "table_function_worker").make_function(header, description[4 + size :])
    function, _ = cloudpickle.loads(description[4 + size :])
    return_type = _parse_datatype_json_string(header["output"])
    if header["eval_type"] == SQL_BATCHED_UDF:
        schema = _parse_datatype_json_string(header["input"])
        return part(4, "scalar_worker").pickled_function(header, function, return_type, schema)
    if header["eval_type"] == GROUPED_MAP_PANDAS_UDF_WITH_STATE:
        return state_function(header, function, return_type, _parse_datatype_json_string(header["input"]))
    if header["eval_type"] in STATEFUL_UDFS:
        stateful = part(1, "stateful_worker").stateful_function
        schema = _parse_datatype_json_string(header["input"])
        return stateful(header, function, return_type, schema, sys.modules["__main__"])
    if header["eval_type"] in MAP_UDFS:
        return map_function(header, function, return_type)
    if header["eval_type"] in COGROUPED_MAP_UDFS:
        return cogrouped_function(header, function, return_type)
    if header["eval_type"] in GROUPED_MAP_UDFS + GROUPED_AGG_UDFS:
        return grouped_function(header, function, return_type)
    schema = _parse_datatype_json_string(header["input"])
    return part(4, "scalar_worker").arrow_function(header, function, return_type, schema)


def serve(reader, writer):
    known = {}
    description = b""
    # One request at a time: nothing is in the reader's buffer while this waits.
    while select.select([reader], [], [], LONGEST_WAIT)[0]:
        size_bytes = reader.read(8)
        if len(size_bytes) < 8:
            return
        (size,) = struct.unpack("!Q", size_bytes)
        if size != SAME:
            description = read_exactly(reader, size)
        (size,) = struct.unpack("!Q", read_exactly(reader, 8))
        data = read_exactly(reader, size)
        try:
            if description not in known:
                if len(known) >= 64:
                    known.clear()
                known[description] = make_function(description)
            kind, answer = b"R", known[description](data)
        except BaseException:
            kind, answer = b"E", traceback.format_exc().encode("utf-8", "replace")
        writer.write(kind + struct.pack("!Q", len(answer)))
        writer.write(answer)
        writer.flush()


def use_artifacts(folder):
    """Makes the files that the client sent (addArtifact) those of this process: its working folder, modules in it, also
    in archives, and what SparkFiles names. Archives to be unpacked lie in the folder .archives, as name#target."""
    if not folder:
        return
    archives = os.path.join(folder, ".archives")
    for name in os.listdir(archives) if os.path.isdir(archives) else ():
        file, _, target = name.partition("#")
        unpack(os.path.join(archives, name), file, os.path.join(folder, target or file))
    os.chdir(folder)
    libraries = [name for name in sorted(os.listdir(folder)) if name.endswith((".zip", ".egg", ".jar"))]
    sys.path[1:1] = [folder, *(os.path.join(folder, name) for name in libraries)]

    class SparkFiles:
        """Stands in for that of PySpark, which pyspark-client lacks."""

        @classmethod
        def get(cls, filename):
            return os.path.join(folder, filename)

        @classmethod
        def getRootDirectory(cls):
            return folder

    try:
        import pyspark
    except ImportError:
        return
    if not hasattr(pyspark, "SparkFiles"):
        pyspark.SparkFiles = SparkFiles
        core, files = types.ModuleType("pyspark.core"), types.ModuleType("pyspark.core.files")
        files.SparkFiles = SparkFiles
        sys.modules.setdefault("pyspark.core", core)
        sys.modules.setdefault("pyspark.core.files", files)
        sys.modules.setdefault("pyspark.files", files)
    else:
        pyspark.SparkFiles._root_directory = folder
        pyspark.SparkFiles._is_running_on_worker = True


def unpack(archive, name, target):
    """Several processes may do it at once: what is there is whole."""
    import shutil
    import tempfile

    if os.path.exists(target):
        return
    made = tempfile.mkdtemp(dir=os.path.dirname(archive), prefix=".unpacking")
    kind = "zip" if name.endswith((".zip", ".jar")) else "tar" if name.endswith(".tar") else "gztar"
    shutil.unpack_archive(archive, made, kind)
    try:
        os.rename(made, target)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)


def main():
    use_artifacts(sys.argv[5])
    # This text comes by `python -c`; PySpark 4.2 takes a program without a file for one that runs doctests.
    sys.modules["__main__"].__file__ = "frazil/udf_worker.py"
    # Functions may read and print: the socket is not theirs.
    socket = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=exit_with, args=(os.getppid(),), daemon=True).start()
    with open(socket, "rb", closefd=False) as reader, open(socket, "wb") as writer:
        serve(reader, writer)


if __name__ == "__main__":
    main()
