# SPDX-License-Identifier: Apache-2.0
"""Writes the page of a header in the reference: Markdown, with its signatures as HTML, so that the types in them are links."""

import html
import posixpath
import re

import comments
import cxx_text
from declarations import CLASSES, FUNCTIONS

KEYWORDS = set("""alignas auto bool char class concept const consteval constexpr constinit default delete double enum explicit extern false
final float friend inline int long mutable namespace noexcept nullptr operator override public private protected requires short signed
static struct template true typename union unsigned using virtual void volatile""".split())
CONSTRUCTION = {"constructor", "destructor"}
ANCHOR_OF_OPERATOR = re.compile(r"[^\w:~.-]")


def place_of(header):
    """Returns where the page of a header is among the sources of the site."""
    return f"reference/{header}.md"


def main_namespace(declarations):
    """Returns the namespace that the declarations of a header are in, as far as they share one: fairway::kube."""
    # Specializations for the standard library may stand beside it.
    declarations = [one for one in declarations if one.name == "fairway"] or declarations
    scope = ""
    while len(declarations) == 1 and declarations[0].kind == "namespace" and not declarations[0].comment:
        scope, declarations = declarations[0].whole_name, declarations[0].members
    return scope


def top_level(declarations):
    """Returns the declarations of a header in the order of the source, those of namespaces one after the other. A namespace within that
    of the header that has a comment, or constants alone, is one of them."""
    main = main_namespace(declarations)

    def inside(members):
        found = []
        for member in members:
            is_outer = f"{main}::".startswith(f"{member.whole_name}::")
            constants = all(one.kind == "variable" for one in member.members)
            if member.kind != "namespace" or (not is_outer and (member.comment or constants)):
                found.append(member)
                continue
            below = inside(member.members)
            if below and member.notes:
                below[0].notes, member.notes = member.notes + below[0].notes, []
            found += below
        return found

    return inside(declarations)


class Anchors:
    """The anchors of all declarations: where a name, or the place that a signature names, is described."""

    def __init__(self):
        self.of_place, self.of_name = {}, {}

    def add(self, declarations):
        taken = {}

        def visit(declaration):
            # Overloads have a number.
            name = ANCHOR_OF_OPERATOR.sub(lambda match: f".{ord(match[0]):x}", declaration.whole_name)
            taken[name] = taken.get(name, 0) + 1
            anchor = name if taken[name] == 1 else f"{name}-{taken[name]}"
            page = place_of(declaration.place[0])[:-3] + ".html"
            for name, place in [(declaration.name, declaration.place), *declaration.others]:
                self.of_place[place] = (page, anchor)
                if declaration.kind != "namespace" and declaration.scope:
                    self.of_name.setdefault(f"{declaration.scope}::{name}", (page, anchor))
            for member in declaration.members:
                visit(member)

        for declaration in declarations:
            visit(declaration)

    def find(self, name, scope):
        """Returns the goal of a name that is written in a scope, or None."""
        while True:
            goal = self.of_name.get(f"{scope}::{name}" if scope else name)
            if goal or not scope:
                return goal
            scope = scope.rpartition("::")[0]


class Page:
    """The page of one header, as it is written."""

    def __init__(self, reader, header, anchors, pages_of_docs):
        self.reader, self.header, self.anchors, self.pages_of_docs = reader, header, anchors, pages_of_docs
        self.folder = posixpath.dirname(place_of(header))
        self.namespace = main_namespace(reader.found[header])
        self.out = []
        # The places of the declarations whose signatures, and of those whose comments, have been written.
        self.shown, self.told = set(), set()

    def link(self, goal):
        page, anchor = goal
        own = place_of(self.header)[:-3] + ".html"
        return ("" if page == own else posixpath.relpath(page, self.folder)) + f"#{anchor}"

    def markdown(self, raw, declaration=None):
        """Returns the Markdown of a comment; of a declaration, its own name and its parameters are no links."""
        if declaration:
            self.told.add(declaration.place)
        scope = declaration.whole_name if declaration else self.namespace
        words = {token.text for _, line in declaration.signature for token in line} if declaration else set()

        def resolve(name):
            goal = None if name in words else self.anchors.find(name, scope)
            return self.link(goal) if goal else None

        def page_link(page):
            return posixpath.relpath(page, self.folder) if page.partition("#")[0] in self.pages_of_docs else None

        return comments.to_markdown(comments.lines_of(raw), resolve, page_link)

    def signature(self, declaration):
        """Returns the signature of a declaration as HTML, with the links of what it names."""
        self.shown.add(declaration.place)
        lines, own = [], {place[1] for _, place in [("", declaration.place), *declaration.others]}
        for indent, line in declaration.signature:
            parts = [" " * indent]
            for index, token in enumerate(line):
                parts.append(" " if cxx_text.blank_before(line, index) else "")
                text = html.escape(cxx_text.shown(token.text), quote=False)
                goal = self.anchors.of_place.get(declaration.names.get(token.offset))
                if goal and declaration.names[token.offset] != declaration.place:
                    text = f'<a href="{self.link(goal)}">{text}</a>'
                elif token.offset in own:
                    text = f"<b>{text}</b>"
                elif token.text in KEYWORDS:
                    text = f"<i>{text}</i>"
                parts.append(text)
            lines.append("".join(parts).rstrip())
        return "\n".join(lines)

    def anchor(self, declaration):
        return self.anchors.of_place[declaration.place][1]

    def block(self, declarations):
        """Writes signatures as one block."""
        parts = []
        for declaration in declarations:
            parts += [f"<em>{html.escape(note.strip(), quote=False)}</em>" for note in declaration.notes]
            parts.append(f'<span id="{self.anchor(declaration)}">{self.signature(declaration)}</span>')
        self.out.append('<pre class="signature">' + "\n".join(parts) + "</pre>")

    def notes(self, declaration):
        self.out += [self.markdown(note) for note in declaration.notes]
        declaration.notes = []

    def described(self, declaration):
        """Writes a signature, and what its comment says."""
        self.block([declaration])
        if declaration.comment:
            self.out += ['<div class="described">', self.markdown(declaration.comment, declaration), "</div>"]

    def heading(self, text, level):
        self.out.append(f"{'#' * min(level, 6)} `{text}`")

    def heading_of(self, declaration):
        """Returns the name of a declaration within the namespace of the page; that of a specialization has its arguments."""
        name = declaration.whole_name
        words = [token.text for _, line in declaration.signature for token in line]
        if declaration.kind in CLASSES and words[:3] == ["template", "<", ">"]:
            name = "".join(words[4:]).partition("final")[0]
        return name.removeprefix(self.namespace + "::") if self.namespace else name

    def rows(self, members):
        """Writes members below each other: those without a comment share a block."""
        waiting = []
        for member in members:
            if member.comment and waiting:
                self.block(waiting)
                waiting = []
            if member.comment:
                self.notes(member)
                self.described(member)
            else:
                waiting.append(member)
        if waiting:
            self.block(waiting)

    def section(self, declaration, level):
        """Writes a class, an enum or a namespace of constants: first its data and how it is made, then its functions and classes."""
        self.notes(declaration)
        self.heading(self.heading_of(declaration), level)
        if declaration.kind != "namespace":
            self.block([declaration])
        else:
            shown = f"<i>namespace</i> {declaration.whole_name}"
            self.out.append(f'<pre class="signature"><span id="{self.anchor(declaration)}">{shown}</span></pre>')
        if declaration.comment:
            self.out.append(self.markdown(declaration.comment, declaration))
        rows = [member for member in declaration.members if not self.has_heading(member)]
        self.rows(rows)
        self.sections([member for member in declaration.members if self.has_heading(member)], level + 1)

    @staticmethod
    def has_heading(member):
        """Returns whether a member has a heading of its own, rather than a row."""
        operator = member.kind in FUNCTIONS and member.name.startswith("operator") and not member.comment
        return member.kind in CLASSES | {"enum"} or (member.kind in FUNCTIONS - CONSTRUCTION and not operator)

    def sections(self, declarations, level):
        """Writes declarations with headings; functions of the same name that follow each other share one."""
        before = None
        for declaration in declarations:
            if declaration.kind in CLASSES | {"enum", "namespace"}:
                self.section(declaration, level)
                before = None
                continue
            self.notes(declaration)
            name = self.heading_of(declaration) if level == 2 else declaration.name
            if name != before:
                self.heading(name, level)
            before = name
            self.described(declaration)

    def text(self, about):
        """Returns the page. `about` is what is known of its component, as a paragraph."""
        self.out = [f"# {self.header}", self.markdown(self.reader.lead_of(self.header)),
                    f'```cpp\n#include "fairway/{self.header}"\n```', about]
        found = top_level(self.reader.found[self.header])
        self.sections(found, 2)
        if not found:
            self.out.append(self.included())
        return "\n\n".join(part for part in self.out if part) + "\n"

    def included(self):
        """Returns what a header without declarations brings along; nothing if that is nothing either."""
        names = [name for name in re.findall(r'^#include "([^"]+)"', self.reader.texts[self.header], re.M) if name in self.reader.texts]
        lines = [f"- [`{name}`]({posixpath.relpath(place_of(name), self.folder)})" for name in names]
        return "\n".join(["It brings along:", "", *lines]) if lines else ""
