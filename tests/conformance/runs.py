#!/usr/bin/env python3
"""runs.py - what the pens of a run write, read back by the tools of the public fixtures.

runs.py RASTRUM FIXTURES

The inputs, the state and the events of a run of the arena and of one that went wrong are decoded
by independent readers, encoded again to the same bytes where a tool can, and described as the
program does. The ATF session is read by its layout.
"""
import collections
import importlib
import json
import os
import struct
import subprocess
import sys
import tempfile

from tally import check, finish

RASTRUM, FIXTURES = sys.argv[1:3]
TICKS, BAD = 160, 100
for part in ("murk", "cdt", "dial9"):
    sys.path.insert(0, os.path.join(FIXTURES, part, "tools"))


def say(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_murk(murk, run, reported):
    with open(run + "/replay.murk", "rb") as trace:
        data = trace.read()
    decoded = murk.decode(data)
    check("murk is whole", decoded["error"] is None, decoded["error"])
    frames = decoded["frames"]
    check("murk ticks", [f["tick_id"] for f in frames] == list(range(1, TICKS + 1)))
    check("murk commands", sum(len(f["commands"]) for f in frames) == reported["commands"])
    check("murk payloads", all(murk.payload(c["payload_type"], c["payload"])
                               for f in frames for c in f["commands"]))
    again = murk.enc_header(decoded["header"]) + b"".join(map(murk.enc_frame, frames))
    check("murk again", again == data, (len(again), len(data)))
    check("murk hash", "0x%016x" % frames[-1]["snapshot_hash"] == reported["snapshot_hash"])


def check_cdt(cdt, run):
    trace = cdt.Reader(run + "/state.cdt", strict=True)
    meta = trace.chunk(27)[3]
    check("cdt meta", cdt.pack(trace.meta, "TraceMeta") == meta)
    check("cdt time", trace.meta["created_utc"] == "1970-01-01T00:00:00+00:00")
    check("cdt path", trace.meta["source"]["path"] is None)
    for entry in trace.footer["tick_blocks"]:
        payload = trace.chunk(entry["file_offset"])[3]
        check(f"cdt block {entry['start_tick']}",
              cdt.pack(trace.block(entry), "TickBlock") == payload)
    ticks = list(trace.ticks())
    check("cdt ticks", [t["tick_index"] for t in ticks] == list(range(1, TICKS + 1)))
    for pool in ("creatures", "projectiles", "secondary_projectiles", "bonuses"):
        check(f"cdt {pool}", any(t["channels"]["entity_samples"][pool] for t in ticks))
    check("cdt entities", all(sum(map(len, t["channels"]["entity_samples"].values())) >= 100
                              for t in ticks))
    for tick in ticks:
        draws = tick["channels"]["rng_stream"]
        state = [(r["state_before_u32"] * 214013 + 2531011) & 0xFFFFFFFF for r in draws]
        if [r["state_after_u32"] for r in draws] != state:
            check(f"cdt draws of {tick['tick_index']}", False)
        if tick["channels"]["checkpoint"]["tutorial"] or tick["channels"]["checkpoint"]["typo"]:
            check(f"cdt modes of {tick['tick_index']}", False)


def check_verbs(good, bad):
    """The texts and exit codes of the verbs that the public project has."""
    tool = os.path.join(FIXTURES, "cdt", "tools", "ref_cdt.py")
    a, b = good + "/state.cdt", bad + "/state.cdt"
    creature = json.loads(say("cat", "--json", "--type", "creature", "--from", "9", "--limit", "1",
                              a)[1])["values"]["uid"]
    for args in (("health", a), ("tick", a, "77"), ("entity", a, str(creature), "--ticks", "9..12"),
                 ("query", a, "ticks where checkpoint.kills > prev(checkpoint.kills)"),
                 ("diff", a, a), ("diff", a, b), ("bisect", a, b),
                 ("focus", a, b, "--tick", str(BAD))):
        want = subprocess.run(["/usr/bin/python3", tool, *args], capture_output=True, timeout=120)
        got = say("dbg", *args)
        check(" ".join(args[:1]), got == (want.returncode, want.stdout.decode(),
                                          want.stderr.decode()), got)


def check_dial9(dial9, run):
    frames = dial9.Dec().run(dial9.load(run + "/events.trc"))
    check("dial9 is whole", not [f for f in frames if f["k"] == "error"], frames[-1])
    names = collections.Counter(f["name"] for f in frames if f["k"] == "event")
    reported = json.loads(say("info", "--json", run + "/events.trc")[1])["records"]["by_type"]
    check("dial9 events", dict(names) == reported, (names, reported))
    for name in ("tick", "phase", "spawn", "hit", "pickup", "CpuSampleEvent", "SymbolTableEntry"):
        check(f"dial9 {name}", names[name] > 0)
    check("dial9 ticks", names["tick"] == TICKS)
    events = [(f, dict(f["v"])) for f in frames if f["k"] == "event"]
    check("dial9 durations", all(int(v["duration_ns"]["u"]) > 0
                                 for f, v in events if f["name"] == "tick"))
    times = [int(f["t"]) for f, v in events if f["name"] != "SymbolTableEntry"]
    check("dial9 order", times == sorted(times))


def check_atf(run):
    """Every index file: whole events of 32 bytes, nested calls, details that are there."""
    for where, _, names in os.walk(run + "/calls"):
        if "index.atf" not in names:
            continue
        with open(os.path.join(where, "index.atf"), "rb") as index:
            data = index.read()
        count, = struct.unpack_from("<I", data, 28)
        first, = struct.unpack_from("<Q", data, 32)
        stack, details = [], 0
        for i in range(count):
            time, function, _, kind, depth, detail = struct.unpack_from("<QQIIII", data,
                                                                        first + 32 * i)
            details += detail != 0xFFFFFFFF
            if kind == 1:
                stack.append(function)
                if depth != len(stack):
                    check(f"atf event {i}", False, (depth, len(stack)))
            elif not stack or stack.pop() != function:
                check(f"atf event {i}", False, "returns from what was not called")
        check("atf calls", count > 10 * TICKS and not stack, count)
        check("atf details", details > 100, details)


def main():
    tools = [importlib.import_module(name) for name in ("murkref", "gen_cdt", "d9")]
    with tempfile.TemporaryDirectory() as home:
        good, bad = home + "/good", home + "/bad"
        args = ("run", "arena", "--ticks", str(TICKS), "--seed", "5", "-o")
        check("run", say(*args, good)[0] == 0)
        check("run that goes wrong", say(*args, bad, "--perturb", f"{BAD}:rng")[0] == 0)
        with open(good + "/run.json", encoding="utf-8") as text:
            reported = json.load(text)
        check_murk(tools[0], good, reported)
        check_cdt(tools[1], good)
        check_verbs(good, bad)
        check_dial9(tools[2], good)
        check_atf(good)
    finish()


if __name__ == "__main__":
    main()
