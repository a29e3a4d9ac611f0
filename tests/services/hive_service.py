"""A Hive Metastore of the tests' own: what a lakehouse asks of one, kept in memory, over Thrift's binary protocol.

The messages are those of PyIceberg's Hive client. HIVE_URI in the environment names a real Metastore to test against
instead (one that sees this disk).
"""
import copy
import os
import threading

import pytest


class Tables:
    """The calls, as hive_metastore.thrift has them."""

    def __init__(self):
        self.lock_ = threading.RLock()
        self.databases = {}
        self.tables = {}
        self.partitions = {}
        self.locks = {}  # Id to (database, table, the agent).
        self.next_lock = 1

    def create_database(self, database):
        from hive_metastore.ttypes import AlreadyExistsException

        if database.name in self.databases:
            raise AlreadyExistsException(database.name)
        self.databases[database.name] = database

    def get_database(self, name):
        return self.found(self.databases, name)

    def get_all_databases(self):
        return sorted(self.databases)

    def alter_database(self, name, database):
        self.found(self.databases, name)
        self.databases[name] = database

    def drop_database(self, name, delete_data, cascade):
        from hive_metastore.ttypes import InvalidOperationException

        self.found(self.databases, name)
        if any(key[0] == name for key in self.tables):
            raise InvalidOperationException("Database " + name + " is not empty")
        del self.databases[name]

    def get_all_tables(self, database):
        return sorted(key[1] for key in self.tables if key[0] == database)

    def get_table(self, database, name):
        return self.found(self.tables, (database, name))

    def get_table_objects_by_name(self, database, names):
        return [self.tables[(database, name)] for name in names if (database, name) in self.tables]

    def create_table(self, table):
        from hive_metastore.ttypes import AlreadyExistsException

        self.found(self.databases, table.dbName)
        if (table.dbName, table.tableName) in self.tables:
            raise AlreadyExistsException(table.tableName)
        self.tables[(table.dbName, table.tableName)] = table
        self.partitions[(table.dbName, table.tableName)] = {}

    def alter_table_with_environment_context(self, database, name, table, context):
        from hive_metastore.ttypes import MetaException

        former = self.found(self.tables, (database, name))
        expected = context.properties.get("expected_parameter_key") if context and context.properties else None
        if expected and former.parameters.get(expected) != context.properties["expected_parameter_value"]:
            raise MetaException("The table has been modified. The parameter value for key " + expected)
        partitions = self.partitions.pop((database, name))
        del self.tables[(database, name)]
        self.tables[(table.dbName, table.tableName)] = table
        self.partitions[(table.dbName, table.tableName)] = partitions

    def drop_table(self, database, name, delete_data):
        self.found(self.tables, (database, name))
        del self.tables[(database, name)], self.partitions[(database, name)]

    def get_partitions(self, database, name, limit):
        return [p for _, p in sorted(self.found(self.partitions, (database, name)).items())]

    def add_partitions(self, partitions):
        from hive_metastore.ttypes import AlreadyExistsException

        for one in partitions:
            if tuple(one.values) in self.found(self.partitions, (one.dbName, one.tableName)):
                raise AlreadyExistsException("Partition already exists")
        for one in partitions:
            self.partitions[(one.dbName, one.tableName)][tuple(one.values)] = one
        return len(partitions)

    def drop_partition(self, database, name, values, delete_data):
        self.found(self.found(self.partitions, (database, name)), tuple(values))
        del self.partitions[(database, name)][tuple(values)]
        return True

    # 1: acquired, 2: waiting.

    def lock(self, request):
        from hive_metastore.ttypes import LockResponse

        place = (request.component[0].dbname, request.component[0].tablename)
        number, self.next_lock = self.next_lock, self.next_lock + 1
        self.locks[number] = place + (request.agentInfo,)
        return LockResponse(number, self.lock_state(number))

    def lock_state(self, number):
        first = min(n for n, place in self.locks.items() if place[:2] == self.locks[number][:2])
        return 1 if first == number else 2

    def check_lock(self, request):
        from hive_metastore.ttypes import LockResponse, NoSuchLockException

        if request.lockid not in self.locks:
            raise NoSuchLockException("no such lock")
        return LockResponse(request.lockid, self.lock_state(request.lockid))

    def show_locks(self, request):
        from hive_metastore.ttypes import ShowLocksResponse, ShowLocksResponseElement

        return ShowLocksResponse([
            ShowLocksResponseElement(lockid=number, dbname=place[0], tablename=place[1], state=self.lock_state(number),
                                     type=3, lastheartbeat=0, user="u", hostname="h", agentInfo=place[2])
            for number, place in sorted(self.locks.items()) if place[:2] == (request.dbname, request.tablename)])

    def unlock(self, request):
        from hive_metastore.ttypes import NoSuchLockException

        if self.locks.pop(request.lockid, None) is None:
            raise NoSuchLockException("no such lock")

    def found(self, entries, key):
        from hive_metastore.ttypes import NoSuchObjectException

        if key not in entries:
            raise NoSuchObjectException(f"{key} not found")
        return entries[key]


class OneAtATime:
    """Every call alone, on values of its own."""

    def __init__(self, tables):
        self.tables = tables

    def __getattr__(self, name):
        method = getattr(self.tables, name)

        def call(*args):
            with self.tables.lock_:
                return copy.deepcopy(method(*copy.deepcopy(args)))
        return call


def start_metastore():
    """Its address, thrift://host:port, and the tables it holds; until the process ends."""
    import pyiceberg.catalog.hive  # noqa: F401  (brings the messages)
    from hive_metastore.ThriftHiveMetastore import Processor
    from thrift.protocol.TBinaryProtocol import TBinaryProtocolFactory
    from thrift.server.TServer import TThreadedServer
    from thrift.transport.TSocket import TServerSocket
    from thrift.transport.TTransport import TBufferedTransportFactory

    from aws_services import free_port

    port = free_port()
    tables = Tables()
    server = TThreadedServer(Processor(OneAtATime(tables)), TServerSocket("127.0.0.1", port),
                             TBufferedTransportFactory(), TBinaryProtocolFactory(), daemon=True)
    server.serverTransport.listen()
    server.serverTransport.listen = lambda: None
    threading.Thread(target=server.serve, daemon=True).start()
    return f"thrift://127.0.0.1:{port}", tables


@pytest.fixture(scope="session")
def metastore_uri():
    pytest.importorskip("thrift")
    return os.environ.get("HIVE_URI") or start_metastore()[0]


@pytest.fixture
def metastore(metastore_uri):
    """A client of the Metastore itself, past the server under test."""
    from pyiceberg.catalog.hive import _HiveClient

    class Calls:
        def __getattr__(self, name):
            def call(*args):
                with _HiveClient(metastore_uri) as client:
                    return getattr(client, name)(*args)
            return call

    return Calls()
