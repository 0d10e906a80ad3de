# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of the documentation: which there are, how they are grouped, and the fences, headings and links of each.

Markdown is read as a Git host reads it, as far as the pages use it: fenced blocks, code spans, HTML comments, `#` headings, links and
definitions of links. docs/pages.toml has the groups of the site's navigation.
"""

import collections
import os
import re
import subprocess
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GROUPS = "docs/pages.toml"

Fence = collections.namedtuple("Fence", "line indent info lines closed")
Fence.__doc__ = """A fenced block: the number of its first line (the fence itself, from 1), the indentation that its lines share, its
info string, its lines as they stand in the page, and whether its end is there."""
Link = collections.namedtuple("Link", "offset target")
Link.__doc__ = """A link or image: where its target stands in the text, and the target."""

FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})([^\n]*)$")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.M)
# A target is in angle brackets, or has no blank; it may have parentheses in pairs.
INLINE = re.compile(r"\]\(\s*(?:<([^>\n]*)>|((?:[^\s()<>]|\([^\s()]*\))*))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]+<?([^\s>]+)>?", re.M)
BY_REFERENCE = re.compile(r"\[([^\]\[\n]+)\]\[([^\]\[\n]*)\]")
HTML_ANCHOR = re.compile(r"<[a-z]+\b[^>]*\b(?:id|name)=\"([^\"]+)\"", re.I)


def tracked(root=ROOT):
    """Returns the files of the checkout, in order: those in git, and those that are new and not ignored."""
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True,
                         text=True).stdout.split("\n")
    return sorted({name for name in out if name and os.path.isfile(os.path.join(root, name))})


def is_page(name):
    """Returns whether a file of the checkout is a page of the site: Markdown at the top or below docs/."""
    return name.endswith(".md") and ("/" not in name or name.startswith("docs/"))


def read(name, root=ROOT):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def read_groups(text):
    """Returns the groups that the text of docs/pages.toml names, as [(title, [page])], and what is wrong with it, as [(line, what)]."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line (\d+)", str(error))
        return [], [(int(where.group(1)) if where else 1, f"this is no TOML: {error}")]
    groups, faults = [], []
    for group in values.get("group", []):
        title, names = group.get("title"), group.get("pages")
        if not isinstance(title, str) or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            faults.append((1, "a [[group]] has a title and a list of pages, all of them text"))
            continue
        groups.append((title, names))
    return groups, faults


def check_groups(text, files):
    """Returns what is wrong with docs/pages.toml, whose text this is, where these are the files of the checkout: [(name, line, what)].
    Each page stands in one group."""
    groups, faults = read_groups(text)
    faults = [(GROUPS, line, what) for line, what in faults]
    seen = set()
    for title, names in groups:
        for name in names:
            at = text.find(f'"{name}"')
            line = line_of(text, at) if at >= 0 else 1
            if name in seen:
                faults.append((GROUPS, line, f"{name} stands here a second time, in the group {title}: a page has one place"))
            elif name not in files:
                faults.append((GROUPS, line, f"there is no {name}: remove it here, or write it"))
            elif not is_page(name):
                faults.append((GROUPS, line, f"{name} is no page: pages are *.md at the top and below docs/"))
            seen.add(name)
    for name in sorted(files):
        if is_page(name) and name not in seen:
            faults.append((name, 1, f"this page is in no group of {GROUPS}: add it to one"))
    return faults


def fences(text):
    """Returns the fenced blocks of a page, in order."""
    found, opened, lines = [], None, []
    for number, line in enumerate(text.split("\n"), 1):
        match = FENCE.match(line)
        if opened is None:
            if match and not (match.group(2)[0] == "`" and "`" in match.group(3)):
                opened, lines = (number, match), []
            continue
        mark = opened[1].group(2)
        if match and match.group(2)[0] == mark[0] and len(match.group(2)) >= len(mark) and not match.group(3).strip():
            found.append(Fence(opened[0], opened[1].group(1), opened[1].group(3).strip(), lines, True))
            opened = None
        else:
            lines.append(line)
    if opened:
        found.append(Fence(opened[0], opened[1].group(1), opened[1].group(3).strip(), lines, False))
    return found


def blank(text, begin, end):
    """Returns the text with blanks in place of what stands there; lines stay lines."""
    return text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]


def without_fences(text):
    """Returns the text with blanks in place of its fenced blocks and comments. All that is left stands where it stood."""
    lines = text.split("\n")
    for fence in fences(text):
        for index in range(fence.line - 1, min(fence.line + len(fence.lines) + 1, len(lines))):
            lines[index] = " " * len(lines[index])
    text = "\n".join(lines)
    for match in COMMENT.finditer(text):
        text = blank(text, match.start(), match.end())
    return text


def without_code(text):
    """Returns the text with blanks in place of its fenced blocks, comments and code spans."""
    text = without_fences(text)
    for match in CODE_SPAN.finditer(text):
        text = blank(text, match.start(2), match.end(2))
    return text


def links(text):
    """Returns the links of a page, in order: those in the text, and the definitions that others refer to."""
    text = without_code(text)
    found = []
    for match in INLINE.finditer(text):
        group = 1 if match.group(1) is not None else 2
        found.append(Link(match.start(group), match.group(group)))
    found += [Link(match.start(2), match.group(2)) for match in DEFINITION.finditer(text)]
    return sorted(found)


def undefined_references(text):
    """Returns the links by reference that no definition of the page is for, as [(offset, name)]. A page without definitions has
    none: there [a][b] is text."""
    text = without_code(text)
    defined = {match.group(1).lower() for match in DEFINITION.finditer(text)}
    if not defined:
        return []
    named = [(match.start(), match.group(2) or match.group(1)) for match in BY_REFERENCE.finditer(text)]
    return [(offset, name) for offset, name in named if name.lower() not in defined]


def slug(heading):
    """Returns the anchor that a Git host gives to a heading with this text."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]*>", "", re.sub(r"(`+)(.*?)\1", lambda code: code.group(2).replace("<", "").replace(">", ""), text))
    return re.sub(r"[^\w\- ]", "", text.replace("*", "").lower()).replace(" ", "-")


def anchors(text):
    """Returns the anchors of a page: those of its headings, and those that it sets itself."""
    found, seen = set(), collections.Counter()
    outside = without_fences(text)
    for match in HEADING.finditer(outside):
        name = slug(match.group(2))
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found | set(HTML_ANCHOR.findall(without_code(text)))
