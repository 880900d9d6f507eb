"""client.py - a running `rastrum mcp`, and messages to it as bytes."""
import json
import subprocess


class Failed(Exception):
    """A tool answered with isError: its text."""


class Client:
    """`with Client(rastrum, ROOT...) as c`: ends with its input and must then return 0."""

    def __init__(self, rastrum, *roots, modern=False, cwd=None):
        words = [word for root in roots for word in ("--root", root)]
        self.process = subprocess.Popen([rastrum, "mcp", *words], cwd=cwd, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.modern, self.last = modern, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        rest, said = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, (self.process.returncode, said)
        assert rest == b"", rest
        assert said == b"", said

    def send(self, data):
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), "the server ended: %r" % self.process.stderr.read()
        self.line = line
        return json.loads(line)

    def ask(self, method, **params):
        """The whole answer."""
        self.last += 1
        if self.modern:
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                               "io.modelcontextprotocol/clientCapabilities": {}}
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method,
                              "params": params}).encode())
        answer = self.receive()
        assert answer["id"] == self.last, answer
        return answer

    def call(self, tool, **arguments):
        """The document of a tool. What fails is raised."""
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        self.result = answer["result"]
        text = self.result["content"][0]["text"]
        if self.result["isError"]:
            raise Failed(text)
        assert json.loads(text) == self.result["structuredContent"], text
        self.text = text
        return self.result["structuredContent"]
