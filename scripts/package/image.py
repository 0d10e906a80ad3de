# SPDX-License-Identifier: Apache-2.0
"""Writes an OCI image of programs and of what they need to run, and nothing else: their shared libraries, the CA certificates, and a
list of users with a nobody.

usage: image.py --name NAME --version VERSION --out FILE --entrypoint PROGRAM [--library NAME]... [--sysroot DIR] PATH=FILE...

Each FILE is put at PATH in the image; programs among them bring their libraries along. --library adds one that only a program needs
which comes from another image. SOURCE_DATE_EPOCH is the time of all files.
"""

import argparse
import datetime
import glob
import os
import shutil
import stat
import tempfile

import copyrights
import oci_layout
import shared_libraries

CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
# Authorities that Debian ships, and none that was added to this machine.
AUTHORITIES = "/usr/share/ca-certificates/mozilla/*.crt"
LICENCE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "LICENSE")
# Who a Pod of deploy/ runs as, and the two that programs expect to have names.
PASSWD = """root:x:0:0:root:/:/sbin/nologin
nobody:x:65534:65534:nobody:/:/sbin/nologin
fairway:x:65532:65532:fairway:/var/lib/fairway:/sbin/nologin
"""
GROUP = "root:x:0:\nnogroup:x:65534:\nfairway:x:65532:\n"
ARCHITECTURES = {"Advanced Micro Devices X86-64": "amd64", "AArch64": "arm64"}


def put(root, path, content, mode=0o644):
    file = os.path.join(root, path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "wb") as out:
        out.write(content)
    os.chmod(file, mode)


def read(source):
    with open(source, "rb") as file:
        return file.read()


def copy(root, path, source):
    put(root, path, read(source), 0o755 if os.stat(source).st_mode & stat.S_IXUSR else 0o644)


def is_program(file):
    with open(file, "rb") as start:
        return start.read(4) == b"\x7fELF"


def fill(root, files, sysroot, more=()):
    """Puts files ({path: source}), all that they need, and the libraries that `more` names into a root. Returns the paths of what is of
    Debian's packages, on this machine, and the machine's name as readelf has it."""
    programs = [source for source in files.values() if is_program(source)]
    for path, source in files.items():
        copy(root, path.lstrip("/"), source)
    libraries = shared_libraries.shared_libraries(programs, sysroot, more)
    loader = shared_libraries.interpreter_of(programs[0])
    for name, source in libraries:
        if name != os.path.basename(loader):
            copy(root, "usr/lib/" + name, source)
    copy(root, loader.lstrip("/"), os.path.join(sysroot, loader.lstrip("/")))
    authorities = sorted(glob.glob(AUTHORITIES))
    if not authorities:
        raise SystemExit(f"error: there are no {AUTHORITIES}: install ca-certificates")
    put(root, CERTIFICATES, b"".join(read(name).rstrip(b"\n") + b"\n" for name in authorities))
    # Where Debian's OpenSSL looks for them.
    os.makedirs(f"{root}/usr/lib/ssl", exist_ok=True)
    os.symlink("/" + CERTIFICATES, f"{root}/usr/lib/ssl/cert.pem")
    shipped = [source for _, source in libraries] + authorities[:1]
    for path, file in copyrights.copyrights(shipped):
        copy(root, f"usr/share/{path}", file)
    copy(root, "usr/share/doc/fairway/LICENSE", LICENCE)
    put(root, "etc/passwd", PASSWD.encode())
    put(root, "etc/group", GROUP.encode())
    put(root, "etc/nsswitch.conf", b"hosts: files dns\n")
    for folder, mode in (("tmp", 0o1777), ("var/lib/fairway", 0o777)):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
        os.chmod(f"{root}/{folder}", mode)
    return shipped, shared_libraries.machine_of(programs[0])


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--name", "--version", "--out", "--entrypoint", "--description"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--revision", default="")
    parser.add_argument("--libraries-out", help="file for the paths of the libraries in the image")
    parser.add_argument("--library", action="append", default=[], help="name of a further library: librt.so.1")
    parser.add_argument("--sysroot", default="/")
    parser.add_argument("files", nargs="+", metavar="PATH=FILE")
    options = parser.parse_args()
    os.umask(0o022)
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    files = dict(item.split("=", 1) for item in options.files)
    labels = {
        "org.opencontainers.image.title": options.name, "org.opencontainers.image.description": options.description,
        "org.opencontainers.image.version": options.version, "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created, "org.opencontainers.image.vendor": "Fairway",
        "org.opencontainers.image.url": "https://fairway.dev",
    }
    if options.revision:
        labels["org.opencontainers.image.revision"] = options.revision
    layout = oci_layout.Layout(seconds)
    root = tempfile.mkdtemp()
    try:
        libraries, machine = fill(root, files, options.sysroot, options.library)
        config = {"User": "65532:65532", "Entrypoint": [options.entrypoint], "Env": ["PATH=/usr/bin"], "WorkingDir": "/"}
        size = layout.add_image(root, ARCHITECTURES[machine], config, labels, created)
    finally:
        shutil.rmtree(root)
    layout.write(options.out, f"{options.name}:{options.version}")
    if options.libraries_out:
        with open(options.libraries_out, "w", encoding="utf-8") as out:
            out.write("".join(library + "\n" for library in libraries))
    print(f"{options.out}: {size / 1e6:.1f} MB compressed")


if __name__ == "__main__":
    main()
