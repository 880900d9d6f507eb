"""models.py - what a timeline of each format must show, from what `cat` and `stats` print.

`found` is {"slices": [[name, ts, dur, category]], "counters": [[name, ts, value]], ...}; an instant
is a slice of length 0.
"""
import collections
import json

import judge


def of_category(found, category):
    return [row for row in found["slices"] if row[3] == category]


def counter_sum(found, name):
    """Of one counter: how many values, their sum. Chrome's have the key in their name."""
    values = [value for title, _, value in found["counters"] if title in (name, name + " value")]
    return [len(values), float(sum(values))]


def numbers(records, kind, field):
    """The numbers of a field: how many, their sum."""
    some = [record["values"][field] for record in records
            if record["type"] == kind and isinstance(record["values"].get(field), (int, float))]
    return [len(some), float(sum(some))]


def atf(export, found):
    """Calls as `cat --type span` lists them."""
    spans = [record["values"] for record in export.trace.records("--type", "span")
             if record["type"] == "span"]
    calls = [span for span in spans if span["start_ns"] is not None]
    lines = judge.differences(len(calls), export.written["slices"], "calls")
    lines += judge.differences(len(spans) - len(calls), export.written["instants"],
                               "returns without a call")
    if export.moved():
        return lines
    seen = collections.Counter((name, ts, dur) for name, ts, dur, _ in found["slices"])
    for span in calls:
        if span["duration_ns"] is None:
            continue
        key = (span["function"] or span["function_id"], span["start_ns"], span["duration_ns"])
        if not seen[key]:
            lines.append("no slice %s at %d for %d ns" % key)
        seen[key] -= 1
    return lines


def murk(export, found):
    records = export.trace.records()
    frames = [record for record in records if record["type"] == "frame"]
    commands = collections.Counter(record["values"]["payload_name"] or "command"
                                   for record in records if record["type"] == "command")
    shown = collections.Counter(row[0] for row in of_category(found, "command"))
    lines = judge.differences(len(frames), len(of_category(found, "tick")), "ticks")
    lines += judge.differences(dict(commands), dict(shown), "commands")
    lines += judge.differences(sum(commands.values()), sum(shown.values()), "commands")
    counts = [counter_sum(found, name) for name in {row[0] for row in found["counters"]}]
    if frames:
        lines += judge.differences([numbers(records, "frame", "command_count")], counts,
                                   "command_count")
    return lines


def cdt(export, found):
    records = [record for record in export.trace.records() if record.get("tick") is not None]
    lines = []
    for field in ("creature_count", "kills", "score_xp"):
        lines += judge.differences(numbers(records, "checkpoint", field),
                                   counter_sum(found, field), field)
    lines += judge.differences(numbers(records, "tick", "dt_ms_i32"), counter_sum(found, "dt_ms"),
                               "dt_ms")
    happened = collections.Counter(
        record["type"] for record in records if record["type"] in ("death", "hit"))
    picked = sum(record["type"] == "bonus" and record["values"]["picked"] is True
                 for record in records)
    if picked:
        happened["bonus picked"] = picked
    return lines + judge.differences(dict(happened), dict(collections.Counter(
        row[0] for row in of_category(found, "state"))), "events")


def aerogpu(export, found):
    records = collections.Counter(record["type"] for record in export.trace.records())
    frames = [row for row in of_category(found, "frame") if row[0] == "frame"]
    lines = judge.differences(records["frame"], len(frames), "frames")
    lines += judge.differences(records["packet"] + records["submission"],
                               len(of_category(found, "order")), "packets and submissions")
    for row in of_category(found, "frame"):
        if row[2] < 0:
            lines.append("a frame without an end")
    return lines


def dial9(export, found):
    """Polls and segments of spans as `stats` adds them up, to the nanosecond; parks that ended."""
    all_records = export.trace.records()
    records = collections.Counter(record["type"] for record in all_records)
    tables = json.loads(export.trace.ask("stats", "--json"))["tables"]
    lines = []
    whole = modern_spans(export)
    for table, categories in (("polls", ("poll",)), ("span_segments", ("span", "span segment"))):
        if table not in tables or export.moved():
            continue
        columns, told = tables[table]["columns"], tables[table]["rows"]
        count, most, total = (columns.index(name) for name in ("count", "max_ns", "total_ns"))
        shown = [row[2] for name in categories for row in of_category(found, name) if row[2] >= 0]
        more = whole if table == "span_segments" else []
        lines += judge.differences(
            [sum(row[count] for row in told) + len(more),
             sum(row[total] for row in told) + sum(more),
             max([row[most] or 0 for row in told] + more + [0])],
            [len(shown), sum(shown), max(shown + [0])], table)
    if not export.moved():
        lines += judge.differences(parks(all_records), sorted(
            row[1:3] for row in of_category(found, "park") if row[2] >= 0), "parks")
    return lines + judge.differences(records["CpuSampleEvent"], export.written["samples"],
                                     "samples")


def modern_spans(export):
    """Lengths of the spans that are slices beside their segments."""
    spans = [record["values"] for record in export.trace.records("--type", "span")
             if record["type"] == "span"]
    return [span["duration_ns"] for span in spans
            if span["dialect"] == "modern" and span["duration_ns"] is not None]


def parks(records):
    """[begin, length] of every park of a worker that an unpark ended."""
    since, found = {}, []
    for record in sorted((r for r in records if r["type"].startswith("Worker")),
                         key=lambda r: (r["time_ns"], r["seq"])):
        worker, time = record["values"]["worker_id"], record["time_ns"]
        if record["type"] == "WorkerParkEvent":
            since[worker] = time
        elif record["type"] == "WorkerUnparkEvent" and worker in since:
            begin = since.pop(worker)
            found.append([begin, time - begin])
    return sorted(found)


def atf_events(export, events):
    """Calls and returns of a session without faults, one by one."""
    records = export.trace.records()
    if export.moved() or export.lost:
        return []
    kinds = {1: "call", 2: "return"}
    wanted = sorted((kinds[r["values"]["event_kind"]], r["time_ns"],
                     r["values"]["function"] or r["values"]["function_id"])
                    for r in records if r["type"] == "event" and r["values"]["event_kind"] in kinds)
    got = sorted((name, time, fields["name"]) for _, name, time, _, fields in events
                 if name in kinds.values())
    return judge.differences(wanted, got, "calls")


def stack_changes(export):
    """How often a stack changes and is not empty then; None where that is not simple to say."""
    if export.trace.format != "atf" or export.moved():
        return None
    spans = [record["values"] for record in export.trace.records("--type", "span")]
    if any(span["reason"] != "matched" for span in spans):
        return None
    events = [record["values"] for record in export.trace.records() if record["type"] == "event"]
    return sum(event["call_depth"] - (event["event_kind"] != 1) > 0 for event in events)


MODELS = {"atf": atf, "murk": murk, "cdt": cdt, "aerogpu": aerogpu, "dial9": dial9}


def complaints(export, found):
    model = MODELS.get(export.trace.format)
    return model(export, found) if model else []
