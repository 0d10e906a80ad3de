# SPDX-License-Identifier: Apache-2.0
"""Reads the sections of ELF files, so that a difference of two programs says in which section it is (64 bits, little-endian)."""

import struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NOBITS = 8


def sections(content):
    """The sections of an ELF file that have bytes in it, as {name: (first byte, length)}; None if it is no ELF file."""
    if content[:6] != b"\x7fELF\x02\x01" or len(content) < _HEADER.size:
        return None
    fields = _HEADER.unpack_from(content)
    table, size, count, names = fields[6], fields[11], fields[12], fields[13]
    if size != _SECTION.size or table + count * size > len(content) or names >= count:
        return None
    headers = [_SECTION.unpack_from(content, table + number * size) for number in range(count)]
    strings = headers[names][4]
    found = {}
    for name, kind, _, _, offset, length, *_ in headers:
        if kind != _NOBITS and length:
            start = strings + name
            found[content[start:content.index(b"\0", start)].decode()] = (offset, length)
    return found


def place(table, at):
    """" in .text" for a byte of a file with these sections; "" if it is in none."""
    for name, (offset, length) in table.items():
        if offset <= at < offset + length:
            return f" in {name}"
    return ""


def differing(one, two):
    """The names of the sections whose bytes differ in two ELF files, or that one of them lacks."""
    table_one, table_two = sections(one) or {}, sections(two) or {}
    found = []
    for name in table_one | table_two:
        if name not in table_one or name not in table_two:
            found.append(name)
            continue
        (begin_one, length_one), (begin_two, length_two) = table_one[name], table_two[name]
        if one[begin_one:begin_one + length_one] != two[begin_two:begin_two + length_two]:
            found.append(name)
    return found
