#!/usr/bin/env python3
"""clean.py - what our own writers make breaks no rule: no errors, no warnings, not even notes.

clean.py RASTRUM SOURCES EXAMPLES

EXAMPLES is the folder of the built examples: the writers of all five formats and the two recorders.
SOURCES has the C files that are compiled and recorded, in every mode. What slice, merge, convert
and repair make of each is held to the same; a cut is repaired to a trace without findings.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

# A finding that is about what was done, not about what was written: rule, how it was made, why.
EXCEPTED = (
    ("atf.call.unmatched", (", slice", ", merged"), "a slice by time cuts through calls"),
    ("atf.call.unmatched", ("atf killed",), "the program was killed inside of main()"),
    ("atf.call.unmatched", ("atf writer, cut",), "the returns were cut off"),
    ("murk.frames.none", ("murk writer, cut",), "cut before the end of the first frame"),
    ("dial9.events.none", ("dial9 writer, cut",), "cut before the first event"),
)

tally = [0, 0]


def check(what, ok, why=""):
    tally[not ok] += 1
    if not ok:
        print("%s: %s" % (what, why))


def run(*words, wanted=(0,)):
    done = subprocess.run([RASTRUM, *words], capture_output=True, timeout=300)
    if done.returncode not in wanted:
        check(" ".join(words), False, "exit %d: %s" % (done.returncode, done.stderr.decode()))
    return done.stdout


def clean(what, path):
    """No finding in it; the name says how it was made."""
    answer = run("verify", "--strict", "--deep", "--json", path, wanted=(0, 1))
    report = json.loads(answer or '{"findings":[{"rule":"none","text":"it cannot be read"}]}')
    found = [f for r in report.get("parts", []) + [report] for f in r["findings"]
             if not any(f["rule"] == rule and any(part in what for part in made)
                        for rule, made, _ in EXCEPTED)]
    check(what, not found, found)


def axis_of(path):
    """The format's own axis and its range."""
    axes = json.loads(run("info", "--json", path))["axes"]
    name = "tick" if "tick" in axes else "time_ns"
    return axes[name]["first"], axes[name]["last"] + 1


def rewritten(what, path):
    """Two slices, joined again; the same file out of JSON Lines."""
    folder, kind = os.path.isdir(path), what.split()[0]
    first, end = axis_of(path)
    middle = (first + end) // 2
    halves = []
    for i, (a, b) in enumerate(((first, middle), (middle, end)) if middle > first else ()):
        halves.append("%s.half%d" % (path, i))
        run("slice", "--quiet", "--from", str(a), "--to", str(b), "-o", halves[i], path)
        clean(what + ", slice %d" % i, halves[i])
    if halves:
        run("merge", "--quiet", "-o", path + ".both", *halves)
        clean(what + ", merged", path + ".both")
    lines = path + ".jsonl"
    run("cat", "--quiet", "--json", "--header", "--blobs", "-o", lines, path) \
        if kind == "aerogpu" else run("cat", "--quiet", "--json", "--header", "-o", lines, path)
    run("convert", "--quiet", "--from-jsonl", lines, "-o", path + ".again")
    clean(what + ", of JSON Lines", path + ".again")
    if not folder:
        check(what + ", bytes", open(path, "rb").read() == open(path + ".again", "rb").read(),
              "not the same as its JSON Lines give")


def repaired(what, path):
    """Cut at several places; what repair leaves has no findings, and its exit status says so."""
    data = open(path, "rb").read()
    for at in range(len(data) // 9, len(data), len(data) // 9):
        cut, repaired = path + ".cut", path + ".repaired"
        with open(cut, "wb") as out:
            out.write(data[:at])
        done = subprocess.run([RASTRUM, "repair", "--quiet", "--force", "-o", repaired, cut],
                              capture_output=True, timeout=300)
        name = "%s, cut at %d of %d and repaired" % (what, at, len(data))
        if done.returncode == 2:  # nothing whole is there
            continue
        check(name, done.returncode in (0, 3), done)
        clean(name, repaired)


def repaired_session(what, path):
    """One index of a session is cut, without its footer or in the middle of an event."""
    index = os.path.join("thread_0", "index.atf")
    data = open(os.path.join(path, index), "rb").read()
    for at in (len(data) - 10, len(data) // 2 + 7):
        cut, repaired = "%s.cut%d" % (path, at), "%s.repaired%d" % (path, at)
        shutil.copytree(path, cut)
        with open(os.path.join(cut, index), "wb") as out:
            out.write(data[:at])
        name = "%s, cut at %d of %d and repaired" % (what, at, len(data))
        run("repair", "--quiet", "-o", repaired, cut, wanted=(0, 3))
        clean(name, repaired)


def writers():
    for name in ("murk", "cdt", "aerogpu", "dial9", "atf"):
        path = os.path.join(work, "written." + name)
        subprocess.run([os.path.join(EXAMPLES, "write_" + name), path], check=True,
                       stdout=subprocess.DEVNULL)
        clean(name + " writer", path)
        rewritten(name + " writer", path)
        (repaired_session if os.path.isdir(path) else repaired)(name + " writer", path)


def recorders():
    for name in ("calls", "events"):
        path = os.path.join(work, "recorded." + name)
        subprocess.run([os.path.join(EXAMPLES, "record_" + name), path], check=True,
                       stdout=subprocess.DEVNULL)
        clean("record_" + name, path)


def compiled(name):
    program = os.path.join(work, name)
    subprocess.run(["gcc", "-g", "-finstrument-functions", "-pthread", "-o", program,
                    os.path.join(SOURCES, name + ".c")], check=True)
    return program


def recorded():
    for name in ("traced", "traced_threads"):
        program = compiled(name)
        for mode, options in (("plain", ()), ("durable", ("--durable",)), ("drop", ("--drop",)),
                              ("trigger", ("--trigger", "symbol=main")),
                              ("signal", ("--trigger", "signal=USR1")),
                              ("detail", ("--detail", "*")),
                              ("filter", ("--filter", "*a*", "--max-depth", "3"))):
            path = os.path.join(work, "%s.%s" % (name, mode))
            run("record", "--quiet", *options, "-o", path, "--", program, wanted=(0, 3))
            if os.path.isdir(path) and any(f for _, _, f in os.walk(path)):
                clean("atf record %s, %s" % (name, mode), path)
        rewritten("atf record " + name, os.path.join(work, name + ".plain"))


def killed():
    """Killed with its lanes in files: what repair makes of the session has no findings."""
    source = os.path.join(work, "endless.c")
    with open(source, "w", encoding="utf-8") as out:
        out.write("#include <signal.h>\n#include <unistd.h>\n"
                  "static int step(int n) { return n ? step(n - 1) + 1 : 0; }\n"
                  "int main(void) { for (int i = 0; i < 1000; i++) step(20);\n"
                  "    kill(getpid(), SIGKILL); return 0; }\n")
    program = os.path.join(work, "endless")
    subprocess.run(["gcc", "-g", "-finstrument-functions", "-o", program, source], check=True)
    path, repaired = os.path.join(work, "killed"), os.path.join(work, "killed.repaired")
    run("record", "--quiet", "--durable", "-o", path, "--", program,
        wanted=(128 + signal.SIGKILL,))
    clean("atf killed, durable", path)
    run("repair", "--quiet", "-o", repaired, path, wanted=(0, 3))
    clean("atf killed, durable, repaired", repaired)


def runs():
    """A run of a world in all five formats, and each of them cut."""
    folder = os.path.join(work, "run")
    run("run", "arena", "--ticks", "60", "-o", folder)
    clean("run", folder)
    for name in ("replay.murk", "state.cdt", "gpu.aerogputrace", "events.trc"):
        repaired("run " + name, os.path.join(folder, name))


def main():
    writers()
    runs()
    recorders()
    recorded()
    killed()
    shutil.rmtree(work, ignore_errors=True)
    print("%d passed, %d failed" % tuple(tally))
    return 1 if tally[1] else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    RASTRUM, SOURCES, EXAMPLES = (os.path.abspath(word) for word in sys.argv[1:])
    work = tempfile.mkdtemp(prefix="rastrum-clean-")
    sys.exit(main())
