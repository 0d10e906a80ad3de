#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each source, header and script says its licence in a line of its own at the top, as SPDX and REUSE have it.

- Sources are files of C++, Python, shell, CMake, Go, awk, JavaScript and Rust, and whatever begins with `#!`.
- The line is the first one, or the one after `#!`. A blank line sets it apart from what follows, so that a comment that documents the
  file still begins by itself; a docstring of Python needs none.
- Data, fixtures, documentation, manifests and what `fairway new operator` writes have no such line. REUSE.toml speaks for them.

usage: spdx.py [--fix] [--root DIR]: with --fix it writes the line where it is missing. DIR is a checkout of Git, this one by default.
"""

import argparse
import os
import sys

import structure

# In two parts, so that it is no such line itself.
TAG = "SPDX-" + "License-Identifier:"
LICENCE = "Apache-2.0"
COMMENTS = {".h": "//", ".cc": "//", ".go": "//", ".js": "//", ".mjs": "//", ".ts": "//", ".tsx": "//", ".rs": "//",
            ".py": "#", ".sh": "#", ".cmake": "#", ".awk": "#", "CMakeLists.txt": "#"}
# Expected output and input of tests, and what belongs to whoever asked for it.
NOT_SOURCES = ("src/cli/new/templates/", "tests/cli/data/", "tests/cli/cases/", "tests/e2e/data/", "fuzz/corpus/")


def comment_of(path, text):
    """The mark that begins a comment in a file; None for a file that has no such line."""
    if path.startswith(NOT_SOURCES):
        return None
    for ending, mark in COMMENTS.items():
        if path.endswith(ending):
            return mark
    return "#" if text.startswith("#!") else None


def split(text):
    """The `#!` line of a text ("" without one), and the rest."""
    if not text.startswith("#!"):
        return "", text
    first, newline, rest = text.partition("\n")
    return first + newline, rest


def fault(text, mark):
    """A fault of a source, or None."""
    _, rest = split(text)
    line = f"{mark} {TAG} {LICENCE}"
    lines = rest.split("\n")
    if lines[0] != line:
        return f"the line `{line}` is missing; `python3 scripts/lint/spdx.py --fix` puts it at the top"
    if len(lines) > 1 and lines[1].startswith(mark):
        return f"a blank line belongs behind `{line}`, for the comment that follows is about the file"
    return None


def fixed(text, mark):
    """The text of a source with the line, and with a blank line behind it where one is needed."""
    head, rest = split(text)
    line = f"{mark} {TAG} {LICENCE}\n"
    rest = rest.removeprefix(line).lstrip("\n")
    between = "" if not rest or rest.startswith('"""') else "\n"
    return head + line + between + rest


def sources(root):
    """Yields the path, the text and the mark of comments of each source of a checkout."""
    for path in structure.tracked(root):
        full = os.path.join(root, path)
        if os.path.islink(full):
            continue
        with open(full, "rb") as file:
            text = file.read().decode("utf-8", errors="surrogateescape")
        mark = comment_of(path, text)
        if mark:
            yield path, text, mark


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--root", default=structure.ROOT)
    options = parser.parse_args()
    count = 0
    for path, text, mark in sources(options.root):
        wrong = fault(text, mark)
        if not wrong:
            continue
        count += 1
        if options.fix:
            with open(os.path.join(options.root, path), "wb") as file:
                file.write(fixed(text, mark).encode("utf-8", errors="surrogateescape"))
        else:
            print(f"{path}:1: {wrong}", file=sys.stderr)
    if options.fix:
        print(f"{count} files have the line now that lacked it")
    sys.exit(1 if count and not options.fix else 0)


if __name__ == "__main__":
    main()
