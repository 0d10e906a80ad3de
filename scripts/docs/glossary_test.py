# SPDX-License-Identifier: Apache-2.0
"""Tests of glossary.py: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint runs."""

import os
import tempfile
import unittest

import glossary

HEADER = """namespace fairway::graph {

class View;

struct Risk {
  struct Part {};
};
enum class Kind { a };
using Path = int;
template <class T>
class List {};

}  // namespace fairway::graph
"""


class GlossaryTest(unittest.TestCase):
    def faults(self, text):
        """Returns the faults of a page with this text, beside a src/graph/risk.h."""
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src/graph"))
            with open(os.path.join(root, "src/graph/risk.h"), "w", encoding="utf-8") as file:
                file.write(HEADER)
            return glossary.faults_of(text, root)

    def test_types_that_exist_have_no_faults(self):
        for name in ("Risk", "Kind", "Path", "List"):
            self.assertEqual(self.faults(f"| risk | A fault. | `graph::{name}`, `graph/risk.h`: `url` |\n"), [], name)

    def test_a_type_that_its_header_does_not_define_is_a_fault(self):
        for name in ("graph::Gone", "graph::View", "graph::Part", "risk::Risk", "graph::parts::Risk"):
            ((line, what),) = self.faults(f"# Glossary\n| risk | A fault. | `{name}`, `graph/risk.h` |\n")
            self.assertEqual((line, what.split(":", 1)[0]), (2, "no header of this row defines " + name.split(":", 1)[0]))
            self.assertIn(name, what)

    def test_a_type_without_a_header_is_a_fault(self):
        self.assertEqual(len(self.faults("| risk | A fault. | `graph::Risk` |\n")), 1)

    def test_a_file_that_is_not_there_is_the_only_fault_of_its_row(self):
        self.assertEqual(self.faults("| risk | A fault. | `graph::Risk`, `graph/gone.h` |\n"),
                         [(1, "there is no src/graph/gone.h: name the file that has it now")])

    def test_text_beside_the_tables_may_name_anything(self):
        self.assertEqual(self.faults("`graph::Gone`, `graph/gone.h`\n"), [])


if __name__ == "__main__":
    unittest.main()
