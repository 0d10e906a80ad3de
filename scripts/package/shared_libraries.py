# SPDX-License-Identifier: Apache-2.0
"""Which shared libraries a program needs, found without running it, so that this works for another architecture, too.

usage: shared_libraries.py [--sysroot DIR] PROGRAM...   (prints the path of each, sorted)
"""

import os
import re
import subprocess
import sys

# The loader and what else belongs to glibc: a program must not mix these with those of another glibc.
GLIBC = re.compile(r"^(ld-linux.*|libc|libm|libresolv|libpthread|libdl|librt|libutil|libnss_\w+|libanl|libBrokenLocale|libmvec)\.so\b.*")
_NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
_MACHINE = re.compile(r"^\s*Machine:\s*(.+)$", re.MULTILINE)
_INTERPRETER = re.compile(r"\[Requesting program interpreter: (.+)\]")
# The folders of Debian's libraries, by what readelf calls the machine.
FOLDERS = {
    "Advanced Micro Devices X86-64": ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"],
    "AArch64": ["lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/aarch64-linux-gnu/lib"],
}


def readelf(*arguments):
    return subprocess.run(["readelf", *arguments], check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def machine_of(program):
    """The machine that a program is for, in readelf's words."""
    return _MACHINE.search(readelf("-h", program)).group(1)


def interpreter_of(program):
    """The loader that a program asks for: "/lib64/ld-linux-x86-64.so.2"."""
    return _INTERPRETER.search(readelf("-lW", program)).group(1)


def needed_by(file):
    """The names of the libraries that a file asks for itself."""
    return _NEEDED.findall(readelf("-dW", file))


def shared_libraries(programs, sysroot="/", more=()):
    """The name and the path of each library that the programs need, themselves or through others, and of those that `more` names,
    sorted by name. An error names a library that is not there, and who asks for it."""
    machine = machine_of(programs[0])
    folders = [os.path.join(sysroot, folder) for folder in FOLDERS[machine]]
    found = {}
    waiting = [(program, needed_by(program)) for program in programs] + [("--library", list(more))]
    while waiting:
        asking, names = waiting.pop()
        for name in names:
            if name in found:
                continue
            path = next((os.path.join(folder, name) for folder in folders if os.path.exists(os.path.join(folder, name))), None)
            if path is None:
                raise SystemExit(f"error: {asking} needs {name}, which is in none of {' '.join(folders)}: install its package")
            found[name] = path
            waiting.append((path, needed_by(path)))
    return sorted(found.items())


if __name__ == "__main__":
    words = sys.argv[1:]
    root = "/"
    if words[:1] == ["--sysroot"]:
        root, words = words[1], words[2:]
    if not words:
        raise SystemExit(__doc__)
    for _, library in shared_libraries(words, root):
        print(library)
