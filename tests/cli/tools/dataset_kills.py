#!/usr/bin/env python3
"""dataset_kills.py - kill `export --to dataset` again and again; every trace is there exactly once.

dataset_kills.py RASTRUM COUNT TRACE...

After each kill the manifest is whole and every file that it names has its size and hash. After the
last run, which is let finish, each trace is in one batch, and no other directory is left.
"""
import hashlib
import json
import os
import random
import subprocess
import sys
import time

OUT = "dataset"


def start(program, traces):
    return subprocess.Popen([program, "export", "--quiet", "--to", "dataset", "--jobs", "2",
                             "--batch-traces", "3", "-o", OUT] + traces,
                            stderr=subprocess.PIPE)


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


def main():
    program, count, traces = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    expected = {hashlib.sha256(open(t, "rb").read()).hexdigest()[:16] for t in traces}
    seed = random.Random(7)
    begin = time.monotonic()
    subprocess.run([program, "export", "--quiet", "--to", "dataset", "-o", "whole"] + traces,
                   check=True)
    whole = time.monotonic() - begin
    killed = 0
    for _ in range(count):
        child = start(program, traces)
        try:
            child.wait(seed.uniform(0, whole))
        except subprocess.TimeoutExpired:
            child.kill()
            killed += 1
        child.communicate()
        check(expected)
    child = start(program, traces)
    err = child.communicate()[1].decode()
    assert child.returncode == 0, err
    ids, named = check(expected)
    assert set(ids) == expected, "%d of %d traces" % (len(ids), len(expected))
    found = {os.path.join(folder, name) for folder, _, names in os.walk(OUT) for name in names
             if name.endswith(".parquet")}
    assert found == named, "files that no line names: %s" % sorted(found - named)[:3]
    assert not [n for n in os.listdir(OUT) if n.startswith(".tmp")], "a temporary directory"
    rows = {}
    for line in lines():
        for trace in line["traces"]:
            for table, n in trace["rows"].items():
                rows[table] = rows.get(table, 0) + n
    with open("whole/_manifest.jsonl") as f:
        want = {}
        for trace in json.loads(f.readline())["traces"]:
            for table, n in trace["rows"].items():
                want[table] = want.get(table, 0) + n
    assert rows == want, "other rows than in one run: %s, %s" % (rows, want)
    assert killed, "no run was killed"
    print("every trace once")


main()
