"""samples.py - small inputs made by hand, from the formats' own documentation: each harness is
proved with one before it judges what rastrum writes.
"""
import gzip
import json
import os
import struct


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def message(*fields):
    """Protobuf: pairs of field number and an integer, bytes or a text."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def fixed64(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value)


def perfetto_event(time, kind, track, name=None, more=b""):
    """TracePacket with a TrackEvent: 1 begin, 2 end, 3 instant, 4 counter."""
    event = message((9, kind), (11, track)) + (message((23, name)) if name else b"") + more
    return message((1, message((8, time), (58, 6), (10, 1), (11, event))))


def perfetto():
    """Two nested slices with a flow between them, one instant, a counter with two values."""
    out = b""
    for uuid, name, more in ((1, "calls", ()), (2, "creatures", ((8, b""),))):
        out += message((1, message((10, 1), (60, message((1, uuid), (2, name), *more)))))
    out += perfetto_event(1000, 1, 1, "outer", fixed64(47, 7))
    out += perfetto_event(1500, 1, 1, "inner", fixed64(48, 7))
    out += perfetto_event(1750, 2, 1)
    out += perfetto_event(2000, 3, 1, "hit")
    out += perfetto_event(3000, 2, 1)
    out += perfetto_event(1000, 4, 2, None, message((30, 5)))
    out += perfetto_event(2000, 4, 2, None, message((30, 8)))
    return out


def chrome():
    """A begin and end with a time that a double of microseconds would round."""
    return json.dumps({"traceEvents": [
        {"ph": "B", "name": "outer", "pid": 1, "tid": 2, "ts": 1.001},
        {"ph": "i", "s": "t", "name": "hit", "pid": 1, "tid": 2, "ts": 1.5},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 4.004},
        {"ph": "C", "name": "creatures", "pid": 1, "ts": 2, "args": {"value": 8}}]}).encode()


def pprof():
    """profile.proto: two samples of one stack of two frames, with calls and nanoseconds."""
    texts = ["", "calls", "count", "wall", "nanoseconds", "main", "step"]
    out = b"".join(message((1, message((1, kind), (2, unit)))) for kind, unit in ((1, 2), (3, 4)))
    for count, wall in ((2, 300), (3, 400)):
        out += message((2, message((1, varint(2) + varint(1)), (2, varint(count) + varint(wall)))))
    for number in (1, 2):
        out += message((4, message((1, number), (4, message((1, number))))))
        out += message((5, message((1, number), (2, 4 + number))))
    return gzip.compress(out + b"".join(message((6, text)) for text in texts))


def firefox():
    """Gecko profile 24: one thread, three samples."""
    strings = ["main", "step"]
    thread = {
        "name": "world", "processType": "default", "tid": 2, "pid": 1, "registerTime": 0,
        "unregisterTime": None, "stringTable": strings,
        "frameTable": {"schema": {"location": 0, "relevantForJS": 1, "innerWindowID": 2,
                                  "implementation": 3, "line": 4, "column": 5, "category": 6},
                       "data": [[0], [1]]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1]]},
        "samples": {"schema": {"stack": 0, "time": 1, "eventDelay": 2},
                    "data": [[0, 1.0, 0], [1, 2.0, 0], [0, 3.0, 0]]},
        "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3,
                               "category": 4, "data": 5}, "data": []}}
    return json.dumps({"meta": {"version": 24, "interval": 1, "startTime": 0, "processType": 0,
                                "product": "sample", "stackwalk": 0, "categories": []},
                       "libs": [], "threads": [thread], "processes": []}).encode()


def speedscope():
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}, {"name": "step"}]},
        "profiles": [{"type": "evented", "name": "thread 2", "unit": "nanoseconds",
                      "startValue": 0, "endValue": 50,
                      "events": [{"type": "O", "frame": 0, "at": 0},
                                 {"type": "O", "frame": 1, "at": 10},
                                 {"type": "C", "frame": 1, "at": 25},
                                 {"type": "C", "frame": 0, "at": 50}]},
                     {"type": "sampled", "name": "samples", "unit": "none", "startValue": 0,
                      "endValue": 3, "samples": [[0, 1], [0]], "weights": [2, 1]}]}


CTF = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := stamp;
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { u32 magic; u32 stream_id; }; };
clock { name = mono; freq = 1000000000; offset = 0; };
stream { id = 0;
  packet.context := struct { stamp timestamp_begin; stamp timestamp_end; u64 content_size;
                             u64 packet_size; u64 events_discarded; };
  event.header := struct { u8 id; stamp timestamp; }; };
event { id = 0; name = "call"; stream_id = 0; fields := struct { string function; u32 depth; }; };
event { id = 1; name = "return"; stream_id = 0; fields := struct { u64 self_ns; }; };
"""


def ctf_packet(events, discarded):
    """events: (id, time, payload)."""
    body = b"".join(struct.pack("<BQ", kind, time) + payload for kind, time, payload in events)
    size = 8 * (8 + 40 + len(body))
    return struct.pack("<IIQQQQQ", 0xC1FC1FC1, 0, events[0][1], events[-1][1], size, size,
                       discarded) + body


def ctf(folder):
    """Two packets, between them three events lost."""
    os.makedirs(folder)
    with open(os.path.join(folder, "metadata"), "w", encoding="ascii") as out:
        out.write(CTF)
    with open(os.path.join(folder, "thread_2"), "wb") as out:
        out.write(ctf_packet([(0, 1000, b"main\0" + struct.pack("<I", 1)),
                              (0, 1500, b"step\0" + struct.pack("<I", 2))], 0))
        out.write(ctf_packet([(1, 2000, struct.pack("<Q", 1 << 63)),
                              (1, 2500, struct.pack("<Q", 7))], 3))


# What a Parquet or Arrow file of each kind of column must come back as.
COLUMNS = [
    ("b", "bool", [True, None, False]),
    ("u8", "int", [1, None, 255]),
    ("u64", "int", [(1 << 64) - 1, 0, 3]),
    ("i64", "int", [-(1 << 63), None, 7]),
    ("f32", "float", [1.5, None, -0.25]),
    ("f64", "float", [float("nan"), float("-inf"), 1e300]),
    ("t", "text", ["\u00e4'x\n", None, ""]),
    ("x", "bytes", [b"ab\0\xff", None, b""]),
    ("l", "int", [[1, (1 << 64) - 1], None, []]),
]
PARQUET_SQL = """COPY (SELECT * FROM (VALUES
  (true, 1::UTINYINT, 18446744073709551615::UBIGINT, (-9223372036854775808)::BIGINT, 1.5::FLOAT,
   'nan'::DOUBLE, 'ä''x' || chr(10), 'ab\\x00\\xff'::BLOB, [1, 18446744073709551615]::UBIGINT[]),
  (NULL, NULL, 0, NULL, NULL, '-inf', NULL, NULL, NULL),
  (false, 255, 3, 7, -0.25, 1e300, '', '', []::UBIGINT[])) t(b, u8, u64, i64, f32, f64, t, x, l))
TO '%s' (FORMAT parquet, COMPRESSION zstd)"""
