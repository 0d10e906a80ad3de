#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what `go test -json` says: passed, failed, and apart what tests none of our functions. Prints failures with their output."""

import collections
import json
import sys

# Tests of Go's own data structures, which nothing here takes the place of.
APART = {
    "value": "values of Go by reflection: here a value is JSON",
    "schema": "copies and caches of Go's schemas: here types are built once",
}

output = collections.defaultdict(list)
result = {}
for line in open(sys.argv[1], encoding="utf-8"):
    try:
        event = json.loads(line)
    except ValueError:
        print(line, end="")
        continue
    name = (event.get("Package", "").removeprefix("sigs.k8s.io/structured-merge-diff/v6/"), event.get("Test", ""))
    if event["Action"] in ("output", "build-output"):
        output[name].append(event["Output"])
    elif event["Action"] in ("pass", "fail", "skip"):
        result[name] = event["Action"]

counts = collections.Counter()
apart = collections.Counter()
for (package, test), action in sorted(result.items()):
    if not test:
        # A package that does not compile or ends early has no failed test.
        if action == "fail" and not any(p == package and t and a == "fail" for (p, t), a in result.items()):
            counts["fail"] += 1
            print(f"--- failed: package {package}\n{''.join(output[(package, test)])}")
        continue
    # A test with parts is its parts.
    if any(p == package and t.startswith(test + "/") for p, t in result):
        continue
    if package in APART:
        apart[package] += 1
        continue
    counts[action] += 1
    if action == "fail":
        print(f"--- failed: {package} {test}\n{''.join(output[(package, test)])}")
for package, count in sorted(apart.items()):
    print(f"counted apart: {count} tests of package {package}: {APART[package]}")
print(f"structured-merge-diff: {counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped, "
      f"{sum(apart.values())} counted apart")
sys.exit(1 if counts["fail"] or not counts["pass"] else 0)
