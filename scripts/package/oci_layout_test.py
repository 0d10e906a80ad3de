# SPDX-License-Identifier: Apache-2.0

import io
import json
import os
import tarfile
import tempfile
import unittest

import oci_layout


class OfAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def root(self, name, order):
        root = os.path.join(self.folder.name, name)
        for path in order:
            file = os.path.join(root, path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w", encoding="utf-8") as out:
                out.write(path)
        os.symlink("a", os.path.join(root, "link"))
        return root

    def image(self, root, architectures=("amd64",)):
        layout = oci_layout.Layout(1_700_000_000)
        for architecture in architectures:
            layout.add_image(root, architecture, {"User": "65532"}, {"title": "x"}, "2023-11-14T22:13:20Z")
        file = os.path.join(self.folder.name, "out.tar")
        layout.write(file, "x:1")
        with open(file, "rb") as out:
            return out.read()

    def test_same_content_gives_the_same_bytes(self):
        one = self.image(self.root("one", ["a", "b/c", "b/d"]))
        other = self.image(self.root("other", ["b/d", "b/c", "a"]))
        self.assertEqual(one, other)

    def test_other_content_gives_other_bytes(self):
        self.assertNotEqual(self.image(self.root("one", ["a"])), self.image(self.root("other", ["a", "b"])))

    def test_a_tar_belongs_to_root_and_has_one_time(self):
        tar = tarfile.open(fileobj=io.BytesIO(oci_layout.tar_of(self.root("one", ["a", "b/c"]), 1_700_000_000)))
        self.assertEqual([entry.name for entry in tar], ["a", "b", "b/c", "link"])
        self.assertEqual({(entry.uid, entry.gid, entry.mtime) for entry in tar}, {(0, 0, 1_700_000_000)})
        self.assertEqual(tar.getmember("link").linkname, "a")

    def test_hard_links_are_files(self):
        root = self.root("one", ["a"])
        os.link(os.path.join(root, "a"), os.path.join(root, "b"))
        tar = tarfile.open(fileobj=io.BytesIO(oci_layout.tar_of(root, 0)))
        self.assertTrue(tar.getmember("b").isreg())
        self.assertEqual(tar.extractfile("b").read(), b"a")

    def test_several_architectures_are_an_index(self):
        tar = tarfile.open(fileobj=io.BytesIO(self.image(self.root("one", ["a"]), ("amd64", "arm64"))))
        top = json.load(tar.extractfile("index.json"))["manifests"]
        self.assertEqual([entry["mediaType"] for entry in top], [oci_layout.INDEX])
        index = json.load(tar.extractfile("blobs/" + top[0]["digest"].replace(":", "/")))
        self.assertEqual([entry["platform"]["architecture"] for entry in index["manifests"]], ["amd64", "arm64"])


if __name__ == "__main__":
    unittest.main()
