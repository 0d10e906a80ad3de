# SPDX-License-Identifier: Apache-2.0
"""Makes a root file system of Debian 12 for arm64, to compile and link with on this machine: the libraries and headers of the group `build`
of scripts/packages, unpacked and not installed, as nothing of arm64 can run here.

usage: verify_sysroot.py DIR

It stays as it is where DIR has these packages already.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITE = "bookworm"
ARCHITECTURE = "arm64"
# The list of what is in it, written last.
DONE = "usr/share/fairway-sysroot"


def libraries(text):
    """The packages of libraries in the group `build` of the text of scripts/packages, sorted."""
    names = [words[1] for words in map(str.split, text.splitlines()) if words[:1] == ["build"] and words[1].endswith("-dev")]
    return sorted([*names, "libc6-dev", "libstdc++-12-dev"])


def make_links_relative(root):
    """Has each link to an absolute path lead to the same path within the root. Returns how many did not."""
    changed = 0
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            if os.path.islink(path) and os.readlink(path).startswith("/"):
                target = os.path.relpath(os.path.join(root, os.readlink(path).lstrip("/")), folder)
                os.remove(path)
                os.symlink(target, path)
                changed += 1
    return changed


def make(root):
    with open(os.path.join(ROOT, "scripts", "packages"), encoding="utf-8") as file:
        wanted = libraries(file.read())
    done, text = os.path.join(root, DONE), "".join(name + "\n" for name in wanted)
    if os.path.exists(done):
        with open(done, encoding="utf-8") as file:
            if file.read() == text:
                return
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["mmdebstrap", "--variant=extract", f"--architectures={ARCHITECTURE}", "--quiet", '--aptopt=APT::Sandbox::User "root"',
                    "--skip=check/qemu", f"--include={','.join(wanted)}", SUITE, root], check=True)
    make_links_relative(root)
    with open(done, "w", encoding="utf-8") as out:
        out.write(text)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    make(os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    main()
