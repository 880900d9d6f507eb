#!/usr/bin/env python3
"""cdt_compare.py - dbg diff, bisect, focus, tick, entity, query and health of CDT traces.

cdt_compare.py RASTRUM FIXTURES

Held to the golden outputs byte by byte, and then to the fixtures' own re-implementation of the
reference tool, which shares nothing with the program, on many more commands.
"""
import contextlib
import glob
import io
import os
import shutil
import subprocess
import sys
import tempfile

from tally import check, finish, some

RASTRUM, FIXTURES = sys.argv[1], os.path.join(sys.argv[2], "cdt")
sys.path.insert(0, os.path.join(FIXTURES, "tools"))
import ref_cdt  # noqa: E402


def split(line):
    """A golden's command: words, but a query's expression goes up to the first ` --`."""
    words = line.strip().split(" ")
    if words[0] != "query":
        return words
    expression, *options = " ".join(words[2:]).split(" --")
    return words[:2] + [expression] + [w for o in options for w in ("--" + o).split(" ")]


def run(args, folder):
    done = subprocess.run([RASTRUM, "dbg", *args], cwd=folder, capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def read(path):
    with open(path, "rb") as file:
        return file.read()


def goldens(folder):
    """In a copy of the folder of the traces, so that reports land beside the goldens' names."""
    os.mkdir(os.path.join(folder, "golden"))
    for path in glob.glob(os.path.join(FIXTURES, "*.cdt")):
        os.symlink(path, os.path.join(folder, os.path.basename(path)))
    for path in sorted(glob.glob(os.path.join(FIXTURES, "golden", "*.cmd"))):
        name = os.path.basename(path)[:-4]
        base = path[:-4]
        rc, out, err = run(split(read(path).decode()), folder)
        check(name + ".out", out == read(base + ".out"), out)
        check(name + ".err", err == read(base + ".err"), err)
        check(name + ".rc", rc == int(read(base + ".rc")), rc)
        if os.path.exists(base + ".json"):
            report = os.path.join(folder, "golden", name + ".json")
            check(name + ".json", os.path.exists(report) and read(report) == read(base + ".json"),
                  "differs or is not there")


# ---- beside the reference ------------------------------------------------------------------------

# One a line: the scope, a condition.
EXPRESSIONS = r"""
ticks where tick_index == 3
ticks where checkpoint.kills > prev(checkpoint.kills)
ticks where prev(tick_index) == none
ticks where prev(tick_index) == 4
ticks where checkpoint.bonus_timers.9 > 0
ticks where checkpoint.deaths != []
ticks where checkpoint.deaths == []
ticks where checkpoint.events.sfx_head == ['sfx_ui_bonus']
ticks where checkpoint.events.sfx_head > 'a'
ticks where entity_counts.creatures >= 2
ticks where top_event_types != ['hit_count:0', 'pickup_count:0', 'sfx_count:0']
ticks where rng_stream_count == timing_samples_count
ticks where checkpoint == none
ticks where checkpoint.tutorial == None
ticks where checkpoint.players.0.health == none
ticks where event_count_total < 1.0
ticks where event_count_total == true
ticks where mode_id == '1'
ticks where mode_id == ' 1_0 '
ticks where mode_id == 0x1
ticks where elapsed_ms >= 1e2
ticks where elapsed_ms <= .5e2
ticks where elapsed_ms == 96.
ticks where  elapsed_ms!=96
ticks where 32 == elapsed_ms
ticks where 007 == elapsed_ms
ticks where -1 < elapsed_ms
ticks where elapsed_ms >= -  1
ticks where checkpoint.perk.choices == [0, 0, 0, 0, 0, 0, 0]
ticks where checkpoint.perk.choices == (0, 0)
ticks where checkpoint.perk.choices >= [0]
ticks where checkpoint.perk.choices_dirty == false
ticks where x == y
ticks where x != y
ticks where x > y
ticks where channels == none
ticks where checkpoint.kills. == none
ticks where .kills == none
ticks where nan != 'nan'
ticks where 'nan' != 'nan'
ticks where 'inf' > mode_id
ticks where a >=
ticks where a>==b
ticks where == 3
ticks where a = 3
ticks where
ticks wherea == 3
Ticks where a == 3
ticks where prev() == 1
ticks where prev( ) == 1
ticks where prev(a == 1
ticks where a == 'it''s'
ticks where a == "q\n\x41\u00e9"
ticks where a == r'\n'
ticks where a == {1: 2}
ticks where a == [1, [2, 'x'], None, True]
ticks where a == 12345678901234567890123
ticks where tick_index > 5 # a comment
ticks where 3 < tick_index # 4
ticks where 1, 2 >= tick_index
ticks where a > 1, 'x', # and so on
ticks where tick_index == 1,
ticks where tick_index == 1,,
ticks where a == #
ticks where elapsed_ms < 12345678901234567890
entities where pool_kind == creature
entities where pool_kind == 'creature'
entities where hp > 25
entities where hp < 25
entities where hp == none
entities where pos.x > 500
entities where pos == {'x': 34.0, 'y': 104}
entities where vel == None
entities where vel.x < 0
entities where uid == 0
entities where tick_index == 2
entities where tick_index.x == none
entities where prev(hp) == none
entities where active == 1
entities where picked == false
entities where type_id == type_id
entities where index >= uid
entities where move_speed > 1.5
entities where pos > 'a'
entities where pool_kind < 'c'
frames where a == 1
""".splitlines()[1:] + [
    "ticks where ", "ticks where  ", "   ticks   where elapsed_ms != 96   ",
    "ticks where entity_counts == {'creatures': 1, 'projectiles': 1, "
    "'secondary_projectiles': 0, 'bonuses': 0}"]


TRACES = ["small.cdt", "small_zig.cdt", "small_frida.cdt", "small_gapped.cdt",
          "small_chunk4.cdt", "small_plain.cdt", "small_drop_t5.cdt", "small_mut_t6_all.cdt",
          "small_mut_t4_checkpoint.cdt", "small_mut_t4_entity_samples.cdt"]
WINDOWS = (["--tick-start", "3"], ["--tick-end", "5"], ["--tick-start", "7", "--tick-end", "2"],
           ["--tick-start", "-5", "--tick-end", "4"], ["--tick-start", "6", "--tick-end", "6"])
RANGES = ("2..4", "2..", "..3", "4", "", " 2 .. 4 ", "x", "2..x", "7..3", "+2..4", "a'b..3")
LARGE = "large_2000.cdt", "large_2000_mut_t1777.cdt"


def commands():
    for a in TRACES:
        for b in TRACES:
            yield "diff", a, b
            yield "bisect", a, b, "--window-before", "3", "--window-after", "0"
        yield "health", a
        yield "health", a, "--tick-start", "3", "--tick-end", "4"
        yield "health", a, "--tick-start", "90"
        for tick in ("-1", "0", "4", "5", "6", "9", "10"):
            yield "tick", a, "--json", "--", tick
            yield "tick", a, "--", tick
            yield "focus", "small.cdt", a, "--tick", tick
            yield "focus", "small.cdt", a, "--tick", tick, "--json"
            yield "focus", a, "small.cdt", "--tick", tick, "--json"
        for uid in ("0", "1", "15", "999999", "-1"):
            yield "entity", a, "--", uid
            yield "entity", a, "--json", "--", uid
    for window in WINDOWS:
        yield "diff", "small.cdt", "small_mut_t6_all.cdt", *window
        yield "diff", "small.cdt", "small_chunk4.cdt", *window
        yield "bisect", "small.cdt", "small_gapped.cdt", *window
    for ticks in RANGES:
        yield "entity", "small.cdt", "0", "--ticks", ticks, "--json"
        yield "entity", "small.cdt", "0", "--ticks", ticks
    for expression in EXPRESSIONS:
        yield "query", "small.cdt", expression
        yield "query", "small_zig.cdt", expression, "--json", "--limit", "2"
    yield "diff", *LARGE
    yield "focus", *LARGE, "--tick", "1777", "--json"
    yield "entity", LARGE[0], "3"
    yield "tick", LARGE[0], "1999"
    yield "health", LARGE[0]
    yield "query", LARGE[0], "entities where hp < 20", "--limit", "5"


def reference(args):
    """What the fixtures' tool does, in this process: starting it a thousand times is slow."""
    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["ref_cdt.py", *args]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            rc = ref_cdt.main()
    finally:
        sys.argv = argv
    return rc, out.getvalue().encode(), err.getvalue().encode()


def beside(folder):
    os.chdir(folder)
    for args in some(commands()):
        got, want = run(args, folder), reference(args)
        for what, x, y in zip(("exit status", "stdout", "stderr"), got, want):
            check(" ".join(args) + ": " + what, x == y, f"{x!r}, wanted {y!r}")
    os.chdir("/")


def main():
    folder = tempfile.mkdtemp(prefix="rastrum-compare-")
    try:
        goldens(folder)
        beside(folder)
    finally:
        shutil.rmtree(folder)
    finish()


if __name__ == "__main__":
    main()
