# SPDX-License-Identifier: Apache-2.0
"""Tests of console_blocks.py: `python3 -m unittest discover -q -s scripts/docs -p '*_test.py'`, which ./dev lint runs."""

import os
import re
import tempfile
import textwrap
import unittest

import console_blocks


def page(*blocks):
    """Returns the text of a page with these console blocks, each after an empty line."""
    return "".join(f"\n```console\n{textwrap.dedent(block).strip()}\n```\n" for block in blocks)


def run(text, **arguments):
    return console_blocks.run_page("docs/a.md", text, "/nowhere", **arguments)


class Reading(unittest.TestCase):
    def test_a_command_has_its_continuation_output_and_status(self):
        (block,) = console_blocks.read_blocks("a\n```console\n$ cat <<END\n> b\n>\n> END\nb\n\n\n$ false\n[1]\n$ true\n```\n")
        first, second, third = block.commands
        self.assertEqual((first.line, first.text, first.expected, first.status), (3, "cat <<END\nb\n\nEND", ["b"], 0))
        self.assertEqual((first.begin, first.end), (7, 8))
        self.assertEqual((second.expected, second.status, second.begin, second.end), (None, 1, 11, 12))
        self.assertEqual((third.expected, third.begin, third.end), (None, 13, 13))

    def test_commands_are_those_that_one_pastes(self):
        text = page("$ cat <<END\n> $ b\n>\n> END\n$ b\n[1]\n$ a \\\n>   b", "$ c\noutput\n") + "\n```console envoy\n$ d\n```\n"
        self.assertEqual(console_blocks.commands_of(console_blocks.read_blocks(text)),
                         "cat <<END\n$ b\n\nEND\nb\na \\\n  b\n\nc\n\n# This block needs envoy.\nd")

    def test_the_button_of_the_site_copies_the_same(self):
        conf = console_blocks.pages.read("scripts/docs/site/conf.py")
        self.assertIn(f'copybutton_prompt_text = r"{console_blocks.PROMPT.pattern}"', conf)
        button = re.compile(f"^({console_blocks.PROMPT.pattern})(.*)")
        for name in ("docs/writing-docs.md", "docs/graph-data.md", "docs/operator.md"):
            for fence in console_blocks.pages.fences(console_blocks.pages.read(name)):
                if fence.info == "console":
                    copied = [match.group(2) for line in fence.lines if (match := button.match(line))]
                    self.assertEqual("\n".join(copied), console_blocks.commands_of([console_blocks.read_block(fence)]))

    def test_an_output_does_not_look_like_a_command(self):
        ((line, what),) = run("```console\n$ echo a; echo '> b'\na\n> b\n```\n").faults
        self.assertEqual(line, 4)
        self.assertIn("would be copied as one", what)

    def test_other_blocks_are_no_commands(self):
        self.assertEqual(console_blocks.read_blocks("```sh\n$ a\n```\n````md\n```console\n$ a\n```\n````\n"), [])

    def test_a_block_begins_with_a_command(self):
        self.assertEqual(run("```console\noutput\n$ true\n```\n").faults, [(2, "a console block begins with a command: `$ COMMAND`")])
        self.assertEqual(len(run("```console\n```\n").faults), 1)


class Merging(unittest.TestCase):
    def merged(self, expected, actual):
        return console_blocks.merge(expected.split(), actual.split())

    def test_dots_stand_for_lines_and_for_text(self):
        for expected in ("a b c", "...", "a ...", "... c", "a ... c", "... b ...", "a ... b c", "a ...b... c", "... ... c"):
            self.assertEqual(self.merged(expected, "a b c"), expected.split())
        self.assertEqual(self.merged("took...s", "took12s"), ["took...s"])

    def test_what_does_not_match_becomes_what_was_printed(self):
        self.assertEqual(self.merged("a x c", "a b c"), ["a", "b", "c"])
        self.assertEqual(self.merged("a ... x", "a b c d"), ["a", "...", "d"])
        self.assertEqual(self.merged("a ... x...z c", "a b x-y c"), ["a", "...", "x-y", "c"])
        self.assertEqual(self.merged("a b", "a"), ["a"])
        self.assertEqual(self.merged("a", "a b"), ["a", "b"])

    def test_what_would_be_a_command_becomes_dots(self):
        self.assertEqual(console_blocks.merge(["x"], ["$ curl"]), ["..."])


class Running(unittest.TestCase):
    def test_good_blocks_have_no_faults(self):
        result = run(page("""
            $ echo one; echo two >&2
            one
            two
            $ printf '%s\\n' a b c d
            a
            ...
            d
            $ cat <<'END'
            > in $HOME
            > END
            in $HOME
            $ (exit 3)
            [3]
            $ echo not shown
            """))
        self.assertEqual((result.faults, result.ran), ([], 5))

    def test_a_page_is_one_session_in_a_folder_of_its_own(self):
        with tempfile.TemporaryDirectory() as examples:
            open(os.path.join(examples, "releases.json"), "w").close()
            result = run(page("""
                $ ls
                examples
                $ rm examples/releases.json
                $ mkdir b && cd b && value=kept
                """, """
                $ echo "$value" in "${PWD##*/}"; false
                kept in b
                [1]
                $ echo $?
                1
                $ echo "$LC_ALL $TZ"; case "$PWD" in "${HOME%/*}"/*) echo beside HOME ;; esac
                C UTC
                beside HOME
                """), examples=examples)
            self.assertEqual(result.faults, [])
            self.assertTrue(os.path.exists(os.path.join(examples, "releases.json")))

    def test_a_wrong_output_is_shown_as_a_difference(self):
        result = run(page("$ printf 'a\\nb\\nc\\n'\na\n...\nd\n"))
        ((line, what),) = result.faults
        self.assertEqual(line, 3)
        self.assertIn("--- docs/a.md:4\n+++ what it printed\n", what)
        self.assertIn("\n a\n ...\n-d\n+c", what)

    def test_a_wrong_status_is_a_fault(self):
        ((line, what),) = run(page("$ echo why; exit_status() { return 4; }; exit_status\n")).faults
        self.assertEqual((line, what), (3, "`echo why; exit_status() { return 4; }; exit_status` ended with 4, and the page says 0; "
                                        "it printed:\n  why"))
        self.assertEqual(len(run(page("$ true\n[1]\n")).faults), 1)

    def test_a_command_has_a_time_limit(self):
        first, second = run(page("$ echo begun; sleep 60\n$ echo never\nnever\n"), timeout=0.3).faults
        self.assertEqual(first, (3, "`echo begun; sleep 60`: it did not end within 0.3 s; its last output:\n  begun"))
        self.assertEqual(second, (4, "1 more commands of this page did not run"))

    def test_the_end_of_the_shell_is_a_fault(self):
        self.assertEqual(run(page("$ exit 0\n")).faults, [(3, "`exit 0`: the shell ended with it")])

    def test_too_much_output_ends_a_command(self):
        ((_, what),) = run(page("$ yes\n"), timeout=20).faults
        self.assertIn("it printed more than", what)

    def test_nothing_is_left_running(self):
        with tempfile.TemporaryDirectory() as folder:
            pids = os.path.join(folder, "pids")
            before, console_blocks.END_TIMEOUT = console_blocks.END_TIMEOUT, 0.3
            try:
                result = run(page(f"""
                    $ sleep 60 &
                    $ setsid sh -c 'trap "" TERM; echo $$ >>{pids}; while :; do sleep 1; done' &
                    $ echo $! >>{pids}
                    $ until [ "$(wc -l <{pids})" = 2 ]; do sleep 0.02; done
                    """))
            finally:
                console_blocks.END_TIMEOUT = before
            self.assertEqual(result.faults, [])
            with open(pids, encoding="utf-8") as file:
                for pid in file.read().split():
                    self.assertFalse(os.path.exists(f"/proc/{pid}/environ") and self.runs(pid), pid)

    @staticmethod
    def runs(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"

    def test_a_block_whose_program_is_not_there_is_skipped_and_named(self):
        text = page("$ echo a\nb").replace("```console", "```console no-such-program") + page("$ echo c\nc")
        result = run(text)
        self.assertEqual(result.faults, [])
        self.assertEqual((result.ran, result.skipped), (1, [(2, "no-such-program")]))

    def test_pages_have_networks_of_their_own(self):
        isolation = console_blocks.namespace()
        if not isolation:
            self.skipTest("this machine or user may not have a network namespace")
        self.assertEqual(run(page("""
            $ tail -n +3 /proc/net/dev | cut -d : -f 1 | tr -d ' '
            lo
            """), isolation=isolation).faults, [])


class Updating(unittest.TestCase):
    def test_writes_what_differs_and_keeps_what_matches(self):
        text = "# A\n\n- item\n" + textwrap.indent(page("""
            $ printf 'a\\nb\\nc\\n'
            a
            ...
            x
            $ echo same
            sa...
            $ false
            $ echo new; (exit 2)
            ?
            """), "  ")
        wanted = text.replace("  x\n", "  c\n").replace("$ false\n", "$ false\n  [1]\n").replace("  ?\n", "  new\n  [2]\n")
        updated = console_blocks.changed(text, run(text).changes)
        self.assertEqual(updated, wanted)
        self.assertEqual(run(updated).faults, [])


if __name__ == "__main__":
    unittest.main()
