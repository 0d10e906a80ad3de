# SPDX-License-Identifier: Apache-2.0
"""Runs what docs/install.md says, in root file systems that have nothing but a bare Debian, on packages that were made.

usage: check_install.py DIST [--page PAGE] [--keep] [NAME...]

A fenced block whose info string is `console in:NAME` belongs to the root NAME; those of one root are a bash session, from top to
bottom, as scripts/docs/console_blocks.py runs other blocks, in a folder with a copy of the files of DIST. Roots are a Debian 12 of
mmdebstrap. NAME: only these roots. The last line counts roots as tests.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "docs"))

import console_blocks  # noqa: E402
import pages  # noqa: E402

CACHE = os.path.join(pages.ROOT, ".cache", "roots")
# What a bare Debian has that mmdebstrap's smallest variant lacks.
EXTRA = "apt,ca-certificates"


def base_root(suite="bookworm", *options):
    """A tar file of a bare Debian, or of another distribution that mmdebstrap makes with these options, made once."""
    file = os.path.join(CACHE, f"{suite}.tar")
    if not os.path.exists(file):
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run(["mmdebstrap", "--variant=minbase", "--format=tar", "--quiet", '--aptopt=APT::Sandbox::User "root"',
                        f"--include={EXTRA}", *options, suite, file + ".part"], check=True)
        os.rename(file + ".part", file)
    return file


def make_root(folder, dist, tar):
    """Fills a folder with the root of a tar file, with how this machine reaches packages and names, and with the files of DIST."""
    subprocess.run(["tar", "-xf", tar, "-C", folder], check=True)
    for name in ("etc/apt/apt.conf.d", "etc/resolv.conf", "etc/hosts"):
        source = "/" + name
        if not os.path.exists(source) or not os.path.isdir(os.path.dirname(os.path.join(folder, name))):
            continue
        if os.path.isdir(source):
            for file in os.listdir(source):
                with open(os.path.join(source, file), encoding="utf-8") as content:
                    text = content.read()
                # How this machine reaches Debian, and nothing else of it.
                if "Acquire::" in text:
                    with open(os.path.join(folder, name, file), "w", encoding="utf-8") as out:
                        out.write(text + 'APT::Sandbox::User "root";\n')
        else:
            target = os.path.join(folder, name)
            # It may be a link that leads out of the root.
            if os.path.islink(target):
                os.remove(target)
            shutil.copy(source, target)
    os.makedirs(os.path.join(folder, "page"))
    for name in os.listdir(dist):
        shutil.copy(os.path.join(dist, name), os.path.join(folder, "page", name))


def run_root(page, name, blocks, dist, keep, timeout=300.0, tar=None):
    """Runs the blocks of one root, of a tar file or of a bare Debian 12. Returns the faults, as (line, text), and the number of
    commands."""
    root = tempfile.mkdtemp(prefix=f"fairway-root-{name}-")
    result = console_blocks.Result()
    inside = ["unshare", "-m", "--", "sh", "-c",
              'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && cd / && root="$0" && '
              'exec chroot "$root" env HOME=/root TMPDIR=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive '
              'sh -c \'cd /page && exec "$@"\' sh "$@"', root]
    try:
        make_root(root, dist, tar or base_root())
        session = console_blocks.Session("/nowhere", inside)
        try:
            for block in blocks:
                for command in block.commands:
                    begun = time.monotonic()
                    output, status = session.run(command.text, timeout)
                    result.ran += 1
                    print(f"  [{name}] {time.monotonic() - begun:5.1f} s  {command.name}", flush=True)
                    console_blocks.judge(result, page, command, block.indent, output, status)
                    if isinstance(status, str):
                        return sorted(result.faults), result.ran
        finally:
            session.end()
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)
        else:
            print(f"  [{name}] kept {root}")
    return sorted(result.faults), result.ran


def roots_of(text):
    """The blocks of each root, in the order of the page."""
    found = {}
    for fence in pages.fences(text):
        words = fence.info.split()
        if words[:1] == ["console"] and len(words) == 2 and words[1].startswith("in:"):
            found.setdefault(words[1][3:], []).append(console_blocks.read_block(fence))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist")
    parser.add_argument("--page", default="docs/install.md")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    roots = roots_of(pages.read(options.page))
    passed = failed = 0
    for name, blocks in roots.items():
        if options.names and name not in options.names:
            continue
        begun = time.monotonic()
        faults, commands = run_root(options.page, name, blocks, options.dist, options.keep)
        for line, what in faults:
            print(f"{options.page}:{line}: {what}")
        if faults:
            print(f"failed: {options.page} in {name}")
        passed, failed = passed + (not faults), failed + bool(faults)
        print(f"{name}: {commands} commands in {time.monotonic() - begun:.1f} s")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
