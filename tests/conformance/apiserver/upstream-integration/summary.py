#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what a test program of Go says (-test.v), and compares it with the tests that are known not to pass, each with its reason.
usage: summary.py OUTPUT KNOWN STATUS SELECTED. Prints failures with their output."""

import collections
import re
import sys

output, known_file, status, selected = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
known = {}
for line in open(known_file, encoding="utf-8"):
    if line.strip() and not line.startswith("#"):
        name, _, why = line.partition(": ")
        known[name] = why.strip()

result, said, skipped, current = {}, collections.defaultdict(list), {}, None
for line in open(output, encoding="utf-8", errors="replace"):
    if mark := re.match(r"=== (?:RUN|CONT|NAME) +(\S+)", line):
        current = mark[1]
        continue
    if mark := re.match(r" *--- (PASS|FAIL|SKIP): (\S+)", line):
        result[mark[2]] = mark[1]
        current = mark[2]
        continue
    said[current].append(line)
    if mark := re.match(r" +server\.go:\d+: (.*)", line):
        skipped[current] = mark[1]

tests = {name: verdict for name, verdict in result.items() if "/" not in name}
counts = collections.Counter(tests.values())
parts = collections.Counter(verdict for name, verdict in result.items() if "/" in name)
wrong = 0
for name in sorted(tests):
    if tests[name] == "SKIP":
        print(f"  not run: {name}: {skipped.get(name, 'it says so')}")
for name in sorted(result):
    if result[name] != "FAIL":
        if name in known:
            wrong += 1
            print(f"--- it passes, and known.txt says otherwise: {name}")
        continue
    if any(other.startswith(name + "/") and verdict == "FAIL" for other, verdict in result.items()):
        continue  # its parts say why
    if name in known or name.split("/")[0] in known:
        print(f"  known not to pass: {name}: {known.get(name) or known[name.split('/')[0]]}")
        continue
    wrong += 1
    print(f"--- failed: {name}\n{''.join(said[name])[:4000]}")
if not tests or (status != 0 and not counts["FAIL"]):
    wrong += 1
    print(f"--- the tests ended early\n{''.join(sum(said.values(), []))[-4000:]}")
print(f"k8s.io/apiextensions-apiserver's integration tests: {counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} not run "
      f"(their parts: {parts['PASS']} passed, {parts['FAIL']} failed)")
sys.exit(1 if wrong else 0)
