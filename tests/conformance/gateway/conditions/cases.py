#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Applies the tables of cases (tests/gateway/cases) to a running controller, one after the other, and compares the conditions that
it writes with those that `check` says of the same objects: the unit tests hold them against the tables. Meanwhile all statuses are
watched (watch.py).

usage: cases.py KUBECTL GATEWAY CASES [PART]

With $KUBECONFIG, on a cluster without objects of Gateway API; GATEWAY is the program fairway-gateway. The definitions of Gateway
API and of GatewayParameters lose their rules, by which a server would refuse objects of some cases: who wants them has to apply them
again. PART: one case of so many, from a random one on ($FAIRWAY_SEED). What no new cluster can hold is left out and named. Prints
counts last. Exit 1: a condition differs, or the server refuses an object.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import rules

LONGEST = 60


class Refused(Exception):
    """A command failed: the server does not take an object, say."""


def run(*command, accept_failure=False) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not accept_failure:
        lines = [line for line in done.stderr.strip().split("\n") if not line.startswith("Warning: ")]
        raise Refused(" ".join(lines)[:300])
    return done.stdout


def sources_of(case) -> list:
    """The files that a case names, and its own objects, as texts."""
    own = case.read_text().split("\n=== conditions\n")[0]
    names = [name for line in own.split("\n") if line.startswith("# with: ") for name in line[8:].split()]
    return [(case.parent / name).read_text() for name in names] + [own]


def why_impossible(own) -> str:
    """What of a case no new cluster can hold; empty: nothing."""
    if re.search(r"^status:", own, re.MULTILINE):
        return "its objects have a status from before"
    if "198.51.100." in own or "clusterIP: 10.1." in own:
        return "its addresses are not of this network"
    if re.search(r'"kind": "\w+List"', own):
        return "items of its lists have no types, and kubectl applies none without"
    return ""


def by_age(texts) -> list:
    """Objects as texts, in groups of one age, the oldest first; for `check` those without one are the youngest."""
    groups = {}
    for text in texts:
        for one in text.split("\n---\n"):
            if one.strip():
                age = re.search(r'creationTimestamp: "?([^",}\s]+)', one)
                groups.setdefault(age.group(1) if age else "~", []).append(one)
    return ["\n---\n".join(groups[age]) for age in sorted(groups)]


def conditions_of(thing, generation) -> dict:
    """What is said of each owner of conditions: {path: {type: (status, reason, message)}}; only what is of the generation.
    Ready, which traffic decides, is not for `check` to know."""
    said = {}
    for _, path, conditions in rules.owners(thing):
        said[path] = {one["type"]: (one["status"], one["reason"], one.get("message", "")) for one in conditions
                      if one.get("observedGeneration") == generation and one["type"] != "Ready"}
    return {path: conditions for path, conditions in said.items() if conditions}


def name_of(thing) -> tuple:
    return thing["kind"], thing["metadata"].get("namespace", ""), thing["metadata"]["name"]


def differences(wanted, there) -> list:
    """Lines about conditions that are not as wanted."""
    lines = []
    for path in sorted(wanted.keys() | there.keys()):
        for name in sorted(wanted.get(path, {}).keys() | there.get(path, {}).keys()):
            one, other = wanted.get(path, {}).get(name), there.get(path, {}).get(name)
            if one != other:
                lines.append(f"{path} {name} is {other}, and check says {one}")
    return lines


def flags(files) -> list:
    return [word for file in files for word in ("-f", file)]


def drop_rules(kubectl) -> None:
    """Of all definitions of Gateway API, and of ours."""
    for one in json.loads(run(kubectl, "get", "crd", "-o", "json"))["items"]:
        if one["spec"]["group"] not in ("gateway.networking.k8s.io", "fairway.dev"):
            continue
        for version in one["spec"]["versions"]:
            anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
            version["schema"]["openAPIV3Schema"] = {"type": "object", "properties": {"spec": anything, "status": anything}}
        subprocess.run([kubectl, "replace", "-f", "-"], input=json.dumps(one), text=True, check=True, stdout=subprocess.DEVNULL)


class Cases:
    def __init__(self, kubectl, gateway):
        self._kubectl, self._gateway = kubectl, gateway
        self.passed, self.failed, self.left_out = 0, 0, 0

    def judge(self, case) -> None:
        sources = sources_of(case)
        why = why_impossible(sources[-1])
        if why:
            self.left_out += 1
            print(f"left out: case {case.stem}: {why}")
            return
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, text in enumerate(by_age(sources)):
                files.append(os.path.join(folder, f"{number}.yaml"))
                pathlib.Path(files[-1]).write_text(text)
            try:
                wrong = self._differences_of(files, "\n".join(sources))
            except Refused as refused:
                wrong = [str(refused)]
            finally:
                run(self._kubectl, "delete", "--ignore-not-found", *flags(files), accept_failure=True)
        if wrong:
            self.failed += 1
            print(f"failed: case {case.stem}: {wrong[0]}", *wrong[1:], sep="\n  ")
        else:
            self.passed += 1

    def _differences_of(self, files, text) -> list:
        checked = {name_of(one): conditions_of(one, one["metadata"].get("generation", 1))
                   for one in json.loads(run(self._gateway, "check", *flags(files), "-o", "json"))["items"]}
        for namespace in sorted(set(re.findall(r"namespace: ([a-z0-9-]+)", text))):
            run(self._kubectl, "create", "namespace", namespace, accept_failure=True)
        for number, file in enumerate(files):
            if number > 0:
                # Ages are of whole seconds.
                time.sleep(1.1)
            # kubectl's own validation of lists wants OpenAPI 2 in protobuf, which the embedded server does not have.
            run(self._kubectl, "apply", "--server-side", "--force-conflicts", "--validate=false", "-f", file)
        wrong, end = ["no object was seen"], time.time() + LONGEST
        while wrong and time.time() < end:
            there = {name_of(one): conditions_of(one, one["metadata"].get("generation", 1))
                     for one in json.loads(run(self._kubectl, "get", ",".join(rules.KINDS), "--all-namespaces", "-o", "json"))["items"]}
            wrong = [" ".join(name) + ": " + line for name, wanted in checked.items()
                     for line in differences(wanted, there.get(name, {}))]
        return wrong


def main() -> int:
    cases = Cases(sys.argv[1], sys.argv[2])
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    seed = int(os.environ.get("FAIRWAY_SEED", "1"))
    drop_rules(sys.argv[1])
    watch = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("watch.py")), sys.argv[1]])
    # A class that has been there is remembered: those without one come first.
    all_cases = sorted(pathlib.Path(sys.argv[3]).glob("*.txt"),
                       key=lambda case: (any("kind: GatewayClass" in text for text in sources_of(case)), case))
    for case in all_cases[random.Random(seed).randrange(every)::every]:
        cases.judge(case)
    watch.terminate()
    if watch.wait() == 0:
        cases.passed += 1
    else:
        cases.failed += 1
    print(f"{cases.passed} passed, {cases.failed} failed, {cases.left_out} skipped")
    return 1 if cases.failed or cases.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
