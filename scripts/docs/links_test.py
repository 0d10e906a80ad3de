# SPDX-License-Identifier: Apache-2.0
"""Tests of links.py: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint runs."""

import os
import tempfile
import unittest

import links


class CheckerTest(unittest.TestCase):
    def faults(self, files):
        """Returns the faults of a checkout with these files, as "file:line: what"."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, name)) or root, exist_ok=True)
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            checker = links.Checker(root, list(files))
            checker.check()
            return [f"{name}:{line}: {what}" for name, line, what in sorted(checker.faults)]

    def test_good_links_have_no_faults(self):
        self.assertEqual(self.faults({
            "README.md": "[a](docs/a.md) [b](docs/a.md#the-end) [c](examples) [d](examples/up.sh#L1) [e](#top)\n\n# Top\n",
            "docs/a.md": "# A\n[up](../README.md) [e](../examples/) <https://example.com/x> https://kubernetes.io/docs/\n## The end\n",
            "src/a.cc": "// docs/a.md#the-end, and docs/NAME.md stands for any\n",
            "examples/up.sh": "#!/bin/sh\n",
        }), [])

    def test_a_dead_link_says_where_it_leads(self):
        self.assertEqual(self.faults({"docs/a.md": "# A\n\n[x](b.md)\n"}),
                         ["docs/a.md:3: b.md leads to docs/b.md, which is not in the checkout: correct the path, or remove the link"])

    def test_a_dead_anchor_is_named_with_one_that_is_near(self):
        self.assertEqual(self.faults({"docs/a.md": "# A\n## The limits of it\n[x](#limits) [y](#none)\n"}), [
            "docs/a.md:3: docs/a.md has no heading for #limits; did you mean #the-limits-of-it?",
            "docs/a.md:3: docs/a.md has no heading for #none"])

    def test_a_link_out_of_the_checkout_or_from_a_root_is_refused(self):
        first, second, third = self.faults({"docs/a.md": "[x](../../b.md)\n[y](/docs/a.md)\n[z](file:///etc/passwd)\n"})
        self.assertIn("leads out of the checkout", first)
        self.assertIn("begins at the root of a server", second)
        self.assertIn("works on no other machine", third)

    def test_a_line_of_a_source_is_one_that_it_has(self):
        (fault,) = self.faults({"docs/a.md": "[x](../src/a.cc#L3)\n", "src/a.cc": "1\n2\n"})
        self.assertIn("has fewer lines than #L3", fault)

    def test_a_source_names_pages_that_exist(self):
        self.assertEqual(self.faults({"src/a.cc": '\nauto text = "see docs/gone.md";  // docs/a.md#none\n', "docs/a.md": "# A\n"}), [
            "src/a.cc:2: docs/a.md has no heading for #none",
            "src/a.cc:2: this names docs/gone.md, which is not there: name the page that has it now"])

    def test_links_to_the_web_have_a_form(self):
        for url in ("https:///path", "https://host/", "https://[::1/", "https://mycompany.com/x"):
            self.assertEqual(len(self.faults({"README.md": f"# A\n[x]({url})\n"})), 1, url)
        for url in ("http://127.0.0.1:8080/x", "http://localhost/", "https://registry.example.com/a"):
            self.assertEqual(self.faults({"README.md": f"[x]({url})\n"}), [], url)

    def test_a_node_of_a_flowchart_is_no_word_of_mermaid(self):
        text = """```mermaid
flowchart LR
  graph --> base
  a["graph --> end"] -- call --> b & end
  b -->|graph --> c| c
  subgraph call["as long as one call"]
    d
  end
```
"""
        self.assertEqual([fault.split(",")[0] for fault in self.faults({"README.md": text})], [
            "README.md:3: Mermaid reads the node graph as a word of its own",
            "README.md:4: Mermaid reads the node end as a word of its own",
            "README.md:6: Mermaid reads the node call as a word of its own"])

    def test_a_long_page_is_two(self):
        self.assertEqual(self.faults({"docs/a.md": "a\n" * 250, "CHANGELOG.md": "a\n" * 300}), [])
        self.assertEqual(self.faults({"docs/a.md": "a\n" * 251}),
                         ["docs/a.md:251: this page has 251 lines, and 250 are the most: write two pages"])

    def test_a_block_has_an_end(self):
        self.assertEqual(self.faults({"README.md": "# A\n\n```sh\nx\n"}),
                         ["README.md:3: this block has no end: close it with the same fence"])


if __name__ == "__main__":
    unittest.main()
