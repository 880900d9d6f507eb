"""view_seed.py - seeds of the viewer: requests to each trace, and traces themselves."""
import os
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GETS = ["open", "tracks?side=0", "names?side=0&from=0", "record?src=0&seq=1",
        "near?track=1&row=0&time=0&dir=1", "sum?side=0&from=0&to=18446744073709551614",
        "sum?from=1000&to=90000&tracks=1.2.3", "part?from=0&to=99999999999999&as=jsonl",
        "part?from=0&to=99999999999999&as=slice", "part?from=1048576&to=3145728&as=csv",
        "job?id=1", "verify?src=0", "stats?src=0", "tree?src=0", "tick?side=0&n=1",
        "ticks?side=0&from=0&n=240", "frame?src=0&n=0", "strip?src=0&from=0&n=4&side_px=64",
        "commands?src=0&n=0", "pixel?src=0&n=0&x=1&y=1", "pixels?n=0", "compare",
        "staff?from=0&to=10", "evidence?tick=1", "tables", "scene?side=0",
        "tick?n=2&kind=0&id=0", "receipts?n=1", "picture?src=0&n=0&draw=1", "tree?src=0&against=0"]
POSTS = [("find?side=0", b"a"), ("find", b"/e.*t/"), ("records?src=0&from=0&n=5", b"\n"),
         ("records?src=0", b"frame\ntick > 1"), ("cancel?id=1", b""), ("show?first=0", b""),
         ("sql", b"SELECT 1"),
         ("tiles", b"".join(struct.pack("<IiQ", t, s, 0) for t in range(8) for s in (0, 10, 30)))]


def session():
    parts = [b"G/v1/" + uri.encode() for uri in GETS]
    parts += [b"P/v1/" + uri.encode() + b"\n" + body for uri, body in POSTS]
    return parts


def main():
    to = sys.argv[1]
    every = session()
    for trace in range(9):
        for at in range(0, len(every), 6):
            requests = every[:2] + every[at:at + 6] + [b"G/v1/job?id=1", b"G/v1/job?id=2"]
            with open(os.path.join(to, "%d-%d" % (trace, at)), "wb") as file:
                file.write(bytes([trace]) + b"\x1e".join(requests))
    golden = os.path.join(ROOT, "tests/golden")
    for folder in sorted(os.listdir(golden)):
        here = os.path.join(golden, folder)
        for name in sorted(os.listdir(here)) if os.path.isdir(here) else []:
            path = os.path.join(here, name)
            if name.endswith((".json", ".jsonl", ".rc", ".py")) or not os.path.isfile(path) or \
                    os.path.getsize(path) > 2000:
                continue
            with open(path, "rb") as file:
                data = file.read()
            if b"\x1d" not in data:
                with open(os.path.join(to, folder + "-" + name), "wb") as file:
                    file.write(b"\xff" + data + b"\x1d" + b"\x1e".join(every[:5] + every[-1:]))


if __name__ == "__main__":
    main()
