"""make_html_test.py - tools/make-html joins modules as the browser would, and refuses the rest."""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys

import sandbox

MAKE = os.path.join(sandbox.ROOT, "tools", "make-html")
INDEX = """<!doctype html>
<head>
<meta charset="utf-8">
<link rel="stylesheet" href="a.css">
<script type="module" src="main.js"></script>
</head>
<body></body>
"""
GOOD = {
    "web/index.html": INDEX,
    "web/a.css": "body { color: red }\n",
    "web/wasm_worker.js": "postMessage(1);\n",
    "web/transport_http.js": "export default { name: 'http' };\n",
    "web/transport_wasm.js": "export default { name: 'wasm' };\n",
    # Modules that import each other, a variable that changes, names that occur twice.
    "web/state.js": "import { twice } from './other.js';\nexport let count = 1;\n"
                    "export function grow() {\n    count = twice(count);\n}\n",
    "web/other.js": "import { count as seen, grow as more } from './state.js';\n"
                    "import { count } from './state.js';\n"
                    "const hidden = 'count';\n"
                    "export const twice = (n) => 2 * n;\n"
                    "export function say() {\n    more();\n"
                    "    return `${hidden} is ${count} of /count/ \\`${'count'}`; // count\n}\n",
    "web/main.js": "import transport from './transport_http.js';\n"
                   "import { say as speak } from './other.js';\n"
                   "import * as all from './state.js';\n"
                   "const hidden = 3;\n"
                   "console.log(transport.name, speak(), all.count, hidden);\n",
    "module.wasm": "\0asm",
}


def made(files):
    """Exit status, what was said, and the page."""
    with sandbox.Sandbox(files) as box:
        out = os.path.join(box.path, "out.html")
        status, said = sandbox.call([MAKE, out, os.path.join(box.path, "web"),
                                     os.path.join(box.path, "module.wasm")])
        page = ""
        if os.path.exists(out):
            with open(out, encoding="utf-8") as file:
                page = file.read()
        return status, said, page


def script_of(page):
    return re.search(r'<script type="module">(.*?)</script>', page, re.S).group(1)


def refuses(changes, why):
    status, said, _ = made({**GOOD, **changes})
    assert status and why in said, said


def test_joined_modules_run_as_they_were():
    # `seen` is another name for a variable, which is not followed.
    files = {**GOOD, "web/other.js": GOOD["web/other.js"].replace("count as seen, ", "")}
    files["web/state.js"] = files["web/state.js"].replace("{ twice }", "{ twice_of }").replace(
        "twice(count)", "twice_of(count)")
    files["web/other.js"] += "export function twice_of(n) {\n    return twice(n);\n}\n"
    status, said, page = made(files)
    assert status == 0, said
    node = shutil.which("node")
    if not node:
        return
    text = "globalThis.document = { getElementById: () => null };\n" + script_of(page)
    done = subprocess.run([node, "--input-type=module", "-"], input=text, text=True,
                          capture_output=True, check=False)
    assert done.stdout == "wasm count is 2 of /count/ `count 2 3\n", done.stdout + done.stderr


def test_the_policy_has_the_hash_of_each_script():
    files = {**GOOD, "web/main.js": "console.log(1);\n"}
    status, said, page = made(files)
    assert status == 0, said
    digest = base64.b64encode(hashlib.sha256(script_of(page).encode()).digest()).decode()
    assert "script-src 'sha256-%s' 'wasm-unsafe-eval'" % digest in page
    assert "default-src 'none'" in page and "body { color: red }" in page
    assert made(files)[2] == page


def test_what_cannot_be_joined_is_refused():
    plain = {"web/main.js": "console.log(1);\n"}
    refuses({"web/main.js": "export * from './state.js';\n"}, "cannot be joined")
    refuses({"web/main.js": "const a = '</script>';\n"}, "the end of a script")
    refuses({**plain, "web/index.html": INDEX + '<img src="b.png">\n'}, "refers to a file")
    refuses({"web/main.js": "import './absent.js';\n"}, "cannot be joined")
    refuses({}, "is not a function")


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])
