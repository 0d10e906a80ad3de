# SPDX-License-Identifier: Apache-2.0
"""Tests of verify_compare.py and verify_elf.py."""

import gzip
import io
import os
import tarfile
import tempfile
import unittest

import verify_compare
import verify_elf


def tar_of(files, seconds=0):
    """The bytes of a tar file of {name: content}."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), seconds
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def ar_of(files, seconds=0):
    """The bytes of an ar archive of {name: content}."""
    out = b"!<arch>\n"
    for name, content in files.items():
        out += f"{name:<16}{seconds:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return out


def own_program():
    """The bytes of a program that every Debian has."""
    with open("/bin/true", "rb") as file:
        return file.read()


class Differences(unittest.TestCase):
    def told(self, one, two):
        return "\n".join(verify_compare.differences("file", one, two))

    def test_the_same_bytes_have_none(self):
        self.assertEqual(verify_compare.differences("file", tar_of({"a": b"1"}), tar_of({"a": b"1"})), [])

    def test_of_texts_are_their_lines(self):
        self.assertEqual(self.told(b"a\nb\n", b"a\nc\n"), "file: @@ -2 +2 @@\nfile: -b\nfile: +c")

    def test_of_bytes_are_the_first(self):
        self.assertIn("file: byte 5: 01 61 and 02 61", self.told(b"\0" * 5 + b"\1a", b"\0" * 5 + b"\2a"))

    def test_in_archives_within_archives_name_the_way_there(self):
        one, two = (ar_of({"data.tar.gz": gzip.compress(tar_of({"usr/bin/x": b"same", "usr/lib/y": text}), mtime=0)})
                    for text in (b"one", b"two"))
        self.assertEqual(self.told(one, two).splitlines()[1], "file: data.tar.gz: (gunzip): usr/lib/y: -one")

    def test_of_times_are_told(self):
        self.assertEqual(self.told(tar_of({"a": b"1"}, 5), tar_of({"a": b"1"}, 6)), "file: a: time 5 and 6")
        self.assertEqual(self.told(ar_of({"a.o": b"1"}, 5), ar_of({"a.o": b"1"}, 6)), "file: a.o: time 5 and 6")

    def test_of_the_time_in_a_gzip_header_are_told(self):
        self.assertIn("header", self.told(gzip.compress(b"a", mtime=1), gzip.compress(b"a", mtime=2)))

    def test_members_of_one_alone_are_told(self):
        self.assertEqual(self.told(tar_of({"a": b"1", "b": b""}), tar_of({"a": b"1"})), "file: b is only in the first")

    def test_in_the_order_of_members_are_told(self):
        self.assertIn("another order", self.told(tar_of({"a": b"", "b": b""}), tar_of({"b": b"", "a": b""})))

    def test_of_images_are_those_of_the_blobs_in_the_same_place(self):
        one, two = (tar_of({"index.json": b"1", f"blobs/sha256/{name}": content, f"blobs/sha256/{name}2": tar_of({"etc/passwd": content})})
                    for name, content in (("aa", b"one"), ("ba", b"two")))
        told = self.told(one, two)
        self.assertIn("file: a blob: etc/passwd: -one", told)
        self.assertNotIn("only in", told)

    def test_of_checksums_are_told_last(self):
        one, two = (tar_of({"md5sums": text, "usr/x": text}) for text in (b"one", b"two"))
        self.assertIn("usr/x", self.told(one, two).splitlines()[0])

    def test_of_programs_name_the_section(self):
        one = own_program()
        offset, length = verify_elf.sections(one)[".text"]
        at = offset + length // 2
        two = one[:at] + bytes([one[at] ^ 1]) + one[at + 1:]
        told = self.told(one, two)
        self.assertIn(f"byte {at} in .text", told)
        self.assertTrue(told.endswith("sections that differ: .text"), told)

    def test_first_difference_is_found_at_each_place(self):
        one = bytes(range(200))
        for at in (0, 1, 99, 198, 199):
            two = one[:at] + b"\xff" + one[at + 1:]
            self.assertEqual(verify_compare.first_difference(one, two), at)
        self.assertEqual(verify_compare.first_difference(one, one[:7]), 7)


class Folders(unittest.TestCase):
    def test_are_compared_file_by_file(self):
        with tempfile.TemporaryDirectory() as work:
            for folder, files in (("one", {"same": b"1", "other": b"a", "gone": b""}), ("two", {"same": b"1", "other": b"b"})):
                os.mkdir(os.path.join(work, folder))
                for name, content in files.items():
                    with open(os.path.join(work, folder, name), "wb") as file:
                        file.write(content)
            found, same = verify_compare.compare(os.path.join(work, "one"), os.path.join(work, "two"))
        self.assertEqual(sorted(found), ["gone", "other"])
        self.assertEqual(same, 1)


class Sections(unittest.TestCase):
    def test_of_what_is_no_program_are_none(self):
        self.assertIsNone(verify_elf.sections(b"\x7fELF\x02\x01"))
        self.assertIsNone(verify_elf.sections(b"text"))

    def test_that_one_program_lacks_differ(self):
        self.assertIn(".text", verify_elf.differing(own_program(), b""))


if __name__ == "__main__":
    unittest.main()
