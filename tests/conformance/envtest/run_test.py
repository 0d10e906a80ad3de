#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of run.py: what counts as a result, and which results are wrong."""
import os
import subprocess
import tempfile
import unittest

import run


class Results(unittest.TestCase):
    def test_of_ginkgo_are_specs_and_what_fails_around_them(self):
        def spec(kind, state, text, *containers):
            return {"LeafNodeType": kind, "State": state, "LeafNodeText": text, "ContainerHierarchyTexts": list(containers) or None}

        report = [{"SpecReports": [
            spec("BeforeSuite", "passed", ""), spec("It", "passed", "works", "a", "b"), spec("It", "pending", "later", "a"),
            spec("It", "timedout", "works", "a", "b"), spec("AfterSuite", "failed", "")]}]
        self.assertEqual(run.read_specs(report), {
            "a b works": run.PASSED, "a later": run.SKIPPED, "a b works (2)": run.FAILED, "[AfterSuite]": run.FAILED})

    def test_of_go_are_all_tests_but_the_suite(self):
        output = "--- FAIL: TestSuite (1.0s)\n--- PASS: TestOne (0.0s)\n    --- FAIL: TestOne/inner\n--- SKIP: TestTwo (0.0s)\n"
        self.assertEqual(run.read_tests(output, "TestSuite"), {"TestOne": run.PASSED, "TestTwo": run.SKIPPED})
        self.assertEqual(run.read_tests(output, None)["TestSuite"], run.FAILED)

    def test_of_a_package_that_judged_nothing_are_a_failure(self):
        whole = {"[the whole package]": run.FAILED}
        self.assertEqual(run.with_end({}, 0), whole)
        self.assertEqual(run.with_end({"a": run.SKIPPED}, 0), {"a": run.SKIPPED, **whole})
        self.assertEqual(run.with_end({"a": run.PASSED}, 2), {"a": run.PASSED, **whole})
        self.assertEqual(run.with_end({"a": run.FAILED}, 2), {"a": run.FAILED})
        self.assertEqual(run.with_end({"a": run.PASSED, "b": run.SKIPPED}, 0), {"a": run.PASSED, "b": run.SKIPPED})

    def test_are_wrong_where_they_are_not_as_known(self):
        known = run.read_known("# why\n\np: fails\np: passes\nq: fails\n")
        results = {"fails": run.FAILED, "passes": run.PASSED, "new": run.FAILED, "other": run.PASSED, "skipped": run.SKIPPED}
        self.assertEqual(run.judge("p", results, known), (["p: fails"], ["p: new"], ["p: passes"]))


class Orphans(unittest.TestCase):
    def test_are_ended(self):
        run.adopt_orphans()
        started = subprocess.run(["sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"], capture_output=True, text=True, check=True)
        process = int(started.stdout)
        os.kill(process, 0)
        run.end_orphans()
        with self.assertRaises(ProcessLookupError):
            os.kill(process, 0)


class Packages(unittest.TestCase):
    def test_are_those_whose_tests_start_a_server(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"a/a_test.go": "x = &envtest.Environment{}", "b/b_test.go": "x", "c/c.go": "envtest.Environment",
                               "d/e/d_test.go": 'import "x/testing/controlplane"'}.items():
                path = os.path.join(folder, "pkg", name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(text)
            self.assertEqual(run.packages_of(folder), ["a", "d/e"])

    def test_have_the_suite_that_runs_their_specs(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s_test.go"), "w") as file:
                file.write("func TestOther(t *testing.T) {\n\tx()\n}\n\nfunc TestIt(t *testing.T) {\n\tRunSpecs(t, \"x\")\n}\n")
            self.assertEqual(run.suite_of(folder), "TestIt")


if __name__ == "__main__":
    unittest.main()
