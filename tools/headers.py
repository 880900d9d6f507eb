"""headers - the public headers of include/rastrum as documents: comments and declarations.

A header begins with a comment: its name, what it is for, and an example, which is indented by four
more blanks. Below it every declaration follows its comment, and `/* ---- title ---- */` begins a
section. Manual pages, the HTML manual and the test of the examples read this.
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "include", "rastrum")
SECTION = re.compile(r"/\* ---- (.*?) -+ \*/")
HIDDEN_MACROS = re.compile(r"#define (RASTRUM_(?:\w+_)?HP?P?|RAS_API|RAS_CHECKED|RAS_SIZE)\b")
FUNCTION = re.compile(r"RAS_API\b(?![^;]*__thread)[^;{]*?(\w+)\(")
INLINE = re.compile(r"^static inline\b[^;{]*?(\w+)\(", re.M)


class Block:
    """A comment and the declarations below it; of a section only the title."""

    def __init__(self, comment="", code="", section=""):
        self.comment, self.raw, self.section = comment, code, section

    @property
    def functions(self):
        return FUNCTION.findall(self.raw) + INLINE.findall(self.raw)

    @property
    def code(self):
        return declared(self.raw)

    @property
    def paragraphs(self):
        return paragraphs(self.comment)


class Header:
    def __init__(self, name, about, blocks):
        self.name = name
        # What inline functions use is no part of the interface, though it is in the header.
        end = next((i for i, block in enumerate(blocks) if "not for callers" in block.section),
                   len(blocks))
        self.blocks, self.private = blocks[:end], blocks[end:]
        title, _, rest = about.partition(" - ")
        self.stated_name = title.strip()
        parts = paragraphs(rest)
        first = parts[0][1] if parts else ""
        sentence = re.match(r"(.*?[^.]\.)(?: |$)", first, re.S)
        self.summary = (sentence[1] if sentence else first).rstrip(".;")
        more = first[len(sentence[1]):].strip() if sentence else ""
        self.about = ([("text", more)] if more else []) + parts[1:]

    @property
    def functions(self):
        return [name for block in self.blocks for name in block.functions]

    @property
    def examples(self):
        return [text for kind, text in self.about if kind == "code"]


def names():
    return sorted(name for name in os.listdir(FOLDER) if name.endswith((".h", ".hpp")))


def without_stars(comment):
    """The text of a comment, one line for each of its own."""
    inside = re.sub(r"^/\*+ ?|\s*\*/$", "", comment.strip())
    return "\n".join(re.sub(r"^\s*\* ?", "", line) if number else line
                     for number, line in enumerate(inside.split("\n")))


def paragraphs(text):
    """[("text", words) or ("code", lines)]: what is indented by four blanks is code."""
    found = []
    if not text.strip():
        return found
    for part in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = part.split("\n")
        if all(line.startswith("    ") for line in lines if line):
            code = "\n".join(line[4:] for line in lines)
            if found and found[-1][0] == "code":
                found[-1] = ("code", found[-1][1] + "\n\n" + code)
            else:
                found.append(("code", code))
        elif part.strip():
            found.append(("text", " ".join(line.strip() for line in lines).strip()))
    return found


def declared(code):
    """Declarations without what is for compilers, and without bodies."""
    lines, shift = [], 0
    for line in code.split("\n"):
        if line.startswith("RAS_API "):
            line, shift = line[8:], 8
        elif not line.startswith(" "):
            shift = 0
        elif shift and line.startswith(" " * shift):
            line = line[shift:]
        lines.append(line)
    text = re.sub(r"\s*\bRAS_CHECKED\b", "", "\n".join(lines))
    text = re.sub(r"^(static inline [^;{]*?\))\n\{\n.*?^\}$", r"\1;", text, flags=re.S | re.M)
    # The bodies of functions of a class, which begin on a line of their own.
    if "private:" in text or text.startswith(("inline ", "template ")):
        text = re.sub(r"\n( *)\{\n(?:.*\n)*?\1\}(?=\n|$)", ";", text)
    return re.sub(r"\n\n?  private:\n(?:.*\n)*?(?=\};)", "\n", text)


LEFT_OUT = ("} //", "#if", "#el", "#endif", "#include", "#error", "RAS_SIZE(", "namespace ",
            'extern "C"')


def is_left_out(line):
    bare = line.strip()
    return bare.startswith(LEFT_OUT) or bare in ("{", "}") or HIDDEN_MACROS.match(bare)


def code_end(lines, at):
    """The line after the declaration that begins at `at`: to where all that it opens is closed."""
    depth = 0
    while at < len(lines):
        bare = re.sub(r"/\*.*?\*/|//.*|'[^']'|\"(?:\\.|[^\"\\])*\"", "", lines[at])
        if "/*" in bare:  # a comment of several lines at the end of this one
            while "*/" not in lines[at]:
                at += 1
            bare = bare[:bare.index("/*")]
        depth += sum(map(bare.count, "({[")) - sum(map(bare.count, ")}]"))
        at += 1
        following = lines[at].strip() if at < len(lines) else ""
        open_end = bare.rstrip().endswith("\\") or following == "{" or not re.search(
            r"[;}>\\]\s*$|^#|^\s*$", bare)
        if depth <= 0 and not open_end or bare.startswith("#") and not bare.endswith("\\"):
            return at
    return at


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as text:
        lines = text.read().split("\n")
    about, blocks, current, at = None, [], None, 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("/*"):
            end = at
            while "*/" not in lines[end]:
                end += 1
            comment = "\n".join(lines[at:end + 1])
            at = end + 1
            section = SECTION.match(comment)
            if about is None:
                about = without_stars(comment)
            elif section:
                blocks.append(Block(section=section[1]))
                current = None
            else:
                current = Block(comment=without_stars(comment))
                blocks.append(current)
        elif not line.strip() or is_left_out(line):
            current = None if not line.strip() else current
            at += 1
        else:
            end = code_end(lines, at)
            kept = [row for row in lines[at:end] if not row.startswith("#") or
                    row.startswith("#define")]
            if current is None:
                current = Block()
                blocks.append(current)
            current.raw += ("\n" if current.raw else "") + "\n".join(kept)
            at = end
    return Header(name, about or "", blocks)
