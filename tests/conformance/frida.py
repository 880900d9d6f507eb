#!/usr/bin/env python3
"""frida.py - raw captures finalized: verdicts, messages, traces, evidence.

frida.py RASTRUM FIXTURES

Every capture of the manifest, and the whole set that the fixture tool makes, which has a capture
for each diagnostic. Expectations beyond the manifest are made by the tool's own finalizer, which
shares nothing with the program.
"""
import copy
import base64
import hashlib
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from tally import check, finish
import zstandard

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "frida")
TOOLS = os.path.join(FIXTURES, "tools")
sys.path[:0] = [TOOLS, os.path.join(sys.argv[2], "cdt", "tools")]
import gen_cdt as container
import gen_frida as tool

CHUNK = struct.Struct("<4siiIIIQ")
CREATED = re.compile(rb"created_utc..?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?\+00:00)")
MANIFEST = "manifest.json"


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def payloads(path):
    """[(kind, payload)] of a trace whose chunks follow each other to the footer."""
    data = open(path, "rb").read()
    at, found = 27, []
    while data[at:at + 4] in (b"META", b"TICK", b"FOTR"):
        kind, _, _, flags, stored, size, checksum = CHUNK.unpack_from(data, at)
        payload = zstandard.ZstdDecompressor().decompress(data[at + 32:at + 32 + stored])
        assert flags == 3 and len(payload) == size and container.checksum64(payload) == checksum
        found.append((kind.decode(), payload))
        at += 32 + stored
    assert data[at:at + 8] == b"CDTFTR1\n" and at + 16 == len(data)
    return found


# ---- one capture ---------------------------------------------------------------------------------

def shown(message, raw):
    """The reference's `RAW.lines[N] text` and `RAW.lines[N].field text` as one line of ours."""
    if not message.startswith(raw):
        return message
    rest = re.sub(r"^\.lines\[(\d+)\][ .]", r": line \1: ", message[len(raw):])
    return raw + (rest if rest.startswith(":") else ": " + rest.lstrip())


def check_message(name, entry, raw, said):
    want = shown((entry["message"] or "").replace("{raw}", raw), raw)
    if entry["verdict"] == "accept":
        check(name + " silence", not said or "are missing" in said, said)
        return
    check(name + " one line", said.count("\n") == 1 and said.startswith("rastrum: "), repr(said))
    if "unsupported capture_format_version" in want:  # more are served now; it says why
        check(name + " message", said.startswith("rastrum: " + want.split(";")[0] + ";") and
              "finalize it with" in said, f"{said!r}, not {want!r}")
    elif entry["match"] == "exact":
        check(name + " message", said == f"rastrum: {want}\n", f"{said!r}, not {want!r}")
    elif entry["match"].startswith("prefix"):
        want = want.split("invalid capture row: ")[0] + "invalid capture row: "
        check(name + " message", said.startswith("rastrum: " + want), f"{said!r}, not {want!r}")
    else:
        check(name + " message", raw in said, said)


def check_meta(name, payload, want, raw):
    source = want["source"]
    source["mtime_ns"] = os.stat(raw).st_mtime_ns
    want["created_utc"] = CREATED.search(payload)[1].decode()
    check(name + " META", payload == container.pack(want, "TraceMeta"), "another payload")


def check_output(name, path, entry, want, raw):
    parts = payloads(path)
    check(name + " chunks", [k for k, _ in parts] == ["META", "TICK", "FOTR"], parts)
    ticks = parts[1][1]
    if entry:
        check(name + " ticks", len(ticks) == entry["tick_payload_len"] and
              hashlib.sha256(ticks).hexdigest() == entry["tick_payload_sha256"],
              f"{len(ticks)} bytes, not {entry['tick_payload_len']}")
        checksum = int.from_bytes(hashlib.blake2b(ticks, digest_size=8).digest(), "little")
        source = want["meta"]["source"]
        check(name + " checksum", "0x%016x" % checksum == entry["tick_checksum64"] and
              len(want["ticks"]) == entry["ticks"] and
              (source["run_id"], source["mode_id"]) == (entry["run_id"], entry["mode"]), entry)
    block = {"start_tick": 0, "end_tick": len(want["ticks"]) - 1, "ticks": want["ticks"]}
    check(name + " block", ticks == container.pack(block, "TickBlock"), "another payload")
    check_meta(name, parts[0][1], want["meta"], raw)
    with open(path[:-4] + ".rng_evidence.json") as text:
        check(name + " evidence", text.read() == json.dumps(want["evidence"], indent=2) + "\n",
              "another text")
    if entry:  # what was changed may break a rule of the trace
        rc, _, err = run("verify", "--strict", "--deep", path)
        check(name + " verify", rc == 0, err)


def check_capture(folder, entry, scratch):
    raw = os.path.join(folder, entry["file"])
    name = entry["file"]
    out = os.path.join(scratch, "out", name.replace("/", "_"))
    data = open(raw, "rb").read()
    rc, said, err = run("finalize", raw, "--out", out)
    check(name + " exit", rc == entry["exit"], f"{rc}, not {entry['exit']}: {err}")
    check_message(name, entry, raw, err)
    check(name + " kept", open(raw, "rb").read() == data, "the capture changed")
    wanted = [o["name"] for o in entry["outputs"]]
    sides = [w[:-4] + ".rng_evidence.json" for w in wanted]
    there = sorted(os.listdir(out)) if os.path.isdir(out) else []
    check(name + " files", there == sorted(wanted + sides), f"{there}, not {wanted}")
    reported = [line.split()[0][6:] for line in said.splitlines() if line.startswith("trace=")]
    check(name + " reported", reported == [os.path.join(out, w) for w in wanted], said)
    made, _ = tool.finalize(data, raw)
    for entry_out, want in zip(entry["outputs"], made):
        path = os.path.join(out, entry_out["name"])
        if os.path.exists(path):
            check_output(entry_out["name"], path, entry_out, want, raw)


def stored_bytes(value):
    return base64.b64decode(value["base64"]) if list(value) == ["base64"] else value


def check_stored(name):
    """The trace and evidence that lie beside a capture."""
    with tempfile.TemporaryDirectory() as out:
        run("finalize", os.path.join(FIXTURES, name + ".jsonl"), "--out", out)
        base = os.path.join(FIXTURES, name + ".survival.run1")
        mine = os.path.join(out, name + ".survival.run1")
        with open(base + ".rng_evidence.json") as a, open(mine + ".rng_evidence.json") as b:
            check(name + " stored evidence", a.read() == b.read(), "another text")
        made = payloads(mine + ".cdt")
        check(name + " stored ticks", payloads(base + ".cdt")[1] == made[1], "another payload")
        raw = os.path.join(FIXTURES, name + ".jsonl")
        with open(base + ".expected.json") as text:
            want = json.loads(text.read().replace("{raw}", raw), object_hook=stored_bytes)
        check_meta(name + " expected", made[0][1], want["meta"], raw)
        block = {"start_tick": 0, "end_tick": len(want["ticks"]) - 1, "ticks": want["ticks"]}
        check(name + " expected ticks", made[1][1] == container.pack(block, "TickBlock"),
              "another payload")


def check_set(folder, scratch):
    with open(os.path.join(folder, MANIFEST)) as text:
        entries = json.load(text)
    for entry in entries:
        check_capture(folder, entry, scratch)
    return {e["file"] for e in entries}


# ---- captures of our own -----------------------------------------------------------------------

def check_long(scratch):
    """More ticks than a chunk has, numbers of every shape."""
    raws, want, _ = tool.make_run(600, tricks=True)
    rows = [tool.session_start(), *raws, tool.run_end(1, 1, 600), tool.session_end(600)]
    raw = os.path.join(scratch, "long.jsonl")
    with open(raw, "wb") as f:
        f.write(tool.jsonl(rows))
    rc, _, err = run("finalize", raw, "--out", scratch)
    check("long", rc == 0, err)
    parts = payloads(os.path.join(scratch, "long.survival.run1.cdt"))
    blocks = [p for k, p in parts if k == "TICK"]
    check("long chunks", len(blocks) == 3, len(blocks))
    for i, block in enumerate(blocks):
        ticks = want["ticks"][256 * i:256 * (i + 1)]
        rows = {"start_tick": 256 * i, "end_tick": 256 * i + len(ticks) - 1, "ticks": ticks}
        check(f"long block {i}", block == container.pack(rows, "TickBlock"), "another payload")


# ---- captures with one thing changed -------------------------------------------------------------

VALUES = [None, True, False, 0, 1, -1, 54, 2**31, 2**32, 2**32 - 1, 2**63, 2**64 - 1, -2**63, 1.5,
          -1.5, 0.0, 1e-300, 1e300, 5e-324, 123456789.123, "", "x", "0x1", "gpur_enter", "\u00e9'",
          [], [1], {}, {"x": 1, "y": 2}, [[0, 0, 0, 0, 0]], ["a"], [[[1, 2]]]]


def places(value, path=()):
    items = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    for key, inner in items:
        yield path + (key,)
        yield from places(inner, path + (key,))


def change(rows, rng):
    """Another value, one more, one less, another order; near the top every other time."""
    rows = copy.deepcopy(rows)
    everywhere = list(places(rows))
    path = rng.choice([p for p in everywhere if len(p) <= 3] if rng.random() < 0.5 else everywhere)
    holder, key = rows, path[-1]
    for step in path[:-1]:
        holder = holder[step]
    how = rng.randrange(5)
    if how == 0:
        holder.pop(key)
    elif how == 1 and isinstance(holder, dict):
        holder[rng.choice(["extra", "x", "tick_index", "status"])] = rng.choice(VALUES)
    elif how == 1:
        holder.insert(key, copy.deepcopy(holder[key]))
    elif how == 2 and isinstance(holder, dict):
        items = list(holder.items())
        rng.shuffle(items)
        holder.clear()
        holder.update(items)
    else:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    return rows


def check_changes(scratch, count):
    """The tool reads a whole row before it looks at types; a tuple's length comes first there."""
    rng = random.Random(5)
    raw, out = os.path.join(scratch, "changed.jsonl"), os.path.join(scratch, "changed")
    bases = []
    for version in (13, 14, 15):
        raws, _, _ = tool.make_run(2, version)
        bases.append([tool.session_start(version), *raws, tool.run_end(1, 1, 2),
                      tool.session_end(2)])
    for i in range(count):
        data = tool.jsonl(change(rng.choice(bases), rng))
        with open(raw, "wb") as f:
            f.write(data)
        made, error = tool.finalize(data, raw)
        rc, _, err = run("finalize", "--quiet", raw, "--out", out)
        name = f"change {i}"
        check(name + " exit", rc == (error is not None), f"{rc}: {err} {error}")
        if isinstance(error, tool.FinalizeError) and "of length 5" not in str(error):
            check(name + " message", err == f"rastrum: {shown(str(error), raw)}\n",
                  f"{err!r}, not {error}")
        for want in made:
            check_output(name, os.path.join(out, want["name"]), None, want, raw)


def main():
    names = [n for n in ("valid8", "valid8_v13", "valid8_v14", "multi_run")
             if os.path.exists(os.path.join(FIXTURES, n + ".survival.run1.cdt"))]
    for name in names:
        check_stored(name)
    with tempfile.TemporaryDirectory() as scratch:
        judged = check_set(FIXTURES, os.path.join(scratch, "stored"))
        there = {os.path.relpath(os.path.join(base, name), FIXTURES)
                 for base, _, names in os.walk(FIXTURES) for name in names
                 if name.endswith(".jsonl")}
        check("every capture is judged", judged == there, sorted(judged ^ there))
        made = os.path.join(scratch, "made")
        subprocess.run(["/usr/bin/python3", "-B", os.path.join(TOOLS, "gen_frida.py"), "all", made],
                       check=True, capture_output=True)
        check("set", len(check_set(made, scratch)) >= 120, "captures are missing")
        check_long(scratch)
        check_changes(scratch, 200)
    finish()


main()
