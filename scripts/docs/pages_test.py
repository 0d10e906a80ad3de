# SPDX-License-Identifier: Apache-2.0
"""Tests of pages.py: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint runs."""

import unittest

import pages


class Fences(unittest.TestCase):
    def test_have_their_lines_and_info(self):
        first, second = pages.fences("text\n\n```sh\na\n```\n- item\n\n  ~~~\n  b\n  ~~~\n")
        self.assertEqual((first.line, first.info, first.lines, first.closed), (3, "sh", ["a"], True))
        self.assertEqual((second.line, second.indent, second.lines), (8, "  ", ["  b"]))

    def test_a_longer_fence_has_shorter_ones_within(self):
        (fence,) = pages.fences("````md\n```console\n$ x\n```\n````\n")
        self.assertEqual(fence.info, "md")

    def test_one_without_an_end_goes_to_the_end(self):
        (fence,) = pages.fences("```\na\n")
        self.assertFalse(fence.closed)


class Links(unittest.TestCase):
    def test_are_those_outside_of_code(self):
        text = "[a](b.md) `[c](d.md)` [`e`](f.md#g)\n```\n[h](i.md)\n```\n<!-- [j](k.md) --> ![l](m.png \"title\")\n\n[n]: o.md\n"
        self.assertEqual([link.target for link in pages.links(text)], ["b.md", "f.md#g", "m.png", "o.md"])

    def test_may_go_over_lines_and_have_parentheses(self):
        text = "[a\nb](c.md) [d](https://example.com/e_(f))"
        self.assertEqual([link.target for link in pages.links(text)], ["c.md", "https://example.com/e_(f)"])
        self.assertEqual(pages.line_of(text, pages.links(text)[0].offset), 2)

    def test_by_reference_need_a_definition(self):
        self.assertEqual([name for _, name in pages.undefined_references("[a][b] [c][] [d][e]\n\n[b]: x.md\n[c]: y.md\n")], ["e"])
        self.assertEqual(pages.undefined_references("an index [a][b] in text"), [])


class Anchors(unittest.TestCase):
    def test_are_those_of_a_git_host(self):
        text = "# Run it: `fairway serve --data`\n## A [link](x.md), and **more**\n## Twice\n## Twice\n```\n# no heading\n```\n"
        self.assertEqual(pages.anchors(text + '<a id="own"></a>\n'),
                         {"run-it-fairway-serve---data", "a-link-and-more", "twice", "twice-1", "own"})


class Groups(unittest.TestCase):
    def test_have_each_page_once(self):
        text = '[[group]]\ntitle = "A"\npages = [\n  "README.md",\n  "docs/a.md",\n  "docs/a.md",\n  "docs/b.md",\n]\n'
        self.assertEqual(pages.check_groups(text, {"README.md", "docs/a.md", "docs/c.md", "examples/d.md"}), [
            ("docs/pages.toml", 5, "docs/a.md stands here a second time, in the group A: a page has one place"),
            ("docs/pages.toml", 7, "there is no docs/b.md: remove it here, or write it"),
            ("docs/c.md", 1, "this page is in no group of docs/pages.toml: add it to one")])

    def test_are_toml(self):
        (fault,) = pages.check_groups("[[group]]\ntitle = \n", set())
        self.assertEqual(fault[:2], ("docs/pages.toml", 2))

    def test_those_of_this_checkout_can_be_read(self):
        groups, faults = pages.read_groups(pages.read(pages.GROUPS))
        self.assertEqual(faults, [])
        self.assertTrue(all(names for _, names in groups))


if __name__ == "__main__":
    unittest.main()
