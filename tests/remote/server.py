"""server.py - a server on the loopback interface that does what a test says, well or badly.

Files are those below a folder, or bytes that a test has put there. A path may have a behaviour,
which is a function of the handler that answers instead.
"""
import datetime
import hashlib
import hmac
import os
import re
import ssl
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def log_message(self, *_):
        pass

    def range(self, size):
        """The half-open range that was requested; None: all of it."""
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if not found:
            return None
        first = int(found[1])
        return first, min(int(found[2]) + 1 if found[2] else size, size)

    def send(self, status, body=b"", **headers):
        self.send_response(status)
        headers.setdefault("Content_Length", str(len(body)))
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.put(body)

    def put(self, body):
        self.server.count(self.name, len(body))  # before the client can be done
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def tags(self, data):
        return {"ETag": '"%s"' % hashlib.md5(data).hexdigest()}

    def whole(self, data, **more):
        """All of it; True, for who must return something."""
        self.send(200, data, **{**self.tags(data), **more})
        return True

    def serve(self, data, **more):
        """What a good server does."""
        if self.headers.get("If-Match") not in (None, self.tags(data)["ETag"]):
            return self.send(412)
        part = self.range(len(data))
        if part is None:
            return self.whole(data, **more)
        if part[0] >= len(data):
            return self.send(416, b"", Content_Range="bytes */%d" % len(data))
        headers = {"Content_Range": "bytes %d-%d/%d" % (part[0], part[1] - 1, len(data)),
                   **self.tags(data), **more}
        return self.send(206, data[part[0]:part[1]], **headers)

    def do_GET(self):
        server = self.server
        self.name = urllib.parse.unquote(self.path.split("?")[0])
        with server.lock:
            server.requests.append((self.name, self.headers.get("Range"), dict(self.headers)))
            turn = server.turns[self.name] = server.turns.get(self.name, 0) + 1
        if self.name in server.behaviours:
            return server.behaviours[self.name](self, turn)
        data = server.find(self.name)
        if data is not None:
            return self.serve(data)
        if not server.fallback or server.fallback(self, self.name) is None:
            self.send(404, b"none")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, root, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root, self.files, self.behaviours = root, {}, {}
        self.requests, self.turns, self.served = [], {}, {}
        self.fallback = None  # of the handler and the path of what is no file: None, or it answers
        self.lock = threading.Lock()
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
            self.scheme = "https"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, *_):
        pass  # a client that goes is no event

    def url(self, name):
        return "%s://localhost:%d%s" % (self.scheme, self.server_port, name)

    def find(self, name):
        if name in self.files:
            return self.files[name]
        path = os.path.normpath(self.root + name)
        if not path.startswith(self.root + os.sep) or not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read()

    def count(self, name, n):
        with self.lock:
            self.served[name] = self.served.get(name, 0) + n


def signature_fault(handler, keys):
    """Check Signature v4 as its specification has it, by nothing of rastrum's: None, or why not."""
    header = handler.headers.get("Authorization") or ""
    found = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, "
                         r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})", header)
    if not found:
        return "no signature: %r" % header
    identity, day, region, names, given = found.groups()
    if identity != keys["id"] or region != keys["region"]:
        return "key %s, region %s" % (identity, region)
    when = handler.headers["x-amz-date"]
    age = abs((datetime.datetime.strptime(when, "%Y%m%dT%H%M%SZ") -
               datetime.datetime.utcnow()).total_seconds())
    if age > 300 or not when.startswith(day):
        return "signed %d s ago" % age
    if handler.headers.get("x-amz-security-token") != keys.get("token"):
        return "another token"
    signed = names.split(";")
    needed = ["host", "x-amz-content-sha256", "x-amz-date"]
    needed += ["x-amz-security-token"] if keys.get("token") else []
    if signed != sorted(needed):
        return "signed headers: %s" % names
    path, _, query = handler.path.partition("?")
    path = urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~")
    query = "&".join("%s=%s" % tuple(urllib.parse.quote(word, safe="-_.~") for word in pair)
                     for pair in sorted(urllib.parse.parse_qsl(query, keep_blank_values=True)))
    canonical = "\n".join(["GET", path, query] +
                          ["%s:%s" % (n, handler.headers[n].strip()) for n in signed] +
                          ["", names, handler.headers["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", when, "%s/%s/s3/aws4_request" % (day, region),
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + keys["secret"]).encode()
    for piece in (day, region, "s3", "aws4_request"):
        key = hmac.new(key, piece.encode(), hashlib.sha256).digest()
    wanted = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return None if hmac.compare_digest(wanted, given) else "the signature is another"
