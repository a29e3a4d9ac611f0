"""An Iceberg REST catalog of the tests' own: tables kept in memory by PyIceberg's own rules of commits, over HTTP.

https://github.com/apache/iceberg/blob/main/open-api/rest-catalog-open-api.yaml
"""
import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit


class Refused(Exception):
    def __init__(self, status, kind, message):
        super().__init__(message)
        self.status, self.kind = status, kind


class RestService:
    """with RestService(warehouse) as service: service.url. `warehouse` is a folder of this disk."""

    def __init__(self, warehouse):
        self.warehouse = Path(warehouse)
        self.lock = threading.RLock()
        self.namespaces = {}
        self.tables = {}  # (namespace, name) to (location of the metadata, the metadata).
        self.answers = {}  # The same to what a load of it answers, made once a commit: histories grow long.
        self.requests = []  # (method, path, headers), as they came.

    def __enter__(self):
        service = self

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = urlsplit(self.path)
                service.requests.append((self.command, self.path, dict(self.headers)))
                try:
                    answer = service.answer(self.command, path.path, parse_qs(path.query), self.headers, body)
                    status, content, headers = answer if isinstance(answer, tuple) else (200, answer, {})
                except Exception as error:  # noqa: BLE001
                    refused = error if isinstance(error, Refused) else Refused(500, type(error).__name__, str(error))
                    status, headers = refused.status, {}
                    content = {"error": {"type": refused.kind, "message": str(refused), "code": refused.status}}
                text = b"" if content is None else json.dumps(content).encode()
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status not in (204, 304):
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if self.command != "HEAD" and status not in (204, 304):
                    self.wfile.write(text)

            do_GET = do_POST = do_DELETE = do_HEAD = handle_any

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, query, headers, body):
        """Overridden by tests that change what the service does."""
        if path == "/v1/config":
            return {"defaults": {}, "overrides": {}}
        parts = [unquote(part) for part in path.removeprefix("/v1/").split("/")]
        body = json.loads(body) if body else {}
        if parts[0] != "namespaces":
            raise Refused(404, "NotFoundException", path)
        with self.lock:
            if len(parts) == 1:
                return self.list_or_create(method, body)
            if parts[1] not in self.namespaces:
                of_table = len(parts) == 4 and method in ("GET", "HEAD")
                raise Refused(404, "NoSuchTableException" if of_table else "NoSuchNamespaceException",
                              f"Namespace does not exist: {parts[1]}")
            if len(parts) == 2:
                if method == "DELETE":
                    if any(key[0] == parts[1] for key in self.tables):
                        raise Refused(409, "NamespaceNotEmptyException", parts[1])
                    del self.namespaces[parts[1]]
                    return 204, None, {}
                return {"namespace": [parts[1]], "properties": self.namespaces[parts[1]]}
            if parts[2] != "tables":
                raise Refused(404, "NoSuchViewException", path)
            if len(parts) == 3:
                return self.create(parts[1], body) if method == "POST" else self.list(parts[1], query)
            key = (parts[1], parts[3])
            if method == "POST":
                return self.commit(key, body)
            if key not in self.tables:
                raise Refused(404, "NoSuchTableException", f"Table does not exist: {key}")
            if method == "DELETE":
                del self.tables[key]
                return 204, None, {}
            return self.load(key, query, headers)

    def list_or_create(self, method, body):
        if method == "GET":
            return {"namespaces": [[name] for name in sorted(self.namespaces)]}
        (name,) = body["namespace"]
        if name in self.namespaces:
            raise Refused(409, "AlreadyExistsException", f"Namespace already exists: {name}")
        self.namespaces[name] = body.get("properties") or {}
        return {"namespace": [name], "properties": self.namespaces[name]}

    def list(self, namespace, query):
        """In pages of two where pages are asked for."""
        names = sorted(name for place, name in self.tables if place == namespace)
        answer = {}
        if "pageToken" in query or "pageSize" in query:
            first = int((query.get("pageToken") or ["0"])[0] or 0)
            if first + 2 < len(names):
                answer["next-page-token"] = str(first + 2)
            names = names[first:first + 2]
        return answer | {"identifiers": [{"namespace": [namespace], "name": name} for name in names]}

    def create(self, namespace, body):
        from pyiceberg.catalog.rest import CreateTableRequest
        from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
        from pyiceberg.table.metadata import new_table_metadata
        from pyiceberg.table.sorting import UNSORTED_SORT_ORDER

        request = CreateTableRequest.model_validate({"location": None, "partition-spec": None, "write-order": None} | body)
        if (namespace, request.name) in self.tables:
            raise Refused(409, "AlreadyExistsException", f"Table already exists: {namespace}.{request.name}")
        metadata = new_table_metadata(
            request.table_schema, request.partition_spec or UNPARTITIONED_PARTITION_SPEC,
            request.write_order or UNSORTED_SORT_ORDER,
            request.location or f"file://{self.warehouse}/{namespace}/{request.name}", request.properties)
        if request.stage_create:
            return {"metadata": json.loads(metadata.model_dump_json())}
        return self.store((namespace, request.name), metadata)

    def load(self, key, query, headers):
        location, metadata = self.tables[key]
        return self.loaded(location, metadata)

    def loaded(self, location, metadata):
        known = self.answers.get(location)
        if known is None:
            known = {"metadata-location": location, "metadata": json.loads(metadata.model_dump_json())}
            self.answers = {location: known} if len(self.answers) > 50 else self.answers | {location: known}
        return known

    def store(self, key, metadata):
        former = self.tables.get(key)
        number = int(Path(former[0]).name.split("-")[0]) + 1 if former else 0
        location = f"{metadata.location}/metadata/{number:05d}-{uuid.uuid4()}.metadata.json"
        self.write_metadata(location, metadata.model_dump_json())
        self.tables[key] = (location, metadata)
        return self.loaded(location, metadata)

    def write_metadata(self, location, text):
        """For tables elsewhere (s3://...) nothing reads it: their metadata comes with the answers."""
        if not location.startswith("file://"):
            return
        file = Path(location.removeprefix("file://"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, key, body):
        from pydantic import ValidationError
        from pyiceberg.catalog import MetastoreCatalog
        from pyiceberg.exceptions import CommitFailedException
        from pyiceberg.table import CommitTableRequest
        from pyiceberg.table.update import AssertCreate, update_table_metadata

        try:
            identifier = {"identifier": {"namespace": [key[0]], "name": key[1]}}  # Spark leaves it to the path.
            request = CommitTableRequest.model_validate(identifier | body)
        except ValidationError as error:
            raise Refused(400, "BadRequestException", str(error)[:500]) from error
        location, base = self.tables.get(key, (None, None))
        if base is None and not any(isinstance(r, AssertCreate) for r in request.requirements):
            raise Refused(404, "NoSuchTableException", f"Table does not exist: {key}")
        try:
            for requirement in request.requirements:
                requirement.validate(base)
        except CommitFailedException as error:
            raise Refused(409, "CommitFailedException", str(error)) from error
        is_new = base is None
        base = MetastoreCatalog._empty_table_metadata() if is_new else base
        return self.store(key, update_table_metadata(base, request.updates, is_new, location))
