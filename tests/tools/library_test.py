"""library_test.py - tools/check-library sees variables, printing and ends of the program."""
import os
import sys

import sandbox

CHECK = os.path.join(sandbox.ROOT, "tools", "check-library")


def said_of(text):
    """What is said of a library of one object, compiled as the real one is."""
    with sandbox.Sandbox({"one.c": text}) as box:
        obj, lib = os.path.join(box.path, "one.o"), os.path.join(box.path, "lib.a")
        status, said = sandbox.call(["gcc", "-O2", "-fPIC", "-c", os.path.join(box.path, "one.c"),
                                     "-o", obj])
        assert status == 0, said
        sandbox.call(["ar", "rc", lib, obj])
        status, said = sandbox.call([CHECK, lib])
        assert status == (0 if said.endswith("1 passed, 0 failed\n") else 1), said
        return said


def test_code_and_constant_tables_pass():
    said = said_of('int f(int i) { return i + 1; }\nstatic const char *const t[] = {"a", "b"};\n'
                   'const char *g(int i) { return t[i & 1]; }\nconst int n[4] = {1, 2};\n')
    assert said == "1 passed, 0 failed\n", said


def test_variables_are_seen():
    for text in ("int a;", "int a = 3;", "static int a; int f(void) { return a++; }",
                 "static int a = 1; int f(void) { return a++; }",
                 "static char a[9] = \"x\"; char *f(void) { return a; }",
                 "static __thread int a; int f(void) { return a++; }",
                 "int f(void) { static int a; return a++; }"):
        said = said_of(text + "\n")
        assert "one.o: the variable a" in said, (text, said)


def test_printing_is_seen():
    said = said_of('#include <stdio.h>\nvoid f(int n) { printf("%d", n); }\n')
    assert "one.o: calls printf" in said, said
    said = said_of('#include <stdio.h>\nvoid f(void) { fputs("x", stderr); }\n')
    assert "one.o: calls stderr" in said, said


def test_text_in_memory_is_no_printing():
    said = said_of('#include <stdio.h>\nvoid f(char *s, int n) { snprintf(s, 4, "%d", n); }\n')
    assert said == "1 passed, 0 failed\n", said


def test_ends_of_the_program_are_seen():
    for name in ("abort()", "exit(1)", "_exit(1)"):
        said = said_of("#include <stdlib.h>\n#include <unistd.h>\nvoid f(void) { %s; }\n" % name)
        assert "one.o: calls " + name.split("(")[0] in said, said


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])
