"""judge.py - call readers, compare what they read with what they should have, count the verdicts.
"""
import json
import math
import os
import subprocess
import sys

import setup
import values

READER_SECONDS = 300
COMMANDS = {name: ["node", name + ".mjs"] for name in
            ("perfetto", "hyparquet", "parquet_wasm", "parquet_bounds", "arrow", "duckdb",
             "speedscope")}
COMMANDS.update({name: [sys.executable, name + ".py"] for name in ("chdb", "ctf")})


def ask(reader, jobs):
    """The answers of a reader to jobs, in their order. A reader that dies answers with an error."""
    if not jobs:
        return []
    command = [COMMANDS[reader][0], os.path.join(setup.HERE, "readers", COMMANDS[reader][1])]
    try:
        done = subprocess.run(command, input=json.dumps(jobs).encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=READER_SECONDS,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        out, said = done.stdout, done.stderr.decode(errors="replace")[-1000:]
    except subprocess.TimeoutExpired as late:
        out, said = late.stdout or b"", "no answer in %d s" % READER_SECONDS
    answers = [json.loads(line) for line in
               out.decode(errors="surrogateescape").split("\n") if line]
    for job in jobs[len(answers):]:
        answers.append({"file": job["file"], "error": "the reader %s ended: %s" % (reader, said)})
    return answers


def same(wanted, got):
    if isinstance(wanted, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        return wanted == got or math.isnan(wanted) and math.isnan(got)
    if isinstance(wanted, bool) != isinstance(got, bool):
        return False
    return wanted == got


def differences(wanted, got, path=""):
    """Lines that say where two documents differ; none when they are the same. Of a dictionary
    only what is wanted is compared."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [line for name, value in wanted.items()
                for line in differences(value, got.get(name), "%s.%s" % (path, name))]
    if isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        if len(wanted) != len(got):
            return ["%s: %d items, not %d" % (path, len(got), len(wanted))]
        return [line for i, (one, other) in enumerate(zip(wanted, got))
                for line in differences(one, other, "%s[%d]" % (path, i))]
    if same(wanted, got):
        return []
    return ["%s: %.200r, not %.200r" % (path or "all", got, wanted)]


def table_differences(columns, answer, bytes_alone=False):
    """How a table that was read differs from (name, kind, values). Readers with bytes_alone do not
    tell text from bytes, nor a list that is null from an empty one."""
    if "error" in answer:
        return [answer["error"]]
    names = [column["name"] for column in answer["columns"]]
    if names != [name for name, _, _ in columns]:
        return ["columns %s, not %s" % (names, [name for name, _, _ in columns])]
    lines = []
    for (name, kind, wanted), got in zip(columns, answer["columns"]):
        has_lists = any(isinstance(value, list) for value in wanted)
        if bytes_alone:
            kind = "bytes" if kind == "text" else kind
            wanted = [[] if has_lists and value is None else values.as_bytes(value)
                      for value in wanted]
        told = {"kind": kind, "count": len(wanted),
                "nulls": sum(value is None for value in wanted),
                "digest": values.digest_of(kind, wanted)}
        if kind == "int" and not has_lists:
            told["sum"] = sum(value for value in wanted if value is not None)
        found = differences(told, got, name)
        if found and got["values"] is not None:
            found += differences(wanted, [values.from_json(kind, v) for v in got["values"]], name)
        lines += found
    return lines


class Verdicts:
    """Prints what failed and what could not be run, and counts."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, name, complaints):
        if not complaints:
            self.passed += 1
            return
        self.failed += 1
        print("%s: FAILED" % name)
        for line in complaints[:8]:
            print("    " + str(line).replace("\n", "\n    "))
        if len(complaints) > 8:
            print("    and %d more" % (len(complaints) - 8))

    def must_differ(self, name, complaints):
        """A wrong input must be noticed."""
        self.add(name, [] if complaints else ["a wrong input was not noticed"])

    def not_run(self, reader, why, avoidable):
        if avoidable and os.environ.get("RASTRUM_ENGINES") == "required":
            self.add("engines/" + reader, ["not run, and it can be installed: " + why])
        else:
            print("engines/%s: not run: %s" % (reader, why), flush=True)

    def tally(self):
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0
