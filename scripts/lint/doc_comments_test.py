# SPDX-License-Identifier: Apache-2.0
"""Tests of doc_comments.py."""

import pathlib
import subprocess
import tempfile
import unittest

import doc_comments


class Comments(unittest.TestCase):
    def test_are_found_before_and_behind_what_they_document(self):
        source = """/// Returns the size,
/// in bytes.
int size();
int count;  ///< number of objects
// What this is: no doc comment.
//// Nor is this.
"""
        self.assertEqual(list(doc_comments.comments(source)), [(1, "Returns the size,"), (4, "number of objects")])

    def test_are_found_at_the_top_of_a_header(self):
        source = """// The size of a list,
// in bytes.
#pragma once
// Which lists count: no doc comment.
/// Returns the size.
int size();
"""
        of_size = (5, "Returns the size.")
        self.assertEqual(list(doc_comments.comments(source, is_header=True)), [(1, "The size of a list,"), of_size])
        self.assertEqual(list(doc_comments.comments(source)), [of_size])
        self.assertEqual(list(doc_comments.comments("#pragma once\n// Where it is.\n", is_header=True)), [])

    def test_at_the_top_of_a_header_are_found_below_its_licence(self):
        licence = "// SPDX-" + "License-Identifier: Apache-2.0\n"
        self.assertEqual(list(doc_comments.comments(licence + "\n// What it holds.\n#pragma once\n", is_header=True)),
                         [(3, "What it holds.")])
        self.assertEqual(list(doc_comments.comments(licence + "\n#pragma once\n// Where it is.\n", is_header=True)), [])

    def test_of_the_tree_include_the_tops_of_headers_and_not_of_other_sources(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("list.h", "list.cc"):
                pathlib.Path(root, name).write_text("// What a list holds.\n", encoding="utf-8")
            subprocess.run(["git", "-C", root, "init", "--quiet"], check=True)
            subprocess.run(["git", "-C", root, "add", "."], check=True)
            self.assertEqual(list(doc_comments.of_tree(root)), [("list.h", 1, "What a list holds.")])

    def test_that_begin_with_a_noun_or_verb_are_in_order(self):
        for text in ("Returns whether it is there.", "The time of the last write.", "One part of a path.", "All objects, by name.",
                     "Ofcom's list.", "Asks the server."):
            self.assertFalse(doc_comments.is_relative(text), text)

    def test_that_begin_with_a_relative_clause_are_not(self):
        for text in ("What is not in the objects.", "Whether it is there.", "Of a listener.", "The same, and that nothing changes.",
                     "All that were taken.", "those that wait", "The one that answers."):
            self.assertTrue(doc_comments.is_relative(text), text)


if __name__ == "__main__":
    unittest.main()
