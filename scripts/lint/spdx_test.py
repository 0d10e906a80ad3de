# SPDX-License-Identifier: Apache-2.0
"""Tests of spdx.py."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import spdx

CXX = f"// {spdx.TAG} {spdx.LICENCE}\n"
SHELL = f"# {spdx.TAG} {spdx.LICENCE}\n"


class Line(unittest.TestCase):
    def test_goes_to_the_top_apart_from_what_follows(self):
        for before, mark, after in (
                ("// A list.\n#pragma once\n", "//", CXX + "\n// A list.\n#pragma once\n"),
                ('#include "a.h"\n', "//", CXX + '\n#include "a.h"\n'),
                ("\n\nint a;\n", "//", CXX + "\nint a;\n"),
                ("#!/bin/sh\n# Runs it.\nset -e\n", "#", "#!/bin/sh\n" + SHELL + "\n# Runs it.\nset -e\n"),
                ('#!/usr/bin/env python3\n"""Counts."""\n', "#", "#!/usr/bin/env python3\n" + SHELL + '"""Counts."""\n'),
                ('"""Counts."""\n', "#", SHELL + '"""Counts."""\n'),
                ("", "#", SHELL)):
            self.assertIsNotNone(spdx.fault(before, mark), before)
            self.assertEqual(spdx.fixed(before, mark), after)
            self.assertIsNone(spdx.fault(after, mark), after)
            self.assertEqual(spdx.fixed(after, mark), after)

    def test_that_runs_into_a_comment_is_set_apart(self):
        self.assertIn("blank line", spdx.fault(CXX + "// A list.\n", "//"))
        self.assertEqual(spdx.fixed(CXX + "// A list.\n", "//"), CXX + "\n// A list.\n")

    def test_of_another_licence_is_a_fault(self):
        self.assertIn("is missing", spdx.fault(f"// {spdx.TAG} MIT\n", "//"))

    def test_is_asked_of_sources_alone(self):
        for path in ("src/a/b.h", "dev.py", "CMakeLists.txt", "tests/c/CMakeLists.txt", "cmake/a.cmake", "a.go"):
            self.assertIsNotNone(spdx.comment_of(path, ""), path)
        self.assertEqual(spdx.comment_of("dev", "#!/bin/sh\n"), "#")
        for path in ("a.yaml", "notes/a.md", "tests/a/cases/b.json", "a.txt", "src/cli/new/templates/main.cc.tmpl",
                     "tests/cli/data/crd-paths/types.paths.h", "notes"):
            self.assertIsNone(spdx.comment_of(path, ""), path)


class Tree(unittest.TestCase):
    def run_on(self, root, *flags):
        return subprocess.run([sys.executable, spdx.__file__, "--root", root, *flags], capture_output=True, text=True)

    def test_is_checked_and_fixed(self):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "-C", root, "init", "--quiet"], check=True)
            for name, text in (("a.h", "// A.\n"), ("b.py", SHELL + "import io\n"), ("c.yaml", "a: 1\n")):
                pathlib.Path(root, name).write_text(text, encoding="utf-8")
            pathlib.Path(root, "d.cc").write_bytes(b"// \xff no UTF-8\n")
            found = self.run_on(root)
            self.assertEqual(found.returncode, 1)
            self.assertEqual([line.split(":")[0] for line in found.stderr.splitlines()], ["a.h", "d.cc"])
            self.assertEqual(self.run_on(root, "--fix").stdout, "2 files have the line now that lacked it\n")
            self.assertEqual(self.run_on(root).returncode, 0)
            self.assertEqual(pathlib.Path(root, "d.cc").read_bytes(), CXX.encode() + b"\n// \xff no UTF-8\n")
            self.assertEqual(pathlib.Path(root, "c.yaml").read_text(encoding="utf-8"), "a: 1\n")


class Reuse(unittest.TestCase):
    def test_has_the_text_of_the_licence(self):
        root = pathlib.Path(spdx.structure.ROOT)
        self.assertEqual((root / "LICENSES" / f"{spdx.LICENCE}.txt").read_bytes(), (root / "LICENSE").read_bytes())


if __name__ == "__main__":
    unittest.main()
