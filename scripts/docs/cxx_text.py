# SPDX-License-Identifier: Apache-2.0
"""Reads the text of C++ declarations: where the signature of one ends, where the whole declaration ends, and its signature laid out.

All offsets are in bytes: a text is the bytes of its file, one character a byte (latin-1).
"""

import collections
import re

Token = collections.namedtuple("Token", "offset text blank")
Token.__doc__ = """A word or a mark of C++: where it begins, what it is, and whether a blank stands before it."""

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<blank>\s+)
    |(?P<word>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
             |\d(?:'?[\w.])*|'(?:\\.|[^'\\\n])+'|\w+|\[\[|\]\]|::|->|<=>|<=|>=|==|!=|&&|\|\||\+\+|--|\.\.\.|.)""", re.S | re.X)
OPENS, CLOSES = {"(": ")", "[": "]", "{": "}", "[[": "]]"}, {")", "]", "}", "]]"}
WIDEST = 80


def shown(text):
    """Returns a piece of a text as it is shown."""
    return text.encode("latin-1").decode()


def tokens(text, begin, end=None):
    """Yields the tokens of a text from an offset on, without comments."""
    blank = False
    for match in TOKEN.finditer(text, begin, len(text) if end is None else end):
        if match.lastgroup == "comment" or match["blank"] or match["comment"]:
            blank = True
            continue
        yield Token(match.start(), match["word"], blank)
        blank = False


def extent(text, begin, ctor=False):
    """Returns where the signature of a declaration ends that begins here, and where the declaration itself does, with its body. `ctor`:
    what follows a colon is no part of the signature."""
    depth, signature, initializers, before, closed_by_requires, requires = 0, None, False, "", False, []
    for token in tokens(text, begin):
        if token.text in OPENS:
            if token.text == "{" and depth == 0:
                is_value = (initializers and re.match(r"\w|>", before)) or before in ("=", "requires") or closed_by_requires
                if not is_value:
                    return token.offset if signature is None else signature, _closing(text, token.offset)
            requires.append(before == "requires")
            depth += 1
        elif token.text in CLOSES:
            depth -= 1
            closed_by_requires = requires.pop() and token.text == ")"
            before = token.text
            continue
        elif depth == 0 and token.text == ";":
            return (token.offset if signature is None else signature), token.offset + 1
        elif depth == 0 and token.text == ":" and ctor and signature is None:
            signature, initializers = token.offset, True
        before, closed_by_requires = token.text, False
    return (len(text) if signature is None else signature), len(text)


def _closing(text, begin):
    """Returns the offset behind the brace that closes what opens here, and behind a semicolon after it."""
    depth = 0
    for token in tokens(text, begin):
        if depth == 0 and token.offset != begin:
            return token.offset + 1 if token.text == ";" else end
        depth += token.text in OPENS
        depth -= token.text in CLOSES
        end = token.offset + len(token.text)
    return len(text)


def _split(found):
    """Splits the tokens of a signature where a line may end: before the first parameter, after each comma between parameters, after
    template<...>, before a trailing requires. Returns [(indentation, tokens)]."""
    lines, line, depth, angles, indent, in_parameters = [], [], 0, 0, 0, False

    def end_line(next_indent):
        nonlocal line, indent
        if line:
            lines.append((indent, line))
        line, indent = [], next_indent

    is_template = bool(found) and found[0].text == "template"
    for index, token in enumerate(found):
        before = found[index - 1].text if index else ""
        if token.text == "requires" and before != "requires" and depth == 0 and angles == 0 and index:
            end_line(4 if in_parameters else 0)
        line.append(token)
        if token.text == "<" and (re.match(r"\w", before) and before != "operator"):
            angles += 1
        elif token.text == ">" and angles:
            angles -= 1
            if is_template and angles == 0 and depth == 0:
                is_template = index + 1 < len(found) and found[index + 1].text == "template"
                end_line(0)
        elif token.text in OPENS:
            depth += 1
            if token.text == "(" and depth == 1 and angles == 0 and not in_parameters and _names_function(found, index):
                in_parameters = True
                if index + 1 < len(found) and found[index + 1].text != ")":
                    end_line(4)
        elif token.text in CLOSES:
            depth -= 1
        elif token.text == "," and depth == 1 and angles == 0 and in_parameters:
            end_line(4)
    end_line(0)
    return lines


def _names_function(found, index):
    """Returns whether the parenthesis at this index begins parameters: a name stands before it, or an operator's."""
    before = [token.text for token in found[max(0, index - 3):index]]
    if before[-1:] == ["operator"]:
        return False
    return bool(before) and (re.match(r"\w", before[-1]) is not None and before[-1] != "requires" or "operator" in before)


def layout(text, begin, end):
    """Returns the signature that stands there as lines of tokens, each (indentation, [Token]): on one line if it is short."""
    found = [token for token in tokens(text, begin, end)]
    while found and found[-1].text in ("{", ";"):
        found.pop()
    lines = _split(found)
    whole = []
    for indent, line in lines:
        # A template's parameters, and a clause of requires, keep their lines.
        if whole and (indent or whole[-1][1][-1].text != ">" or whole[-1][1][0].text != "template") and line[0].text != "requires":
            whole[-1] = (whole[-1][0], whole[-1][1] + line)
        else:
            whole.append((indent, line))
    return whole if all(indent + width(line) <= WIDEST for indent, line in whole) else lines


def blank_before(line, index):
    """Returns whether a blank stands before a token of a line."""
    return index > 0 and line[index].blank and line[index - 1].text not in ("(", "[")


def width(line):
    return sum(len(token.text) + blank_before(line, index) for index, token in enumerate(line))
