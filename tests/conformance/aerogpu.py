#!/usr/bin/env python3
"""aerogpu.py - the public traces: dumps, listings, manifest, verdicts on damaged files, every cut.

aerogpu.py RASTRUM FIXTURES
"""
import glob
import json
import os
import re
import resource
import subprocess
import sys

from tally import check, finish, some

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "aerogpu")
MEMORY, SECONDS = 512 << 20, 2.0
SANITIZED = b"__asan_init" in open(RASTRUM, "rb").read()  # needs address space of its own


def confine():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def spent():
    """Processor seconds of all that was run so far: a busy machine does not add to them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*args, data=None):
    """Exit status, standard output, standard error, processor seconds; within the memory limit."""
    began = spent()
    done = subprocess.run([RASTRUM, *args], input=data, capture_output=True, timeout=60,
                          preexec_fn=confine)
    return done.returncode, done.stdout, done.stderr.decode(), spent() - began


def cat(*args, data=None):
    rc, out, err, _ = run("cat", "--format", "jsonl", *args, data=data)
    return rc, [json.loads(line) for line in out.splitlines()], err


def info(*args, data=None):
    rc, out, err, _ = run("info", "--json", *args, data=data)
    return rc, json.loads(out) if out else None, err


def path(*parts):
    return os.path.join(FIXTURES, *parts)


def read(*parts):
    return open(path(*parts), encoding="utf-8").read()


# ---- the dumps: every container record of every trace --------------------------------------------

# How the dumps abbreviate the fields of Appendix A.
DUMPED = {"blob_lo": "blob_id_lo", "blob_hi": "blob_id_hi", "vs": "vs_shader_id",
          "fs": "fs_shader_id", "stride": "stride_bytes", "pos_off": "position_offset_bytes",
          "color_off": "color_offset_bytes", "w": "width_px", "h": "height_px",
          **{f"{kind}_{half}": f"{kind}_blob_id_{half}" for kind in ("glsl", "wgsl", "dxbc")
             for half in ("lo", "hi")}}
SUBMISSION = {"ver": "record_version", "submit_flags": "submit_flags", "ctx": "context_id",
              "engine": "engine_id", "fence": "signal_fence", "cmd_blob": "cmd_stream_blob_id",
              "alloc_blob": "alloc_table_blob_id", "ranges": "memory_range_count"}
RANGE = {"alloc_id": "alloc_id", "flags": "flags", "gpa": "gpa", "size": "size_bytes",
         "blob": "blob_id"}


def pairs(text):
    return dict(re.findall(r"(\w+)=(\S+)", text))


def number(text):
    return float(text) if "." in text else int(text, 0)


def packet_wanted(at, words):
    """An Appendix A packet and the one command that it is."""
    opcode, name = int(words.pop("op"), 16), words.pop("name")
    words.pop("total_dwords")
    fields = {DUMPED.get(k, k): number(v) for k, v in words.items()}
    packet = {"opcode": opcode, "name": name, "fields": fields}
    return [("packet", at, packet), ("command", at + 8, packet)]


def wanted(dump):
    """(type, offset, values) in the order of delivery, from our reading of the dump."""
    records, streams, start, stream = [], {}, None, None
    for line in dump.splitlines():
        m = re.match(r"  \[\d+\] @(\d+) (\w+)\(\d+\) flags=0 rsv=0 payload_len=\d+ ?(.*)", line)
        c = re.match(r"        \+0x([0-9a-f]+) (\w+)\(0x([0-9a-f]+)\) size=(\d+)", line)
        r = re.match(r"      range (.*)", line)
        if m:
            at, kind, rest = int(m[1]), m[2], m[3]
            words = pairs(rest)
            if kind == "BeginFrame":
                start = at, int(words["frame_index"])
            elif kind == "Blob":
                records.append(("blob", at, {"blob_id": int(words["blob_id"]),
                                             "kind_name": words["kind"],
                                             "size": int(words["bytes"])}))
                stream = streams.setdefault(int(words["blob_id"]), (at + 24, []))
            elif kind == "Packet" and "op" in words:
                words["name"] = re.search(r"op=\S+ (\w+)", rest)[1]
                records += packet_wanted(at, words)
            elif kind == "Packet":
                records.append(("packet", at, {"opcode": None, "name": "ACMD"}))
                stream = (at + 8, records)
            elif kind == "AerogpuSubmission":
                values = {SUBMISSION[k]: int(v) for k, v in words.items() if k in SUBMISSION}
                values["memory_ranges"] = []
                records.append(("submission", at, values))
                records += streams[values["cmd_stream_blob_id"]][1]
            elif kind == "Present":
                records.append(("frame", start[0], {
                    "frame_index": start[1], "start_offset": start[0], "present_offset": at,
                    "end_offset": at + 12}))
        elif c:
            stream[1].append(("command", stream[0] + int(c[1], 16), {
                "name": c[2], "opcode": int(c[3], 16), "offset": int(c[1], 16),
                "size_bytes": int(c[4])}))
        elif r:
            last = [x for x in records if x[0] == "submission"][-1]
            last[2]["memory_ranges"].append({RANGE[k]: int(v, 0) for k, v in pairs(r[1]).items()})
    return records


def covers(got, want):
    """Everything that is wanted is there, with its value; more may be."""
    if isinstance(want, dict):
        return isinstance(got, dict) and all(k in got and covers(got[k], v)
                                             for k, v in want.items())
    return got == want


def compare(records, expected):
    if len(records) != len(expected):
        return f"{len(records)} records, {len(expected)} wanted"
    for got, (kind, at, values) in zip(records, expected):
        if (got["type"], got["offset"]) != (kind, at) or not covers(got["values"], values):
            return f"seq {got['seq']}: {got} is not {kind} at {at} {values}"
    return ""


def check_dump(name):
    dump = read("dumps", name + ".txt")
    rc, records, err = cat(path("fixtures", name + ".aerogputrace"))
    why = compare(records, wanted(dump))
    check(name + " dump", rc == 0 and not why, why or err)
    check(name + " ticks", all(r["tick"] == 0 for r in records))
    texts = re.findall(r"kind=Shader(?:Wgsl|GlslEs300).*\n((?:      \|.*\n)+)", dump)
    texts = ["\n".join(line[8:] for line in t.splitlines()) for t in texts]
    _, shaders, _ = cat("--type", "shader", path("fixtures", name + ".aerogputrace"))
    got = [s["values"]["text"] for s in shaders if s["values"]["text"] is not None]
    check(name + " shaders", got == texts, f"{got} is not {texts}")


# ---- the reference listings: every command of every stream ---------------------------------------

# What the reference says of arrays and bytes is their beginning only.
FIRST = {"vb0_": "bindings", "cb0_": "bindings", "srv0_": "bindings", "uav0_": "bindings"}


def listed(fields, key):
    """The value of a key of the reference's listing, from our fields."""
    for prefix, items in FIRST.items():
        if key.startswith(prefix):
            return fields[items][0][key[len(prefix):]]
    if key == "sampler0":
        return fields["samplers"][0]
    if key.endswith("_len"):
        return len(fields[key[:-4]]) // 2
    if key.endswith("_prefix"):
        text = fields[key[:-7]]
        return text if len(text) <= 32 else text[:32] + ".."
    return fields[key]


def same_command(values, want):
    name = values["name"].replace("_", "").lower()
    if (values["opcode"], name, values["offset"], values["size_bytes"]) != \
            (want["opcode_u32"], want["opcode"].lower(), want["offset"], want["size_bytes"]):
        return f"{values} is not {want}"
    for key, value in want["decoded"].items():
        try:
            got = listed(values["fields"], key)
        except KeyError:
            return f"{values['name']} has no {key}: {values['fields']}"
        if (str(got) if isinstance(value, str) else got) != value:
            return f"{values['name']}: {key} is {got}, not {value}"
    return ""


def check_listing(name):
    want = json.loads(read("reference_listings", name + ".json"))
    rc, records, err = cat(path("extracted", name + ".acmd"))
    check(name + " stream opens", rc == 0 and not err, err)
    check(name + " stream types", {r["type"] for r in records} == {"command"})
    wrong = [w for w in (same_command(r["values"], p) for r, p in zip(records, want["records"]))
             if w]
    if len(records) != len(want["records"]):
        wrong.append(f"{len(records)} commands, {len(want['records'])} wanted")
    check(name + " listing", not wrong, "; ".join(wrong))
    _, about, _ = info(path("extracted", name + ".acmd"))
    check(name + " stream info", about["producer"]["abi_version"] ==
          want["header"]["abi_version_u32"] and about["ending"]["state"] == "complete", str(about))
    _, inside, _ = cat("--type", "command", path("fixtures", name + ".aerogputrace"))
    check(name + " same commands", [r["values"] for r in inside] == [r["values"] for r in records])


def check_table():
    rc, records, err = cat(path("extracted", "aerogpu_cmd_triangle.aloc"))
    check("aloc", rc == 0 and [r["values"] for r in records] == [
        {"alloc_id": 1, "flags": 0, "gpa": "0x0000000000001000", "size_bytes": 72}], str(records))


# ---- the manifest --------------------------------------------------------------------------------

def check_manifest():
    text = read("MANIFEST.md")
    orders = dict(re.findall(r"^- \*\*(\S+)\*\* \([^)]*\): (.*)$", text, re.M))
    for row in re.findall(r"^\| (\S+\.aerogputrace) \|(.*)$", text, re.M):
        name, cells = row[0], [c.strip() for c in row[1].split("|")]
        size, version, abi, counts, blobs, packets = cells[:6]
        rc, about, err = info(path("fixtures", name))
        types = about["records"]["by_type"]
        check(name + " header", rc == 0 and about["size_bytes"] == int(size) and
              "v%d" % about["version"] == version == about["dialect"] and
              about["producer"]["command_abi_version"] == int(abi, 16), str(about))
        want = {k: int(n) for k, n in re.findall(r"(\w+)×(\d+)", counts)}
        got = {"BeginFrame": types.get("frame", 0), "Present": types.get("frame", 0),
               "Blob": types.get("blob", 0), "Packet": types.get("packet", 0),
               "AerogpuSubmission": types.get("submission", 0)}
        check(name + " counts", {k: v for k, v in got.items() if v} == want and
              types["command"] == int(packets), f"{types} is not {want}, {packets} commands")
        _, records, _ = cat("--type", "blob", path("fixtures", name))
        got = ["{blob_id}:{kind_name}({size})".format(**r["values"]) for r in records]
        check(name + " blobs", got == re.findall(r"\d+:\w+\(\d+\)", blobs), str(got))
        _, records, _ = cat("--type", "command", path("fixtures", name))
        got = " → ".join(r["values"]["name"] for r in records)
        check(name + " order", got == orders[name], f"{got} is not {orders[name]}")
        for options in (["--strict"], ["--strict", "--deep"]):
            rc, out, err, _ = run("verify", "--json", *options, path("fixtures", name))
            found = json.loads(out)
            check(name + " is valid", rc == 0 and found["ok"] and not found["findings"], str(found))


def check_corpus():
    """Accepted by the reference reader; the types each holds are reported in the manifest."""
    want = {"begin_frame": {}, "begin_packet_present": {"packet": 1, "frame": 1},
            "blob_header": {"blob": 1}, "meta_begin_frame": {}, "two_frames_begin_frame": {},
            "aerogpu_submission_empty": {"submission": 1},
            "aerogpu_submission_one_range": {"submission": 1}}
    folder = path("corpus", "fuzz_aerogpu_trace_read")
    for name in sorted(os.listdir(folder)):
        rc, out, err, _ = run("verify", "--json", os.path.join(folder, name))
        check(name + " accepted", rc == 0, out.decode())
        _, about, err = info(os.path.join(folder, name))
        types = {k: v for k, v in about["records"]["by_type"].items() if v}
        check(name + " types", types == want[name], str(types))
    rc, _, _, _ = run("verify", "--deep", os.path.join(folder, "aerogpu_submission_one_range"))
    check("a missing blob is found when asked for", rc == 1, f"exit {rc}")
    for name in sorted(glob.glob(path("probe", "*.aerogputrace"))):
        rc, out, err, _ = run("verify", "--strict", "--deep", name)
        check(os.path.basename(name) + " is valid", rc == 0, out.decode())


# ---- damaged files -------------------------------------------------------------------------------

# What stays whole in a damaged triangle.aerogputrace: 11 packets with their commands, 7 blobs.
ALL = {"packet": 11, "command": 11, "blob": 7}
# States that the file's name promises, beyond the reference's yes or no.
STATES = {"t_header_meta_only.bin": "unsealed", "t_minus1.bin": "unsealed",
          "t_plus1.bin": "unsealed", "toc_magic.bin": "unsealed", "f_size_31.bin": "unsealed",
          "f_toc_offset_max.bin": "unsealed", "toc_count_max.bin": "unsealed",
          "toc_end_lt_start.bin": "unsealed", "h_container_2_footer_1.bin": "unsealed",
          "toc_gap_before_toc.bin": "damaged", "h_meta_len_0.bin": "damaged",
          "r_type_0.bin": "damaged",
          "s_trailing_7_bytes.bin": "damaged", "v2_sub_hdr_55.bin": "damaged"}
# Rules each single fault must be found by, under --strict.
RULES = {"b_dup_id.bin": "aerogpu.blob.duplicate", "b_id_0.bin": "aerogpu.blob.id",
         "b_kind_cmdstream_in_v1.bin": "aerogpu.blob.version",
         "b_reserved.bin": "aerogpu.blob.reserved", "f_size_31.bin": "aerogpu.footer.wrong",
         "f_toc_len_0.bin": "aerogpu.footer.wrong", "f_toc_offset_eof.bin": "aerogpu.footer.wrong",
         "h_flags_nonzero.bin": "aerogpu.header.flags", "h_abi_max.bin": "aerogpu.header.abi",
         "meta_abi_mismatch.bin": "aerogpu.meta.abi",
         "r_reserved.bin": "aerogpu.record.reserved", "r_type_0.bin": "aerogpu.record.type",
         "r_type_5_in_v1.bin": "aerogpu.record.version", "v1_sub.bin": "aerogpu.record.version",
         "r_begin_len_0_shift.bin": "aerogpu.record.size",
         "s_frames_out_of_order.bin": "aerogpu.frame.index",
         "s_nested_begin.bin": "aerogpu.frame.nested", "s_packet_empty.bin": "aerogpu.packet.size",
         "s_minimum_80_bytes.bin": "aerogpu.meta.json",
         "s_trailing_7_bytes.bin": "aerogpu.record.bounds",
         "t_minus1.bin": "aerogpu.footer.missing", "t_plus1.bin": "aerogpu.footer.missing",
         "toc_gap_before_toc.bin": "aerogpu.record.bounds",
         "toc_gap_before_footer.bin": "aerogpu.footer.gap",
         "toc_end_eq_start.bin": "aerogpu.toc.end", "toc_end_lt_start.bin": "aerogpu.toc.bounds",
         "toc_end_mid_record.bin": "aerogpu.toc.boundary",
         "toc_present_0.bin": "aerogpu.toc.present",
         "toc_present_wrong_record.bin": "aerogpu.toc.present",
         "toc_present_gt_end.bin": "aerogpu.toc.bounds",
         "toc_start_second_record.bin": "aerogpu.toc.start",
         "toc_version_2.bin": "aerogpu.footer.wrong",
         "v2_sub_hdr_55.bin": "aerogpu.submission.size",
         "v2_sub_trailing_bytes.bin": "aerogpu.submission.trailing",
         "v2_sub_version_2.bin": "aerogpu.submission.version",
         "v2_sub_ok.bin": "aerogpu.frame.outside"}


def check_mutation(name, verdict):
    """Refused by the reference: refused here. Accepted there: accepted, and more is said."""
    file = path("mutations", name)
    rc, out, err, seconds = run("verify", "--json", file)
    refused = "ERR" in verdict
    check(name + " verdict", rc in ((1, 2) if refused else (0,)), f"exit {rc}: {verdict}")
    check(name + " time", seconds < SECONDS, f"{seconds:.1f} s")
    for verb in (["cat"], ["info"], ["du"], ["verify", "--strict", "--deep"]):
        rc, out, err, seconds = run(*verb, file)
        check(f"{name} {verb[0]}", rc in (0, 1, 2, 3) and seconds < SECONDS and
              len(err.splitlines()) <= 1, f"exit {rc}, {seconds:.1f} s: {err}")
    if name in RULES:
        rc, out, err, _ = run("verify", "--strict", "--json", file)
        rules = {f["rule"] for f in json.loads(out)["findings"]}
        check(name + " rule", RULES[name] in rules, f"{RULES[name]} is not among {rules}")
    if name in STATES:
        rc, about, err = info(file)
        check(name + " ending", about["ending"]["state"] == STATES[name], str(about["ending"]))
    if "whole=OK 20" in verdict or name.startswith(("f_", "toc_", "t_plus", "t_minus")):
        rc, about, err = info(file)
        types = about["records"]["by_type"]
        check(name + " records", all(types.get(k) == n for k, n in ALL.items()), str(types))


def check_headers():
    """Refused at once, in one line that says where."""
    for name in ("t_empty", "t_7", "t_31", "t_32", "h_container_0", "h_meta_len_max"):
        rc, out, err, _ = run("info", path("mutations", name + ".bin"))
        check(name + " refused", rc == 2 and not out and len(err.splitlines()) == 1, err)


def check_mutations():
    verdicts = dict(line.split(": ", 1) for line in
                    read("mutations_reference_verdicts.txt").splitlines())
    for file in sorted(glob.glob(path("mutations", "*.bin"))):
        check_mutation(os.path.basename(file), verdicts[os.path.basename(file)])
    for file in sorted(glob.glob(path("mutations", "huge_*"))):
        for verb in (["verify", "--strict", "--deep"], ["cat"], ["info"], ["du"]):
            rc, out, err, seconds = run(*verb, file)
            check(f"{os.path.basename(file)} {verb[0]}", rc == 0 and seconds < SECONDS,
                  f"exit {rc}, {seconds:.1f} s: {err}")


def check_prefixes(name):
    """Every cut of a trace gives the first records of it and says that it is cut."""
    data = open(path("fixtures", name + ".aerogputrace"), "rb").read()
    _, whole, _ = cat(data=data, *["-"])
    body = 32 + int.from_bytes(data[24:28], "little")
    toc = int.from_bytes(data[-16:-8], "little")
    wrong = []
    for size in some(range(len(data))):
        rc, records, err = cat("-", data=data[:size])
        expect = (2,) if size < body else (0,) if size >= toc else (0, 3)
        if rc not in expect or records != whole[:len(records)]:
            wrong.append(f"{size} bytes: exit {rc}, {len(records)} records")
        if size >= toc and len(records) != len(whole):
            wrong.append(f"{size} bytes: {len(records)} records of {len(whole)}")
    check(name + " prefixes", not wrong, "; ".join(wrong[:5]))


# ---- rewriting -----------------------------------------------------------------------------------

def written(*args, data=None):
    """What a verb writes to standard output; nothing where it fails."""
    rc, out, err, _ = run(*args, "-o", "-", data=data)
    return (out if rc in (0, 3) else b""), err


def with_data(data, record):
    """A blob with its bytes, which `cat` leaves out; of a stream its commands are enough."""
    values = record["values"]
    if record["type"] == "blob" and values["kind"] != 0x100:
        at = record["offset"] + 24
        values["data"] = data[at:at + values["size"]].hex()
    return record


def check_built(name):
    """Records as JSON Lines, with what they lack, are the trace again, byte for byte."""
    data = open(path("fixtures", name), "rb").read()
    _, about, _ = info(path("fixtures", name))
    producer = about["producer"]
    header = {"type": "header", "values": {k: producer[k] for k in (
        "emulator_version", "command_abi_version", "notes") if k in producer}}
    _, records, _ = cat(path("fixtures", name))
    lines = [header] + [with_data(data, r) for r in records]
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    out, err = written("convert", "--from-jsonl", "--to", "aerogpu", "--dialect",
                       about["dialect"], "-", data=text)
    check(name + " is built from JSON Lines", out == data, f"{len(out)} of {len(data)}: {err}")


def check_rewritten(name):
    data = open(path("fixtures", name), "rb").read()
    out, err = written("slice", path("fixtures", name))
    check(name + " sliced whole is itself", out == data, err)
    out, err = written("convert", "--to", "v2", path("fixtures", name))
    check(name + " as version 2", len(out) == len(data) and out[12] == 2 and
          sum(a != b for a, b in zip(out, data)) == (2 if data[12] == 1 else 0), err)
    out, err = written("merge", path("fixtures", name), path("fixtures", name))
    rc, found, _, _ = run("verify", "--strict", "--deep", "-", data=out)
    check(name + " merged with itself", rc == 0 and len(out) > len(data), found.decode())
    _, one, _ = cat("-t", "command", path("fixtures", name))
    _, two, _ = cat("-t", "command", "-", data=out)
    check(name + " merged has its commands twice", len(two) == 2 * len(one))
    cut = data[:len(data) * 2 // 3]
    out, err = written("repair", "-", data=cut)
    rc, found, _, _ = run("verify", "--strict", "--deep", "-", data=out)
    check(name + " cut and repaired", rc == 0, found.decode() + err)


def check_repaired(name, verdict):
    """What the reference refuses is accepted once it is repaired, or what remains is reported."""
    data = open(path("mutations", name), "rb").read()
    out, err = written("repair", "-", data=data)
    if not out:
        return  # there is no header to repair it from
    rc, found, _, _ = run("verify", "--json", "-", data=out)
    left = {f["rule"] for f in json.loads(found)["findings"] if f["severity"] == "error"}
    check(name + " repaired", not left & {"aerogpu.footer.missing", "aerogpu.footer.wrong",
                                        "aerogpu.toc.bounds", "aerogpu.record.bounds",
                                        "aerogpu.record.cut", "aerogpu.record.type"}, str(left))
    again, err = written("repair", "-", data=out)
    check(name + " repaired twice", again == out, err)


for trace in sorted(os.listdir(path("fixtures"))):
    check_built(trace)
    check_rewritten(trace)
for line in read("mutations_reference_verdicts.txt").splitlines():
    if os.path.exists(path("mutations", line.split(": ", 1)[0])):
        check_repaired(*line.split(": ", 1))
for dumped in sorted(glob.glob(path("dumps", "*.txt"))):
    check_dump(os.path.basename(dumped)[:-4])
for listing in sorted(glob.glob(path("reference_listings", "*.json"))):
    check_listing(os.path.basename(listing)[:-5])
check_table()
check_manifest()
check_corpus()
check_mutations()
check_headers()
check_prefixes("aerogpu_a3a0_clear_red")
check_prefixes("aerogpu_cmd_triangle")
finish()
