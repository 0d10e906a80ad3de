"""Tests of doc_comments.py."""

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
