# SPDX-License-Identifier: Apache-2.0
"""Names the files whose version of Fairway is another.

usage: versions.py VERSION
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Patterns of files, what their version stands in, and whether each file has to have one.
PLACES = (
    ("CMakeLists.txt", re.compile(r"^project\(fairway VERSION ([0-9.]+)", re.MULTILINE), True),
    # The newest comes first, and the others stay.
    ("packaging/debian/changelog", re.compile(r"\Afairway \(([^)]+)\)"), True),
    ("deploy/charts/*/Chart.yaml", re.compile(r"^version: (\S+)", re.MULTILINE), True),
    ("deploy/charts/*/Chart.yaml", re.compile(r"^appVersion: (\S+)", re.MULTILINE), True),
    ("deploy/*/kustomization.yaml", re.compile(r"^- \{name: fairway[a-z-]*,.* newTag: ([^ ,}]+)\}", re.MULTILINE), False),
    ("packaging/github/*/action.yml", re.compile(r"^  version:\n(?:    .*\n)*?    default: (\S+)", re.MULTILINE), True),
)
# Names of files with a version in them.
PAGES = ("README.md", "docs/*.md")
FILE = re.compile(r"(?:lib|kubectl-)?fairway[a-z*-]*[_-]([0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z~+.]*?)"
                  r"(?=_amd64|-linux-|\.oci\.tar|\.provenance|\.tgz)")


def faults(root, version):
    """Returns a line for each place of the tree that has another version, or none."""
    found = []

    def look(path, pattern, required):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        matches = list(pattern.finditer(text))
        name = os.path.relpath(path, root)
        if required and not matches:
            found.append(f"{name}: no version where there was one: {pattern.pattern}")
        for match in matches:
            if match.group(1) != version:
                line = text.count("\n", 0, match.start(1)) + 1
                found.append(f"{name}:{line}: {match.group(1)}, not {version}")

    for pattern, where, required in PLACES:
        paths = sorted(glob.glob(os.path.join(glob.escape(root), pattern)))
        if not paths:
            found.append(f"{pattern}: there is no such file")
        for path in paths:
            look(path, where, required)
    for pattern in PAGES:
        for path in sorted(glob.glob(os.path.join(glob.escape(root), pattern))):
            look(path, FILE, False)
    return found


def main():
    found = faults(ROOT, sys.argv[1])
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
