"""deps_test.py - what tools/deps does on machines that have, lack or refuse packages."""
import os
import shutil
import sys
import time

import sandbox

DEPS = os.path.join(sandbox.ROOT, "tools", "deps")


def machine(box, missing=(), root=True, sudo=True, dpkg=True, update=0, install=0):
    """An environment with its own dpkg-query, apt-get, sudo and id; apt-get keeps a log."""
    folder = os.path.join(box.path, "bin")
    os.makedirs(folder, exist_ok=True)
    for name in ("env", "cat"):
        os.symlink(shutil.which(name), os.path.join(folder, name))
    absent = "|".join(missing) or "none-at-all"
    if dpkg:
        # As the real one: unknown packages go unmentioned and spoil the exit status.
        box.write("bin/dpkg-query", """#!/bin/sh
shift 3; rc=0
for p in "$@"; do
    case $p in %s) rc=1 ;; *) printf 'installed=%%s ' "$p" ;; esac
done
exit $rc
""" % absent, True)
    box.write("bin/apt-get", """#!/bin/sh
echo "apt-get $*" >> '%s/log'
case "$*" in *update*) exit %d ;; *) exit %d ;; esac
""" % (box.path, update, install), True)
    box.write("bin/id", "#!/bin/sh\necho %d\n" % (0 if root else 1000), True)
    if sudo:
        box.write("bin/sudo", "#!/bin/sh\necho sudo >> '%s/log'\nexec \"$@\"\n" % box.path, True)
    return {"PATH": folder}


def deps(box, env, *words):
    status, said = sandbox.call(["/bin/sh", DEPS] + list(words), env=env)
    log = os.path.join(box.path, "log")
    done = ""
    if os.path.exists(log):
        with open(log, encoding="utf-8") as text:
            done = text.read()
    return status, said, done


def test_all_there_is_silent_and_asks_for_nothing():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box), "check")
        assert (status, said, done) == (0, "", ""), (status, said, done)


def test_missing_packages_are_installed_by_name():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box, ["meson", "libzstd-dev"]), "build")
        assert status == 0, said
        lines = done.splitlines()
        assert len(lines) == 2 and "update" in lines[0], done
        assert lines[1].endswith("install -y --no-install-recommends meson libzstd-dev"), done


def test_a_list_installs_nothing_and_fails():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box, ["meson", "gcc"]), "--list", "build")
        assert status == 1 and not done, (status, said, done)
        assert "missing packages: gcc meson" in said and "make deps" in said, said
        assert "sudo apt-get install gcc meson" in said, said
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box), "--list", "build")
        assert (status, said, done) == (0, "", ""), (status, said, done)


def test_a_package_of_two_groups_is_installed_once():
    with sandbox.Sandbox() as box:
        _, _, done = deps(box, machine(box, ["gcc"]), "build", "fuzz")
        assert done.splitlines()[1].count("gcc") == 1, done


def test_without_root_sudo_is_used():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box, ["gcc"], root=False), "build")
        assert status == 0 and done.count("sudo") == 2, (said, done)


def test_without_root_and_sudo_it_says_what_to_type():
    with sandbox.Sandbox() as box:
        env = machine(box, ["gcc", "meson"], root=False, sudo=False)
        status, said, done = deps(box, env, "build")
        assert status == 1 and "apt-get install gcc meson" in said and not done, (said, done)


def test_lists_that_cannot_be_refreshed_do_not_stop_it():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box, ["gcc"], update=100), "build")
        assert status == 0 and "install -y" in done, (said, done)


def test_a_failing_installation_fails():
    with sandbox.Sandbox() as box:
        status, _, _ = deps(box, machine(box, ["gcc"], install=100), "build")
        assert status == 100, status


def test_elsewhere_than_on_debian_it_says_what_is_needed():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box, dpkg=False), "build")
        assert status == 0 and "libdeflate-dev" in said and not done, (said, done)


def test_a_dry_run_changes_nothing():
    with sandbox.Sandbox() as box:
        status, said, done = deps(box, machine(box, ["gcc"]), "--dry-run", "build")
        assert (status, said, done) == (0, "would install: gcc\n", ""), (status, said, done)


def test_an_unknown_group_is_refused():
    with sandbox.Sandbox() as box:
        status, said, _ = deps(box, machine(box), "everything")
        assert status == 2 and "everything" in said, said


def best_of(command):
    best = 60.0
    for _ in range(20):
        start = time.monotonic()
        sandbox.call(command)
        best = min(best, time.monotonic() - start)
    return best


def test_it_is_instant_when_all_is_there():
    """It asks one question, and takes little longer than that."""
    asked = best_of(["sh", "-c", "dpkg-query -W dash"])
    best = best_of([DEPS, "--dry-run", "check", "fuzz"])
    assert best < 6 * asked + 0.05, "%.0f ms, a question %.0f" % (best * 1000, asked * 1000)


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])
