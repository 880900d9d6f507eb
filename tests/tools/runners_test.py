"""runners_test.py - the test runners themselves: they see what differs and count what ran."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import time

import sandbox


def load(name):
    """A script of tools as a module."""
    sys.path.insert(0, os.path.join(sandbox.ROOT, "tools"))
    loader = importlib.machinery.SourceFileLoader("script", os.path.join(sandbox.ROOT, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
    loader.exec_module(module)
    return module


def cli(files, *words):
    """Run the command-line cases in `files` with a program that says hello."""
    with sandbox.Sandbox(files) as box:
        runner = box.copy("tests/cli/run")
        program = box.write("program", "#!/bin/sh\necho hello $*\necho oops 12 >&2\nexit 3\n", True)
        status, said = sandbox.call([sys.executable, runner, program] + list(words))
        stored = {}
        for ending in ("out", "err", "rc"):
            path = os.path.join(box.path, "tests/cli/a/x." + ending)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as text:
                    stored[ending] = text.read()
        return status, said, stored


CASE = {"tests/cli/a/x.sh": "rastrum you\n", "tests/cli/a/x.out": "hello you\n",
        "tests/cli/a/x.err": "oops *\n", "tests/cli/a/x.rc": "3\n"}


def test_cli_passes_what_is_as_expected():
    status, said, _ = cli(CASE)
    assert (status, said) == (0, "1 passed, 0 failed\n"), said


def test_cli_runs_every_case_in_one_of_its_parts():
    three = {"tests/cli/a/%s.%s" % (name, ending): text for name in "xyz"
             for ending, text in (("sh", "rastrum\n"), ("out", "hello\n"), ("err", "*\n"),
                                  ("rc", "3\n"))}
    tallies = [cli(three, "--part=%d/2" % part)[:2] for part in (1, 2)]
    assert tallies == [(0, "2 passed, 0 failed\n"), (0, "1 passed, 0 failed\n")], tallies
    assert cli(three, "--part=3/2")[0] != 0


def test_cli_sees_other_output():
    status, said, _ = cli({**CASE, "tests/cli/a/x.out": "hello me\n"})
    assert status == 1 and "-hello me" in said and "0 passed, 1 failed" in said, said


def test_cli_sees_a_missing_newline():
    status, said, _ = cli({**CASE, "tests/cli/a/x.out": "hello you"})
    assert status == 1 and "last line's end" in said, said


def test_cli_sees_other_errors():
    for text in ("oops\n", "", "oops *\nmore\n", "oops [0-9]*\n", "oops ??\n"):
        status, said, _ = cli({**CASE, "tests/cli/a/x.err": text})
        assert status == 1, (text, said)


def test_cli_lets_a_star_stand_for_lines():
    for text in ("*\n", "*\noops 12\n", "oops 12\n*\n"):
        status, said, _ = cli({**CASE, "tests/cli/a/x.err": text})
        assert status == 0, (text, said)


def test_cli_sees_another_exit_status():
    status, said, _ = cli({**CASE, "tests/cli/a/x.rc": "0\n"})
    assert status == 1 and "ends with 3, not 0" in said, said


def test_cli_updates_what_it_expects_and_keeps_patterns():
    status, said, stored = cli({"tests/cli/a/x.sh": "rastrum\n", "tests/cli/a/x.err": "o*\n"},
                               "--update")
    assert status == 0, said
    assert stored == {"out": "hello\n", "err": "o*\n", "rc": "3\n"}, stored


def test_cli_tells_what_could_not_be_run():
    status, said, _ = cli({"tests/cli/a/x.sh": "echo no moon >&2\nexit 77\n"})
    assert (status, said) == (0, "a/x: not run: no moon\n0 passed, 0 failed\n"), said


def test_cli_runs_what_is_asked_for():
    _, said, _ = cli({**CASE, "tests/cli/b/y.sh": "true\n"}, "b")
    assert said == "1 passed, 0 failed\n", said


PROJECT = {"meson.build": "project('a', 'c')\nexecutable('a', 'a.c')\n",
           "meson_options.txt": "option('tests', type: 'boolean')\n",
           "a.c": "int main(void) { return 0; }\n"}


def test_make_says_that_it_builds_and_what_is_wrong():
    with sandbox.Sandbox(PROJECT) as box:
        box.copy("Makefile")
        box.write("tools/deps", "#!/bin/sh\n", True)
        for expected in ("building build/rastrum\n", ""):
            status, said = sandbox.call(["make", "--no-print-directory"], cwd=box.path)
            assert (status, said) == (0, expected), said
        box.write("a.c", "int main(void) { return; }\n#error wrong\n")
        status, said = sandbox.call(["make", "--no-print-directory"], cwd=box.path)
        assert status == 2 and "#error wrong" in said, said


def conformance(scripts, fixtures=True):
    with sandbox.Sandbox({"tests/conformance/%s.py" % n: t for n, t in scripts.items()}) as box:
        runner = box.copy("tests/conformance/run")
        if fixtures:
            os.mkdir(os.path.join(box.path, "here"))
        return sandbox.call(["sh", runner, "/bin/true"], {**os.environ, "RASTRUM_FIXTURES": "here"})


def test_conformance_says_when_there_is_nothing_to_conform_to():
    status, said = conformance({"a": "print('1 passed, 0 failed')"}, fixtures=False)
    assert (status, said) == (77, "conformance: here is absent, not run\n"), said


def test_conformance_adds_up():
    status, said = conformance({"a": "print('x differs')\nprint('2 passed, 1 failed')\nexit(1)",
                                "b": "print('3 passed, 0 failed')"})
    assert (status, said) == (1, "x differs\n5 passed, 1 failed\n"), said


def test_conformance_believes_no_script_that_dies():
    status, said = conformance({"a": "print('2 passed, 0 failed')\nexit(7)"})
    assert status == 1 and said.endswith("2 passed, 1 failed\n"), said
    status, said = conformance({"a": "raise SystemExit('no')"})
    assert status == 1 and said.endswith("0 passed, 1 failed\n"), said


def gen_golden(stored):
    """Check stored goldens of a format whose maker writes `one` and the directory `two`."""
    maker = ("import os, sys\nopen(sys.argv[1] + '/one.x', 'w').write('1')\n"
             "os.makedirs(sys.argv[1] + '/two', exist_ok=True)\n"
             "open(sys.argv[1] + '/two/part', 'w').write('2')\n")
    files = {"tests/golden/x/" + name: text for name, text in stored.items()}
    with sandbox.Sandbox({"tests/golden/x/make.py": maker, **files}) as box:
        return sandbox.call(["sh", box.copy("tools/gen-golden"), "--check"])


def test_goldens_are_what_is_made():
    status, said = gen_golden({"one.x": "1", "two/part": "2", "one.jsonl": "{}", "one.rc": "cat=0"})
    assert (status, said) == (0, "2 passed, 0 failed\n"), said


def test_goldens_that_were_edited_lost_or_added_are_seen():
    for stored, why in (({"one.x": "other", "two/part": "2"}, "differ"),
                        ({"one.x": "1", "two/part": "other"}, "differ"),
                        ({"two/part": "2"}, "No such file"),
                        ({"one.x": "1", "two/part": "2", "three.x": ""}, "does not make it")):
        status, said = gen_golden(stored)
        assert status == 1 and why in said, (stored, said)


def test_fuzz_refuses_what_it_does_not_know():
    with sandbox.Sandbox({"tests/fuzz/a_fuzz.c": ""}) as box:
        script = box.copy("tools/fuzz")
        for words, why in ((["soon"], "SECONDS is a number"), ([], "SECONDS is a number"),
                           (["5", "b"], "no tests/fuzz/b_fuzz.c")):
            status, said = sandbox.call(["sh", script] + words)
            assert status == 2 and why in said, (words, said)


def test_check_runs_nothing_that_was_not_asked_for():
    script = os.path.join(sandbox.ROOT, "tools/check")
    for words, ends, why in ((["--help"], 0, "stages: style"), (["--lnog"], 1, "--lnog"),
                             (["golden"], 1, "did you mean goldens?")):
        status, said = sandbox.call(["/usr/bin/python3", script] + words)
        assert status == ends and why in said and "passed" not in said, (words, said)


def test_check_builds_what_a_stage_runs_on():
    script = load("tools/check")
    stages, asked = script.choose(["--long", "long-tests", "style"])
    assert asked == {"gcc", "sanitizers", "long-tests", "style"}, asked
    assert [name for name, _, _ in stages if name in asked][-1] == "long-tests"


def test_check_has_stages_to_choose_from():
    script = load("tools/check")
    every = {name for name, _, _ in script.STAGES}
    long = {name for name, _, _ in script.LONG}
    assert script.choose([])[1] == every
    assert script.choose(["--long"])[1] == every | long
    assert script.choose(["--quick"])[1] == {"style", "includes", "gcc", "unit", "goldens"}
    assert script.choose(["cli"])[1] == {"gcc", "cli"}


def test_check_reports_stages_in_order():
    """However long each takes; what needs a broken one is not run."""
    script = load("tools/check")

    def stage(seconds, failed):
        def work(log):
            time.sleep(seconds)
            log.write("words\n")
            if failed is None:
                raise script.Broken("no luck")
            result = script.Result()
            result.add(2, failed)
            result.failures += [("a/test", ["why"])] * failed
            return result
        return work

    script.STAGES = [("a", None, stage(0.3, 0)), ("b", None, stage(0, None)),
                     ("c", "b", stage(0, 0)), ("d", "a", stage(0, 1))]
    script.PARTS, script.LONG = [], []
    here, said = os.getcwd(), io.StringIO()
    with sandbox.Sandbox({}) as box, contextlib.redirect_stdout(said):
        script.LOGS = os.path.join(box.path, "logs")
        sys.argv[1:], kept = [], sys.argv[1:]
        status = script.main()
    sys.argv[1:] = kept
    os.chdir(here)
    lines = said.getvalue().splitlines()
    assert status == 1 and [line[0] for line in lines if line[0] in "abcd"] == list("abcd"), lines
    assert "BROKEN: no luck" in lines[1] and "    | words" in lines, lines
    assert [line for line in lines if "not run" in line][0].startswith("c "), lines
    assert "FAILED d: a/test" in lines and "    why" in lines, lines
    assert lines[-1] == "4 passed, 3 failed", lines


def test_names_choose_tests():
    script = load("tools/test")
    tests = [{"name": name, "suite": ["rastrum:" + suite], "cmd": [command]}
             for name, suite, command in (
                 ("formats/murk_read", "unit", "a"), ("formats/cdt_read", "unit", "a"),
                 ("kill/murk", "property", "a"), ("core/merge", "unit", "a"),
                 ("cli/cases-1", "cli", "tests/cli/run"), ("cli/loaded", "cli", "loaded"),
                 ("golden/expected-1", "golden", "tests/golden/run"))]
    script.introspect = lambda directory, what: tests
    script.cases = lambda: ["diff/murk", "merge/two", "slice/help"]
    script.folders = lambda place: {"tests/cli": ["diff", "merge", "slice"],
                                    "tests/golden": ["cdt", "murk"]}[place]
    for words, expected in (
            (["murk"], ({"formats/murk_read", "kill/murk"}, ["diff/murk"], ["murk"])),
            (["murk", "unit"], ({"formats/murk_read"}, [], [])),
            (["murk", "golden"], (set(), [], ["murk"])),
            (["src/formats/murk/murk_read.c"], ({"formats/murk_read"}, [], [])),
            (["tests/unit/formats/cdt_read_test.c"], ({"formats/cdt_read"}, [], [])),
            (["merge"], ({"core/merge"}, ["merge"], [])),
            (["slice", "kill"], ({"kill/murk"}, ["slice"], [])),
            (["cli/slice/help"], (set(), ["slice/help"], [])),
            (["src/core"], ({"core/merge"}, [], [])),
            (["property"], ({"kill/murk"}, [], [])),
            (["loaded"], ({"cli/loaded"}, [], []))):
        assert script.select(words) == expected, (words, script.select(words))
    try:
        script.select(["mruk"])
    except SystemExit as refusal:
        assert "did you mean murk" in str(refusal), refusal
    else:
        raise AssertionError("mruk is taken for a test")


def test_check_counts_single_tests():
    count = load("tools/suites.py").count
    tap = "1..2\nok 1 - a\nnot ok 2 - b\n# not ok - group\n"
    cases = [
        ({"result": "OK", "stdout": "ok 1 - a\nok 2 - b\n"}, (2, 0)),
        ({"result": "FAIL", "stdout": tap}, (1, 1)),
        ({"result": "FAIL", "stdout": "ok 1 - a\n"}, (1, 1)),
        ({"result": "OK", "stdout": "ok 1 - a\nnot ok 2 # SKIP b\n"}, (1, 0)),
        ({"result": "TIMEOUT"}, (0, 1)),
        ({"result": "OK"}, (1, 0)),
        ({"result": "OK", "stdout": "odd\n12 passed, 0 failed\n"}, (12, 0)),
        ({"result": "FAIL", "stdout": "12 passed, 0 failed\n"}, (12, 1)),
        ({"result": "SKIP", "stdout": "absent"}, (0, 0)),
    ]
    for test, expected in cases:
        assert count(test) == expected, (test, count(test))


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])
