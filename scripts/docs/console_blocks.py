#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the console blocks of the documentation, and compares what they print with what the pages say.

A fenced block whose info string is `console` has commands, each with the output that it must have:

    $ fairway graph show --channel stable-4.7 \\
    >   --from 4.6.23
    Recommended
    ...
    $ fairway lint broken
    ...
    [1]

A line `> ` continues a command; `...` alone in a line stands for any number of lines, and within a line for any text; `[N]` after the
output is the exit status, which is 0 otherwise. Of a command without output only the status is checked. All blocks of a page are one
bash session, from top to bottom, in a folder of its own that has a copy of examples/. docs/writing-docs.md has the rest.
"""

import argparse
import concurrent.futures
import difflib
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pages

# Evaluates the commands that it reads from one descriptor, each ended by a zero byte, and writes their statuses to another. `$?` is the
# status of the command before.
SESSION = r"""
__docs_status() { return "$1"; }
__docs_last=0
while IFS= read -r -d '' __docs_command <&%(commands)d; do
  __docs_status "$__docs_last"
  eval "$__docs_command" %(commands)d<&- %(statuses)d>&- </dev/null
  __docs_last=$?
  echo "$__docs_last" >&%(statuses)d
done
"""
# In the environment of all that a page starts, also of what leaves its process group.
MARK = "FAIRWAY_DOCS_PAGE"
MOST_OUTPUT = 4 << 20
# Time that a background process has to end by itself when its page ends.
END_TIMEOUT = 3.0
# The sessions that have not ended.
LIVE = set()
# What the site's button takes as commands (copybutton_prompt_text of site/conf.py).
PROMPT = re.compile(r"\$ |> |>$")
STATUS = re.compile(r"\[(\d+)\]")
COLORS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Command:
    """One command of a page: its text, what the page says that it prints (None: the page does not say), the status that it must have,
    and where it stands: the number of its line, and of the lines of its output [begin, end) with the status."""

    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.expected = None
        self.status = 0
        self.begin = self.end = line + 1

    @property
    def name(self):
        first = self.text.split("\n")[0]
        return first if len(first) <= 60 else first[:57] + "..."


class Block:
    """A console block: the number of its first line, its indentation, its commands, and what is wrong with its form."""

    def __init__(self, line, indent, needs=()):
        self.line = line
        self.indent = indent
        self.needs = needs
        self.commands = []
        self.faults = []


def read_block(fence):
    """Returns the Block of a fence."""
    block = Block(fence.line, fence.indent, fence.info.split()[1:])
    number, lines = fence.line, [line.removeprefix(fence.indent) for line in fence.lines]
    at = 0
    while at < len(lines):
        if not lines[at].startswith("$ "):
            if lines[at].strip():
                block.faults.append((number + 1 + at, "a console block begins with a command: `$ COMMAND`"))
            at += 1
            continue
        begin, text = at, [lines[at][2:]]
        at += 1
        while at < len(lines) and (lines[at] == ">" or lines[at].startswith("> ")):
            text.append(lines[at][2:])
            at += 1
        command = Command(number + 1 + begin, "\n".join(text))
        output = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        end = at
        while end > output and not lines[end - 1].strip():
            end -= 1
        command.begin, command.end = number + 1 + output, number + 1 + end
        expected = lines[output:end]
        status = STATUS.fullmatch(expected[-1]) if expected else None
        if status:
            command.status = int(status.group(1))
            expected = expected[:-1]
        while expected and not expected[-1].strip():
            expected.pop()
        for index, line in enumerate(expected):
            if PROMPT.match(line):
                block.faults.append((command.begin + index, "this output looks like a line of a command, and would be copied as one: let "
                                     "the command print something else"))
        if expected:
            command.expected = [line.rstrip() for line in expected]
        block.commands.append(command)
    if not block.commands and not block.faults:
        block.faults.append((fence.line, "this console block has no command: a line `$ COMMAND`"))
    return block


def read_blocks(text):
    """Returns the console blocks of a page, but for those of a root of their own (`console in:NAME`, scripts/package/check_install.py)."""
    found = [fence.info.split() for fence in pages.fences(text)]
    return [read_block(fence) for fence, words in zip(pages.fences(text), found)
            if words[:1] == ["console"] and not any(word.startswith("in:") for word in words)]


def commands_of(blocks):
    """Returns the commands of console blocks as they are pasted: without prompts and output, an empty line between blocks."""
    texts = []
    for block in blocks:
        needs = [f"# This block needs {' and '.join(block.needs)}."] if block.needs else []
        texts.append("\n".join(needs + [command.text for command in block.commands]))
    return "\n\n".join(texts)


def lines_of(output):
    """Returns the lines of an output as they are compared: without colors, blanks at their ends, and empty lines at the end."""
    lines = [line.rstrip() for line in COLORS.sub("", output).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def is_any_lines(line):
    return line.strip() == "..."


def line_matches(expected, line):
    """Returns whether a line is as expected, where `...` within it stands for any text."""
    if expected == line:
        return True
    if "..." not in expected:
        return False
    return re.fullmatch(".*?".join(re.escape(part) for part in expected.split("...")), line) is not None


def merge(expected, actual):
    """Returns the lines that the page should have: those of the output, with the expected ones kept where they match. It is `expected`
    itself if the output is as expected."""
    # Costs of making expected[i:] out of actual[j:]. A line replaced costs less than one removed beside a `...` that takes the other.
    rows, columns = len(expected), len(actual)
    cost = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    step = [[""] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            if i == rows and j == columns:
                continue
            choices = []
            if i < rows and is_any_lines(expected[i]):
                choices.append((cost[i + 1][j], "keep any"))
                if j < columns:
                    choices.append((cost[i][j + 1], "take"))
            elif i < rows:
                choices.append((cost[i + 1][j] + 1.5, "remove"))
                if j < columns and line_matches(expected[i], actual[j]):
                    choices.append((cost[i + 1][j + 1], "keep"))
                elif j < columns:
                    choices.append((cost[i + 1][j + 1] + 1, "replace"))
            if j < columns:
                choices.append((cost[i][j + 1] + 1.1, "add"))
            cost[i][j], step[i][j] = min(choices, key=lambda choice: choice[0])
    merged, i, j = [], 0, 0
    while i < rows or j < columns:
        what = step[i][j]
        if what in ("keep any", "keep"):
            merged.append(expected[i])
        elif what in ("replace", "add"):
            # What would be read as a command or as the block's end.
            merged.append("..." if re.match(r"\$ |\s*(```|~~~)", actual[j]) else actual[j])
        i += what in ("keep any", "keep", "remove", "replace")
        j += what in ("keep", "replace", "add", "take")
    return merged


def namespace():
    """Returns the command before a session that gives it a network of its own, with the loopback interface alone; [] where this
    machine or user may not have one."""
    for unshare in (["unshare", "-n"], ["unshare", "-rn"]):
        inside = unshare + ["--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        try:
            if subprocess.run(inside + ["true"], capture_output=True, check=False).returncode == 0:
                return inside
        except OSError:
            pass
    return []


def marked(mark):
    """Returns the processes that have this mark in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if f"{MARK}={mark}".encode() in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            pass  # it has ended, or is somebody else's
    return found


def end_all(mark):
    """Ends the processes with this mark, and returns those that could not be ended."""
    begun = time.monotonic()
    for pid in marked(mark):
        signal_quietly(pid, signal.SIGTERM)
    while marked(mark) and time.monotonic() < begun + END_TIMEOUT:
        time.sleep(0.02)
    while (left := marked(mark)) and time.monotonic() < begun + 2 * END_TIMEOUT:
        for pid in left:
            signal_quietly(pid, signal.SIGKILL)
        time.sleep(0.02)
    return left


def signal_quietly(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Session:
    """A bash that runs the commands of one page, in a folder of its own."""

    def __init__(self, build, isolation=(), examples=None):
        self.mark = secrets.token_hex(16)
        self.scratch = tempfile.mkdtemp(prefix="fairway-docs-")
        for folder in ("home", "tmp", "page"):
            os.mkdir(os.path.join(self.scratch, folder))
        if examples:
            # A copy: a page may change it.
            shutil.copytree(examples, os.path.join(self.scratch, "page", "examples"), symlinks=True)
        self.output = open(os.path.join(self.scratch, "output"), "ab+")
        self.read = 0
        for_commands, self.commands = os.pipe()
        self.statuses, for_statuses = os.pipe()
        environment = {
            "PATH": build + os.pathsep + os.environ.get("PATH", os.defpath) + os.pathsep + "/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC",
            "HOME": os.path.join(self.scratch, "home"), "TMPDIR": os.path.join(self.scratch, "tmp"), "NO_COLOR": "1", "TERM": "dumb",
            MARK: self.mark}
        script = SESSION % {"commands": for_commands, "statuses": for_statuses}
        self.bash = subprocess.Popen(
            [*isolation, "bash", "--noprofile", "--norc", "-c", script], cwd=os.path.join(self.scratch, "page"), env=environment,
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, pass_fds=(for_commands, for_statuses), start_new_session=True)
        LIVE.add(self)
        os.close(for_commands)
        os.close(for_statuses)

    def run(self, text, timeout):
        """Runs a command, and returns its output and its status; instead of the status, text that says why it has none."""
        try:
            os.write(self.commands, text.encode() + b"\0")
        except BrokenPipeError:
            return "", "the shell has ended"
        deadline = time.monotonic() + timeout
        status = b""
        while not status.endswith(b"\n"):
            if time.monotonic() > deadline:
                return self.take(), f"it did not end within {timeout:g} s"
            if os.fstat(self.output.fileno()).st_size - self.read > MOST_OUTPUT:
                return self.take(), f"it printed more than {MOST_OUTPUT >> 20} MiB"
            if select.select([self.statuses], [], [], 0.1)[0]:
                some = os.read(self.statuses, 64)
                if not some:
                    return self.take(), "the shell ended with it"
                status += some
        return self.take(), int(status)

    def take(self):
        """Returns what has been printed since."""
        data = os.pread(self.output.fileno(), MOST_OUTPUT, self.read)
        self.read += len(data)
        return data.decode(errors="replace")

    def end(self):
        """Ends all that the page started, and returns the processes that could not be ended."""
        os.close(self.commands)
        left = end_all(self.mark)
        self.bash.wait()
        os.close(self.statuses)
        self.output.close()
        shutil.rmtree(self.scratch, ignore_errors=True)
        LIVE.discard(self)
        return left


def end_sessions(number, _):
    """Ends this program for a signal, and all that the pages started with it."""
    for session in list(LIVE):
        end_all(session.mark)
        shutil.rmtree(session.scratch, ignore_errors=True)
    os._exit(128 + number)


class Result:
    """What the blocks of a page came to. Errors are for the author; differences from what the page says are what --update writes: the
    lines to replace are in changes, as (begin, end, lines). Both are (line, text)."""

    def __init__(self):
        self.errors = []
        self.differences = []
        # The blocks that did not run, each with the program that this machine lacks, as (line, program).
        self.skipped = []
        self.ran = 0
        self.changes = []
        self.seconds = 0.0

    @property
    def faults(self):
        return sorted(self.errors + self.differences)


def judge(result, name, command, indent, output, status):
    """Compares what a command did with what its page says."""
    actual = lines_of(output)
    merged = None
    if command.expected is not None:
        merged = merge(command.expected, actual)
    if isinstance(status, str):
        shown = "".join(f"\n  {line}" for line in actual[-20:])
        result.errors.append((command.line, f"`{command.name}`: {status}" + (f"; its last output:{shown}" if shown else "")))
        return
    if status != command.status:
        shown = "".join(f"\n  {line}" for line in actual[-20:]) if merged is None else ""
        what = f"`{command.name}` ended with {status}, and the page says {command.status}"
        result.differences.append((command.line, what + (f"; it printed:{shown}" if shown else "")))
    if merged is not None and merged != command.expected:
        diff = "\n".join(difflib.unified_diff(command.expected, merged, f"{name}:{command.begin}", "what it printed", lineterm=""))
        result.differences.append((command.line, f"`{command.name}` printed something else:\n{diff}"))
    if status != command.status or (merged is not None and merged != command.expected):
        lines = (merged or []) + ([f"[{status}]"] if status else [])
        result.changes.append((command.begin, command.end, [(indent + line).rstrip() for line in lines]))


def run_page(name, text, build, isolation=(), examples=None, timeout=30.0):
    """Runs the console blocks of a page, and returns the Result."""
    result = Result()
    blocks = read_blocks(text)
    for block in blocks:
        result.errors += block.faults
    if not any(block.commands for block in blocks):
        return result
    begun = time.monotonic()
    session = Session(build, isolation, examples)
    try:
        # `console envoy`: a block that needs a program which not every machine has.
        result.skipped = [(block.line, program) for block in blocks for program in block.needs if not shutil.which(program)]
        without = {line for line, _ in result.skipped}
        left = [(block, command) for block in blocks if block.line not in without for command in block.commands]
        while left:
            block, command = left.pop(0)
            output, status = session.run(command.text, timeout)
            result.ran += 1
            judge(result, name, command, block.indent, output, status)
            if isinstance(status, str):
                if left:
                    result.errors.append((left[0][1].line, f"{len(left)} more commands of this page did not run"))
                break
    finally:
        alive = session.end()
    if alive:
        result.errors.append((blocks[-1].line, f"processes of this page could not be ended: {', '.join(map(str, alive))}"))
    result.seconds = time.monotonic() - begun
    return result


def changed(text, changes):
    """Returns the text of a page with the lines that changed (Result.changes)."""
    lines = text.split("\n")
    for begin, end, new in sorted(changes, reverse=True):
        lines[begin - 1:end - 1] = new
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(pages.ROOT, "build"), help="the folder that has fairway (default: build)")
    parser.add_argument("--page", action="append", metavar="FILE", help="run the blocks of this page alone")
    parser.add_argument("--list", action="store_true", help="count the blocks and commands of each page, and run nothing")
    parser.add_argument("--commands", action="store_true", help="print the commands of the pages, ready to paste, and run nothing")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the pages")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="for one command (default: 30)")
    arguments = parser.parse_args()

    if arguments.commands and not arguments.page:
        print("error: --commands needs a page, such as docs/service.md", file=sys.stderr)
        return 2
    known = [name for name in pages.tracked() if name.endswith(".md")]
    names = [os.path.relpath(os.path.abspath(name), pages.ROOT) for name in arguments.page or []] or known
    texts = {}
    for name in names:
        if name not in known:
            print(f"error: {name} is no page of this checkout", file=sys.stderr)
            return 2
        texts[name] = pages.read(name)
    with_blocks = {name: blocks for name in names if (blocks := read_blocks(texts[name]))}
    blocks = sum(len(of_page) for of_page in with_blocks.values())
    commands = sum(len(block.commands) for of_page in with_blocks.values() for block in of_page)
    if arguments.list:
        for name, of_page in with_blocks.items():
            print(f"{name}: {len(of_page)} blocks, {sum(len(block.commands) for block in of_page)} commands")
        print(f"console blocks: {len(with_blocks)} pages, {blocks} blocks, {commands} commands")
        return 0
    if arguments.commands:
        for name in names:
            if name not in with_blocks:
                print(f"error: {name} has no console block", file=sys.stderr)
                return 1
            print(commands_of(with_blocks[name]))
        return 0
    if commands and not os.access(os.path.join(arguments.build, "fairway"), os.X_OK):
        print(f"error: there is no {arguments.build}/fairway: ./dev build builds it", file=sys.stderr)
        return 2

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_sessions)
    # With a network of its own, a page may have the ports of another one.
    isolation = namespace()
    failed = 0
    examples = os.path.join(pages.ROOT, "examples")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)) if isolation else 1) as pool:
        running = {name: pool.submit(run_page, name, texts[name], os.path.abspath(arguments.build), isolation, examples,
                                     arguments.timeout) for name in with_blocks}
        for name, run in running.items():
            result = run.result()
            faults = sorted(result.errors) if arguments.update else result.faults
            failed += bool(faults)
            if arguments.update and result.changes:
                with open(os.path.join(pages.ROOT, name), "w", encoding="utf-8") as file:
                    file.write(changed(texts[name], result.changes))
                print(f"{name}: wrote the output of {len(result.changes)} commands")
            for line, program in result.skipped:
                print(f"{name}:{line}: skipped: this block needs {program}, which is not in PATH")
            for line, what in faults:
                print(f"{name}:{line}: {what}")
            if arguments.page or result.seconds > 10:
                print(f"{name}: {result.ran} commands in {result.seconds:.1f} s")
    print(f"console blocks: {len(with_blocks)} pages, {blocks} blocks, {commands} commands, {failed} pages with faults"
          + ("" if isolation else "; one after the other, on this machine's own network"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
