#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of a Go module that start an API server, unmodified, on the programs of a folder:

    run.py SOURCES ASSETS KNOWN [--below DIR] [--prepare FILE] [--go GO] [--cache DIR] [--log DIR] [PACKAGE...]

SOURCES is the module's folder, which may be read-only: its tests run in a copy, in --cache beside the compiled tests, which are
kept. --prepare is a shell script that runs in that copy first: it makes what the module's own Makefile makes before its tests.
ASSETS has kube-apiserver, etcd and kubectl, as KUBEBUILDER_ASSETS. KNOWN lists failures that are expected, each with its reason
(known-failures.txt). PACKAGE is a folder below --below (pkg); all packages that start a server without one. Each spec of Ginkgo
counts, and each test of Go that is not Ginkgo's own.

A failure that is not known ends it with 1, and so does a known one that passes. The suites are upstream's, and some of their specs race:
a package with a failure that is not known runs once more, and what passes then is listed as unsteady. A line for each package, then the
counts.
"""
import argparse
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
# What means that a package's tests start a server.
STARTS_A_SERVER = re.compile(r"envtest\.Environment\b|testing/controlplane\"|\bEnvironment\{")
# Seconds that a package may take.
PATIENCE = 1200


def adopt_orphans():
    """Makes this process the parent of servers whose tests have ended without them."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def end_orphans():
    """Kills the servers that tests have left over: some of upstream's stop none."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        left = [int(word) for word in file.read().split()]
    for process in left:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def read_text(path):
    with open(path) as file:
        return file.read()


def packages_of(sources, below="pkg"):
    """The packages whose tests start a server, in the order of their names."""
    found = []
    for folder, _, files in os.walk(os.path.join(sources, below)):
        texts = [read_text(os.path.join(folder, file)) for file in sorted(files) if file.endswith("_test.go")]
        if any(STARTS_A_SERVER.search(text) for text in texts):
            found.append(os.path.relpath(folder, os.path.join(sources, below)))
    return sorted(found)


def suite_of(folder):
    """The test of Go that runs the package's specs; None if it has none."""
    for file in sorted(os.listdir(folder)):
        if file.endswith("_test.go"):
            text = read_text(os.path.join(folder, file))
            match = re.search(r"^func (Test\w+)\(\w+ \*testing\.T\) \{(?:(?!^\}).)*?RunSpecs\(", text, re.MULTILINE | re.DOTALL)
            if match:
                return match[1]
    return None


def read_specs(report):
    """The result of each spec of a report of Ginkgo: {name: result}. Nodes around the specs count only where they fail."""
    results = {}
    for suite in report:
        for spec in suite.get("SpecReports") or []:
            state = spec["State"]
            is_spec = spec["LeafNodeType"] == "It"
            result = PASSED if state == "passed" else SKIPPED if state in ("skipped", "pending") else FAILED
            if not is_spec and result != FAILED:
                continue
            words = (spec.get("ContainerHierarchyTexts") or []) + [spec["LeafNodeText"] or "[" + spec["LeafNodeType"] + "]"]
            name = " ".join(words)
            # Of several with one name, the worst counts by it, and the others by a number.
            number, unique = 1, name
            while unique in results:
                number += 1
                unique = f"{name} ({number})"
            results[unique] = result
    return results


def read_tests(output, suite):
    """The result of each test of Go but the suite: {name: result}."""
    results = {}
    for word, name in re.findall(r"^--- (PASS|FAIL|SKIP): (\S+)", output, re.MULTILINE):
        if name != suite:
            results[name] = {"PASS": PASSED, "FAIL": FAILED, "SKIP": SKIPPED}[word]
    return results


def with_end(results, code):
    """Adds a failure of the whole package to its results where it ended with a code that none of them explains, or where none passed."""
    if FAILED not in results.values() and (code != 0 or PASSED not in results.values()):
        return {**results, "[the whole package]": FAILED}
    return results


def read_known(text):
    """The known failures: {"PACKAGE: NAME"}. A line without # is one."""
    return {line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")}


def judge(package, results, known):
    """Splits the failures of a package into those that are known and those that are not; and known ones that have passed."""
    failed = {f"{package}: {name}" for name, result in results.items() if result == FAILED}
    passed = {f"{package}: {name}" for name, result in results.items() if result == PASSED}
    return sorted(failed & known), sorted(failed - known), sorted(passed & known)


class Runner:
    def __init__(self, sources, below, assets, go, cache, logs, module):
        self.sources, self.below, self.go, self.cache, self.logs = sources, below, go, cache, logs
        version = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
        self.stamp = f"{module} as {sources}, {version}"
        self.environment = dict(os.environ, KUBEBUILDER_ASSETS=assets, GOTOOLCHAIN="local", GOFLAGS="-mod=readonly")
        self.environment.pop("USE_EXISTING_CLUSTER", None)
        self.environment.pop("KUBECONFIG", None)

    def build(self, package):
        """Compiles the tests of a package, unless they are those of this module and Go already; returns the program."""
        program = os.path.join(self.cache, package.replace("/", "_") + ".test")
        stamp = program + ".stamp"
        if os.path.exists(program) and os.path.exists(stamp) and read_text(stamp) == self.stamp:
            return program
        subprocess.run([self.go, "test", "-vet=off", "-c", "-o", program, f"./{self.below}/{package}"], cwd=self.sources,
                       env=self.environment, check=True)
        with open(stamp, "w") as file:
            file.write(self.stamp)
        return program

    def run(self, package, program):
        """Runs the tests of a package; returns its results and its seconds."""
        folder = os.path.join(self.sources, self.below, package)
        suite = suite_of(folder)
        report = os.path.join(self.logs, package.replace("/", "_") + ".json")
        # That of an earlier run says nothing of this one.
        if os.path.exists(report):
            os.remove(report)
        flags = ["-test.v", f"-test.timeout={PATIENCE}s"]
        if suite:
            flags += ["--ginkgo.json-report=" + report, "--ginkgo.no-color", "--ginkgo.seed=1"]
        begun = time.monotonic()
        with open(os.path.join(self.logs, package.replace("/", "_") + ".log"), "w+", errors="replace") as log:
            ended = subprocess.run([program, *flags], cwd=folder, env=self.environment, stdout=log, stderr=subprocess.STDOUT)
            log.seek(0)
            output = log.read()
        end_orphans()
        results = read_tests(output, suite)
        if suite and os.path.exists(report):
            with open(report) as file:
                results.update(read_specs(json.load(file)))
        return with_end(results, ended.returncode), time.monotonic() - begun


def keep_log(logs, package):
    """Keeps what a package has printed, as PACKAGE-first.log: the next run writes over it."""
    name = os.path.join(logs, package.replace("/", "_"))
    shutil.copyfile(name + ".log", name + "-first.log")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources")
    parser.add_argument("assets")
    parser.add_argument("known")
    parser.add_argument("--below", default="pkg", help="folder of the module that has the packages")
    parser.add_argument("--prepare", help="shell script that runs in the copy of the module")
    parser.add_argument("--go", default="go")
    parser.add_argument("--cache", help="folder of the compiled tests, kept")
    parser.add_argument("--log", help="folder of what the tests print, kept")
    parser.add_argument("packages", nargs="*")
    options = parser.parse_intermixed_args()
    adopt_orphans()
    known = read_known(read_text(options.known))
    with tempfile.TemporaryDirectory() as work:
        cache, logs = options.cache or os.path.join(work, "cache"), options.log or os.path.join(work, "logs")
        os.makedirs(cache, exist_ok=True)
        os.makedirs(logs, exist_ok=True)
        # In one place, so that Go finds again what it has compiled.
        sources = os.path.join(os.path.abspath(cache), os.path.basename(os.path.abspath(options.sources)).split("@")[0])
        shutil.rmtree(sources, ignore_errors=True)
        shutil.copytree(options.sources, sources)
        # Go's modules are read-only, and no file of theirs is a program: some tests run their scripts.
        subprocess.run(["chmod", "-R", "u+w", sources], check=True)
        for folder, _, files in os.walk(sources):
            for file in files:
                if file.endswith(".sh"):
                    os.chmod(os.path.join(folder, file), 0o755)
        if options.prepare:
            subprocess.run(["sh", "-eu", os.path.abspath(options.prepare)], cwd=sources, check=True, env=dict(
                os.environ, GO=options.go, GOTOOLCHAIN="local", GOFLAGS="-mod=readonly", MODULE=os.path.basename(options.sources),
                KUBECTL=os.path.join(os.path.abspath(options.assets), "kubectl")))
        runner = Runner(sources, options.below, os.path.abspath(options.assets), options.go, os.path.abspath(cache),
                        os.path.abspath(logs), os.path.realpath(options.sources))
        packages = options.packages or packages_of(sources, options.below)
        counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
        wrong = expected = 0
        begun = time.monotonic()
        built = {package: runner.build(package) for package in packages}
        print(f"built the tests of {len(packages)} packages in {time.monotonic() - begun:.0f} s", flush=True)
        begun = time.monotonic()
        for package in packages:
            results, seconds = runner.run(package, built[package])
            failed = judge(package, results, known)[1]
            if failed:
                keep_log(runner.logs, package)
                results, more = runner.run(package, built[package])
                seconds += more
                for name in sorted(set(failed) - set(judge(package, results, known)[1])):
                    print("unsteady: " + name)
            for result in results.values():
                counts[result] += 1
            of_package = [sum(result == kind for result in results.values()) for kind in counts]
            print(f"{package}: {of_package[0]} passed, {of_package[1]} failed, {of_package[2]} skipped in {seconds:.1f} s", flush=True)
            as_known, not_known, passed = judge(package, results, known)
            for name in as_known:
                print("known: " + name)
            for name in not_known:
                print("failed: " + name)
            for name in passed:
                print("failed: is among the known failures, and passes: " + name)
            wrong += len(not_known) + len(passed)
            expected += len(as_known)
        print(f"all {sum(counts.values())} in {time.monotonic() - begun:.0f} s: {counts[FAILED]} failed, {expected} of them as known")
        print(f"{counts[PASSED]} passed, {wrong} failed, {counts[SKIPPED]} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
