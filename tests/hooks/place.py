"""place.py - a program built to be recorded, in a directory of its own; and what it must do."""
import json
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REDUCED = os.environ.get("RASTRUM_EFFORT") == "reduced"
MODES = {"cyg": ["-finstrument-functions"], "fentry": ["-pg", "-mfentry"],
         "patch": ["-fpatchable-function-entry=5"]}
# Built without any of them and patched by --unmodified, without what the compiler's own files add,
# and what the sources exclude from the others.
PLAIN, UNINLINED = "plain", ["-fno-inline", "-falign-functions=16"]
LEFT_OUT = ["_init", "_fini", "frame_dummy", "*register_tm_clones", "__do_global_dtors_aux",
            "from_everywhere"]
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-14", "clang++-14")}
KINDS = {1: "call", 2: "return", 3: "exception"}
NOT_RUN = set()  # what could not be tried here, and why


class Wrong(Exception):
    pass


class Place:
    """One program, built in one way, in a directory of its own."""

    def __init__(self, rastrum, compiler, mode):
        self.rastrum, self.compiler, self.mode = rastrum, compiler, mode
        self.machine = os.uname().machine
        self.dir = tempfile.mkdtemp(prefix="rastrum-hooks-")
        self.more = []
        if mode == PLAIN:
            self.more = ["--unmodified=%s/*" % self.dir]
            self.more += [word for name in LEFT_OUT for word in ("-x", name)]

    def path(self, name):
        return os.path.join(self.dir, name)

    def build(self, source, *more, name=None):
        cxx = source.endswith(".cpp")
        tool = COMPILERS[self.compiler][cxx]
        out = self.path(name or source.split(".")[0])
        command = [tool, "-g", "-O1", *MODES.get(self.mode, UNINLINED),
                   os.path.join(HERE, source), "-o", out, "-pthread", *more]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Wrong("%s\n%s" % (" ".join(command), done.stdout))
        return out

    def record(self, *words, status=0, options=()):
        out = self.path("calls")
        shutil.rmtree(out, ignore_errors=True)
        command = [self.rastrum, "record", "--quiet", "-o", out, *self.more, *options, "--",
                   *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=120)
        if done.returncode != status:
            raise Wrong("exit status %d instead of %d\n%s" % (done.returncode, status,
                                                              done.stdout))
        return out

    def ask(self, *words, status=0):
        done = subprocess.run([self.rastrum, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != status:
            raise Wrong("%s: exit status %d\n%s%s" % (" ".join(words), done.returncode,
                                                      done.stdout, done.stderr))
        return done.stdout

    def events(self, out, killed=False):
        """{stream: [(kind, name, depth)]}, after a look at the whole. Of a program that was
        `killed` it is said that nobody knows what is missing."""
        report = json.loads(self.ask("verify", "--json", out))
        bad = [f["rule"] for f in report["findings"] if f["severity"] != "note"]
        if bad != (["atf.manifest.unfinished"] if killed else []):
            raise Wrong("verify: %s" % bad)
        streams, last = {}, {}
        for line in self.ask("cat", "--json", "--type", "event", out,
                             status=3 if killed else 0).splitlines():
            record = json.loads(line)
            values, stream = record["values"], record["stream"]
            if record["time_ns"] < last.get(stream, 0):
                raise Wrong("time steps back at seq %d" % record["seq"])
            last[stream] = record["time_ns"]
            name = (values["function"] or values["function_id"]).split("(")[0]
            streams.setdefault(stream, []).append(
                (KINDS[values["event_kind"]], name, values["call_depth"]))
        return streams

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def expect(text):
    """Events out of lines: `name` is a call and its return around what is indented below,
    `name!` one that ends by an exception, `name...` one that stays open."""
    events, stack = [], []

    def close(until):
        while len(stack) > until:
            name, mark = stack.pop()
            if mark != "...":
                events.append(("exception" if mark == "!" else "return", name, len(stack) + 1))
    for line in text.splitlines():
        word = line.strip()
        if not word:
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        close(depth)
        mark = "..." if word.endswith("...") else "!" if word.endswith("!") else ""
        name = word[:len(word) - len(mark)]
        stack.append((name, mark))
        events.append(("call", name, len(stack)))
    close(0)
    return events


def same(got, want, what="events"):
    if got == want:
        return
    if not isinstance(got, list):
        raise Wrong("%s: %r instead of %r" % (what, got, want))
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            raise Wrong("%s: at %d %s instead of %s\n  before: %s" % (what, i, g, w,
                                                                     got[max(0, i - 8):i]))
    raise Wrong("%s: %d instead of %d; %s" % (what, len(got), len(want),
                                              (got + want)[min(len(got), len(want)):][:4]))


def only(streams):
    if len(streams) != 1:
        raise Wrong("%d threads instead of one" % len(streams))
    return next(iter(streams.values()))


def manifest_of(out):
    with open(find(out, "manifest.json"), encoding="utf-8") as text:
        return json.load(text)


def dropped_of(out):
    """Events that were not stored, of threads and of nobody's."""
    manifest = manifest_of(out)
    return (sum(d["events"] for d in manifest.get("drops", [])) +
            sum(count for name, count in manifest["recorder"].items()
                if name.startswith("stray_") and not name.startswith("stray_events_")))


def find(out, name):
    for where, _, names in os.walk(out):
        if name in names:
            return os.path.join(where, name)
    raise Wrong("no %s" % name)
