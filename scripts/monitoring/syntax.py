# SPDX-License-Identifier: Apache-2.0
"""Parses a PromQL query that `fairway promql format` has printed into a tree, so that its metrics and labels can be looked up.

The query is correct already; what this parser does not know is a ValueError, and never passed over.
"""

import dataclasses
import re

TOKEN = re.compile(r"""\s*(?:
    (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)
  | (?P<number>0x[0-9a-fA-F]+|(?:\d+(?:ms|[smhdwy]))+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<word>[a-zA-Z_:][\w:]*)
  | (?P<operator>=~|!~|==|!=|<=|>=|[-+*/%^<>=(){}\[\],@:])
)""", re.X)
AGGREGATIONS = {"sum", "min", "max", "avg", "group", "stddev", "stdvar", "count", "count_values", "bottomk", "topk", "quantile", "limitk",
                "limit_ratio"}
# Binary operators by precedence; ^ binds to the right.
PRECEDENCE = {"or": 1, "and": 2, "unless": 2, "==": 3, "!=": 3, "<=": 3, "<": 3, ">=": 3, ">": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5,
              "atan2": 5, "^": 6}
COMPARISONS = {"==", "!=", "<=", "<", ">=", ">"}


@dataclasses.dataclass
class Selector:
    """Series of a metric; each matcher is (label, operator, value)."""
    name: str
    matchers: list


@dataclasses.dataclass
class Literal:
    """A number, or a string with its text."""
    value: object


@dataclasses.dataclass
class Call:
    function: str
    arguments: list


@dataclasses.dataclass
class Aggregation:
    """`grouping` is by, without or None."""
    operator: str
    grouping: str | None
    labels: list
    arguments: list


@dataclasses.dataclass
class Binary:
    """`matching` is on, ignoring or None, with its labels; `side` is group_left, group_right or None, with the labels it includes."""
    operator: str
    left: object
    right: object
    matching: str | None = None
    labels: list = dataclasses.field(default_factory=list)
    side: str | None = None
    included: list = dataclasses.field(default_factory=list)


def tokens_of(text):
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"this parser does not know {text[at:at + 20]!r}: teach it to scripts/monitoring/syntax.py")
        tokens.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return tokens


def text_of(literal):
    """Returns the text of a string literal."""
    if literal[0] == "`":
        return literal[1:-1]
    escapes = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(.)", lambda match: escapes.get(match.group(1), match.group(1)), literal[1:-1])


class Parser:
    def __init__(self, text):
        self.text, self.tokens, self.at = text, tokens_of(text), 0

    def next_is(self, *values):
        return self.at < len(self.tokens) and self.tokens[self.at][0] != "string" and self.tokens[self.at][1] in values

    def take(self, *values):
        """Returns the next token's text, which is one of the values if there are any."""
        if self.at == len(self.tokens) or (values and not self.next_is(*values)):
            found = self.tokens[self.at][1] if self.at < len(self.tokens) else "the end"
            raise ValueError(f"this parser expects {' or '.join(values) or 'more'}, not {found}: teach it to scripts/monitoring/syntax.py")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def parse(self):
        node = self.expression(1)
        if self.at < len(self.tokens):
            self.take("the end")
        return node

    def expression(self, floor):
        if self.next_is("-", "+"):
            self.take()
            node = self.expression(PRECEDENCE["^"])
        else:
            node = self.postfix(self.operand())
        while self.at < len(self.tokens) and PRECEDENCE.get(self.tokens[self.at][1], 0) >= floor:
            operator = self.take()
            binary = Binary(operator, node, None)
            if operator in COMPARISONS and self.next_is("bool"):
                self.take()
            if self.next_is("on", "ignoring"):
                binary.matching = self.take()
                binary.labels = self.names()
            if self.next_is("group_left", "group_right"):
                binary.side = self.take()
                binary.included = self.names() if self.next_is("(") else []
            binary.right = self.expression(PRECEDENCE[operator] + (operator != "^"))
            node = binary
        return node

    def postfix(self, node):
        """Skips ranges, subqueries, offsets and @, which change no label."""
        while True:
            if self.next_is("["):
                while self.take() != "]":
                    pass
            elif self.next_is("offset"):
                self.take()
                if self.next_is("-", "+"):
                    self.take()
                self.take()
            elif self.next_is("@"):
                self.take()
                if self.next_is("start", "end"):
                    self.take()
                    self.take("(")
                    self.take(")")
                else:
                    self.take()
            else:
                return node

    def operand(self):
        kind = self.tokens[self.at][0] if self.at < len(self.tokens) else None
        if kind == "string":
            return Literal(text_of(self.take()))
        if kind == "number":
            return Literal(self.take())
        if self.next_is("("):
            self.take()
            node = self.expression(1)
            self.take(")")
            return node
        if self.next_is("{"):
            return self.selector("")
        if kind != "word":
            self.take("an operand")
        word = self.take()
        if word.lower() in ("nan", "inf"):
            return Literal(word)
        if word in AGGREGATIONS and self.next_is("by", "without", "("):
            return self.aggregation(word)
        if self.next_is("("):
            return Call(word, self.arguments())
        return self.selector(word)

    def aggregation(self, operator):
        node = Aggregation(operator, None, [], [])
        if self.next_is("by", "without"):
            node.grouping, node.labels = self.take(), self.names()
        node.arguments = self.arguments()
        if self.next_is("by", "without"):
            node.grouping, node.labels = self.take(), self.names()
        return node

    def arguments(self):
        nodes = []
        self.take("(")
        while not self.next_is(")"):
            nodes.append(self.expression(1))
            if not self.next_is(")"):
                self.take(",")
        self.take(")")
        return nodes

    def names(self):
        names = []
        self.take("(")
        while not self.next_is(")"):
            names.append(self.take())
            if not self.next_is(")"):
                self.take(",")
        self.take(")")
        return names

    def selector(self, name):
        matchers = []
        if self.next_is("{"):
            self.take()
            while not self.next_is("}"):
                label, operator = self.take(), self.take("=", "!=", "=~", "!~")
                value = text_of(self.take())
                if label == "__name__" and operator == "=":
                    name = value
                elif label == "__name__":
                    raise ValueError("a metric is selected by a regular expression: name it, so that it can be looked up")
                else:
                    matchers.append((label, operator, value))
                if not self.next_is("}"):
                    self.take(",")
            self.take("}")
        if not name:
            raise ValueError("a selector names no metric: name it, so that it can be looked up")
        return Selector(name, matchers)


def parse(text):
    return Parser(text).parse()
