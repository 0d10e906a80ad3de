# SPDX-License-Identifier: Apache-2.0
"""Tests of reference.py and of what it is made of: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint
runs. `python3 scripts/docs/reference_test.py --update` writes the expected page of data/reference/harbor/berth.h anew."""

import os
import sys
import tempfile
import unittest

import clang
import comments
import cxx_text
import declarations
import reference

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "reference")
EXPECTED = os.path.join(DATA, "berth.page.txt")
SDK = "# SDK\n\n## Components\n\n| component | it has | it links |\n|---|---|---|\n| [`harbor`](../src/harbor) | ships, berths | `base` |\n"
VERSIONING = "# Versions\n\n## C++ libraries\n\n| component | since |\n|---|---|\n| `harbor`, `other` | beta |\n\n## More\n"


def has_libclang():
    try:
        clang.library()
    except clang.Missing:
        return False
    return True


def read(root, headers):
    """Returns the reader of headers, its errors, their pages and what is wrong with these."""
    reader = declarations.Reader(root, headers)
    errors = reader.read()
    components, faults = reference.components_of({"harbor": headers}, SDK, VERSIONING)
    written, more = reference.write_pages(components, reader, "0.2", {"docs/sdk.md"})
    return reader, errors, written, faults + more + reference.faults_of(reader, errors, written)


def berth_page():
    return read(DATA, ["harbor/berth.h", "harbor/ship.h"])[2]["reference/harbor/berth.h.md"]


@unittest.skipUnless(has_libclang(), "libclang1-19 is not installed")
class Reference(unittest.TestCase):
    maxDiff = None

    def test_a_page_has_what_a_header_declares(self):
        with open(EXPECTED, encoding="utf-8") as file:
            self.assertEqual(berth_page(), file.read())

    def test_the_headers_of_the_test_have_no_faults(self):
        reader, _, written, faults = read(DATA, ["harbor/berth.h", "harbor/ship.h"])
        self.assertEqual(faults, [])
        self.assertEqual(reference.faults_of(reader, [], {**written, "reference/index.md": "[a](b.md)"}),
                         ["reference/index.md links to b.md, and there is no such page"])
        self.assertEqual(reference.count(reader.found["harbor/ship.h"]), 5)
        self.assertIn("| [berth.h](berth.h.md) | Berths, and who lies there.<br>", written["reference/harbor/index.md"])
        self.assertIn("Ships, berths. It is [beta](../../docs/versioning.md#c-libraries), and brings along `base`.",
                      written["reference/harbor/index.md"])
        self.assertIn("A ship. See [docs/sdk.md](../../docs/sdk.md).", written["reference/harbor/ship.h.md"])

    def faults_of(self, text):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "harbor"))
            with open(os.path.join(root, "harbor/a.h"), "w", encoding="utf-8") as file:
                file.write(text)
            return read(root, ["harbor/a.h"])[3]

    def test_a_header_says_what_it_is_for(self):
        self.assertEqual(self.faults_of("#pragma once\nint a();\n"), ["src/harbor/a.h:1: no comment at its beginning says what it is for"])

    def test_a_comment_without_a_declaration_is_a_fault(self):
        self.assertEqual(self.faults_of("// A.\nint a();\n/// Lost.\n\n#define B\n"),
                         ["src/harbor/a.h:3: the reference does not show what this comment is for"])
        # That of a declaration which is left out is none.
        self.assertEqual(self.faults_of("// A.\nclass A {\n  /// Hidden.\n  int a;\n};\n"), [])

    def test_a_declaration_of_an_unknown_kind_is_a_fault(self):
        self.assertEqual(self.faults_of("// A.\nint a();\ntemplate <class T>\nconstexpr int b = 1;\n"),
                         ["src/harbor/a.h:3: the reference does not know this kind of declaration"])

    def test_a_header_that_declares_nothing_is_a_fault(self):
        self.assertEqual(self.faults_of("// Nothing.\nnamespace internal {\nint a();\n}\n"),
                         ["src/harbor/a.h: its page is empty: it declares nothing that is public"])

    def test_a_header_that_cannot_be_read_is_a_fault(self):
        (fault,) = self.faults_of("// A.\nint a(Unknown b);\n")
        self.assertRegex(fault, r"clang cannot read a header: .*a\.h:2:7: error: unknown type name 'Unknown'")

    def test_the_order_of_headers_does_not_matter_to_a_page(self):
        self.assertEqual(read(DATA, ["harbor/ship.h", "harbor/berth.h"])[2]["reference/harbor/berth.h.md"], berth_page())


class Facts(unittest.TestCase):
    def test_the_headers_are_those_that_are_installed(self):
        def rule(component, folder, name):
            return (f'if(CMAKE_INSTALL_COMPONENT STREQUAL "{component}-dev" OR NOT CMAKE_INSTALL_COMPONENT)\n  file(INSTALL DESTINATION '
                    f'"${{CMAKE_INSTALL_PREFIX}}/include/fairway/{folder}" TYPE FILE FILES "/build/{folder}/{name}")\nendif()\n')

        script = rule("kube", "kube/client", "watch.h") + rule("kube", "kube/client", "api.h") + rule("kube", "kube/internal/a", "b.h") + \
            rule("base", "base", "json.h") + rule("base", "base", "libfairway_base.a")
        self.assertEqual(reference.installed_headers(script),
                         {"kube": ["kube/client/api.h", "kube/client/watch.h"], "base": ["base/json.h"]})

    def test_components_are_in_the_order_of_the_page(self):
        (component,), faults = reference.components_of({"harbor": []}, SDK, VERSIONING)
        self.assertEqual((component.name, component.about, component.links, component.stability, faults),
                         ("harbor", "ships, berths", ["base"], "beta", []))

    def test_a_component_that_the_pages_do_not_name_is_a_fault(self):
        self.assertEqual(reference.components_of({"harbor": [], "port": []}, SDK, "")[1], [
            "docs/versioning.md does not say how stable the component harbor is", "docs/sdk.md has no row for the component port"])

    def test_dead_links_are_found(self):
        pages = {"reference/a/b.h.md": '<span id="x"></span> <a href="#y">y</a> [c](../c.md) [d](../../docs/d.md)',
                 "reference/e.md": '<a href="a/b.h.html#x">x</a> <a href="a/b.h.html#z">z</a>'}
        self.assertEqual(reference.dead_links(pages), [
            "reference/a/b.h.md links to #y, and there is no such anchor", "reference/a/b.h.md links to ../c.md, and there is no such page",
            "reference/e.md links to a/b.h.html#z, and there is no such anchor"])


class Signatures(unittest.TestCase):
    def test_end_where_the_body_begins(self):
        for text, signature, rest, ctor in [
                ("int a(int b = {}) { return c({}); } d", "int a(int b = {}) ", " d", False),
                ("A(int b) : b_{b}, c_(std::vector<int>{1}) { if (b) { d(); } } e", "A(int b) ", " e", True),
                ("auto a() -> int; b", "auto a() -> int", " b", False),
                ("int a() { return '{' + \"}\"[0] + 1'000; /* } */ } b", "int a() ", " b", False),
                ("void a() requires requires(T t) { t.b(); } { c(); } d", "void a() requires requires(T t) { t.b(); } ", " d", False),
                ('auto a() { return R"x(}")x"; } b', "auto a() ", " b", False),
                ("class A : public B<C> { int d; }; e", "class A : public B<C> ", " e", False)]:
            with self.subTest(text):
                end, last = cxx_text.extent(text, 0, ctor)
                self.assertEqual((text[:end], text[last:]), (signature, rest))

    def test_are_laid_out_for_narrow_pages(self):
        def lines(text):
            return [" " * indent + "".join(" " * cxx_text.blank_before(line, index) + token.text for index, token in enumerate(line))
                    for indent, line in cxx_text.layout(text, 0, len(text))]

        self.assertEqual(lines("int  a(int b,\n  int c)"), ["int a(int b, int c)"])
        self.assertEqual(lines("template <class T> requires(b<T>) A<B, C> operator()(D<E, F> g, // why\n int (*h)(int, int) = nullptr, "
                               "const std::string& a_long_name_indeed) const"),
                         ["template <class T>", "requires(b<T>) A<B, C> operator()(", "    D<E, F> g,", "    int (*h)(int, int) = nullptr,",
                          "    const std::string& a_long_name_indeed) const"])


class Comments(unittest.TestCase):
    def markdown(self, text):
        return comments.to_markdown(comments.lines_of(text), lambda name: "x.html#a" if name == "A::b" else None,
                                    lambda page: "../" + page if page == "docs/kube.md" else None)

    def test_marks_of_markdown_are_text(self):
        self.assertEqual(self.markdown("/// a_b *c* <d> [e](f) {g}`h_i` | j"), r"a\_b \*c\* \<d\> \[e\](f) \{g\}`h_i` \| j")
        self.assertEqual(self.markdown("/// 1. a\n/// + b"), "1\\. a\n\\+ b")

    def test_names_and_pages_are_links(self):
        self.assertEqual(self.markdown("/// `A::b()`, `A::c`, docs/kube.md, docs/none.md."),
                         '<a href="x.html#a"><code class="docutils literal notranslate">A::b()</code></a>, `A::c`, '
                         "[docs/kube.md](../docs/kube.md), docs/none.md.")

    def test_code_is_a_block_of_its_language(self):
        self.assertEqual(self.markdown("/// A:\n///\n///     b(c);\n///\n///       d;\n///\n/// E."),
                         "A:\n\n```cpp\nb(c);\n\n  d;\n```\n\nE.")
        self.assertEqual(self.markdown("///   a: 1\n///   b: 2"), "```yaml\na: 1\nb: 2\n```")
        self.assertEqual(self.markdown("///   a.pem  what is served"), "```text\na.pem  what is served\n```")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        with open(EXPECTED, "w", encoding="utf-8") as out:
            out.write(berth_page())
    else:
        unittest.main()
