#!/usr/bin/env python3
"""frida2.py - captures 28 and 29 finalized: trace, replay, evidence, refusals.

frida2.py RASTRUM FIXTURES

The captures are those of tests/cli/tools/capture.py. The traces are read by the strict reader
of the fixtures, which shares nothing with the program; what must be in the files comes from the
rows.
"""
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile

from tally import check, finish
import zstandard

RASTRUM, FIXTURES = sys.argv[1], sys.argv[2]
sys.path[:0] = [os.path.join(FIXTURES, "cdt2", "tools")]
import cdt2 as tool

CAPTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "tools",
                       "capture.py")


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def capture(*args):
    return subprocess.run([sys.executable, CAPTURE, *args], check=True,
                          stdout=subprocess.PIPE).stdout


def content(path):
    return zstandard.ZstdDecompressor().decompressobj().decompress(open(path, "rb").read())


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def records(data):
    found = []
    while data:
        size, = struct.unpack_from("<I", data)
        found.append(tool.unpack(data[4:4 + size]))
        data = data[4 + size:]
    return found


def check_replay(name, path, version, start, ticks):
    data = content(path)
    replay = tool.unpack(data)
    steps = [t["channels"]["replay_step"] for t in ticks]
    check(name + " replay keys", list(replay) == ["format_version", "capture_format_version",
                                                  "tick_rate", "run", "status", "creature_pool",
                                                  "ticks"], list(replay))
    check(name + " canonical", tool.mp(replay) == data, "another encoding")
    check(name + " run", ("demo" in replay["run"]) == (version == 28) and
          ("friendly_fire" in replay["run"]) == (version == 29) and
          replay["run"]["preserve_bugs"] is True and len(replay["run"]) == 13 and
          replay["run"]["seed"] == start["rng_state_before_bootstrap"], replay["run"])
    check(name + " pool", len(replay["creature_pool"]) == len(start["pool_residue"]) and
          all(len(slot) == 33 for slot in replay["creature_pool"]), replay["creature_pool"])
    check(name + " steps", [(t["dt"], t["inputs"], t["prelude"], t["postlude"])
                            for t in replay["ticks"]] ==
          [(s["dt"], [list(i.values()) for i in s["inputs"]], s["prelude"], s["postlude"])
           for s in steps], "others")


def check_run(name, base, raw, version, schema, start, ticks):
    meta, _, rows = tool.load(open(base + ".cdt", "rb").read())
    source = meta["source"]
    check(name + " schema", meta["trace_schema_version"] == schema, meta)
    check(name + " digests", source["sha256"] == digest(raw) and
          source["replay_sha256"] == digest(base + ".ccr"), source)
    check(name + " ticks", [r["channels"] for r in rows] == [t["channels"] for t in ticks],
          "others")
    seed = bytes(start["settings"]["status"]["reserved_seed_words"])
    check(name + " status", meta["status"] == dict(start["settings"]["status"],
                                                   reserved_seed_words=seed), meta["status"])
    check_replay(name, base + ".ccr", version, start, ticks)
    found = records(content(base + ".evidence.msgpack.zst"))
    check(name + " evidence", [r.get("evidence") for r in found[1:-1]] ==
          [t["evidence"] for t in ticks], "others")
    check(name + " evidence digests", found[0]["trace_sha256"] == digest(base + ".cdt") and
          found[0]["replay_sha256"] == digest(base + ".ccr"), found[0])
    for path in (base + ".cdt", base + ".evidence.msgpack.zst"):
        status, _, said = run("verify", path)
        check(name + " verify", status == 0, said)


def check_accepted(folder):
    for version, schema, args in ((29, 20, []), (29, 19, ["--mode", "3", "--players", "2"]),
                                  (28, 19, ["--mode", "2"]),
                                  (29, 20, ["--ticks", "300", "--creatures", "40"])):
        name = "%d %d %s" % (version, schema, " ".join(args))
        raw = os.path.join(folder, "c.jsonl")
        data = capture("--version", str(version), "--schema", str(schema), "--runs", "2", *args)
        open(raw, "wb").write(data)
        lines = [json.loads(line) for line in data.splitlines()]
        status, out, said = run("finalize", "--json", raw)
        check(name, status == 0 and not said, said)
        if status:
            continue
        for i, made in enumerate(json.loads(out)["traces"]):
            check_run(name, made["trace"][:-4], raw, version, schema,
                      [r for r in lines if r["event"] == "run_start"][i],
                      [r for r in lines if r["event"] == "tick" and r["run_id"] == i + 1])


# One change each, and a word of the refusal. Nothing may be written.
DEFECTS = [
    (b'"frida_version":"17.15.4"', b'"frida_version":"16"', "frida_version"),
    (b'"enable_rng_hooks":true', b'"enable_rng_hooks":false', "enable_rng_hooks"),
    (b'"rng_bootstrap_calls":3', b'"rng_bootstrap_calls":4', "bootstrap"),
    (b'"world_size":1024', b'"world_size":1000', "world_size"),
    (b'"event":"tick","run_id":1', b'"event":"tick","run_id":9', "run_id"),
    (b'"dropped":0', b'"dropped":1', "dropped"),
    (b'"frames":1', b'"frames":3', "frame operation"),
    (b'"caller_static":"0x0040cac7"', b'"caller_static":"0x0040cac8"', "caller"),
    (b'"bonus_apply":0', b'"bonus_apply":5', "pickup_count"),
    (b'"rng_callers_crc32":', b'"rng_callers_crc":', "unknown field"),
    (b'"hp":', b'"dot_tick_timer":0,"hp":', "unknown field"),
    (b'"choices":[1,', b'"choices":[', "schema 20"),
    (b'"weapon_id":1', b'"weapon_id":54', "enum"),
    (b'"flags":6408', b'"flags":1048576', "flags"),
    (b'"value_15":', b'"value_15":9', "value_15"),
    (b'"event":"run_end"', b'"event":"session_end"', "Invalid value"),
    (b'"diagnostics":{', b'"diagnostics":{"x":99999999999999999999,', "evidence"),
    (b'"diagnostics":{', b'"diagnostics":{"x":' + b"[" * 70 + b"]" * 70 + b",", "nested"),
]


def check_refused(folder):
    good = capture("--version", "29", "--ticks", "2")
    raw = os.path.join(folder, "c.jsonl")
    for old, new, word in DEFECTS:
        out = os.path.join(folder, "out")
        open(raw, "wb").write(good.replace(old, new, 1))
        check(word + " occurs", old in good, old)
        status, _, said = run("finalize", raw, "--out", out)
        check("refused: " + word, status == 1 and word in said, f"{status} {said!r}")
        check("nothing is written: " + word, not os.path.exists(out) or not os.listdir(out), out)
    for version in (*range(0, 13), *range(16, 28), 30, 31):
        open(raw, "wb").write(good.replace(b'"capture_format_version":29',
                                           b'"capture_format_version":%d' % version))
        status, _, said = run("finalize", raw)
        check("version %d" % version, status == 1 and "version=%d;" % version in said and
              " known; " in said and "finalize it with" in said, said)


def check_ends(folder):
    raw = os.path.join(folder, "c.jsonl")
    open(raw, "wb").write(capture("--version", "29", "--ticks", "3", "--no-end"))
    status, _, said = run("finalize", raw)
    check("a run without an end", status == 1 and "ended with active run 1 after 3" in said, said)
    status, out, said = run("finalize", "--salvage", raw)
    check("is kept by --salvage", status == 3 and "ticks=3" in out, said)
    status, _, said = run("verify", raw[:-6] + ".survival.run1.cdt")
    check("and is valid", status == 0, said)


for one in (check_accepted, check_refused, check_ends):
    with tempfile.TemporaryDirectory() as where:
        one(where)
finish()
