# SPDX-License-Identifier: Apache-2.0
"""Tests of structure.py: `python3 -m unittest discover -q -s scripts/lint -p '*_test.py'`, which ./dev lint runs."""

import unittest

import structure


class ReadModules(unittest.TestCase):
    def test_follows_links_through_others(self):
        above, findings = structure.read_modules("""
fairway_module(base LINKS ${fairway_base_links})
fairway_module(k8s LINKS fairway_base)
fairway_module(kube LINKS fairway_k8s re2::re2)
target_link_libraries(fairway PRIVATE fairway_kube)
""")
        self.assertEqual(above, {"base": set(), "k8s": {"base"}, "kube": {"base", "k8s"}, "cli": {"base", "k8s", "kube"}})
        self.assertEqual(findings, [])

    def test_refuses_a_link_to_what_stands_below(self):
        _, findings = structure.read_modules("""
fairway_module(base LINKS ${fairway_base_links})
fairway_module(k8s LINKS fairway_base fairway_kube)
fairway_module(kube LINKS fairway_base)
""")
        self.assertEqual(findings, [(3, "k8s links kube, which does not stand above it")])

    def test_refuses_a_link_of_a_program_to_no_module(self):
        _, findings = structure.read_modules("""
fairway_module(base)
target_link_libraries(fairway PRIVATE fairway_base fairway_bsae)
""")
        self.assertEqual(findings, [(4, "cli links bsae, which does not stand above it")])


class Layers(unittest.TestCase):
    order = ["internal", "model", "status"]

    def test_are_the_folders_of_a_module(self):
        self.assertEqual(structure.layer_of("src/gateway/internal/status/report.h"), "status")
        self.assertEqual(structure.layer_of("src/apiserver/internal/storage/path.h"), "storage")
        self.assertEqual(structure.layer_of("src/http/internal/wire.h"), "internal")
        self.assertEqual(structure.layer_of("src/http/client.h"), "")

    def test_include_those_before_them_and_the_face(self):
        upward = lambda name, header: structure.includes_upward(f"src/m/{name}", f"src/m/{header}", self.order)
        self.assertFalse(upward("internal/status/a.cc", "internal/model/b.h"))
        self.assertFalse(upward("internal/status/a.cc", "face.h"))
        self.assertFalse(upward("face.cc", "internal/status/a.h"))
        self.assertTrue(upward("internal/model/a.cc", "internal/status/b.h"))
        self.assertTrue(upward("internal/a.cc", "internal/model/b.h"))

    def test_all_have_a_place(self):
        self.assertIsNone(structure.includes_upward("src/m/internal/else/a.cc", "src/m/internal/model/b.h", self.order))


class TypesOf(unittest.TestCase):
    def test_takes_what_a_header_declares_in_its_namespaces(self):
        self.assertEqual(structure.types_of("""
namespace fairway::oci {
class Transport;
struct Options {
  struct Nested {
  };
};
enum class Kind { index };
using Names = std::vector<std::string>;
}  // namespace fairway::oci
namespace fairway::k8s {
class Patch final : public Base {
};
}  // namespace fairway::k8s
"""), {"oci::Options", "oci::Kind", "oci::Names", "k8s::Patch"})


class ClockReads(unittest.TestCase):
    def test_finds_what_reads_the_machines_clocks(self):
        text = "auto a = std::chrono::steady_clock::now();\nauto b = clock.steady();\nusing T = std::chrono::system_clock::time_point;\n"
        self.assertEqual(structure.clock_reads(text), [text.index("steady_clock::now")])
        self.assertEqual(len(structure.clock_reads("f(system_clock::now()); g(std::chrono::high_resolution_clock::now())")), 2)


if __name__ == "__main__":
    unittest.main()
