# SPDX-License-Identifier: Apache-2.0
"""Tests of the units of systemd that are installed: `cmake --install` writes its prefix into them, and the tarball has none."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tarball

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
# The rules of Fairway's own CMakeLists.txt, without all that has to be built.
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(units NONE)
include(GNUInstallDirs)
include({ROOT}/cmake/install_units.cmake)
file(GLOB units {ROOT}/deploy/systemd/*.service)
foreach(unit ${{units}})
  fairway_install_unit(fairway ${{unit}})
endforeach()
"""


class Units(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def installed(self, prefix, destdir=""):
        """Returns the texts of the units that are installed with a prefix, by their names."""
        (self.folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", "-DCMAKE_INSTALL_PREFIX=/usr"], check=True,
                       capture_output=True)
        subprocess.run(["cmake", "--install", self.folder / "build", "--prefix", prefix, "--component", "fairway"], check=True,
                       capture_output=True, env={**os.environ, "DESTDIR": str(destdir)})
        return {path.name: path.read_text(encoding="utf-8")
                for path in pathlib.Path(f"{destdir}{prefix}/lib/systemd/system").glob("*.service")}

    def test_name_the_programs_of_their_prefix(self):
        prefix = self.folder / "usr" / "local"
        made = self.installed(prefix)
        self.assertEqual(sorted(made), [path.name for path in UNITS])
        for name, text in made.items():
            start = re.search(r"^ExecStart=(\S+)", text, re.MULTILINE).group(1)
            self.assertIn(start, (f"{prefix}/bin/fairway", f"{prefix}/libexec/fairway/fairway-gateway"), name)
            self.assertNotRegex(text, r"[= ]/usr/(bin|libexec)/fairway")
            if "NoExecPaths" in text:
                self.assertIn(start, re.search(r"^ExecPaths=(.*)", text, re.MULTILINE).group(1).split())

    def test_below_usr_are_those_of_the_tree(self):
        for prefix, destdir in (("/usr", self.folder / "root"), (self.folder / "_CPack_Packages" / "Linux" / "usr", "")):
            self.assertEqual(self.installed(prefix, destdir), {path.name: path.read_text(encoding="utf-8") for path in UNITS})

    def test_are_not_in_the_tarball(self):
        prefix = self.folder / "prefix"
        for name in ("bin/fairway", "libexec/fairway/fairway-gateway"):
            (prefix / name).parent.mkdir(parents=True)
            shutil.copy(shutil.which("cat"), prefix / name)
        self.installed(prefix)
        tarball.fill(str(self.folder / "fairway-1.2.3"), str(prefix), "/")
        self.assertTrue((self.folder / "fairway-1.2.3" / "bin" / "fairway").exists())
        self.assertEqual(list((self.folder / "fairway-1.2.3").rglob("*.service")), [])


if __name__ == "__main__":
    unittest.main()
