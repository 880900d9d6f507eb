#!/usr/bin/env python3
"""dataset_kills.py - kill `export --to dataset` again and again; every trace is there exactly once.

dataset_kills.py RASTRUM COUNT TRACE...
dataset_kills.py RASTRUM COUNT --prune BEFORE NOW

A run is killed before one of its system calls that change files or wait for the disk, which are
counted by ptrace: how fast the machine is decides nothing. After each kill the manifest is whole
and every file that it names has its size and hash. After the last run, which is let finish, each
trace is in one batch, and no other directory is left. --prune: the files of the directory BEFORE
are added, then those of NOW are put in their place, and what they supersede is removed.
"""
import ctypes
import hashlib
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys

OUT = "dataset"

# write, open, ftruncate, fsync, fdatasync, rename, mkdir, rmdir, creat, link, unlink, flock,
# pwrite64, writev and what took their places. On other machines all system calls count.
CHANGING = {"x86_64": {1, 2, 18, 20, 73, 74, 75, 77, 82, 83, 84, 85, 86, 87, 257, 258, 263, 264,
                       265, 316}}.get(platform.machine())

TRACEME, SYSCALL, SETOPTIONS, SYSCALL_INFO = 0, 24, 0x4200, 0x420e
TRACESYSGOOD, TRACECLONE, EXITKILL = 1, 8, 1 << 20
WALL = 0x40000000
ENTRY = 1
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.restype = ctypes.c_long
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, address, data):
    """False: the thread was killed."""
    if LIBC.ptrace(request, pid, address, data) >= 0:
        return True
    error = ctypes.get_errno()
    if error == 3: # ESRCH
        return False
    raise OSError(error, "ptrace: " + os.strerror(error))


class SyscallInfo(ctypes.Structure):
    _fields_ = [("op", ctypes.c_uint8), ("padding", ctypes.c_uint8 * 3), ("arch", ctypes.c_uint32),
                ("at", ctypes.c_uint64), ("stack", ctypes.c_uint64), ("number", ctypes.c_uint64),
                ("args", ctypes.c_uint64 * 6)]


def counts(tid):
    """A thread is before a call that counts."""
    info = SyscallInfo()
    there = ptrace(SYSCALL_INFO, tid, ctypes.sizeof(info), ctypes.addressof(info))
    return there and info.op == ENTRY and (CHANGING is None or info.number in CHANGING)


def words_of(program, traces, *words):
    return [program, "export", "--quiet", "--to", "dataset", "--jobs", "2", "--batch-traces", "3",
            "-o", OUT, *words] + traces


def start_traced(words):
    pid = os.fork()
    if pid == 0:
        try: # leaks cannot be looked for in a process that is traced
            options = os.environ.get("ASAN_OPTIONS", "")
            os.environ["ASAN_OPTIONS"] = ":".join(filter(None, [options, "detect_leaks=0"]))
            ptrace(TRACEME, 0, None, None)
            os.execv(words[0], words)
        finally:
            os._exit(127)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSTOPPED(status), "the run does not start: status %#x" % status
    ptrace(SETOPTIONS, pid, None, TRACESYSGOOD | TRACECLONE | EXITKILL)
    ptrace(SYSCALL, pid, None, None)
    return pid


def run_until(point, words):
    """Run, and kill before the call that has this number (0: never): whether it was killed, and
    how many calls there were."""
    pid, calls, killed = start_traced(words), 0, False
    while True:
        tid, status = os.waitpid(-1, WALL)
        if not os.WIFSTOPPED(status):
            if tid == pid:
                break
            continue
        stop = os.WSTOPSIG(status)
        if stop == signal.SIGTRAP | 0x80 and not killed and counts(tid):
            calls += 1
            killed = calls == point
            if killed:
                os.kill(pid, signal.SIGKILL)
        passed_on = stop if stop & 0x7f not in (signal.SIGTRAP, signal.SIGSTOP) else None
        if not killed:
            ptrace(SYSCALL, tid, None, passed_on)
    assert killed or status == 0, "a run that nobody killed ends with status %#x" % status
    return killed, calls


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


def whole(program, traces):
    subprocess.run([program, "export", "--quiet", "--to", "dataset", "-o", "whole"] + traces,
                   check=True)


def put_back():
    shutil.rmtree(OUT)
    if os.path.exists("begin"):
        shutil.copytree("begin", OUT)


def kill_some(program, count, traces, expected, *words):
    """Kill COUNT runs, each before any of as many calls as a whole run has; the next one goes on
    from there. One that has fewer calls ends: the dataset is put back as it was, and the next one
    has them all."""
    seed = random.Random(7)
    line = words_of(program, traces, *words)
    if os.path.exists(OUT):
        shutil.copytree(OUT, "begin")
    _, most = run_until(0, line)
    put_back()
    killed = 0
    for _ in range(20 * count):
        was_killed, _ = run_until(seed.randint(1, most), line)
        check(expected)
        killed += was_killed
        if killed == count:
            return
        if not was_killed:
            put_back()
    raise AssertionError("%d runs were killed, not %d, of %d calls" % (killed, count, most))


def finish(program, traces, *words):
    """Let a run finish: the ids that are there, and every file is one that a line names."""
    child = subprocess.run(words_of(program, traces, *words), stderr=subprocess.PIPE, check=False)
    assert child.returncode == 0, child.stderr.decode()
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
    whole(program, traces)
    kill_some(program, count, traces, expected, "--prune")
    finish(program, traces, "--prune")
    compare_rows()
    assert any(line.get("pruned") for line in lines()), "no batch was pruned"
    print("what is there now, once")


def main():
    program, count, traces = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if traces[0] == "--prune":
        prune(program, count, *traces[1:])
        return
    whole(program, traces)
    kill_some(program, count, traces, {id_of(trace) for trace in traces})
    finish(program, traces)
    compare_rows()
    print("every trace once")


main()
