"""decode.py - read timelines without the code that writes them: protobuf by hand, JSON, lines.

Each reader gives the same: slices as (track, name, begin_ns, end_ns or None), instants, counters
and samples as counts. What a target does not have is None.
"""
import collections
import gzip
import json
import os
import struct


class Timeline:
    def __init__(self):
        self.slices, self.instants, self.counters, self.samples = [], 0, 0, 0
        self.flows = 0
        self.open = collections.defaultdict(list)
        self.loose = 0  # ends without a begin

    def begin(self, track, name, time):
        self.open[track].append((name, time))

    def end(self, track, time):
        if not self.open[track]:
            self.loose += 1
            return
        name, begin = self.open[track].pop()
        assert begin <= time, "%s ends at %d, before %d" % (name, time, begin)
        self.slices.append((track, name, begin, time))

    def finish(self):
        for track, names in self.open.items():
            self.slices += [(track, name, begin, None) for name, begin in names]
        return self


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
        assert shift < 70, "a varint that does not end"


def message(data):
    """[(field, value)]: a number, or bytes."""
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            assert at + size <= len(data), "a message that is longer than what holds it"
            value, at = data[at:at + size], at + size
        else:
            raise AssertionError("wire type %d" % wire)
        found.append((tag >> 3, value))
    return found


def one(fields, number, default=None):
    for field, value in fields:
        if field == number:
            return value
    return default


class Sequence:
    def __init__(self):
        self.names, self.stacks, self.track, self.now = {}, {}, None, None


def perfetto(path):
    with open(path, "rb") as data:
        packets = [message(value) for _, value in message(data.read())]
    timeline, sequences, tracks, events = Timeline(), {}, set(), []
    for packet in packets:
        number = one(packet, 10)
        described = one(packet, 60)
        if described is not None:
            tracks.add(one(message(described), 1))
            continue
        if one(packet, 13) == 1:
            s = sequences[number] = Sequence()
            clocks = [message(c) for f, c in message(one(packet, 6)) if f == 1]
            assert [one(c, 1) for c in clocks] == [6, 64]
            s.now = one(clocks[1], 2)
            s.track = one(message(one(message(one(packet, 59)), 11)), 11)
            assert s.track in tracks, "track %d is not described" % s.track
            continue
        s = sequences[number]
        for field, entry in message(one(packet, 12, b"")):
            entry = message(entry)
            if field == 2:
                s.names[one(entry, 1)] = one(entry, 2).decode(errors="replace")
            if field == 7:
                s.stacks[one(entry, 1)] = [v for f, v in entry if f == 2]
        if one(packet, 58) == 6:
            time = one(packet, 8)
        else:
            s.now += one(packet, 8)
            time = s.now
        if one(packet, 66) is not None:
            assert one(message(one(packet, 66)), 4) in s.stacks
            timeline.samples += 1
            continue
        event = message(one(packet, 11))
        timeline.flows += sum(f == 48 for f, _ in event)
        name = one(event, 10)
        events.append((s.track, one(event, 9), time, s.names[name] if name else None))
    for track, kind, time, name in sorted(events, key=lambda e: e[2]):
        if kind == 1:
            timeline.begin(track, name, time)
        elif kind == 2:
            timeline.end(track, time)
        timeline.instants += kind == 3
        timeline.counters += kind == 4
    return timeline.finish()


def nanoseconds(text):
    """Microseconds with three decimals, exactly."""
    whole, part = text.split(".")
    assert len(part) == 3, text
    return int(whole) * 1000 + int(part)


def chrome(path):
    with open(path, encoding="utf-8") as text:
        document = json.load(text, parse_float=str)
    timeline = Timeline()
    events = [e for e in document["traceEvents"] if e["ph"] != "M"]
    for event in sorted(events, key=lambda e: nanoseconds(e["ts"])):
        track, time = (event["pid"], event["tid"]), nanoseconds(event["ts"])
        if event["ph"] == "B":
            timeline.begin(track, event["name"], time)
        elif event["ph"] == "E":
            timeline.end(track, time)
        elif event["ph"] == "i" and "stack" in event.get("args", {}) and event["name"] == "sample":
            timeline.samples += 1
        elif event["ph"] in ("i", "X"):
            timeline.instants += 1
        elif event["ph"] == "C":
            timeline.counters += 1
        else:
            raise AssertionError("phase " + event["ph"])
        timeline.flows += event.get("flow_in", False)
    return timeline.finish()


def speedscope(path):
    with open(path, encoding="utf-8") as text:
        document = json.load(text)
    timeline = Timeline()
    names = [frame["name"] for frame in document["shared"]["frames"]]
    for number, profile in enumerate(document["profiles"]):
        if profile["type"] == "sampled":
            assert len(profile["samples"]) == len(profile["weights"])
            timeline.samples += len(profile["samples"])
            continue
        now = profile["startValue"]
        for event in profile["events"]:
            assert now <= event["at"] <= profile["endValue"]
            now = event["at"]
            if event["type"] == "O":
                timeline.begin(number, names[event["frame"]], now)
            else:
                assert timeline.open[number][-1][0] == names[event["frame"]]
                timeline.end(number, now)
        assert not timeline.open[number], "a call that is not closed"
    timeline.instants = timeline.counters = timeline.flows = None
    return timeline.finish()


def firefox(path):
    with open(path, encoding="utf-8") as text:
        document = json.load(text)
    assert document["meta"]["version"] == 24
    timeline, changes = Timeline(), 0
    for thread in document["threads"]:
        stacks, frames = thread["stackTable"]["data"], thread["frameTable"]["data"]
        for prefix, frame in stacks:
            assert prefix is None or prefix < len(stacks)
            assert thread["stringTable"][frames[frame][0]] is not None
        times = [row[1] for row in thread["samples"]["data"]]
        assert times == sorted(times)
        rows = [row[0] for row in thread["samples"]["data"]]
        assert all(row is None or row < len(stacks) for row in rows)
        if thread["name"].endswith(" (samples)"):
            timeline.samples += len(rows)
        else:
            changes += len(rows)
        timeline.instants += len(thread["markers"]["data"])
    timeline.changes, timeline.slices, timeline.counters, timeline.flows = changes, None, None, None
    return timeline


def folded(path):
    """{stack: value}"""
    with open(path, encoding="utf-8") as text:
        rows = [line.rstrip("\n").rsplit(" ", 1) for line in text]
    stacks = [row[0] for row in rows]
    assert stacks == sorted(stacks, key=str.encode), "not sorted"
    assert len(set(stacks)) == len(stacks), "a stack has two lines"
    return {stack: int(value) for stack, value in rows}


def pprof(path):
    """{type: sum}, and the number of samples."""
    with gzip.open(path) as data:
        profile = message(data.read())
    strings = [v.decode(errors="replace") for f, v in profile if f == 6]
    assert strings[0] == ""
    types = [strings[one(message(v), 1)] for f, v in profile if f == 1]
    functions = {one(message(v), 1): strings[one(message(v), 2)] for f, v in profile if f == 5}
    locations = {one(message(v), 1): one(message(one(message(v), 4)), 1)
                 for f, v in profile if f == 4}
    sums = collections.Counter()
    for field, value in profile:
        if field != 2:
            continue
        sample = message(value)
        at, stack = 0, []
        while at < len(one(sample, 1)):
            location, at = varint(one(sample, 1), at)
            stack.append(functions[locations[location]])
        assert stack, "a sample without a stack"
        at = 0
        for kind in types:
            number, at = varint(one(sample, 2), at)
            sums[kind] += number
    return sums


def ctf(path):
    """The packets of every stream are whole, and their times in order; [(packets, lost)]."""
    with open(os.path.join(path, "metadata"), encoding="ascii") as text:
        assert text.read().startswith("/* CTF 1.8 */")
    found = []
    for name in sorted(os.listdir(path)):
        if name == "metadata" or name.startswith("."):  # readers skip hidden files
            continue
        with open(os.path.join(path, name), "rb") as data:
            stream = data.read()
        at, packets, before, lost = 0, 0, 0, 0
        while at < len(stream):
            magic, _, _, begin, end, content, size, lost = struct.unpack_from("<IIQQQQQQ", stream,
                                                                              at)
            assert magic == 0xc1fc1fc1 and content == size and size <= (1 << 20) * 8
            assert before <= begin <= end
            before, packets, at = end, packets + 1, at + size // 8
        assert at == len(stream), "a packet that is cut"
        found.append((packets, lost))
    return found
