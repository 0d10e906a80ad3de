# SPDX-License-Identifier: Apache-2.0
"""Tests of cmake/embed.cmake: what a header has of a file, and two files that would be one header."""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(embed LANGUAGES CXX)
include("{ROOT}/cmake/embed.cmake")
add_executable(one main.cc)
add_executable(two main.cc)
add_executable(tool main.cc)
add_executable(Fairway::crd-paths ALIAS tool)
"""
# What a text may hold that means something to CMake, or in a raw string.
TEXT = b'first\r\nsecond; @name@ ${name} \\ "quoted" [[brackets\n\rthird )__text__" end\r'
COMPARE = """#include <cstring>
#include "text.h"
constexpr unsigned char wanted[] = {%s, 0};
int main() { return std::memcmp(text, wanted, sizeof wanted) == 0 ? 0 : 1; }
"""


class Embedding(unittest.TestCase):
    def setUp(self):
        self.made = tempfile.TemporaryDirectory()
        self.addCleanup(self.made.cleanup)
        self.folder = self.made.name
        self.write("main.cc", b"int main() {}\n")

    def write(self, name, content):
        file = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as out:
            out.write(content)

    def configure(self, calls):
        """Returns the exit code of CMake for a project with these calls, and what it says in one line."""
        self.write("CMakeLists.txt", (PROJECT + calls).encode())
        done = subprocess.run(["cmake", "-S", self.folder, "-B", os.path.join(self.folder, "build")], capture_output=True, text=True,
                              check=False)
        return done.returncode, " ".join(done.stderr.split())

    def test_every_byte_is_kept(self):
        self.write("text", TEXT)
        self.assertEqual(self.configure("fairway_embed(one text text)\n"), (0, ""))
        self.write("compare.cc", (COMPARE % ",".join(str(byte) for byte in TEXT)).encode())
        program = os.path.join(self.folder, "compare")
        subprocess.run(["g++", "-std=c++23", "-I", os.path.join(self.folder, "build/embedded/one"), "-o", program,
                        os.path.join(self.folder, "compare.cc")], check=True)
        self.assertEqual(subprocess.run([program], check=False).returncode, 0)

    def test_two_files_of_one_name_are_refused(self):
        self.write("a/text", b"a")
        self.write("b/text", b"b")
        code, says = self.configure("fairway_embed(one a/text a)\nfairway_embed(one b/text b)\n")
        self.assertNotEqual(code, 0)
        self.assertIn(f"fairway_embed makes the header text.h of {self.folder}/b/text for one, which has one of {self.folder}/a/text by "
                      "that name; rename one of the files", says)

    def test_two_definitions_of_one_name_are_refused(self):
        self.write("a/crd.yaml", b"a")
        self.write("b/crd.yml", b"b")
        code, says = self.configure("fairway_crd_paths(one a/crd.yaml)\nfairway_crd_paths(one b/crd.yml)\n")
        self.assertNotEqual(code, 0)
        self.assertIn("fairway_crd_paths makes the header crd.paths.h of", says)

    def test_another_target_and_the_same_file_again_are_taken(self):
        self.write("a/text", b"a")
        self.write("b/text", b"b")
        calls = "fairway_embed(one a/text a)\nfairway_embed(one a/text a)\nfairway_embed(two b/text b)\n"
        self.assertEqual(self.configure(calls), (0, ""))


if __name__ == "__main__":
    unittest.main()
