#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the sources use the field's names, and not those that they have replaced (docs/glossary.md)."""

import re
import sys

import structure

# A name that has gone, and its successors.
REPLACED = {
    r"note_\w+|note(?=\()|noted\w*|\w+_noted": "record",
    r"Surroundings|surroundings(?=[.;,)])": "context, as in gateway::PassContext",
    r"Agreement": "acknowledgement, with the states pending, acknowledged and refused (xds::Acknowledgement)",
    r"ReadyWords": "published readiness (gateway::PublishedReadiness)",
    r"\w*patien(?:ce|t_)\w*": "a timeout that says of what: ack_timeout, queue_timeout",
    r"\w*glance\w*": "poll_interval",
    r"struct Known\b|Known(?=[&*] )": "a cache and its entries: Cached, cache_",
}
PATTERNS = [(re.compile(rf"\b(?:{old})\b" if old[-1] != ")" else rf"\b(?:{old})"), new) for old, new in REPLACED.items()]
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def faults(text):
    """Yields (line number, name, successor) of each replaced name in a source, comments and strings aside."""
    for number, line in enumerate(text.splitlines(), 1):
        code = STRING.sub('""', line).split("//")[0]
        for pattern, successor in PATTERNS:
            for found in pattern.finditer(code):
                yield number, found.group(0), successor


def main():
    count = 0
    for path, source in structure.sources():
        for number, name, successor in faults(source):
            print(f"{path}:{number}: `{name}` is not a name of the field here; use {successor}", file=sys.stderr)
            count += 1
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
