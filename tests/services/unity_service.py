"""An open-source Unity Catalog of the tests' own: schemas and tables of one catalog, kept in memory, and keys to their files.

https://github.com/unitycatalog/unitycatalog/blob/main/api/all.yaml
"""
import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

BASE = "/api/2.1/unity-catalog"


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


class UnityService:
    """with UnityService(token="t", keys={...}) as service: service.url. `keys`: of what it hands out (TemporaryCredentials)."""

    def __init__(self, token=None, keys=None):
        self.token, self.keys = token, keys or {}
        self.schemas, self.tables = {}, {}  # By full name.
        self.requests, self.lock = [], threading.RLock()

    def __enter__(self):
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                url = urlsplit(self.path)
                try:
                    if service.token and self.headers.get("Authorization") != f"Bearer {service.token}":
                        raise Refused(401, "UNAUTHENTICATED", "Invalid access token.")
                    with service.lock:
                        service.requests.append((self.command, self.path))
                        status, content = 200, service.answer(self.command, unquote(url.path.removeprefix(BASE)),
                                                              parse_qs(url.query), json.loads(body or b"{}"))
                except Refused as error:
                    status, content = error.status, {"error_code": error.code, "message": str(error)}
                text = json.dumps(content).encode()
                self.send_response_only(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_DELETE = do_PATCH = handle_any

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, query, body):
        parts = path.strip("/").split("/")
        if parts[0] == "temporary-table-credentials":
            assert body["operation"] in ("READ", "READ_WRITE")
            if body["table_id"] not in {table["table_id"] for table in self.tables.values()}:
                raise Refused(404, "TABLE_NOT_FOUND", body["table_id"])
            return self.keys
        if parts[0] == "temporary-path-credentials":
            assert body["operation"] == "PATH_CREATE_TABLE" and body["url"]
            return self.keys
        kept = {"schemas": self.schemas, "tables": self.tables}[parts[0]]
        if len(parts) == 1 and method == "GET":
            prefix = query["catalog_name"][0] + "." + (query["schema_name"][0] + "." if parts[0] == "tables" else "")
            names = sorted(name for name in kept if name.startswith(prefix))
            first = int(query.get("page_token", ["0"])[0])  # Pages of two.
            more = {"next_page_token": str(first + 2)} if first + 2 < len(names) else {}
            return {parts[0]: [kept[name] for name in names[first:first + 2]]} | more
        if len(parts) == 1:
            name = ".".join([body["catalog_name"]] + ([body["schema_name"]] if parts[0] == "tables" else []) + [body["name"]])
            if name in kept:
                raise Refused(400, parts[0].upper()[:-1] + "_ALREADY_EXISTS", f"{name} already exists")
            if parts[0] == "tables":
                assert body["table_type"] == "EXTERNAL" and body["storage_location"] and body["columns"]
                assert all(json.loads(column["type_json"])["name"] == column["name"] for column in body["columns"])
            kept[name] = body | {"full_name": name, parts[0][:-1] + "_id": str(uuid.uuid4())}
            return kept[name]
        if parts[1] not in kept:
            raise Refused(404, parts[0].upper()[:-1] + "_NOT_FOUND", f"{parts[1]} not found")
        if method == "DELETE":
            inside = [name for name in self.tables if name.startswith(parts[1] + ".")]
            if inside and query.get("force") != ["true"]:
                raise Refused(400, "FAILED_PRECONDITION", f"{parts[1]} is not empty")
            for name in inside + [parts[1]]:
                (self.tables if name in inside else kept).pop(name)
            return {}
        if method == "PATCH":
            kept[parts[1]] |= body
        return kept[parts[1]]
