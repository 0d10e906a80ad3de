# SPDX-License-Identifier: Apache-2.0
"""Tests of build_site.py: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint runs."""

import os
import tempfile
import unittest

import build_site


def write(root, files):
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)) or root, exist_ok=True)
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)


class Staging(unittest.TestCase):
    def staged(self, files, reference=()):
        with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as out:
            write(root, files)
            groups = [("Start", [name for name in files if build_site.pages.is_page(name)])]
            build_site.stage(out, list(files), groups, root, reference)
            found = {}
            for path, _, names in os.walk(out):
                for name in names:
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        found[os.path.relpath(os.path.join(path, name), out)] = file.read()
            return found

    def test_links_lead_to_pages_and_to_what_shows_other_files(self):
        staged = self.staged({
            "README.md": "# A\n[a](docs/a.md#b) [up](examples/up.sh) `[no](docs/a.md)`\n",
            "docs/a.md": "# B\n[front](../README.md) [e](../examples) [web](https://example.com)\n",
            "examples/up.sh": "#!/bin/sh\n", "examples/deep/a.yaml": "a: ```\n"})
        self.assertIn("[a](docs/a.md#b) [up](source/examples/up.sh.md) `[no](docs/a.md)`", staged["index.md"])
        self.assertIn(":caption: Start\n\nOverview <self>\ndocs/a\n", staged["index.md"])
        self.assertIn("[front](../index.md) [e](../source/examples/index.md) [web](https://example.com)", staged["docs/a.md"])
        self.assertIn("```sh\n#!/bin/sh\n```\n", staged["source/examples/up.sh.md"])
        self.assertIn("````yaml\na: ```\n````\n", staged["source/examples/deep/a.yaml.md"])
        self.assertIn("- [`deep/a.yaml`](deep/a.yaml.md)\n- [`up.sh`](up.sh.md)\n", staged["source/examples/index.md"])
        self.assertTrue(staged["source/examples/index.md"].startswith("---\norphan: true\nnosearch: true\n---\n"))

    def test_links_to_sources_lead_to_the_reference_where_it_has_them(self):
        files = {"README.md": "# A\n[h](src/kube/client/api.h#L3) [k](src/kube) [s](src)\n",
                 "docs/sdk.md": "# B\n[h](../src/kube/client/api.h) [o](../src/kube/client/api.cc) [r](../src/risk)\n",
                 "src/kube/client/api.h": "", "src/kube/client/api.cc": "", "src/risk/a.h": ""}
        reference = {"reference/index.md": "# R\n", "reference/kube/index.md": "# K\n", "reference/kube/client/api.h.md": "# H\n"}
        staged = self.staged(files, reference)
        self.assertIn("[h](reference/kube/client/api.h.md) [k](reference/kube/index.md) [s](reference/index.md)\n", staged["index.md"])
        self.assertIn("docs/sdk\nreference/index\n", staged["index.md"])
        self.assertIn("[h](../reference/kube/client/api.h.md) [o](../source/src/kube/client/api.cc.md) [r](../source/src/risk/index.md)\n",
                      staged["docs/sdk.md"])
        self.assertEqual(staged["reference/kube/client/api.h.md"], "# H\n")
        self.assertNotIn("reference", self.staged(files)["index.md"])

    def test_a_file_that_is_too_long_is_not_shown(self):
        staged = self.staged({"README.md": "# A\n[x](data.json)\n", "data.json": " " * (build_site.MOST_BYTES + 1)})
        self.assertIn("too long", staged["source/data.json.md"])


class Built(unittest.TestCase):
    def faults(self, html, **more):
        with tempfile.TemporaryDirectory() as root:
            write(root, {"index.html": html, "b.html": '<h1 id="top">B</h1>', "searchindex.js": 'Search.setIndex({"docnames":["index"]})',
                         **more})
            return build_site.check_site(root, ["index.md"])

    def test_a_site_that_is_whole_has_no_faults(self):
        self.assertEqual(self.faults('<link href="a.css"><a href="b.html?x#top">b</a> <a href="https://example.com/">web</a>',
                                     **{"a.css": "a { background: url(data:image/png;base64,) }"}), [])

    def test_nothing_is_loaded_from_another_host(self):
        for html in ('<script src="https://example.com/a.js"></script>', '<img src="//example.com/a.png">',
                     '<link href="http://example.com/a.css">', "<style>@import 'https://example.com/a.css'</style>",
                     '<p style="background: url(https://example.com/a.png)">'):
            self.assertEqual(len(self.faults(html)), 1, html)
        self.assertEqual(self.faults("", **{"a.css": "@font-face { src: url(https://example.com/a.woff) }"}),
                         ["a.css loads https://example.com/a.woff"])

    def test_dead_links_and_anchors_are_found(self):
        self.assertEqual(self.faults('<a href="c.html">c</a><a href="b.html#none">b</a>'), [
            "index.html links to c.html, which is not there", "index.html links to b.html#none, and there is no such anchor"])

    def test_the_search_has_an_index_of_all_pages(self):
        self.assertEqual(self.faults("", **{"searchindex.js": "Search.setIndex({})"}), ["the search does not find index.md"])
        self.assertEqual(len(self.faults("", **{"searchindex.js": '{"docnames":["index"]}'})), 1)


if __name__ == "__main__":
    unittest.main()
