#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks how the whole tree is put together, which takes a second or two; prints FILE:LINE: what is wrong, what to do.

- A module includes only itself and what CMakeLists.txt links it to, which stands above it there: CMake itself would link static
  libraries in a circle.
- Only a module itself, its tests and its fuzz targets and benchmarks include what is in its internal/ folders, and only these name the
  types that are declared there: a public header may include one that its callers need not know.
- Within a large module a folder includes only itself and the folders before it in LAYERS. The module's face, the headers beside its
  folders, is for all of them.
- A module has one internal/ folder, directly in its own, and a source lies beside the header of its name.
- No two headers of a module declare a type of the same name.
- A header that only those include who may look into internal/ is there, unless another public header of the module includes it, or
  docs/ names it for those who use the modules in a project of their own.
- A public header shows no type of Boost, OpenSSL, libgit2, libarchive or SQLite. docs/decisions.md names the headers that may.
- Nothing outside of base and http reads the machine's clocks directly: time comes in through Clock. MAY_READ_CLOCKS has what may.
- No line is over the limit: 110 columns of C++ (a raw string may be longer), 140 of scripts and CMake.

`--count` prints figures instead: modules, headers, public headers, includes, lines.
"""

import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Public headers that may show another library's type, with the library. The reasons are in docs/decisions.md.
MAY_SHOW = {"src/base/json.h": {"boost"}, "src/base/json_arena.h": {"boost"}}
FOREIGN = {
    "boost": re.compile(r"#include <boost/|\bboost::"),
    "openssl": re.compile(r"#include <openssl/|\b(SSL|SSL_CTX|X509|EVP_\w+|BIO)\s*\*"),
    "git2": re.compile(r"#include <git2|\bgit_\w+\s*\*"),
    "archive": re.compile(r"#include <archive|\bstruct archive\b"),
    "sqlite": re.compile(r"#include <sqlite3|\bsqlite3\w*\s*\*"),
}
# The folders of large modules, the lowest first, whether they are in internal/ or not. "internal" is what lies in internal/ itself.
LAYERS = {
    "apiserver": ["kinds", "storage", "access", "apply", "protobuf", "table", "flow", "validation", "resources", "quota", "audit",
                  "discovery", "objects", "openapi", "controllers", "watch", "webhooks", "definitions", "admission", "rest", "server"],
    "cel": ["syntax", "types", "values", "library", "checker", "eval", "cost"],
    "gateway": ["objects", "model", "attachment", "translation", "status", "probes", "envoy", "replicas", "offline", "internal"],
    "http": ["internal", "tls", "client", "server", "http2"],
}
CLOCK_READ = re.compile(r"\b(?:steady_clock|system_clock|high_resolution_clock)::now\b")
# Files outside of base and http that may read the machine's clocks, with the reason.
MAY_READ_CLOCKS = {}
LIMITS = {".h": 110, ".cc": 110, ".sh": 140, ".cmake": 140, ".py": 140, "CMakeLists.txt": 140}
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


# Types that a header declares in its namespace: not nested ones, and not those that it only names.
TYPE = re.compile(r"^(?:struct|class|enum class|enum|using) (?!namespace\b)(\w+)\b(?!;|::)", re.M)
NAMESPACE = re.compile(r"^namespace fairway::(\w+(?:::\w+)*) {", re.M)


def types_of(text):
    """The types that the text of a header declares, as "namespace::Type"."""
    names = set()
    bounds = [(match.start(), match.group(1)) for match in NAMESPACE.finditer(text)] + [(len(text), "")]
    for (begin, namespace), (end, _) in zip(bounds, bounds[1:]):
        names |= {f"{namespace}::{match.group(1)}" for match in TYPE.finditer(text[begin:end])}
    return names


def layer_of(name):
    """The folder of a module that a file is in; "internal" for what lies in internal/ itself, "" for what lies beside the folders."""
    folders = name.split("/")[2:-1]
    inner = [folder for folder in folders if folder != "internal"]
    return inner[0] if inner else "internal" if folders else ""


def includes_upward(name, header, order):
    """Whether a file of a module includes a header of a folder that comes after its own in `order`. What lies beside the folders may
    include them all. None: one of the folders has no place in the order."""
    own, other = layer_of(name), layer_of(header)
    if any(layer and layer not in order for layer in (own, other)):
        return None
    return bool(own and other) and order.index(other) > order.index(own)


def clock_reads(text):
    """Where the text of a source file reads a clock of the machine."""
    return [match.start() for match in CLOCK_READ.finditer(text)]


def tracked(root=ROOT):
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                         capture_output=True, text=True).stdout.split("\n")
    return [name for name in out if name and os.path.isfile(os.path.join(root, name))]


def sources(root=ROOT):
    """Yields the path and the text of each C++ source and header of the checkout, also of those that git does not track yet."""
    for name in tracked(root):
        if name.endswith((".h", ".cc")):
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as source:
                yield name, source.read()


def read_modules(text):
    """From the text of CMakeLists.txt: its modules in their order, each with all that it links, directly or not; and what is wrong
    with the order, as (line, what)."""
    findings = []
    found = [(match.start(), match.group(1), match.group(2))
             for match in re.finditer(r"^fairway_module\((\w+)([^)]*)\)", text, re.M)]
    # The programs: fairway, and what it hands over to.
    programs = " ".join(re.findall(r"target_link_libraries\(fairway(?:-gateway)? PRIVATE ([^)]*)\)", text))
    found.append((len(text), "cli", programs))
    above = {}
    for offset, name, links in found:
        seen = set()
        for link in re.findall(r"(?<![{:])\bfairway_(\w+)", links):
            if link not in above:
                findings.append((line_of(text, offset), f"{name} links {link}, which does not stand above it"))
            seen |= {link} | above.get(link, set())
        above[name] = seen
    return above, findings


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Tree:
    def __init__(self):
        self.files = tracked()
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as lists:
            self.above, order = read_modules(lists.read())
        self.text = dict(sources())
        self.headers = {name for name in self.text if name.startswith("src/") and name.endswith(".h")}
        # Header -> the files that include it; file -> (offset, header).
        self.users = collections.defaultdict(set)
        self.includes = {}
        for name, text in self.text.items():
            self.includes[name] = [(match.start(1), "src/" + match.group(1)) for match in INCLUDE.finditer(text)
                                   if "src/" + match.group(1) in self.headers]
            for _, header in self.includes[name]:
                self.users[header].add(name)
        self.findings = [("CMakeLists.txt", line, what) for line, what in order]

    def say(self, name, offset, what):
        self.findings.append((name, line_of(self.text[name], offset), what))

    @staticmethod
    def module(name):
        parts = name.split("/")
        return parts[1] if parts[0] == "src" else None

    @staticmethod
    def internal(name):
        return "/internal/" in name

    def check_includes(self):
        for name, includes in self.includes.items():
            own = self.module(name)
            for offset, header in includes:
                other = self.module(header)
                if own and other != own and other not in self.above.get(own, set()):
                    self.say(name, offset, f"{own} must not include {header[4:]}: CMakeLists.txt does not link it to {other}")
                if self.internal(header) and not self.may_look_into(name, other):
                    self.say(name, offset, f"{header[4:]} is internal to {other}: use one of its public headers")

    def check_layers(self):
        for name, includes in self.includes.items():
            module = self.module(name)
            if module not in LAYERS:
                continue
            for offset, header in includes:
                if self.module(header) != module:
                    continue
                upward = includes_upward(name, header, LAYERS[module])
                if upward is None:
                    self.say(name, offset, f"a folder of {header[4:]} or of this file has no place in LAYERS of scripts/lint/structure.py")
                elif upward:
                    self.say(name, offset, f"{layer_of(name)} lies below {layer_of(header)} in {module} and must not include {header[4:]}")

    def check_rooms(self):
        for name in self.files:
            parts = name.split("/")
            if parts[0] == "src" and "internal" in parts[3:-1]:
                self.findings.append((name, 1, f"a module has one internal/ folder: this belongs below src/{parts[1]}/internal"))
        for name in self.text:
            if not name.endswith(".cc") or not name.startswith("src/") or self.internal(name) or name[:-3] + ".h" in self.headers:
                continue
            # The header of the same name and layer, if it is internal.
            folders = name.split("/")
            header = "/".join(folders[:2] + ["internal"] + folders[2:])[:-3] + ".h"
            if header in self.headers:
                self.say(name, 0, f"its header is {header[4:]}: a source lies beside its header")

    def may_look_into(self, name, module):
        """Whether a file may use what is internal to a module. Fuzz targets and benchmarks look at parts; a test at those of its own
        module."""
        part = name.split("/")
        return self.module(name) == module or part[0] in ("fuzz", "bench") or \
            (part[0] == "tests" and part[1] in (module, "support", "conformance"))

    def check_types(self):
        internal, public = collections.defaultdict(set), collections.defaultdict(set)
        for header in self.headers:
            (internal if self.internal(header) else public)[self.module(header)] |= types_of(self.text[header])
        for module in internal:
            names = sorted(name.partition("::") for name in internal[module] - public[module])
            if not names:
                continue
            spaces = "|".join(sorted({space for space, _, _ in names}))
            known = {space + mark + name for space, mark, name in names}
            use = re.compile(rf"\b((?:{spaces})::\w+)\b")
            for name, text in self.text.items():
                if self.may_look_into(name, module):
                    continue
                for match in use.finditer(text):
                    if match.group(1) in known:
                        self.say(name, match.start(), f"{match.group(1)} is declared in an internal header of {module}: "
                                 "declare it in a public one")

    def check_unique_types(self):
        first = {}
        for header in sorted(self.headers):
            for name in sorted(types_of(self.text[header])):
                if first.setdefault((self.module(header), name), header) != header:
                    self.say(header, 0, f"{name} is declared in {first[self.module(header), name][4:]}, too: the linker takes one for "
                             "the other; rename one of them")

    def check_faces(self):
        docs = "\n".join(open(os.path.join(ROOT, name), encoding="utf-8").read()
                         for name in self.files if name.startswith("docs/") and name.endswith(".md"))
        for header in sorted(self.headers):
            own = self.module(header)
            if self.internal(header) or own == "cli" or header[4:] in docs:
                continue
            if any(not self.may_look_into(user, own) for user in self.users[header]):
                continue
            if any(user in self.headers and not self.internal(user) for user in self.users[header]):
                continue
            self.say(header, 0, f"nothing outside {own} includes this header: it belongs in an internal/ folder")

    def check_foreign_types(self):
        decisions = open(os.path.join(ROOT, "docs/decisions.md"), encoding="utf-8").read()
        for header in MAY_SHOW:
            if header[4:] not in decisions:
                self.findings.append(("docs/decisions.md", 1, f"it does not say why {header[4:]} shows another library"))
        for header in sorted(self.headers):
            if self.internal(header):
                continue
            for library, pattern in FOREIGN.items():
                if library in MAY_SHOW.get(header, set()):
                    continue
                for match in pattern.finditer(self.text[header]):
                    self.say(header, match.start(), f"a public header shows {library}: hide it in a .cc or in internal/")
                    break

    def check_clocks(self):
        for name, text in self.text.items():
            if self.module(name) in (None, "base", "http") or name in MAY_READ_CLOCKS:
                continue
            for offset in clock_reads(text):
                self.say(name, offset, "this reads the machine's clock: take a Clock, or Clock::system() where the kernel waits by it")

    def check_lines(self):
        for name in self.files:
            limit = LIMITS.get(os.path.splitext(name)[1]) or LIMITS.get(os.path.basename(name))
            if not limit or name.startswith("tests/cli/cases/"):
                continue
            text = self.text.get(name) or open(os.path.join(ROOT, name), encoding="utf-8").read()
            raw = False
            for number, line in enumerate(text.split("\n"), 1):
                begins = re.search(r'R"\w*\(', line)
                if len(line) > limit and not raw and not begins:
                    self.findings.append((name, number, f"{len(line)} columns, over the limit of {limit}"))
                if begins:
                    raw = True
                if raw and re.search(r'\)\w*"', line[begins.end():] if begins else line):
                    raw = False

    def count(self):
        public = [header for header in self.headers if not self.internal(header)]
        print(f"modules {len(self.above)}")
        print(f"headers {len(self.headers)}, public {len(public)}")
        by_module = collections.Counter(self.module(header) for header in public)
        print("public headers by module: " + ", ".join(f"{module} {by_module[module]}" for module in self.above))
        between = sum(1 for name, includes in self.includes.items() for _, header in includes
                      if self.module(name) and self.module(header) != self.module(name))
        print(f"includes between modules {between}")


def main():
    tree = Tree()
    if "--count" in sys.argv[1:]:
        tree.count()
        return 0
    tree.check_includes()
    tree.check_layers()
    tree.check_rooms()
    tree.check_types()
    tree.check_unique_types()
    tree.check_faces()
    tree.check_foreign_types()
    tree.check_clocks()
    tree.check_lines()
    for name, line, what in sorted(tree.findings):
        print(f"{name}:{line}: {what}")
    print(f"structure: {len(tree.text)} files of {len(tree.above)} modules, {len(tree.findings)} findings")
    return 1 if tree.findings else 0


if __name__ == "__main__":
    sys.exit(main())
