"""Table functions written in Python (UDTFs), inside a worker process: udf_worker.py loads this text.

What is pickled of a description are parts, each with its length (8 bytes) in front: JSON ("name"; "table": the number of
the argument that is a table, or null; "order": for each key of the table's order whether it ascends and whether NULLs
come first), the pickled class, and what analyze() gave (empty: nothing). A table comes as an array of structs: the row,
then the keys that it is sorted by. Without a table a row of the input is a call of eval, and all rows of a batch are one
partition. The call of analyze() itself (ANALYZE) has "arguments" in its JSON, and answers its result as one value.
"""

import io
import json
import math
import struct
import sys

SQL_TABLE_UDF = 300
SQL_ARROW_TABLE_UDF = 301
SQL_ARROW_UDTF = 302
ANALYZE = 1300
TABLE_FUNCTIONS = (SQL_TABLE_UDF, SQL_ARROW_TABLE_UDF, SQL_ARROW_UDTF, ANALYZE)


def worker():
    return sys.modules["__main__"]


def parts_of(pickled):
    return worker().part(2, "data_source_worker").split(pickled)


def sorted_places(keys, order):
    """The places of the rows in their order; `keys`: the values of each key."""

    def rank(value):
        is_nan = isinstance(value, float) and math.isnan(value)
        return (is_nan, 0 if is_nan else value)

    places = list(range(len(keys[0]))) if keys else []
    for values, (ascending, nulls_first) in reversed(list(zip(keys, order))):
        nulls = [place for place in places if values[place] is None]
        rest = [place for place in places if values[place] is not None]
        rest.sort(key=lambda place: rank(values[place]), reverse=not ascending)
        places = nulls + rest if nulls_first else rest + nulls
    return places


def python_values(column, data_type):
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    convert = ArrowTableToRowsConversion._create_converter(data_type)
    return [convert(value) for value in column.to_pylist()]


def table_rows(column, i, data_type, order):
    """The structs of a group's rows in their order, as an Arrow array."""
    import pyarrow as pa

    rows, *keys = column[i].values.flatten()
    if not order:
        return rows
    types = [field.dataType for field in data_type.elementType.fields[1:]]
    places = sorted_places([python_values(key, type_) for key, type_ in zip(keys, types)], order)
    return rows.take(pa.array(places, type=pa.int32()))


def make_mapper(header, name, handler, return_type, analysis):
    """What calls eval for each of an iterator of argument tuples, then terminate: pyspark's own worker code, which reads
    what Spark's JVM would write. For one partition."""
    from pyspark import cloudpickle, worker as pyspark_worker
    from pyspark.serializers import CPickleSerializer

    out = io.BytesIO()
    names = header["arguments"]
    out.write(struct.pack("!i", len(names)))
    for offset, argument in enumerate(names):
        out.write(struct.pack("!i?", offset, argument is not None))
        if argument is not None:
            worker().write_text(argument, out)
    out.write(struct.pack("!i?", 0, bool(analysis)))
    for pickled in [analysis, handler] if analysis else [handler]:
        out.write(struct.pack("!i", len(pickled)) + pickled)
    worker().write_text(return_type.json(), out)
    worker().write_text(name, out)
    out.seek(0)
    return pyspark_worker.read_udtf(CPickleSerializer(), out, SQL_TABLE_UDF)[0]


def row_function(header, spec, handler, analysis, return_type, input_type):
    """Table functions that take and give Python values, also those that Spark would feed by Arrow."""
    import pyarrow as pa
    from pyspark import cloudpickle

    row_type = return_type.elementType
    to_arrow = worker().pickled_result(row_type)
    terminates = hasattr(cloudpickle.loads(handler), "terminate")

    def run_partition(calls):
        """The rows that each call gives, those of terminate behind those of the last one."""
        results = list(make_mapper(header, spec["name"], handler, row_type, analysis)(0, iter(calls)))
        last = list(results.pop()) if terminates else []
        results = [list(rows) for rows in results] + [[] for _ in range(len(calls) - len(results))]
        if results:
            results[-1] += last
        else:
            results = [last]
        return results

    def run_batch(data):
        table = pa.ipc.open_stream(data).read_all().combine_chunks()
        columns = [column.chunk(0) for column in table.columns]
        types = [field.dataType for field in input_type.fields]
        names = header["arguments"]
        at = spec["table"]
        if at is None:
            values = [python_values(column, type_) for column, type_ in zip(columns, types)]
            results = run_partition(list(zip(*values)) if names else [()] * table.num_rows)
        else:
            results = []
            others = [None if n == at else python_values(column, types[n]) for n, column in enumerate(columns)]
            for i in range(table.num_rows):
                rows = python_values(
                    table_rows(columns[at], i, types[at], spec["order"]), types[at].elementType.fields[0].dataType
                )
                calls = [tuple(row if n == at else others[n][i] for n in range(len(columns))) for row in rows]
                results.append([row for result in run_partition(calls) for row in result])
        values = [[to_arrow(row) for row in rows] for rows in results]
        return worker().as_stream(pa.array(values, type=worker().arrow_type(return_type)))

    return run_batch


def arrow_function(header, spec, handler, analysis, return_type):
    """Table functions over Arrow: eval gets a table as a RecordBatch and other arguments as arrays."""
    import inspect

    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.errors import PySparkRuntimeError

    row_type = return_type.elementType
    handler_class = cloudpickle.loads(handler)

    def new_instance():
        takes_analysis = bool(analysis) and len(inspect.getfullargspec(handler_class).args) == 2
        return handler_class(cloudpickle.loads(analysis)) if takes_analysis else handler_class()

    def failed(method, error):
        return PySparkRuntimeError(
            errorClass="UDTF_EXEC_ERROR", messageParameters={"method_name": method, "error": str(error)}
        )

    def structs_of(results, method):
        for result in results if results is not None else ():
            if not isinstance(result, (pa.Table, pa.RecordBatch)):
                raise PySparkRuntimeError(errorClass="UDTF_ARROW_TYPE_CONVERSION_ERROR", messageParameters={})
            if result.num_columns != len(row_type.fields):
                raise PySparkRuntimeError(
                    errorClass="UDTF_RETURN_SCHEMA_MISMATCH",
                    messageParameters={
                        "expected": str(len(row_type.fields)),
                        "actual": str(result.num_columns),
                        "func": method,
                    },
                )
            for batch in result.to_batches() if isinstance(result, pa.Table) else [result]:
                yield batch.to_struct_array()

    def run_partition(arguments):
        from pyspark.sql.udtf import SkipRestOfInputTableException

        named = {name: value for name, value in zip(header["arguments"], arguments) if name is not None}
        positional = [value for name, value in zip(header["arguments"], arguments) if name is None]
        instance = new_instance()
        try:
            try:
                results = list(structs_of(instance.eval(*positional, **named), "eval"))
            except SkipRestOfInputTableException:
                results = []
            except PySparkRuntimeError:
                raise
            except Exception as error:
                raise failed("eval", error) from error
            if hasattr(instance, "terminate"):
                results += list(structs_of(instance.terminate(), "terminate"))
        finally:
            if hasattr(instance, "cleanup"):
                instance.cleanup()
        return results

    def run_batch(data):
        from pyspark.sql.types import _parse_datatype_json_string

        table = pa.ipc.open_stream(data).read_all().combine_chunks()
        columns = [column.chunk(0) for column in table.columns]
        types = [field.dataType for field in _parse_datatype_json_string(header["input"]).fields]
        at = spec["table"]
        groups = []
        if at is None:
            groups.append(run_partition(columns if header["arguments"] else []))
            groups += [[] for _ in range(table.num_rows - 1)]
        else:
            for i in range(table.num_rows):
                rows = table_rows(columns[at], i, types[at], spec["order"])
                batch = pa.RecordBatch.from_arrays(
                    rows.flatten(), [rows.type.field(n).name for n in range(rows.type.num_fields)]
                )
                groups.append(run_partition([batch if n == at else c.slice(i, 1) for n, c in enumerate(columns)]))
        flat = [structs for group in groups for structs in group]
        sizes = [sum(len(structs) for structs in group) for group in groups]
        return worker().as_stream(worker().list_column(row_type, flat, sizes))

    return run_batch


def analyze_function(header, spec, handler):
    """Calls analyze(): the result is JSON of what the planner wants to know, and the result pickled."""
    import inspect

    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.errors import PySparkValueError
    from pyspark.sql.types import StructType, _parse_datatype_json_string
    from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult

    prefix = f"Failed to evaluate the user-defined table function '{spec['name']}'"

    def run(data):
        table = pa.ipc.open_stream(data).read_all()
        handler_class = cloudpickle.loads(handler)
        static = inspect.getattr_static(handler_class, "analyze", None)
        if not isinstance(static, staticmethod):
            raise PySparkValueError(
                "Failed to execute the user defined table function because it has not implemented the 'analyze' static "
                "method or specified a fixed return type during registration time. Please add the 'analyze' static "
                "method or specify the return type, and try the query again."
            )
        arguments, named = [], {}
        for i, described in enumerate(spec["arguments"]):
            data_type = _parse_datatype_json_string(described["type"])
            value = python_values(table.column(i), data_type)[0] if described["constant"] else None
            argument = AnalyzeArgument(
                dataType=data_type,
                value=value,
                isTable=described["table"],
                isConstantExpression=described["constant"],
            )
            if described["name"] is None:
                arguments.append(argument)
            else:
                named[described["name"]] = argument
        try:
            inspect.signature(handler_class.analyze).bind(*arguments, **named)
        except TypeError as error:
            raise PySparkValueError(
                f"{prefix} because the function arguments did not match the expected signature of the static 'analyze' "
                f"method ({error}). Please update the query so that this table function call provides arguments "
                "matching the expected signature, or else update the table function so that its static 'analyze' "
                "method accepts the provided arguments, and then try the query again."
            ) from None
        result = handler_class.analyze(*arguments, **named)
        if not isinstance(result, AnalyzeResult):
            raise PySparkValueError(
                f"{prefix} because the static 'analyze' method expects a result of type "
                "pyspark.sql.udtf.AnalyzeResult, but instead this method returned a value of type: "
                f"{type(result)}"
            )
        if not isinstance(result.schema, StructType):
            raise PySparkValueError(
                f"{prefix} because the static 'analyze' method expects a result of type "
                "pyspark.sql.udtf.AnalyzeResult with a 'schema' field comprising a StructType, but the 'schema' field "
                f"had the wrong type: {type(result.schema)}"
            )
        has_table = any(described["table"] for described in spec["arguments"])
        if not has_table and (result.withSinglePartition or result.partitionBy):
            field = "withSinglePartition" if result.withSinglePartition else "partitionBy"
            raise PySparkValueError(
                f"{prefix} because the static 'analyze' method returned an 'AnalyzeResult' object with the '{field}' "
                "field set, but the function call did not provide any table argument."
            )
        answer = json.dumps(
            {
                "schema": result.schema.json(),
                "single_partition": bool(result.withSinglePartition),
                "partition_by": [column.name for column in result.partitionBy],
                "order_by": [
                    {
                        "name": column.name,
                        "ascending": bool(column.ascending),
                        "nulls_first": column.overrideNullsFirst,
                    }
                    for column in result.orderBy
                ],
                "select": [{"name": column.name, "alias": column.alias} for column in result.select],
            }
        ).encode()
        value = struct.pack("!Q", len(answer)) + answer + cloudpickle.dumps(result)
        return worker().as_stream(pa.array([value] * table.num_rows, type=pa.binary()))

    return run


def make_function(header, pickled):
    from pyspark.sql.types import _parse_datatype_json_string

    spec, handler, *analysis = parts_of(pickled)
    spec = json.loads(spec)
    if header["eval_type"] == ANALYZE:
        return analyze_function(header, spec, handler)
    return_type = _parse_datatype_json_string(header["output"])
    if header["eval_type"] == SQL_ARROW_UDTF:
        return arrow_function(header, spec, handler, analysis[0], return_type)
    input_type = _parse_datatype_json_string(header["input"])
    return row_function(header, spec, handler, analysis[0], return_type, input_type)
