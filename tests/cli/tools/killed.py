"""killed.py - end a verb by a signal while it writes: it ends by that signal and leaves nothing.

killed.py SESSION ROUNDS: the session is made large by copies of its first thread. Half of the
rounds are ended as soon as the hidden name shows, the others a little later.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

THREADS = 400


def grow(session, to):
    shutil.copytree(session, to)
    os.chmod(to, 0o755)
    for i in range(1, THREADS):
        shutil.copytree(f"{to}/thread_0", f"{to}/thread_{i + 1000}")


def hidden():
    return [name for name in os.listdir(".") if name.startswith(".rastrum-")]


def one(verb, number, extra):
    child = subprocess.Popen(
        ["rastrum", *verb], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    seen = False
    while child.poll() is None and not (seen := bool(hidden())):
        pass
    if seen:
        end = time.monotonic() + extra
        while child.poll() is None and time.monotonic() < end:
            pass
        child.send_signal(number)
    status = child.wait()
    left = hidden()
    if left:
        print(verb[0], "leaves", left)
    if status != -number and not os.path.exists("out"):
        print(verb[0], "ends with", status, "and writes nothing")
    for name in left + ["out"]:
        shutil.rmtree(name, ignore_errors=True)
    return status == -number


def main():
    grow(sys.argv[1], "big")
    ended = 0
    for i in range(int(sys.argv[2])):
        verb = [["repair", "big", "-o", "out"], ["slice", "big", "-o", "out"]][i % 2]
        number = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP][i % 3]
        ended += one(verb, number, 0.002 * (i // 2 % 5))
    print("ended by a signal:", "some" if ended else "none")


main()
