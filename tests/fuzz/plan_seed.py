#!/usr/bin/python3
"""plan_seed.py - small programs and libraries, for the planner of patches.

plan_seed.py DIRECTORY
"""
import os
import subprocess
import sys

RULES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hooks/rules.S")


def main():
    small = ["-Wl,--build-id=none", "-Wl,-z,noseparate-code", "-Wl,-z,norelro",
             "-Wl,--hash-style=sysv"]
    for name, flags in (("library", ["-shared", "-Wl,-Bsymbolic"]),
                        ("stripped", ["-shared", "-s", "-Wl,-Bsymbolic"]),
                        ("fixed", ["-no-pie", "-static", "-Wl,-e,rule_moved"]),
                        ("fixed_stripped", ["-no-pie", "-static", "-s", "-Wl,-e,rule_moved"])):
        subprocess.run(["gcc", "-nostdlib", *small, *flags, RULES, "-o",
                        os.path.join(sys.argv[1], name)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    main()
