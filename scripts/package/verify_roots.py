# SPDX-License-Identifier: Apache-2.0
"""Runs the tarball in root file systems of other distributions: the examples of docs/install.md, and names and certificates
(verify_names.py), once as its wrapper chooses the C library, and once with the one that came with it.

usage: verify_roots.py DIST [ROOT...]

Roots are those of ROOTS, and one with nothing but busybox, linked statically: no C library, no loader, no bash. mmdebstrap makes the
others from the mirrors of their distributions, once (.cache/roots). The last line counts the roots as tests.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import check_install

# With its path: what runs in a root has a PATH of its own.
CHROOT = shutil.which("chroot") or "/usr/sbin/chroot"
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = "docs/install.md"
# Suites, and what they are for.
ROOTS = {
    "bookworm": "Debian 12, which it is built on",
    "trixie": "Debian 13, with a newer C library",
    "bullseye": "Debian 11, with an older one: 2.31",
    "noble": "Ubuntu 24.04",
    "busybox": "no C library",
}
UBUNTU_KEYS = "usr/share/keyrings/ubuntu-archive-keyring.gpg"
# What a shell keeps from one command of a page to the next.
STATE = re.compile(r"^(export )?\w+=\S*$")
# Mounts that a program in a root expects; the root is $1, and what runs then follows.
MOUNTED = ["unshare", "-m", "--", "sh", "-c", 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && exec "$@"', "sh"]


def ubuntu_root(suite):
    """The tar file of a bare Ubuntu. Its keys are in a package of Debian 13, and so signed by Debian."""
    with tempfile.TemporaryDirectory() as work:
        keys = os.path.join(work, "keys.tar")
        subprocess.run(["mmdebstrap", "--variant=extract", "--format=tar", "--quiet", '--aptopt=APT::Sandbox::User "root"',
                        "--include=ubuntu-archive-keyring", "trixie", keys], check=True)
        with tarfile.open(keys) as tar:
            member = next(entry for entry in tar.getmembers() if entry.name.endswith(UBUNTU_KEYS))
            with open(os.path.join(work, "keys.gpg"), "wb") as out:
                out.write(tar.extractfile(member).read())
        return check_install.base_root(suite, f"--keyring={work}/keys.gpg")


def busybox_root():
    """The tar file of a root with a busybox of Debian, and nothing else."""
    file = os.path.join(check_install.CACHE, "busybox.tar")
    busybox = shutil.which("busybox")
    with tempfile.TemporaryDirectory() as root:
        for folder in ("bin", "etc", "proc", "dev", "tmp", "root", "usr/bin"):
            os.makedirs(os.path.join(root, folder))
        shutil.copy(busybox, os.path.join(root, "bin/busybox"))
        for applet in subprocess.run([busybox, "--list"], check=True, capture_output=True, text=True).stdout.split():
            if applet != "busybox":
                os.symlink("busybox", os.path.join(root, "bin", applet))
        os.makedirs(check_install.CACHE, exist_ok=True)
        subprocess.run(["tar", "-C", root, "-cf", file, "."], check=True)
    return file


def tar_of(name):
    if name == "busybox":
        return busybox_root()
    if name in ("jammy", "noble"):
        return ubuntu_root(name)
    return check_install.base_root(name)


def run_without_bash(root, blocks):
    """Runs the commands of blocks by the root's sh, each in a process of its own with the variables that were set before. Returns the
    faults. What is for bash alone (`. FILE`) is left out."""
    result, state = check_install.console_blocks.Result(), []
    for block, command in ((block, command) for block in blocks for command in block.commands):
        if command.text.startswith(". "):
            continue
        script = "\n".join(["cd /page", *state, command.text])
        done = subprocess.run([*MOUNTED, root, "env", "-i", "PATH=/usr/bin:/bin", "HOME=/root", CHROOT, root, "/bin/sh", "-c", script],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
        check_install.console_blocks.judge(result, PAGE, command, block.indent, done.stdout, done.returncode)
        if STATE.match(command.text):
            state.append(command.text)
    return sorted(result.faults)


def c_library(root):
    """The version of a root's own C library; "none" where it has none."""
    for file in glob.glob(f"{root}/**/libc.so.6", recursive=True):
        if "/page/" in file:
            continue
        with open(file, "rb") as content:
            found = re.search(rb"GNU C Library [^\n]*release version (2\.\d+)", content.read())
        if found:
            return found.group(1).decode()
    return "none"


def check_names(root, libc):
    """Runs verify_names.py in a root that has the tarball unpacked in /page. Returns its output, and whether all was well."""
    program = next(iter(glob.glob(f"{root}/page/fairway-*/bin/fairway")))
    command = ["unshare", "-n", *MOUNTED, root, sys.executable, "-B", os.path.join(HERE, "verify_names.py"), root, program[len(root):]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SSL_CERT_", "FAIRWAY_"))}
    if libc:
        environment["FAIRWAY_LIBC"] = libc
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment)
    return done.stdout, done.returncode == 0


def check_root(name, blocks, dist):
    """Returns what is wrong in one root, as lines, and what it is."""
    tar, faults = tar_of(name), []
    if name != "busybox":
        found, _ = check_install.run_root(PAGE, name, blocks, dist, False, tar=tar)
        faults += [f"{PAGE}:{line}: {what}" for line, what in found]
    root = tempfile.mkdtemp(prefix=f"fairway-root-{name}-")
    try:
        check_install.make_root(root, dist, tar)
        own = c_library(root)
        if name == "busybox":
            faults += [f"{PAGE}:{line}: {what}" for line, what in run_without_bash(root, blocks)]
        else:
            subprocess.run(["tar", "-C", f"{root}/page", "-xf", *glob.glob(f"{root}/page/fairway-*-linux-*.tar.gz")], check=True)
        examples, = glob.glob(f"{root}/page/fairway-*/share/fairway/examples")
        os.symlink(examples[len(root):], f"{root}/page/examples")
        for libc in (None, "bundled"):
            told, well = check_names(root, libc)
            print("".join(f"  [{name}{', ' + libc if libc else ''}] {line}\n" for line in told.splitlines()), end="", flush=True)
            if not well:
                faults.append(f"names and certificates, C library {libc or 'as the wrapper chooses'}")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return faults, f"C library {own}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist")
    parser.add_argument("roots", nargs="*", metavar="ROOT", help="of: " + " ".join(ROOTS))
    options = parser.parse_args()
    blocks = check_install.roots_of(check_install.pages.read(PAGE))["tarball"]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as dist:
        # The tarball alone: nothing else helps.
        for file in glob.glob(os.path.join(options.dist, "fairway-*-linux-amd64.tar.gz")):
            shutil.copy(file, dist)
        for name in options.roots or ROOTS:
            begun = time.monotonic()
            try:
                faults, what = check_root(name, blocks, dist)
            except subprocess.CalledProcessError as fault:
                faults, what = [str(fault)], "not made"
            for fault in faults:
                print(fault)
            passed, failed = passed + (not faults), failed + bool(faults)
            verdict, seconds = "failed" if faults else "passed", time.monotonic() - begun
            print(f"{verdict}: {name} ({ROOTS.get(name, name)}): {what}, {seconds:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
