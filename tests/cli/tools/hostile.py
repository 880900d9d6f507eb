"""hostile.py - every verb on traces and paths that try to break JSON and control a terminal.

hostile.py GOLDEN     (`rastrum` is in PATH; the working directory is empty)

Prints one line for each complaint: JSON that Python does not take or that repeats a key, and any
byte on standard output or standard error that would control a terminal.
"""
import json
import os
import re
import shutil
import subprocess
import sys

HOSTILE = "q\"b\\n\n\x1b[31m\x7f\u009b31m\u202etxt'=1+1"
FOLDER = os.fsencode("d\"i\\r\n\x1b]0;x\x07\u009b\u2066") + b"\xff\xc0\x80"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
GOLDEN = sys.argv[1]
complaints = []


def complain(words, text):
    complaints.append("%r: %s" % (words, text))


def run(words, stdin=None):
    words = [os.fsencode(w) for w in words]
    return subprocess.run([b"rastrum"] + words, input=stdin, stdin=None if stdin else
                          subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)


def once(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key repeats: %r" % keys)
    return dict(pairs)


def no_constant(text):
    raise ValueError("%s is not JSON" % text)


def check_json(words, text):
    documents = text.decode().splitlines() if words[0] in ("cat", "query") else [text.decode()]
    for document in documents:
        try:
            json.loads(document, object_pairs_hook=once, parse_constant=no_constant)
        except ValueError as error:
            complain(words, "%s: %.300r" % (error, document))
            return


def check_text(words, text, what):
    try:
        found = CONTROLS.search(text.decode())
    except UnicodeDecodeError as error:
        complain(words, "%s: %s" % (what, error))
        return
    if found:
        complain(words, "%s: %r" % (what, text.decode()[max(0, found.start() - 60):found.end()]))


def every_way(words):
    """Both as text and as JSON."""
    for extra in ([], ["--json"]):
        done = run(words[:1] + extra + words[1:])
        check_text(words + extra, done.stderr, "stderr")
        check_text(words + extra, done.stdout, "stdout")
        if done.returncode not in (0, 1, 2, 3):
            complain(words + extra, "ends with %d" % done.returncode)
        silent = words[0] == "record"  # standard output is the program's
        if not done.stdout and not silent and (done.returncode == 0 or not done.stderr):
            complain(words + extra, "no answer, exit %d" % done.returncode)
        if extra and done.stdout:
            check_json(words, done.stdout)


def build(name, to, rows):
    path = os.path.join(FOLDER, os.fsencode(name))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    done = run(["convert", "--from-jsonl", "--to", to, "-", "-o", path], text.encode())
    if done.returncode:
        sys.exit("convert %s: %s" % (name, done.stderr))
    return path


def traces():
    os.mkdir(FOLDER)
    h = HOSTILE
    row = {"seq": 0, "type": h, "time_ns": 1, "values": {h: h, "=x": "=1", "n\x00": "\x00"}}
    meta = {"seq": 0, "type": "SegmentMetadataEvent", "time_ns": 1, "values": {"entries": {h: h}}}
    yield "dial9", build("a.trc", "dial9", [row, {**row, "time_ns": 5}, meta])
    with open(os.path.join(GOLDEN, "murk", "world.murk"), "rb") as trace:
        murk = trace.read()
    path = os.path.join(FOLDER, b"a.murk")
    with open(path, "wb") as out:
        out.write(murk)
    yield "murk", path
    call = {"type": "event", "time_ns": 1, "values": {
        "function_id": "0x0000000100000001", "thread_id": 0, "event_kind": 1, "call_depth": 0}}
    names = [{"type": "module", "values": {"module_id": 1, "path": h}},
             {"type": "function", "values": {"function_id": "0x0000000100000001", "name": h,
                                             "module_id": 1}}]
    yield "atf", build("calls", "atf", names + [call])
    for form, name in (("cdt", "python.cdt"), ("aerogpu", "appendix_a.aerogputrace")):
        path = os.path.join(FOLDER, os.fsencode(name))
        shutil.copy(os.path.join(GOLDEN, form, name), path)
        yield form, path


def broken(path, form):
    """What is wrong with a trace is told with its hostile path and names."""
    if os.path.isdir(path):
        return
    with open(path, "rb") as trace:
        text = trace.read()
    cut = path + b".cut"
    with open(cut, "wb") as out:
        out.write(text[:len(text) * 3 // 4])
    for verb in ("info", "cat", "verify", "stats", "du"):
        every_way([verb, cut])
    every_way(["repair", "-n", cut])
    every_way(["cat", "--input-format", "cdt" if form != "cdt" else "murk", path])


def program():
    """One whose calls can be recorded."""
    with open("program.c", "w", encoding="ascii") as source:
        source.write("int main(void) { return 0; }\n")
    built = subprocess.run(["cc", "-finstrument-functions", "-o", "program", "program.c"])
    return ["./program"] if built.returncode == 0 else ["true"]


def main():
    out = os.path.join(FOLDER, b"out-")
    count = 0
    for form, path in traces():
        for verb in ("info", "du", "cat", "stats", "verify", "tree", "health"):
            every_way([verb, path])
        for n, words in enumerate((["slice"], ["merge"], ["convert"], ["repair"])):
            count += 1
            every_way(words + [path, "-f", "-o", out + b"%d" % count])
        for words in (["diff"], ["bisect"]):
            every_way(words + [path, path])
        every_way(["focus", "--tick", "1", path, path])
        for words in (["tick", path, "1"], ["entity", path, "1"],
                      ["query", path, "ticks where tick_index > 0"], ["blob", path, "--list"],
                      ["blob", path, HOSTILE.replace("\x00", "")], ["replay", path],
                      ["finalize", path, "--out", out + b"f"], ["reduce", path, "-o", out + b"r",
                                                                "--", "true", "{}"],
                      ["record", path, "--out", out + b"s.cdt", "-f"]):
            every_way(words)
        for option in ("--type", "--fields", "--where", "--from", "--axis", "--input-format",
                       "--format", "--dialect", "--limit"):
            every_way(["cat", option, HOSTILE, path])
        every_way(["cat", "--color=" + HOSTILE, path])
        every_way(["stats", "-t", HOSTILE, path])
        every_way(["verify", "--dialect", HOSTILE, path])
        broken(path, form)
    for words in (["run", "ref-1", "--ticks", "3", "-f", "-o", out + b"run"], ["formats"],
                  ["help"], ["help", "cat"], ["help", HOSTILE], [HOSTILE], ["verify", "--rules"],
                  ["info", os.path.join(FOLDER, b"no-such")], ["info", "--" + HOSTILE],
                  ["record", "-f", "-o", out + b"session", "--"] + program()):
        every_way(words)
    runs = out + b"run"
    for words in (["info", runs], ["verify", runs], ["diff", runs, runs], ["bisect", runs, runs]):
        every_way(words)
    print("\n".join(complaints) or "%s" % "all harmless")


main()
