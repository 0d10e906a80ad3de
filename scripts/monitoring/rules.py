#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has Prometheus's promtool check the alerts of deploy/monitoring, and run the cases in scripts/monitoring/cases.

Each PrometheusRule becomes a rule file of the same name, for a Prometheus without its operator; `--out FOLDER` writes these alone. An
alert that no case names is a fault; those of prometheusrule.yaml have theirs in tests/operators/data/alerts.yaml.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import yaml

import places

HERE = os.path.dirname(os.path.abspath(__file__))
CASES_ELSEWHERE = {"prometheusrule.yaml": "tests/operators/data/alerts.yaml"}


def write(folder):
    """Writes the rule file of each PrometheusRule into a folder; returns them, as [(manifest, rule file, PrometheusRule)]."""
    written = []
    for file, document in places.of_kind("PrometheusRule"):
        name = os.path.basename(file)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as rules:
            yaml.safe_dump(document["spec"], rules, sort_keys=False)
        written.append((file, name, document))
    return written


def untested(document, cases):
    """Returns the alerts of a PrometheusRule that the text of its cases does not name."""
    return [rule["alert"] for group in document["spec"]["groups"] for rule in group["rules"] if rule["alert"] not in cases]


def promtool(folder, *words):
    """Runs promtool in a folder; prints what it says if it fails. Returns whether it succeeded."""
    done = subprocess.run(["promtool", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr, end="")
    return done.returncode == 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--out":
        os.makedirs(sys.argv[2], exist_ok=True)
        for _, name, _ in write(sys.argv[2]):
            print(f"wrote {os.path.join(sys.argv[2], name)}")
        return 0
    if len(sys.argv) != 1:
        print(f"error: rules.py takes --out FOLDER or nothing, not {' '.join(sys.argv[1:])}", file=sys.stderr)
        return 2
    if shutil.which("promtool") is None:
        print("error: there is no promtool: apt-get install prometheus", file=sys.stderr)
        return 2
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for file, name, document in write(folder):
            path = os.path.join(places.ROOT, CASES_ELSEWHERE.get(name, f"scripts/monitoring/cases/{name}"))
            if not os.path.isfile(path):
                print(f"{file}: its alerts have no cases: write {os.path.relpath(path, places.ROOT)}")
                failed += 1
                continue
            with open(path, encoding="utf-8") as cases:
                text = cases.read()
            for alert in untested(document, text):
                print(f"{file}: alert {alert}: no case names it: write one into {os.path.relpath(path, places.ROOT)}")
                failed += 1
            results = [promtool(folder, "check", "rules", name)]
            if name not in CASES_ELSEWHERE:
                shutil.copy(path, os.path.join(folder, "cases.yaml"))
                results.append(promtool(folder, "test", "rules", "cases.yaml"))
            passed, failed = passed + results.count(True), failed + results.count(False)
    print(f"rules: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
