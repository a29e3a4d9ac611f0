"""Requests that no good client sends, and more of the good ones than usual: each gets an answer, and the server lives."""
import threading
import uuid

import grpc
import pyarrow as pa
import pytest
from pyspark.sql import functions as F

pytestmark = pytest.mark.ours


@pytest.fixture(autouse=True)
def alive(server, spark):
    """Whatever a test has done, the server is the same one and answers."""
    pid = server.pid
    yield
    assert server.pid == pid is not None
    assert spark.range(3).count() == 3


def execute(spark, fill):
    """Sends a plan that `fill` writes; the error's text, or the responses."""
    from pyspark.sql.connect.proto import ExecutePlanRequest

    request = ExecutePlanRequest(session_id=spark.session_id)
    request.user_context.user_id = spark._client._user_id or ""
    fill(request)
    try:
        return list(spark._client._stub.ExecutePlan(request, timeout=60))
    except grpc.RpcError as error:
        assert error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED), error
        return f"{error.code()} {error.details()}"


def one_of_each(message, depth=0):
    """Every message that has one field set, down to some depth: a plan with all else absent."""
    for field in message.DESCRIPTOR.fields:
        value = type(message)()
        if field.message_type is None:
            continue
        target = getattr(value, field.name)
        if field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED:
            if field.message_type.GetOptions().map_entry:
                continue
            target = target.add()
        else:
            target.SetInParent()
        yield field.name, value
        if depth > 0:
            for name, inner in one_of_each(target, depth - 1):
                target.CopyFrom(inner)
                copy = type(message)()
                copy.CopyFrom(value)
                yield f"{field.name}.{name}", copy


def no_fault(answer):
    return not (isinstance(answer, str) and "INTERNAL_ERROR" in answer)


def test_relations_with_absent_fields(spark):
    from pyspark.sql.connect.proto import Relation

    faults = []
    for name, relation in one_of_each(Relation(), 1):
        if not no_fault(execute(spark, lambda request: request.plan.root.CopyFrom(relation))):
            faults.append(name)
    assert faults == []


def test_commands_with_absent_fields(spark):
    from pyspark.sql.connect.proto import Command

    faults = []
    for name, command in one_of_each(Command(), 1):
        if name == "streaming_query_manager_command.await_any_termination":
            continue  # It waits for the end of a query, which is not to come here.
        if not no_fault(execute(spark, lambda request: request.plan.command.CopyFrom(command))):
            faults.append(name)
    assert faults == []


def test_expressions_with_absent_fields(spark):
    from pyspark.sql.connect.proto import Expression

    faults = []
    for name, expression in one_of_each(Expression(), 1):
        def fill(request):
            request.plan.root.project.input.range.end = 3
            request.plan.root.project.input.range.step = 1
            request.plan.root.project.expressions.add().CopyFrom(expression)
        if not no_fault(execute(spark, fill)):
            faults.append(name)
    assert faults == []


def test_enums_that_nobody_knows(spark):
    def join(request):
        request.plan.root.join.left.range.end = request.plan.root.join.right.range.end = 3
        request.plan.root.join.join_type = 99

    def aggregate(request):
        request.plan.root.aggregate.input.range.end = 3
        request.plan.root.aggregate.group_type = 99

    def sets(request):
        request.plan.root.set_op.left_input.range.end = request.plan.root.set_op.right_input.range.end = 3
        request.plan.root.set_op.set_op_type = 99

    def write(request):
        request.plan.command.write_operation.input.range.end = 3
        request.plan.command.write_operation.mode = 99
        request.plan.command.write_operation.path = "/tmp/never-written"

    for fill in (join, aggregate, sets, write):
        assert "Invalid Spark Connect plan" in execute(spark, fill)
    assert "neither a relation nor a command" in execute(spark, lambda request: None)


def test_bytes_that_are_no_message(spark):
    channel = spark._client._channel
    for method in ("ExecutePlan", "AnalyzePlan", "Config", "Interrupt", "ReleaseSession", "FetchErrorDetails",
                   "ReattachExecute", "ReleaseExecute", "ArtifactStatus", "CloneSession", "GetStatus", "NoSuchCall"):
        path = f"/spark.connect.SparkConnectService/{method}"
        make = channel.unary_stream if method in ("ExecutePlan", "ReattachExecute") else channel.unary_unary
        for data in (b"", b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0f", bytes(range(256)) * 20):
            try:
                answer = make(path)(data, timeout=20)
                if make is channel.unary_stream:
                    list(answer)
            except grpc.RpcError as error:
                assert error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED), method


def test_wrong_sessions(spark):
    from pyspark.sql.connect.proto import ConfigRequest, ReattachExecuteRequest

    stub = spark._client._stub
    request = ConfigRequest(session_id="not a session")
    request.operation.get_all.SetInParent()
    with pytest.raises(grpc.RpcError, match="INVALID_HANDLE.FORMAT"):
        stub.Config(request)
    request.session_id = spark.session_id
    request.user_context.user_id = spark._client._user_id or ""
    request.client_observed_server_side_session_id = str(uuid.uuid4())
    with pytest.raises(grpc.RpcError, match="INVALID_HANDLE.SESSION_CHANGED"):
        stub.Config(request)
    stranger = ReattachExecuteRequest(session_id=str(uuid.uuid4()), operation_id=str(uuid.uuid4()))
    with pytest.raises(grpc.RpcError, match="INVALID_HANDLE"):
        list(stub.ReattachExecute(stranger))


def test_deep_relations(spark):
    for depth in (100, 1000, 5000):
        def fill(request, depth=depth):
            relation = request.plan.root
            for _ in range(depth):
                relation.limit.limit = 10
                relation = relation.limit.input
            relation.range.end = relation.range.step = 1
        assert no_fault(execute(spark, fill))


def test_deep_expressions(spark):
    """As programs that put columns together make them; PySpark's own client gives up long before the server."""
    def fill(request, depth):
        project = request.plan.root.project
        project.input.range.end = project.input.range.step = 1
        expression = project.expressions.add()
        for i in range(depth):
            function = expression.unresolved_function
            function.function_name = "and" if i else "not"
            expression = function.arguments.add()
            if i:
                function.arguments.add().literal.boolean = True
        expression.literal.boolean = False

    for depth in (500, 5000):
        assert no_fault(execute(spark, lambda request: fill(request, depth)))


def test_deep_texts(spark):
    text = " AND ".join(f"id <> {i}" for i in range(-5000, 0))
    assert spark.sql(f"SELECT count(*) FROM range(5) WHERE {text}").first()[0] == 5
    assert spark.sql(f"SELECT {' + '.join(['id'] * 200)} AS s FROM range(2)").collect()[1].s == 200
    for text in ("(" * 3000 + "1" + ")" * 3000, "(-" * 2000 + "1" + ")" * 2000, "CASE WHEN true THEN " * 200 + "1" +
                 " END" * 200, "array(" * 50 + "1" + ")" * 50):
        try:
            spark.sql(f"SELECT {text}").collect()
        except Exception as error:
            assert "INTERNAL_ERROR" not in str(error)


def test_wide_frames(spark):
    # As texts: the client looks for the caller's line at each call of a column function.
    columns = [f"id + {i} AS c{i}" for i in range(5000)]
    row = spark.range(3).selectExpr(*columns).where("c4999 > 0").collect()[-1]
    assert len(row) == 5000 and row.c4999 == 5001
    table = pa.table({f"c{i}": [i] for i in range(5000)})
    assert spark.createDataFrame(table).toArrow().num_columns == 5000


def test_long_texts(spark):
    literal = "x" * 10_000_000
    assert spark.sql(f"SELECT length('{literal}')").first()[0] == 10_000_000
    values = ", ".join(f"({i}, 'row {i}')" for i in range(20_000))
    assert spark.sql(f"SELECT count(*), max(a) FROM VALUES {values} AS t(a, b)").first()[:] == (20_000, 19_999)
    many = ", ".join(str(i) for i in range(50_000))
    assert spark.sql(f"SELECT count(*) FROM range(100) WHERE id IN ({many})").first()[0] == 100
    with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
        spark.sql("SELECT " + "(" * 100 + ", " * 1_000_000)


def test_unicode(spark):
    text = "naïve — 日本語 🙂 \u0000 \u200b e\u0301 '"
    assert spark.createDataFrame([(text,)], "`spalte ü 🙂` STRING").first()[0] == text
    frame = spark.range(1).select(F.lit(text).alias("列"))
    frame.createOrReplaceTempView("ansicht")
    assert spark.sql("SELECT `列` FROM ansicht").first()[0] == text
    with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
        spark.sql("SELECT `🙂` FROM ansicht").collect()
    with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
        spark.sql("SELECT 🙂").collect()


def test_fifty_sessions_and_two_hundred_statements(new_session):
    sessions = [new_session() for _ in range(50)]
    answers, errors = {}, []

    def run(number):
        session = sessions[number % 50]
        try:
            session.sql(f"SET my.number = {number}")
            answers[number] = session.sql(
                f"SELECT sum(id) + {number} FROM range({1000 + number}) WHERE id % 3 = 0").first()[0]
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not errors, errors[:3]
    assert answers == {n: sum(range(0, 1000 + n, 3)) + n for n in range(200)}
