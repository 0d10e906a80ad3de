#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks where the links of the documentation lead, which takes a second; prints FILE:LINE: what is wrong, what to do.

- A relative link of a Markdown file leads to a file or folder of the checkout, and its #anchor to a heading there.
- A link to the web has a form that can work; nothing is fetched.
- A page that a source or another page names as docs/NAME.md exists, with its #anchor.
- No node of a flowchart has the name of a word of Mermaid, which then draws nothing.
- A page of docs/ has at most 250 lines.
- Each page stands in one group of docs/pages.toml, and each page named there exists.
"""

import os
import posixpath
import re
import sys
import urllib.parse

import pages

# Hosts that are nobody's to give as an example: example.com, example.org and *.example are there for that (RFC 2606).
NOT_EXAMPLES = re.compile(
    r"(^|\.)(acme|domain|foo|bar|foobar|mycompany|mydomain|mysite|test|yourcompany|yourdomain|yoursite)\.(com|org|net|io)$")
MOST_LINES = 250
# Words that Mermaid reads as its own where a flowchart has the name of a node: it draws nothing then.
RESERVED = {"call", "class", "classDef", "click", "end", "flowchart", "graph", "href", "interpolate", "linkStyle", "style", "subgraph"}
SOURCES = (".cc", ".h", ".py", ".sh", ".cmake", ".yaml", ".json", ".toml", ".txt", ".proto")
# The pages that tests of these checks make up.
MADE_UP = re.compile(r"^scripts/docs/\w+_test\.py$")
# A path in capitals (docs/NAME.md) stands for any page.
NAMED = re.compile(r"(?<![\w/.-])docs/(?![A-Z]+\.md)[\w./-]+?\.md\b(?:#[\w-]+)?")
WEB = re.compile(r"(?<![\w+])https?:[^\s<>\"'`\]|]*")


def fault_of_url(url):
    """Returns what is wrong with the form of a link to the web, or None."""
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname or ""
        parts.port
    except ValueError as error:
        return f"{url} is no URL: {error}"
    if not parts.netloc or not re.fullmatch(r"(?:[\w-]+\.)+[\w-]+|localhost|\[?[\da-f:]+\]?", host):
        return f"{url} names no host: write it as https://HOST/PATH"
    if NOT_EXAMPLES.search(host):
        return f"{host} belongs to somebody: take example.com, or the real address"
    return None


def reserved_nodes(lines):
    """Returns the nodes of a flowchart that have a reserved word as their name, each once, as [(index of the line, name)]."""
    if not lines or not re.match(r"\s*(flowchart|graph)\b", lines[0]):
        return []
    found = []
    for index, line in enumerate(lines[1:], 1):
        # Texts may have any word: those of nodes and of edges.
        bare = re.sub(r"\|[^|]*\|", " ", re.sub(r'"[^"]*"', '""', line))
        bare = re.sub(r"(--|==|-\.)\s+[^->=.]*?\s+(-->|---|==>|===|\.->|\.-)", "-->", bare)
        named = re.findall(r"^\s*subgraph\s+(\w+)", bare)
        named += [] if named else re.findall(r"^\s*(\w+)(?=\s*(?:[-=.<~]{2}|&|\[|\(|\{))|(?:[->=.~]{2}>?|[ox]|&)\s+(\w+)", bare)
        for match in named:
            name = match if isinstance(match, str) else match[0] or match[1]
            if name in RESERVED and name not in (other for _, other in found):
                found.append((index, name))
    return found


class Checker:
    """The files of a checkout, and what its Markdown and its sources refer to."""

    def __init__(self, root, files):
        self.root = root
        self.files = set(files)
        self.folders = {""}
        for name in files:
            while name:
                name = posixpath.dirname(name)
                self.folders.add(name)
        self.known_anchors = {}
        self.faults = []
        self.count = 0

    def anchors(self, name):
        if name not in self.known_anchors:
            self.known_anchors[name] = pages.anchors(pages.read(name, self.root))
        return self.known_anchors[name]

    def fault_of_anchor(self, name, anchor):
        """Returns what is wrong with an anchor of a file, or None."""
        if name.endswith(".md"):
            if anchor in self.anchors(name):
                return None
            near = sorted(known for known in self.anchors(name) if anchor in known or known in anchor)
            return f"{name} has no heading for #{anchor}" + (f"; did you mean #{near[0]}?" if near else "")
        match = re.fullmatch(r"L(\d+)(?:-L(\d+))?", anchor)
        if not match:
            return f"{name} is no Markdown: #{anchor} leads nowhere; #L12 names a line"
        if int(match.group(2) or match.group(1)) > pages.read(name, self.root).count("\n"):
            return f"{name} has fewer lines than #{anchor} says"
        return None

    def fault_of_target(self, name, target):
        """Returns what is wrong with the target of a link in a file, or None."""
        scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", target)
        if scheme and scheme.group(1) in ("http", "https"):
            return None  # with all others of the text
        if scheme and scheme.group(1) == "mailto":
            return None
        if scheme:
            return f"a link {scheme.group(1)}: works on no other machine: use a relative path, or https:"
        path, _, anchor = target.partition("#")
        path = urllib.parse.unquote(path)
        if path.startswith("/"):
            return f"{target} begins at the root of a server: write the path from this file's folder"
        if not target:
            return "this link leads nowhere: it has no target"
        goal = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        goal = "" if goal == "." else goal
        if goal.startswith(".."):
            return f"{target} leads out of the checkout"
        if goal in self.folders:
            return f"{target} is a folder: it has no anchors" if anchor else None
        if goal not in self.files:
            return f"{target} leads to {goal}, which is not in the checkout: correct the path, or remove the link"
        return self.fault_of_anchor(goal, anchor) if anchor else None

    def check_markdown(self, name):
        text = pages.read(name, self.root)
        lines = text.count("\n")
        if name.startswith("docs/") and lines > MOST_LINES:
            self.faults.append((name, lines, f"this page has {lines} lines, and {MOST_LINES} are the most: write two pages"))
        for fence in pages.fences(text):
            if not fence.closed:
                self.faults.append((name, fence.line, "this block has no end: close it with the same fence"))
            for index, node in reserved_nodes(fence.lines) if fence.info == "mermaid" else ():
                self.faults.append((name, fence.line + 1 + index,
                                    f'Mermaid reads the node {node} as a word of its own, and draws nothing: {node}_["{node}"]'))
        for offset, target in pages.links(text):
            self.count += 1
            what = self.fault_of_target(name, target)
            if what:
                self.faults.append((name, pages.line_of(text, offset), what))
        for offset, reference in pages.undefined_references(text):
            self.faults.append((name, pages.line_of(text, offset), f"no line [{reference}]: TARGET defines this link"))
        outside = pages.without_code(text)
        for match in WEB.finditer(outside):
            self.count += 1
            what = fault_of_url(match.group().rstrip(").,;:*"))
            if what:
                self.faults.append((name, pages.line_of(text, match.start()), what))
        self.check_named(name, pages.without_fences(text))

    def check_named(self, name, text):
        """Checks the pages that a text names by their path from the top."""
        for match in NAMED.finditer(text):
            page, _, anchor = match.group().partition("#")
            self.count += 1
            if page not in self.files:
                what = f"this names {page}, which is not there: name the page that has it now"
            else:
                what = self.fault_of_anchor(page, anchor) if anchor else None
            if what:
                self.faults.append((name, pages.line_of(text, match.start()), what))

    def check_source(self, name):
        try:
            self.check_named(name, pages.read(name, self.root))
        except UnicodeDecodeError:
            pass  # data of a test

    def check(self):
        for name in sorted(self.files):
            if name.endswith(".md"):
                self.check_markdown(name)
            elif (name.endswith(SOURCES) or "." not in posixpath.basename(name)) and not MADE_UP.match(name) and "/data/" not in name:
                self.check_source(name)


def main():
    files = pages.tracked()
    checker = Checker(pages.ROOT, files)
    checker.check()
    if os.path.isfile(os.path.join(pages.ROOT, pages.GROUPS)):
        checker.faults += pages.check_groups(pages.read(pages.GROUPS), set(files))
    else:
        checker.faults.append((pages.GROUPS, 1, "this file is missing: it groups the pages"))
    for name, line, what in sorted(set(checker.faults)):
        print(f"{name}:{line}: {what}")
    markdown = sum(1 for name in files if name.endswith(".md"))
    print(f"links: {checker.count} in {markdown} pages and in what names them, {len(set(checker.faults))} faults")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
