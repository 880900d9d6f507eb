#!/usr/bin/env python3
"""murk.py - the public replays: decodes, errors, every cut, thousands of changed bytes.

murk.py RASTRUM FIXTURES
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

from tally import check, finish, some

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "murk")


def run(data, *args):
    """Exit status, parsed lines of standard output, standard error."""
    done = subprocess.run([RASTRUM, *args, "-"], input=data, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def cat(data):
    rc, out, err = run(data, "cat", "--json", "--float-bits")
    return rc, [json.loads(line) for line in out.splitlines()], err


def group(records):
    """Frames, each with its commands."""
    frames = []
    for r in records:
        if r["type"] == "frame":
            frames.append((r, []))
        else:
            frames[-1][1].append(r)
    return frames


TYPED = ("entity_id", "coord", "field_id", "value", "field_values", "type_id", "data", "key",
         "params")


def bits(value):
    """Expected floats are reported by their bits; the text is the producer's business."""
    if isinstance(value, dict):
        return {k: v for k, v in ((k, bits(v)) for k, v in value.items()) if k != "text"}
    return [bits(v) for v in value] if isinstance(value, list) else value


def typed(decoded):
    """The crate's decode in the names of the specification's columns."""
    rename = {"target_coord": "coord", "data_hex": "data"}
    return {rename.get(k, k): bits(v) for k, v in decoded.items()
            if k not in ("type", "data_length")}


def same_command(got, want):
    values = got["values"]
    for key in ("payload_type", "priority_class", "source_id", "source_seq", "expires_after_tick",
                "arrival_seq"):
        if values[key] != want[key]:
            return f"{key}: {values[key]} is not {want[key]}"
    if "payload_hex" in want and values["payload"] != want["payload_hex"]:
        return "payload differs"
    fields = {k: bits(values[k]) for k in TYPED if values[k] is not None}
    decoded = want.get("decoded")
    if decoded is None:
        return f"typed fields of a payload that is bad: {fields}" if fields else ""
    if values["payload_name"] != decoded["type"]:
        return f"payload_name {values['payload_name']} is not {decoded['type']}"
    expected = {k: v for k, v in typed(decoded).items() if k in TYPED}
    return "" if fields == expected else f"{fields} is not {expected}"


def same_frames(frames, wanted):
    if len(frames) != len(wanted):
        return f"{len(frames)} frames, expected {len(wanted)}"
    for (frame, commands), want in zip(frames, wanted):
        values = frame["values"]
        if frame["offset"] != want["offset"] or values["tick_id"] != want["tick_id"] \
                or values["snapshot_hash"] != want["snapshot_hash"] \
                or len(commands) != want["command_count"]:
            return f"frame {want['index']} differs"
        for got, command in zip(commands, want["commands"]):
            why = same_command(got, command)
            if why:
                return f"frame {want['index']}: {why}"
    return ""


def state_wanted(error):
    if error is None:
        return 0, "complete"
    if error["stage"] == "header":
        return 2, None
    cut = error["kind"] == "Io" or "truncated frame header" in error["message"]
    return 3, "cut" if cut else "damaged"


def check_file(path, want):
    name = os.path.basename(path)
    data = open(path, "rb").read()
    rc, records, err = cat(data)
    want_rc, state = state_wanted(want["error"])
    check(name + " status", rc == want_rc, f"exit {rc}, expected {want_rc}: {err}")
    if state is None:
        if want["error"]["kind"] == "UnsupportedVersion":
            version = want["error"]["message"].split()[-1]
            check(name + " version", f"version {version}" in err, err)
        return
    check(name + " frames", *(lambda why: (not why, why))(same_frames(group(records),
                                                                      want["frames"])))
    rc, out, err = run(data, "info", "--json")
    info = json.loads(out)
    check(name + " ending", info["ending"]["state"] == state, f"{info['ending']}")
    header = want["header"]
    producer = info["producer"]
    wrong = [k for k in ("toolchain", "target_triple", "murk_version", "compile_flags", "seed",
                         "config_hash", "field_count", "cell_count") if producer[k] != header[k]]
    check(name + " header", not wrong, f"differs in {wrong}")
    check_findings(name, data, want)


def check_findings(name, data, want):
    """Each payload the crate refuses is a finding, so are bytes it passes over."""
    bad = sum("decode_error" in c for f in want["frames"] for c in f["commands"])
    trailing = sum(c.get("trailing_bytes", 0) > 0 for f in want["frames"] for c in f["commands"])
    rc, out, err = run(data, "verify", "--strict", "--json")
    rules = [f["rule"] for f in json.loads(out)["findings"]]
    got = sum(r in ("murk.payload.short", "murk.payload.type") for r in rules)
    check(name + " payload findings", got == bad, f"{got}, expected {bad}")
    got = rules.count("murk.payload.trailing")
    check(name + " trailing findings", got == trailing, f"{got}, expected {trailing}")
    errors = bad or trailing or want["error"] is not None
    suspicious = {"murk.tail.zero", "murk.header.second"} & set(rules)
    check(name + " verdict", rc == (1 if errors or suspicious else 0), f"exit {rc}: {rules}")


def check_cases(name, cases, change):
    """One figure for a whole matrix: which cases came out otherwise."""
    base = open(os.path.join(FIXTURES, "files", "v18_all_payloads.murk"), "rb").read()
    wrong = []
    for case in some(cases):
        rc, records, err = cat(change(base, case))
        want_rc, state = state_wanted(case["error"])
        frames = sum(r["type"] == "frame" for r in records)
        if rc != want_rc or (state and frames != case["frames"]):
            wrong.append((case, rc, frames))
    check(name, not wrong, f"{len(wrong)} of {len(cases)} differ, first {wrong[:1]}")


def flip(base, case):
    data = bytearray(base)
    data[case["offset"]] = case["value"]
    return bytes(data)


# ---- what we write, read back by the independent model -----------------------------------


def reference(path):
    """The independent model's decode of a file, without places."""
    tool = os.path.join(FIXTURES, "tools", "murkref.py")
    done = subprocess.run([sys.executable, "-B", tool, "dump", path], capture_output=True,
                          timeout=60)
    if done.returncode:
        return done.stderr.decode()
    return without(json.loads(done.stdout), ("offset", "length"))


def without(value, keys):
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    return [without(v, keys) for v in value] if isinstance(value, list) else value


def write(*args):
    """Run a verb that writes OUT; its exit status and its remarks."""
    done = subprocess.run([RASTRUM, *args, "--force", "-o", OUT], capture_output=True, timeout=120)
    return done.returncode, done.stderr.decode()


def check_written(path):
    name = os.path.basename(path)
    want = reference(path)
    rc, err = write("slice", path)
    check(name + " sliced", rc == 0 and reference(OUT) == want, err)
    if not want["frames"]:
        return
    rc, err = write("slice", path, "--axis", "seq", "--from", "0", "--to", "1")
    got = reference(OUT)
    frames = want["frames"][:1]
    for frame in frames:
        frame["commands"] = []
    check(name + " first frame", rc == 0 and got["frames"] == frames, err)


def check_legacy(path):
    """Converted, a file of an older version has what its genuine reader found in it."""
    name = os.path.basename(path)
    old = json.load(open(path[:-5] + ".json")).get("legacy_content")
    rc, err = write("convert", path)
    got = reference(OUT)
    check(name + " converted", rc == 0 and isinstance(got, dict), err)
    if not old or not isinstance(got, dict):
        return
    want = without(old["frames"], ("offset", "length", "expires_after_tick", "arrival_seq"))
    frames = without(got["frames"], ("expires_after_tick", "arrival_seq"))
    check(name + " frames", [f["tick_id"] for f in frames] == [f["tick_id"] for f in want])
    check(name + " commands", [len(f["commands"]) for f in frames] ==
          [len(f["commands"]) for f in want])
    new = {c["expires_after_tick"] for f in got["frames"] for c in f["commands"]}
    check(name + " never expires", new <= {2**64 - 1}, str(new))


def check_repaired(base):
    """Cut anywhere, repaired, read by the model: the frames that were whole."""
    data = open(base, "rb").read()
    frames = reference(base)["frames"]
    cut = os.path.join(FOLDER, "cut.murk")
    wrong = []
    for length in range(120, len(data), 7):
        with open(cut, "wb") as out:
            out.write(data[:length])
        rc, err = write("repair", cut)
        got = reference(OUT)
        if rc not in (0, 3) or not isinstance(got, dict) or \
                got["frames"] != frames[:len(got["frames"])]:
            wrong.append((length, rc, err))
    check("cuts repaired", not wrong, f"{len(wrong)} differ, first {wrong[:1]}")


FOLDER = tempfile.mkdtemp(prefix="rastrum-murk-")
OUT = os.path.join(FOLDER, "out.murk")
for path in sorted(glob.glob(os.path.join(FIXTURES, "files", "v*.murk"))):
    expected = path[:-5] + ".json"
    if os.path.exists(expected) and json.load(open(expected))["error"] is None:
        check_written(path)
for path in sorted(glob.glob(os.path.join(FIXTURES, "files", "legacy*.murk"))):
    check_legacy(path)
check_repaired(os.path.join(FIXTURES, "files", "v18_all_payloads.murk"))
for name in os.listdir(FOLDER):
    os.unlink(os.path.join(FOLDER, name))
os.rmdir(FOLDER)

for path in sorted(glob.glob(os.path.join(FIXTURES, "files", "*.murk"))):
    expected = path[:-5] + ".json"
    name = os.path.basename(path)
    if not os.path.exists(expected):
        rc, records, err = cat(open(path, "rb").read())
        check(name, rc == 0 and records, f"exit {rc}: {err}")
    elif name.startswith("legacy"):
        rc, records, err = cat(open(path, "rb").read())
        version = open(path, "rb").read()[4]
        check(name, rc == 2 and f"version {version}" in err, f"exit {rc}: {err}")
    else:
        check_file(path, json.load(open(expected)))
for path in sorted(glob.glob(os.path.join(FIXTURES, "sim", "*.murk"))):
    rc, out, err = run(open(path, "rb").read(), "verify", "--strict", "--json")
    check(os.path.basename(path), rc == 0, f"exit {rc}: {out.decode()}")
matrix = json.load(open(os.path.join(FIXTURES, "files", "truncation_matrix.json")))
check_cases("every cut", matrix["cuts"], lambda base, case: base[:case["length"]])
matrix = json.load(open(os.path.join(FIXTURES, "files", "byteflip_matrix.json")))
check_cases("changed bytes", matrix["flips"], flip)
finish()
