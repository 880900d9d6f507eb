#!/usr/bin/env python3
"""atf.py - the public sessions: every event and detail, links, merged order, verdicts.

atf.py RASTRUM FIXTURES
"""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

from tally import check, finish

RASTRUM, SESSIONS = sys.argv[1], os.path.join(sys.argv[2], "atf", "sessions")


def run(*args):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def cat(path, *args):
    rc, out, err = run("cat", "--format", "jsonl", *args, path)
    return rc, [json.loads(line) for line in out.splitlines()], err


def number(value):
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def event_of(record):
    v = record["values"]
    return {"seq": (record["offset"] - 64) // 32, "ts": v["timestamp_ns"],
            "function_id": v["function_id"], "thread_id": v["thread_id"],
            "kind": v["event_kind"], "depth": v["call_depth"], "detail_seq": v["detail_seq"]}


CALL = ("rdi", "rsi", "rdx", "rcx", "r8", "r9", "rbp", "rsp")
ARM = tuple(f"x{i}" for i in range(8))


def payload_of(v):
    if v["payload"] is not None:
        return {"form": "opaque"}
    names = ARM if "x0" in v else CALL
    regs = [number(v[n]) for n in names]
    if "rax" in v and v["event_type"] == 4:
        regs[0] = number(v["rax"])
    got = {"function_id": v["function_id"], "regs": regs, "stack": v["stack"],
           "stack_size": len(v["stack"]) // 2}
    for name in ("lr", "fp", "sp"):
        got[name] = number(v[name])
    got["form"] = "spec" if v["os_thread_id"] is None else "raw516"
    if got["form"] == "raw516":
        got.update(thread_id=v["os_thread_id"], kind=v["event_kind"], depth=v["call_depth"],
                   timestamp=v["timestamp"])
    return got


def detail_of(record, seq):
    v = record["values"]
    return {"detail_seq": seq, "offset": record["offset"], "type": v["event_type"],
            "flags": v["flags"], "index_seq": v["index_seq"], "thread_id": v["thread_id"],
            "ts": v["timestamp"], "payload": payload_of(v)}


def first_difference(got, want):
    if len(got) != len(want):
        return f"{len(got)}, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            return f"number {i}: {g} is not {w}"
    return ""


def same(what, got, want):
    why = first_difference(got, want)
    check(what, not why, why)


def wanted_details(detail):
    return [{k: v for k, v in d.items() if k != "total_length"} for d in detail["event_list"]]


def state_of(expected):
    """How the session as a whole must be said to end: the worst of its files."""
    order = ["complete", "unsealed", "cut", "damaged"]
    worst = 0
    for thread in expected["threads"].values():
        index, detail = thread["index"], thread.get("detail")
        if index["recovered"]:
            worst = max(worst, 1)
        if index["trailing_partial_bytes"] > 0:
            worst = max(worst, 2)
        promised = index["header"]["event_count"]
        if index["count_source"] == "file size" and promised > index["events"]:
            worst = max(worst, 2)
        if index["footer"] and index["footer"]["event_count"] != index["events"]:
            worst = max(worst, 1)
        if not detail:
            continue
        if not detail["footer"]:
            worst = max(worst, 2 if detail["unparsed_tail_bytes"] else 1)
        elif detail["unparsed_tail_bytes"]:
            worst = max(worst, 3)
        elif detail["header"]["event_count"] != detail["events"]:
            worst = max(worst, 1)
    return order[worst]


def check_thread(name, number_, thread, records):
    mine = [r for r in records if r["stream"] == number_]
    events = [event_of(r) for r in mine if r["type"] == "event"]
    details = [detail_of(r, i) for i, r in
               enumerate(r for r in mine if r["type"] == "detail")]
    same(f"{name} events of thread {number_}", events, thread["index"]["event_list"])
    want = wanted_details(thread["detail"]) if "detail" in thread else []
    same(f"{name} details of thread {number_}", details, want)


def check_names(name, expected, records):
    manifest = expected["manifest"] or {}
    symbols = {s["function_id"]: s["name"] for s in manifest.get("symbols", [])}
    modules = {m["module_id"]: m["path"] for m in manifest.get("modules", [])}
    wrong = [r for r in records if r["type"] == "event" and (
        r["values"]["function"] != symbols.get(r["values"]["function_id"]) or
        r["values"]["module"] != modules.get(int(r["values"]["function_id"], 16) >> 32))]
    check(name + " names", not wrong, f"{len(wrong)} wrong, first {wrong[:1]}")
    for kind, rows, key in (("function", manifest.get("symbols", []), "function_id"),
                            ("module", manifest.get("modules", []), "module_id")):
        rc, got, err = cat(os.path.join(SESSIONS, name), "--type", kind)
        same(f"{name} {kind}s", [r["values"][key] for r in got], [row[key] for row in rows])


def check_merged(name, path, expected):
    rc, records, err = cat(path, "--merged", "--type", "event")
    got = [[r["time_ns"], r["stream"], (r["offset"] - 64) // 32] for r in records]
    same(name + " merged order", got, expected["merged_order"])
    rc, records, err = cat(path, "--merged")
    keys = [(r["time_ns"], r["stream"], r["seq"]) for r in records if "time_ns" in r]
    check(name + " merged, with details", keys == sorted(keys) and len(set(keys)) == len(keys))


def check_ranges(name, path, records):
    """A time range gives what filtering gives, with the same seq."""
    times = sorted(r["time_ns"] for r in records if "time_ns" in r)
    if not times:
        return
    for low, high in ((times[len(times) // 3], times[2 * len(times) // 3]), (times[0], times[0]),
                      (times[-1], times[-1] + 1)):
        want = [r for r in records if low <= r.get("time_ns", -1) < high]
        for merged in ([], ["--merged"]):
            rc, got, err = cat(path, "--from", str(low), "--to", str(high), *merged)
            got = sorted(got, key=lambda r: r["seq"]) if merged else got
            same(f"{name} range {' '.join(merged)}", got, want)
    want = records[len(records) // 2:len(records) // 2 + 7]
    first = len(records) // 2
    rc, got, err = cat(path, "--axis", "seq", "--from", str(first), "--to", str(first + 7))
    same(f"{name} range of seq", got, want)


def check_joined(name, path, expected):
    rc, records, err = cat(path, "--with-detail", "--type", "event")
    wrong = []
    for r in records:
        v = r["values"]
        thread = expected["threads"][f"thread_{r['stream']}"]
        details = thread["detail"]["event_list"] if "detail" in thread else []
        seq = v["detail_seq"]
        want = details[seq] if seq is not None and seq < len(details) else None
        got = v["index_seq"]
        if got != (want["index_seq"] if want else None) or \
                v["stack"] != (want["payload"].get("stack") if want else None):
            wrong.append((r["seq"], got))
    check(name + " joined", not wrong and len(records) == expected["total_events"],
          f"{len(records)} records, wrong {wrong[:2]}")


def check_spans(name, path, expected):
    """Every call and every return is in exactly one span."""
    rc, spans, err = cat(path, "--type", "span")
    for key, thread in expected["threads"].items():
        events = thread["index"]["event_list"]
        mine = [s["values"] for s in spans if s["stream"] == int(key.split("_")[1])]
        calls = sorted(s["call_seq"] for s in mine if s["call_seq"] is not None)
        ends = sorted(s["return_seq"] for s in mine if s["return_seq"] is not None)
        ok = calls == [e["seq"] for e in events if e["kind"] == 1] and \
            ends == [e["seq"] for e in events if e["kind"] in (2, 3)]
        for s in mine:
            if s["reason"] == "matched":
                a, b = events[s["call_seq"]], events[s["return_seq"]]
                ok = ok and a["function_id"] == b["function_id"] and a["depth"] == b["depth"]
        check(f"{name} spans of {key}", ok, f"{len(mine)} spans")


def check_self_times(name, path):
    """Sums over the spans of each function are what stats has."""
    rc, out, err = run("stats", "--json", "--table", "functions", path)
    table = json.loads(out)["tables"]["functions"]
    want, got, calls = {}, {}, {}
    for row in table["rows"]:
        r = dict(zip(table["columns"], row))
        w = want.setdefault((r["function"], r["module"]), [0, 0, 0])
        for i, column in enumerate(("count", "self_ns", "unfinished")):
            w[i] += r[column]
    rc, spans, err = cat(path, "--type", "span")
    for s in spans:
        v = s["values"]
        if v["reason"] == "no_call":
            continue
        calls[s["stream"], v["call_seq"]] = v
        w = got.setdefault((v["function"] or v["function_id"], v["module"]), [0, 0, 0])
        w[0] += 1
        w[1] += v["self_ns"] or 0
        w[2] += v["self_ns"] is None
    same(name + " self times", sorted(got.items(), key=str), sorted(want.items(), key=str))
    wrong = [s for s in spans if s["values"]["parent_call_seq"] is not None and not
             calls[s["stream"], s["values"]["parent_call_seq"]]["call_depth"] <
             s["values"]["call_depth"]]
    check(name + " parents", not wrong, f"{wrong[:2]}")


# Its manifest lists a thread that has no files.
GONE = {"index_only"}


def check_readable(name, path, expected):
    rc, records, err = cat(path)
    rc_info, out, err = run("info", "--json", path)
    info = json.loads(out)
    state = "damaged" if name in GONE else state_of(expected)
    check(name + " ending", info["ending"]["state"] == state, f"{info['ending']}, not {state}")
    check(name + " status", rc == (3 if state in ("cut", "damaged") else 0), f"exit {rc}: {err}")
    for key, thread in expected["threads"].items():
        check_thread(name, int(key.split("_")[1]), thread, records)
    check(name + " seq", [r["seq"] for r in records] == list(range(len(records))))
    check_names(name, expected, records)
    check_merged(name, path, expected)
    check_ranges(name, path, records)
    check_joined(name, path, expected)
    check_spans(name, path, expected)
    check_self_times(name, path)
    rc, threads, err = cat(path, "--type", "thread")
    got = [(t["values"]["thread_id"], t["values"]["event_count"], t["values"]["detail_count"],
            t["values"]["time_start_ns"], t["values"]["time_end_ns"], t["values"]["sorted"])
           for t in threads]
    want = []
    for key, thread in expected["threads"].items():
        first, last = thread["index"]["time_range"] or (None, None)
        want.append((int(key.split("_")[1]), thread["index"]["events"],
                     thread["detail"]["events"] if "detail" in thread else None, first, last,
                     thread["index"]["monotonic"] if first is not None else None))
    same(name + " threads", got, want)


# The finding that each flaw must give, and whether it is an error.
FLAWS = {
    "crc_wrong": "atf.footer.checksum",
    "detail_len_huge": "atf.detail.length",
    "detail_len_zero": "atf.detail.length",
    "detail_seq_dangling": "atf.link.dangling",
    "event_kind_99": "atf.event.kind",
    "footer_count_too_big": "atf.footer.count",
    "footer_count_u32_wrap": "atf.footer.count",
    "footer_magic": "atf.footer.missing",
    "footer_offset_overflow": "atf.footer.place",
    "header_only": "atf.file.cut",
}
UNSEALED = {"crash": "atf.footer.missing", "crash_midrecord": "atf.file.cut",
            "footer_no_header": "atf.footer.place"}


def check_verdict(name, path, expected):
    flaw = FLAWS.get(os.path.basename(name)) or UNSEALED.get(name)
    rc, out, err = run("verify", "--deep", "--json", path)
    findings = json.loads(out)["findings"]
    errors = [f["rule"] for f in findings if f["severity"] == "error"]
    if flaw:
        check(name + " verdict", rc == 1 and flaw in errors, f"exit {rc}: {errors}")
    elif not name.startswith("corrupt/"):
        gone = {"atf.manifest.thread"} if name in GONE else set()
        check(name + " verdict", rc == bool(gone) and set(errors) == gone, f"exit {rc}: {errors}")
    dangling = sum(t["detail"]["dangling_index_seq"] for t in expected["threads"].values()
                   if "detail" in t and "event_list" in t["index"])
    got = [f for f in findings if f["rule"] in ("atf.link.dangling", "atf.link.lost")
           and f["part"].endswith("detail.atf")]
    check(name + " back links", bool(got) == bool(dangling), f"{got}, expected {dangling}")
    rc, out, err = run("du", "--json", path)
    usage = json.loads(out)
    check(name + " du", sum(p["bytes"] for p in usage["parts"]) == usage["size_bytes"], out)


def check_refused(name, path):
    for verb in ("cat", "info", "verify", "du"):
        rc, out, err = run(verb, path)
        check(f"{name} {verb} refused", rc == 2 and err.startswith("rastrum: "),
              f"exit {rc}: {err}")


def check_alone(name, path, expected):
    """A thread directory and each file by itself give the same records."""
    for key, thread in expected["threads"].items():
        folder = os.path.join(path, key)
        rc, whole, err = cat(folder)
        events = [event_of(r) for r in whole if r["type"] == "event"]
        same(f"{name} {key} as a directory", events, thread["index"]["event_list"])
        rc, alone, err = cat(os.path.join(folder, "index.atf"), "--type", "event")
        same(f"{name} {key} index alone", [event_of(r) for r in alone],
             thread["index"]["event_list"])
        if "detail" in thread:
            rc, alone, err = cat(os.path.join(folder, "detail.atf"), "--type", "detail")
            same(f"{name} {key} detail alone", [detail_of(r, i) for i, r in enumerate(alone)],
                 wanted_details(thread["detail"]))


def check_nested():
    """Sessions below other directories; threads of two processes keep apart."""
    with tempfile.TemporaryDirectory() as base:
        bundle = os.path.join(base, "bundle")
        for pid, name in ((9, "index_only"), (10, "two_threads_detail")):
            place = os.path.join(bundle, "trace", "session_20250101_000000", f"pid_{pid}")
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copytree(os.path.join(SESSIONS, name), place)
        open(os.path.join(bundle, "manifest.json"), "w").write('{"version": 1}')
        rc, out, err = run("info", "--json", bundle)
        info = json.loads(out)
        streams = info["streams"]
        check("two processes", len({s["id"] for s in streams}) == 5 and rc == 3, streams)
        check("two processes, named", [s["name"] for s in streams] ==
              ["thread 0 of pid_9", "thread 1 of pid_9", "thread 2 of pid_9",
               "thread 0 of pid_10", "thread 1 of pid_10"], streams)
        check("two processes, counted",
              info["records"]["by_type"] == {"event": 570, "detail": 44}, info["records"])
        rc, records, err = cat(bundle)
        named = {r["values"]["function"] is not None for r in records
                 if r["type"] == "event" and "pid_9/" in r.get("part", "")}
        check("names stay with their process", True not in named, named)


# What no repair can take back, because records are never altered.
KEPT = {"corrupt/detail_seq_dangling", "corrupt/event_kind_99", "production_shape"}


def check_repair(name, path, expected):
    """Every event and detail is kept, the sums hold, and nothing is left to repair."""
    with tempfile.TemporaryDirectory() as base:
        made = os.path.join(base, "repaired")
        rc, out, err = run("repair", "--json", "-o", made, path)
        reported = json.loads(out)
        lost = reported["lost"] != {"bytes": 0, "records": 0}
        left = reported["errors_left"]
        check(name + " repair", rc == (1 if left else 3 if lost else 0), err)
        check(name + " repaired", reported["after"]["state"] == "complete" or name in GONE,
              reported["after"])
        for option in ([], ["--strict"]):
            rc, out, err = run("verify", *option, "--json", made)
            errors = [f for f in json.loads(out)["findings"] if f["severity"] == "error"]
            check(name + " repaired, verdict", bool(errors) <= (name in KEPT | GONE) and
                  (option or len(errors) == left), errors)
        rc, records, err = cat(made)
        for key, thread in expected["threads"].items():
            if "event_list" in thread["index"]:
                check_thread(name + " repaired", int(key.split("_")[1]), thread, records)
        for file in glob.glob(os.path.join(made, "thread_*", "*.atf")):
            count, again, whole, crc, found = sums(file)
            check(f"{name} repaired, sums", whole and count == again and crc in (0, found), file)
        rc, out, err = run("repair", "--json", "--dry-run", made)
        check(name + " repaired twice", json.loads(out)["plan"] == [], out)


def reported(records):
    """What a record says, but for where it lies and which others it names."""
    links = ("detail_seq", "index_seq", "function", "module")
    return [(r["type"], r["stream"], r.get("time_ns"),
             {k: v for k, v in r["values"].items() if k not in links})
            for r in records if r["type"] != "gap"]


def linked(records):
    """How many links lead from an event to a detail that names it."""
    events = {}
    for r in records:
        if r["type"] == "event":
            events.setdefault(r["stream"], []).append(r["values"]["detail_seq"])
    seen, good = {}, 0
    for r in records:
        if r["type"] != "detail":
            continue
        number = seen[r["stream"]] = seen.get(r["stream"], -1) + 1
        name, mine = r["values"]["index_seq"], events.get(r["stream"], [])
        good += name < len(mine) and mine[name] == number
    return good


def check_slice(name, path):
    """A slice has the records of its range, linked as they were, and breaks no rule."""
    rc, records, err = cat(path)
    times = sorted(r["time_ns"] for r in records if "time_ns" in r)
    ranges = [[]]
    if times:
        ranges += [["--from", str(times[len(times) // 3]), "--to", str(times[-1])],
                   ["--from", str(times[0]), "--to", str(times[len(times) // 2])]]
    with tempfile.TemporaryDirectory() as base:
        for i, span in enumerate(ranges):
            made = os.path.join(base, str(i))
            rc, out, err = run("slice", "-o", made, *span, path)
            check(f"{name} slice {span}", rc in (0, 3), err)
            rc, want, err = cat(path, *span)
            rc, got, err = cat(made)
            same(f"{name} slice {span}, records", reported(got), reported(want))
            if not span:
                check(f"{name} slice, links", linked(got) == linked(want), linked(got))
            rc, out, err = run("verify", "--strict", "--json", made)
            rules = {f["rule"] for f in json.loads(out)["findings"] if f["severity"] == "error"}
            check(f"{name} slice {span}, verdict", rules <= {"atf.event.kind"}, rules)


def check_spec():
    """The public tracer's shape by the published text: the calls of its index lane, once."""
    path = os.path.join(SESSIONS, "production_shape")
    rc, before, err = cat(path)
    with tempfile.TemporaryDirectory() as base:
        made = os.path.join(base, "spec")
        rc, out, err = run("convert", "--to", "spec", "-o", made, path)
        check("convert", rc == 0, err)
        rc, after, err = cat(made)
        rc, out, err = run("verify", "--strict", "--deep", "--dialect", "spec", made)
        check("convert, verdict", rc == 0, out)
        plain = [r for r in reported(before) if r[0] == "event"][:]
        keep = [w for w, r in zip(plain, (r for r in before if r["type"] == "event"))
                if r["values"]["detail_seq"] is None]
        same("convert, events", [r for r in reported(after) if r[0] == "event"],
             sorted(keep, key=lambda r: r[2]))
        check("convert, links", linked(after) == sum(r["type"] == "detail" for r in before))
        for file in glob.glob(os.path.join(made, "thread_*", "*.atf")):
            count, again, whole, crc, found = sums(file)
            check("convert, sums", whole and count == again and crc == found, file)
        for a, b in zip((r for r in before if r["type"] == "detail"),
                        (r for r in after if r["type"] == "detail")):
            keys = CALL + ("rax", "lr", "fp", "sp", "stack", "function_id")
            check("convert, detail", [a["values"][k] for k in keys] ==
                  [b["values"][k] for k in keys], b)


def check_joined_sessions():
    """Sessions whose threads share numbers stay processes of their own."""
    with tempfile.TemporaryDirectory() as base:
        made = os.path.join(base, "both")
        paths = [os.path.join(SESSIONS, n) for n in ("two_threads_detail", "index_only")]
        rc, out, err = run("merge", "-o", made, *paths)
        check("merge", rc == 3, err)
        rc, got, err = cat(made)
        want = [r for p in paths for r in cat(p)[1]]
        same("merge, records", [(r[0],) + r[2:] for r in reported(got)],
             [(r[0],) + r[2:] for r in reported(want)])
        check("merge, links", linked(got) == linked(cat(paths[0])[1]))
        rc, out, err = run("verify", "--strict", "--deep", made)
        check("merge, verdict", rc == 0, out)


def sums(path):
    """The counts and the CRC-32 that a file states, whether it adds up, and its true CRC-32."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"ATI2":
        count, at, footer = struct.unpack_from("<IQQ", data, 28)
        crc, again, _, _, length = struct.unpack_from("<IQQQQ", data, footer + 4)
    else:
        at, count, length = struct.unpack_from("<QQQ", data, 20)
        footer = at + length
        crc, again, length = struct.unpack_from("<IQQ", data, footer + 4)
    whole = len(data) == footer + 64 and footer == at + length
    return count, again, whole, crc, zlib.crc32(data[at:footer])


def check_manifest(name, got, want):
    """Everything that the source says, but for what the files know better."""
    for key in ("threads", "time_start_ns", "time_end_ns", "clock_type"):
        if want[key] and (key != "threads" or name != "index_only"):
            check(f"{name} again {key}", got[key] == want[key], f"{got[key]}, not {want[key]}")
    for key in ("modules", "symbols", "format_version"):
        check(f"{name} again {key}", got.get(key) == want.get(key), got.get(key))


def check_again():
    """Sessions that are whole, written again: the same bytes, sums that hold, names kept."""
    program = os.path.join(os.environ.get("RASTRUM_AGAIN", ""), "atf_again")
    if not os.access(program, os.X_OK):
        check("again", False, f"{program} is absent")
        return
    with tempfile.TemporaryDirectory() as base:
        for name in ("two_threads_detail", "index_only", "production_shape"):
            source, made = os.path.join(SESSIONS, name), os.path.join(base, name)
            done = subprocess.run([program, source, made], capture_output=True, timeout=60)
            check(name + " again", done.returncode == 0, done.stdout)
            files = sorted(glob.glob(os.path.join(source, "thread_*", "*.atf")))
            mine = sorted(glob.glob(os.path.join(made, "thread_*", "*.atf")))
            check(name + " again, files", [os.path.relpath(f, source) for f in files] ==
                  [os.path.relpath(f, made) for f in mine], mine)
            for a, b in zip(files, mine):
                with open(a, "rb") as x, open(b, "rb") as y:
                    check(f"{name} again byte for byte", x.read() == y.read(), b)
                count, again, whole, crc, found = sums(b)
                check(f"{name} again, sums", whole and count == again and crc in (0, found), b)
            with open(os.path.join(source, "manifest.json")) as x, \
                    open(os.path.join(made, "manifest.json")) as y:
                check_manifest(name, json.load(y), json.load(x))


for path in sorted(glob.glob(os.path.join(SESSIONS, "*")) +
                   glob.glob(os.path.join(SESSIONS, "corrupt", "*"))):
    if not os.path.exists(os.path.join(path, "expected.json")):
        continue
    name = os.path.relpath(path, SESSIONS)
    expected = json.load(open(os.path.join(path, "expected.json")))
    if all("error" in t["index"] for t in expected["threads"].values()):
        check_refused(name, path)
        continue
    check_readable(name, path, expected)
    check_verdict(name, path, expected)
    check_alone(name, path, expected)
    check_repair(name, path, expected)
    check_slice(name, path)
check_nested()
check_again()
check_spec()
check_joined_sessions()
finish()
