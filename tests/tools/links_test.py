"""links_test.py - tools/check-links finds what leads nowhere, and only that."""
import os
import sys

import sandbox

CHECK = os.path.join(sandbox.ROOT, "tools", "check-links")
OTHER = "# Other\n\n## Two words, `code`\n\n## Twice\n\n## Twice\n\n```\n## no heading\n```\n"


def said_of(text, **more):
    files = {"README.md": text, "docs/other.md": OTHER, "src/a.c": "int a;\n", **more}
    with sandbox.Sandbox(files) as box:
        return sandbox.call([CHECK, "--root", box.path])


def test_links_that_lead_somewhere():
    for link in ("[a](docs/other.md)", "[a](docs/other.md#two-words-code)", "[a](#top)",
                 "[a](docs/other.md#twice-1)", "[a](src/a.c)", "[a](src)", "[a](src/a.c#L1)",
                 "[a](https://example.org/x)", "[a](mailto:a@b)", "![a](src/a.c \"title\")",
                 "[![a](src/a.c)](docs/other.md)", "`[a](nowhere)`", "```\n[a](nowhere)\n```"):
        status, said = said_of("# Top\n\n%s\n" % link)
        assert status == 0 and said.endswith("2 passed, 0 failed\n"), (link, said)


def test_links_that_lead_nowhere():
    for link, why in (("[a](docs/gone.md)", "there is no docs/gone.md"),
                      ("[a](docs/other.md#three)", "docs/other.md has no heading #three"),
                      ("[a](docs/other.md#no-heading)", "no heading #no-heading"),
                      ("[a](docs/other.md#twice-2)", "no heading #twice-2"),
                      ("[a](#gone)", "README.md has no heading #gone"),
                      ("![a](gone.png)", "there is no gone.png"),
                      ("[![a](gone.png)](docs/other.md)", "there is no gone.png"),
                      ("[a](../out.md)", "there is no ../out.md"),
                      ("<img src=\"gone.png\">", "there is no gone.png"),
                      ("[a](src/a.c#main)", "src/a.c is no page with headings")):
        status, said = said_of("# Top\n\ntext\n%s\n" % link)
        assert status == 1 and "README.md:4: " in said and why in said, (link, said)


def test_a_link_is_seen_from_the_folder_of_its_page():
    status, said = said_of("# Top\n", **{"docs/deep/page.md": "[a](../other.md#other) [b](a.c)\n"})
    assert status == 1 and "docs/deep/page.md:1: a.c: there is no docs/deep/a.c" in said, said
    assert said.count("\n") == 2, said


if __name__ == "__main__":
    sandbox.main(sys.modules[__name__])
