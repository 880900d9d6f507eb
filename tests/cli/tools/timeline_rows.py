#!/usr/bin/python3
"""timeline_rows - polls, parks and segments of spans on a timeline, held against rows and figures.

timeline_rows.py RASTRUM TRACE...

The slices of a Chrome timeline must be the rows of `poll` and `span_segment`, and as many, as long
together and at most as long as `stats` says.
"""
import collections
import json
import subprocess
import sys


def ask(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode(errors="replace")


def nanoseconds(text):
    whole, parts = text.split(".")
    return int(whole) * 1000 + int(parts)


def slices(program, trace):
    """{category: [(begin, length)]}; length None: it did not end."""
    found, opened = collections.defaultdict(list), collections.defaultdict(list)
    document = json.loads(ask(program, "export", "--quiet", "--to", "chrome", trace),
                          parse_float=str)
    for event in document["traceEvents"]:
        stack = opened[event["tid"]]
        if event["ph"] == "B":
            stack.append((event["cat"], nanoseconds(event["ts"])))
        elif event["ph"] == "E":
            category, begin = stack.pop()
            found[category].append((begin, nanoseconds(event["ts"]) - begin))
    for stack in opened.values():
        for category, begin in stack:
            found[category].append((begin, None))
    return found


def rows(program, trace, kind):
    for line in ask(program, "cat", "--format", "jsonl", "--type", kind, trace).splitlines():
        record = json.loads(line)
        if record["type"] == kind:
            yield record["values"]["start_ns"], record["values"]["duration_ns"]


def figures(lengths):
    return [len(lengths), sum(lengths), max(lengths, default=0)]


def stats(program, trace, table):
    found = json.loads(ask(program, "stats", "--json", trace))["tables"].get(table)
    if not found:
        return [0, 0, 0]
    at = [found["columns"].index(name) for name in ("count", "total_ns", "max_ns")]
    values = [[row[i] or 0 for i in at] for row in found["rows"]]
    return [sum(v[0] for v in values), sum(v[1] for v in values), max((v[2] for v in values),
                                                                      default=0)]


def complaints(program, trace):
    shown = slices(program, trace)
    for category, kind, table in (("poll", "poll", "polls"),
                                  ("span", "span_segment", "span_segments")):
        ended = sorted(pair for pair in shown[category] if pair[1] is not None)
        wanted = sorted(pair for pair in rows(program, trace, kind) if pair[1] is not None)
        if ended != wanted:
            yield "%s: %d slices, %d rows, not the same" % (kind, len(ended), len(wanted))
        lengths = [length for _, length in ended]
        if figures(lengths) != stats(program, trace, table):
            yield "%s: count, sum and maximum are %s, and of stats %s" % (
                kind, figures(lengths), stats(program, trace, table))
    print(trace.rsplit("/", 1)[-1], len(shown["poll"]), "polls", len(shown["span"]), "segments",
          len(shown["park"]), "parks")


def main():
    program, traces = sys.argv[1], sys.argv[2:]
    lines = [(trace, line) for trace in traces for line in complaints(program, trace)]
    for trace, line in lines:
        print("%s: %s" % (trace, line))
    return bool(lines)


sys.exit(main())
