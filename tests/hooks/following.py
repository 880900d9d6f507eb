"""following.py - reports about a program while it is recorded, and where they go."""
import json
import os
import subprocess
import time

from place import Wrong, only, same


def while_it_runs(p):
    """--follow prints every event, with its name; --duration ends the recording alone."""
    p.build("choices.cpp")
    out = p.path("calls")
    own = subprocess.run([p.path("choices")], stdout=subprocess.PIPE, text=True).stdout
    done = subprocess.run([p.rastrum, "record", "-q", "--follow", "-o", out, "--",
                           p.path("choices")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    same([done.returncode, done.stdout], [0, own], "exit status and output")
    lines = done.stderr.splitlines()
    same(len([line for line in lines if "function=" in line]), 482,
         "lines, the last of them " + (lines or ["none"])[-1])
    report = p.path("report.jsonl")
    done = subprocess.run([p.rastrum, "record", "--follow", "--json", "--force", "-o", out,
                           "--report", report, "--", p.path("choices")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    same([done.returncode, done.stdout, done.stderr], [0, own, ""], "beside a report")
    with open(report) as file:
        lines = [json.loads(line) for line in file]
    same([sum("seq" in line for line in lines), lines[-1]["events"]], [482, 482], "JSON Lines")
    done = subprocess.run([p.rastrum, "record", "--json", "--force", "-o", out, "--report", "-",
                           "--", p.path("choices")], stdout=subprocess.PIPE, text=True)
    same(json.loads(done.stdout[len(own):])["events"], 482, "on standard output on request")
    words = "%s record -q --force --follow -o %s -- %s 2>&1 >/dev/null | head -n 1"
    done = subprocess.run(words % (p.rastrum, out, p.path("choices")), shell=True,
                          stdout=subprocess.PIPE, text=True)
    same(done.stdout.count("\n"), 1, "lines that were looked at")
    same(len(only(p.events(p.record(p.path("choices"))))), 482, "events")
    events = only(p.events(p.record(p.path("choices"), "slow", options=["--duration", "600ms"])))
    if not 2 <= len(events) < 482:
        raise Wrong("%d events in 600 ms of 3000" % len(events))
    program, ended = p.build("threads.c"), p.path("ended")
    run = subprocess.Popen([p.rastrum, "record", "-q", "--children", "--follow", "-o",
                            p.path("unread"), "--", "sh", "-c", "%s; touch %s" % (program, ended)],
                           stderr=subprocess.PIPE)
    for _ in range(1200):  # nobody reads: the program goes on all the same
        time.sleep(0.1)
        if os.path.exists(ended):
            break
    else:
        raise Wrong("the program waits for whoever looks")
    same(len(run.communicate(timeout=120)[1].splitlines()), 24018, "lines, read late")
    for words, said in ((["-F", "/(/"], "--filter"), (["--trigger", "when"], "--trigger takes"),
                        (["--max-depth", "0"], "--max-depth"), (["--duration", "5"], "too short"),
                        (["--report", "x"], "needs --json or --follow"),
                        (["--trigger", "crash", "--pre-roll", "1us"], "at least 1ms"),
                        (["--trigger", "signal=NONE"], "no signal"),
                        (["--pre-roll", "1s"], "need a --trigger")):
        done = subprocess.run([p.rastrum, "record", "-o", p.path("none"), *words, "--",
                               p.path("choices")], stderr=subprocess.PIPE, text=True)
        if done.returncode != 2 or said not in done.stderr:
            raise Wrong("%s: exit status %d: %s" % (words, done.returncode, done.stderr))


def told_of_a_crash(p):
    """The last line, JSON, info and tree --open report the signal and the calls that were open."""
    program, out = p.build("choices.cpp"), p.path("crashed")
    done = subprocess.run([p.rastrum, "record", "-o", out, "--", program, "crash"],
                          stderr=subprocess.PIPE, text=True)
    last = done.stderr.splitlines()[-1]
    same(done.returncode, 139, "exit status")
    ended_by = "SIGSEGV in thread 0: main"
    if "ended by " + ended_by not in last:
        raise Wrong("the last line is " + last)
    facts = json.loads(p.ask("info", "--json", out))
    if ended_by not in json.dumps(facts):
        raise Wrong("info does not report it")
    table = json.loads(p.ask("tree", "--open", "--json", out))["tables"]["open_calls"]
    calls = [row[2] for row in table["rows"] if row[0] == 0]
    same(last.partition("thread 0: ")[2].partition("; address 0x0")[0], " > ".join(calls), "calls")
    done = subprocess.run([p.rastrum, "record", "--json", "--force", "-o", out, "--", program,
                           "crash"], stderr=subprocess.PIPE, text=True)
    if not json.loads(done.stderr)["ended_by"].startswith(ended_by):
        raise Wrong("JSON does not report it")
