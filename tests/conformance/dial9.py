#!/usr/bin/env python3
"""dial9.py - the public streams: every frame and value, verdicts, order, ranges, dialects.

dial9.py RASTRUM FIXTURES

The decoder in the fixtures' tools (written from the specification) is the oracle; its answers are
held to the stored expectations and checksums first.
"""
import collections
import glob
import hashlib
import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile

from tally import check, finish, some

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "dial9")
TYPES = {"i64": "I64", "f64": "F64", "bool": "Bool", "string": "String", "bytes": "Bytes",
         "pooled_stack": "PooledStackFrames", "pooled_string": "PooledString",
         "stack": "StackFrames", "varint": "Varint", "string_map": "StringMap", "u8": "U8",
         "u16": "U16", "u32": "U32", "list": "DynamicList", "map": "DynamicMap"}
# Of the long recordings, those the oracle reads too: without pooled stacks, and with them.
WHOLE = ("real/20260415_65026ee_7e251e41.bin", "real/20260507_653d675_2df74c2b.bin")
BEYOND_SEED = {"pooled_stack", "list", "map"}
REDUCED = os.environ.get("RASTRUM_EFFORT") == "reduced"


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


class Pairs(list):
    """A JSON object as it is: keys may repeat."""


def cat(path, *args):
    rc, out, err = run("cat", "--format", "jsonl", *args, path)
    records = []
    for line in out.splitlines():
        record = dict(json.loads(line, object_pairs_hook=Pairs))
        records.append(record)
    return rc, records, err


def document(verb, path, *args):
    rc, out, err = run(verb, "--json", *args, path)
    return rc, json.loads(out) if out else None, err


# ---- expected values in the words of the common model ---------------------------------------

def text(value):
    if isinstance(value, dict):
        return bytes.fromhex(value["badutf8"]).decode("utf-8", "surrogateescape")
    return value


def key_text(value):
    """A map key that is no string is the JSON text of its value."""
    return value if isinstance(value, str) else json.dumps(value)


def model(v, hexed):
    """hexed: the field as a whole is one of addresses."""
    if isinstance(v, list):
        return [f"0x{int(a, 16):016x}" if hexed else int(a, 16) for a in v]
    if not isinstance(v, dict):
        return v
    if "u" in v or "i64" in v:
        return int(v.get("u", v.get("i64")))
    if "f64" in v:
        number = struct.unpack("<d", int(v["f64"], 16).to_bytes(8, "little"))[0]
        if number != number:
            return "NaN"
        if number in (float("inf"), float("-inf")):
            return "Infinity" if number > 0 else "-Infinity"
        return ("f64", v["f64"])
    if "hex" in v:
        return v["hex"]
    if "badutf8" in v:
        return text(v)
    if "pool" in v:
        return text(v["str"])
    if "stack_pool" in v:
        return None if v["frames"] is None else model(v["frames"], hexed)
    if "string_map" in v:
        return Pairs((text(k), text(x)) for k, x in v["string_map"])
    if "list" in v:
        return [model(x, False) for x in v["list"]]
    return Pairs((key_text(model(k, False)), model(x, False)) for k, x in v["map"])


def equal(got, want):
    if isinstance(want, tuple) and want[0] == "f64":
        return isinstance(got, (int, float)) and \
            "0x%016x" % struct.unpack("<Q", struct.pack("<d", got))[0] == want[1]
    if isinstance(want, Pairs):
        return isinstance(got, Pairs) and len(got) == len(want) and \
            all(a[0] == b[0] and equal(a[1], b[1]) for a, b in zip(got, want))
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and \
            all(equal(a, b) for a, b in zip(got, want))
    return type(got) is type(want) and got == want


# Numbers that are addresses print as those in stacks do.
ADDRESSES = {("SymbolTableEntry", "addr"), ("CallframeDefEvent", "address"),
             ("AllocEvent", "addr"), ("FreeEvent", "addr")}


class Event:
    def __init__(self, frame, batch, base, seq):
        self.frame, self.batch, self.base, self.seq = frame, batch, base, seq
        self.time = None if frame["t"] is None else int(frame["t"])

    def differs(self, got):
        f = self.frame
        if got["type"] != f["name"] or got["offset"] != f["at"] or got["stream"] != self.batch or \
                got["seq"] != self.seq or got.get("time_ns") != self.time:
            return f"{got} is not {f} of batch {self.batch}"
        values = got["values"]
        if [v[0] for v in values] != [v[0] for v in f["v"]]:
            return f"fields of {got} are not those of {f}"
        for (name, value), (_, want) in zip(values, f["v"]):
            if (f["name"], name) in ADDRESSES and isinstance(want, dict) and "u" in want:
                good = value == f"0x{int(want['u']):016x}"
            else:
                good = equal(value, model(want, True))
            if not good:
                return f"{name}: {value} is not {want} at {f['at']}"
        return None


def events_of(frames):
    events, batch, base = [], -1, 0
    for f in frames:
        if f["k"] == "header":
            batch, base = batch + 1, 0
        elif f["k"] == "reset":
            base = int(f["t"])
        elif f["k"] == "event":
            base = base if f["t"] is None else int(f["t"])
            events.append(Event(f, batch, base, len(events)))
    return events


def compare(what, records, events):
    if not check(f"{what} count", len(records) == len(events),
                 f"{len(records)} records, {len(events)} events"):
        return
    for got, want in zip(records, events):
        why = want.differs(got)
        if why:
            check(what, False, why)
            return
    check(what, True)


# ---- one stream --------------------------------------------------------------------------------

def requested(frames):
    """What `cat --type string|stack|annotation|schema` shows: (type, values)."""
    known, shown = {}, []
    for f in frames:
        if f["k"] == "header":
            known = {}
        elif f["k"] == "strings":
            shown += [("string", [i, text(t)]) for i, t in f["e"]]
        elif f["k"] == "stacks":
            shown += [("stack", [i, model(s, True)]) for i, s in f["e"]]
        elif f["k"] == "schema":
            known[f["id"]] = f
            fields = Pairs((n, ("Optional " if t[0] == "?" else "") + TYPES[t.lstrip("?")])
                           for n, t in f["fields"])
            shown.append(("schema", [f["id"], f["name"], f["ts"], fields, "again" in f]))
        elif f["k"] == "annotations":
            schema = known.get(f["id"])
            for i, k, v in f["e"]:
                field = schema["fields"][i][0] if schema and i < len(schema["fields"]) else None
                shown.append(("annotation", [f["id"], schema and schema["name"], i, field, text(k),
                                             text(v)]))
    return shown


def check_requests(name, path, frames):
    wanted = requested(frames)
    _, records, _ = cat(path, "--type", "string", "--type", "stack", "--type", "annotation",
                        "--type", "schema")
    got = [(r["type"], [v[1] for v in r["values"]]) for r in records]
    same = len(got) == len(wanted) and all(a[0] == b[0] and equal(a[1], b[1])
                                           for a, b in zip(got, wanted))
    check(f"{name} on request", same, f"{len(got)} records, {len(wanted)} expected")


def check_info(name, path, frames, events, error, size):
    rc, info, err = document("info", path)
    if not check(f"{name} info", info is not None, err):
        return
    by_type = collections.Counter(e.frame["name"] for e in events)
    times = [e.time for e in events if e.time is not None and
             (e.time or e.frame["name"] != "SymbolTableEntry")]
    batches = sum(f["k"] == "header" for f in frames)
    counts = collections.Counter(e.batch for e in events)
    check(f"{name} info totals", info["format"] == "dial9" and info["version"] == 1 and
          info["dialect"] == "full" and info["size_bytes"] == size and
          info["records"]["total"] == len(events) and info["records"]["by_type"] == by_type, info)
    axis = {"time_ns": {"first": min(times), "last": max(times)}} if times else {}
    check(f"{name} info axes", info["axes"] == axis, info["axes"])
    check(f"{name} info streams", info["streams"] ==
          [{"id": i, "name": f"batch {i}", "records": counts[i]} for i in range(batches)],
          f"{len(info['streams'])} streams, {batches} batches")
    state, offset = ending_of(error)
    check(f"{name} ending", info["ending"]["state"] == state and
          (offset is None or info["ending"]["offset"] == offset) and rc == (3 if error else 0),
          f"{rc} {info['ending']}, expected {error}")


def ending_of(error):
    if not error:
        return "complete", None
    return "cut" if error["why"] == "truncated" else "damaged", error["at"]


def check_verify(name, path, error):
    rc, report, err = document("verify", path)
    if not check(f"{name} verify", report is not None, err):
        return
    errors = [f for f in report["findings"] if f["severity"] == "error"]
    good = report["ok"] == (not error) and rc == (1 if error else 0)
    if error:
        good = good and len(errors) == 1 and errors[0]["offset"] == error["at"]
    check(f"{name} verdict", good, f"{rc} {report}")


def check_merged(name, path, events):
    _, records, _ = cat(path, "--merged")
    compare(f"{name} merged", records, sorted(events, key=lambda e: (e.base, e.batch, e.seq)))


def check_seed(name, path, frames, events):
    """The published text alone: all goes well up to the first thing it does not know."""
    stop = None
    for i, f in enumerate(frames):
        types = {t for _, t in f.get("fields", [])} if f["k"] == "schema" else set()
        if f["k"] in ("stacks", "annotations") or (f["k"] == "header" and i) or \
                any(t[0] == "?" or t in BEYOND_SEED for t in types):
            stop = f["at"]
            break
    if stop is None and frames[-1]["k"] == "error":
        return
    rc, records, err = cat(path, "--dialect", "seed")
    compare(f"{name} seed", records, [e for e in events if stop is None or e.frame["at"] < stop])
    check(f"{name} seed ending", rc == (0 if stop is None else 3) and
          (stop is None or f"offset {stop}:" in err), f"{rc} {err}, expected {stop}")


def check_stream(name, path, data, frames, light):
    error = frames[-1] if frames[-1]["k"] == "error" else None
    events = events_of(frames)
    rc, records, err = cat(path)
    compare(f"{name} cat", records, events)
    check(f"{name} cat status", rc == (3 if error else 0), f"{rc} {err}")
    check_info(name, path, frames, events, error, os.path.getsize(path))
    check_verify(name, path, error)
    rc, du, _ = document("du", path)
    check(f"{name} du", sum(p["bytes"] for p in du["parts"]) == os.path.getsize(path) and
          sum(p["raw_bytes"] for p in du["parts"]) == len(data), du)
    if not light:
        check_requests(name, path, frames)
        check_merged(name, path, events)
        check_seed(name, path, frames, events)
    return events


# ---- what is special -----------------------------------------------------------------------------

def check_ranges(path, events):
    times = sorted(e.time for e in events)
    low, high = times[len(times) // 3], times[len(times) // 2]
    _, records, _ = cat(path, "--from", str(low), "--to", str(high))
    compare("demo time range", records, [e for e in events if low <= e.time < high])
    _, records, _ = cat(path, "--axis", "seq", "--from", "150000", "--to", "150100")
    compare("demo seq range", records, events[150000:150100])
    name = "CpuSampleEvent"
    _, records, _ = cat(path, "--type", name, "--fields", "callchain,tid")
    wanted = [e for e in events if e.frame["name"] == name]
    good = len(records) == len(wanted) and all(
        equal([v for v in r["values"]], [(n, model(v, True)) for n, v in e.frame["v"]
                                         if n in ("tid", "callchain")])
        for r, e in zip(records, wanted))
    check("demo fields", good, f"{len(records)} records, {len(wanted)} expected")


def check_counts(name, path, entry):
    """A long stream by what the manifest says of it."""
    rc, out, err = run("cat", "--format", "jsonl", "--fields", "worker_id", path)
    times, counts = [], collections.Counter()
    for line in out.splitlines():
        record = json.loads(line)
        times.append(record["time_ns"])
        counts[record["type"]] += 1
    check(f"{name} counts", rc == 0 and counts == entry["events"], f"{rc} {counts} {err}")
    check(f"{name} times", times and min(times) == int(entry["ts_min"]) and
          max(times) == int(entry["ts_max"]) and
          sum(times) % 2**64 == int(entry["ts_sum_mod_2_64"]), f"{len(times)} times")
    check_verify(name, path, None)


def check_refused(name, path, text_part):
    for verb in ("cat", "info", "verify", "du"):
        rc, out, err = run(verb, path)
        check(f"{name} {verb}", rc == 2 and not out and text_part in err, f"{rc} {out} {err}")


def check_wrapping(name, path, state, count):
    rc, records, err = cat(path)
    check(f"{name} cat", rc == 3 and len(records) == count, f"{rc} {len(records)} {err}")
    _, info, _ = document("info", path)
    check(f"{name} info", info["ending"]["state"] == state, info)
    rc, report, _ = document("verify", path)
    check(f"{name} verify", rc == 1 and not report["ok"], report)


def check_warned(name, path, rule):
    rc, report, _ = document("verify", path)
    rules = [f["rule"] for f in report["findings"]]
    check(f"{name} {rule}", rc == 0 and rule in rules, report)


# ---- writing -------------------------------------------------------------------------------------

# Streams of a public encoder: the same bytes. Others have what an encoder does not write.
EXACT = tuple(f"ref/{n:02}_" for n in (*range(1, 14), 20, 21))


def meaning(frames):
    """What must survive: all but where frames stand and the resets between them."""
    return [{k: v for k, v in f.items() if k not in ("at", "len")}
            for f in frames if f["k"] != "reset"]


def check_again(d9, manifest):
    """Every stream that is whole, decoded and encoded again, read by the oracle."""
    program = os.path.join(os.environ.get("RASTRUM_AGAIN", ""), "dial9_again")
    if not check("again", os.access(program, os.X_OK), f"{program} is absent"):
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in manifest.items():
            path = os.path.join(FIXTURES, name)
            if "error" in entry or "container_error" in entry or name.startswith("bad/"):
                continue
            data = d9.load(path)
            raw, out = os.path.join(folder, "in"), os.path.join(folder, "out")
            with open(raw, "wb") as f:
                f.write(data)
            done = subprocess.run([program, "full", raw, out], capture_output=True, timeout=60)
            if not check(f"{name} again", done.returncode == 0, done.stdout):
                continue
            with open(out, "rb") as f:
                written = f.read()
            os.remove(out)
            if name.startswith(EXACT):
                check(f"{name} byte for byte", written == data, f"{len(written)} {len(data)}")
            elif name.startswith("real/") and name not in WHOLE:
                check(f"{name} again byte for byte", written == data,
                      f"{len(written)} {len(data)}")
            else:
                check(f"{name} value for value", written == data or
                      meaning(d9.Dec().run(written)) == meaning(d9.Dec().run(data)), "differs")


# ---- rewriting -----------------------------------------------------------------------------------

def content(event):
    """What an event says, wherever it is: pool ids by what they stand for."""
    values = [(n, model(v, True)) for n, v in event.frame["v"]]
    return event.frame["name"], event.time, values


def says_the_same(what, data, wanted, d9):
    frames = d9.Dec().run(data)
    got = events_of(frames)
    good = len(got) == len(wanted) and frames[-1]["k"] != "error" and \
        all(content(a) == content(b) for a, b in zip(got, wanted))
    check(what, good, f"{len(got)} events, {len(wanted)} wanted")
    return frames


def unused(frames):
    """Definitions that no event of their batch needs."""
    count = 0
    for batch in split(frames):
        types = {f["id"] for f in batch if f["k"] == "event"}
        text = json.dumps([f["v"] for f in batch if f["k"] == "event"])
        count += sum(f["k"] == "schema" and f["id"] not in types for f in batch)
        count += sum(f'"pool": {i},' not in text for f in batch if f["k"] == "strings"
                     for i, _ in f["e"])
        count += sum(f'"stack_pool": {i},' not in text for f in batch if f["k"] == "stacks"
                     for i, _ in f["e"])
    return count


def split(frames):
    batches = []
    for f in frames:
        if f["k"] == "header":
            batches.append([])
        batches[-1].append(f)
    return batches


def rewritten(folder, *args):
    out = os.path.join(folder, "out.trc")
    rc, _, err = run(*args, "--force", "-o", out)
    with open(out, "rb") as f:
        return rc, f.read(), err


def check_slices(d9, manifest):
    """Every stream sliced whole; of the demo a range, a type, and merges."""
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in manifest.items():
            if not name.startswith("ref/") or "error" in entry or entry["bytes"] > 200000:
                continue
            path = os.path.join(FIXTURES, name)
            wanted = events_of(d9.Dec().run(d9.load(path)))
            rc, data, err = rewritten(folder, "slice", path)
            frames = says_the_same(f"{name} sliced", data, wanted, d9)
            check(f"{name} slice is minimal", rc == 0 and unused(frames) == 0, f"{rc} {err}")
        if REDUCED:  # most of it is the oracle's time
            return
        demo = os.path.join(FIXTURES, "demo-trace.bin")
        check_demo_slices(d9, folder, demo, events_of(d9.Dec().run(d9.load(demo))))


def check_demo_slices(d9, folder, demo, events):
    times = sorted(e.time for e in events)
    low, high = times[len(times) // 3], times[len(times) // 3 + 20000]
    wanted = [e for e in events if low <= e.time < high]
    _, part, _ = rewritten(folder, "slice", "--bare", "--from", str(low), "--to", str(high), demo)
    frames = says_the_same("demo slice by time", part, wanted, d9)
    check("demo slice is minimal", unused(frames) == 0, unused(frames))
    _, data, _ = rewritten(folder, "slice", "--bare", "--type", "CpuSampleEvent", demo)
    says_the_same("demo slice by type", data,
                  [e for e in events if e.frame["name"] == "CpuSampleEvent"], d9)
    early, late = os.path.join(folder, "early.trc"), os.path.join(folder, "late.trc")
    run("slice", "--bare", "--to", str(low), "-o", early, demo)
    run("slice", "--bare", "--from", str(low), "--to", str(high), "-o", late, demo)
    with open(early, "rb") as a, open(late, "rb") as b:
        both = a.read() + b.read()
    _, data, _ = rewritten(folder, "merge", early, late)
    check("demo merge", data == both, f"{len(data)} {len(both)}")
    _, data, _ = rewritten(folder, "merge", "--interleave", late, early)
    whole = [e for e in events if e.time < high]
    frames = d9.Dec().run(data)
    got = events_of(frames)
    check("demo interleaved in order", len(split(frames)) == 1 and
          [e.time for e in got] == sorted(e.time for e in whole), len(got))
    check("demo interleaved values", sorted(map(repr, map(content, got))) ==
          sorted(map(repr, map(content, whole))), "differ")


SEED = {"header", "schema", "event", "strings", "reset"}


def check_seeds(d9, manifest):
    """The published text: what it has no place for is gone, the rest is as it was."""
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in manifest.items():
            if not name.startswith("ref/") or "error" in entry or entry["bytes"] > 200000:
                continue
            path = os.path.join(FIXTURES, name)
            whole = d9.Dec().run(d9.load(path))
            events = events_of(whole)
            lost = any(f["k"] == "annotations" for f in whole)  # has no place there
            rc, data, err = rewritten(folder, "convert", "--to", "seed", path)
            frames = d9.Dec().run(data)
            kinds = {f["k"] for f in frames}
            types = {t for f in frames if f["k"] == "schema" for _, t in f["fields"]}
            check(f"{name} seed kinds", rc == (3 if lost else 0) and kinds <= SEED and
                  not types & BEYOND_SEED and not any(t[0] == "?" for t in types) and
                  sum(f["k"] == "header" for f in frames) == 1, f"{rc} {kinds} {types} {err}")
            got = events_of(frames)
            good = len(got) == len(events)
            for a, b in zip(got, events):
                have = dict((n, v) for n, v in content(a)[2])
                for (n, v), (_, raw) in zip(content(b)[2], b.frame["v"]):
                    if isinstance(raw, dict) and ("list" in raw or "map" in raw):
                        good = good and isinstance(have.get(n), str)
                    elif v is not None and len(content(b)[2]) == len({x for x, _ in content(b)[2]}):
                        good = good and n in have and have[n] == v
            check(f"{name} seed values", good, f"{len(got)} of {len(events)}")


def manifest_agrees(name, entry, data, frames):
    canonical = "[\n" + ",\n".join(json.dumps(f, ensure_ascii=True) for f in frames) + "\n]\n"
    stored = os.path.join(FIXTURES, os.path.splitext(name)[0].removesuffix(".trc") + ".expect.json")
    if os.path.exists(stored):
        with open(stored, encoding="utf-8") as f:
            check(f"{name} expect.json", json.load(f) == json.loads(canonical), "oracle differs")
    kinds = collections.Counter(f["k"] for f in frames)
    check(f"{name} manifest", kinds == entry["frames"] and
          ("raw_sha256" not in entry or
           hashlib.sha256(data).hexdigest() == entry["raw_sha256"]), kinds)


def main():
    spec = importlib.util.spec_from_file_location("d9", os.path.join(FIXTURES, "tools/d9.py"))
    d9 = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(d9)
    with open(os.path.join(FIXTURES, "MANIFEST.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    listed = {os.path.join(FIXTURES, n) for n in manifest}
    if REDUCED:  # 21_bench_light_100k is as long
        del manifest["ref/20_bench_mix_100k.trc"]
    for name, entry in manifest.items():
        path = os.path.join(FIXTURES, name)
        why = entry.get("error", {}).get("why", "")
        if "container_error" in entry:
            continue
        if why == "short header":
            check_refused(name, path, "empty")
            continue
        if why.startswith("unsupported version") and entry["error"]["at"] == 0:
            check_refused(name, path, "version")
            continue
        if name.startswith("real/") and name not in WHOLE:
            check_counts(name, path, entry)
            continue
        data = d9.load(path)
        frames = d9.Dec().run(data)
        manifest_agrees(name, entry, data, frames)
        events = check_stream(name, path, data, frames, name.startswith("real/"))
        if name == "demo-trace.bin":
            check_ranges(path, events)
    share = dict(some(manifest.items()))
    check_again(d9, share)
    check_slices(d9, share)
    check_seeds(d9, share)
    bad = os.path.join(FIXTURES, "bad")
    check_wrapping("52_gz_truncated", f"{bad}/52_gz_truncated.trc", "cut", 40)
    check_wrapping("54_gz_bad_crc", f"{bad}/54_gz_bad_crc.trc", "damaged", 1)
    for name, rule in (("23_utf8_pool", "dial9.pool.utf8"),
                       ("24_utf8_string_map", "dial9.value.utf8"),
                       ("46_annotation_type_id_65536", "dial9.annotation.type"),
                       ("47_annotation_index_oob", "dial9.annotation.field"),
                       ("49_annotation_bad_utf8", "dial9.annotation.utf8")):
        check_warned(name, f"{bad}/{name}.trc", rule)
    for path in sorted(glob.glob(os.path.join(FIXTURES, "real/legacy-TOKIOTRC/*"))):
        check_refused(os.path.basename(path), path, "TOKIOTRC")
    for path in sorted(glob.glob(os.path.join(FIXTURES, "*/*.trc*"))):
        check(f"{os.path.basename(path)} listed", path in listed, "not in the manifest")


main()
finish()
