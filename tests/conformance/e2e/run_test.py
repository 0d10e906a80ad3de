#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of run.py: what counts as a result, which results are wrong, and how specs are shared out."""
import contextlib
import io
import unittest

import run


def spec(kind, state, text, message="", *containers):
    return {"LeafNodeType": kind, "State": state, "LeafNodeText": text, "ContainerHierarchyTexts": list(containers) or None,
            "Failure": {"Message": message} if message else None}


class Results(unittest.TestCase):
    def test_are_those_of_the_chosen_specs(self):
        report = [{"SpecReports": [
            spec("BeforeSuite", "passed", ""), spec("It", "passed", "works", "", "a", "b"), spec("It", "passed", "another"),
            spec("It", "failed", "breaks", "is 1,\n  not 2", "a"), spec("It", "timedout", "hangs"),
            spec("It", "skipped", "needs more", "no nodes"), spec("It", "skipped", "not chosen by the flags")]}]
        names = ["a b works", "a breaks", "hangs", "needs more", "not chosen by the flags", "is not there"]
        self.assertEqual(run.results_of(report, names), {
            "a b works": (run.PASSED, ""), "a breaks": (run.FAILED, "is 1, not 2"), "hangs": (run.FAILED, "timedout"),
            "needs more": (run.SKIPPED, "no nodes"), "not chosen by the flags": (run.FAILED, "it did not run"),
            "is not there": (run.FAILED, "it did not run")})

    def test_of_one_name_are_the_worst(self):
        for states in (("failed", "passed"), ("passed", "failed"), ("failed", "skipped")):
            report = [{"SpecReports": [spec("It", state, "same", "x") for state in states]}]
            self.assertEqual(run.results_of(report, ["same"])["same"][0], run.FAILED, states)

    def test_are_wrong_where_they_are_not_as_known(self):
        known = set(run.read_names("# why\n\nfails\npasses\nis not of this run\n"))
        results = {"fails": (run.FAILED, "x"), "passes": (run.PASSED, ""), "new": (run.FAILED, "x"), "skipped": (run.SKIPPED, "")}
        self.assertEqual(run.judge(results, known), (["fails"], ["new", "skipped"], ["passes"]))


class Choice(unittest.TestCase):
    def test_is_all_or_what_the_patterns_match(self):
        self.assertEqual(run.chosen(["a b", "c"], []), ["a b", "c"])
        self.assertEqual(run.chosen(["a b", "c"], ["^a"]), ["a b"])

    def test_has_no_pattern_that_matches_nothing(self):
        with self.assertRaisesRegex(ValueError, "no spec matches 'zz'"):
            run.chosen(["a b", "c"], ["a", "zz"])


class Lists(unittest.TestCase):
    def test_do_not_become_empty_or_much_shorter(self):
        self.assertEqual(run.refusal_of_list(181, 182), "")
        self.assertEqual(run.refusal_of_list(3, 0), "")
        self.assertIn("only 0 specs passed", run.refusal_of_list(0, 0))
        self.assertIn("only 100 specs passed, and the list has 182", run.refusal_of_list(100, 182))


class Runs(unittest.TestCase):
    class Double:
        """A runner whose specs pass, but those whose name has `never`, and the first time those that have `once`."""

        def __init__(self):
            self.runs = []

        def run(self, names):
            results = {}
            for name in names:
                is_first = not any(name in earlier for earlier in self.runs)
                failed = "never" in name or ("once" in name and is_first)
                results[name] = (run.FAILED, "x") if failed else (run.PASSED, "")
            self.runs.append(names)
            return results

    def test_share_specs_out_and_try_failures_again_alone(self):
        runner, printed = self.Double(), io.StringIO()
        with contextlib.redirect_stdout(printed):
            results = run.run_all(runner, ["a", "b", "c once", "d never", "e [Serial]"], 2, False)
        self.assertEqual(runner.runs[:2], [["a", "c once"], ["b", "d never"]])
        self.assertEqual(runner.runs[2:], [["e [Serial]"], ["c once"], ["d never"]])
        self.assertEqual([name for name, (result, _) in results.items() if result != run.PASSED], ["d never"])
        self.assertEqual(printed.getvalue(), "unsteady: c once: x\n")

    def test_leave_specs_that_are_known_to_fail_to_themselves(self):
        runner = self.Double()
        results = run.run_all(runner, ["a", "b never", "c"], 1, False, {"b never"})
        self.assertEqual(runner.runs, [["a", "c"], ["b never"]])
        self.assertEqual(results["b never"], (run.FAILED, "x"))

    def test_of_a_search_are_one_spec_each_and_once(self):
        runner = self.Double()
        results = run.run_all(runner, ["a", "b never", "c [Serial]"], 1, True)
        self.assertEqual(runner.runs, [["a"], ["b never"], ["c [Serial]"]])
        self.assertEqual(results["b never"], (run.FAILED, "x"))

    def test_need_no_more_processes_than_specs(self):
        self.assertEqual(run.shares(["a", "b"], 4), [["a"], ["b"]])
        self.assertEqual(run.shares([], 4), [])


if __name__ == "__main__":
    unittest.main()
