# SPDX-License-Identifier: Apache-2.0
"""Tests of krew.py, on a tarball of a small program."""

import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import krew
import shared_libraries

HERE = os.path.dirname(os.path.abspath(__file__))


class Krew(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        root = self.folder / "fairway-1.2.3-linux-amd64"
        lib = root / "lib" / "fairway"
        (lib / "glibc").mkdir(parents=True)
        (root / "bin").mkdir()
        program = shutil.which("cat")
        shutil.copy(program, lib / "fairway")
        for name, path in shared_libraries.shared_libraries([program]):
            shutil.copy(path, lib / "glibc" / name if shared_libraries.GLIBC.match(name) else lib / name)
        loader = shared_libraries.interpreter_of(program)
        shutil.copy(loader, lib / "glibc")
        os.chmod(lib / "glibc" / os.path.basename(loader), 0o755)
        (lib / "libgrpc.so.29").write_bytes(b"for the gateway")
        (lib / "fairway-gateway").write_bytes(b"the gateway")
        (root / "LICENSE").write_text("a licence", encoding="utf-8")
        (root / "share" / "doc" / "libc6").mkdir(parents=True)
        (root / "share" / "doc" / "libc6" / "copyright").write_text("a copyright", encoding="utf-8")
        for link in (root / "bin" / "kubectl-fairway", lib / "kubectl-fairway"):
            link.symlink_to("fairway")
        text = pathlib.Path(HERE, "launch.sh").read_text(encoding="utf-8")
        self.launcher = root / "bin" / "fairway"
        self.launcher.write_text(text.replace("@GLIBC_MINOR@", "0").replace("@LOADER@", os.path.basename(loader)), encoding="utf-8")
        self.root = root

    def make(self, name, *flags):
        with tarfile.open(self.folder / "release.tar.gz", "w:gz") as tar:
            tar.add(self.root, self.root.name)
        out = self.folder / name
        out.mkdir()
        done = subprocess.run([sys.executable, krew.__file__, "--tarball", self.folder / "release.tar.gz", "--version", "1.2.3",
                               "--out", out, *flags],
                              env={**os.environ, "SOURCE_DATE_EPOCH": "1000000000"}, capture_output=True, text=True)
        return done, out

    def archive(self, out):
        return (out / "kubectl-fairway-1.2.3-linux-amd64.tar.gz").read_bytes()

    def test_archive_has_files_and_folders_alone_and_nothing_of_the_gateway(self):
        done, out = self.make("a")
        self.assertEqual(done.returncode, 0, done.stderr)
        with tarfile.open(fileobj=io.BytesIO(self.archive(out))) as tar:
            names = tar.getnames()
            self.assertEqual([one.name for one in tar if not one.isfile() and not one.isdir()], [])
        for name in ("bin/kubectl-fairway", "lib/fairway/kubectl-fairway", "lib/fairway/glibc/libc.so.6", "LICENSE",
                     "share/doc/libc6/copyright"):
            self.assertIn(name, names)
        for name in ("bin/fairway", "lib/fairway/fairway", "lib/fairway/fairway-gateway", "lib/fairway/libgrpc.so.29"):
            self.assertNotIn(name, names)

    def test_archive_has_the_same_bytes_each_time(self):
        self.assertEqual(self.archive(self.make("a")[1]), self.archive(self.make("b")[1]))

    def test_program_knows_its_name_with_either_libc(self):
        _, out = self.make("a")
        store = self.folder / "store"
        with tarfile.open(fileobj=io.BytesIO(self.archive(out))) as tar:
            tar.extractall(store)
        # As krew links it.
        link = self.folder / "kubectl-fairway"
        link.symlink_to(store / "bin" / "kubectl-fairway")
        for libc in ("", "bundled"):
            shown = subprocess.run([link, "/proc/self/cmdline"], env={**os.environ, "FAIRWAY_LIBC": libc}, capture_output=True, text=True)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            # The loader's own words come before those of the program.
            self.assertIn(str(store / "lib/fairway/kubectl-fairway") + "\0/proc/self/cmdline", shown.stdout)
            if libc:
                self.assertIn("--argv0\0kubectl-fairway\0", shown.stdout)

    def test_manifest_names_the_archive_and_its_checksum(self):
        _, out = self.make("a", "--url", "https://dl.example.org/fairway/v@VERSION@/")
        text = (out / "fairway.yaml").read_text(encoding="utf-8")
        self.assertIn("  version: v1.2.3\n", text)
        self.assertIn("    uri: https://dl.example.org/fairway/v1.2.3/kubectl-fairway-1.2.3-linux-amd64.tar.gz\n", text)
        self.assertIn(f"    sha256: {hashlib.sha256(self.archive(out)).hexdigest()}\n", text)
        self.assertNotIn("@", text)

    def test_libraries_are_those_in_the_archive(self):
        libraries, left = self.folder / "libraries", self.folder / "left"
        libraries.write_text("/usr/lib/libc.so.6\n/usr/lib/libgrpc.so.29\n", encoding="utf-8")
        done, _ = self.make("a", "--libraries", libraries, "--libraries-out", left)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(left.read_text(encoding="utf-8"), "/usr/lib/libc.so.6\n")

    def test_tarball_that_is_laid_out_otherwise_is_an_error(self):
        self.launcher.write_text("#!/bin/sh\n", encoding="utf-8")
        done, _ = self.make("a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: bin/fairway of the tarball does not have", done.stderr)


if __name__ == "__main__":
    unittest.main()
