"""How a REST catalog and the files of its tables are reached: client certificates, keys that end, signatures of the service."""
import json
import ssl
import subprocess
import time
import uuid
from urllib.parse import urlsplit

import pytest
from aws_services import aws, client  # noqa: F401
from conftest import open_session
from faulty_proxy import FaultyProxy
from pyspark.errors import PySparkException
from pyspark.sql.types import LongType
from rest_service import Refused, RestService


def catalog(url, **more):
    prefix = "spark.sql.catalog.r"
    return {prefix: "org.apache.iceberg.spark.SparkCatalog", f"{prefix}.type": "rest", f"{prefix}.uri": url} | {
        f"{prefix}.{key.replace('__', '.').replace('_', '-')}": value for key, value in more.items()}


def certificates(folder):
    """An authority, and what it has signed: of the server and of a client. Paths by name."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca", "-days", "2")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    for name in ("server", "client"):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", "names", "-out", f"{name}.pem")
    return {name: str(folder / name) for name in ("ca.pem", "server.pem", "server.key", "client.pem", "client.key")}


def test_client_certificates(remote, tmp_path):
    files = certificates(tmp_path)
    with RestService(tmp_path) as service:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files["server.pem"], files["server.key"])
        context.load_verify_locations(files["ca.pem"])
        context.verify_mode = ssl.CERT_REQUIRED
        service.server.socket = context.wrap_socket(service.server.socket, server_side=True)
        url = service.url.replace("http:", "https:")
        session = open_session(remote, catalog(url, ssl__cabundle=files["ca.pem"], ssl__client__cert=files["client.pem"],
                                               ssl__client__key=files["client.key"]))
        session.sql("CREATE DATABASE r.db")
        session.sql("CREATE TABLE r.db.t AS SELECT 1 AS a")
        assert session.table("r.db.t").first().a == 1
        session.stop()
        without = {"rest__client__max_retries": "0", "ssl__cabundle": files["ca.pem"]}
        for settings, message in [
                # TLS 1.3 refuses after the handshake: the connection may be gone before the reason is read.
                (without, "certificate required|alert|SSL|not connected|reset by peer"),
                ({"rest__client__max_retries": "0"}, "certificate"),
                (without | {"ssl__client__cert": str(tmp_path / "none.pem")}, "none.pem"),
                ({"rest__client__tls__configurer_impl": "a.B"}, "configurer-impl")]:
            session = open_session(remote, catalog(url, **settings))
            with pytest.raises(PySparkException, match=message):
                session.sql("SHOW DATABASES IN r").collect()
            session.stop()


class Store(FaultyProxy):
    """In front of S3: takes what `allows` (method, path, headers) says; else the answer is its (status, code)."""

    def __init__(self, target, allows):
        super().__init__(target, share=0)
        self.allows = allows

    def handle(self, request):
        refused = self.allows(request.command, request.path, request.headers)
        if not refused:
            return super().handle(request)
        request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.answer(request, refused[0], f"<Error><Code>{refused[1]}</Code></Error>".encode(), [])


class VendingService(RestService):
    """Gives keys with tables, the n-th with the session token n. `life`: of the keys, in seconds; None: not told."""

    def __init__(self, warehouse, store, life, endpoint):
        super().__init__(warehouse)
        self.store_url, self.life, self.endpoint = store, life, endpoint
        self.given, self.ends, self.asked = 0, {}, 0

    def keys(self):
        self.given += 1
        config = {"s3.access-key-id": "vended", "s3.secret-access-key": "x", "s3.session-token": f"token-{self.given}"}
        if self.life:
            self.ends[f"token-{self.given}"] = time.time() + self.life
            config["s3.session-token-expires-at-ms"] = str(int((time.time() + self.life) * 1000))
        return [{"prefix": "s3://lake", "config": config}]

    def answer(self, method, path, query, headers, body):
        if path == "/v1/config":
            config = {"defaults": {"s3.endpoint": self.store_url, "s3.path-style-access": "true"}, "overrides": {}}
            if self.endpoint:
                base = "/v1/{prefix}/namespaces/{namespace}/tables"
                config["endpoints"] = [f"GET {base}/{{table}}/credentials", f"GET {base}/{{table}}", f"POST {base}"]
            return config
        if path.endswith("/credentials"):
            self.asked += 1
            return {"storage-credentials": self.keys()}
        answer = super().answer(method, path, query, headers, body)
        if isinstance(answer, dict) and "metadata" in answer:
            answer = answer | {"storage-credentials": self.keys()}
        return answer


@pytest.mark.parametrize("told, endpoint", [(True, True), (True, False), (False, True)],
                         ids=["endpoint", "table", "by the store's answer"])
def test_keys_that_end_within_a_statement(remote, tmp_path, aws, told, endpoint):  # noqa: F811
    last = {"token": None, "uses": 0}

    def allows(method, path, headers):
        token = headers.get("x-amz-security-token", "")
        if told:
            return None if service.ends.get(token, 0) > time.time() else (400, "ExpiredToken")
        # Without a word of the service each token is good for ten requests.
        last["uses"] = last["uses"] + 1 if token == last["token"] else 1
        last["token"] = token
        return None if last["uses"] <= 10 else (400, "ExpiredToken")

    with Store(aws, allows) as store, VendingService(tmp_path, store.url, 3 if told else None, endpoint) as service:
        session = open_session(remote, catalog(service.url))
        session.sql("CREATE DATABASE r.db")
        place = f"s3://lake/{uuid.uuid4().hex[:8]}"
        session.sql(f"CREATE TABLE r.db.t (id BIGINT, p INT) USING iceberg PARTITIONED BY (p) LOCATION '{place}'")
        session.sql("INSERT INTO r.db.t SELECT id, id % 20 FROM range(100)")
        # A type as text would go to whichever session is the client's active one.
        session.udf.register("slow", lambda x: time.sleep(0.4) or x, LongType())
        given = service.given
        # Each file is read when the rows before it have gone through the function.
        session.sql("INSERT INTO r.db.t SELECT slow(id), p FROM r.db.t WHERE id < 20")
        assert service.given > given and (service.asked > 0) == endpoint
        assert session.table("r.db.t").count() == 120
        session.stop()


class SigningService(RestService):
    """Signs requests to the store; what it has signed carries its name."""

    def __init__(self, warehouse, store, cache):
        super().__init__(warehouse)
        self.store_url, self.cache, self.signed = store, cache, []

    def answer(self, method, path, query, headers, body):
        if path == "/v1/config":
            return {"defaults": {"s3.endpoint": self.store_url, "s3.path-style-access": "true",
                                 "s3.remote-signing-enabled": "true"}, "overrides": {}}
        if path == "/v1/aws/s3/sign":
            if headers.get("Authorization") != "Bearer known":
                raise Refused(401, "NotAuthorizedException", "who are you?")
            asked = json.loads(body)
            self.signed.append(asked)
            assert asked["region"] and "Range" not in asked["headers"]
            headers = {"Authorization": ["signed by the service"], "X-Signed-For": [urlsplit(asked["uri"]).path]}
            return 200, {"uri": asked["uri"], "headers": asked["headers"] | headers}, self.cache
        return super().answer(method, path, query, headers, body)


@pytest.mark.parametrize("cache", [{}, {"Cache-Control": "private"}], ids=["once", "again"])
def test_remote_signing(remote, tmp_path, aws, cache):  # noqa: F811
    def allows(method, path, headers):
        signed = headers.get("Authorization") == "signed by the service"
        return None if signed and headers.get("X-Signed-For") == urlsplit(path).path else (403, "AccessDenied")

    with Store(aws, allows) as store, SigningService(tmp_path, store.url, cache) as service:
        session = open_session(remote, catalog(service.url, token="known"))
        session.sql("CREATE DATABASE r.db")
        place = f"s3://lake/{uuid.uuid4().hex[:8]}"
        session.sql(f"CREATE TABLE r.db.t (id BIGINT, v STRING) USING iceberg LOCATION '{place}'")
        session.sql("INSERT INTO r.db.t SELECT id, 'x' FROM range(10)")
        session.sql("DELETE FROM r.db.t WHERE id < 5")
        assert session.table("r.db.t").count() == 5
        assert {asked["method"] for asked in service.signed} >= {"GET", "PUT"}
        session.stop()
        # A signer that refuses is heard.
        session = open_session(remote, catalog(service.url, token="other"))
        with pytest.raises(PySparkException, match="who are you"):
            session.sql("INSERT INTO r.db.t VALUES (1, 'y')")
        session.stop()
