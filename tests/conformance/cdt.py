#!/usr/bin/env python3
"""cdt.py - the sample traces: decodes, verdicts, cuts, damage, dialects.

cdt.py RASTRUM FIXTURES

Expectations are made by the fixture tool's own reader, which shares nothing with the program.
"""
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

from tally import check, finish, some
import zstandard

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "cdt")
FRIDA = os.path.join(sys.argv[2], "frida")
TOOL = ["/usr/bin/python3", os.path.join(FIXTURES, "tools", "gen_cdt.py")]
CHUNK = struct.Struct("<4siiIIIQ")


def run(*args, data=None):
    done = subprocess.run([RASTRUM, *args], input=data, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def cat(path, *args):
    rc, out, err = run("cat", "--format", "jsonl", *args, path)
    return rc, [json.loads(line) for line in out.splitlines()], err


def info(path, *args):
    rc, out, err = run("info", "--json", *args, path)
    return rc, json.loads(out) if out else None, err


def verify(path, *args):
    rc, out, err = run("verify", "--json", *args, path)
    return rc, json.loads(out) if out else None, err


def dump(path):
    return json.loads(subprocess.run([*TOOL, "dump", path], check=True, capture_output=True).stdout)


# ---- what the records of a trace should be, from the tool's decode ------------------------------

POOLS = (("creature", "creatures"), ("projectile", "projectiles"),
         ("secondary_projectile", "secondary_projectiles"), ("bonus", "bonuses"))


def rows(tick):
    """(type, values) of a tick and its children, in order of delivery."""
    channels = tick["channels"]
    point, state = dict(channels["checkpoint"]), dict(channels["sim_state"])
    players, deaths = point.pop("players"), point.pop("deaths")
    point["events"] = dict(point["events"])
    hits, sim_players = point["events"].pop("hit_head"), state.pop("players")
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


def expected(ticks):
    seq = 0
    for tick in ticks:
        for name, values in rows(tick):
            yield {"seq": seq, "type": name, "time_ns": tick["elapsed_ms"] * 1000000,
                   "tick": tick["tick_index"], "values": values}
            seq += 1


def counts(records):
    by_type = {}
    for r in records:
        by_type[r["type"]] = by_type.get(r["type"], 0) + 1
    return by_type


def first_difference(got, want):
    for i, (g, w) in enumerate(zip(got, want)):
        for key, value in w.items():
            if g.get(key) != value:
                return f"record {i}: {key} is {g.get(key)}, not {value}"
        if list(g["values"]) != list(w["values"]):
            return f"record {i}: fields {list(g['values'])}, not {list(w['values'])}"
    return "" if len(got) == len(want) else f"{len(got)} records, not {len(want)}"


def offsets(path):
    """Offset and header of each chunk, walked from the first."""
    data = open(path, "rb").read()
    at, found = 27, []
    while at + 32 <= len(data) and data[at:at + 4] in (b"META", b"TICK", b"FOTR"):
        head = CHUNK.unpack_from(data, at)
        found.append((at, head))
        at += 32 + head[4]
    return found


# ---- whole traces ------------------------------------------------------------------------------

# What the samples have on purpose: mutated rows, ticks left out.
ODD = {"large_2000_mut_t1777.cdt": ("entity.uid",), "small_drop_t5.cdt": ("meta.range", "tick.gap"),
       "small_gapped.cdt": ("tick.gap",)}


def check_facts(name, path, trace, want):
    rc, got, err = info(path)
    meta = trace["meta"]
    impl = meta["producer"]["impl"]
    check(name + " info", rc == 0 and not err, f"exit {rc} {err}")
    check(name + " dialect", got["dialect"] == impl.split("_")[0], got["dialect"])
    check(name + " format", (got["format"], got["version"]) == ("cdt", 1), got["format"])
    check(name + " ending", got["ending"] == {"state": "complete", "offset": got["size_bytes"],
                                              "why": ""}, got["ending"])
    check(name + " counts", got["records"] == {"total": len(want), "by_type": counts(want)},
          got["records"])
    ticks = [t["tick_index"] for t in trace["ticks"]]
    check(name + " ticks", got["axes"]["tick"] == {"first": min(ticks), "last": max(ticks)},
          got["axes"])
    facts = got["producer"]
    said = {k: v for k, v in meta["source"].items() if v is not None}
    check(name + " source", {k[7:]: v for k, v in facts.items() if k.startswith("source.")} == said,
          facts)
    check(name + " producer", all(facts[k] == v for k, v in meta["producer"].items()), facts)
    check(name + " range", all(facts["tick_range." + k] == v
                               for k, v in meta["tick_range"].items()), facts)


def check_trace(path):
    name = os.path.basename(path)
    trace = dump(path)
    want = list(expected(trace["ticks"]))
    rc, got, err = cat(path)
    check(name + " cat", rc == 0 and not err, f"exit {rc} {err}")
    check(name + " records", not first_difference(got, want), first_difference(got, want))
    blocks = [(at, head) for at, head in offsets(path) if head[0] == b"TICK"]
    check(name + " offsets", sorted({r["offset"] for r in got}) == [at for at, _ in blocks])
    check_facts(name, path, trace, want)
    for args in ([], ["--strict"], ["--strict", "--deep"]):
        rc, report, err = verify(path, *args)
        odd = [f for f in report["findings"] if f["rule"][4:] not in ODD.get(name, ())]
        check(f"{name} verify {' '.join(args)}", rc == 0 and report["ok"] and not odd,
              f"exit {rc} {odd[:3]}")
    for by in ("type", "field", "frame", "stream"):
        rc, out, err = run("du", "--json", "--by", by, path)
        parts = json.loads(out)["parts"]
        total = os.path.getsize(path)
        check(f"{name} du {by}", rc == 0 and sum(p["bytes"] for p in parts) == total,
              f"{sum(p['bytes'] for p in parts)} of {total}")
    piped = run("cat", "--format", "jsonl", "-", data=open(path, "rb").read())
    check(name + " piped", piped[0] == 0 and
          [json.loads(x) for x in piped[1].splitlines()] == got, piped[2])
    return trace, got


def check_du(path, trace):
    """The raw bytes of a type are those of its maps: payload sizes add up."""
    rc, out, _ = run("du", "--json", path)
    parts = json.loads(out)["parts"]
    raw = sum(p["raw_bytes"] for p in parts if p["kind"] == "type" or p["name"] == "block heads")
    want = sum(head[5] for _, head in offsets(path) if head[0] == b"TICK")
    check("du raw bytes", raw == want, f"{raw}, not {want}")
    records = {p["name"]: p["records"] for p in parts if p["kind"] == "type" and p["records"]}
    check("du records", records == counts(list(expected(trace["ticks"]))), records)


def check_ranges(path, got):
    for lo, hi in ((0, 1), (3, 7), (5, 99), (98, 99)):
        rc, part, err = cat(path, "--axis", "tick", "--from", str(lo), "--to", str(hi))
        want = [r for r in got if lo <= r["tick"] < hi]
        check(f"{os.path.basename(path)} ticks {lo}..{hi}", rc == 0 and part == want, err)
    rc, part, err = cat(path, "--axis", "time", "--from", "40ms", "--to", "81ms")
    want = [r for r in got if 40000000 <= r["time_ns"] < 81000000]
    check("a range of time", rc == 0 and part == want and len(want) > 10, err)
    rc, part, err = cat(path, "--type", "creature", "--fields", "uid,pos")
    want = [r for r in got if r["type"] == "creature"]
    check("two fields of one type", [r["values"] for r in part] ==
          [{k: r["values"][k] for k in ("uid", "pos")} for r in want], part[:1])


# ---- verdicts ----------------------------------------------------------------------------------

# What cannot be opened at all, and so has no findings.
NO_TRACE = {"empty", "short_header", "header_only", "bad_magic", "fmt2"}
# The rule that a refused file breaks.
RULES = {
    "no_trailer": "trailer.missing", "bad_trailer": "trailer.missing",
    "footer_off_meta": "footer.chunk", "footer_off_eof": "footer.chunk",
    "footer_off_tail": "footer.chunk", "meta_bitflip": "chunk.payload",
    "meta_checksum": "chunk.checksum", "meta_rawlen": "chunk.payload",
    "flag_no_msgpack": "chunk.payload", "flag_no_zstd_but_compressed": "chunk.payload",
    "kind_unknown": "chunk.kind", "meta_kind_tick": "meta.chunk", "schema11": "meta.schema",
    "meta_unknown": "meta.decode", "source_unknown": "meta.decode", "status_52": "meta.decode",
    "meta_trailing_byte": "meta.decode", "sim_unknown": "block.decode",
    "rng_unknown": "block.decode", "weapon_54": "block.decode", "tick_count_0": "footer.bounds",
    "first_negative": "footer.bounds", "first_gt_last": "footer.bounds",
    "no_blocks": "footer.bounds", "index_to_meta": "index.chunk",
    "zstd_no_content_size": "chunk.payload", "ticks_descend_in_block": "tick.order",
    "index_checksum": "index.match", "index_range": "index.match",
}


def check_verdict(folder, row):
    name, path = row["file"][:-4], os.path.join(folder, row["file"])
    for mode, args in (("reference", []), ("strict", ["--strict"])):
        said = row[mode]
        rc, report, err = verify(path, *args)
        what = f"{row['file']} {mode}"
        if said.startswith("OK"):
            check(what, rc == 0 and report["ok"], f"exit {rc}, said {said}")
            continue
        if name in NO_TRACE:
            check(what, rc == 2 and err.count("\n") == 1, f"exit {rc} {err}")
            continue
        errors = [f for f in report["findings"] if f["severity"] == "error"]
        check(what, rc == 1 and not report["ok"], f"exit {rc}, said {said}")
        check(what + " rule", "cdt." + RULES[name] in {f["rule"] for f in errors}, errors)
        path_said = said[said.find("$"):].rstrip(")") if "$" in said else ""
        check(what + " path", any(path_said in f["text"] for f in errors), errors)
    rc, got, err = info(path)
    if row["reference"].startswith("OK"):
        n = int(row["reference"].split("(")[1].split()[0])
        check(f"{row['file']} ticks", rc == 0 and got["records"]["by_type"]["tick"] == n, err)
        want = list(expected(dump(path)["ticks"]))
        check(f"{row['file']} records", not first_difference(cat(path)[1], want))
    else:
        check(f"{row['file']} info", rc in ((2,) if name in NO_TRACE else (0, 3)), f"exit {rc}")


def check_corrupt():
    with open(os.path.join(FIXTURES, "corrupt", "manifest.json")) as f:
        for row in json.load(f):
            check_verdict(os.path.join(FIXTURES, "corrupt"), row)
    with tempfile.TemporaryDirectory() as folder:  # the whole set, more than is stored
        subprocess.run([*TOOL, "corrupt", folder], check=True, capture_output=True)
        with open(os.path.join(folder, "manifest.json")) as f:
            for row in json.load(f):
                check_verdict(folder, row)


# ---- cuts and damage -----------------------------------------------------------------------------

def check_cuts(path, got):
    """Every prefix gives the records of the whole chunks in it, and says how it ends."""
    data = open(path, "rb").read()
    chunks = offsets(path)
    with tempfile.NamedTemporaryFile(suffix=".cdt") as f:
        for n in sorted({*range(0, len(data), 97), *(at + d for at, _ in chunks
                                                     for d in (-1, 0, 1, 4, 31, 32, 33))}):
            f.seek(0)
            f.truncate()
            f.write(data[:n])
            f.flush()
            rc, part, err = cat(f.name)
            whole = [at for at, head in chunks if at + 32 + head[4] <= n]
            if 27 not in whole:
                check(f"cut at {n}", rc == 2 and err.count("\n") == 1, f"exit {rc} {err}")
                continue
            want = [r for r in got if r["offset"] in whole]
            rest = n - max(at + 32 + head[4] for at, head in chunks if at in whole)
            inside = rest and data[n - rest:n - rest + 1] == b"T"
            check(f"cut at {n}", part == want and rc == (3 if inside else 0), f"exit {rc} {err}")
            state = info(f.name)[1]["ending"]["state"]
            check(f"cut at {n} ending", state == ("cut" if inside else "unsealed"), state)


def check_damage(path, got):
    """A changed byte in a chunk loses that chunk and no other."""
    data = open(path, "rb").read()
    blocks = [(at, head) for at, head in offsets(path) if head[0] == b"TICK"]
    with tempfile.NamedTemporaryFile(suffix=".cdt") as f:
        for at, head in blocks:
            for spot in (at, at + 2, at + 13, at + 17, at + 19, at + 21, at + 25, at + 32, at + 200,
                         at + 31 + head[4]):
                bad = bytearray(data)
                bad[spot] ^= 0x40
                f.seek(0)
                f.write(bad)
                f.flush()
                rc, part, err = cat(f.name)
                rest = [r for r in got if r["offset"] != at]
                gaps = [r for r in part if r["type"] == "gap"]
                kept = [{k: r[k] for k in r if k != "seq"} for r in part if r["type"] != "gap"]
                want = [{k: r[k] for k in r if k != "seq"} for r in rest]
                if spot == at + 13:  # an unknown flag bit is ignored
                    check("a reserved flag", rc == 0 and part == got, err)
                    continue
                check(f"byte {spot}", rc == 3 and kept == want and len(gaps) == 1 and
                      gaps[0]["values"]["offset"] == at and
                      gaps[0]["values"]["length"] == 32 + head[4], f"exit {rc} {gaps} {err}")
                check(f"byte {spot} strictly", cat(f.name, "--strict")[0] in (1, 2, 3) and
                      verify(f.name)[0] == 1)
        f.seek(0)
        f.truncate()
        f.write(data[:blocks[1][0]] + b"junk between" + data[blocks[1][0]:])
        f.flush()
        rc, part, err = cat(f.name)  # the index is off by then: no trailer points right
        kept = [r["values"] for r in part if r["type"] != "gap"]
        check("bytes between chunks", kept == [r["values"] for r in got], f"exit {rc} {err}")
        f.write(data)
        f.flush()
        rc, part, err = cat(f.name)
        check("a second trace after the first", rc == 3 and verify(f.name)[0] == 1, f"exit {rc}")


def check_dialects(path):
    rc, got, _ = info(path, "--dialect", "zig")
    check("the dialect found is reported", rc == 0 and got["dialect"] == "python", got)
    rc, report, _ = verify(path, "--dialect", "zig", "--strict")
    rules = {f["rule"] for f in report["findings"] if f["severity"] == "error"}
    check("a python trace by zig's rules", rc == 1 and rules == {"cdt.chunk.zstd"}, rules)
    rc, report, _ = verify(os.path.join(FIXTURES, "small_zig.cdt"), "--dialect", "python",
                           "--strict")
    rules = {f["rule"] for f in report["findings"] if f["severity"] == "error"}
    check("a zig trace by the specification", rc == 1 and rules == {"cdt.chunk.zstd"}, rules)


def check_generic():
    path = os.path.join(FIXTURES, "corrupt", "schema11.cdt")
    rc, got, err = cat(path)
    want = dump(os.path.join(FIXTURES, "corrupt", "ok.cdt"))["ticks"]
    check("another schema", rc == 0 and [r["type"] for r in got] == ["tick"] * 6, err)
    check("its ticks", [{k: v for k, v in r["values"].items() if k != "others"} for r in got] ==
          want, got[:1])
    check("its note", any("schema version 11" in n for n in info(path)[1]["notes"]))


# ---- written again -------------------------------------------------------------------------------

AGAIN = os.path.join(os.environ.get("RASTRUM_AGAIN", ""), "cdt_again")


def payloads(path):
    data = open(path, "rb").read()
    for at, head in offsets(path):
        body = data[at + 32:at + 32 + head[4]]
        yield head[0], zstandard.ZstdDecompressor().decompress(body) if head[3] & 1 else body


def check_again(path, folder):
    """The writer's files: the producers' payloads, in either style, read by the tool."""
    name, out = os.path.basename(path), os.path.join(folder, "again.cdt")
    own = "zig" if dump(path)["meta"]["producer"]["impl"] == "zig" else "python"
    for style in ("python", "zig", "raw") if own == "python" else ("zig", "python"):
        done = subprocess.run([AGAIN, style, path, out], capture_output=True)
        check(f"{name} again {style}", done.returncode == 0, done.stderr)
        judged = subprocess.run([*TOOL, "verify", out], capture_output=True)
        check(f"{name} again {style} by the tool", judged.returncode == 0 and
              b": ok" in judged.stdout, judged.stdout + judged.stderr)
        if style in (own, "raw"):
            pairs = list(zip(payloads(path), payloads(out)))
            same = all(a == b for a, b in pairs if a[0] != b"FOTR")
            check(f"{name} again {style} payloads", same and
                  len(pairs) == len(offsets(path)) == len(offsets(out)))
        elif style == "python":
            check(f"{name} again {style} ticks", dump(out)["ticks"] == dump(path)["ticks"])


# ---- rewritten -----------------------------------------------------------------------------------

def judged(name, path):
    done = subprocess.run([*TOOL, "verify", path], capture_output=True)
    check(name + " by the tool", done.returncode == 0 and b": ok" in done.stdout,
          done.stdout + done.stderr)


def without_zig(tick):
    """What a tick is in style zig, which has no hits, tutorial and typo."""
    point = tick["channels"]["checkpoint"]
    point["tutorial"] = point["typo"] = None
    point["events"]["hit_head"] = []
    return tick


def check_rewrite(path, folder):
    """Slices, their merge, both styles and a repaired cut, as the tool decodes them."""
    name, trace = os.path.basename(path), dump(path)
    out = {k: os.path.join(folder, k + ".cdt") for k in ("a", "b", "ab", "zig", "python", "cut",
                                                         "repaired")}
    ticks = trace["ticks"]
    middle = ticks[len(ticks) // 2]["tick_index"]
    for part, args in (("a", ["--to", str(middle)]), ("b", ["--from", str(middle)])):
        rc = run("slice", *args, path, "-f", "-o", out[part])[0]
        want = [t for t in ticks if (t["tick_index"] < middle) == (part == "a")]
        got = dump(out[part])
        check(f"{name} slice {part}", rc == 0 and got["ticks"] == want)
        check(f"{name} slice {part} range", got["meta"]["tick_range"] == {
            "start_tick": want[0]["tick_index"], "end_tick": want[-1]["tick_index"],
            "tick_count": len(want)}, got["meta"]["tick_range"])
        judged(f"{name} slice {part}", out[part])
    rc = run("merge", out["b"], out["a"], "-f", "-o", out["ab"])[0]
    check(f"{name} merge", rc == 0 and dump(out["ab"])["ticks"] == ticks)
    judged(f"{name} merge", out["ab"])
    run("convert", "--to", "zig", path, "-f", "-o", out["zig"])
    run("convert", "--to", "python", out["zig"], "-f", "-o", out["python"])
    less = [without_zig(t) for t in json.loads(json.dumps(ticks))]
    check(f"{name} as zig", dump(out["zig"])["ticks"] == less)
    check(f"{name} as zig and back", dump(out["python"])["ticks"] == less)
    judged(f"{name} as zig", out["zig"])
    judged(f"{name} as zig and back", out["python"])
    rows = run("cat", "--format", "jsonl", path)[1]
    rc, _, err = run("convert", "--from-jsonl", "--to", "cdt", "-", "-f", "-o", out["ab"],
                     data=rows)
    check(f"{name} from jsonl", rc == 0 and dump(out["ab"])["ticks"] == ticks, err)
    judged(f"{name} from jsonl", out["ab"])
    last = [at for at, head in offsets(path) if head[0] == b"TICK"][-1]
    blocks = len([1 for _, head in offsets(path) if head[0] == b"TICK"])
    with open(out["cut"], "wb") as f:
        f.write(open(path, "rb").read()[:last + 500])
    rc, _, err = run("repair", out["cut"], "-f", "-o", out["repaired"])
    check(f"{name} repaired", rc == (3 if blocks > 1 else 2), f"exit {rc} {err}")
    if blocks > 1:
        judged(f"{name} repaired", out["repaired"])
        got = dump(out["repaired"])["ticks"]
        check(f"{name} repaired ticks", 0 < len(got) < len(ticks) and
              [t["tick_index"] for t in got] == [t["tick_index"] for t in ticks[:len(got)]])


def check_made(folder):
    """More shapes than are stored: other block sizes, styles, ticks without timing."""
    for args in (("small", "--style", "zig", "--ticks", "9", "--chunk-ticks", "2", "--mode-extras"),
                 ("small", "--style", "frida", "--chunk-ticks", "1", "--mode-extras"),
                 ("large", "--ticks", "300", "--style", "zig", "--creatures", "12")):
        path = os.path.join(folder, "made.cdt")
        subprocess.run([*TOOL, args[0], path, *args[1:]], check=True, capture_output=True)
        check_trace(path)
        check_again(path, folder)


def main():
    whole = sorted(glob.glob(os.path.join(FIXTURES, "*.cdt")) +
                   glob.glob(os.path.join(FRIDA, "*.cdt")))
    if os.environ.get("RASTRUM_EFFORT") == "reduced":  # its like is there, but for one tick
        whole.remove(os.path.join(FIXTURES, "large_2000_mut_t1777.cdt"))
    for path in whole:
        trace, got = check_trace(path)
        if os.path.basename(path) == "small_chunk4.cdt":
            check_du(path, trace)
            check_ranges(path, got)
            check_cuts(path, got)
            check_damage(path, got)
            check_dialects(path)
    check_corrupt()
    check_generic()
    with tempfile.TemporaryDirectory() as folder:
        check_made(folder)
        for path in some(whole):
            check_again(path, folder)
        for name in some(("small_chunk4", "small", "small_gapped", "small_zig", "small_frida")):
            check_rewrite(os.path.join(FIXTURES, name + ".cdt"), folder)
    finish()


main()
