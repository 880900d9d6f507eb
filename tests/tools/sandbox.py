"""sandbox.py - a small tree to try a script on, and the tally of a test script."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Sandbox:
    """A temporary directory with files in it, gone at the end."""

    def __init__(self, files=None):
        self.path = tempfile.mkdtemp(prefix="rastrum-tools-")
        for name, text in (files or {}).items():
            self.write(name, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def write(self, name, text, executable=False):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        if executable:
            os.chmod(path, 0o755)
        return path

    def copy(self, name):
        """A file of the repository at the same place in here."""
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), path)
        return path


def call(command, env=None, cwd=None):
    """Exit status and everything said."""
    done = subprocess.run(command, env=env, cwd=cwd, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def main(module):
    """Run every function of the module whose name begins with test_."""
    passed = failed = 0
    for name, test in sorted(vars(module).items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            passed += 1
        except AssertionError as error:
            failed += 1
            print("%s: %s" % (name, error))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
