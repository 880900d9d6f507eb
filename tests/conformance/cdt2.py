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

from tally import check, finish, paired, some

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
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "health.json")
        rc, out, err = run("dbg", "health", path, "--json-out", report)
        health = load(report) if os.path.exists(report) else None
        check(name + " health", rc == 0 and json.dumps(health) == json.dumps(want["health"]),
              (rc, err, json.dumps(health)))
        again = os.path.join(folder, "again.cdt")
        run("slice", path, "-o", again)
        with open(again, "rb") as file:
            footer = reference.load(file.read(), again)[1]
        check(name + " footer", footer == want["footer"], footer)
    rc, out, _ = run("stats", "--json", path)
    check(name + " stats", rc == 0, out)


def damaged(name):
    path = os.path.join(FIXTURES, "damaged", name + ".cdt")
    rc, out, err = run("verify", "--json", path)
    check(name + " verify", rc in (1, 2, 3), (rc, out, err))
    if rc == 1:
        check(name + " errors", errors(out) > 0, out)
    rc, out, err = run("cat", path)
    check(name + " cat", rc in (0, 1, 2, 3), (rc, err))


def compare(path, folder):
    """dbg diff, bisect and focus of the base and one variant, as JSON and by exit status."""
    name, want = os.path.basename(path), load(path[:-4] + ".json")
    base = os.path.join(FIXTURES, "diff", "base.cdt")
    report = os.path.join(folder, "report.json")

    def made(*args):
        rc, out, err = run("dbg", *args, "--json-out", report)
        return rc, load(report) if os.path.exists(report) else None, (out, err)
    if "error" in want:
        rc, out, err = run("dbg", "diff", base, path)
        check(name + " refused", rc == 1 and want["error"] in err, (rc, err))
        return
    for verb in ("diff", "bisect", "focus"):
        if verb not in want:  # one of the traces has no such tick
            continue
        tick = ["--tick", str(want["focus"]["tick_index"])] if verb == "focus" else []
        rc, got, said = made(verb, base, path, *tick)
        check("%s %s" % (name, verb), exact(got) == exact(want[verb]) and
              json.dumps(got) == json.dumps(want[verb]), (said, json.dumps(got)))
        status = 0 if verb == "focus" else want["exit_diff"]
        check("%s %s exit" % (name, verb), rc == status, rc)
        os.unlink(report)
    if "focus_error" in want:
        tick = [word for word in want["focus_error"].split() if word.isdigit()][0]
        rc, out, err = run("dbg", "focus", "--tick", tick, base, path)
        check(name + " focus refused", rc == 1 and want["focus_error"] in err, (rc, err))
    rc, out, err = run("diff", "--per-channel", "--json", base, path)
    got = json.loads(out)
    check(name + " per channel", rc == int(want["diff"]["status"] == "diverged") and
          {k: v["tick_index"] for k, v in got["channel_first_mismatches"].items()} ==
          {k: v["tick_index"] for k, v in want["diff"]["channel_first_mismatches"].items()},
          (rc, got))
    rc, out, err = run("diff", "--json", base, path)
    got, last = json.loads(out), want["diff"]["mismatch"]
    check(name + " diagnostics", got.get("channel_first_diagnostics", {}).keys() == {
        channel for channel, one in want["diff"]["channel_first_diagnostics"].items()
        if not last or one["tick_index"] <= last["tick_index"]}, (rc, got))


def refused(name, verdict, folder):
    """The words of the reference, of the commands that use them."""
    path = os.path.join(FIXTURES, "damaged", name + ".cdt")
    link = os.path.join(folder, name + ".cdt")
    os.symlink(path, link)
    done = subprocess.run([RASTRUM, "dbg", "diff", name + ".cdt", name + ".cdt"], cwd=folder,
                          capture_output=True, timeout=60)
    said = done.stderr.decode()
    if "magic" not in verdict["error"]:
        check(name + " words", done.returncode == 1 and
              said == "dbg diff failed: %s\n" % verdict["error"], said)
    report = os.path.join(folder, "health.json")
    done = subprocess.run([RASTRUM, "dbg", "health", name + ".cdt", "--json-out", report],
                          cwd=folder, capture_output=True, timeout=60)
    if "magic" not in verdict["error"]:
        issues = load(report)["issues"] if os.path.exists(report) else None
        check(name + " health", done.returncode == 1 and issues == verdict["health_issues"],
              (done.returncode, issues, done.stderr))
    if os.path.exists(report):
        os.unlink(report)


def accepted(path, ticks=None):
    """Whether the strict reader accepts a file that the program wrote, with so many ticks."""
    try:
        with open(path, "rb") as file:
            _, _, rows_read = reference.load(file.read(), path)
    except (OSError, reference.TraceError) as why:
        return str(why)
    return ticks is None or len(rows_read) == ticks or len(rows_read)


def rewritten(path, folder):
    """Slices, joined slices, repaired cuts and traces from JSON Lines are traces again."""
    name, count = os.path.basename(path), load(path[:-4] + ".json")["meta"]["tick_range"]
    first, last = count["start_tick"], count["end_tick"]
    middle = (first + last + 1) // 2
    out = [os.path.join(folder, "%d.%s" % (i, name)) for i in range(6)]
    if last > first:
        run("slice", "--from", str(first), "--to", str(middle), path, "-o", out[0])
        run("slice", "--from", str(middle), path, "-o", out[1])
        check(name + " slice", accepted(out[0], middle - first) is True, accepted(out[0]))
        run("merge", out[0], out[1], "-o", out[2])
        check(name + " merge", accepted(out[2], last - first + 1) is True, accepted(out[2]))
        _, joined, _ = run("cat", "--format", "jsonl", "--fields", "uid", out[2])
        _, whole, _ = run("cat", "--format", "jsonl", "--fields", "uid", path)
        check(name + " merge records", len(joined.splitlines()) == len(whole.splitlines()))
    run("slice", "--type", "creature", path, "-o", out[3])
    if os.path.exists(out[3]):
        check(name + " slice by type", accepted(out[3]) is True, accepted(out[3]))
    with open(path, "rb") as file:
        data = file.read()
    with open(out[4], "wb") as file:
        file.write(data[:-40])  # the footer is cut
    run("repair", out[4], "-o", out[5])
    check(name + " repair", accepted(out[5], last - first + 1) is True, accepted(out[5]))
    meta = load(path[:-4] + ".json")["meta"]
    if meta["status"]:
        meta["status"]["reserved_seed_words"] = meta["status"]["reserved_seed_words"]["hex"]
    header = {"type": "header", "values": meta}
    _, records, _ = run("cat", "--format", "jsonl", path)
    text, made = os.path.join(folder, "lines.jsonl"), os.path.join(folder, "made." + name)
    with open(text, "wb") as file:
        file.write(json.dumps(header).encode() + b"\n" + records)
    rc, _, err = run("convert", "--from-jsonl", "--to", "cdt", text, "-o", made)
    check(name + " from jsonl", rc == 0 and accepted(made, last - first + 1) is True,
          (err, accepted(made)))
    styled = name.startswith(("v07", "v12", "v10", "v15"))  # other encodings or chunk sizes
    if rc == 0 and not styled:
        with open(made, "rb") as file:
            check(name + " same bytes", file.read() == data)


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
    verdicts = load(os.path.join(FIXTURES, "damaged", "verdicts.json"))
    paired(os.path.join(FIXTURES, "valid"), ".cdt")
    paired(os.path.join(FIXTURES, "diff"), ".cdt", ["base"])
    check("every damaged trace has a verdict",
          sorted(name + ".cdt" for name in verdicts) + ["verdicts.json"] ==
          sorted(os.listdir(os.path.join(FIXTURES, "damaged"))))
    for name in sorted(verdicts):
        damaged(name)
    with tempfile.TemporaryDirectory() as folder:
        mutations(folder)
        for path in sorted(glob.glob(os.path.join(FIXTURES, "diff", "d*.cdt"))):
            compare(path, folder)
        for path in sorted(glob.glob(os.path.join(FIXTURES, "valid", "*.cdt"))):
            rewritten(path, folder)
        for name, verdict in sorted(verdicts.items()):
            refused(name, verdict, folder)
    finish()


main()
