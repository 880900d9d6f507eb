#!/usr/bin/env python3
"""cdt2.py - container 2: decodes and verdicts of the sample traces.

cdt2.py RASTRUM FIXTURES

Expectations are stored beside the fixtures; cuts and flips are judged by the fixture tool's own
reader. Neither shares anything with the program.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

from tally import check, finish, some

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "cdt2")
sys.path.insert(0, os.path.join(FIXTURES, "tools"))
import cdt2 as reference  # noqa: E402

POOLS = (("creature", "creatures"), ("projectile", "projectiles"),
         ("secondary_projectile", "secondary_projectiles"), ("bonus", "bonuses"))


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode()


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows(tick):
    """(type, values) of a tick and its children, in order of delivery."""
    channels = tick["channels"]
    point, state = dict(channels["checkpoint"]), dict(channels["sim_state"])
    step = dict(channels["replay_step"])
    players, deaths = point.pop("players"), point.pop("deaths")
    point["events"] = dict(point["events"])
    hits, sim_players = point["events"].pop("hit_head"), state.pop("players")
    inputs = step.pop("inputs")
    yield "tick", {k: v for k, v in tick.items() if k != "channels"}
    yield "checkpoint", point
    for name, values in (("player", players), ("death", deaths), ("hit", hits)):
        yield from ((name, v) for v in values)
    yield "sim_state", state
    yield from (("sim_player", v) for v in sim_players)
    for name, pool in POOLS:
        yield from ((name, v) for v in channels["entity_samples"][pool])
    yield from (("rng", v) for v in channels["rng_stream"])
    yield from (("timing", v) for v in channels["timing_samples"])
    yield "replay_step", step
    yield from (("input", v) for v in inputs)


def exact(value):
    """Floats with their bits, so that -0.0 is not 0.0."""
    if isinstance(value, float):
        return ("float", value.hex())
    if isinstance(value, dict):
        return {k: exact(v) for k, v in value.items()}
    return [exact(v) for v in value] if isinstance(value, list) else value


def errors(report):
    return sum(finding["severity"] == "error" for finding in json.loads(report)["findings"])


def valid(path):
    name, want = os.path.basename(path), load(path[:-4] + ".json")
    rc, out, err = run("cat", "--format", "jsonl", path)
    records = [json.loads(line) for line in out.splitlines()]
    check(name + " cat", rc == 0 and not err, (rc, err))
    ticks = {}
    for record in records:
        ticks.setdefault(record["tick"], []).append((record["type"], record["values"]))
    for tick in want["ticks"]:
        got = ticks.get(tick["tick_index"])
        expected = list(rows(tick))
        check("%s tick %d" % (name, tick["tick_index"]),
              got is not None and
              exact([list(g) for g in got]) == exact([list(e) for e in expected]),
              got)
    check(name + " ticks", len(ticks) == want["meta"]["tick_range"]["tick_count"], len(ticks))
    rc, out, err = run("info", "--json", path)
    info = json.loads(out)
    check(name + " info", rc == 0 and info["version"] == 2 and
          info["producer"]["trace_schema_version"] == want["meta"]["trace_schema_version"], info)
    rc, out, _ = run("verify", "--json", path)
    check(name + " verify", rc == 0 and errors(out) == 0, out)
    rc, out, _ = run("stats", "--json", path)
    check(name + " stats", rc == 0, out)


def damaged(name, verdict):
    path = os.path.join(FIXTURES, "damaged", name + ".cdt")
    rc, out, err = run("verify", "--json", path)
    check(name + " verify", rc in (1, 2, 3), (rc, out, err))
    if rc == 1:
        check(name + " errors", errors(out) > 0, out)
    rc, out, err = run("cat", path)
    check(name + " cat", rc in (0, 1, 2, 3), (rc, err))


def judged(data, folder):
    """Whether the strict reader accepts these bytes, and what the program says."""
    path = os.path.join(folder, "case.cdt")
    with open(path, "wb") as file:
        file.write(data)
    try:
        reference.load(data, path)
        accepted = True
    except reference.TraceError:
        accepted = False
    rc, out, err = run("verify", "--json", path)
    check("no crash", rc in (0, 1, 2, 3), (rc, err))
    return accepted, rc == 0, out


def mutations(folder):
    """Verdicts of cut and flipped files are those of the strict reader."""
    with open(os.path.join(FIXTURES, "valid", "v01_one_tick.cdt"), "rb") as file:
        data = file.read()
    for at in some(range(0, len(data), 41)):
        accepted, ok, out = judged(data[:at], folder)
        check("cut at %d" % at, accepted == ok, out)
    chance = random.Random(20)
    for _ in some(range(60)):
        at = chance.randrange(len(data))
        flipped = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]
        accepted, ok, out = judged(flipped, folder)
        check("flip at %d" % at, accepted == ok, out)


def main():
    for path in sorted(glob.glob(os.path.join(FIXTURES, "valid", "*.cdt"))):
        valid(path)
    for name, verdict in sorted(load(os.path.join(FIXTURES, "damaged", "verdicts.json")).items()):
        damaged(name, verdict)
    with tempfile.TemporaryDirectory() as folder:
        mutations(folder)
    finish()


main()
