# SPDX-License-Identifier: Apache-2.0
"""Tests of names.py."""

import unittest

import names


class Names(unittest.TestCase):
    def test_that_were_replaced_are_found(self):
        source = "void note_success();\nconst Surroundings& all;\nwatch.note(1);\nKnown& known = all;\n"
        self.assertEqual([(number, name) for number, name, _ in names.faults(source)],
                         [(1, "note_success"), (2, "Surroundings"), (3, "note"), (4, "Known")])

    def test_in_comments_and_texts_are_no_names(self):
        self.assertEqual(list(names.faults('// Agreement\nlog("a note_x of patience");\n')), [])


if __name__ == "__main__":
    unittest.main()
