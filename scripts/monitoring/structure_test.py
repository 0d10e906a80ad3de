# SPDX-License-Identifier: Apache-2.0
"""Tests of structure.py, rare.py, rules.py and dashboards.py, as of check_test.py."""

import copy
import os
import tempfile
import unittest

import board
import dashboards
import exposition
import places
import rare
import rules
import structure

GOOD = board.board("uid", "Title", "What it shows.", "ready", [
    (structure.FIRST_ROW, [board.stat("A", "none", "sum(ready{SELECTED})", {None: "green", 1: "red"}, "What to do.")]),
    ("More", [board.series("B", "s", [("ready{SELECTED}", "{{instance}}"), ("time{SELECTED}", "{{job}}")], "How to read it."),
              board.states("C", [("ready{SELECTED}", "{{instance}}")], {1: ("up", "green")}, "How to read it."),
              board.table("D", "none", "ready{SELECTED}", {"instance": "Instance"}, "Now", "How to read it.")])])


class DashboardTest(unittest.TestCase):
    def faults(self, change):
        """Returns the faults of the good dashboard after a change."""
        changed = copy.deepcopy(GOOD)
        change(changed)
        return structure.faults_of_dashboard(changed)

    def test_a_good_dashboard_has_no_faults(self):
        self.assertEqual(structure.faults_of_dashboard(GOOD), [])

    def test_each_fault_is_found(self):
        for what, change in (
                ("it has no uid", lambda b: b.pop("uid")),
                ("it has no description: give", lambda b: b.update(description="")),
                ("schemaVersion 12", lambda b: b.update(schemaVersion=12)),
                ("it has no variable job", lambda b: b["templating"]["list"].pop(1)),
                ("its allValue '.*' takes", lambda b: b["templating"]["list"][1].update(allValue=".*")),
                ("its first row is not", lambda b: b["panels"].pop(0)),
                ("its id 2", lambda b: b["panels"][3].update(id=2)),
                ("it lies over panel 'B'", lambda b: b["panels"][4]["gridPos"].update(x=8)),
                ("does not fit", lambda b: b["panels"][4]["gridPos"].update(x=20)),
                ("the type grafana-worldmap-panel does not come", lambda b: b["panels"][3].update(type="grafana-worldmap-panel")),
                ("it has no title: say", lambda b: b["panels"][3].update(title="")),
                ("it has no description: say", lambda b: b["panels"][3].pop("description")),
                ("it has no unit", lambda b: b["panels"][3]["fieldConfig"]["defaults"].pop("unit")),
                ("it has no thresholds", lambda b: b["panels"][1]["fieldConfig"]["defaults"]["thresholds"].update(steps=[])),
                ("it lacks the options frameIndex", lambda b: b["panels"][5]["options"].pop("frameIndex")),
                ("its datasource is not", lambda b: b["panels"][3].update(datasource={"uid": "P1809F7CD0C75ACF3"})),
                ("it has no query", lambda b: b["panels"][3].update(targets=[])),
                ("the refIds", lambda b: b["panels"][3]["targets"][1].update(refId="A")),
                ("one of its queries is empty", lambda b: b["panels"][3]["targets"][0].update(expr="")),
                ("does not look at $job", lambda b: b["panels"][3]["targets"][0].update(expr="ready")),
                ("has no legend", lambda b: b["panels"][3]["targets"][0].update(legendFormat="")),
                ("uses the variable cluster", lambda b: b["panels"][3]["targets"][0].update(
                    expr='a{c="$cluster", ' + board.SELECTED + "}"))):
            with self.subTest(what):
                found = [fault for _, fault in self.faults(change)]
                self.assertTrue(any(what in fault for fault in found), found)

    def test_the_files_are_what_their_python_says(self):
        self.assertEqual({os.path.basename(file): text for file, _, text in places.dashboards()},
                         {f"{name}.json": dashboards.text_of(name) for name in dashboards.BOARDS},
                         "run scripts/monitoring/dashboards.py")

    def test_panels_are_laid_out_in_lines(self):
        panels = [board.series(str(at), "s", [("ready{SELECTED}", "now")], "D.", 8) for at in range(4)]
        self.assertEqual([(one["gridPos"]["x"], one["gridPos"]["y"]) for one in board.laid_out([("R", panels), ("S", [])])],
                         [(0, 0), (0, 1), (8, 1), (16, 1), (0, 9), (0, 17)])


class RulesTest(unittest.TestCase):
    GOOD = {"alert": "A", "labels": {"severity": "warning"}, "annotations": {"summary": "S", "description": "D"}}

    def faults(self, *alerts):
        return [what for _, _, what in structure.faults_of_rules([("f", {"spec": {"groups": [{"rules": list(alerts)}]}})])]

    def test_an_alert_says_how_bad_it_is_and_what_to_do(self):
        self.assertEqual(self.faults(self.GOOD), [])
        self.assertIn("severity", self.faults(self.GOOD | {"labels": {"severity": "page"}})[0])
        self.assertIn("description", self.faults(self.GOOD | {"annotations": {"summary": "S"}})[0])
        self.assertIn("summary", self.faults(self.GOOD | {"annotations": {"summary": " ", "description": "D"}})[0])
        self.assertIn("another alert has this name", self.faults(self.GOOD, self.GOOD)[0])

    def test_an_alert_without_a_case_is_named(self):
        document = {"spec": {"groups": [{"rules": [{"alert": "A"}, {"alert": "B"}]}]}}
        self.assertEqual(rules.untested(document, "- alertname: A\n"), ["B"])


class MonitorsTest(unittest.TestCase):
    SERVICE = {"metadata": {"name": "fairway-gateway-status", "namespace": "n", "labels": {"name": "fairway-gateway", "part": "status"}},
               "spec": {"ports": [{"name": "status", "port": 8081}]}}

    def faults(self, labels=None, port="status", job_label="name", namespace="n"):
        spec = {"selector": {"matchLabels": labels or {"part": "status"}}, "endpoints": [{"port": port}], "jobLabel": job_label}
        monitor = {"metadata": {"name": "m", "namespace": namespace}, "spec": spec}
        return [what for _, _, what in structure.faults_of_monitors([("f", monitor)], [self.SERVICE])]

    def test_a_monitor_selects_one_service_a_port_of_it_and_a_job_that_is_known(self):
        self.assertEqual(self.faults(), [])
        self.assertIn("matches 0 Services", self.faults(labels={"part": "clients"})[0])
        self.assertIn("matches 0 Services", self.faults(namespace="other")[0])
        self.assertIn("has no port metrics", self.faults(port="metrics")[0])
        self.assertIn("its job is 'status'", self.faults(job_label="part")[0])
        self.assertIn("its job is 'fairway-gateway-status'", self.faults(job_label=None)[0])


class RareTest(unittest.TestCase):
    def add(self, text):
        """Returns the metrics with what is rare, and the faults, where src/a.cc is the only source."""
        programs = {"service": {"seen": exposition.Metric("gauge")}}
        programs["service"]["seen"].add({"code": "200"})
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src"))
            with open(os.path.join(root, "src/a.cc"), "w", encoding="utf-8") as file:
                file.write('counter("hidden_total", "Help.", {{"why", why}}); codes{500, 1503};')
            return programs["service"], rare.add(text, programs, root)

    def test_a_metric_is_added_with_its_labels_if_its_source_has_them(self):
        entry = '[[metric]]\nprogram = "service"\nname = "{}"\ntype = "counter"\nlabels = ["{}"]\nsource = "src/{}"\n'
        metrics, faults = self.add(entry.format("hidden_total", "why", "a.cc"))
        self.assertEqual((metrics["hidden_total"].kind, set(metrics["hidden_total"].values), faults), ("counter", {"why"}, []))
        self.assertIn('src/a.cc has no "hidden"', self.add(entry.format("hidden", "why", "a.cc"))[1][0])
        self.assertIn('src/a.cc has no "how"', self.add(entry.format("hidden_total", "how", "a.cc"))[1][0])
        self.assertIn("there is no src/b.cc", self.add(entry.format("hidden_total", "why", "b.cc"))[1][0])

    def test_a_value_is_added_to_a_label_that_is_there(self):
        entry = '[[value]]\nprogram = "service"\nmetric = "seen"\nlabel = "{}"\nvalues = ["{}"]\nsource = "src/a.cc"\n'
        metrics, faults = self.add(entry.format("code", "500"))
        self.assertEqual((metrics["seen"].values, faults), ({"code": {"200", "500"}}, []))
        self.assertIn('src/a.cc has no "503"', self.add(entry.format("code", "503"))[1][0])
        self.assertIn("does not give seen with the label cod", self.add(entry.format("cod", "500"))[1][0])

    def test_a_label_is_open_if_it_is_there(self):
        entry = '[[open]]\nprogram = "service"\nmetric = "{}"\nlabel = "code"\n'
        metrics, faults = self.add(entry.format("seen"))
        self.assertEqual((metrics["seen"].open, faults), ({"code"}, []))
        self.assertIn("does not give gone", self.add(entry.format("gone"))[1][0])


if __name__ == "__main__":
    unittest.main()
