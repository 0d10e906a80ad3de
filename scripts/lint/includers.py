#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints those of the given files that changed, or that include a changed file, directly or by other headers.

Changed files are read from the standard input, one path a line.

usage: scripts/lint/includers.py FILE... <CHANGED
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "tests", "fuzz", ".")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def included_by(file):
    """The project's files that a file includes, as paths below the root."""
    with open(os.path.join(ROOT, file), encoding="utf-8") as source:
        names = INCLUDE.findall(source.read())
    for name in names:
        for folder in FOLDERS:
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(os.path.join(ROOT, path)):
                yield path
                break


def reaches(file, changed):
    seen, left = {file}, [file]
    while left:
        one = left.pop()
        if one in changed:
            return True
        for header in included_by(one):
            if header not in seen:
                seen.add(header)
                left.append(header)
    return False


def main():
    changed = {line.strip() for line in sys.stdin if line.strip()}
    for file in sys.argv[1:]:
        if reaches(os.path.normpath(file), changed):
            print(file)


main()
