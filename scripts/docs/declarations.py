# SPDX-License-Identifier: Apache-2.0
"""Reads what C++ headers declare: a tree of declarations with their signatures and documentation comments, by libclang.

Private members, protected ones without a comment, and namespaces called internal or detail are left out. So are forward declarations,
and friends that are classes.
"""

import dataclasses
import os
import re

import clang
import cxx_text

CLASSES = {"struct", "union", "class", "class template"}
FUNCTIONS = {"function", "method", "constructor", "destructor", "conversion", "function template"}
SHOWN = CLASSES | FUNCTIONS | {"enum", "field", "enumerator", "variable", "alias", "using", "concept", "namespace"}
PASSED_OVER = {"access", "assertion"}
INTERNAL = {"", "internal", "detail"}
# Longest value of a variable that its signature has.
LONGEST_VALUE = 160
NOTE = re.compile(r"^[ \t]*//(?!/)[^\n]*", re.M)
LEAD = re.compile(r"(?:// SPDX[^\n]*\n\s*)*((?://[^\n]*\n)*)")
TRAILING = re.compile(r";?[ \t]*(///<[^\n]*(?:\n[ \t]*///<[^\n]*)*)")
DOC = re.compile(r"^[ \t]*(///)|(?<=\S)[ \t]+(///<)", re.M)


@dataclasses.dataclass
class Declaration:
    """What a header declares. `scope` and `name` make its whole name; `place` is the header and the offset of the name."""
    kind: str
    scope: str
    name: str
    place: tuple
    # Lines of the signature, each (indentation, [Token]), and what the words in it name: offset -> place.
    signature: list = dataclasses.field(default_factory=list)
    names: dict = dataclasses.field(default_factory=dict)
    # The documentation comment, with slashes; comments that stand alone between the declaration before and this one.
    comment: str = ""
    notes: list = dataclasses.field(default_factory=list)
    members: list = dataclasses.field(default_factory=list)
    # `int a, b;` is one declaration, of a: b, and what follows, as (name, place).
    others: list = dataclasses.field(default_factory=list)

    @property
    def whole_name(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name


class Reader:
    """Reads headers: `found` has the declarations of each, `comments` where the documentation comments stand that were met, and of
    which of them it left out the declaration: header -> {offset: left out}."""

    def __init__(self, root, headers):
        self.root = root
        self.texts = {}
        for header in headers:
            with open(os.path.join(root, header), "rb") as file:
                self.texts[header] = file.read().decode("latin-1")
        self.found = {header: [] for header in headers}
        self.comments = {header: {} for header in headers}
        # Declarations of a kind that the reference does not know, as (header, line).
        self.unknown = []

    def read(self):
        """Reads all headers, and returns the errors of clang."""
        text = "".join(f'#include "{header}"\n' for header in self.texts)
        cursor, errors = clang.parse(text, ["-I" + self.root])
        if cursor:
            for child in cursor.children():
                header = self.header_of(child)
                if header:
                    self.take(child, header, "", self.found[header], False)
        return errors

    def header_of(self, cursor):
        path = cursor.place[0]
        header = path[len(self.root) + 1:] if path.startswith(self.root + "/") else None
        return header if header in self.texts else None

    def take(self, cursor, header, scope, into, hidden):
        """Adds a declaration, and what it has, to a list; `hidden`: only looks at the comments. Returns where it ends."""
        text = self.texts[header]
        begin = self.begin_of(cursor, text)
        outer = cursor
        if cursor.kind == "friend":
            inside = [child for child in cursor.children() if child.kind in FUNCTIONS]
            if not inside:
                return cursor.end
            cursor = inside[0]
        if cursor.kind not in SHOWN:
            if cursor.kind not in PASSED_OVER and not hidden:
                self.unknown.append((header, text.count("\n", 0, begin) + 1))
            return cursor.end
        signature_end, end = self.extent_of(cursor, begin, text)
        comment = cursor.comment or outer.comment or self.trailing_comment(text, end)
        hidden = hidden or outer.access == clang.PRIVATE or (outer.access == clang.PROTECTED and not comment) or \
            (cursor.kind == "namespace" and cursor.name in INTERNAL)
        is_forward = cursor.kind in CLASSES | {"enum"} and not cursor.is_definition
        if comment:
            self.comments[header][comment[0]] = self.comments[header].get(comment[0], True) and (hidden or is_forward)
        if is_forward:
            return end
        # libclang gives the constructors of a template its parameters.
        name = re.sub(r"<.*", "", cursor.name) if cursor.kind in ("constructor", "destructor") else cursor.name
        declaration = Declaration(cursor.kind, scope, name, (header, cursor.place[1]))
        if comment:
            declaration.comment = cxx_text.shown(text[slice(*comment)])
        if cursor.kind != "namespace" and not hidden:
            declaration.signature = cxx_text.layout(text, begin, signature_end)
            declaration.names = self.names_in(cursor, begin, signature_end)
            if cursor.kind == "using":
                # libclang has no name for what a template inherits.
                declaration.name = declaration.signature[-1][1][-1].text
        if cursor.kind in CLASSES | {"enum", "namespace"}:
            self.take_members(cursor, header, declaration, signature_end, hidden)
        self.add(declaration, into, hidden)
        return end

    def take_members(self, cursor, header, declaration, signature_end, hidden):
        text, before = self.texts[header], signature_end + 1
        for child in cursor.children():
            # What stands in the signature is no member, but the inner namespaces of `namespace a::b` are.
            if (child.begin < signature_end and child.kind != "namespace") or self.header_of(child) != header:
                continue
            count = len(declaration.members)
            end = self.take(child, header, declaration.whole_name, declaration.members, hidden)
            if len(declaration.members) > count:
                declaration.members[-1].notes = self.notes_in(text, before, child.begin)
            before = max(before, end)

    def add(self, declaration, into, hidden):
        if hidden or (declaration.kind == "namespace" and not declaration.members):
            return
        same = [one for one in into if one.kind == declaration.kind == "namespace" and one.name == declaration.name]
        if same:
            same[0].members += declaration.members
            same[0].comment = same[0].comment or declaration.comment
            return
        last = into[-1] if into else None
        if last and declaration.kind in ("field", "variable") and last.kind == declaration.kind and \
                last.signature[0][1][0].offset == declaration.signature[0][1][0].offset:
            last.signature, last.names = declaration.signature, {**last.names, **declaration.names}
            last.others.append((declaration.name, declaration.place))
            return
        into.append(declaration)

    @staticmethod
    def begin_of(cursor, text):
        """Returns where a declaration begins, with its attributes."""
        begin = cursor.begin
        while text[:begin].rstrip().endswith("]]"):
            begin = text.rindex("[[", 0, begin)
        return begin

    @staticmethod
    def extent_of(cursor, begin, text):
        if cursor.kind in ("field", "variable", "enumerator"):
            end = cursor.end
            if end - begin > LONGEST_VALUE and "=" in text[begin:end]:
                return begin + text[begin:end].index("="), end
            return end, end
        if cursor.kind == "namespace":
            return text.index("{", begin), cursor.end
        return cxx_text.extent(text, begin, cursor.kind in ("constructor", "function template"))

    @staticmethod
    def trailing_comment(text, end):
        """Returns where the comment is that follows a declaration on its last line: clang looks for it on the line of its name."""
        match = TRAILING.match(text, end)
        return (match.start(1), match.end(1)) if match else None

    def names_in(self, cursor, begin, end):
        """Returns what the words of a signature name: offset -> place."""
        names, waiting = {}, [cursor]
        while waiting:
            for child in waiting.pop().children():
                # The members of a class are none of its signature's, nor are bodies.
                if child.begin >= end or child.begin < begin:
                    continue
                if child.kind in ("type reference", "template reference"):
                    path, offset = child.target
                    names[child.place[1]] = (path.removeprefix(self.root + "/"), offset)
                waiting.append(child)
        return names

    @staticmethod
    def notes_in(text, begin, end):
        """Returns the comments on lines of their own that stand between two declarations, but documentation."""
        # What follows on the line of the declaration before is a part of it.
        begin = text.find("\n", begin, end)
        notes, last = [], None
        for match in NOTE.finditer(text, begin, end) if begin >= 0 else ():
            line = cxx_text.shown(match[0])
            if last is not None and not text[last:match.start()].strip(" \t").strip("\n"):
                if text.count("\n", last, match.start()) == 1:
                    notes[-1] += "\n" + line
                    last = match.end()
                    continue
            notes.append(line)
            last = match.end()
        return notes

    def lead_of(self, header):
        """Returns the comment that a header begins with, behind that of its licence."""
        return cxx_text.shown(LEAD.match(self.texts[header])[1])

    def lost_comments(self):
        """Returns the documentation comments of the headers that no declaration was found for, as [(header, line)]."""
        lost = []
        for header, text in self.texts.items():
            last_line, last_trails = None, False
            for match in DOC.finditer(text):
                line, trails = text.count("\n", 0, match.start(match.lastindex)) + 1, text.startswith("///<", match.start(match.lastindex))
                if line - 1 != last_line or trails != last_trails:
                    if match.start(match.lastindex) not in self.comments[header]:
                        lost.append((header, line))
                last_line, last_trails = line, trails
        return lost
