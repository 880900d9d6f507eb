"""style_test.py - tools/check-style sees every breach of the style a machine can hold."""
import os
import sys

import sandbox

CHECK = os.path.join(sandbox.ROOT, "tools", "check-style")
OPENING = "/* a.c - a sample. */\n"


def complaints(files):
    with sandbox.Sandbox(files) as box:
        box.copy(".clang-format")
        status, said = sandbox.call([CHECK, "--root", box.path])
        assert status == (0 if " 0 failed" in said else 1), said
        return said


def refuses(text, why, name="src/base/a.c", line=None):
    said = complaints({name: text})
    assert name + ":" in said and why in said, said
    assert line is None or "%s:%d: " % (name, line) in said, said


def allows(files):
    said = complaints(files)
    assert said.splitlines()[-1].endswith(" 0 failed"), said


def function(lines):
    """A function whose signature, braces and body take so many lines."""
    return OPENING + "int f(void)\n{\n" + "    f();\n" * (lines - 4) + "    return 0;\n}\n"


def test_a_good_file_passes():
    allows({"src/base/a.c": OPENING + "int f(void)\n{\n    return 0;\n}\n"})


def test_layout_is_clang_formats():
    refuses(OPENING + "int f(void) {\n  return 0; }\n", "clang-format-14 -i")


def test_blanks_tabs_and_columns():
    refuses(OPENING + "int a; \n", "blanks at the end", line=2)
    refuses(OPENING + "\tint a;\n", "a tab", line=2)
    refuses(OPENING + "/* " + "x" * 100 + " */\n", "columns", line=2)
    refuses(OPENING + "int a;", "no newline at the end")
    refuses(OPENING + "int a;\r\n", "blanks at the end", line=2)


def test_a_document_has_120_columns_where_it_can_be_broken():
    long = "word " * 24 + "words\n"
    refuses("# A\n\n" + long, "125 columns; a document has 120", name="docs/a.md", line=3)
    refuses("# A\n\n- `a` " + "x" * 120 + "\n", "columns", name="docs/a.md", line=3)
    refuses("```\nx\n```\n" + long, "columns", name="docs/a.md", line=4)
    allows({"docs/a.md": "```\n" + long + "```\n| " + long + "`" + long.strip() + "`\n"})


def test_json_is_written_by_its_writer():
    for literal in (r'",\"seed\":%d"', r'"{\"a"', r'"  \"threads\": ["', r'"{ \"x\" "'):
        text = OPENING + "void f(void)\n{\n    put(" + literal + ");\n}\n"
        refuses(text, "JSON written by hand", name="src/cli/a.c", line=4)
        refuses(text, "JSON written by hand", name="src/core/a.c", line=4)
        allows({"tests/unit/core/a.c": text})
        allows({"src/codec/json_write.c": text.replace("a.c", "json_write.c")})
    allows({"src/cli/a.c": OPENING + "/* {\"a\": 1} */\n" + "void f(void)\n{\n"
            "    put(\"seed: %d {%s}\\n\", 1);\n    put(\"a \\\"name\\\", b\");\n}\n"})


def test_narrow_floats_are_not_bits_in_a_wide_word():
    put = OPENING + "void f(void)\n{\n    value_put(c, RAS_F32, 32, field, 0, bits);\n}\n"
    refuses(put, "value_f32()", name="src/core/a.c", line=4)
    cell = OPENING + "struct v v = {.kind = RAS_F32, .u = bits};\n"
    refuses(cell, "value_f32()", name="src/core/a.c", line=2)


def test_traces_lie_under_tests():
    refuses("ATI2\0\1", "not text", name="ada_traces/index.atf")
    allows({"tests/golden/atf/index.atf": "ATI2\0\1"})


def test_the_first_comment_names_the_file():
    refuses("/* b.c - a sample. */\nint a;\n", "the first line", line=1)
    refuses("int a;\n", "the first line", line=1)
    refuses("/* a.c - a sample */\nint a;\n", "not a sentence")
    refuses("#!/bin/sh\necho\n", "the second line", name="tools/thing")
    allows({"src/base/a.c": "/* a.c - a sample\n * of two lines. */\nint a;\n",
            "tools/thing": "#!/bin/sh\n# thing - a sample.\necho\n"})


def test_functions_and_files_stay_short():
    allows({"src/base/a.c": function(70)})
    refuses(function(71), "a function of 71 lines", line=2)
    refuses(OPENING + "int a;\n" * 799, "800 lines")
    allows({"src/base/a.c": OPENING + "int a;\n" * 598})


def test_a_long_table_is_no_function():
    allows({"src/base/a.c": OPENING + "const int t[] = {\n" + "    1, // one\n" * 90 + "};\n"})


def test_braces_in_strings_and_comments_do_not_count():
    body = '    f("}\\"{"); /*\n}\n*/\n' * 10
    text = OPENING + "int f(void)\n{\n" + body + "    f();\n" * 45 + "}\n"
    said = complaints({"src/base/a.c": text})
    assert "a function of 78 lines" in said, said


def test_file_names_are_unique():
    said = complaints({"src/base/a.c": OPENING, "src/core/a.c": OPENING})
    assert "src/core/a.c:1: src/base/a.c bears the same name" in said, said


def test_file_names_do_not_end_in_ing():
    said = complaints({"src/gpu/drawing.c": "/* drawing.c - a sample. */\n"})
    assert "src/gpu/drawing.c:1: " in said and "-ing" in said, said
    allows({"src/record/byte_ring.h": "/* byte_ring.h - a sample. */\n",
            "tests/unit/a_thing.c": "/* a_thing.c - a sample. */\n"})


def test_function_names_are_unique_in_a_folder():
    body = "static int %s(void)\n{\n    return 0;\n}\n"
    first = {"src/gpu/a.c": OPENING + body % "draw"}
    said = complaints({**first, "src/gpu/b.c": "/* b.c - a sample. */\n" + body % "draw"})
    assert "src/gpu/b.c:2: src/gpu/a.c has a function draw, too" in said, said
    for name in ("src/gpu/b_windows.c", "src/world/b.c"):
        opening = "/* %s - a sample. */\n" % os.path.basename(name)
        allows({**first, name: opening + body % "draw"})


def test_declared_functions_are_called():
    header = "/* a.h - a sample. */\n#ifndef A_H\n#define A_H\nint a_get(int);\n#endif\n"
    body = OPENING + "/* a_get() */\nint a_get(int n)\n{\n    return n;\n}\n"
    said = complaints({"src/base/a.h": header, "src/base/a.c": body})
    assert "src/base/a.h:4: nothing calls a_get" in said, said
    allows({"src/base/a.h": header, "src/base/a.c": body,
            "tests/a_test.c": "/* a_test.c - a sample. */\nint n = a_get(1);\n"})


def test_scripts_import_what_is_there():
    module = {"tools/parts.py": '"""parts.py - a sample."""\nROOT = 1\n'}
    script = '#!/usr/bin/python3\n"""use - a sample."""\nfrom parts import %s\n'
    said = complaints({**module, "tools/use": script % "ROOT, Failed"})
    assert "tools/use:3: tools/parts.py has no Failed" in said, said
    allows({**module, "tools/use": script % "ROOT"})


def test_unfinished_work_has_an_issue():
    refuses(OPENING + "/* TO" + "DO: later */\n", "issue number", line=2)
    allows({"src/base/a.c": OPENING + "/* TO" + "DO(#3): later */\n"})


def test_no_path_of_one_machine():
    refuses(OPENING + "/* see /wo" + "rk/main */\n", "a path of one machine", line=2)
    refuses(OPENING + 'const char *t = "/tm' + 'p/x";\n', "a path of one machine", line=2)
    refuses("see /ho" + "me/me/x\n", "a path of one machine", name="docs/a.md")
    refuses("rastrum: /wo" + "rk/a.murk: cut\n", "a path of one machine",
            name="tests/cli/cat/a.err")
    allows({"docs/a.md": "a framework/thing, src/work/x\n"})


def test_the_library_names_no_option():
    line = 'const char *t = "a exists; %sforce replaces it";\n'
    refuses(OPENING + line % "--", "names the option --force", line=2)
    allows({"src/cli/a.c": OPENING + line % "--", "src/core/b.c": "/* b.c - for --follow. */\n"})


def test_pages_make_no_markup_or_code_of_text():
    opening = "/* a.js - a sample. */\n"
    for line in ("node.inner" + "HTML = name;", "node.insertAdjacent" + "HTML('x', name);",
                 "document.wri" + "te(name);", "ev" + "al(name);", "f = new Func" + "tion(name);",
                 "setTimeout('f()', 1);", "fetch('https:" + "//x.y');", "import('http:" + "//x');",
                 "document.createElement('b');", "new DOMParser();",
                 "const t = '<p onclick=\"f()\">';"):
        refuses(opening + line + "\n", "web/a.js:2", name="web/a.js", line=2)
    refuses("f();\n", "the first line is not", name="web/a.js")
    refuses(opening + "x" * 121 + "\n", "121 columns", name="web/a.js", line=2)
    refuses(opening + "export function f() {\n" + "    g();\n" * 69 + "}\n",
            "a function of 71 lines", name="web/a.js", line=2)
    refuses('<svg xmlns="http:' + '//other/">\n', "an address", name="web/a.svg")
    allows({"web/a.js": opening + "node.textContent = evaluate(name);\nsetTimeout(f, 1);\n",
            "web/el.js": "/* el.js - nodes. */\ndocument.createElement(tag);\n",
            "web/a.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n'})


def test_links_lead_somewhere():
    refuses("[a](absent.md)\n", "leads nowhere", name="docs/a.md", line=1)
    refuses("# One\n[a](#two)\n", "no heading #two", name="docs/a.md", line=2)
    allows({"docs/a.md": "# One `x`: two\n[a](#one-x-two) [b](../README.md) [c](https://x.y)\n",
            "README.md": "# Top\n```\n[not](a-link)\n```\n"})


def test_expected_output_is_left_alone():
    allows({"tests/cli/cat/x.out": "blanks \t\n", "tests/golden/murk/x.jsonl": "x" * 200})


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])
