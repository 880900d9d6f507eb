"""make_html_test.py - tools/make-html joins modules as the browser would, and refuses the rest."""
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zlib

import sandbox

DIGITS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
          "!#$%&()*+,-.:;=>?@[]^_{|}~/'\"")
MAKE = os.path.join(sandbox.ROOT, "tools", "make-html")
INDEX = """<!doctype html>
<head>
<meta charset="utf-8">
<link rel="stylesheet" href="a.css">
<link rel="stylesheet" href="b.css">
<script type="module" src="main.js"></script>
</head>
<body></body>
"""
GOOD = {
    "web/index.html": INDEX,
    "web/a.css": "body { color: red }\n",
    "web/b.css": ".b { color: blue }\n",
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


def unpacked(page, name):
    """The bytes that the page has under this id: two digits of 91 are 13 bits, the lowest first."""
    pattern = r'<script type="text/plain" id="%s">(.*?)</script>' % name
    size, text = re.search(pattern, page, re.S).group(1).split(" ")
    value = lambda c: DIGITS.index(c)
    bits = sum((value(text[i]) * 91 + value(text[i + 1])) << (i // 2 * 13)
               for i in range(0, len(text), 2))
    return zlib.decompress((bits & ((1 << 8 * int(size)) - 1)).to_bytes(int(size), "little"), -15)


def parts_of(page):
    return json.loads(unpacked(page, "rastrum-parts"))


def run_node(text):
    """What node prints for a module; None without a node."""
    node = shutil.which("node")
    if not node:
        return None
    done = subprocess.run([node, "--input-type=module", "-"], input=text, text=True,
                          capture_output=True, check=False)
    return done.stdout + done.stderr


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
    main = parts_of(page)["main"]
    assert "// count" not in main and "\n    " not in main, main
    assert run_node(main) in (None, "wasm count is 2 of /count/ `count 2 3\n")


def test_the_page_unpacks_what_was_packed():
    files = {**GOOD, "web/main.js": "console.log(/[`'\"]/.test(`\u00e4 // no comment`));\n"}
    page = made(files)[2]
    assert unpacked(page, "rastrum-module") == b"\0asm"
    nodes = dict(re.findall(r'<script type="text/plain" id="([\w-]+)">(.*?)</script>', page, re.S))
    stub = """import { createInflateRaw } from 'node:zlib';
import { Duplex } from 'node:stream';
try {
    new DecompressionStream('deflate-raw');
} catch { // browsers have it, and Node.js from 21 on
    globalThis.DecompressionStream = class {
        constructor() { Object.assign(this, Duplex.toWeb(createInflateRaw())); }
    };
}
const nodes = %s, added = [];
globalThis.window = globalThis;
globalThis.document = { getElementById: (id) => id in nodes ? { textContent: nodes[id] } : null,
    createElement: (tag) => ({ tag }), head: { append: (node) => added.push(node.textContent) } };
%s
console.log(JSON.stringify([...added, new TextDecoder().decode(
    await window.rastrum_unpack(nodes['rastrum-module']))]));
""" % (json.dumps(nodes), script_of(page))
    said, parts = run_node(stub), parts_of(page)
    wanted = [parts["style"], parts["worker"], parts["main"], "\0asm"]
    assert said is None or json.loads(said) == wanted, said


def test_the_policy_has_the_hash_of_each_script():
    files = {**GOOD, "web/main.js": "console.log(1);\n"}
    status, said, page = made(files)
    assert status == 0, said
    hashes = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
              for text in (parts_of(page)["main"], script_of(page))]
    assert "script-src %s 'wasm-unsafe-eval'" % " ".join(hashes) in page
    assert "default-src 'none'" in page and "body { color: red }" in page
    assert parts_of(page)["style"] == ".b { color: blue }\n"
    assert made(files)[2] == page


def test_what_cannot_be_joined_is_refused():
    plain = {"web/main.js": "console.log(1);\n"}
    refuses({"web/main.js": "export * from './state.js';\n"}, "cannot be joined")
    refuses({**plain, "web/index.html": INDEX + '<script src="early.js"></script>\n',
             "web/early.js": "const a = '</script>';\n"}, "the end of a script")
    refuses({**plain, "web/index.html": INDEX + '<img src="b.png">\n'}, "refers to a file")
    refuses({"web/main.js": "import './absent.js';\n"}, "cannot be joined")
    refuses({}, "is not a function")


if __name__ == "__main__":
    sandbox.main(sys.modules["__main__"])
