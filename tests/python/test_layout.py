"""Structures of the package are those of the headers."""
import ctypes
import os
import subprocess
import tempfile
import unittest

import common
from rastrum import _c


def members(structure):
    """Name in C and offset of every member; that of an anonymous union is its first one's."""
    for field in structure._fields_:
        name, offset = field[0], getattr(structure, field[0]).offset
        yield ("u" if name == "cell" else name.rstrip("_")), offset


class Layout(unittest.TestCase):
    def test_sizes_and_offsets(self):
        own, rows = {}, []
        for name, structure in _c.LAYOUTS.items():
            own["struct " + name] = ctypes.sizeof(structure)
            rows.append("SIZE(%s);" % name)
            for member, offset in members(structure):
                own["%s.%s" % (name, member)] = offset
                rows.append("PLACE(%s, %s);" % (name, member))
        with tempfile.TemporaryDirectory() as place:
            with open(os.path.join(place, "layout.inc"), "w", encoding="utf-8") as file:
                file.write("\n".join(rows) + "\n")
            target = os.path.join(place, "layout")
            subprocess.run(["gcc", "-std=c17", "-I" + os.path.join(common.ROOT, "include"),
                            "-I" + place, os.path.join(common.ROOT, "tests/python/layout.c"), "-o",
                            target], check=True)
            text = subprocess.run([target], stdout=subprocess.PIPE, text=True, check=True).stdout
        found = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in text.splitlines()}
        self.assertEqual(found, own)
        self.assertGreater(len(own), 250)

    def test_functions_are_there(self):
        for library, functions in ((_c.lib, _c._CORE), (_c.sql, _c._SQL), (_c.pens, _c._PENS)):
            for name in functions:
                self.assertIsNotNone(getattr(library, name))


if __name__ == "__main__":
    unittest.main()
