#!/usr/bin/env python3
"""murk_sim.py - recordings of the public engine and of ref-1, executed again.

murk_sim.py RASTRUM FIXTURES

Every tick of every recording must come out with the recorded hash, and with the receipts, the
count and the failure that the engine itself gave; at the end the fields are the engine's.
"""
import glob
import json
import os
import subprocess
import sys

from tally import check, checks_passed, finish

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "murk")


def run(*args):
    done = subprocess.run([RASTRUM, "replay", *args], capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_ticks(name, got, want):
    check(f"{name} ticks", len(got) == len(want), len(got))
    for tick, expected in zip(got, want):
        receipts = [[r["command"], int(r["accepted"]), r["applied_tick"], r["reason"]]
                    for r in tick["receipts"]]
        check(f"{name} tick {tick['tick']} receipts", receipts == expected["receipts"], receipts)
        check(f"{name} tick {tick['tick']}",
              (tick["tick"], tick["world_tick"], tick["replayed"], tick["failure"] or "ok") ==
              (expected["tick"], expected["engine_tick"], expected["hash"], expected["result"]),
              tick)


def check_fields(name, path, last, want):
    _, out, err = run("--until", str(last), "--dump-fields", path)
    got = {}
    for line in out.splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "bits" in words:
            got.setdefault(int(words["field"]), []).append(words["bits"][2:])
    check(f"{name} fields", [got[i] for i in sorted(got)] == want, err or got)


for path in sorted(glob.glob(os.path.join(FIXTURES, "sim", "*.murk"))):
    name = os.path.basename(path)
    with open(path[:-5] + ".json", encoding="utf-8") as text:
        want = json.load(text)
    rc, out, err = run("--json", "--verbose", path)
    if not check(f"{name} runs", rc == 0, err):
        continue
    got = json.loads(out)
    check(f"{name} result", got["result"] == "ok" and got["mismatch"] is None, got["result"])
    check_ticks(name, got["tick_list"], want["ticks"])
    if want["final_field_bits"]:
        check_fields(name, path, want["ticks"][-1]["tick"], want["final_field_bits"])

check("there are recordings", checks_passed() > 0)
for path in sorted(glob.glob(os.path.join(FIXTURES, "files", "v*.murk"))):
    rc, _, err = run(path)
    check(f"{os.path.basename(path)} cannot be verified", rc == 2 and "no recipe" in err, err)
finish()
