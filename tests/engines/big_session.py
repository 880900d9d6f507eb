"""big_session.py - an ATF session of any size, from the specification, and what is true of it.

Threads call and return at random (always the same way); the aggregates are added up while the
events are made, so that no program under test has a part in them.
"""
import json
import os
import random
import struct
import zlib

THREADS = 4
FUNCTIONS = 1000
CALL, RETURN, NO_DETAIL = 1, 2, 0xFFFFFFFF
EVENT = struct.Struct("<QQIIII")


def index_file(events, count, times, thread):
    """A whole index file: header, events, footer."""
    header = struct.pack("<4sBBBBIIB3sIIIQQQQ", b"ATI2", 1, 1, 1, 4, 0, thread, 3, b"", 0,
                         EVENT.size, count, 64, 64 + len(events), *times)
    return header + events + struct.pack("<4sIQQQQ24x", b"2ITA", zlib.crc32(events), count, *times,
                                         len(events))


def manifest():
    return json.dumps({
        "threads": [{"id": thread, "has_detail": False} for thread in range(THREADS)],
        "time_start_ns": 0, "time_end_ns": 0, "clock_type": 3, "format_version": "2.1",
        "modules": [{"module_id": 1, "path": "/usr/bin/demo", "base_address": "0x400000",
                     "size": 65536, "uuid": "00000000-0000-0000-0000-000000000001"}],
        "symbols": [{"function_id": "0x%016x" % (1 << 32 | n), "module_id": 1, "symbol_index": n,
                     "name": "function_%d" % n} for n in range(1, FUNCTIONS + 1)]})


class Session:
    def __init__(self, folder, events):
        self.folder = folder
        self.events = self.calls = self.depth_sum = self.time_sum = self.duration_sum = 0
        self.busy_sum = 0  # inside outermost calls
        self.functions = set()
        self.by_function = {}  # id: [events, sum of depths]
        for thread in range(THREADS):
            self.write_thread(thread, events // THREADS)
        with open(os.path.join(folder, "manifest.json"), "w", encoding="ascii") as text:
            text.write(manifest())

    def write_thread(self, thread, count):
        """Calls and returns that match; all have returned at the end."""
        chance = random.Random(7 + thread)
        stack, out, time = [], [], 1000 * (thread + 1)
        first = None
        for left in range(count // 2 * 2, 0, -1):
            time += 1 + int(chance.random() * 900)
            first = first or time
            if len(stack) < left and (not stack or (len(stack) < 40 and chance.random() < 0.5)):
                function = 1 << 32 | 1 + int(chance.random() * FUNCTIONS)
                stack.append((function, time))
                kind, depth = CALL, len(stack)
                self.calls += 1
            else:
                depth = len(stack)
                function, since = stack.pop()
                kind = RETURN
                self.duration_sum += time - since
                self.busy_sum += 0 if stack else time - since
            out.append(EVENT.pack(time, function, thread, kind, depth, NO_DETAIL))
            self.depth_sum += depth
            self.time_sum += time
            self.functions.add(function)
            told = self.by_function.setdefault(function, [0, 0])
            told[0] += 1
            told[1] += depth
        self.events += len(out)
        place = os.path.join(self.folder, "thread_%d" % thread)
        os.makedirs(place)
        with open(os.path.join(place, "index.atf"), "wb") as data:
            data.write(index_file(b"".join(out), len(out), (first, time), thread))
