# SPDX-License-Identifier: Apache-2.0
"""Reads Prometheus's text format: which metrics a program gives, of which type, with which labels and values."""

import re

SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? +\S+(?: +\d+)?$")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?')
PARTS_OF_HISTOGRAMS = ("_bucket", "_sum", "_count")


class Metric:
    """A metric by the name of its samples: its type (that of a part of a histogram is counter), and the values of each label."""

    def __init__(self, kind):
        self.kind = kind
        self.values = {}
        # Labels whose values nobody can list.
        self.open = set()

    def add(self, labels):
        for name, value in labels.items():
            self.values.setdefault(name, set()).add(value)

    def merge(self, other):
        for name, values in other.values.items():
            self.values.setdefault(name, set()).update(values)
        self.open |= other.open


def unescaped(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match.group(1) == "n" else match.group(1), text)


def read(text, where):
    """Returns the metrics in the text, as {name: Metric}. `where` names the text in the ValueError for a line that is not understood."""
    metrics, types = {}, {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(None, 3)
            types[name] = kind
        if not line.strip() or line.startswith("#"):
            continue
        sample = SAMPLE.match(line)
        rest = LABEL.sub("", sample.group(2) or "") if sample else None
        if rest is None or rest.strip():
            raise ValueError(f"{where}:{number}: this is no sample of Prometheus's text format: give what a program answers at /metrics")
        name = sample.group(1)
        if name not in metrics:
            metrics[name] = Metric(kind_of(name, types))
        metrics[name].add({label: unescaped(value) for label, value in LABEL.findall(sample.group(2) or "")})
    return metrics


def kind_of(name, types):
    for suffix in PARTS_OF_HISTOGRAMS:
        if name.endswith(suffix) and types.get(name.removesuffix(suffix)) in ("histogram", "summary"):
            return "counter"
    return types.get(name, "untyped")
