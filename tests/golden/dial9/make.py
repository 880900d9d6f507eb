#!/usr/bin/env python3
"""make.py - the golden streams, from the specification: make.py DIRECTORY"""
import os
import struct
import sys
import zlib

HEADER = b"TRC\0\x01"
(I64, F64, BOOL, STRING, BYTES, POOLED_STACK, POOLED_STRING, STACK, VARINT, STRING_MAP, U8, U16,
 U32, LIST, MAP) = range(1, 16)
OPTIONAL = 0x80
U64_MAX = 2**64 - 1


def u16(v):
    return struct.pack("<H", v)


def u32(v):
    return struct.pack("<I", v)


def u64(v):
    return struct.pack("<Q", v)


def raw(data):
    return data.encode() if isinstance(data, str) else data


def short(data):
    return u16(len(raw(data))) + raw(data)


def long(data):
    return u32(len(raw(data))) + raw(data)


def varint(v):
    out = b""
    while v > 0x7F:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v])


def frames(*addresses):
    return u32(len(addresses)) + b"".join(u64(a) for a in addresses)


def pairs(*items):
    return u32(len(items)) + b"".join(long(k) + long(v) for k, v in items)


def tagged(*items):
    """Elements of a list, each (type, bytes)."""
    return u32(len(items)) + b"".join(bytes([t]) + data for t, data in items)


def tagged_map(*items):
    return u32(len(items)) + b"".join(bytes([k]) + a + bytes([t]) + b for (k, a), (t, b) in items)


def schema(type_id, name, *fields, timed=1):
    return (b"\x01" + u16(type_id) + short(name) + bytes([timed]) + u16(len(fields))
            + b"".join(short(n) + bytes([t]) for n, t in fields))


def event(type_id, delta, *values):
    """delta None: the schema has no timestamp."""
    head = b"" if delta is None else delta.to_bytes(3, "little")
    return b"\x02" + u16(type_id) + head + b"".join(values)


def strings(*entries):
    return b"\x03" + u32(len(entries)) + b"".join(u32(i) + long(s) for i, s in entries)


def stacks(*entries):
    return b"\x04" + u32(len(entries)) + b"".join(u32(i) + frames(*s) for i, s in entries)


def reset(time_ns):
    return b"\x05" + u64(time_ns)


def annotations(type_id, *entries):
    return (b"\x06" + (type_id if isinstance(type_id, bytes) else varint(type_id))
            + u16(len(entries)) + b"".join(u16(i) + short(k) + long(v) for i, k, v in entries))


def absent():
    return b"\0"


def present(value):
    return b"\x01" + value


def gzip_stored(data):
    """A gzip member with one stored block: the same bytes whatever zlib is there."""
    block = b"\x01" + u16(len(data)) + u16(len(data) ^ 0xFFFF) + data
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block + u32(zlib.crc32(data)) + u32(len(data))


EV = schema(0, "Ev", ("v", VARINT))
SMALL = HEADER + EV + event(0, 1, varint(1)) + event(0, 1, varint(300))

# Every field type of the full dialect, plain and optional.
SAMPLES = {
    I64: u64(2**64 - 5), F64: struct.pack("<d", 2.5), BOOL: b"\x01", STRING: long("text"),
    BYTES: long(b"\0\xff"), POOLED_STACK: u32(0), POOLED_STRING: u32(0), STACK: frames(1, U64_MAX),
    VARINT: varint(2**63), STRING_MAP: pairs(("k", "v"), ("k", "again"), ("", "")), U8: b"\xff",
    U16: u16(65535), U32: u32(2**32 - 1),
    LIST: tagged((VARINT, varint(7)), (STRING, long("s")), (LIST, tagged())),
    MAP: tagged_map(((STRING, long("x")), (F64, struct.pack("<d", -0.0))),
                    ((VARINT, varint(2)), (STRING_MAP, pairs(("a", "b"))))),
}
ALL_FIELDS = [(f"f{t}", t) for t in SAMPLES]
POOLS = strings((0, "pooled"), (7, "")) + stacks((0, (0x1000, 0x2000)), (3, ()))
ALL = (HEADER + schema(1, "All", *ALL_FIELDS) + POOLS + reset(10**18)
       + event(1, 5, *SAMPLES.values()))
NESTED = [(t, v) for t, v in SAMPLES.items()]
SEED_FIELDS = [(n, t) for n, t in ALL_FIELDS if t not in (POOLED_STACK, LIST, MAP)]
SEED = (HEADER + schema(65535, "Seed", *SEED_FIELDS) + strings((0, "zero")) + reset(10**9)
        + event(65535, 16777215, *(SAMPLES[t] for _, t in SEED_FIELDS)))

# Two batches that use the same ids for different things, and share one schema.
POLL = (("worker_id", VARINT), ("where", POOLED_STRING))
BATCH_A = (HEADER + schema(0, "Poll", *POLL) + strings((0, "a.rs:1")) + reset(5_000_000_000)
           + event(0, 0, varint(1), u32(0)) + event(0, 40, varint(1), u32(0)))
BATCH_B = (HEADER + EV + schema(1, "Poll", *POLL) + strings((0, "b.rs:2")) + reset(4_999_999_990)
           + event(0, 3, varint(9)) + event(1, 20, varint(2), u32(0)))


# What an async runtime records: two workers, each a batch of its own whose times overlap, a
# sample that comes late, and the symbols last, at time 0.
RUNTIME = (
    ("PollStartEvent", ("worker_id", VARINT), ("local_queue", U8), ("task_id", VARINT),
     ("spawn_loc", POOLED_STRING)),
    ("PollEndEvent", ("worker_id", VARINT)),
    ("WorkerParkEvent", ("worker_id", VARINT), ("local_queue", U8), ("cpu_time_ns", VARINT),
     ("tid", U32)),
    ("WorkerUnparkEvent", ("worker_id", VARINT), ("local_queue", U8), ("cpu_time_ns", VARINT),
     ("sched_wait_ns", VARINT), ("tid", U32)),
    ("QueueSampleEvent", ("global_queue", U8)),
    ("WakeEventEvent", ("waker_task_id", VARINT), ("woken_task_id", VARINT),
     ("target_worker", U8)),
    ("TaskSpawnEvent", ("task_id", VARINT), ("spawn_loc", POOLED_STRING), ("instrumented", BOOL)),
    ("TaskTerminateEvent", ("task_id", VARINT)),
    ("CpuSampleEvent", ("worker_id", VARINT), ("tid", U32), ("source", U8),
     ("thread_name", OPTIONAL | POOLED_STRING), ("callchain", POOLED_STACK),
     ("cpu", OPTIONAL | VARINT)),
    ("SpanEnter:app::work:app.rs:7", ("worker_id", VARINT), ("span_id", VARINT),
     ("parent_span_id", OPTIONAL | VARINT), ("span_name", POOLED_STRING)),
    ("SpanExit:app::work:app.rs:7", ("worker_id", VARINT), ("span_id", VARINT),
     ("span_name", POOLED_STRING)),
    ("SpanCloseEvent", ("span_id", VARINT)),
    ("SymbolTableEntry", ("addr", VARINT), ("size", VARINT), ("symbol_name", POOLED_STRING),
     ("inline_depth", VARINT), ("source_file", POOLED_STRING), ("source_line", VARINT)),
    ("TaskDumpEvent", ("task_id", VARINT), ("callchain", POOLED_STACK)),
    ("AllocEvent", ("tid", U32), ("size", VARINT), ("addr", VARINT), ("callchain", POOLED_STACK)),
    ("FreeEvent", ("tid", U32), ("addr", VARINT), ("size", VARINT),
     ("alloc_timestamp_ns", VARINT)),
    ("MemoryProfileOverflowEvent", ("dropped_allocs", VARINT), ("dropped_frees", VARINT)),
    ("ProcessResourceUsageEvent", ("user_cpu_ns", VARINT), ("system_cpu_ns", VARINT),
     ("max_rss_bytes", VARINT), ("minor_faults", VARINT), ("major_faults", VARINT)),
    ("TcpAcceptQueueEvent", ("socket_cookie", VARINT), ("socket_inode", VARINT),
     ("ip_version", U8), ("local_addr", POOLED_STRING), ("local_port", U32),
     ("pending_connections", U32), ("backlog_limit", U32)),
    ("RuntimeMetricsEvent", ("runtime_name", POOLED_STRING), ("global_queue_depth", U32),
     ("alive_tasks", U32)),
)
ENCODE = {VARINT: varint, U8: lambda v: bytes([v]), U32: u32, BOOL: lambda v: bytes([v]),
          POOLED_STRING: u32, POOLED_STACK: u32}


def runtime_value(kind, value):
    if not kind & OPTIONAL:
        return ENCODE[kind](value)
    return absent() if value is None else present(ENCODE[kind & ~OPTIONAL](value))


def runtime(ids, pools, events):
    """A batch: its types numbered in the order of `ids`; events are (time, type, values)."""
    out, base = HEADER + pools, 0
    for number, row in enumerate(ids):
        out += schema(number, RUNTIME[row][0], *RUNTIME[row][1:])
    for time, row, *values in events:
        if time < base or time - base > 0xFFFFFF:
            out += reset(time)
            base = time
        fields = (runtime_value(kind, v) for (_, kind), v in zip(RUNTIME[row][1:], values))
        out += event(ids.index(row), time - base, *fields)
        base = time
    return out


(START, END, PARK, UNPARK, QUEUE, WAKE, SPAWN, TERMINATE, SAMPLE, ENTER, EXIT, CLOSE,
 SYMBOL, DUMP, ALLOC, FREE, OVERFLOW, USAGE, ACCEPT, METRICS) = range(20)
T = 1_000_000_000
RUNTIME_TEXTS = strings((0, "app.rs:3:1"), (1, "app.rs:9:5"), (2, "work"), (3, "worker-a"))
RUNTIME_A = runtime((UNPARK, START, END, PARK, WAKE, SPAWN, TERMINATE, ENTER, EXIT, CLOSE),
                    RUNTIME_TEXTS, (
    (T, UNPARK, 0, 0, 1000, 0, 71), (T + 100, SPAWN, 5, 0, 1), (T + 200, WAKE, 0, 5, 0),
    (T + 1200, START, 0, 1, 5, 0), (T + 1300, ENTER, 0, 900, None, 2),
    (T + 2000, WAKE, 5, 5, 0), (T + 2300, EXIT, 0, 900, 2), (T + 2500, END, 0),
    (T + 2600, START, 0, 0, 5, 0), (T + 2700, ENTER, 0, 900, None, 2),
    (T + 2800, EXIT, 0, 900, 2), (T + 2900, CLOSE, 900), (T + 3000, TERMINATE, 5),
    (T + 12_003_000, END, 0), (T + 12_004_000, PARK, 0, 0, 12_004_000, 71),
    (T + 20_000_000, UNPARK, 0, 0, 12_005_000, 2500, 71), (T + 20_001_000, START, 0, 0, 6, 1),
    (T + 20_002_000, END, 0)))
RUNTIME_B = runtime((QUEUE, SAMPLE, WAKE, START, END, PARK, UNPARK, SPAWN, EXIT),
                    RUNTIME_TEXTS + stacks((0, (0x30, 0x20, 0x10)), (1, (0x99,))), (
    (T + 500, PARK, 1, 0, 50, 72), (T + 600, QUEUE, 3), (T + 900, SPAWN, 6, 1, 0),
    (T + 1_500_000, UNPARK, 1, 2, 60, 0, 72), (T + 1_500_500, WAKE, 5, 6, 1),
    (T + 1_501_500, START, 1, 2, 6, 1), (T + 1_502_500, EXIT, 1, 901, 2),
    (T + 1_503_500, END, 1), (T + 1_504_000, PARK, 1, 0, 3060, 72),
    (T + 5_000_000, SAMPLE, 0, 71, 1, 3, 0, None), (T + 5_000_100, SAMPLE, 255, 72, 1, None, 1, 3),
    (T + 6_000_000, SAMPLE, 0, 71, 0, None, 0, None), (T + 7_000_000, START, 1, 0, 7, 1)))
RUNTIME_C = runtime((SYMBOL,), strings((0, "main"), (1, "inlined"), (2, "leaf"), (3, "app.rs")), (
    (0, SYMBOL, 0x10, 8, 0, 0, 3, 3), (0, SYMBOL, 0x20, 8, 1, 1, 3, 5),
    (0, SYMBOL, 0x20, 8, 0, 0, 3, 4), (0, SYMBOL, 0x30, 8, 2, 0, 3, 6)))

# Samples of a task that waits, in spans, without a stack, of a thread that is not a worker; names
# that a folded stack cannot hold as they are; dumps before the polls that they belong to.
STACKS = runtime((UNPARK, START, END, WAKE, SAMPLE, ENTER, EXIT, CLOSE, DUMP, SYMBOL),
                 strings((0, "app.rs:3:1"), (1, "main"), (2, "tokio;  poll"), (3, "app::read"),
                         (4, ""), (5, "outer"), (6, "inner"), (7, "t"), (8, "app.rs"),
                         (9, "__x64_sys_read"))
                 + stacks((0, (0x30, 0x20, 0x10)), (1, (0x99, 0x10)), (2, ()),
                          (3, (2**63 + 8, 0x30, 0x10)), (4, (0x31, 0x20, 0x10))), (
    (T, UNPARK, 0, 0, 0, 0, 71), (T + 1000, START, 0, 0, 5, 0), (T + 1100, ENTER, 0, 90, None, 5),
    (T + 1200, SAMPLE, 0, 71, 0, 7, 0, None), (T + 1300, ENTER, 0, 91, 90, 6),
    (T + 1400, SAMPLE, 255, 71, 0, 7, 0, None), (T + 1500, SAMPLE, 255, 71, 1, None, 3, None),
    (T + 1600, EXIT, 0, 90, 5), (T + 1650, SAMPLE, 0, 71, 0, None, 1, None),
    (T + 1700, EXIT, 0, 91, 6), (T + 1800, CLOSE, 91), (T + 2000, END, 0),
    (T + 5000, DUMP, 5, 0), (T + 5000, START, 0, 0, 5, 0), (T + 1_505_000, END, 0),
    (T + 1_506_000, DUMP, 6, 4), (T + 1_506_000, START, 0, 0, 6, 0), (T + 1_506_100, END, 0),
    (T + 1_600_000, DUMP, 5, 0), (T + 1_600_000, START, 0, 0, 5, 0),
    (T + 1_600_050, SAMPLE, 0, 71, 0, None, 4, None), (T + 1_600_100, END, 0),
    (T + 1_600_200, SAMPLE, 255, 500, 0, 7, 2, None),
    (T + 1_600_300, SAMPLE, 255, 500, 0, 7, 77, None),
    (0, SYMBOL, 0x10, 8, 1, 0, 8, 3), (0, SYMBOL, 0x20, 8, 2, 0, 8, 4),
    (0, SYMBOL, 0x30, 8, 3, 0, 8, 6), (0, SYMBOL, 0x30, 8, 4, 1, 8, 7),
    (0, SYMBOL, 0x31, 8, 3, 0, 8, 6), (0, SYMBOL, 0x31, 8, 4, 1, 8, 7),
    (0, SYMBOL, 2**63 + 8, 8, 9, 0, 8, 0)))

# Allocations by a task and by a thread that is not a worker; one freed, one whose address is used
# again, one of time 0; counters that fall; sockets; runtimes that report at one time; metrics.
MEMORY = runtime((UNPARK, START, END, ALLOC, FREE, OVERFLOW, USAGE, ACCEPT, METRICS),
                 strings((0, "app.rs:3:1"), (1, "main"), (2, "aux"), (3, "127.0.0.1"))
                 + stacks((0, (0x30, 0x10)), (1, (0x40,))), (
    (T, UNPARK, 0, 0, 0, 0, 71), (T + 1000, START, 0, 0, 5, 0), (T + 1000, ALLOC, 71, 100, 1, 0),
    (T + 1100, ALLOC, 71, 5000, 2, 0), (T + 1200, FREE, 71, 1, 100, T + 1000), (T + 1300, END, 0),
    (T + 1400, ALLOC, 71, 70, 1, 1), (T + 1500, ALLOC, 99, 1 << 40, 3, 1),
    (T + 1600, FREE, 71, 2, 5000, T + 1), (T + 1700, OVERFLOW, 3, 4),
    (T + 2000, USAGE, 100, 50, 4096, 1, 0), (T + 3000, USAGE, 600, 150, 8192, 2, 0),
    (T + 3000, USAGE, 600, 150, 8192, 2, 0), (T + 4000, USAGE, 10, 0, 8192, 2, 0),
    (T + 4000, ACCEPT, 7, 70, 4, 3, 80, 3, 128), (T + 4100, ACCEPT, 7, 70, 4, 3, 80, 128, 128),
    (T + 4100, ACCEPT, 8, 71, 6, 3, 81, 0, 0), (T + 5000, METRICS, 1, 4, 10),
    (T + 5000, METRICS, 2, 1, 5), (T + 5100, METRICS, 1, 2, 11), (0, ALLOC, 71, 0, 9, 1)))
MEMORY += (schema(20, "SegmentMetadataEvent", ("entries", STRING_MAP))
           + event(20, 1, pairs(("memory.sample_rate_bytes", "4096")))
           + schema(21, "metricsrs:hits", ("CounterDelta", VARINT), ("path", STRING))
           + annotations(21, (0, "kind", "counter"))
           + schema(22, "metricsrs:load", ("value", OPTIONAL | F64), ("delta", I64))
           + annotations(22, (0, "kind", "gauge"), (0, "unit", "ms"), (1, "kind", "updown-counter"))
           + reset(T + 6000) + event(21, 0, varint(3), long("/a"))
           + event(21, 9, varint(4), long("/b"))
           + event(21, 1, varint(U64_MAX), long("/a"))
           + event(22, 1, present(struct.pack("<d", 1.5)), u64(2**64 - 5))
           + event(22, 1, absent(), u64(7))
           + event(22, 1, present(struct.pack("<d", float("nan"))), u64(2**63)))

# Spans by annotation, of which one has no valid length; and what a matcher must not count: a span
# that is entered twice, one that is closed while it is entered, polls without an end or a start.
SPANS = runtime((START, END, ENTER, EXIT, CLOSE), RUNTIME_TEXTS, (
    (T, END, 3), (T + 100, START, 3, 0, 5, 0), (T + 300, START, 3, 0, 6, 1), (T + 700, END, 3),
    (T + 800, ENTER, 3, 40, None, 2), (T + 900, ENTER, 3, 40, None, 2), (T + 1000, EXIT, 3, 40, 2),
    (T + 1100, EXIT, 3, 40, 2), (T + 1200, ENTER, 3, 41, 40, 2), (T + 1300, CLOSE, 41),
    (T + 1400, CLOSE, 40), (T + 1500, CLOSE, 42), (T + 2000, START, 3, 0, 7, 1)))
SPANS += (schema(8, "Request", ("took", VARINT), ("what", STRING), ("on", VARINT))
          + annotations(8, (0, "dial9.role", "span.duration"), (0, "unit", "us"),
                        (1, "dial9.role", "span.name"), (2, "dial9.role", "tokio.worker_id"))
          + schema(9, "Query", ("begin", VARINT)) + annotations(9, (0, "dial9.role", "span.start"))
          + event(8, 5000, varint(3), long("read"), varint(3))
          + event(8, 1000, varint(2), long("write"), varint(3))
          + event(8, 500, varint(1), long("read"), varint(4))
          + event(9, 100, varint(T + 8000)) + event(9, 100, varint(T + 10**9)))

# Batches whose annotations disagree, and whose times descend: what is stored first decides.
WORK, REST = (schema(i, name, ("us", VARINT)) for i, name in enumerate(("Work", "Rest")))
DURATION = ((0, "dial9.role", "span.duration"), (0, "unit", "us"))
SPANS_DIFFER = (HEADER + WORK + REST + annotations(0, *DURATION) + reset(T + 9_000_000)
                + event(0, 0, varint(7)) + event(1, 1000, varint(8))
                + HEADER + WORK + REST + annotations(1, *DURATION) + reset(T)
                + event(0, 0, varint(5)) + event(1, 1000, varint(6)))


# Modern spans: instances and threads, closes with a summary; beside them legacy and single ones.
M_ENTER, M_EXIT, M_CLOSE, M_CLOCK, M_META, M_BOTH, M_LEGACY, M_LEFT = range(8)
ENTER_FIELDS = (("span_instance_id", VARINT), ("tid", U32), ("worker_id", VARINT))
MODERN_SCHEMAS = (
    schema(M_ENTER, "SpanEnter__app::work", *ENTER_FIELDS)
    + schema(M_EXIT, "SpanExit__app::work", *ENTER_FIELDS)
    + schema(M_CLOSE, "SpanClose__app::work", ("span_instance_id", VARINT),
             ("start_timestamp_ns", VARINT), ("first_enter_timestamp_ns", VARINT | OPTIONAL),
             ("active_ns", VARINT), ("span_name", POOLED_STRING), ("target", POOLED_STRING),
             ("file", POOLED_STRING | OPTIONAL), ("line", U32 | OPTIONAL),
             ("parent_span_instance_id", VARINT | OPTIONAL), ("attributes", STRING_MAP),
             ("unbalanced_enters", U32))
    + schema(M_CLOCK, "ClockSyncEvent", ("realtime_ns", VARINT))
    + schema(M_META, "SegmentMetadataEvent", ("entries", STRING_MAP))
    + strings((0, "work"), (1, "app"), (2, "src/app.rs")))


def segment_head(time, *entries):
    """How a segment of a recording begins: clock, metadata, the types of spans."""
    return (HEADER + MODERN_SCHEMAS + reset(time)
            + event(M_CLOCK, 0, varint(1_700_000_000 * 10**9 + time))
            + event(M_META, 0, pairs(("boot_id", "abcd-7"), *entries)))


def modern(base, rows):
    """Events of modern spans: (time after base, type, instance, ...)."""
    out, last = b"", base
    for after, kind, instance, *rest in rows:
        if kind == M_CLOSE:
            start, first, active, parent, attributes, left = rest
            values = (varint(instance), varint(start),
                      present(varint(first)) if first else absent(), varint(active), u32(0),
                      u32(1), present(u32(2)), present(u32(7)),
                      present(varint(parent)) if parent else absent(), pairs(*attributes),
                      u32(left))
        else:
            values = (varint(instance), u32(rest[0]), varint(rest[1]))
        out += event(kind, base + after - last, *values)
        last = base + after
    return out


MODERN_SPANS = segment_head(T) + modern(T, (
    (100, M_ENTER, 1, 70, 0), (300, M_EXIT, 1, 70, 0), (400, M_ENTER, 1, 71, 1),
    (410, M_ENTER, 1, 70, 0), (500, M_EXIT, 1, 71, 1), (600, M_EXIT, 1, 70, 0),
    (700, M_CLOSE, 1, T + 50, T + 100, 0, None, (("user", "a"), ("user", "b"), ("", "")), 0),
    # Entered again by its thread; an exit too many, an enter too many, and what was counted.
    (800, M_ENTER, 2, 70, 0), (810, M_ENTER, 2, 70, 0), (820, M_EXIT, 2, 70, 0),
    (900, M_EXIT, 2, 70, 0), (910, M_EXIT, 2, 70, 0), (920, M_ENTER, 2, 72, 1),
    (1000, M_CLOSE, 2, T + 790, None, 55, 1, (), 2),
    # The exit comes first at one time; never entered; begun before the clock; ends before it began.
    (1100, M_EXIT, 3, 70, 0), (1100, M_ENTER, 3, 70, 0),
    (1200, M_CLOSE, 3, T + 1100, None, 0, 2, (), 0),
    (1300, M_CLOSE, 4, T - 5, None, 0, None, (), 0),
    (1400, M_CLOSE, 5, T + 9999, None, 0, None, (), 0),
    # Open at the end, with a stay and an enter; and one of which only an exit is there.
    (1500, M_ENTER, 6, 70, 0), (1600, M_EXIT, 6, 70, 0), (1700, M_ENTER, 6, 70, 0),
    (1800, M_EXIT, 7, 70, 0)))
MODERN_SPANS += (
    schema(M_BOTH, "SpanEnter:app::both:src/app.rs:9", ("span_id", VARINT),
           ("span_instance_id", VARINT), ("tid", U32), ("span_name", POOLED_STRING))
    + schema(M_LEGACY, "SpanEnter:app::old:C:\\src\\old.rs:12", ("worker_id", VARINT),
             ("span_id", VARINT), ("parent_span_id", VARINT | OPTIONAL),
             ("span_name", POOLED_STRING), ("method", POOLED_STRING | OPTIONAL))
    + schema(M_LEFT, "SpanExit:app::old:C:\\src\\old.rs:12", ("worker_id", VARINT),
             ("span_id", VARINT), ("method", POOLED_STRING | OPTIONAL))
    + schema(8, "SpanCloseEvent", ("span_id", VARINT)) + strings((3, "GET"), (4, "old"))
    + event(M_BOTH, 100, varint(40), varint(8), u32(70), u32(0))
    + event(M_LEGACY, 100, varint(0), varint(40), absent(), u32(4), present(u32(3)))
    + event(M_LEFT, 100, varint(0), varint(40), absent()) + event(8, 50, varint(40))
    + event(M_LEGACY, 50, varint(0), varint(0), absent(), u32(4), absent())
    + event(M_EXIT, 50, varint(0), u32(70), varint(0)))
SINGLE_SPANS = (
    HEADER + schema(0, "Request", ("took", VARINT), ("what", STRING | OPTIONAL), ("on", VARINT),
                    ("thread", U32), ("task", VARINT), ("extra", F64))
    + annotations(0, (0, "dial9.role", "span.duration"), (0, "dial9.role", "span.duration"),
                  (0, "unit", "us"), (0, "dial9.span.type", "metrique"),
                  (1, "dial9.role", "span.name"), (2, "dial9.role", "tokio.worker_id"),
                  (3, "dial9.role", "thread_id"), (4, "dial9.role", "tokio.task_id"),
                  (5, "dial9.role", "future"))
    + schema(1, "Whole", ("from", VARINT), ("took", VARINT), timed=0)
    + annotations(1, (0, "dial9.role", "span.start"), (1, "dial9.role", "span.duration"))
    + schema(2, "Both", ("from", VARINT), ("took", VARINT))
    + annotations(2, (0, "dial9.role", "span.start"), (1, "dial9.role", "span.duration"))
    + schema(3, "BadUnit", ("took", VARINT))
    + annotations(3, (0, "dial9.role", "span.duration"), (0, "unit", "bytes"))
    + schema(4, "Twice", ("x", VARINT), ("y", VARINT))
    + annotations(4, (0, "dial9.role", "span.duration"), (1, "dial9.role", "span.duration"))
    + schema(5, "BadType", ("took", STRING)) + annotations(5, (0, "dial9.role", "span.duration"))
    + schema(6, "Late", ("from", VARINT)) + annotations(6, (0, "dial9.role", "span.start"))
    + reset(T)
    + event(0, 0, varint(3), present(long("read")), varint(2), u32(77), varint(9), SAMPLES[F64])
    + event(0, 10, varint(U64_MAX), absent(), varint(2), u32(77), varint(0), SAMPLES[F64])
    + event(1, None, varint(T - 500), varint(200)) + event(2, 10, varint(T), varint(1))
    + event(3, 10, varint(4)) + event(4, 10, varint(1), varint(2)) + event(5, 10, long("x"))
    + event(6, 10, varint(T + 20)) + event(6, 10, varint(T + 10**9)))

# A recording in segments: a span over two of them, one compressed, one being written.
SEGMENTS = {
    "segments": {
        "trace.9.bin": segment_head(T) + modern(T, (
            (100, M_ENTER, 1, 70, 0), (200, M_EXIT, 1, 70, 0), (300, M_ENTER, 2, 70, 0))),
        "trace.10.bin.gz": gzip_stored(segment_head(T + 1000) + modern(T + 1000, (
            (100, M_ENTER, 1, 71, 0), (150, M_EXIT, 1, 71, 0),
            (400, M_CLOSE, 1, T + 50, T + 100, 0, None, (("k", "v"),), 0)))),
        "trace.11.bin.active": segment_head(T + 2000) + modern(T + 2000, (
            (100, M_EXIT, 2, 70, 0), (200, M_CLOSE, 2, T + 250, T + 300, 0, None, (), 0))),
        "trace.12.bin.01J0000000000000000000000A.partial": b"not read",
        "notes.txt": b"not read",
    },
    # Numbers that are missing, one that was cut in the middle, one that is not a segment, one whose
    # recorder lost events, and a last one that is cut.
    "segments_damaged": {
        "trace.1.bin": segment_head(T) + modern(T, ((100, M_ENTER, 1, 70, 0),)),
        "trace.4.bin": (segment_head(T + 1000, ("segment.sealed_clean", "false"))
                        + modern(T + 1000, ((100, M_EXIT, 1, 70, 0),
                                            (200, M_ENTER, 1, 70, 0)))[:-3]),
        "trace.5.bin": b"something else",
        "trace.6.bin": segment_head(T + 2000, ("segment.sealed_clean", "true")) + modern(
            T + 2000, ((100, M_CLOSE, 1, T + 50, None, 9, None, (), 0),)),
        "trace.7.bin": segment_head(T + 3000)[:-2],
    },
}


def depth(levels):
    return HEADER + schema(0, "Deep", ("l", LIST)) + event(
        0, 1, (u32(1) + bytes([LIST])) * levels + u32(0))


def long_run(events):
    """Many events of the same shape: what reading costs in steady state."""
    out = HEADER + EV + HEADER + schema(2, "Step", ("worker", VARINT), ("queue", U8),
                                        ("what", POOLED_STRING), ("stack", POOLED_STACK),
                                        ("note", OPTIONAL | STRING))
    out += stacks((0, (1, 2, 3))) + strings(*((i, f"step {i}") for i in range(8)))
    for i in range(events):
        if i % 16 == 0:
            out += reset(10**15 - i)
        out += event(2, 100 + i, varint(i), bytes([i % 4]), u32(i % 8), u32(0),
                     present(long("x")) if i % 3 else absent())
    return out


TRACES = {
    "big-steady": long_run(400),
    "empty": HEADER,
    "small": SMALL,
    "all_types": ALL,
    "optional_absent": HEADER + schema(0, "Opt", *((n, t | OPTIONAL) for n, t in ALL_FIELDS))
    + event(0, 1, *(absent() for _ in ALL_FIELDS)),
    "optional_present": HEADER + schema(0, "Opt", *((n, t | OPTIONAL) for n, t in ALL_FIELDS))
    + POOLS + event(0, 1, *(present(v) for v in SAMPLES.values())),
    "nested": HEADER + schema(0, "Nested", ("l", LIST), ("m", MAP)) + POOLS
    + event(0, 1, tagged(*NESTED), tagged_map(*((x, x) for x in NESTED))),
    "spans": SPANS,
    "stacks": STACKS,
    "memory": MEMORY,
    "seed_only": SEED,
    "batches": BATCH_A + BATCH_B + HEADER + BATCH_A,
    "headers_in_a_row": HEADER * 9 + SMALL + HEADER * 3,
    "untimed": HEADER + schema(0, "NoTime", ("a", VARINT), ("b", STRING), timed=0) + EV.replace(
        b"\x01\0\0", b"\x01\x01\0", 1)
    + event(0, None, varint(5), long("one")) + event(1, 100, varint(1))
    + event(0, None, varint(128), long("two")) + reset(10) + event(0, None, varint(0), long(""))
    + event(1, 1, varint(2)),
    "pools": HEADER + schema(0, "Named", ("s", POOLED_STRING), ("k", POOLED_STACK))
    + event(0, 1, u32(5), u32(9)) + strings((5, "five"), (2**32 - 1, "last")) + strings()
    + stacks((9, (1,))) + event(0, 1, u32(5), u32(9)) + strings((5, "five again"))
    + stacks((9, (2, 3)), (9, (4,))) + event(0, 1, u32(5), u32(9))
    + event(0, 1, u32(2**32 - 1), u32(77)) + event(0, 1, u32(88), u32(9)),
    "spans_differ": SPANS_DIFFER,
    "modern_spans": MODERN_SPANS,
    "single_spans": SINGLE_SPANS,
    "schema_again": HEADER + EV + annotations(0, (0, "unit", "us")) + EV + event(0, 1, varint(1))
    + EV + event(0, 1, varint(2)),
    "schema_twins": HEADER + EV + schema(3, "Ev", ("v", VARINT), timed=0)
    + schema(4, "Ev", ("v", U8)) + event(0, 7, varint(1)) + event(3, None, varint(2))
    + event(4, 1, b"\x03"),
    "schema_names": HEADER + schema(0, "", ("", U8), ("", U8)) + schema(1, "a\0b", ("c\0", U8))
    + event(0, 1, b"\x01", b"\x02") + event(1, 1, b"\x03"),
    "many_ids": HEADER
    + b"".join(schema(i, f"T{i}", ("v", U8)) for i in (0, 63, 64, 255, 256, 65535))
    + b"".join(event(i, 1, b"\x01") for i in (65535, 256, 255, 64, 63, 0)),
    "annotations": HEADER + schema(0, "Latency", ("us", VARINT), ("where", STRING))
    + annotations(0, (0, "unit", "us"), (1, "note", "")) + annotations(99, (0, "k", "v"))
    + annotations(0, (2, "k", "v")) + annotations(65536, (0, "k", "v"))
    + annotations(b"\x80\x00", (0, b"\xff", "v")) + event(0, 1, varint(7), long("here")),
    "resets": HEADER + reset(100) + reset(50) + EV + reset(7) + event(0, 0, varint(1)) + reset(7)
    + event(0, 3, varint(2)) + reset(U64_MAX) + event(0, 0, varint(3)) + reset(0)
    + event(0, 0xFFFFFF, varint(4)) + reset(5),
    "odd_flags": HEADER + schema(0, "F", ("b", BOOL), ("o", OPTIONAL | VARINT), timed=7)
    + event(0, 1, b"\x02\x05\x2a") + event(0, 1, b"\xff\x00") + event(0, 1, b"\x00\xff\x01"),
    "varints": HEADER + EV + b"".join(
        event(0, 1, v) for v in (b"\x80\x00", b"\xff\x80\x80\x00", b"\x81" + b"\x80" * 8 + b"\x00",
                                 varint(U64_MAX), *(varint(2**(7 * i) - 1) for i in range(1, 10)),
                                 *(varint(2**(7 * i)) for i in range(1, 10)))),
    "not_utf8": HEADER + schema(0, "S", ("s", STRING), ("p", POOLED_STRING), ("m", STRING_MAP))
    + strings((0, b"\xff"), (1, "fine"))
    + event(0, 1, long(b"ok\xc3"), u32(0), pairs((b"\xed\xa0\x80", b"\xc0\xaf")))
    + event(0, 1, long("\ufeffbom\0"), u32(1), pairs()),
    "depth_32": depth(32),
    "depth_33": depth(33),
    "runtime": RUNTIME_A + RUNTIME_B + RUNTIME_C,
    "cut_runtime": RUNTIME_A + RUNTIME_B[:-5],
    "clock": HEADER + schema(0, "ClockSyncEvent", ("realtime_ns", VARINT)) + reset(10**12)
    + event(0, 5, varint(1_700_000_000_000_000_005))
    + schema(1, "SegmentMetadataEvent", ("entries", STRING_MAP))
    + event(1, 1, pairs(("service", "golden"), ("host", "here"), ("", "")))
    + schema(2, "SymbolTableEntry", ("addr", VARINT), ("symbol_name", STRING)) + reset(0)
    + event(2, 0, varint(4096), long("main")),
    # Cut short.
    "cut_header": HEADER[:4],
    "cut_second_header": SMALL + HEADER[:3],
    "cut_schema": SMALL + schema(1, "Next", ("abc", VARINT))[:-3],
    "cut_event": SMALL + event(0, 1, varint(300))[:-1],
    "cut_delta": SMALL + event(0, 1)[:-2],
    "cut_map": HEADER + schema(0, "M", ("m", STRING_MAP))
    + event(0, 1, pairs(("k", "v")))[:-1],
    "cut_pool": SMALL + strings((0, "whole"), (1, "not whole"))[:-3],
    "cut_stack": SMALL + stacks((0, (1, 2)))[:-1],
    "cut_reset": SMALL + reset(1)[:-4],
    "cut_annotations": SMALL + annotations(0, (0, "key", "value"))[:-2],
    "huge_string": HEADER + schema(0, "S", ("s", STRING)) + event(0, 1, u32(2**32 - 1) + b"abc"),
    "huge_pool": SMALL + b"\x03" + u32(2**32 - 1),
    "huge_stack": SMALL + b"\x04" + u32(1) + u32(0) + u32(2**32 - 1),
    "huge_list": HEADER + schema(0, "L", ("l", LIST)) + event(0, 1, u32(2**32 - 1)),
    # Damaged.
    "version_2": b"TRC\0\x02" + SMALL[5:],
    "second_version_2": SMALL + b"TRC\0\x02" + SMALL[5:],
    "legacy": b"TOKIOTRC" + u32(16) + bytes(16),
    "unknown_tag": SMALL + b"\x07" + SMALL,
    "not_a_header": SMALL + b"TRX",
    "zero_tail": SMALL + bytes(12),
    "unknown_type_id": SMALL + event(9, 1, varint(1)),
    "type_id_of_another_batch": SMALL + HEADER + event(0, 1, varint(1)),
    "no_fields": HEADER + schema(0, "Tick") + event(0, 5) + event(0, 7)
    + schema(1, "Mark", timed=0) + event(1, None),
    "unknown_field_type": SMALL + schema(1, "B", ("good", U8), ("bad", 16)),
    "schema_not_utf8": SMALL + schema(1, b"\xff", ("v", U8)),
    "field_not_utf8": SMALL + schema(1, "B", (b"\xc3", U8)),
    "conflict_fields": SMALL + schema(0, "Ev", ("w", VARINT)) + event(0, 1, varint(2)),
    "conflict_name": SMALL + schema(0, "Ew", ("v", VARINT)),
    "conflict_timestamp": SMALL + schema(0, "Ev", ("v", VARINT), timed=0),
    "varint_11_bytes": SMALL + event(0, 1, b"\x80" * 10 + b"\x01"),
    "varint_65_bits": SMALL + event(0, 1, b"\xff" * 9 + b"\x02"),
    "list_optional_tag": HEADER + schema(0, "L", ("l", LIST))
    + event(0, 1, tagged((OPTIONAL | U8, b"\x01\x05"))),
    "list_unknown_tag": HEADER + schema(0, "L", ("l", LIST)) + event(0, 1, tagged((0, b""))),
    "time_overflow": HEADER + EV + reset(U64_MAX) + event(0, 0, varint(1)) + event(0, 1, varint(2)),
    "annotations_bad_id": SMALL + annotations(b"\xff" * 10, (0, "k", "v")),
    "wrapped": gzip_stored(BATCH_A),
    "wrapped_twice": gzip_stored(BATCH_A) + gzip_stored(BATCH_B),
    "wrapped_cut": gzip_stored(BATCH_A + BATCH_B)[:-30],
}

if __name__ == "__main__":
    for name, data in TRACES.items():
        with open(os.path.join(sys.argv[1], name + ".trc"), "wb") as f:
            f.write(data)
    for name, files in SEGMENTS.items():
        os.makedirs(os.path.join(sys.argv[1], name), exist_ok=True)
        for file, data in files.items():
            with open(os.path.join(sys.argv[1], name, file), "wb") as f:
                f.write(data)
