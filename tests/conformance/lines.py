"""lines.py - every fixture goes through JSON Lines and comes back the same, byte for byte."""
import os
import sys

PROGRAM, FIXTURES = sys.argv[1:3]
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "lines")
os.execv(SCRIPT, [SCRIPT, PROGRAM] + [os.path.join(FIXTURES, name) for name in (
    "murk", "cdt", "dial9", "aerogpu", "atf")])
