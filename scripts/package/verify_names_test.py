# SPDX-License-Identifier: Apache-2.0
"""Tests of verify_names.py: its name server."""

import struct
import unittest

import verify_names


def query(name, kind):
    """A DNS query for a name."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return b"\x12\x34" + struct.pack(">HHHHH", 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


class Answers(unittest.TestCase):
    def test_questions_are_read(self):
        name, kind, question = verify_names.question_of(query("DNS.test", 28))
        self.assertEqual((name, kind), ("dns.test", 28))
        self.assertEqual(question, query("DNS.test", 28)[12:])

    def test_names_have_their_answer(self):
        # name, type, code of the answer, number of addresses
        for name, kind, code, addresses in (("dns.test", 1, 0, 1), ("dns.test", 28, 0, 0), ("nowhere.test", 1, 3, 0)):
            with self.subTest(name=name, kind=kind):
                answer = verify_names.answer_to(query(name, kind))
                self.assertEqual(answer[:2], b"\x12\x34")
                flags, _, count, _, _ = struct.unpack_from(">HHHHH", answer, 2)
                self.assertEqual((flags & 15, count), (code, addresses))
                self.assertEqual(answer.endswith(b"\x7f\0\0\1"), bool(addresses))


if __name__ == "__main__":
    unittest.main()
