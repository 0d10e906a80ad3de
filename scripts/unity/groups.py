# SPDX-License-Identifier: Apache-2.0
"""Which source files of a target are compiled as one: half of a file's time goes into the headers that its neighbours read too.

What a file keeps to itself, in an unnamed namespace or by #define, is seen by those it is compiled with. Files stay apart where a
name of one is declared, or seems to be meant, in the other: this reads words, not C++, and rather separates too much. What it does
not see is found by the compiler; such a file says so in a line `// Compiled alone: why.`
"""

import collections
import re
import sys

ALONE = re.compile(r"^// Compiled alone: ", re.MULTILINE)

_NOISE = re.compile(
    r"""//[^\n]* | /\*.*?\*/                                  # comments
      | R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"           # raw strings
      | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'""",
    re.VERBOSE | re.DOTALL,
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|\[\[|\]\]|[{}();=<>\[\].,:]")
_WORDS_BEFORE_A_CALL = {"return", "throw", "else", "do", "co_return", "co_await", "co_yield", "and", "or", "not"}
_WORDS_BEFORE_A_NAME = {"class", "struct", "union", "enum"}


class Names:
    """What a file declares and mentions.

    own: names of unnamed namespaces, macros and aliases, these with what they stand for; declared: all names of namespaces;
    words: every word; called: words before a parenthesis that nothing qualifies.
    """

    def __init__(self, text):
        self.alone = bool(ALONE.search(text))
        text = _NOISE.sub(lambda match: '""' if match.group()[0] in 'R"' else " ", text)
        self.own = dict.fromkeys(_DEFINE.findall(text), None)
        text = _DIRECTIVE.sub(" ", text)
        tokens = _TOKEN.findall(text)
        self.words = {token for token in tokens if token[0].isalpha()}
        self.called = set()
        for before, token, after in zip([""] + tokens, tokens, tokens[1:]):
            # Two words before a parenthesis are a declaration.
            declaration = before[:1].isalpha() and before not in _WORDS_BEFORE_A_CALL
            if after == "(" and before not in (".", "->", "::") and not declaration:
                self.called.add(token)
        self.declared = set()
        self._walk(tokens)

    def _walk(self, tokens):
        scopes = []  # of each open brace: "unnamed", "named" or "body"
        statement = []
        for token in tokens:
            if token == "{":
                if "body" not in scopes:
                    if statement[:1] == ["namespace"] or statement[:2] == ["inline", "namespace"]:
                        scopes.append("unnamed" if statement[-1] == "namespace" else "named")
                        statement = []
                        continue
                    self._declare(statement, "unnamed" in scopes)
                    statement = []
                scopes.append("body")
            elif token == "}":
                if scopes:
                    scopes.pop()
            elif "body" in scopes:
                continue
            elif token == ";":
                self._declare(statement, "unnamed" in scopes)
                statement = []
            else:
                statement.append(token)

    def _declare(self, statement, own):
        name = _declared(statement)
        if name is None:
            return
        is_constant = "constexpr" in statement[:2] or "const" in statement[:2]
        if is_constant:
            # Of several constants in one declaration, each.
            self.own.update((each, None) for each, after in zip(statement, statement[1:]) if after == "=" and each[0].isalpha())
        self.declared.add(name)
        if statement[0] in ("namespace", "using"):
            self.own[name] = " ".join(statement)
        elif own or is_constant or statement[0] == "static":
            self.own[name] = None

    def collides(self, other):
        """Whether the names of one stand in the way of the other, or one is compiled alone."""
        if self.alone or other.alone:
            return True
        for one, two in ((self, other), (other, self)):
            for name, alias in one.own.items():
                if alias is not None:
                    # The same alias twice is none the less one.
                    if (name in two.declared or name in two.own) and two.own.get(name) != alias:
                        return True
                elif name in two.declared or name in two.own or name in two.called or (name[0].isupper() and name in two.words):
                    return True
        return False


def _declared(statement):
    """The name that a statement at namespace scope declares, if it is seen to declare one."""
    statement = _without_template(statement)
    if not statement:
        return None
    if statement[0] in ("namespace", "using"):
        if "=" in statement:
            return statement[1]
        return statement[-1] if statement[0] == "using" and "namespace" not in statement else None
    if statement[0] in _WORDS_BEFORE_A_NAME:
        rest = [word for word in statement[1:] if word[0].isalpha() and word not in _WORDS_BEFORE_A_NAME]
        return rest[0] if rest else None
    depth = 0
    name = before = None
    for token in statement:
        if token == "<":
            depth += 1
        elif token == ">":
            depth -= 1
        elif depth > 0:
            continue
        elif token in ("(", "=", "["):
            break
        elif token[0].isalpha() or token[0] == "_":
            name, qualified = token, before == "::"
        before = token
    # A macro's call reads like a function without a type.
    if name is None or qualified or name == statement[0]:
        return None
    return name


def _without_template(statement):
    while statement[:1] == ["template"]:
        depth = 0
        for index, token in enumerate(statement):
            depth += (token == "<") - (token == ">")
            if token == ">" and depth == 0:
                break
        statement = statement[index + 1 :]
    return statement


def groups(files, read, size):
    """The files, each a path, in groups of at most size: lists in the order given, first come first served."""
    result = []  # (files, their names)
    for file in files:
        names = Names(read(file))
        for members, known in result:
            if len(members) < size and not any(names.collides(each) for each in known):
                members.append(file)
                known.append(names)
                break
        else:
            result.append(([file], [names]))
    return [members for members, _ in result]


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    """Reads lines "TARGET;FILE;FILE..." from the file named first; prints CMake's commands that make groups of as many files as the
    second argument says.
    """
    size = int(sys.argv[2])
    targets = [line.split(";") for line in read_file(sys.argv[1]).splitlines()]
    count = collections.Counter(file for _, *files in targets for file in files)
    for target, *files in targets:
        # A source file has one group, whatever the targets that it is part of.
        for number, members in enumerate(groups([file for file in files if count[file] == 1], read_file, size)):
            if len(members) > 1:
                quoted = " ".join(f'"{member}"' for member in members)
                print(f"set_source_files_properties({quoted} PROPERTIES UNITY_GROUP {target}_{number})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
