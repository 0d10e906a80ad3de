# SPDX-License-Identifier: Apache-2.0
"""Tests of FAIRWAY_COMPONENTS of CMake: it takes what is installed, and names it."""

import re
import subprocess
import tempfile
import unittest

import complete


class Components(unittest.TestCase):
    def test_that_there_are_not_are_refused_with_those_that_there_are(self):
        # The last is a part of the programs.
        for name in ("kubes", "operators"):
            with self.subTest(name), tempfile.TemporaryDirectory() as build:
                done = subprocess.run(["cmake", "-S", complete.ROOT, "-B", build, f"-DFAIRWAY_COMPONENTS={name}"], capture_output=True,
                                      text=True, check=False)
                said = re.sub(r"\s+", " ", done.stderr)
                self.assertIn(f"there is no component '{name}'; there are: {' '.join(complete.components())} Call Stack", said)

    def test_are_those_of_the_page(self):
        with open(f"{complete.ROOT}/docs/sdk.md", encoding="utf-8") as file:
            self.assertEqual(sorted(re.findall(r"^\| \[`([a-z0-9_]+)`\]", file.read(), re.MULTILINE)), sorted(complete.components()))


if __name__ == "__main__":
    unittest.main()
