"""suites.py - build a configuration, run tests in it, and count what really ran."""
import json
import os
import re
import shlex
import shutil
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = str(max(2, os.cpu_count() or 2))
TALLY = re.compile(r"^(\d+) passed, (\d+) failed$")
TAP = re.compile(r"^(ok|not ok) \d+(?! # SKIP)\b", re.M)
NOT_RUN = re.compile(r"^.*: (?:not run: .*|passed when repeated alone)$", re.M)
TAP_SKIP = re.compile(r"^(?:not )?ok \d+ # SKIP (.*)$", re.M)


class Broken(Exception):
    """The stage itself could not run to its end."""


class Result:
    def __init__(self):
        self.passed = self.failed = 0
        self.remarks = []
        self.failures = []  # (name, the last lines of its output)

    def add(self, passed, failed):
        self.passed += passed
        self.failed += failed

    def join(self, other):
        self.add(other.passed, other.failed)
        self.remarks += other.remarks
        self.failures += other.failures


def run(log, command, env=None):
    """Run a command, append its output to the log; its exit status and its output."""
    log.write("$ " + " ".join(command) + "\n")
    log.flush()
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = process.stdout.read()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    log.write(text)
    log.write("# %.1f s, of the processors %.1f s\n" % (time.monotonic() - start,
                                                      used.ru_utime + used.ru_stime))
    return process.returncode, text


def said_of_failures(lines):
    """The lines that say what failed, each with those that are indented below it."""
    found, inside = [], False
    for line in lines:
        inside = line.startswith(("not ok", "FAIL")) or (inside and line.startswith(" "))
        if inside:
            found.append(line)
    return found[:40]


def script(log, command, env=None):
    """A suite that ends with the line `N passed, M failed`."""
    result = Result()
    status, text = run(log, command, env)
    lines = text.strip().splitlines()
    tally = TALLY.match(lines[-1]) if lines else None
    if not tally:
        raise Broken("%s printed no tally (exit status %d)" % (command[0], status))
    result.add(int(tally[1]), int(tally[2]))
    result.remarks += NOT_RUN.findall(text)
    if result.failed:
        result.failures.append((" ".join(command), said_of_failures(lines) or lines[-13:-1]))
    if status and not result.failed:
        raise Broken("%s ended with exit status %d" % (command[0], status))
    return result


def debian_flags(log):
    """As Debian builds it, with warnings as errors. A fresh clone below this one that is built so
    finds its objects in the compiler's cache: no flag names a directory. Elsewhere only that."""
    if not shutil.which("dpkg-buildflags"):
        return {"CFLAGS": "-Werror"}
    status, text = run(log, ["dpkg-buildflags", "--export=cmdline"],
                       {"DEB_BUILD_MAINT_OPTIONS": "reproducible=-fixfilepath,-fixdebugpath"})
    if status:
        raise Broken("dpkg-buildflags ended with exit status %d" % status)
    flags = dict(word.split("=", 1) for word in shlex.split(text))
    return {"CFLAGS": flags["CFLAGS"] + " -Werror", "CPPFLAGS": flags["CPPFLAGS"],
            "LDFLAGS": flags["LDFLAGS"], "CCACHE_BASEDIR": ROOT, "CCACHE_NOHASHDIR": "1"}


def configure(log, directory, options, env=None):
    """Make the build directory, or give an old one these options."""
    configured = os.path.exists(os.path.join(ROOT, directory, "build.ninja"))
    setup = ["meson", "configure", directory] if configured else ["meson", "setup", directory]
    if run(log, setup + ["-Dtests=true"] + options, env)[0]:
        raise Broken("%s cannot be configured" % directory)


def ninja(log, directory, targets=(), env=None):
    if run(log, ["ninja", "-C", directory, "-j", JOBS] + list(targets), env)[0]:
        raise Broken("%s does not build" % directory)


def build(log, directory, options, compiler=None, targets=None, env=None):
    """Build everything, or the targets that the function names once meson knows them."""
    env = {**(env or {}), **({"CC": compiler} if compiler else {})}
    configure(log, directory, options, env)
    ninja(log, directory, targets() if targets else [], env)
    result = Result()
    result.add(1, 0)
    return result


def count(test):
    """How many single tests passed and failed in one program of meson's log."""
    if test["result"] == "SKIP":
        return 0, 0
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    passed = failed = 0
    text = test.get("stdout") or ""
    lines = [line for line in text.splitlines() if TALLY.match(line)]
    if lines:
        passed, failed = (int(n) for n in TALLY.match(lines[-1]).groups())
    else:
        marks = TAP.findall(text)
        passed, failed = marks.count("ok"), marks.count("not ok")
    if good:
        return max(passed, 1), failed
    return passed, max(failed, 1)


def last_words(test):
    """The output of a failed test, without the lines of what passed."""
    lines = []
    for stream in ("stdout", "stderr"):
        text = (test.get(stream) or "").splitlines()
        text = [line for line in text if line.strip() and not line.startswith("ok ")]
        lines += text[-12:]
    return lines


def judge(result, test):
    """Add one program of meson's log to the result."""
    text = test.get("stdout") or ""
    result.add(*count(test))
    result.remarks += NOT_RUN.findall(text)
    for name in TAP_SKIP.findall(text):
        result.remarks.append("%s: %s skipped" % (test["name"], name))
    if test["result"] == "SKIP":
        lines = text.strip().splitlines()
        result.remarks.append(lines[-1] if lines else test["name"] + ": skipped")
    elif test["result"] not in ("OK", "EXPECTEDFAIL"):
        result.remarks.append("%s: %s" % (test["name"], test["result"].lower()))
        result.failures.append((test["name"], last_words(test)))


def meson_test(log, directory, arguments, env=None, jobs=JOBS):
    result = Result()
    # Suites of one build may run at the same time.
    base = os.path.basename(getattr(log, "name", "testlog")).replace(".log", "-tests")
    path = os.path.join(ROOT, directory, "meson-logs", base + ".json")
    if os.path.exists(path):
        os.remove(path)
    command = ["meson", "test", "-C", directory, "--no-rebuild", "--num-processes", jobs,
               "--print-errorlogs", "--logbase", base]
    status, text = run(log, command + arguments, env)
    if not os.path.exists(path):
        if "No tests defined" in text or "No suitable tests" in text:
            result.remarks.append("no tests")
            return result
        raise Broken("meson test left no log (exit status %d)" % status)
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            judge(result, json.loads(line))
    if status and not result.failed:
        raise Broken("meson test ended with exit status %d" % status)
    return result


def targets_of(directory, wanted):
    """The files that tests need: of those tests for which wanted(test) is true."""
    place = os.path.join(ROOT, directory)
    files = {target["id"]: os.path.relpath(target["filename"][0], place)
             for target in introspect(directory, "targets")}
    needs = {need for test in introspect(directory, "tests") if wanted(test)
             for need in test["depends"]}
    return sorted(files[need] for need in needs)


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


def introspect(directory, what):
    """What meson knows of a build directory: its `tests` or `targets`."""
    path = os.path.join(ROOT, directory, "meson-info", "intro-%s.json" % what)
    with open(path, encoding="utf-8") as text:
        return json.load(text)
