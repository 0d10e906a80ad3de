# SPDX-License-Identifier: Apache-2.0
"""Tests of place.py."""

import pathlib
import shutil
import tempfile
import unittest

import place


def names_of(version):
    return [f"fairway_{version}_amd64.deb", f"fairway_{version}_amd64.deb.spdx.json", f"fairway-{version}-linux-amd64.tar.gz",
            f"fairway-{version}.oci.tar", f"fairway-gateway-{version}.oci.tar", "fairway.yaml"]


class Place(unittest.TestCase):
    def setUp(self):
        where = tempfile.TemporaryDirectory()
        self.addCleanup(where.cleanup)
        self.out = pathlib.Path(where.name) / "out"
        self.made = pathlib.Path(where.name) / "made"
        self.out.mkdir()

    def fill(self, folder, version, extra=()):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        names = names_of(version)
        for name in names:
            (folder / name).write_text(f"{version} {name}", encoding="utf-8")
        (folder / place.SUMS).write_text("".join(f"{0:064x}  {name}\n" for name in names), encoding="utf-8")
        for name in extra:
            (folder / name).write_text(name, encoding="utf-8")

    def put(self, version, release=False, signed=False, extra=()):
        self.fill(self.made, version, extra)
        place.place(str(self.made), str(self.out), version, release, signed)

    def refused(self, message, version, **how):
        """Checks that the folder is refused, before and after packages are made, and stays as it is."""
        before = {path: path.read_bytes() for path in self.out.iterdir()}
        with self.assertRaisesRegex(place.Refused, message):
            place.removable(str(self.out), version, how.get("release", False), how.get("signed", False))
        with self.assertRaisesRegex(place.Refused, message):
            self.put(version, **how)
        self.assertEqual({path: path.read_bytes() for path in self.out.iterdir()}, before)

    def listed(self):
        return sorted(path.name for path in self.out.iterdir())

    def test_leaves_what_is_not_of_packages(self):
        others = ("photos.tar.gz", "editor_1_amd64.deb", "debian.oci.tar", "a.spdx.json", "notes", "x.provenance.json")
        for name in others:
            (self.out / name).write_text("mine", encoding="utf-8")
        self.put("0.2.0")
        self.put("0.3.0")
        self.assertEqual(self.listed(), sorted([*names_of("0.3.0"), place.SUMS, *others]))
        for name in others:
            self.assertEqual((self.out / name).read_text(encoding="utf-8"), "mine")

    def test_takes_the_place_of_the_same_version(self):
        self.put("0.2.0")
        (self.out / "fairway.yaml").write_text("old", encoding="utf-8")
        self.put("0.2.0")
        self.assertEqual((self.out / "fairway.yaml").read_text(encoding="utf-8"), "0.2.0 fairway.yaml")
        self.assertEqual(list(self.made.iterdir()), [])

    def test_never_removes_a_signed_release(self):
        for signature in place.SIGNATURES:
            self.put("0.2.0", release=True, signed=True, extra=(signature,))
            self.refused("signed release, 0.2.0", "0.2.0")
            self.refused("signed release, 0.2.0", "0.3.0")
            self.refused("signed release, 0.2.0", "0.2.0", release=True)
            self.refused("packages of another version, 0.2.0", "0.3.0", release=True, signed=True)
            # The same release once more, by a key of the other kind.
            self.put("0.2.0", release=True, signed=True)
            self.assertNotIn(signature, self.listed())

    def test_a_folder_has_one_release(self):
        self.put("0.2.0")
        self.refused("packages of another version, 0.2.0", "0.3.0", release=True)

    def test_refuses_checksums_of_somebody_else(self):
        for text in (f"{0:064x}  debian.tar.gz\n", f"{0:064x}  ../fairway.yaml\n{0:064x}  fairway-1.oci.tar\n", "what\n", ""):
            (self.out / place.SUMS).write_text(text, encoding="utf-8")
            self.refused("is not that of packages of Fairway", "0.2.0")

    def test_refuses_checksums_that_name_a_file_of_somebody_else(self):
        self.put("0.2.0")
        (self.out / "notes.txt").write_text("mine", encoding="utf-8")
        with open(self.out / place.SUMS, "a", encoding="utf-8") as sums:
            sums.write(f"{0:064x}  notes.txt\n")
        self.refused("names notes.txt, which is no package of Fairway", "0.2.0")

    def test_refuses_a_folder_in_the_place_of_a_package(self):
        self.put("0.2.0")
        (self.out / "fairway.yaml").unlink()
        (self.out / "fairway.yaml").mkdir()
        with self.assertRaisesRegex(place.Refused, "fairway.yaml is a folder"):
            place.removable(str(self.out), "0.2.0", False, False)

    def test_refuses_to_overwrite_what_no_checksums_name(self):
        for name in names_of("0.2.0"):
            (self.out / name).write_text("downloaded", encoding="utf-8")
            self.refused(f"{name} is there", "0.2.0")
            (self.out / name).unlink()

    def test_refuses_a_signature_of_what_is_gone(self):
        (self.out / "SHA256SUMS.asc").write_text("mine", encoding="utf-8")
        self.refused("signs what is not there", "0.2.0", signed=True)

    def test_goes_on_after_an_interrupt(self):
        self.put("0.2.0")
        (self.out / "fairway-0.2.0.oci.tar").unlink()
        self.put("0.2.0")
        self.assertEqual(self.listed(), sorted([*names_of("0.2.0"), place.SUMS]))


if __name__ == "__main__":
    unittest.main()
