"""Data sources written in Python, inside a worker process: udf_worker.py loads this text and sends it the requests.

A request's kind ("eval_type") is one of those of `make_step`. Each gets as rows a line of JSON and, behind it, bytes,
and answers a list of parts: for each its length (8 bytes) and its bytes. What is pickled comes as the function of the
description: the class for "dataSourceCreate" and "dataSourceWriter", an instance for "dataSourcePlan" and
"dataSourceStream", the reader with its source for "dataSourceRead" and the other steps of streams, the writer for
"dataSourceWrite" and "dataSourceCommit". The reader of a stream may remember things from step to step: each answers the
reader, pickled again, before anything else.
"""

import io
import json
import struct
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal


def joined(parts):
    out = io.BytesIO()
    for part in parts:
        out.write(struct.pack("!Q", len(part)))
        out.write(part)
    return out.getvalue()


def split(data):
    parts, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from("!Q", data, at)
        parts.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return parts


def mismatch(expected, actual):
    from pyspark.errors import PySparkAssertionError

    return PySparkAssertionError(
        errorClass="DATA_SOURCE_TYPE_MISMATCH", messageParameters={"expected": expected, "actual": actual}
    )


def instance_of(source_class, job):
    """An instance of the class for the options that the statement gives."""
    import inspect

    from pyspark.sql.datasource import CaseInsensitiveDict, DataSource

    if not (isinstance(source_class, type) and issubclass(source_class, DataSource)):
        raise mismatch("a subclass of DataSource", f"'{type(source_class).__name__}'")
    if not inspect.ismethod(source_class.name):
        raise mismatch("'name()' method to be a classmethod", f"'{type(source_class.name).__name__}'")
    name = source_class.name()
    if job["provider"].lower() != name.lower():
        raise mismatch(f"provider with name {name}", f"'{job['provider']}'")
    options = CaseInsensitiveDict()
    for key, value in job["options"].items():
        options[key] = value
    return source_class(options=options)


def create(source_class, job, _):
    """The schema (JSON, or text where the source gives text) and the pickled instance."""
    from pyspark import cloudpickle

    source = instance_of(source_class, job)
    schema = job["schema"]
    if schema is None:
        given = source.schema()
        assert given is not None
        schema = given if isinstance(given, str) else given.json()
    return [schema.encode(), cloudpickle.dumps(source)]


def schema_of(job):
    from pyspark.sql.types import _parse_datatype_json_string

    return _parse_datatype_json_string(job["schema"])


EPOCH = datetime(1970, 1, 1)
FILTER_VALUES = {
    "date": lambda days: date(1970, 1, 1) + timedelta(days=days),
    "timestamp": lambda micros: EPOCH.replace(tzinfo=timezone.utc) + timedelta(microseconds=micros),
    "timestamp_ntz": lambda micros: EPOCH + timedelta(microseconds=micros),
    "time": lambda micros: (datetime.combine(date(1970, 1, 1), time()) + timedelta(microseconds=micros)).time(),
    "decimal": Decimal,
    "plain": lambda value: value,
}


def filter_of(described):
    """A filter of pyspark from its name, column, and value: a pair of its kind and itself, or a list of such pairs."""
    from pyspark.sql import datasource

    def value_of(pair):
        return FILTER_VALUES[pair[0]](pair[1])

    arguments = {"attribute": tuple(described["column"])}
    if "value" in described:
        arguments["value"] = value_of(described["value"])
    if "values" in described:
        arguments["value"] = tuple(value_of(pair) for pair in described["values"])
    made = getattr(datasource, described["name"])(**arguments)
    return datasource.Not(made) if described["negated"] else made


def push_filters(reader, job):
    from pyspark.errors import PySparkAssertionError, PySparkValueError
    from pyspark.sql.datasource import DataSourceReader

    own = getattr(type(reader), "pushFilters", None)
    if own is None or own is getattr(DataSourceReader, "pushFilters", None):
        return
    if not job["pushes_filters"]:
        raise PySparkAssertionError(
            errorClass="DATA_SOURCE_PUSHDOWN_DISABLED",
            messageParameters={"type": type(reader).__name__, "conf": "spark.sql.python.filterPushdown.enabled"},
        )
    filters = [filter_of(described) for described in job["filters"]]
    if not filters:
        return
    # All rows are filtered again, whatever the reader takes over.
    extraneous = [left for left in reader.pushFilters(list(filters)) if not any(left is one for one in filters)]
    if extraneous:
        raise PySparkValueError(
            errorClass="DATA_SOURCE_EXTRANEOUS_FILTERS",
            messageParameters={
                "type": type(reader).__name__,
                "input": str(filters),
                "extraneous": str(extraneous),
            },
        )


def plan(source, job, _):
    """The pickled reader (with its source), then each partition, pickled."""
    from pyspark import cloudpickle
    from pyspark.sql.datasource import DataSourceReader, InputPartition

    reader = source.reader(schema=schema_of(job))
    if not isinstance(reader, DataSourceReader):
        raise mismatch("an instance of DataSourceReader", f"'{type(reader).__name__}'")
    push_filters(reader, job)
    try:
        partitions = reader.partitions()
        if not isinstance(partitions, list):
            raise mismatch("'partitions' to return a list", f"'{type(partitions).__name__}'")
        if not all(isinstance(partition, InputPartition) for partition in partitions):
            types = ", ".join(f"'{type(partition).__name__}'" for partition in partitions)
            raise mismatch("elements in 'partitions' to be of type 'InputPartition'", types)
    except NotImplementedError:
        partitions = []
    pickled = [cloudpickle.dumps(partition) for partition in partitions or [None]]
    return [cloudpickle.dumps((reader, source)), *pickled]


def read(reader_and_source, job, partition):
    """The rows of one partition, as an Arrow IPC stream."""
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.worker.plan_data_source_read import records_to_arrow_batches

    reader, source = reader_and_source
    schema = schema_of(job)
    rows = reader.read(cloudpickle.loads(partition))
    if not isinstance(rows, Iterator):
        raise PySparkRuntimeError(
            errorClass="DATA_SOURCE_INVALID_RETURN_TYPE",
            messageParameters={
                "type": type(rows).__name__,
                "name": source.name(),
                "supported_types": "iterator",
            },
        )
    return [arrow_stream(records_to_arrow_batches(rows, job["batch_rows"], schema, source), to_arrow_schema(schema))]


def arrow_stream(batches, schema):
    """Batches, whose columns may come in another order or in types that can be cast, as a stream of the schema."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            if batch.schema.names != schema.names:
                batch = batch.select(schema.names)
            if batch.schema != schema:
                batch = pa.RecordBatch.from_arrays(
                    [column.cast(field.type) for column, field in zip(batch.columns, schema)], schema=schema
                )
            stream.write_batch(batch)
    return sink.getvalue().to_pybytes()


def make_writer(source_class, job, _):
    from pyspark import cloudpickle
    from pyspark.sql.datasource import DataSourceWriter

    source = instance_of(source_class, job)
    if job.get("stream"):
        from pyspark.sql.datasource import DataSourceStreamWriter as Writer

        writer = source.streamWriter(schema_of(job), job["overwrite"])
    else:
        Writer = DataSourceWriter
        writer = source.writer(schema_of(job), job["overwrite"])
    if not isinstance(writer, Writer):
        raise mismatch(f"an instance of {Writer.__name__}", f"'{type(writer).__name__}'")
    return [cloudpickle.dumps(writer)]


def write(writer, job, rows):
    """Writes the rows of one partition, which come as an Arrow IPC stream; the pickled commit message."""
    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import datasource
    from pyspark.sql.conversion import ArrowTableToRowsConversion
    from pyspark.taskcontext import TaskContext

    context = TaskContext._getOrCreate()
    context._partitionId = job["partition"]
    context._taskAttemptId = job["partition"]
    batches = pa.ipc.open_stream(rows)
    arrow_writers = tuple(
        getattr(datasource, name)
        for name in ("DataSourceArrowWriter", "DataSourceStreamArrowWriter")
        if hasattr(datasource, name)
    )
    if isinstance(writer, arrow_writers):
        message = writer.write(iter(batches))
    else:
        schema = schema_of(job)
        message = writer.write(
            row for batch in batches for row in ArrowTableToRowsConversion.convert(pa.Table.from_batches([batch]), schema)
        )
    if not isinstance(message, datasource.WriterCommitMessage):
        raise PySparkRuntimeError(
            errorClass="DATA_SOURCE_TYPE_MISMATCH",
            messageParameters={
                "expected": "'WriterCommitMessage' as the return type of the `write` method",
                "actual": type(message).__name__,
            },
        )
    return [cloudpickle.dumps(message)]


def commit(writer, job, messages):
    from pyspark import cloudpickle

    # A partition that failed has no message.
    unpickled = [cloudpickle.loads(message) if message else None for message in split(messages)]
    batch = () if job.get("batch") is None else (job["batch"],)
    if job["abort"]:
        writer.abort(unpickled, *batch)
    else:
        writer.commit(unpickled, *batch)
    return []


class KnownRows:
    """A reader of rows that have been read already: they are its partition."""

    def read(self, rows):
        return iter(rows)


def stream_answer(reader, source, *parts):
    from pyspark import cloudpickle

    return [cloudpickle.dumps((reader, source)), *parts]


def stream(source, job, _):
    """The reader of a stream, and where a new query begins."""
    from pyspark.sql.datasource import DataSourceStreamReader, SimpleDataSourceStreamReader

    schema = schema_of(job)
    try:
        reader, kind = source.streamReader(schema=schema), DataSourceStreamReader
    except NotImplementedError:
        reader, kind = source.simpleStreamReader(schema=schema), SimpleDataSourceStreamReader
    if not isinstance(reader, kind):
        raise mismatch(f"an instance of {kind.__name__}", f"'{type(reader).__name__}'")
    first = json.dumps(reader.initialOffset())
    return stream_answer(reader, source, first.encode())


def is_simple(reader):
    from pyspark.sql.datasource import SimpleDataSourceStreamReader

    return isinstance(reader, SimpleDataSourceStreamReader)


def known_rows(source, rows):
    from pyspark import cloudpickle

    return [cloudpickle.dumps((KnownRows(), source)), cloudpickle.dumps(list(rows))]


def latest(reader_and_source, job, _):
    """How far there are rows behind "start". A simple reader gives them with it: a reader of theirs and its partition."""
    reader, source = reader_and_source
    if not is_simple(reader):
        end = json.dumps(reader.latestOffset())
        return stream_answer(reader, source, end.encode())
    rows, end = reader.read(json.loads(job["start"]))
    known = known_rows(source, rows)
    return stream_answer(reader, source, json.dumps(end).encode(), *known)


def stream_partitions(reader_and_source, job, _):
    """A reader of what is between "start" and "end", and its partitions."""
    from pyspark import cloudpickle

    reader, source = reader_and_source
    start, end = json.loads(job["start"]), json.loads(job["end"])
    if is_simple(reader):
        known = known_rows(source, reader.readBetweenOffsets(start, end))
        return stream_answer(reader, source, *known)
    partitions = [cloudpickle.dumps(partition) for partition in reader.partitions(start, end)]
    again = cloudpickle.dumps((reader, source))
    return stream_answer(reader, source, again, *partitions)


def stream_commit(reader_and_source, job, _):
    reader, source = reader_and_source
    reader.commit(json.loads(job["end"]))
    return stream_answer(reader, source)


STEPS = {
    "dataSourceCreate": create,
    "dataSourcePlan": plan,
    "dataSourceRead": read,
    "dataSourceWriter": make_writer,
    "dataSourceWrite": write,
    "dataSourceCommit": commit,
    "dataSourceStream": stream,
    "dataSourceStreamLatest": latest,
    "dataSourceStreamPartitions": stream_partitions,
    "dataSourceStreamCommit": stream_commit,
}


def make_step(header, pickled):
    """What answers requests of that kind, about what is pickled."""
    from pyspark import cloudpickle

    step = STEPS[header["eval_type"]]

    def run(data):
        line, _, rest = data.partition(b"\n")
        # Each request has its own copy: what one leaves in it is not for the next.
        return joined(step(cloudpickle.loads(pickled), json.loads(line), rest))

    return run
