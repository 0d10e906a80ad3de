# SPDX-License-Identifier: Apache-2.0
"""The first example of the README does what it says there."""

import pathlib
import re

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def test_first_example_prints_what_it_says(pytester):
    text = README.read_text()
    source = re.search(r"Write `(test_\w+\.py)`:\n\n```python\n(.*?)```", text, re.DOTALL)
    shown = re.search(r"^pytest (.*) (test_\w+\.py)\n```\n\n```text\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    assert source.group(1) == shown.group(2)
    (pytester.path / source.group(1)).write_text(source.group(2))
    result = pytester.runpytest_subprocess(*shown.group(1).split(), source.group(1))
    assert result.ret == 0
    expected = shown.group(3).splitlines()
    assert result.outlines[:2] == expected[:2]
    without_time = [re.sub(r"[0-9.]+s$", "s", line) for line in (result.outlines[2], expected[2])]
    assert without_time[0] == without_time[1]
