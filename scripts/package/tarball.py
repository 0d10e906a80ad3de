# SPDX-License-Identifier: Apache-2.0
"""Writes the tarball: what `cmake --install` installed, with the shared libraries beside the programs, and glibc for machines whose own
is older.

usage: tarball.py --name NAME --prefix DIR --out FILE [--sysroot DIR] [--libraries-out FILE]

NAME is the folder in the tarball; DIR is the prefix of the installation. SOURCE_DATE_EPOCH is the time of all files.
"""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import tempfile

import copyrights
import oci_layout
import shared_libraries

HERE = os.path.dirname(os.path.abspath(__file__))


def script(name, out, words):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        text = file.read()
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(out, 0o755)


def glibc_minor(libraries):
    """The minor version of the glibc that the programs are linked with: 36 for 2.36."""
    with open(dict(libraries)["libc.so.6"], "rb") as file:
        return re.search(rb"GNU C Library [^\n]*release version 2\.(\d+)", file.read()).group(1).decode()


def fill(root, prefix, sysroot):
    shutil.copytree(prefix, root, symlinks=True)
    lib = f"{root}/lib/fairway"
    os.makedirs(f"{lib}/glibc")
    programs = {"fairway": f"{root}/bin/fairway", "fairway-gateway": f"{root}/libexec/fairway/fairway-gateway"}
    libraries = shared_libraries.shared_libraries(list(programs.values()), sysroot)
    for name, file in programs.items():
        shutil.move(file, f"{lib}/{name}")
        # Unlike a RUNPATH it counts for the libraries' own libraries, too.
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", f"{lib}/{name}"], check=True)
    shutil.rmtree(f"{root}/libexec")
    # They name programs of one prefix, and this is in any folder. Where a program of /home is, ProtectHome= hides it.
    shutil.rmtree(f"{root}/lib/systemd")
    loader = os.path.basename(shared_libraries.interpreter_of(f"{lib}/fairway"))
    for name, file in libraries:
        shutil.copy(file, f"{lib}/glibc/{name}" if shared_libraries.GLIBC.match(name) else f"{lib}/{name}")
    if not os.path.exists(f"{lib}/glibc/{loader}"):
        shutil.copy(os.path.join(sysroot, shared_libraries.interpreter_of(f"{lib}/fairway").lstrip("/")), f"{lib}/glibc/{loader}")
    os.chmod(f"{lib}/glibc/{loader}", 0o755)
    os.symlink("fairway", f"{lib}/kubectl-fairway")
    words = {"GLIBC_MINOR": glibc_minor(libraries), "LOADER": loader}
    script("launch.sh", f"{root}/bin/fairway", words)
    script("launch-gateway.sh", f"{lib}/glibc/fairway-gateway", words)
    for path, file in copyrights.copyrights([path for _, path in libraries]):
        os.makedirs(os.path.dirname(f"{root}/share/{path}"), exist_ok=True)
        shutil.copy(file, f"{root}/share/{path}")
    return [path for _, path in libraries]


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--name", "--prefix", "--out"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--sysroot", default="/")
    parser.add_argument("--libraries-out", help="file for the paths of the libraries in the tarball")
    options = parser.parse_args()
    os.umask(0o022)
    folder = tempfile.mkdtemp()
    try:
        libraries = fill(f"{folder}/{options.name}", options.prefix, options.sysroot)
        tar = oci_layout.tar_of(folder, int(os.environ["SOURCE_DATE_EPOCH"]))
    finally:
        shutil.rmtree(folder)
    with open(options.out, "wb") as out:
        out.write(gzip.compress(tar, 6, mtime=0))
    if options.libraries_out:
        with open(options.libraries_out, "w", encoding="utf-8") as out:
            out.write("".join(library + "\n" for library in libraries))
    print(f"{options.out}: {os.path.getsize(options.out) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
