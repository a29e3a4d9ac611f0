"""Proxies in front of services that make requests fail in the ways of networks and gateways, at random."""
import http.client
import random
import select
import socket
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# What can happen to a request; the second half has reached the service all the same.
FAULTS = ["drop", "reset", "500", "503", "429", "answer lost", "500 after", "truncated", "slow"]


class FaultyProxy:
    """with FaultyProxy(url, share=0.1, seed=1) as proxy: proxy.url; `share` of the requests goes wrong."""

    def __init__(self, target, share=0.1, seed=1):
        self.target = urlsplit(target)
        self.share = share
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.seen = Counter()  # Faults, by name.
        self.log = []  # (method, path, range) of each request.

    def __enter__(self):
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                proxy.handle(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def choose(self, faults=FAULTS):
        with self.lock:
            if self.random.random() >= self.share:
                return None
            fault = self.random.choice(faults)
            self.seen[fault] += 1
            return fault

    def handle(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.log.append((request.command, request.path, request.headers.get("Range")))
        fault = self.choose()
        if fault in ("drop", "reset"):
            return self.cut(request, fault == "reset")
        if fault in ("500", "503", "429"):
            return self.answer(request, int(fault), b"<Error><Code>Fault</Code></Error>", [])
        if fault == "slow":
            threading.Event().wait(0.5)
        connection = http.client.HTTPConnection(self.target.hostname, self.target.port, timeout=60)
        try:
            headers = {k: v for k, v in request.headers.items() if k.lower() != "connection"}
            connection.request(request.command, request.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        kept = [(k, v) for k, v in answer.getheaders()
                if k.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server")]
        if request.command == "HEAD" and answer.getheader("Content-Length"):
            kept.append(("Content-Length", answer.getheader("Content-Length")))
        if fault == "answer lost":
            return self.cut(request, False)
        if fault == "500 after":
            return self.answer(request, 500, b"", [])
        self.answer(request, answer.status, content, kept, truncated=fault == "truncated")

    def answer(self, request, status, content, headers, truncated=False):
        request.send_response_only(status)
        for name, value in headers:
            request.send_header(name, value)
        if request.command != "HEAD" and status != 204:
            request.send_header("Content-Length", str(len(content) + (1 if truncated else 0)))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content)
        if truncated:
            self.cut(request, False)

    def cut(self, request, reset):
        request.close_connection = True
        if reset:  # The end of the connection is a RST.
            request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        try:
            request.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


# Of a connection that carries one request after the other, each answered before the next (Thrift).
STREAM_FAULTS = ["drop", "reset", "cut request", "answer lost", "truncated", "slow"]


class FaultyStreamProxy(FaultyProxy):
    """The same for a service that speaks over TCP: proxy.address is "host:port"."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.create_connection((self.target.hostname, self.target.port)) as service:
            fault, answered = None, True
            while True:
                try:
                    ready, _, _ = select.select([client, service], [], [])
                    if service in ready:
                        answer = service.recv(1 << 20)
                        if fault == "answer lost" or not answer:
                            return self.end(client, False)
                        client.sendall(answer[:len(answer) // 2] if fault == "truncated" else answer)
                        if fault == "truncated":
                            return self.end(client, False)
                        answered = True
                        continue
                    request = client.recv(1 << 20)
                    if not request:
                        return
                    if answered:  # The first part of a new one.
                        fault, answered = self.choose(STREAM_FAULTS), False
                    if fault in ("drop", "reset"):
                        return self.end(client, fault == "reset")
                    if fault == "slow":
                        threading.Event().wait(0.5)
                    service.sendall(request[:len(request) // 2] if fault == "cut request" else request)
                    if fault == "cut request":
                        return self.end(client, False)
                except OSError:
                    return

    def end(self, client, reset):
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        else:
            client.shutdown(socket.SHUT_RDWR)
