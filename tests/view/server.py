"""server.py - a running `rastrum view`, and requests to it: sockets alone, so that nothing is
corrected on the way."""
import json
import os
import re
import socket
import subprocess
import time


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


def receive(sock, seconds):
    """All bytes up to the end of the connection or of the answer."""
    data = bytearray()
    whole = None
    sock.settimeout(seconds)
    while whole is None or len(data) < whole:
        more = sock.recv(1 << 20)
        if not more:
            break
        data += more
        end = data.find(b"\r\n\r\n") if whole is None else -1
        length = re.search(rb"(?mi)^content-length: *(\d+)", data[:end]) if end >= 0 else None
        if length:
            whole = end + 4 + int(length.group(1))
    return bytes(data)


def parse(data):
    """None: the connection was closed without an answer."""
    head, found, body = data.partition(b"\r\n\r\n")
    if not found:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Answer(int(first.split()[1]), headers, body)


class Server:
    """`with Server(rastrum, PATH...) as s`: ends by SIGTERM and must then return 0."""

    def __init__(self, rastrum, *words, cwd=None, expect=0):
        self.expect = expect
        self.process = subprocess.Popen([rastrum, "view", "--no-open", *words], cwd=cwd,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().rstrip("\n")
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#t=([0-9a-f]{32})", self.url)
        if not found:
            raise AssertionError("%r: %s" % (self.url, self.process.stderr.read().decode()))
        self.port, self.token = int(found.group(1)), found.group(2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.rest, self.said = (text.decode() for text in self.process.communicate(timeout=60))
        assert self.process.returncode == self.expect, (self.process.returncode, self.said)
        assert self.rest == "", "more than one line on standard output: " + self.rest

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 30)

    def raw(self, data, seconds=120):
        """Send bytes as they are."""
        with self.connect() as sock:
            try:
                sock.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                return parse(receive(sock, seconds))
            except ConnectionResetError:
                return None

    def head(self, method, uri, headers, body):
        every = {"Host": "127.0.0.1:%d" % self.port, "X-Rastrum-Token": self.token,
                 "Connection": "close"}
        if body or method == "POST":
            every["Content-Length"] = str(len(body))
        every.update(headers)
        lines = ["%s %s HTTP/1.1" % (method, uri)]
        lines += ["%s: %s" % item for item in every.items() if item[1] is not None]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    def ask(self, uri, method="GET", body=b"", **headers):
        """A header of None is left out; `_` in a name is `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.raw(self.head(method, uri, named, body) + body)

    def get(self, route, status=200):
        answer = self.ask("/v1/" + route)
        assert answer.status == status, (route, answer.status, answer.body[:300])
        return answer.json() if "json" in answer.headers["content-type"] else answer.body

    def post(self, route, body=b"", status=200):
        answer = self.ask("/v1/" + route, "POST", body)
        assert answer.status == status, (route, answer.status, answer.body[:300])
        return answer.json() if "json" in answer.headers["content-type"] else answer.body

    def job(self, route, body=None, seconds=240):
        """A job to its end: the answer."""
        method, body = ("GET", b"") if body is None else ("POST", body)
        answer = self.ask("/v1/" + route, method, body)
        until = time.monotonic() + seconds
        if answer.status == 202:
            number = answer.json()["job"]
            while answer.status == 202 and time.monotonic() < until:
                time.sleep(0.02)
                answer = self.ask("/v1/job?id=%d" % number)
        return answer

    def built(self, seconds=240):
        """Wait until everything is counted and built: the answer to `open`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            seen = self.get("open")
            if all(s["error"] or s["records"] is not None for s in seen["sources"]) and \
                    all(s.get("built", 1) == 1 for s in seen["sides"]):
                return seen
            time.sleep(0.05)
        raise AssertionError("not built in time")

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def resident(self):
        """Bytes of memory."""
        with open("/proc/%d/statm" % self.process.pid, encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(tests, only=()):
    """Run functions named test_...; the tally is the last line. The exit status."""
    failed = passed = 0
    for name, function in list(tests.items()):
        if not name.startswith("test_") or (only and name not in only):
            continue
        try:
            function()
            passed += 1
        except Exception as wrong:  # the rest is run all the same
            failed += 1
            where = wrong.__traceback__
            while where.tb_next and where.tb_next.tb_frame.f_code.co_filename != __file__:
                where = where.tb_next
            print("%s: line %d: %s: %s" % (name, where.tb_lineno, type(wrong).__name__, wrong))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0
