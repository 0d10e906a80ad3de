# SPDX-License-Identifier: Apache-2.0
"""Writes what krew installs as `kubectl fairway`: an archive and its manifest, fairway.yaml.

usage: krew.py --tarball FILE --version VERSION --out FOLDER [--architecture amd64] [--url URL] [--libraries FILE --libraries-out FILE]

FILE is the tarball of tarball.py. krew takes no links, and one folder a plugin: the archive has the program as `kubectl-fairway`, the
libraries that it needs, and no gateway. URL is the folder where the files of the release will be. The paths of libraries that tarball.py
has written (--libraries) are written again without those that are left out. SOURCE_DATE_EPOCH is the time of all files.
"""

import argparse
import glob
import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile

import oci_layout
import shared_libraries

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEMPLATE = os.path.join(ROOT, "packaging", "krew", "fairway.yaml.in")
# There is no such host: whoever publishes the release names theirs.
URL = "https://downloads.example.com/fairway/v@VERSION@"
# Lines of launch.sh that name the program, which is another one here.
NAMES = (("*) name=fairway ;;", "*) name=kubectl-fairway ;;"), ('"$lib/fairway" "$@"', '"$lib/kubectl-fairway" "$@"'))


def launcher(text):
    """The script that starts the program, for the plugin."""
    for old, new in NAMES:
        if text.count(old) != 1:
            raise SystemExit(f"error: bin/fairway of the tarball does not have `{old}` once: krew.py has to follow launch.sh")
        text = text.replace(old, new)
    return text


def needed(lib):
    """The names of the libraries that the program in a folder needs, itself or through others, and which of them are glibc's."""
    there = {os.path.basename(path): path for path in glob.glob(f"{lib}/*.so*") + glob.glob(f"{lib}/glibc/*.so*")}
    found, waiting = set(), [f"{lib}/fairway"]
    while waiting:
        for name in shared_libraries.needed_by(waiting.pop()):
            if name in found:
                continue
            if name not in there:
                raise SystemExit(f"error: fairway needs {name}, which the tarball does not have")
            found.add(name)
            waiting.append(there[name])
    return found


def fill(root, tarball):
    """Lays out the archive of a tarball that is unpacked."""
    lib = f"{root}/lib/fairway"
    os.makedirs(f"{root}/bin")
    os.makedirs(f"{lib}/glibc")
    with open(f"{tarball}/bin/fairway", encoding="utf-8") as file:
        text = launcher(file.read())
    with open(f"{root}/bin/kubectl-fairway", "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(f"{root}/bin/kubectl-fairway", 0o755)
    shutil.copy(f"{tarball}/lib/fairway/fairway", f"{lib}/kubectl-fairway")
    names = needed(f"{tarball}/lib/fairway")
    for path in glob.glob(f"{tarball}/lib/fairway/*.so*"):
        if os.path.basename(path) in names:
            shutil.copy(path, lib)
    # The loader, too, which nothing names.
    for path in glob.glob(f"{tarball}/lib/fairway/glibc/*.so*"):
        if os.path.basename(path) in names or os.path.basename(path).startswith("ld-"):
            shutil.copy(path, f"{lib}/glibc")
    shutil.copy(f"{tarball}/LICENSE", root)
    for folder in ("share/doc", "share/common-licenses"):
        if os.path.isdir(f"{tarball}/{folder}"):
            shutil.copytree(f"{tarball}/{folder}", f"{root}/{folder}")


def archive(tarball, seconds):
    """The bytes of the archive, and the names of the files in it."""
    files_in_it = set()
    folder = tempfile.mkdtemp()
    try:
        with tarfile.open(tarball) as tar:
            tar.extractall(f"{folder}/unpacked")
        (name,) = os.listdir(f"{folder}/unpacked")
        fill(f"{folder}/archive", f"{folder}/unpacked/{name}")
        for place, folders, files in os.walk(f"{folder}/archive"):
            for entry in folders + files:
                if os.path.islink(os.path.join(place, entry)):
                    raise SystemExit(f"error: {entry} is a link, which krew refuses")
            files_in_it.update(files)
        return gzip.compress(oci_layout.tar_of(f"{folder}/archive", seconds), 6, mtime=0), files_in_it
    finally:
        shutil.rmtree(folder)


def manifest(words):
    """The text of fairway.yaml."""
    with open(TEMPLATE, encoding="utf-8") as file:
        text = file.read()
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--tarball", "--version", "--out"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--architecture", default="amd64")
    parser.add_argument("--url", default=URL)
    parser.add_argument("--libraries")
    parser.add_argument("--libraries-out")
    options = parser.parse_args()
    os.umask(0o022)
    content, files_in_it = archive(options.tarball, int(os.environ["SOURCE_DATE_EPOCH"]))
    name = f"kubectl-fairway-{options.version}-linux-{options.architecture}.tar.gz"
    with open(os.path.join(options.out, name), "wb") as out:
        out.write(content)
    url = options.url.replace("@VERSION@", options.version).rstrip("/")
    with open(os.path.join(options.out, "fairway.yaml"), "w", encoding="utf-8") as out:
        out.write(manifest({"VERSION": options.version, "ARCHITECTURE": options.architecture, "URI": f"{url}/{name}",
                            "SHA256": hashlib.sha256(content).hexdigest()}))
    if options.libraries_out:
        with open(options.libraries, encoding="utf-8") as file:
            libraries = [line for line in file if os.path.basename(line.strip()) in files_in_it]
        with open(options.libraries_out, "w", encoding="utf-8") as out:
            out.write("".join(libraries))
    print(f"{name}: {len(content) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
