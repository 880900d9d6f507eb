"""main.py - run the tests of this folder, and count them as `make check` does."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print("python: %s: not run: %s" % (test.id(), reason))


def main():
    sys.path.insert(0, HERE)
    loader = unittest.TestLoader()
    names = sys.argv[1:]
    suite = loader.loadTestsFromNames(names) if names else loader.discover(HERE, "test_*.py")
    done = unittest.TextTestRunner(sys.stdout, verbosity=1, resultclass=Result).run(suite)
    bad = len(done.failures) + len(done.errors) + len(done.unexpectedSuccesses)
    print("%d passed, %d failed" % (done.testsRun - bad - len(done.skipped), bad))
    return 1 if bad or not done.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
