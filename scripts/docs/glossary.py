#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/glossary.md names types and files that are in src/; prints FILE:LINE: what is wrong, what to do.

A row of its tables names a type as `namespace::Type`, without fairway::, and after it the header that defines it: `graph/risk.h`.
"""

import os
import re
import sys

import pages

PAGE = "docs/glossary.md"
FILE = re.compile(r"`([\w/]+\.(?:h|cc))`")
TYPE = re.compile(r"`((?:[a-z]\w*::)+)([A-Z]\w*)`")


def defines(text, namespace, name):
    """Returns whether the text of a header defines a type in a namespace below fairway, or an alias of one."""
    opened = re.search(rf"^namespace fairway::{namespace} {{", text, re.M)
    definition = rf"^(?:class|struct|enum class|using) {name}\b(?!;)"
    return bool(opened and re.search(definition, text[opened.end():], re.M))


def faults_of(text, root):
    """Returns what is wrong with the text of the page, where `root` has src/, as [(line, what)]."""
    faults = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("| "):
            continue
        named, headers = FILE.findall(line), []
        for name in named:
            if os.path.isfile(os.path.join(root, "src", name)):
                headers.append(pages.read(f"src/{name}", root))
            else:
                faults.append((number, f"there is no src/{name}: name the file that has it now"))
        for namespace, name in TYPE.findall(line):
            if len(headers) == len(named) and not any(defines(header, namespace[:-2], name) for header in headers):
                faults.append((number, f"no header of this row defines {namespace}{name}: name the type that there is, and its header"))
    return faults


def main():
    text = pages.read(PAGE)
    faults = faults_of(text, pages.ROOT)
    for line, what in faults:
        print(f"{PAGE}:{line}: {what}")
    print(f"glossary: {len(TYPE.findall(text))} types, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
