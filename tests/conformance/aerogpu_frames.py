#!/usr/bin/env python3
"""aerogpu_frames.py - the public traces are drawn to the pixels that their manifest names.

aerogpu_frames.py RASTRUM FIXTURES
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tally import check, finish

RASTRUM, FIXTURES = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "aerogpu")


def run(*args, **more):
    done = subprocess.run([RASTRUM, *args], capture_output=True, timeout=120, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def path(*parts):
    return os.path.join(FIXTURES, *parts)


def golden_of(picture, work):
    """A directory in which that picture is the golden one of frame 0."""
    folder = tempfile.mkdtemp(dir=work)
    shutil.copy(picture, os.path.join(folder, "frame_0.png"))
    return folder


def manifest():
    """{file: hash} of the table of fixtures."""
    rows = re.findall(r"^\| (\S+\.aerogputrace) \|.*`([0-9a-f]{64})`", open(
        path("MANIFEST.md"), encoding="utf-8").read(), re.M)
    return dict(rows)


def judge_fixtures():
    wanted = manifest()
    traces = sorted(os.path.basename(p) for p in glob.glob(path("fixtures", "*")))
    check("manifest", traces == sorted(wanted), "it does not list the fixtures")
    for name in traces:
        rc, out, err = run("replay", "--size", "64x64", path("fixtures", name))
        check(name, (rc, out, err) == (0, f"frame 0: 64x64 sha256={wanted.get(name)}\n", ""),
              (rc, out, err))
        alone = run("replay", "--json", "--frame", "0", path("fixtures", name))
        frame = json.loads(alone[1])["frames"][0] if alone[0] == 0 else {}
        check(name + " alone", frame.get("sha256") == wanted.get(name) and not frame["inexact"],
              alone)


def judge_pictures(work):
    for picture in glob.glob(path("golden", "gpu_trace_*_64.png")):
        name = os.path.basename(picture)[len("gpu_trace_"):-len("_64.png")]
        trace = path("fixtures", {"triangle_red": "triangle"}.get(name, name) + ".aerogputrace")
        if os.path.exists(trace):  # one of the pictures is that of a trace that is not there
            rc, _, err = run("replay", "--golden", golden_of(picture, work), trace)
            check("golden " + name, rc == 0, err)
    for name in ("gradient", "upper"):
        golden = golden_of(path("probe", name + "-llvmpipe.png"), work)
        rc, _, err = run("replay", "--golden", golden, path("probe", name + ".aerogputrace"))
        check("probe " + name, rc == 0, err)
    # Its edges pass through the centres of pixels, and another rasterizer decides otherwise.
    golden = golden_of(path("probe", "upper-softpipe.png"), work)
    rc, _, err = run("replay", "--golden", golden, path("probe", "upper.aerogputrace"))
    check("probe upper, of another driver", rc == 1 and "64 pixels" in err and
          sorted(os.listdir(golden)) == ["frame_0.actual.png", "frame_0.diff.png",
                                         "frame_0.expected.png", "frame_0.png"], err)


def judge_mutations():
    """Damaged traces end with a line, never with a crash; what is called exact is exact."""
    red = manifest()["triangle.aerogputrace"]
    for trace in sorted(glob.glob(path("mutations", "*"))):
        name = os.path.basename(trace)
        rc, out, err = run("replay", trace)
        check(name, rc in (0, 2, 3) and (rc == 0 or err.startswith("rastrum: ")), (rc, out, err))
        check(name + ", its hash", all(red in line for line in out.splitlines()
                                       if "inexact" not in line), out)
        if name.startswith("huge_"):
            check(name + " is refused", rc == 2 and not out and "offset 144: CREATE_" in err, err)


def judge_place():
    """Neither an environment nor a home, nor privilege, is needed."""
    trace = path("fixtures", "triangle.aerogputrace")
    wanted = (0, f"frame 0: 64x64 sha256={manifest()['triangle.aerogputrace']}\n", "")
    got = run("replay", "--size", "64x64", trace, env={}, cwd="/")
    check("without an environment", got == wanted, got)
    if os.geteuid() == 0:
        got = run("replay", "--size", "64x64", trace, env={}, user=65534, group=65534,
                  extra_groups=[])
        check("as nobody", got == wanted, got)


def main():
    work = tempfile.mkdtemp(prefix="rastrum-frames-")
    try:
        judge_fixtures()
        judge_pictures(work)
        judge_mutations()
        judge_place()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    finish()


main()
