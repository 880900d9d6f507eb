"""timelines.py - every golden, and a run of all five formats, through every target that shows time.

What a reader finds is compared with the report of the export, with other targets, and with what
`cat` and `stats` print about the same trace.
"""
import collections
import concurrent.futures
import copy
import json
import os
import subprocess

import judge
import models
import setup

GOLDEN = os.path.join(setup.ROOT, "tests", "golden")
EXPECTATIONS = (".jsonl", ".json", ".rc", ".md", ".py", ".build")
SECONDS = 120
QUERIES = {
    "slices": "SELECT name, ts, dur, category FROM slice",
    "counters": "SELECT t.name, c.ts, c.value FROM counter c "
                "JOIN counter_track t ON t.id = c.track_id "
                "WHERE t.id NOT IN (SELECT id FROM perf_counter_track)",
    "flows": "SELECT count(*) FROM flow",
    "samples": "SELECT count(*) FROM perf_sample",
    "bad": "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0",
}
PPROF = {
    "sums": "SELECT p.sample_type_type, count(*), sum(s.value) FROM __intrinsic_aggregate_sample s "
            "JOIN __intrinsic_aggregate_profile p ON p.id = s.aggregate_profile_id GROUP BY 1",
    "bad": QUERIES["bad"],
}
GECKO = {
    "samples": "SELECT count(*), min(ts), max(ts) FROM cpu_profile_stack_sample",
    "bad": QUERIES["bad"],
}


class Export:
    """One trace to one target: its report, its exit status, where it lies."""

    def __init__(self, program, trace, target, out):
        self.trace, self.target, self.out = trace, target, out
        done = subprocess.run([program, "export", "--to", target, "--json", "--no-progress", "-o",
                               out, trace.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SECONDS)
        self.status, self.said = done.returncode, done.stderr.decode(errors="replace").strip()
        report = json.loads(done.stdout) if done.stdout else {"written": [], "not_carried": []}
        self.written = collections.Counter({c["what"]: c["count"] for c in report["written"]})
        self.lost = collections.Counter({c["what"]: c["count"] for c in report["not_carried"]})
        self.name = "%s to %s" % (trace.name, target)

    def is_there(self):
        return os.path.exists(self.out)

    def moved(self):
        """Whether some times are not those of the trace, which the report must say."""
        return any("moved" in what for what in self.lost)


class Trace:
    def __init__(self, program, name, path, status):
        self.program, self.name, self.path, self.status = program, name, path, status
        self.format = name.split("/")[0]

    def ask(self, *words):
        done = subprocess.run([self.program, *words, self.path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=SECONDS)
        return done.stdout.decode(errors="replace")

    def records(self, *words):
        return [json.loads(line) for line in
                self.ask("cat", "--format", "jsonl", "--no-progress", *words).splitlines()]


def goldens(program):
    for form in sorted(os.listdir(GOLDEN)):
        folder = os.path.join(GOLDEN, form)
        if not os.path.isdir(folder) or form.startswith(("_", ".")):
            continue
        for entry in sorted(os.listdir(folder)):
            if entry.endswith(EXPECTATIONS) or entry.startswith(("_", ".")):
                continue
            name = entry.split(".")[0]
            with open(os.path.join(folder, name + ".rc"), encoding="ascii") as text:
                statuses = dict(pair.split("=") for pair in text.read().split())
            yield Trace(program, "%s/%s" % (form, name), os.path.join(folder, entry),
                        int(statuses["cat"]))


def run_directory(program, scratch):
    folder = os.path.join(scratch, "arena")
    subprocess.run([program, "run", "arena", "--seed", "7", "--ticks", "120", "--quiet", "-o",
                    folder], check=True, stdout=subprocess.DEVNULL)
    parts = {"murk": "replay.murk", "cdt": "state.cdt", "aerogpu": "gpu.aerogputrace",
             "dial9": "events.trc", "atf": "calls"}
    yield Trace(program, "run/arena", folder, 0)
    for form, part in parts.items():
        yield Trace(program, form + "/arena", os.path.join(folder, part), 0)


def targets(program):
    """{name: row} of the targets this program has; none where it has no exports."""
    done = subprocess.run([program, "export", "--targets", "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return {row["name"]: row for row in json.loads(done.stdout)} if done.returncode == 0 else {}


# ---- exit status and report ----------------------------------------------------------------

def export_complaints(export):
    """A target says how the trace ended as `cat` does; where it fails it leaves nothing."""
    wanted = export.trace.status
    lines = []
    if export.status != wanted:
        lines.append("exit status %d, and cat has %d: %s" % (export.status, wanted,
                                                             export.said[-300:]))
    if export.is_there() != (export.status in (0, 3)):
        lines.append("exit status %d, and there is %s output" % (
            export.status, "an" if export.is_there() else "no"))
    return lines


# ---- trace_processor -------------------------------------------------------------------------

def timeline_complaints(export, answer):
    """What trace_processor sees is as much as the report says was written."""
    if "error" in answer:
        return [answer["error"]]
    found = {name: result["rows"] for name, result in answer["results"].items()}
    lines = ["trace_processor reports %s: %s" % tuple(row) for row in found["bad"]]
    written = export.written
    shown = written["slices"] + written["instants"]
    if export.target == "chrome":
        shown += written["samples"]  # which it has no other form for
    else:
        lines += judge.differences(written["samples"], found["samples"][0][0], "samples")
    lines += judge.differences(shown, len(found["slices"]), "slices and instants")
    lines += judge.differences(written["counter values"], len(found["counters"]), "counter values")
    lines += judge.differences(export.lost["slices without an end, left open"],
                               sum(row[2] == -1 for row in found["slices"]), "open slices")
    return lines + models.complaints(export, found)


EXACT = 1 << 53  # trace_processor reads the times of Chrome's JSON as floats


def as_set(answer):
    """Slices and counters without their order, and without what one target has another form for:
    samples. A counter of Chrome's has its key in its name; a slice without a name gets one."""
    rows = {name: result["rows"] for name, result in answer["results"].items()}
    counters = collections.Counter(
        (name[:-6] if name.endswith(" value") else name, ts, float(value))
        for name, ts, value in rows["counters"])
    slices = collections.Counter(
        (name or "[No name]", ts if ts < EXACT else 0, dur, category)
        for name, ts, dur, category in rows["slices"] if (name, category) != ("sample", None))
    return {"slices": slices, "counters": counters, "flows": rows["flows"]}


def same_timeline(one, other, lost):
    """Two targets show the same, but for the flows that the report of the other calls lost."""
    one, other = as_set(one), as_set(other)
    lines = judge.differences(one["flows"][0][0], other["flows"][0][0] + lost, "flows")
    for name in ("slices", "counters"):
        wanted, got = one[name], other[name]
        if wanted != got:
            lines.append("%s: only in one: %s; only in the other: %s" % (
                name, list((wanted - got).items())[:3], list((got - wanted).items())[:3]))
    return lines


def profile_complaints(export, answer, folded):
    """pprof: every slice is counted once, and the time is that of folded stacks."""
    if "error" in answer:
        return [answer["error"]]
    lines = ["trace_processor reports %s: %s" % tuple(row)
             for row in answer["results"]["bad"]["rows"]]
    sums = {kind: total for kind, _, total in answer["results"]["sums"]["rows"]}
    lines += judge.differences(export.written["slices"], sums.get("calls", 0), "calls")
    lines += judge.differences(export.written["samples"], sums.get("samples", 0), "samples")
    if folded is not None:
        lines += judge.differences(folded, sums.get("wall", 0), "wall")
    return lines


def gecko_complaints(export, answer):
    """Firefox: a sample at every change of a stack that is not empty then."""
    if "error" in answer:
        return [answer["error"]]
    lines = ["trace_processor reports %s: %s" % tuple(row)
             for row in answer["results"]["bad"]["rows"]]
    wanted = models.stack_changes(export)
    if wanted is not None:
        lines += judge.differences(wanted, answer["results"]["samples"]["rows"][0][0], "samples")
    return lines


def ctf_complaints(export, answer):
    """babeltrace2 reads as many events as the report counts, and loses what the trace lost."""
    if "error" in answer:
        return [answer["error"]]
    written = export.written
    wanted = 2 * written["slices"] - export.lost["slices without an end, left open"] + \
        written["instants"] + written["counter values"] + written["samples"]
    lines = judge.differences(wanted, answer["count"], "events")
    gaps = [record["values"] for record in export.trace.records("--type", "gap")
            if record["type"] == "gap"] if export.lost["gaps in the trace"] else []
    lines += judge.differences(sum(gap["lost"] or 1 for gap in gaps), answer["discarded"],
                               "discarded events")
    if export.trace.format == "atf" and answer["count"] == len(answer["events"]):
        lines += models.atf_events(export, answer["events"])
    return lines


# ---- profiles --------------------------------------------------------------------------------

def folded_sum(path):
    total = 0
    with open(path, encoding="utf-8") as text:
        for line in text:
            total += int(line.rsplit(" ", 1)[1])
    return total


def folded_complaints(export):
    """Lines are sorted stacks with a number; their sum is the time of all functions themselves."""
    with open(export.out, "rb") as data:
        lines = data.read().decode().splitlines()
    stacks = [line.rsplit(" ", 1)[0] for line in lines]
    found = [] if stacks == sorted(stacks, key=str.encode) else ["lines are not sorted"]
    if len(set(stacks)) != len(stacks):
        found.append("a stack has two lines")
    if export.trace.format == "atf" and not export.moved():
        table = json.loads(export.trace.ask("stats", "--json"))["tables"]["functions"]
        at = table["columns"].index("self_ns")
        wanted = sum(row[at] or 0 for row in table["rows"])
        found += judge.differences(wanted, folded_sum(export.out), "self_ns")
    return found


def speedscope_complaints(export, answer):
    if "error" in answer:
        return [answer["error"]]
    evented = [p for p in answer["profiles"] if p["type"] == "evented"]
    sampled = [p for p in answer["profiles"] if p["type"] == "sampled"]
    return judge.differences(2 * export.written["slices"], sum(p["events"] for p in evented),
                             "events") + \
        judge.differences(export.written["samples"], sum(p["samples"] for p in sampled), "samples")


# ---- all of it -------------------------------------------------------------------------------

class Exports:
    """All exports of all traces, made once, and what readers say of them."""

    def __init__(self, program, scratch, verdicts):
        self.program, self.scratch, self.verdicts = program, scratch, verdicts
        self.traces = list(goldens(program)) + list(run_directory(program, scratch))

    def make(self, target):
        def one(numbered):
            number, trace = numbered
            return Export(self.program, trace, target,
                          os.path.join(self.scratch, "%s-%d" % (target, number)))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            made = list(pool.map(one, enumerate(self.traces)))
        for export in made:
            self.verdicts.add(export.name, export_complaints(export))
        return [export for export in made if export.is_there()]

    def read(self, reader, exports, more=None):
        """Answers by name of the trace; two processes share the work."""
        jobs = [{"file": export.out, **(more or {})} for export in exports]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            halves = list(pool.map(lambda part: judge.ask(reader, part), (jobs[0::2], jobs[1::2])))
        answers = [None] * len(jobs)
        answers[0::2], answers[1::2] = halves
        return {export.trace.name: answer for export, answer in zip(exports, answers)}


def check(program, proved, scratch, verdicts):
    """Every target this program has and a proved reader can read."""
    there = targets(program)
    exports = Exports(program, scratch, verdicts)
    answers, made = {}, {}
    for target in ("perfetto", "chrome"):
        if target in there and "trace_processor" in proved:
            made[target] = exports.make(target)
            answers[target] = exports.read("perfetto", made[target], {"queries": QUERIES})
            for export in made[target]:
                verdicts.add(export.name + ": read", timeline_complaints(
                    export, answers[target][export.trace.name]))
    notice_changes(exports, answers)
    for export in made.get("chrome", []):
        one, other = (answers.get(target, {}).get(export.trace.name)
                      for target in ("perfetto", "chrome"))
        if one and other and "error" not in one and "error" not in other:
            verdicts.add(export.trace.name + ": perfetto and chrome", same_timeline(
                one, other, export.lost["flows beyond the first of an event"]))
    check_profiles(exports, there, proved)
    for target in ("perfetto", "chrome", "speedscope", "folded", "pprof", "firefox", "ctf"):
        if target not in there:
            print("engines/%s: not run: this rastrum does not export it" % target)


def notice_changes(exports, answers):
    """What was read of one session, changed a little, must not pass."""
    for target, read in answers.items():
        trace = next(trace for trace in exports.traces if trace.name == "atf/two_threads")
        export = Export(exports.program, trace, target, os.path.join(exports.scratch, "again"))
        os.remove(export.out)
        for what, change in (("a call is a nanosecond longer", lambda rows: rows[0].insert(
                                 2, rows[0].pop(2) + 1)),
                             ("a call is missing", lambda rows: rows.pop())):
            answer = copy.deepcopy(read[trace.name])
            change(answer["results"]["slices"]["rows"])
            exports.verdicts.must_differ("%s: %s" % (target, what),
                                         timeline_complaints(export, answer))


def check_profiles(exports, there, proved):
    verdicts, sums = exports.verdicts, {}
    if "folded" in there:
        for export in exports.make("folded"):
            if export.written["slices"]:
                sums[export.trace.name] = folded_sum(export.out)
            verdicts.add(export.name + ": read", folded_complaints(export))
    if "speedscope" in there and "speedscope" in proved:
        made = exports.make("speedscope")
        answers = exports.read("speedscope", made)
        for export in made:
            verdicts.add(export.name + ": read",
                         speedscope_complaints(export, answers[export.trace.name]))
    if "pprof" in there and "trace_processor" in proved:
        made = [export for export in exports.make("pprof")
                if export.written["slices"] + export.written["samples"]]
        answers = exports.read("perfetto", made, {"queries": PPROF})
        for export in made:
            verdicts.add(export.name + ": read", profile_complaints(
                export, answers[export.trace.name], sums.get(export.trace.name)))
    if "firefox" in there and "trace_processor" in proved:
        made = [export for export in exports.make("firefox")
                if export.written["slices"] + export.written["samples"]]
        answers = exports.read("perfetto", made, {"queries": GECKO})
        for export in made:
            verdicts.add(export.name + ": read",
                         gecko_complaints(export, answers[export.trace.name]))
    if "ctf" in there and "babeltrace2" in proved:
        made = exports.make("ctf")
        answers = exports.read("ctf", made, {"limit": 1000})
        for export in made:
            verdicts.add(export.name + ": read",
                         ctf_complaints(export, answers[export.trace.name]))
