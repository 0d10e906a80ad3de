# SPDX-License-Identifier: Apache-2.0
"""Tests of verify_sysroot.py."""

import os
import tempfile
import unittest

import verify_sysroot


class Sysroot(unittest.TestCase):
    def test_has_the_libraries_that_a_build_needs(self):
        found = verify_sysroot.libraries("# build x-dev\nbuild g++\nbuild libb-dev\ntest liba-dev\nbuild liba-dev\n")
        self.assertEqual(found, ["liba-dev", "libb-dev", "libc6-dev", "libstdc++-12-dev"])

    def test_has_links_that_stay_within(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(f"{root}/usr/lib/deep")
            for name, target in (("absolute", "/lib/x.so.1"), ("relative", "x.so.1"), ("up", "../x.so.1")):
                os.symlink(target, f"{root}/usr/lib/deep/{name}")
            self.assertEqual(verify_sysroot.make_links_relative(root), 1)
            self.assertEqual(os.readlink(f"{root}/usr/lib/deep/absolute"), "../../../lib/x.so.1")
            self.assertEqual(os.readlink(f"{root}/usr/lib/deep/relative"), "x.so.1")


if __name__ == "__main__":
    unittest.main()
