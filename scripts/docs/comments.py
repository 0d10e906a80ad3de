# SPDX-License-Identifier: Apache-2.0
"""Makes Markdown of documentation comments: text, lists, tables, code spans and blocks, as the tree writes them.

A line that is indented by two blanks or more, and continues no item of a list, is code. All that Markdown would take for marks is text,
but code spans: a span that names a declaration of the reference becomes a link to it, and docs/NAME.md a link to that page.
"""

import html
import re

import pages

ITEM = re.compile(r"[-*] ")
PAGE = re.compile(r"(?<![\w/.-])(docs/[a-z][\w-]*\.md(?:#[\w-]+)?)")
# What a code span may name: `Client::watch`, `retry_on_conflict()`.
NAME = re.compile(r"~?[A-Za-z_][\w]*(?:::~?[A-Za-z_]\w*)*")


def lines_of(raw):
    """Returns the lines of a comment without its slashes."""
    return [re.sub(r"^\s*//[/!]?<?[ ]?", "", line).rstrip() for line in raw.strip().split("\n")]


def code(text):
    """Returns a code span as HTML, as the theme has it."""
    return f'<code class="docutils literal notranslate">{html.escape(text, quote=False)}</code>'


def language_of(lines):
    """Returns the language that a block of code is highlighted as."""
    if any(re.search(r"[;{(]\s*$|\w\(|::", line) for line in lines):
        return "cpp"
    return "yaml" if sum(bool(re.match(r"\s*(- )?[\w.]+:( |$)", line)) for line in lines) * 2 > len(lines) else "text"


def escaped(text, resolve, page_link):
    """Returns a paragraph of a comment as Markdown. `resolve` gives the link of a name, or None; `page_link` that of a page of docs/."""
    parts, position = [], 0
    for match in pages.CODE_SPAN.finditer(text):
        parts.append(_plain(text[position:match.start()], page_link))
        name = NAME.fullmatch(match[2].strip().removesuffix("()"))
        link = resolve(name[0]) if name else None
        # As HTML: Markdown would look for the anchor among its own headings.
        parts.append(f'<a href="{link}">{code(match[2])}</a>' if link else match[0])
        position = match.end()
    return "".join(parts) + _plain(text[position:], page_link)


def _plain(text, page_link):
    def link(match):
        goal = page_link(match[1])
        return f"\0[{match[1]}]({goal})\0" if goal else match[1]

    pieces = PAGE.sub(link, text).split("\0")
    # Every other piece is a link.
    pieces[::2] = [re.sub(r"([\\`*_{}<>\[\]|~#$^&])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)


def to_markdown(lines, resolve=lambda name: None, page_link=lambda page: None):
    """Returns the Markdown of the lines of a comment."""
    blocks, kind, block = [], None, []

    def end_block():
        nonlocal block
        while block and not block[-1]:
            block.pop()
        if not block:
            return
        if kind == "code":
            indent = min(len(line) - len(line.lstrip()) for line in block if line)
            lines_of_code = [line[indent:] for line in block]
            blocks.append("\n".join([f"```{language_of(lines_of_code)}", *lines_of_code, "```"]))
        elif kind == "table":
            blocks.append("\n".join(block))
        elif kind == "list":
            items = re.split(r"\n(?=- )", "\n".join("- " + line[2:] if ITEM.match(line) else "  " + line.strip() for line in block))
            blocks.append("\n".join("- " + escaped(item[2:], resolve, page_link) for item in items))
        else:
            # A number at the beginning of a line is no list.
            text = escaped("\n".join(line.strip() for line in block), resolve, page_link)
            blocks.append(re.sub(r"^(\d+)([.)] )", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", text, flags=re.M), flags=re.M))
        block = []

    for line in lines:
        if not line:
            if kind == "code":
                block.append("")
            else:
                end_block()
                kind = None
            continue
        if ITEM.match(line):
            now = "list"
        elif line.startswith("  "):
            now = kind if kind == "list" else "code"
        elif line.startswith("|"):
            now = "table"
        else:
            now = "text"
        if now != kind:
            end_block()
        kind = now
        block.append(line)
    end_block()
    return "\n\n".join(blocks)
