#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the doc comments that begin with a relative clause or a bare preposition.

A doc comment begins with the noun or verb that it documents ("Returns ...", "The listener's ...").
One that begins with "What ...", "Whether ...", "Those that ..." or "The same, and ..." makes its
reader go back for the subject. A `// ` comment on the first line of a header counts as well: it says
what the file is about. Usage:

  doc_comments.py          prints the number of such comments
  doc_comments.py --list   prints each as FILE:LINE: TEXT before it
  doc_comments.py --all    prints the number of all doc comments
  doc_comments.py --check  prints each, and fails if there is one
"""

import re
import sys

import structure

# The words that ask or relate, and the prepositions that leave the subject out. `One`, `All` and the
# like are in order before a noun ("One part of a path"), and not before a relative clause.
OPENINGS = re.compile(
    r"(?:what|whatever|which|whichever|who|whom|whoever|whose|whether|how|where|wherever|when|whenever|why"
    r"|that|those|these|as|of|by|the same"
    r"|(?:all|one|some|others|the ones?|everything|anything|nothing) (?:that|which|who|whose))\b",
    re.IGNORECASE)
# `///` before what it documents, or `///<` behind it.
BEFORE = re.compile(r"\s*///(?!/)<?\s?(.*)")
BEHIND = re.compile(r"[^/\s].*?///<\s*(.*)")
# `// ` at the top of a header, which documents the file: on the first line, but for that of its licence (spdx.py) and a blank one.
OF_FILE = re.compile(r"// (.*)")
LICENCE = re.compile(r"// SPDX-[^\n]*\n\n?")


def comments(text, is_header=False):
    """Yields (line number, first line) of each doc comment of a source, the comment at the top of a header included."""
    within = False
    licence = LICENCE.match(text)
    top = licence.group(0).count("\n") + 1 if licence else 1
    for number, line in enumerate(text.splitlines(), 1):
        of_file = OF_FILE.match(line) if is_header and number == top else None
        if of_file:
            yield number, of_file.group(1).strip()
            continue
        before = BEFORE.match(line)
        if before:
            if not within:
                yield number, before.group(1).strip()
            within = True
            continue
        within = False
        behind = BEHIND.search(line)
        if behind:
            yield number, behind.group(1).strip()


def of_tree(root=structure.ROOT):
    """Yields (path, line number, first line) of each doc comment of the checkout in `root`."""
    for path, source in structure.sources(root):
        for number, text in comments(source, is_header=path.endswith(".h")):
            yield path, number, text


def is_relative(text):
    """Returns whether a doc comment with this first line begins with a relative clause."""
    return OPENINGS.match(text) is not None


def main(arguments):
    found = list(of_tree())
    if "--all" in arguments:
        print(len(found))
        return
    relative = [entry for entry in found if is_relative(entry[2])]
    if "--check" in arguments:
        for path, number, text in relative:
            print(f"{path}:{number}: this doc comment does not begin with the noun or verb that it documents: {text}\n"
                  "  Begin with a verb for a function (`Returns whether ...`), with a noun for anything else.", file=sys.stderr)
        sys.exit(1 if relative else 0)
    if "--list" in arguments:
        for path, number, text in relative:
            print(f"{path}:{number}: {text}")
    print(len(relative))


if __name__ == "__main__":
    main(sys.argv[1:])
