# SPDX-License-Identifier: Apache-2.0
"""Compares two folders of packages byte for byte, and names the member of an archive, the file and the place where two first differ.

usage: verify_compare.py ONE TWO

Debian packages, tar files, image layouts and what is compressed are looked into, one within another. Where diffoscope is installed, it
writes what it finds of the first file that differs beside the folder TWO. The exit status is 1 if anything differs.
"""

import difflib
import gzip
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile

import verify_elf

# Most differences that are told of one pair of files, and most lines of one text.
MOST = 6
MOST_LINES = 8
# Checksums of other members: they differ wherever anything does, and are told last.
CONSEQUENCES = re.compile(r"md5sums|SHA256SUMS|index\.json|checksumValue|documentNamespace")
BLOBS = "blobs/sha256/"
# Seconds that diffoscope may take: it takes minutes for a program.
DIFFOSCOPE_SECONDS = 600


def ar_members(content):
    """The members of an ar archive, as {name: (properties, content)}."""
    found, at = {}, 8
    while at + 60 <= len(content):
        header = content[at:at + 60]
        size = int(header[48:58])
        name = header[:16].decode("ascii", "replace").strip().rstrip("/")
        properties = {"time": header[16:28].strip().decode(), "owner": header[28:40].split(), "mode": header[40:48].strip().decode()}
        # Members of a library may have the same name, one after the other.
        while name in found:
            name += "'"
        found[name] = (properties, content[at + 60:at + 60 + size])
        at += 60 + size + size % 2
    return found


def tar_members(content):
    """The members of a tar archive, as {name: (properties, content)}."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        for entry in tar.getmembers():
            properties = {"time": entry.mtime, "owner": (entry.uid, entry.gid, entry.uname, entry.gname), "mode": oct(entry.mode),
                          "type": entry.type, "link": entry.linkname}
            found[entry.name] = (properties, tar.extractfile(entry).read() if entry.isreg() else b"")
    return found


def members(content):
    """The members of an archive, or of what is compressed, in order; None if it is neither."""
    if content[:8] == b"!<arch>\n":
        return ar_members(content)
    if content[:2] == b"\x1f\x8b":
        return {"(gunzip)": ({"header": content[3:10]}, gzip.decompress(content))}
    if content[:6] == b"\xfd7zXZ\0":
        return {"(unxz)": ({}, lzma.decompress(content))}
    if content[257:262] == b"ustar":
        return tar_members(content)
    return None


def first_difference(one, two):
    """The number of the first byte that differs; the shorter length if one begins with the other."""
    low, high = 0, min(len(one), len(two))
    if one[:high] == two[:high]:
        return high
    # The longest common beginning has a length of [low, high).
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[low:middle] == two[low:middle] else (low, middle)
    return low


def text_of(content):
    """The lines of a text; None if the bytes are not one."""
    if b"\0" in content[:4096]:
        return None
    try:
        return content.decode().splitlines()
    except UnicodeDecodeError:
        return None


def strings_around(content, at):
    """The printable text around a byte, which often says what it is."""
    near = content[max(0, at - 60):at + 60]
    found = [match.group().decode() for match in re.finditer(rb"[\x20-\x7e]{6,}", near)]
    return " ".join(found)[:100]


def tell_bytes(one, two):
    """Says in lines how two contents differ that are no archives."""
    lines_one, lines_two = text_of(one), text_of(two)
    if lines_one is not None and lines_two is not None:
        shown = list(difflib.unified_diff(lines_one, lines_two, "one", "two", n=0, lineterm=""))[2:]
        return [line[:200] for line in shown[:MOST_LINES]] + (["..."] if len(shown) > MOST_LINES else [])
    at = first_difference(one, two)
    sections = verify_elf.sections(one)
    place = verify_elf.place(sections, at) if sections else ""
    told = [f"byte {at}{place}: {one[at:at + 8].hex(' ') or 'the end'} and {two[at:at + 8].hex(' ') or 'the end'}"]
    if strings_around(one, at) or strings_around(two, at):
        told.append(f"near: {strings_around(one, at)!r} and {strings_around(two, at)!r}")
    if sections:
        told.append("sections that differ: " + (" ".join(verify_elf.differing(one, two)) or "none: only what is between them"))
    return told


def paired(one, two):
    """The members of two archives as (name, name in the first, name in the second). Blobs of images, whose names are their digests, are
    paired by their sizes; a name is None where there is no other."""
    pairs = [(name, name, name) for name in one if name in two]
    rest = [[name for name in of if name not in other] for of, other in ((one, two), (two, one))]
    blobs = [sorted((name for name in names if name.startswith(BLOBS)), key=lambda name, of=of: len(of[name][1]))
             for names, of in zip(rest, (one, two))]
    if len(blobs[0]) == len(blobs[1]):
        pairs += [("a blob", *both) for both in zip(*blobs)]
        rest = [[name for name in names if not name.startswith(BLOBS)] for names in rest]
    return pairs + [(name, name, None) for name in rest[0]] + [(name, None, name) for name in rest[1]]


def differences(name, one, two):
    """Lines for the differences of two contents: each the path to what differs, through archives, and how it does."""
    if one == two:
        return []
    members_one, members_two = members(one), members(two)
    if members_one is None or members_two is None:
        return [f"{name}: {line}" for line in tell_bytes(one, two)]
    found = []
    for inner, of_one, of_two in paired(members_one, members_two):
        if of_one is None or of_two is None:
            found.append(f"{name}: {inner} is only in the {'first' if of_two is None else 'second'}")
            continue
        properties, content = members_one[of_one]
        others, other = members_two[of_two]
        for key, value in properties.items():
            if others[key] != value:
                found.append(f"{name}: {inner}: {key} {value} and {others[key]}")
        found += differences(f"{name}: {inner}", content, other)
    if not found:
        found.append(f"{name}: the same members, in another order or with other compression")
    return sorted(found, key=lambda line: bool(CONSEQUENCES.search(line)))


def compare(one, two):
    """Compares two folders. Returns {name of a file that differs: lines}, and the number of files that both have with the same bytes."""
    names_one, names_two = set(os.listdir(one)), set(os.listdir(two))
    found, same = {}, 0
    for name in sorted(names_one | names_two):
        if name not in names_one or name not in names_two:
            found[name] = [f"{name} is only in {one if name in names_one else two}"]
            continue
        contents = []
        for folder in (one, two):
            with open(os.path.join(folder, name), "rb") as file:
                contents.append(file.read())
        if contents[0] == contents[1]:
            same += 1
        else:
            found[name] = differences(name, *contents)
    return found, same


def run_diffoscope(one, two, name):
    """Has diffoscope write what it finds, without disassembling. Returns the path of its report; None where it is not installed."""
    if not shutil.which("diffoscope"):
        return None
    report = f"{two.rstrip('/')}.{name}.diff"
    try:
        subprocess.run(["diffoscope", "--exclude-command", "^objdump.*", "--max-report-size", "200000", "--text", report,
                        os.path.join(one, name), os.path.join(two, name)], check=False, timeout=DIFFOSCOPE_SECONDS,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    return report if os.path.exists(report) else None


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    one, two = sys.argv[1:]
    found, same = compare(one, two)
    for lines in found.values():
        for line in lines[:MOST]:
            print(line)
        if len(lines) > MOST:
            print(f"  ... {len(lines) - MOST} more lines")
    # The checksums differ wherever anything does.
    real = [name for name in found if name != "SHA256SUMS"]
    if real:
        report = run_diffoscope(one, two, real[0])
        if report:
            print(f"diffoscope on {real[0]}: {report}")
    print(f"{same} files have the same bytes, {len(found)} differ")
    return 1 if found or not same else 0


if __name__ == "__main__":
    sys.exit(main())
