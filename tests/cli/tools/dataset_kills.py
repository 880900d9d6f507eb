#!/usr/bin/env python3
"""dataset_kills.py - kill `export --to dataset` again and again; every trace is there exactly once.

dataset_kills.py RASTRUM COUNT TRACE...
dataset_kills.py RASTRUM COUNT --prune BEFORE NOW

After each kill the manifest is whole and every file that it names has its size and hash. After the
last run, which is let finish, each trace is in one batch, and no other directory is left. --prune:
the files of the directory BEFORE are added, then those of NOW are put in their place, and what they
supersede is removed.
"""
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time

OUT = "dataset"


def start(program, traces, *words):
    return subprocess.Popen([program, "export", "--quiet", "--to", "dataset", "--jobs", "2",
                             "--batch-traces", "3", "-o", OUT, *words] + traces,
                            stderr=subprocess.PIPE)


def id_of(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()[:16]


def lines():
    try:
        text = open(os.path.join(OUT, "_manifest.jsonl"), "rb").read()
    except FileNotFoundError:
        return []
    # What follows the last newline was being written when its writer was killed.
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


def check(expected):
    ids, named = [], set()
    for line in lines():
        ids += [t["id"] for t in line["traces"]]
        for entry in line["files"]:
            table, part = entry["name"].split("/")
            path = os.path.join(OUT, table, "batch=%06d" % line["batch"], part)
            data = open(path, "rb").read()
            assert len(data) == entry["size_bytes"], path
            assert hashlib.sha256(data).hexdigest() == entry["sha256"], path
            named.add(path)
    assert len(ids) == len(set(ids)), "a trace is there twice"
    assert set(ids) <= expected, "a trace that was not given"
    return ids, named


def seconds(program, traces):
    begin = time.monotonic()
    subprocess.run([program, "export", "--quiet", "--to", "dataset", "-o", "whole"] + traces,
                   check=True)
    return time.monotonic() - begin


def kill_some(program, count, traces, expected, most, *words):
    """Kill COUNT runs, each after a while of up to MOST seconds; the next one goes on from there.
    One that ends before it is killed shows nothing, and those after it would have nothing to do:
    the dataset is put back as it was, and less time is given. What a run takes depends on what else
    the machine does, so MOST follows it."""
    seed = random.Random(7)
    if os.path.exists(OUT):
        shutil.copytree(OUT, "begin")
    killed = 0
    for _ in range(20 * count):
        child = start(program, traces, *words)
        try:
            child.wait(seed.uniform(0, most))
            ended = True
        except subprocess.TimeoutExpired:
            child.kill()
            ended = False
        child.communicate()
        check(expected)
        if ended:
            most *= 0.7
            shutil.rmtree(OUT)
            if os.path.exists("begin"):
                shutil.copytree("begin", OUT)
        else:
            most *= 1.2
            killed += 1
        if killed == count:
            return
    raise AssertionError("%d runs were killed, not %d" % (killed, count))


def finish(program, traces, *words):
    """Let a run finish: the ids that are there, and every file is one that a line names."""
    child = start(program, traces, *words)
    err = child.communicate()[1].decode()
    assert child.returncode == 0, err
    expected = {id_of(trace) for trace in traces}
    ids, named = check(expected)
    assert set(ids) == expected, "%d of %d traces" % (len(ids), len(expected))
    found = {os.path.join(folder, name) for folder, _, names in os.walk(OUT) for name in names
             if name.endswith(".parquet")}
    assert found == named, "files that no line names: %s" % sorted(found - named)[:3]
    assert not [n for n in os.listdir(OUT) if n.startswith(".tmp")], "a temporary directory"


def rows_of(lines_of):
    rows = {}
    for line in lines_of:
        for trace in line["traces"]:
            for table, n in trace["rows"].items():
                rows[table] = rows.get(table, 0) + n
    return rows


def compare_rows():
    with open("whole/_manifest.jsonl", encoding="utf-8") as f:
        want = rows_of([json.loads(f.readline())])
    assert rows_of(lines()) == want, "other rows than in one run: %s, %s" % (rows_of(lines()), want)


def put(folder):
    for name in os.listdir(folder):
        shutil.copy(os.path.join(folder, name), "now")


def prune(program, count, before, then):
    os.mkdir("now")
    put(before)
    traces = sorted(os.path.join("now", name) for name in os.listdir("now"))
    expected = {id_of(trace) for trace in traces}
    finish(program, traces)
    put(then)
    expected |= {id_of(trace) for trace in traces}
    most = 2 * seconds(program, traces)
    kill_some(program, count, traces, expected, most, "--prune")
    finish(program, traces, "--prune")
    compare_rows()
    assert any(line.get("pruned") for line in lines()), "no batch was pruned"
    print("what is there now, once")


def main():
    program, count, traces = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if traces[0] == "--prune":
        prune(program, count, *traces[1:])
        return
    most = seconds(program, traces)
    kill_some(program, count, traces, {id_of(trace) for trace in traces}, most)
    finish(program, traces)
    compare_rows()
    print("every trace once")


main()
