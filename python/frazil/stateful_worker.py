"""transformWithState and transformWithStateInPandas: the user's StatefulProcessor over the groups of a batch.

A part of udf_worker.py (`worker`), which loads this text into a module of its own. A row of the input is a group: its
rows (NULL: none came), its initial rows (NULL: there are none), the columns of its key, its state (binary; NULL: there
is none), the time of the batch and the watermark (milliseconds). The result is the rows that the group gives, its state
(NULL: nothing is kept), its next timer (-1: there is none), and when all that is kept will have outlived its time
(-1: it will not). Over a batch that is no stream there are the rows and the key alone, and the result is the rows.

What is kept of a group is a pickled pair of {name of a variable: value} and a sorted list of timers. A value is a pair
of internal values (DataType.toInternal) and its end in milliseconds (-1: none), for a list a list of such pairs, for a
map a dictionary {key made hashable: (key, values, end)}.
"""

import itertools
import json
import pickle
import re
import struct

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import types
from pyspark.sql.streaming import stateful_processor as processors

NOTHING = -1
SIMPLE_TYPES = {
    "boolean": types.BooleanType,
    "tinyint": types.ByteType,
    "byte": types.ByteType,
    "smallint": types.ShortType,
    "short": types.ShortType,
    "int": types.IntegerType,
    "integer": types.IntegerType,
    "bigint": types.LongType,
    "long": types.LongType,
    "float": types.FloatType,
    "real": types.FloatType,
    "double": types.DoubleType,
    "date": types.DateType,
    "timestamp": types.TimestampType,
    "timestamp_ltz": types.TimestampType,
    "timestamp_ntz": types.TimestampNTZType,
    "string": types.StringType,
    "binary": types.BinaryType,
    "void": types.NullType,
}


class SchemaText:
    """A schema as text: "a INT, b ARRAY<STRUCT<c: STRING>>"."""

    def __init__(self, text):
        self.text = text
        self.tokens = re.findall(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\w+|[^\s\w]", text)
        self.place = 0

    def next(self):
        if self.place == len(self.tokens):
            raise PySparkRuntimeError(f"Error parsing string schema: [PARSE_SYNTAX_ERROR] Syntax error in '{self.text}'.")
        self.place += 1
        return self.tokens[self.place - 1]

    def take(self, token):
        if self.place < len(self.tokens) and self.tokens[self.place].lower() == token:
            self.place += 1
            return True
        return False

    def expect(self, token):
        if not self.take(token):
            raise PySparkRuntimeError(
                f"Error parsing string schema: [PARSE_SYNTAX_ERROR] Syntax error in '{self.text}': '{token}' is missing."
            )

    def data_type(self):
        name = self.next().lower()
        if name in SIMPLE_TYPES:
            return SIMPLE_TYPES[name]()
        if name in ("decimal", "dec", "numeric"):
            numbers = [10, 0]
            if self.take("("):
                numbers[0] = int(self.next())
                numbers[1] = int(self.next()) if self.take(",") else 0
                self.expect(")")
            return types.DecimalType(*numbers)
        if name in ("char", "character", "varchar"):
            self.expect("(")
            length = int(self.next())
            self.expect(")")
            return types.VarcharType(length) if name == "varchar" else types.CharType(length)
        if name == "array":
            self.expect("<")
            element = self.data_type()
            self.expect(">")
            return types.ArrayType(element)
        if name == "map":
            self.expect("<")
            key = self.data_type()
            self.expect(",")
            value = self.data_type()
            self.expect(">")
            return types.MapType(key, value)
        if name == "struct":
            self.expect("<")
            fields = types.StructType([] if self.take(">") else self.fields(">"))
            return fields
        raise PySparkRuntimeError(f'Error parsing string schema: [UNSUPPORTED_DATATYPE] Unsupported data type "{name}".')

    def fields(self, end):
        fields = []
        while True:
            name = self.next()
            if name.startswith("`"):
                name = name[1:-1].replace("``", "`")
            self.take(":")
            data_type, nullable = self.data_type(), True
            if self.take("not"):
                self.expect("null")
                nullable = False
            if self.take("comment"):
                self.next()
            fields.append(types.StructField(name, data_type, nullable))
            if end is None and self.place == len(self.tokens):
                return fields
            if end is not None and self.take(end):
                return fields
            self.expect(",")


def as_schema(schema):
    if not isinstance(schema, str):
        return schema
    if schema.lstrip().startswith("{"):
        return types.StructType.fromJson(json.loads(schema))
    return types.StructType(SchemaText(schema).fields(None))


def plain(value):
    """Python's own values instead of numpy's and pandas'."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, types.Row):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(plain(item) for item in value)
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    return value


def converter(data_type, worker):
    """As Spark's JVM takes an internal value of Python into the type: None where it is of another one."""
    if isinstance(data_type, types.ArrayType):
        element = converter(data_type.elementType, worker)
        return lambda value: [element(item) for item in value] if isinstance(value, (list, tuple)) else None
    if isinstance(data_type, types.MapType):
        to_key, to_value = converter(data_type.keyType, worker), converter(data_type.valueType, worker)
        return lambda value: {to_key(k): to_value(v) for k, v in value.items()} if isinstance(value, dict) else None
    if isinstance(data_type, types.StructType):
        fields = [converter(field.dataType, worker) for field in data_type.fields]
        return lambda value: (
            tuple(field(item) for field, item in zip(fields, value)) if isinstance(value, (list, tuple)) else None
        )
    return worker.pickled_result(data_type)


class Schema:
    """What a variable keeps: tuples of the user to internal values and back."""

    def __init__(self, schema, worker):
        self.type = as_schema(schema)
        self.fields = [converter(field.dataType, worker) for field in self.type.fields]

    def to_internal(self, value):
        names = [field.name for field in self.type.fields]
        values = list(value)
        if len(values) != len(names):
            raise ValueError(f"The state has {len(names)} values, not {len(values)}: {value!r}")
        row = types.Row(**dict(zip(names, (plain(item) for item in values))))
        return tuple(field(item) for field, item in zip(self.fields, self.type.toInternal(row)))

    def from_internal(self, values):
        return tuple(self.type.fromInternal(values))


def hashable(value):
    if isinstance(value, (list, tuple)):
        return tuple(hashable(item) for item in value)
    if isinstance(value, dict):
        return frozenset((hashable(key), hashable(item)) for key, item in value.items())
    if isinstance(value, bytearray):
        return bytes(value)
    # Each NaN is the same key, and 0.0 another one than 0 of a whole number.
    return struct.pack("!d", value) if isinstance(value, float) else (type(value).__name__, value)


class Variable:
    """A variable of state, of the group that is current."""

    def __init__(self, handle, name, schema, ttl):
        self._handle, self._name, self._ttl = handle, name, ttl
        self._schema = Schema(schema, handle.worker)

    def _end(self):
        return NOTHING if self._ttl is None else self._handle.now + self._ttl

    def _lives(self, end):
        return end < 0 or end > self._handle.now

    def _kept(self):
        return self._handle.values.get(self._name)

    def clear(self):
        self._handle.values.pop(self._name, None)


class Value(Variable, processors.ValueState):
    def exists(self):
        return self.get() is not None

    def get(self):
        kept = self._kept()
        return self._schema.from_internal(kept[0]) if kept is not None and self._lives(kept[1]) else None

    def update(self, newValue):
        self._handle.values[self._name] = (self._schema.to_internal(newValue), self._end())


class List(Variable, processors.ListState):
    def _living(self):
        return [item for item in self._kept() or [] if self._lives(item[1])]

    def exists(self):
        return bool(self._living())

    def get(self):
        return iter([self._schema.from_internal(values) for values, _ in self._living()])

    def _new(self, values):
        return [(self._schema.to_internal(value), self._end()) for value in values]

    def put(self, newState):
        self._handle.values[self._name] = self._new(newState)

    def appendValue(self, newState):
        self.appendList([newState])

    def appendList(self, newState):
        self._handle.values[self._name] = self._living() + self._new(newState)


class Map(Variable, processors.MapState):
    def __init__(self, handle, name, key_schema, value_schema, ttl):
        super().__init__(handle, name, value_schema, ttl)
        self._key_schema = Schema(key_schema, handle.worker)

    def _living(self):
        return [entry for entry in (self._kept() or {}).values() if self._lives(entry[2])]

    def exists(self):
        return bool(self._living())

    def getValue(self, key):
        entry = (self._kept() or {}).get(hashable(self._key_schema.to_internal(key)))
        return self._schema.from_internal(entry[1]) if entry is not None and self._lives(entry[2]) else None

    def containsKey(self, key):
        return self.getValue(key) is not None

    def updateValue(self, key, value):
        internal = self._key_schema.to_internal(key)
        entries = self._handle.values.setdefault(self._name, {})
        entries[hashable(internal)] = (internal, self._schema.to_internal(value), self._end())

    def iterator(self):
        return zip(self.keys(), self.values())

    def keys(self):
        return iter([self._key_schema.from_internal(key) for key, _, _ in self._living()])

    def values(self):
        return iter([self._schema.from_internal(values) for _, values, _ in self._living()])

    def removeKey(self, key):
        (self._kept() or {}).pop(hashable(self._key_schema.to_internal(key)), None)


class Handle(processors.StatefulProcessorHandle):
    """What the processor gets in init()."""

    def __init__(self, worker, time_mode, now):
        self.worker, self.time_mode, self.now = worker, time_mode, now
        self.phase = "CREATED"
        self.variables, self.kinds = set(), {}
        self.values, self.timers, self.deleted = {}, [], set()

    def _define(self, what, name, ttl):
        if self.phase != "CREATED":
            raise PySparkRuntimeError(
                f"Error initializing {what} state: [STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_HANDLE_STATE] "
                f"Failed to perform stateful processor operation=get_{what}_state with invalid handle state={self.phase}. "
                "SQLSTATE: 42802"
            )
        if name in self.variables:
            raise PySparkRuntimeError(
                f"Error initializing {what} state: [STATEFUL_PROCESSOR_DUPLICATE_STATE_VARIABLE_DEFINED] State variable "
                f"with name {name} has already been defined in the StatefulProcessor. SQLSTATE: 42802"
            )
        if ttl is not None and self.time_mode != "processingtime":
            raise PySparkRuntimeError(
                f"Error initializing {what} state: [STATEFUL_PROCESSOR_INCORRECT_TIME_MODE_TO_ASSIGN_TTL] Cannot use TTL "
                f"for state={name} in timeMode={self.time_mode}, use TimeMode.ProcessingTime() instead. SQLSTATE: 42802"
            )
        if ttl is not None and ttl <= 0:
            raise PySparkRuntimeError(
                f"Error initializing {what} state: [STATEFUL_PROCESSOR_TTL_DURATION_MUST_BE_POSITIVE] TTL duration must "
                f"be greater than zero for State store operation=get_{what}_state on state={name}. SQLSTATE: 42802"
            )
        self.variables.add(name)

    def getValueState(self, stateName, schema, ttlDurationMs=None):
        self._define("value", stateName, ttlDurationMs)
        self.kinds[stateName] = Value(self, stateName, schema, ttlDurationMs)
        return self.kinds[stateName]

    def getListState(self, stateName, schema, ttlDurationMs=None):
        self._define("list", stateName, ttlDurationMs)
        self.kinds[stateName] = List(self, stateName, schema, ttlDurationMs)
        return self.kinds[stateName]

    def getMapState(self, stateName, userKeySchema, valueSchema, ttlDurationMs=None):
        self._define("map", stateName, ttlDurationMs)
        self.kinds[stateName] = Map(self, stateName, userKeySchema, valueSchema, ttlDurationMs)
        return self.kinds[stateName]

    def _check_timer(self, operation, error):
        if self.time_mode == "none":
            raise PySparkRuntimeError(
                f"{error}: [STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_TIME_MODE] Failed to perform "
                f"stateful processor operation={operation} with invalid timeMode={self.time_mode} SQLSTATE: 42802"
            )
        if self.phase == "CREATED":
            raise PySparkRuntimeError(
                f"{error}: [STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_HANDLE_STATE] Failed to perform "
                f"stateful processor operation={operation} with invalid handle state={self.phase}. SQLSTATE: 42802"
            )

    def registerTimer(self, expiryTimestampMs):
        self._check_timer("register_timer", "Error register timer")
        if expiryTimestampMs not in self.timers:
            self.timers.append(int(expiryTimestampMs))
            self.timers.sort()

    def deleteTimer(self, expiryTimestampMs):
        self._check_timer("delete_timer", "Error deleting timer")
        if expiryTimestampMs in self.timers:
            self.timers.remove(expiryTimestampMs)

    def listTimers(self):
        self._check_timer("list_timers", "Error listing timers")
        return iter(list(self.timers))

    def deleteIfExists(self, stateName):
        if self.phase != "CREATED":
            raise PySparkRuntimeError(
                "Error deleting state: [STATEFUL_PROCESSOR_CANNOT_PERFORM_OPERATION_WITH_INVALID_HANDLE_STATE] Failed to "
                f"perform stateful processor operation=delete_if_exists with invalid handle state={self.phase}. "
                "SQLSTATE: 42802"
            )
        self.deleted.add(stateName)

    def load(self, group):
        self.values, self.timers = group
        for name in self.deleted:
            self.values.pop(name, None)
        # A variable may have become one of another kind.
        for name, variable in self.kinds.items():
            kept = self.values.get(name)
            kind = {tuple: Value, list: List, dict: Map}.get(type(kept))
            if kept is not None and not isinstance(variable, kind):
                raise PySparkRuntimeError(f"The state {name} is kept as a {kind.__name__.lower()}.")

    def purge(self):
        """Forgets what has outlived its time; when the last of it will have (-1: never)."""
        ends = []
        for name, kept in list(self.values.items()):
            if isinstance(kept, tuple):
                entries = [kept[1]] if self._lives(kept[1]) else []
            elif isinstance(kept, list):
                kept[:] = [item for item in kept if self._lives(item[1])]
                entries = [end for _, end in kept]
            else:
                for key in [key for key, entry in kept.items() if not self._lives(entry[2])]:
                    del kept[key]
                entries = [entry[2] for entry in kept.values()]
            if not entries:
                del self.values[name]
            ends += entries
        return NOTHING if self.timers or NOTHING in ends or not ends else max(ends)

    def _lives(self, end):
        return end < 0 or end > self.now


class Groups:
    """The groups of one call, which go through a processor of their own."""

    def __init__(self, function, now, watermark, worker):
        # The processor is pickled in its function; a call has a copy, as a task of Spark has.
        from pyspark import cloudpickle

        utilities = cloudpickle.loads(cloudpickle.dumps(function)).__self__
        self.processor, self.time_mode = utilities._stateful_processor, utilities._time_mode.lower()
        self.now, self.watermark = now, watermark
        times = (-1, -1) if self.time_mode == "none" else (now, watermark)
        self.times = processors.TimerValues(*times)
        self.handle = Handle(worker, self.time_mode, now)
        self.processor.init(self.handle)
        self.handle.phase = "INITIALIZED"

    def handle_rows(self, group, key, initial, rows):
        """`initial`, `rows`: iterators; rows is None where none came. The results."""
        self.handle.load(group)
        for one in initial:
            self.processor.handleInitialState(key, one, self.times)
        return [] if rows is None else list(self.processor.handleInputRows(key, rows, self.times) or [])

    def handle_timers(self, group, key):
        self.handle.load(group)
        self.handle.phase = "DATA_PROCESSED"
        until = {"processingtime": self.now, "eventtime": self.watermark}.get(self.time_mode, NOTHING)
        results = []
        for expired in [timer for timer in self.handle.timers if timer <= until]:
            if expired not in self.handle.timers:
                continue  # Another one's handler has deleted it.
            info = processors.ExpiredTimerInfo(expired)
            results += list(self.processor.handleExpiredTimer(key, self.times, info) or [])
            self.handle.deleteTimer(expired)
        return results

    def save(self, group):
        self.handle.load(group)
        end = self.handle.purge()
        values, timers = self.handle.values, self.handle.timers
        data = pickle.dumps((values, timers), protocol=4) if values or timers else None
        return data, timers[0] if timers else NOTHING, end


def stateful_function(header, function, return_type, input_type, worker):
    """transformWithState (rows) and transformWithStateInPandas (DataFrames)."""
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_type

    in_rows = header["eval_type"] in worker.STATEFUL_ROW_UDFS
    is_stream = isinstance(return_type, types.StructType)
    keys = len(input_type.fields) - (5 if is_stream else 4)
    row_array = return_type.fields[0].dataType if is_stream else return_type
    row_type = row_array.elementType
    run_frames = worker.grouped_function(
        {**header, "eval_type": worker.GROUPED_MAP_PANDAS_UDFS[0], "arguments": [None]}, worker.call_with_state, row_array
    )
    module = worker.state_module()

    def groups_of(column, key_columns, present):
        """The rows of each group that has some, as DataFrames behind their keys: pyspark's own conversion."""
        found = []

        def call(key, rows):
            found.append((key, rows))
            return pd.DataFrame()

        module.call = call
        lists = [column[i].values if present[i] else pa.nulls(1, column.type.value_type) for i in range(len(column))]
        answer_of(lists, column.type.value_type, key_columns)
        return found

    def answer_of(lists, value_type, key_columns):
        offsets = list(itertools.accumulate((len(one) for one in lists), initial=0))
        values = pa.concat_arrays(lists) if lists else pa.array([], type=value_type)
        columns = [pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), values), *key_columns]
        batch = pa.RecordBatch.from_arrays(columns, [f"_{n}" for n in range(len(columns))])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        return pa.ipc.open_stream(run_frames(sink.getvalue().to_pybytes())).read_all().column(0).combine_chunks()

    def rows_of(column, i):
        values = column[i].values
        row = types.Row(*(field.name for field in values.type))
        columns = [part.to_pylist() for part in values.flatten()]
        return [row(*one) for one in zip(*columns)] if columns else []

    def frames_result(results):
        """Arrays of structs from the DataFrames of each group."""
        for frames in results:
            for frame in frames:
                if not isinstance(frame, pd.DataFrame):
                    raise TypeError(
                        "[UDF_RETURN_TYPE] Return type of the user-defined function should be pandas.DataFrame, but is "
                        f"{type(frame).__name__}."
                    )
        waiting = iter(results)

        def call(key, rows):
            frames = next(waiting)
            return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

        module.call = call
        one = pa.array([{"_0": 0}], type=pa.struct([("_0", pa.int32())]))
        number = pa.array(range(len(results)), type=pa.int32())
        answer = answer_of([one] * len(results), one.type, [number])
        return answer.chunk(0) if isinstance(answer, pa.ChunkedArray) else answer

    def rows_result(results):
        schema = pa.schema(list(to_arrow_type(row_type)))
        parts = [pa.RecordBatch.from_pylist([row.asDict(True) for row in rows], schema=schema) for rows in results]
        return worker.list_column(row_type, [part.to_struct_array() for part in parts], [len(rows) for rows in results])

    def run_batch(data):
        table = pa.ipc.open_stream(data).read_all().combine_chunks()
        columns = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns]
        count = table.num_rows
        rows = columns[0]
        key_columns = columns[(2 if is_stream else 1) : (2 if is_stream else 1) + keys]
        initial = columns[1] if is_stream else None
        states = columns[2 + keys] if is_stream else None
        now, watermark = (columns[3 + keys][0].as_py(), columns[4 + keys][0].as_py()) if is_stream else (current_milliseconds(), 0)
        has_rows = [rows[i].is_valid and len(rows[i]) > 0 for i in range(count)]
        has_initial = [is_stream and initial[i].is_valid and len(initial[i]) > 0 for i in range(count)]
        groups = Groups(function, now, watermark, worker)
        kept = [pickle.loads(states[i].as_py()) if is_stream and states[i].is_valid else ({}, []) for i in range(count)]
        if in_rows:
            names = [tuple(column[i].as_py() for column in key_columns) for i in range(count)]
            found = [iter(rows_of(rows, i)) if has_rows[i] else None for i in range(count)]
            first = [rows_of(initial, i) if has_initial[i] else [] for i in range(count)]
        else:
            converted = groups_of(rows, key_columns, has_rows)
            names = [key for key, _ in converted]
            found = [iter([frame]) if has_rows[i] else None for i, (_, frame) in enumerate(converted)]
            first = [[] for _ in range(count)]
            if any(has_initial):
                frames = groups_of(initial, key_columns, has_initial)
                first = [[frame] if has_initial[i] else [] for i, (_, frame) in enumerate(frames)]
        results = [groups.handle_rows(kept[i], names[i], first[i], found[i]) for i in range(count)]
        for i in range(count):
            results[i] += groups.handle_timers(kept[i], names[i])
        saved = [groups.save(group) for group in kept]
        groups.handle.phase = "TIMER_PROCESSED"
        groups.processor.close()
        given = rows_result(results) if in_rows else frames_result(results)
        if not is_stream:
            return worker.as_stream(given)
        states, timers, ends = ([one[part] for one in saved] for part in range(3))
        return worker.as_stream(
            pa.StructArray.from_arrays(
                [given, pa.array(states, type=pa.binary()), pa.array(timers, type=pa.int64()), pa.array(ends, type=pa.int64())],
                names=["f0", "f1", "f2", "f3"],
            )
        )

    return run_batch


def current_milliseconds():
    import time

    return int(time.time() * 1000)
