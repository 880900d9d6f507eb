#!/usr/bin/env python3
"""crd.py - replays and the evidence of captures: every value and verdict of the fixtures.

crd.py RASTRUM FIXTURES
"""
import json
import os
import subprocess
import sys

from tally import check, finish

RASTRUM, FOLDER = sys.argv[1], os.path.join(sys.argv[2], "cdt2", "replay")
AXES = ("move_x", "move_y", "aim_x", "aim_y", "flags")
COMMAND = ("type", "player_index", "choice_index", "ch")
# Words of a verdict, and the rule that is reported for it; None: a rule of the wrapping.
RULES = (("bytes after the zstd frame", "crd.file.frame"), ("truncated frame", None),
         ("layout not known", "crd.version"), ("not canonical", "crd.canonical"),
         ("player_index", "crd.command"), ("no footer", "crd.evidence.order"))


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def records(path):
    rc, out, err = run("cat", "--format", "jsonl", path)
    return rc, [(r["type"], r.get("tick"), r["values"]) for r in map(json.loads, out.splitlines())]


def replay_rows(content):
    """(type, tick, values) in order of delivery."""
    yield "run", None, content["run"]
    yield "result", None, content["result"]
    for i, (inputs, commands) in enumerate(content["ticks"]):
        yield "tick", i, {"input_count": len(inputs), "command_count": len(commands)}
        for player, values in enumerate(inputs):
            yield "input", i, {"player_index": player, **dict(zip(AXES, values))}
        for command in commands:
            yield "command", i, {key: command.get(key) for key in COMMAND}


def untyped_rows(content):
    for key, value in content.items():
        if key in ("format_version", "game_version"):
            continue
        items = isinstance(value, list)
        yield "member", None, {"value": {key: None if items else value},
                               "item_count": len(value) if items else None}
        for i, item in enumerate(value if items else []):
            yield "item", None, {"index": i, "element": [item]}


def evidence_rows(content):
    for row in content:
        values = {k: v for k, v in row.items() if k != "kind"}
        yield row["kind"], row.get("tick_index"), values


def decoded(name, path, content):
    if isinstance(content, list):
        want = list(evidence_rows(content))
    elif content["format_version"] in (20, 27):
        want = list(replay_rows(content))
    else:
        want = list(untyped_rows(content))
    rc, got = records(path)
    check(name + " cat", got == want, next(((g, w) for g, w in zip(got, want) if g != w),
                                           (len(got), len(want))))
    return rc


def judged(name, path, verdict):
    rc, out, err = run("verify", "--json", path)
    report = json.loads(out)
    rules = {f["rule"] for f in report["findings"] if f["severity"] == "error"}
    if verdict == "ok":
        check(name + " verify", rc == 0 and report["ok"] and not rules, (rc, out))
        return
    rule = next(rule for words, rule in RULES if words in verdict)
    check(name + " verify", rc == 1 and not report["ok"] and
          (rule in rules if rule else any(r.startswith("trace.wrapping") for r in rules)),
          (verdict, rules))


def described(name, path, content):
    rc, out, err = run("info", "--json", path)
    info = json.loads(out)
    facts = info["producer"]
    check(name + " info", info["format"] == "crd", info["format"])
    if isinstance(content, list):
        want = {k: v for k, v in content[0].items() if k not in ("kind", "evidence_format_version")}
        check(name + " facts", info["version"] == content[0]["evidence_format_version"] and
              all(facts.get(k) == v for k, v in want.items() if v is not None), facts)
        return
    version = content["format_version"]
    check(name + " version", str(info["version"]) == str(version), info["version"])
    want = {k: content["run"][k] for k in ("game_mode_id", "seed", "player_count")}
    want.update({k: content["result"][k] for k in ("outcome", "elapsed_ms", "kills")})
    check(name + " facts", all(facts.get(k) == v for k, v in want.items()), (facts, want))


def main():
    with open(os.path.join(FOLDER, "verdicts.json"), encoding="utf-8") as file:
        verdicts = json.load(file)
    stored = sorted(n for n in os.listdir(FOLDER) if n != "verdicts.json")
    check("every file has a verdict", stored == sorted(verdicts), stored)
    for name, expected in sorted(verdicts.items()):
        path = os.path.join(FOLDER, name)
        judged(name, path, expected["verdict"])
        if "decoded" in expected:
            decoded(name, path, expected["decoded"])
            described(name, path, expected["decoded"])
    return finish()


sys.exit(main())
