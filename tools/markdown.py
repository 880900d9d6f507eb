"""markdown - headings, anchors and links of the project's Markdown, as GitHub shows them."""
import os
import re

from sourcetext import tracked

FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1`*[ \t]*$", re.S | re.M)
INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.S)
HEADING = re.compile(r"^(#{1,6}) +(.*?) *#* *$", re.M)
TARGET = r"\(\s*<?([^()\s<>]*(?:\([^()]*\))?)>?(?:\s+\"[^\"]*\")?\s*\)"
PICTURE = re.compile(r"!\[[^\[\]]*\]" + TARGET)
LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\[\]]*\])*\]" + TARGET)
HTML_LINK = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")


def blanked(match):
    """As many lines, without what they say."""
    return re.sub(r"[^\n]", " ", match[0])


def without_code(text):
    return INLINE_CODE.sub(blanked, FENCE.sub(blanked, text))


def plain(heading):
    """The text of a heading without its marks."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"`+", "", re.sub(r"(\*\*?)(.+?)\1", r"\2", heading)).strip()


def slug(heading):
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", plain(heading).lower()))


def headings(text):
    """[(level, text, anchor)]: one that is there before gets a number."""
    found, counts = [], {}
    for marks, title in HEADING.findall(FENCE.sub(blanked, text)):
        name = slug(title)
        number = counts.get(name, 0)
        counts[name] = number + 1
        found.append((len(marks), plain(title), name + ("-%d" % number if number else "")))
    return found


def links(text):
    """[(line, target)] of links and pictures outside of code."""
    bare = without_code(text)
    return sorted((bare.count("\n", 0, found.start()) + 1, found[1])
                  for pattern in (LINK, PICTURE, HTML_LINK) for found in pattern.finditer(bare))


def pages(root):
    return sorted(name for name in tracked(root) if name.endswith(".md"))


def resolve(page, target):
    """(path from the root or None for another site, anchor or "")."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.I):
        return None, ""
    path, _, anchor = target.partition("#")
    here = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    return here, anchor
