#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kubernetes's end-to-end specs of the API, of authorization and of kubectl, on a cluster without nodes:

    run.py SPECS PROGRAMS LIST KNOWN [--fairway FILE] [--find] [--part N] [--jobs N] [--log DIR] [NAME...]

SPECS is the compiled program of the specs (specs/). PROGRAMS is a folder with kube-controller-manager and kubectl. With --fairway the API
server is the embedded one of that program; without it PROGRAMS has a kube-apiserver and an etcd as well. LIST names the specs that pass on
kube-apiserver, one a line: these run. KNOWN names those of them that are known to fail here, each with its reason.

--find runs all specs, and writes those that passed to LIST: the others need nodes, or clouds. It takes no NAME, and leaves LIST as it is
where it would become much shorter. --part runs one in N of LIST, which $FAIRWAY_SEED chooses. NAME is a regular expression: all specs of
LIST that it matches, and one at least.

Several processes share the specs; those that may not run beside others come last, and those that are known to fail, which may wait for
long, have a process each. What else fails runs once more, alone, and is listed as unsteady if it passes then. A failure that is not known
ends it with 1, and so does a known one that passes.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cluster

PASSED, SKIPPED, FAILED = "passed", "skipped", "failed"
# From the best to the worst.
RESULTS = PASSED, SKIPPED, FAILED
# The part of its length that a list may shrink to when it is written anew: more specs than that do not stop passing at once.
LEAST_SHARE = 0.9
# Seconds that a spec may take; with --find, where most of what takes long waits for a Pod.
PATIENCE, PATIENCE_TO_FIND = 300, 150
# Seconds for each more of those that share a process: most take a few.
PATIENCE_OF_MANY = 30
# Those that are judged, of all that the packages have.
OURS = re.compile(r"\[sig-(api-machinery|auth|cli)\]")
# What may not run beside others.
ALONE = re.compile(r"\[(Serial|Disruptive)\]")


def name_of(spec):
    """The full name of a spec of Ginkgo's report."""
    return " ".join([*(spec.get("ContainerHierarchyTexts") or []), spec["LeafNodeText"]])


def read_names(text):
    """The names of a list: its lines, but for empty ones and those that begin with #."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def results_of(report, names):
    """What a report of Ginkgo says of the specs `names`: {name: (result, the first line of its failure)}."""
    results, seen = {name: (FAILED, "it did not run") for name in names}, set()
    for suite in report:
        for spec in suite.get("SpecReports") or []:
            failure, state = (spec.get("Failure") or {}).get("Message", ""), spec["State"]
            name = name_of(spec)
            if name not in results or spec["LeafNodeType"] != "It":
                continue
            if state == "passed":
                result = PASSED, ""
            elif state not in ("skipped", "pending"):
                result = FAILED, " ".join((failure or state).split())
            # Of those that were not chosen it says that they were skipped, too, without a reason.
            elif failure or state == "pending":
                result = SKIPPED, " ".join(failure.split())
            else:
                continue
            # Several specs may have one name: the worst of them counts.
            if name not in seen or RESULTS.index(result[0]) > RESULTS.index(results[name][0]):
                results[name] = result
            seen.add(name)
    return results


def chosen(names, patterns):
    """The names that one of the patterns matches; all without patterns. Raises ValueError for a pattern that matches none."""
    for pattern in patterns:
        if not any(re.search(pattern, name) for name in names):
            raise ValueError(f"no spec matches {pattern!r}: take a regular expression that matches a part of a spec's full name")
    return [name for name in names if not patterns or any(re.search(pattern, name) for pattern in patterns)]


def refusal_of_list(passed, before):
    """Why a list of `passed` specs must not take the place of one of `before`; empty where it may."""
    if passed and passed >= before * LEAST_SHARE:
        return ""
    return f"only {passed} specs passed, and the list has {before}: it stays as it was; see the logs, or remove its lines to begin anew"


class Runner:
    """Runs specs on a cluster; logs are kept in a folder."""

    def __init__(self, program, kubectl, where, logs, patience):
        self.program, self.where, self.logs, self.patience = os.path.abspath(program), where, pathlib.Path(logs), patience
        self.running = set()
        self.flags = ["-kubeconfig=" + where.kubeconfig, "-host=" + where.url, "-kubectl-path=" + os.path.abspath(kubectl),
                      "-provider=skeleton", "-dump-logs-on-failure=false", "-ginkgo.no-color", "-ginkgo.seed=1", "-ginkgo.timeout=1h"]

    def report(self, stem, patience, *flags):
        """What Ginkgo reports of a run, or nothing where it took too long or ended without a report."""
        at = self.logs / (stem + ".json")
        at.unlink(missing_ok=True)
        with open(self.logs / (stem + ".log"), "wb") as log:
            run = subprocess.Popen([self.program, *self.flags, f"-ginkgo.json-report={at}", *flags], stdout=log, stderr=log,
                                   cwd=self.logs, start_new_session=True)
            self.running.add(run)
            try:
                run.wait(patience)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
            finally:
                self.running.discard(run)
        return json.loads(at.read_text()) if at.exists() else []

    def end(self):
        """Kills the specs that run, with what they have started."""
        for run in list(self.running):
            os.killpg(run.pid, signal.SIGKILL)

    def names(self):
        """The names of all specs of the API, of authorization and of kubectl, sorted."""
        report = self.report("all", self.patience, "-ginkgo.dry-run")
        names = {name_of(spec) for suite in report for spec in suite["SpecReports"] if spec["LeafNodeType"] == "It"}
        return sorted(name for name in names if OURS.match(name))

    def run(self, names):
        """The results of specs, one after the other in a process of their own: {name: (result, why)}."""
        self.where.check()
        # Many names begin alike.
        stem = re.sub(r"[^A-Za-z0-9]+", "-", names[0])[:120].strip("-") + "-" + hashlib.sha256(names[0].encode()).hexdigest()[:8]
        patience = 60 + self.patience + PATIENCE_OF_MANY * (len(names) - 1)
        report = self.report(stem, patience, *("-ginkgo.focus=" + re.escape(name) + "$" for name in names))
        results = results_of(report, names)
        if not report:
            results = {name: (FAILED, f"it ended without a report, or took too long (see {stem}.log)") for name in names}
        for name, (result, why) in results.items():
            if result != PASSED:
                print(f"{result}: {name}: {why[:400]}", flush=True)
        return results


def shares(names, jobs):
    """The names in as many lists as there are jobs, or fewer, of about the same length."""
    return [names[first::jobs] for first in range(min(jobs, len(names)))]


def run_all(runner, names, jobs, is_search, known=frozenset()):
    """The result of each name: {name: (result, why)}. In a search each has a process of its own, and none runs again."""
    results = {}
    beside, alone = [name for name in names if not ALONE.search(name)], [name for name in names if ALONE.search(name)]
    singly = [name for name in beside if is_search or name in known]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for some in pool.map(runner.run, shares([name for name in beside if name not in singly], jobs) + [[name] for name in singly]):
            results.update(some)
    for some in [[name] for name in alone] if is_search else shares(alone, 1):
        results.update(runner.run(some))
    if is_search:
        return results
    for name in [name for name, (result, _) in results.items() if result == FAILED and name not in known]:
        again = runner.run([name])
        if again[name][0] == PASSED:
            print(f"unsteady: {name}: {results[name][1][:400]}")
        results.update(again)
    return results


def judge(results, known):
    """Of the results {name: (result, why)}: the failures that are known, those that are not, and known ones that passed."""
    failed = {name for name, (result, _) in results.items() if result != PASSED}
    return sorted(failed & known), sorted(failed - known), sorted(known & results.keys() - failed)


def main():
    parser = argparse.ArgumentParser()
    for word in "specs", "programs", "list", "known":
        parser.add_argument(word)
    parser.add_argument("--fairway", help="the program whose API server is judged")
    parser.add_argument("--find", action="store_true", help="run all specs, and write LIST")
    parser.add_argument("--part", type=int, default=1, help="run one in so many")
    parser.add_argument("--jobs", type=int, default=4, help="specs at once")
    parser.add_argument("--log", help="folder of logs, kept")
    parser.add_argument("names", nargs="*", help="regular expressions")
    options = parser.parse_intermixed_args()
    if options.find and options.names:
        parser.error("--find writes the list of all specs: leave out " + " ".join(options.names))
    with tempfile.TemporaryDirectory() as work:
        logs = os.path.abspath(options.log or work)
        os.makedirs(logs, exist_ok=True)
        where = cluster.Cluster("the embedded API server" if options.fairway else "kube-apiserver", work)
        runner = Runner(options.specs, os.path.join(options.programs, "kubectl"), where, logs,
                        PATIENCE_TO_FIND if options.find else PATIENCE)

        def end(*_):
            runner.end()
            where.stop()
            # It has private keys, and nothing else removes it now.
            shutil.rmtree(work, ignore_errors=True)
            os._exit(1)

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)
        try:
            if options.fairway:
                where.start_embedded(os.path.abspath(options.fairway))
            else:
                where.start_real(os.path.abspath(options.programs))
            where.start_manager(os.path.abspath(os.path.join(options.programs, "kube-controller-manager")),
                                cluster.OWN_CONTROLLERS if options.fairway else ())
            return run(options, runner)
        finally:
            where.stop()
            if options.log:
                for log in pathlib.Path(work).glob("*.log"):
                    log.replace(os.path.join(logs, "cluster-" + log.name))


def run(options, runner):
    """Runs what was asked for, prints what came of it, and returns the exit code."""
    begun = time.monotonic()
    with open(options.list) as file:
        listed = read_names(file.read())
    if options.find:
        names = runner.names()
    else:
        names = listed
        if options.part > 1 and not options.names:
            names = names[int(os.environ.get("FAIRWAY_SEED", 0)) % options.part::options.part]
    try:
        names = chosen(names, options.names)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with open(options.known) as file:
        known = set(read_names(file.read()))
    lost = sorted(known - set(listed))
    results = run_all(runner, names, options.jobs, options.find, known)
    count = {kind: sum(result == kind for result, _ in results.values()) for kind in (PASSED, FAILED, SKIPPED)}
    if options.find:
        if why := refusal_of_list(count[PASSED], len(listed)):
            print("error: " + why, file=sys.stderr)
            return 1
        with open(options.list, "w") as file:
            file.write("# End-to-end specs that pass on kube-apiserver without nodes: written by `./dev conformance e2e --find`.\n")
            file.writelines(name + "\n" for name, (result, _) in sorted(results.items()) if result == PASSED)
        print(f"of {len(names)} specs {count[PASSED]} passed, {count[FAILED]} failed, {count[SKIPPED]} were skipped in "
              f"{time.monotonic() - begun:.0f} s")
        return 0
    as_known, wrong, passed = judge(results, known)
    for name in as_known:
        print("known: " + name)
    for name in wrong:
        print("failed: " + name)
    for name in passed:
        print("failed: is among the known failures, and passes: " + name)
    for name in lost:
        print(f"failed: is among the known failures, and {options.list} has no such spec: {name}")
    print(f"{len(names)} specs in {time.monotonic() - begun:.0f} s, {len(as_known)} failed as known")
    print(f"{count[PASSED]} passed, {len(wrong) + len(passed) + len(lost)} failed, 0 skipped")
    return 1 if wrong or passed or lost else 0


if __name__ == "__main__":
    sys.exit(main())
