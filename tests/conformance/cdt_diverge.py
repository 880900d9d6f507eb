#!/usr/bin/env python3
"""cdt_diverge.py - what diff must find, whatever the traces: every change, and no others.

cdt_diverge.py RASTRUM FIXTURES

Traces are made and changed by the fixtures' generator. A change of any field of any channel is
found at its tick, in its channel and by its path; a trace equals itself; cut traces are compared
as far as they go; a sealed one that the reference reader refuses is refused in its words.
"""
import copy
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from tally import check, finish

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "cdt")
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "cdt")
sys.path.insert(0, os.path.join(FIXTURES, "tools"))
import gen_cdt  # noqa: E402
import ref_cdt  # noqa: E402

TICK = 6


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def diff(a, b, *options):
    rc, out, _ = run("diff", "--json", *options, a, b)
    return rc, json.loads(out) if out else None


def exact(a, b, *options):
    """The report of dbg diff."""
    rc, out, _ = run("dbg", "diff", "--json", *options, a, b)
    return rc, json.loads(out) if out else None


# ---- every field of every channel ----------------------------------------------------------------

def leaves(value, where=()):
    """The places of all scalars below a value, and of all lists."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from leaves(inside, where + (key,))
        return
    if isinstance(value, list):
        yield where
        for i, inside in enumerate(value):
            yield from leaves(inside, where + (i,))
        return
    yield where


def changed(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1 if value != 53 else 52
    if isinstance(value, float):
        return value + 0.5
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return value[:-1] if value else value
    return 7 if value is None else value


def place(root, where):
    for step in where[:-1]:
        root = root[step]
    return root


def path_of(where):
    text = ""
    for step in where:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += "." + step if text else step
        else:
            text += f'["{step}"]'
    return text


def rich():
    """A trace whose tick 6 has a row in every list and a value in every optional member."""
    ticks = gen_cdt.simulate(12, mode_extras=True)
    for tick in ticks:
        point = tick["channels"]["checkpoint"]
        spot = {"x": 1.5, "y": -2.25}
        point["deaths"] = [dict(creature_index=1, type_id=2, reward_value=3.5, xp_awarded=4,
                                owner_id=-100)]
        point["events"]["hit_head"] = [dict(type_id=1, origin=spot, hit=dict(spot),
                                            target=dict(spot))]
        point["events"]["sfx_head"] = ["sfx_a", "sfx_b"]
        point["perk"]["player_nonzero_counts"] = [[[3, 1], [17, 2]], []]
        point["tutorial"] = {f: d for f, _, d in gen_cdt.SCHEMA["ReplayTutorialSnapshot"][1]}
        point["tutorial"]["hint_bonus_creature_ref"] = 5
        point["typo"] = {f: d for f, _, d in gen_cdt.SCHEMA["ReplayTypoSnapshot"][1]}
        point["typo"]["active_names"] = [dict(creature_index=0, name="zombie")]
    tick = ticks[TICK]["channels"]
    for pool, rows in tick["entity_samples"].items():
        for other in ticks:
            if not rows:
                rows += copy.deepcopy(other["channels"]["entity_samples"][pool])
        assert rows, pool
        if pool == "creatures":
            rows[0]["vel"], rows[0]["move_speed"] = {"x": 0.5, "y": 0.25}, 1.5
    assert tick["rng_stream"] and tick["timing_samples"]
    tick["timing_samples"][0]["player_index"] = 0
    return ticks


def expected_path(channel, where, value):
    """The path of the report, where the channel has one for this."""
    if channel == "checkpoint":
        return path_of(where)
    if channel in ("sim_state", "timing_samples"):
        return path_of((channel, *where))
    if channel == "entity_samples" and len(where) > 2 and where[2] != "uid":
        return f"entity_samples.{where[0]}[uid={value}]." + path_of(where[2:])
    return None


def paths_in(detail):
    rows = detail.get("payload", detail).get("mismatches", [])
    rows = rows + [r for d in detail.get("row_diffs", ()) for r in d["mismatches"]]
    return [r["path"] for r in rows]


def try_change(folder, base, ticks, channel, where):
    holder = place(ticks[TICK]["channels"], (channel, *where))
    last = (channel, *where)[-1]
    old = holder[last]
    new = changed(old)
    if new == old and isinstance(old, list):
        return
    uid = None
    if channel == "entity_samples" and len(where) > 2:
        uid = ticks[TICK]["channels"][channel][where[0]][where[1]]["uid"]
    holder[last] = new
    other = os.path.join(folder, "other.cdt")
    gen_cdt.write_trace(other, META, ticks, chunk_ticks=4)
    holder[last] = old
    name = f"{channel}.{path_of(where)}"
    rc, report = diff(base, other)
    found = report and report["mismatch"]
    check(name + ": tick", rc == 1 and found and found["tick_index"] == TICK and
          report["checked_count"] == TICK + 1, (rc, report))
    channels = [m["channel"] for m in found["detail"]["mismatches"]] if found else []
    check(name + ": channel", channels == [channel], channels)
    want = expected_path(channel, where, uid)
    if want and channels == [channel]:
        paths = paths_in(found["detail"]["mismatches"][0]["detail"])
        check(name + ": path", want in paths, (want, paths))
    check(name + ": reversed", diff(other, base)[0] == 1, "another exit status")
    check(name + ": left out", diff(base, other, *[
        o for c in gen_cdt.CHANNELS if c != channel for o in ("--channel", c)])[0] == 0)


def changes(folder):
    global META
    ticks = rich()
    META = gen_cdt.make_meta(ticks, "python")
    base = os.path.join(folder, "base.cdt")
    gen_cdt.write_trace(base, META, ticks, chunk_ticks=4)
    seen = set()
    for channel in gen_cdt.CHANNELS:
        for where in leaves(ticks[TICK]["channels"][channel]):
            # One row of each list is enough: the others have the same fields.
            kind = (channel, *(s for s in where if not isinstance(s, int)))
            if kind in seen or (channel == "rng_stream" and where and where[0] != 0):
                continue
            seen.add(kind)
            try_change(folder, base, ticks, channel, where)
    check("fields", len(seen) > 120, len(seen))


def no_changes(folder):
    """What is not a difference: the tick's own numbers, META, order of entities, late members."""
    ticks = rich()
    base, other = os.path.join(folder, "base.cdt"), os.path.join(folder, "other.cdt")
    tick = ticks[TICK]
    tick["elapsed_ms"] += 1
    tick["dt_ms_i32"] += 1
    tick["mode_id"] += 1
    tick["channels"]["entity_samples"]["creatures"].reverse()
    for row in tick["channels"]["entity_samples"]["creatures"]:
        row["vel"] = row["move_speed"] = None
    timers = tick["channels"]["checkpoint"]["bonus_timers"]
    tick["channels"]["checkpoint"]["bonus_timers"] = dict(reversed(timers.items()))
    meta = copy.deepcopy(META)
    meta["created_utc"] = "never"
    for size in (1, 3, 4, 256):
        gen_cdt.write_trace(other, meta, ticks, chunk_ticks=size)
        for pair in ((base, other), (other, base)):
            rc, report = diff(*pair)
            check(f"no change, {size} ticks a chunk", rc == 0 and report["checked_count"] == 12,
                  (rc, report))


# ---- a trace and itself --------------------------------------------------------------------------

def itself():
    traces = glob.glob(os.path.join(FIXTURES, "*.cdt")) + glob.glob(os.path.join(GOLDEN, "*.cdt"))
    for path in sorted(traces):
        name = os.path.basename(path)
        rc, out, err = run("diff", path, path)
        sound, loss = run("verify", path)[0] == 0, run("info", path)[0]
        if rc == 2:  # what cannot be opened, is refused, or has nothing to be compared
            check(name + " and itself", not out and err and (loss or not sound), (rc, out, err))
            continue
        check(name + " and itself", rc in (0, 3) and out.startswith("result=ok checked=") and
              "checked=0" not in out and rc >= (3 if loss == 3 and "damaged" not in err + "damaged"
                                                else 0), (rc, out, err))
        if rc == 0 and name != "floats.cdt":
            slow = run("diff", "--paranoid", path, path)
            check(name + " and itself, decoded", slow[:2] == (0, out) or
                  (slow[0] == 2 and not sound), slow)
            exact = run("dbg", "diff", path, path)
            is_second = name.startswith(("c2_", "big-c2"))
            same = out.replace("\n", " diagnostics=0\n") if is_second else out
            check(name + " and itself, dbg", exact[:2] == (0, same) or
                  (exact[0] == 1 and exact[2].startswith("dbg diff failed: ") and not sound), exact)
    floats = [os.path.join(GOLDEN, "floats.cdt")] * 2
    rc, out, err = run("diff", "--paranoid", *floats)
    check("NaN differs from itself when it is looked at",
          rc == 1 and "timing_samples" in out and not err, (out, err))
    rc, out, err = run("dbg", "diff", *floats)
    check("NaN differs from itself for dbg", rc == 1 and not out and "NaN" in err, (out, err))
    rc, out, err = run("diff", "--json", "--paranoid", *floats)
    check("NaN is a text in JSON", rc == 1 and strict(out), out)


def strict(text):
    """JSON without Python's bare NaN and Infinity."""
    return json.loads(text, parse_constant=lambda word: 1 / 0)


# ---- cut and refused -----------------------------------------------------------------------------

def cuts(folder):
    whole = open(os.path.join(FIXTURES, "small_chunk4.cdt"), "rb").read()
    first = 27 + 32 + struct.unpack_from("<I", whole, 27 + 16)[0]  # where META ends
    path, cut = os.path.join(FIXTURES, "small.cdt"), os.path.join(folder, "cut.cdt")
    for size in [*range(0, len(whole), 97), first, first + 31, len(whole) - 16, len(whole) - 1]:
        with open(cut, "wb") as file:
            file.write(whole[:size])
        for pair in ((path, cut), (cut, path)):
            rc, out, err = run("diff", *pair)
            name = f"cut at {size}"
            if size < first:
                check(name, rc == 2 and not out and err.count("\n") == 1, (rc, out, err))
                continue
            check(name, rc in (0, 1, 2, 3) and err.count("\n") >= 1, (rc, out, err))
            # Whole chunks with nothing after them are a shorter trace; others were cut.
            if rc == 3:
                check(name + ": nothing is missing", out.startswith("result=ok"), (out, err))
            elif rc == 2:
                check(name + ": nothing was compared", not out and
                      "nothing was compared: " in err and "ticks 0 to" in err, (out, err))
            elif rc == 1:
                check(name + ": it ends", "missing_tick" in out and "missing_in=" in out and
                      "unsealed" in err, (out, err))


def refusals():
    for row in json.load(open(os.path.join(FIXTURES, "corrupt", "manifest.json"))):
        path = os.path.join(FIXTURES, "corrupt", row["file"])
        if not os.path.exists(path):
            continue
        rc, out, err = run("dbg", "health", path)
        verdict = row["reference"]
        if "payload" in verdict:  # health decodes only what it counts
            rc, out, err = run("dbg", "diff", path, path)
            err = err.replace("diff", "health")
        if verdict.startswith("OK"):
            check(row["file"], rc == 0 and "ticks_in_window=6" in out, (rc, out, err))
        elif verdict.startswith(("invalid trace file", "unsupported trace magic",
                                 "unsupported trace format")):
            check(row["file"], rc == 2 and not out, (rc, out, err))
        elif verdict == "missing trace trailer":
            check(row["file"], rc == 0 and "unsealed" in err, (rc, out, err))
        else:
            plain = run("diff", "--paranoid", path, path)
            # A wrong footer or index hides nothing: the chunks are all there.
            good = plain[0] == 0 and "checked=6" in plain[1] and "unsealed" in plain[2] \
                if "footer" in verdict or "index" in verdict else plain[0] == 2 and not plain[1]
            if "schema" in verdict:  # compared all the same, and said
                good = plain[0] == 0 and "compared untyped" in plain[2]
            check(row["file"] + ": plain", good, plain)
            text = verdict.split(" (")[0] if "payload" in verdict else verdict
            text = "" if text.startswith("zstd") else text
            check(row["file"], rc == 1 and not out and
                  err.startswith("dbg health failed: " + text), (rc, err, verdict))
            if "payload" not in verdict:
                rc = run("dbg", "query", path, "ticks where a == 1")[0]
                check(row["file"] + ": query", rc == 2, rc)
    rc, out, err = run("diff", os.path.join(FIXTURES, "corrupt", "schema11.cdt"),
                       os.path.join(FIXTURES, "small.cdt"))
    check("different schemas", rc == 2 and "11 and 12" in err, (rc, err))


# ---- rows in any order, and several of a tick ----------------------------------------------------

def orders(folder):
    base, other = os.path.join(folder, "base.cdt"), os.path.join(folder, "other.cdt")
    ticks = gen_cdt.simulate(10)
    meta = gen_cdt.make_meta(ticks, "python")
    twin = copy.deepcopy(ticks[4])
    twin["channels"]["checkpoint"]["kills"] += 3
    shuffled = [ticks[i] for i in (3, 1, 2, 9, 0, 8, 4, 6, 5, 7)]
    for name, rows in (("shuffled", shuffled), ("same", ticks), ("twice", ticks[:5] + ticks[4:]),
                       ("last wins", ticks[:4] + [twin] + ticks[4:]),
                       ("last wins, differs", ticks[:5] + [twin] + ticks[5:]),
                       ("last wins, far apart", shuffled + [twin])):
        for size in (1, 2, 3, 5, 256):
            gen_cdt.write_trace(base, meta, ticks, chunk_ticks=3)
            gen_cdt.write_trace(other, meta, rows, chunk_ticks=size)
            for options in ((), ("--tick-start", "2", "--tick-end", "6")):
                window = (2, 6) if options else (None, None)
                for pair in ((base, other), (other, base)):
                    rc, got = exact(*pair, *options)
                    n, want = ref_cdt.first_mismatch(*pair, *window)
                    check(f"{name}, {size} a chunk {options}",
                          got and got["checked_count"] == n and rc == (1 if want else 0) and
                          json.dumps(got["mismatch"]) == json.dumps(want, sort_keys=True),
                          (rc, got, n))


def main():
    folder = tempfile.mkdtemp(prefix="rastrum-diverge-")
    try:
        changes(folder)
        no_changes(folder)
        itself()
        cuts(folder)
        refusals()
        orders(folder)
    finally:
        shutil.rmtree(folder)
    finish()


META = None
if __name__ == "__main__":
    main()
