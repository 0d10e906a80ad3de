# SPDX-License-Identifier: Apache-2.0
"""Tests of security.py: `python3 -m unittest discover -q -s scripts/systemd -p '*_test.py'`."""

import unittest

import security


class Reports(unittest.TestCase):
    def test_name_what_adds_to_the_exposure(self):
        report = [{"set": True, "name": "PrivateTmp=", "exposure": None},
                  {"set": False, "name": "PrivateNetwork=", "exposure": "0.5"},
                  {"set": False, "name": "RestrictAddressFamilies=~AF_(INET|INET6)", "exposure": "0.3"},
                  {"set": None, "name": "RootDirectory=", "exposure": None}]
        self.assertEqual(security.exposed_items(report),
                         {"PrivateNetwork=": "0.5", "RestrictAddressFamilies=~AF_(INET\\|INET6)": "0.3"})

    def test_end_with_the_level(self):
        self.assertEqual(security.overall("...\n→ Overall exposure level for fairway-serve.service: 1.2 OK 🙂\n"), "1.2")
        with self.assertRaises(SystemExit):
            security.overall("")

    def test_are_those_of_one_release(self):
        self.assertEqual(security.release_of("systemd 252 (252.39-1~deb12u2)\n+PAM"), 252)
        self.assertIsNone(security.release_of("no systemd-analyze"))


class Table(unittest.TestCase):
    scores = {"serve": "1.2", "gateway": "1.4"}
    items = {"serve": {"A=": "0.1"}, "gateway": {"A=": "0.1", "B=": "0.5"}}

    def test_begins_with_the_worst(self):
        self.assertEqual(security.table(self.scores, self.items, {"A=": "why a", "B=": "why b"}),
                         ["| item | serve | gateway | reason |", "|---|---|---|---|", "| **overall** | **1.2** | **1.4** | |",
                          "| `B=` | | 0.5 | why b |", "| `A=` | 0.1 | 0.1 | why a |"])

    def test_wants_a_reason_for_each_item_and_no_more(self):
        with self.assertRaisesRegex(SystemExit, "B= has no reason"):
            security.table(self.scores, self.items, {"A=": "why a"})
        with self.assertRaisesRegex(SystemExit, "C= has a reason, and no unit is exposed by it"):
            security.table(self.scores, self.items, {"A=": "a", "B=": "b", "C=": "c"})


class Page(unittest.TestCase):
    def test_keeps_what_is_around_the_table(self):
        page = f"before\n{security.BEGIN}\n\n| old |\n\n{security.END}\nafter\n"
        there, updated = security.between(page, ["| new |"])
        self.assertEqual(there, ["| old |"])
        self.assertEqual(updated, page.replace("old", "new"))

    def test_has_marks(self):
        with self.assertRaises(SystemExit):
            security.between("no marks")


if __name__ == "__main__":
    unittest.main()
