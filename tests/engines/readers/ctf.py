"""ctf.py - read every event of CTF traces with babeltrace2. A job is {file}: the folder of a trace.

The answer: events, each [stream, name, time_ns, {field: value}] up to `limit`, how many there are
of each name, how many were discarded, and how many packets.
"""
import json
import os
import sys

import bt2

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import values  # noqa: E402


def plain(field):
    """A field as a value of Python."""
    if isinstance(field, bt2._BoolFieldConst):
        return bool(field)
    if isinstance(field, bt2._IntegerFieldConst):
        return int(field)
    if isinstance(field, bt2._RealFieldConst):
        return float(field)
    if isinstance(field, bt2._StringFieldConst):
        return str(field)
    if isinstance(field, bt2._ArrayFieldConst):
        return [plain(item) for item in field]
    if isinstance(field, bt2._StructureFieldConst):
        return {name: plain(item) for name, item in field.items()}
    if isinstance(field, bt2._VariantFieldConst):
        return plain(field.selected_option)
    if isinstance(field, bt2._OptionFieldConst):
        return plain(field.field) if field.has_field else None
    raise ValueError("a field of class %s" % type(field).__name__)


def read(job):
    events, counts, streams, discarded, packets = [], {}, {}, 0, 0
    for message in bt2.TraceCollectionMessageIterator(job["file"]):
        if type(message) is bt2._EventMessageConst:
            event = message.event
            stream = event.stream
            key = "%d" % stream.id
            streams[key] = streams.get(key, 0) + 1
            counts[event.name] = counts.get(event.name, 0) + 1
            if len(events) < job.get("limit", 1000):
                clock = message.default_clock_snapshot
                events.append([stream.id, event.name, clock.value, clock.ns_from_origin,
                               plain(event.payload_field) if event.payload_field else {}])
        elif type(message) is bt2._DiscardedEventsMessageConst:
            discarded += message.count or 0
        elif type(message) is bt2._PacketBeginningMessageConst:
            packets += 1
    return {"events": events, "count": sum(counts.values()), "counts": counts, "streams": streams,
            "discarded": discarded, "packets": packets}


def main():
    bt2.set_global_logging_level(bt2.LoggingLevel.NONE)
    for job in json.load(sys.stdin):
        answer = {"file": job["file"]}
        try:
            answer.update(read(job))
        except (bt2._Error, ValueError, RuntimeError) as error:
            answer["error"] = str(error).strip().splitlines()[0] or type(error).__name__
        print(values.to_json(answer), flush=True)


main()
