#!/usr/bin/env python3
"""make.py - the golden sessions, from the specification: make.py DIRECTORY"""
import json
import os
import struct
import sys
import zlib

NONE = 0xFFFFFFFF
CALL, RETURN, EXCEPTION = 1, 2, 3
X86_64, ARM64 = 1, 2
MACOS, LINUX = 3, 4
MACH, BOOTTIME = 1, 3
MAIN, PARSE, READ = 0x2A00000001, 0x2A00000002, 0x2A00000003


def event(ts, function, kind, depth, detail=NONE, thread=0):
    return struct.pack("<QQIIII", ts, function, thread, kind, depth, detail)


def index_header(count=0, footer_offset=64, times=(0, 0), thread=0, flags=0, arch=X86_64,
                 os_=LINUX, clock=BOOTTIME, magic=b"ATI2", endian=1, version=1, event_size=32,
                 events_offset=64, reserved=0):
    return struct.pack("<4sBBBBIIB3sIIIQQQQ", magic, endian, version, arch, os_, flags, thread,
                       clock, b"\0\0\0", reserved, event_size, count, events_offset, footer_offset,
                       *times)


def index_footer(events, count=None, crc=None, magic=b"2ITA", length=None, times=None):
    times = times or times_of(events)
    return struct.pack("<4sIQQQQ24x", magic, zlib.crc32(events) if crc is None else crc,
                       len(events) // 32 if count is None else count, *times,
                       len(events) if length is None else length)


def times_of(events):
    if not events:
        return 0, 0
    first, last = (struct.unpack_from("<Q", events, at)[0] for at in (0, len(events) - 32))
    return first, last


def index(events, thread=0, **more):
    """A file that was closed properly."""
    events = b"".join(events)
    return index_header(len(events) // 32, 64 + len(events), times_of(events), thread,
                        **more) + events + index_footer(events)


def placeholder(events, thread=0, **more):
    """What a killed recorder leaves: the header of the beginning, and no footer."""
    return index_header(thread=thread, **more) + b"".join(events)


def payload(function, first=0x100, stack=b"", lr=0x401000, fp=0x7FFD1000, sp=0x7FFD0F00, size=None,
            reserved=0):
    regs = [first + i for i in range(8)]
    return struct.pack("<Q8QQQQHH", function, *regs, lr, fp, sp,
                       len(stack) if size is None else size, reserved) + stack


def production(ts, function, kind, depth, stack=b"", tid=7939):
    regs = [depth * 16 + i for i in range(8)]
    return struct.pack("<QQIIII8QQQQ128sI264x", ts, function, tid, kind, depth, 0, *regs, 0x500000,
                       0x7FFE0000, 0x7FFDFF80, stack, len(stack))


def detail(index_seq, ts, data=b"", kind=3, thread=0, length=None, flags=0):
    return struct.pack("<IHHIIQ", 24 + len(data) if length is None else length, kind, flags,
                       index_seq, thread, ts) + data


def detail_header(count=0, length=0, first=0, last=0, thread=0, arch=X86_64, os_=LINUX, flags=0,
                  tail=0):
    return struct.pack("<4sBBBBIIIQQQQQI", b"ATD2", 1, 1, arch, os_, flags, thread, 0, 64, count,
                       length, first, last, tail)


def detail_footer(details, count=None, length=None):
    data = b"".join(details)
    ts = [struct.unpack_from("<Q", d, 16)[0] for d in details] or [0]
    return struct.pack("<4sIQQQQ24x", b"2DTA", zlib.crc32(data), len(details)
                       if count is None else count, len(data) if length is None else length,
                       ts[0], ts[-1])


def details(records, thread=0, **more):
    data = b"".join(records)
    links = [struct.unpack_from("<I", r, 8)[0] for r in records] or [0]
    return detail_header(len(records), len(data), min(links), max(links), thread,
                         **more) + data + detail_footer(records)


def manifest(threads, times=(0, 0), clock=BOOTTIME, names=True, **more):
    out = {"threads": [{"id": i, "has_detail": d} for i, d in threads], "time_start_ns": times[0],
           "time_end_ns": times[1], "clock_type": clock}
    if names:
        out["modules"] = [{"module_id": 42, "path": "/usr/bin/demo", "base_address": "0x400000",
                           "size": 65536, "uuid": "00000000-0000-0000-0000-00000000002A"}]
        out["symbols"] = [
            {"function_id": "0x%016x" % f, "module_id": f >> 32, "symbol_index": f & NONE,
             "name": n} for f, n in ((READ, "read_line"), (MAIN, "main"),
                                     (PARSE, 'weird"name\\{}'))]
    out.update(more)
    out["format_version"] = "2.1" if names else "2.0"
    return json.dumps(out, indent=1).encode() + b"\n"


def calls(start, step=10, thread=0, links=None):
    """main calls parse, which calls read_line twice."""
    shape = ((MAIN, CALL, 1), (PARSE, CALL, 2), (READ, CALL, 3), (READ, RETURN, 3),
             (READ, CALL, 3), (READ, RETURN, 3), (PARSE, RETURN, 2), (MAIN, RETURN, 1))
    links = links or {}
    return [event(start + step * i, f, k, d, links.get(i, NONE), thread)
            for i, (f, k, d) in enumerate(shape)]


def sessions():
    some = [detail(2, 1020, payload(READ, stack=b"\1\2\3\4")),
            detail(3, 1030, payload(READ, 0x200), 4)]
    other = [detail(0, 1005, payload(MAIN, 0x300, b"stack bytes"), thread=1)]
    linked = calls(1000, links={2: 0, 3: 1})
    yield "two_threads", {
        "manifest.json": manifest(((0, True), (1, True)), (1000, 1075)),
        "thread_0/index.atf": index(linked, flags=1),
        "thread_0/detail.atf": details(some),
        "thread_1/index.atf": index(calls(1005, thread=1, links={0: 0}), 1, flags=1),
        "thread_1/detail.atf": details(other, 1)}
    # Killed: stdio wrote whole blocks, so the two files end at different moments.
    yield "crashed", {
        "thread_0/index.atf": placeholder(linked[:3]),
        "thread_0/detail.atf": detail_header() + b"".join(some) + detail(5, 1050, b"x" * 40)[:50],
        "thread_3/index.atf": b""}
    yield "half_sealed", {
        "manifest.json": manifest(((0, True), (1, False)), (1000, 1075), names=False),
        "thread_0/index.atf": index(linked, flags=1),
        "thread_0/detail.atf": detail_header() + b"".join(some) + detail_footer(some),
        "thread_1/index.atf": placeholder(calls(1005, thread=1), 1)
        + index_footer(b"".join(calls(1005, thread=1)))}
    # The public tracer: an index record from each lane, details copied from memory.
    twice = calls(2000)[:4] + [event(2000, MAIN, CALL, 1, 0), event(2010, PARSE, CALL, 2, 1)]
    yield "production", {
        "manifest.json": manifest(((0, True),), clock=MACH, names=False),
        "thread_0/index.atf": index(twice, flags=1, clock=MACH),
        "thread_0/detail.atf": details([
            detail(4, 2000, production(2000, MAIN, CALL, 1, b"\5" * 128)),
            detail(5, 2010, production(2010, PARSE, CALL, 2))])}
    yield "arm64", {
        "thread_7/index.atf": index(calls(1000, thread=7, links={0: 0, 7: 1}), 7, flags=1,
                                    arch=ARM64, os_=MACOS, clock=MACH),
        "thread_7/detail.atf": details([
            detail(0, 1000, payload(MAIN), thread=7),
            detail(7, 1070, payload(MAIN, 0x900), 4, 7)], 7, arch=ARM64, os_=MACOS)}
    yield "anchors", {
        "manifest.json": manifest(((0, False),), (1000, 1070), timing_anchors=[
            {"hostTimeNs": 3000000000, "mediaTime": {"value": 1200, "timescale": 600}},
            {"host_time_ns": 1000000000, "media_time": 0.5}]),
        "thread_0/index.atf": index(calls(1000))}
    yield "two_processes", {
        "session_1/pid_10/manifest.json": manifest(((0, False),), (1000, 1070)),
        "session_1/pid_10/thread_0/index.atf": index(calls(1000)),
        "session_1/pid_9/thread_0/index.atf": index(calls(1002)),
        "notes.txt": b"none of ours\n"}
    yield "bad_thread", {
        "manifest.json": manifest(((0, False), (1, False)), (1000, 1070), names=False),
        "thread_0/index.atf": index(calls(1000)),
        "thread_1/index.atf": index(calls(1005, thread=1), 1, version=9)}
    # Event 1 and detail 1 lead nowhere, events 2 and 3 claim one detail, details 0 and 3 one event.
    yield "broken_links", {
        "thread_0/index.atf": index(calls(1000, links={1: 9, 2: 0, 3: 0, 6: 2}), flags=1),
        "thread_0/detail.atf": details([
            detail(2, 1020, payload(READ)), detail(70, 1030, payload(READ)),
            detail(6, 1061, payload(MAIN), 3), detail(2, 1065), detail(0, 1066)])}
    yield "odd_manifest", {
        "manifest.json": manifest(((0, True), (4, False)), (1, 2), MACH, extra={"a": [1, {}]},
                                  modules={}, symbols=[
            {"function_id": MAIN, "module_id": 7, "symbol_index": 1, "name": "decimal"},
            {"function_id": "180388626433", "name": "again"}, {"name": "nobody"}, 5]),
        "thread_0/index.atf": index(calls(1000)),
        "thread_1/index.atf": index(calls(1005, thread=1), 1)}
    yield "broken_manifest", {"manifest.json": b'{"threads": [{"id": 0,}]}',
                              "thread_0/index.atf": index(calls(1000))}
    # Files that were created and never written to.
    yield "empty_manifest", {"manifest.json": b"", "thread_0/index.atf": index(calls(1000))}
    yield "empty_files", {
        "manifest.json": b"", "thread_0/index.atf": index(calls(1000)), "thread_0/detail.atf": b"",
        "thread_1/index.atf": b""}
    # b returns for a, c is left by an exception that d raised, e never returns.
    a, b, c, d, e = (0x500000001 + i for i in range(5))
    yield "spans", {"thread_0/index.atf": index([
        event(10, a, CALL, 1), event(20, b, RETURN, 1), event(30, c, CALL, 1),
        event(40, d, CALL, 2), event(50, d, EXCEPTION, 2), event(55, a, CALL, 5),
        event(60, e, CALL, 1), event(70, a, CALL, 2), event(80, a, 99, 2)])}
    yield "no_events", {"manifest.json": manifest(((0, False),), names=False),
                        "thread_0/index.atf": index([])}


def index_files():
    good = index(calls(1000))
    events = b"".join(calls(1000))
    yield "sealed", good
    yield "unsealed", placeholder(calls(1000))
    yield "cut_event", placeholder(calls(1000))[:-13]
    yield "cut_sealed", good[:64 + 32 * 5]
    yield "header_cut", good[:40]
    yield "header_only", good[:64]
    yield "stale_header", placeholder(calls(1000)) + index_footer(events)
    yield "footer_lost", good[:-64] + b"XXXX" + good[-60:]
    yield "footer_cut", good[:-20]
    yield "footer_count_big", good[:-64] + index_footer(events, 1000000000)
    yield "footer_count_wrap", good[:-64] + index_footer(events, 2 ** 32 + 3)
    yield "footer_count_small", good[:-64] + index_footer(events, 6)
    yield "footer_offset_wrap", index_header(8, 2 ** 64 - 16, (1000, 1070)) + good[64:]
    yield "bytes_behind", good + b"more bytes"
    yield "events_offset", (index_header(8, 80 + 256, (1000, 1070), events_offset=80) + b"\0" * 16
                            + events + index_footer(events))
    yield "events_offset_wrong", index_header(8, 320, (1000, 1070), events_offset=2 ** 40) + events
    yield "endian", index(calls(1000), endian=2)
    yield "version", index(calls(1000), version=2)
    yield "event_size", index(calls(1000), event_size=64)
    yield "codes", index(calls(1000), arch=9, os_=0, clock=77, reserved=5, flags=2)
    yield "kind", index(calls(1000)[:2] + [event(1020, READ, 99, 3, thread=8)])
    yield "checksum", good[:-64] + index_footer(events, crc=0xDEADBEEF)
    yield "no_checksum", good[:-64] + index_footer(events, crc=0)
    yield "times", index_header(8, 320, (1, 2)) + events + index_footer(events, times=(3, 4))
    yield "back_in_time", index(calls(1000)[:4] + calls(990)[4:])
    yield "zero_tail", placeholder(calls(1000)) + bytes(70)
    yield "big-steady", placeholder([e for i in range(40) for e in calls(1000 + 100 * i)])


def detail_files():
    some = [detail(2, 1020, payload(READ, stack=b"\1\2\3\4")), detail(3, 1030, payload(READ), 4)]
    good = details(some)
    yield "detail", good
    yield "detail_unsealed", detail_header() + b"".join(some)
    yield "detail_cut", good[:64 + 128 + 30]
    yield "detail_footer_cut", good[:-30]
    yield "detail_stale_header", detail_header() + b"".join(some) + detail_footer(some)
    yield "detail_count", good[:-64] + detail_footer(some, 7, 9)
    yield "detail_length_zero", details([detail(2, 1020, length=0), some[1]])
    yield "detail_length_huge", details([some[0], detail(3, 1030, length=NONE)])
    yield "detail_length_open", detail_header() + some[0] + bytes(30)
    yield "detail_behind", good + bytes(3)
    yield "detail_payloads", details([
        detail(0, 1, b""), detail(1, 2, b"opaque"), detail(2, 2, payload(READ, size=9)),
        detail(3, 4, payload(READ, stack=b"s" * 300, reserved=1)),
        detail(4, 3, b"?", 9, 5, flags=1)],
        flags=4, tail=1)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


for name, parts in sessions():
    for part, data in parts.items():
        write(os.path.join(sys.argv[1], name, part), data)
for name, data in list(index_files()) + list(detail_files()):
    write(os.path.join(sys.argv[1], name + ".atf"), data)
