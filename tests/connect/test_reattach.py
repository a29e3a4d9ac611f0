"""A connection that breaks in the middle of a result: the client reattaches and gets every row once."""
import contextlib
import socket
import threading
import time
import uuid

import grpc
import pytest
from conftest import open_session

pytestmark = pytest.mark.ours


class CuttingProxy:
    """Passes TCP on to a server, and cuts each connection when it has sent `limit` bytes to the client; not any more
    after `cuts` cuts."""

    def __init__(self, target, limit, cuts):
        self._target, self._limit, self.cuts_left, self.cuts_made = target, limit, cuts, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection(self._target)
                threading.Thread(target=self._pass, args=(client, server, None), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, self._limit), daemon=True).start()

    def _pass(self, source, sink, limit):
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
                passed += len(data)
                if limit is not None and passed > limit and self.cuts_left > 0:
                    self.cuts_left -= 1
                    self.cuts_made += 1
                    break
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self):
        self._listener.close()


@pytest.fixture
def through_proxy(server):
    """(limit, cuts) -> (session over a proxy that cuts its connections, the proxy)."""
    made = []

    def make(limit, cuts):
        proxy = CuttingProxy(server.listening_address, limit, cuts)
        session = open_session(f"sc://127.0.0.1:{proxy.port}")
        made.append((session, proxy))
        return session, proxy

    yield make
    for session, proxy in made:
        session.stop()
        proxy.close()


def test_rows_come_exactly_once(through_proxy):
    session, proxy = through_proxy(limit=6_000_000, cuts=3)
    rows = session.range(4_000_000).toArrow()
    assert proxy.cuts_made == 3
    assert rows.num_rows == 4_000_000
    ids = rows.column("id").to_pylist()
    assert ids == list(range(4_000_000))


def test_a_long_query_goes_on_without_its_client(through_proxy):
    session, proxy = through_proxy(limit=0, cuts=2)
    text = "SELECT count(*) FROM range(10000) a CROSS JOIN range(10000) b WHERE (a.id * b.id) % 7 = 3"
    assert session.sql(text).first()[0] > 0
    assert proxy.cuts_made == 2


def test_a_command_runs_once(through_proxy, spark, namespace, lake):
    from conftest import iceberg_catalog

    session, proxy = through_proxy(limit=0, cuts=4)
    for key, value in iceberg_catalog("ice", lake[1]).items():
        session.conf.set(key, value)
    spark.sql(f"CREATE TABLE {namespace}.t (id BIGINT) USING iceberg")
    session.sql(f"INSERT INTO {namespace}.t SELECT id FROM range(3000000)")
    assert proxy.cuts_made > 0
    assert spark.table(f"{namespace}.t").count() == 3_000_000
    assert spark.sql(f"SELECT count(*) FROM {namespace}.t.snapshots").first()[0] == 1


def raw_plan(session, operation_id=None, reattachable=True):
    """A request of the protocol for range(200000), as the client makes it."""
    from pyspark.sql.connect.proto import ExecutePlanRequest

    request = ExecutePlanRequest(session_id=session.session_id, operation_id=operation_id or str(uuid.uuid4()))
    request.user_context.user_id = session._client._user_id or ""
    request.plan.root.range.end = 200_000
    request.plan.root.range.step = 1
    request.request_options.add().reattach_options.reattachable = reattachable
    return request


def reattach(session, operation_id, last=None):
    from pyspark.sql.connect.proto import ReattachExecuteRequest

    request = ReattachExecuteRequest(session_id=session.session_id, operation_id=operation_id)
    request.user_context.user_id = session._client._user_id or ""
    if last is not None:
        request.last_response_id = last
    return session._client._stub.ReattachExecute(request)


def fails_with(condition, work):
    with pytest.raises(grpc.RpcError) as error:
        work()
    assert condition in error.value.details() or condition in str(error.value.trailing_metadata())


def test_release_until_and_all(spark):
    from pyspark.sql.connect.proto import ReleaseExecuteRequest

    stub = spark._client._stub
    request = raw_plan(spark)
    responses = [response.response_id for response in stub.ExecutePlan(request)]
    assert len(set(responses)) == len(responses) > 20
    again = [response.response_id for response in reattach(spark, request.operation_id, responses[4])]
    assert again == responses[5:]
    release = ReleaseExecuteRequest(session_id=spark.session_id, operation_id=request.operation_id)
    release.user_context.CopyFrom(request.user_context)
    release.release_until.response_id = responses[9]
    assert stub.ReleaseExecute(release).operation_id == request.operation_id
    fails_with("INVALID_CURSOR.POSITION_NOT_AVAILABLE",
               lambda: list(reattach(spark, request.operation_id, responses[3])))
    assert [r.response_id for r in reattach(spark, request.operation_id, responses[9])] == responses[10:]
    release.ClearField("release_until")
    release.release_all.SetInParent()
    stub.ReleaseExecute(release)
    stub.ReleaseExecute(release)  # A second time is no error: the client does not wait for the first answer.
    fails_with("INVALID_HANDLE.OPERATION_NOT_FOUND",
               lambda: list(reattach(spark, request.operation_id, responses[9])))


def test_operation_ids_are_used_once(spark):
    stub = spark._client._stub
    request = raw_plan(spark)
    first = [response.response_id for response in stub.ExecutePlan(request)]
    # The same request again is a client that lost the connection before the first response.
    assert [response.response_id for response in stub.ExecutePlan(request)] == first
    request.plan.root.range.end = 7
    fails_with("INVALID_HANDLE.OPERATION_ALREADY_EXISTS", lambda: list(stub.ExecutePlan(request)))
    plain = raw_plan(spark, reattachable=False)
    assert list(stub.ExecutePlan(plain))
    fails_with("INVALID_HANDLE.OPERATION_ALREADY_EXISTS", lambda: list(stub.ExecutePlan(plain)))
    fails_with("INVALID_HANDLE.FORMAT", lambda: list(stub.ExecutePlan(raw_plan(spark, operation_id="seven"))))


def test_a_client_that_goes_stops_what_nobody_can_reattach(spark):
    request = raw_plan(spark, reattachable=False)
    request.plan.root.range.end = 3_000_000_000
    request.tags.append("left")
    call = spark._client._stub.ExecutePlan(request)
    next(call)
    call.cancel()
    deadline = time.monotonic() + 10
    while spark.interruptTag("left") and time.monotonic() < deadline:
        time.sleep(0.2)
    assert spark.interruptTag("left") == []
