# SPDX-License-Identifier: Apache-2.0
"""Puts packages into the folder for them, and removes those of an earlier run: what its SHA256SUMS names, and nothing else. What is there
and would be lost is an error.

usage: place.py --check FOLDER --version VERSION [--release] [--signed]
       place.py --from MADE FOLDER --version VERSION [--release] [--signed]

--check: whether that could be done, before anything is made. --release: a folder has one release; --signed: it is signed.
"""

import argparse
import fnmatch
import os
import re
import shutil
import sys

SUMS = "SHA256SUMS"
SIGNATURES = (SUMS + ".asc", SUMS + ".sig")
# The names that packages of a version have.
PACKAGES = ("fairway*_{0}_*.deb", "libfairway*_{0}_*.deb", "fairway*-{0}-linux-*.tar.gz", "kubectl-fairway-{0}-linux-*.tar.gz",
            "fairway*-{0}.oci.tar", "fairway-{0}.provenance.json", "fairway.yaml")
LINE = re.compile(r"[0-9a-f]{64} [ *]([^/.][^/]*)")
IMAGE = re.compile(r"fairway-([0-9][^/]*)\.oci\.tar")


class Refused(Exception):
    """The folder has what would be lost."""


def is_package(name, version):
    return any(fnmatch.fnmatchcase(name.removesuffix(".spdx.json"), one.format(version)) for one in PACKAGES)


def earlier(folder):
    """The version of the packages in a folder, and the names of their files, by its SHA256SUMS; None and no names where there is none."""
    path = os.path.join(folder, SUMS)
    if not os.path.lexists(path):
        return None, set()
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [LINE.fullmatch(line) for line in file.read().splitlines()]
    names = {line.group(1) for line in lines if line}
    versions = [image.group(1) for image in map(IMAGE.fullmatch, sorted(names)) if image]
    if not all(lines) or "fairway.yaml" not in names or len(versions) != 1:
        raise Refused(f"{path} is not that of packages of Fairway")
    for name in sorted(names):
        if not is_package(name, versions[0]):
            raise Refused(f"{path} names {name}, which is no package of Fairway")
    return versions[0], names


def removable(folder, version, release, signed, made=()):
    """The names of the files in a folder that packages of a version take the place of. `made`: their names, once they are known."""
    there, names = earlier(folder)
    signatures = {name for name in SIGNATURES if os.path.lexists(os.path.join(folder, name))}
    if signatures and there is None:
        raise Refused(f"{os.path.join(folder, min(signatures))} signs what is not there any more")
    if signatures and not signed:
        raise Refused(f"{folder} has a signed release, {there}, which this is not")
    if release and there not in (None, version):
        raise Refused(f"{folder} has packages of another version, {there}")
    for name in sorted(os.listdir(folder)):
        if (name in made or is_package(name, version)) and name not in names | signatures | {SUMS}:
            raise Refused(f"{os.path.join(folder, name)} is there, and no {SUMS} names it")
    removed = {name for name in names | signatures if os.path.lexists(os.path.join(folder, name))}
    for name in sorted(removed):
        if os.path.isdir(os.path.join(folder, name)) and not os.path.islink(os.path.join(folder, name)):
            raise Refused(f"{os.path.join(folder, name)} is a folder")
    return removed


def place(made, folder, version, release, signed):
    """Moves all files of the folder `made`."""
    fresh = sorted(os.listdir(made), key=lambda name: (name != SUMS, name))
    for name in removable(folder, version, release, signed, fresh):
        os.remove(os.path.join(folder, name))
    # The checksums first: what an interrupt leaves here is named by them, and the next run may take its place.
    for name in fresh:
        if os.path.lexists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
        shutil.move(os.path.join(made, name), os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser()
    work = parser.add_mutually_exclusive_group(required=True)
    work.add_argument("--check", action="store_true")
    work.add_argument("--from", dest="made")
    parser.add_argument("folder")
    parser.add_argument("--version", required=True)
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--signed", action="store_true")
    options = parser.parse_args()
    try:
        if options.check:
            if os.path.lexists(options.folder) and not os.path.isdir(options.folder):
                raise Refused("it is no folder")
            if os.path.isdir(options.folder):
                removable(options.folder, options.version, options.release, options.signed)
        else:
            place(options.made, options.folder, options.version, options.release, options.signed)
    except (Refused, OSError) as fault:
        print(f"error: putting packages into {options.folder}: {fault}: take another folder (--out DIR), or move that away",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
