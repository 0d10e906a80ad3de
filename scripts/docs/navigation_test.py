# SPDX-License-Identifier: Apache-2.0
"""Tests of navigation.py: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint runs."""

import unittest

import navigation

TREE = ('<ul><li class="l1 current has-children"><a class="current reference" href="../index.html">R</a><ul>'
        '<li class="l2 current current-page"><a class="current reference" href="#">A</a></li>'
        '<li class="l2"><a class="reference" href="b/c.html">C</a></li></ul></li></ul>')


class Navigation(unittest.TestCase):
    def test_is_that_of_another_page_of_the_branch(self):
        self.assertEqual(
            navigation.moved(TREE, "reference/k/a.html", "reference/k/b/c.html"),
            '<ul><li class="l1 current has-children"><a class="current reference" href="../../index.html">R</a><ul>'
            '<li class="l2"><a class="reference" href="../a.html">A</a></li>'
            '<li class="l2 current current-page"><a class="reference current" href="#">C</a></li></ul></li></ul>')

    def test_marks_a_page_that_has_others_below_it(self):
        self.assertTrue(navigation.moved(TREE, "reference/k/a.html", "reference/index.html").startswith(
            '<ul><li class="l1 has-children current current-page"><a class="reference current" href="#">R</a>'))

    def test_is_the_same_for_the_page_itself(self):
        moved = navigation.moved(TREE, "reference/k/a.html", "reference/k/a.html")
        self.assertEqual(moved.replace("reference current", "current reference"), TREE)

    def test_has_a_branch_for_each_component(self):
        paths = ["docs/a", "index", "reference/index", "reference/k/index", "reference/k/b/c.h"]
        self.assertEqual([navigation.branch_of(page) for page in paths],
                         ["", "", "reference/index", "reference/k", "reference/k"])


if __name__ == "__main__":
    unittest.main()
