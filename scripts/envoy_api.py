#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the descriptors of Envoy's API as one google.protobuf.FileDescriptorSet.

usage: envoy_api.py FILE

They come serialised in the modules of PyPI's xds-protos, which is downloaded and not installed: nothing of it runs.
The files of google/protobuf are not among them; libprotobuf has these itself.
"""

import ast
import os
import pathlib
import subprocess
import sys
import tempfile
import venv
import zipfile

PACKAGE = "xds-protos==1.85.0"


def download(folder: pathlib.Path) -> pathlib.Path:
    python = sys.executable
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode != 0:
        # Debian's python3 has no pip, its python3-venv makes one.
        venv.create(folder / "python", with_pip=True)
        python = str(folder / "python/bin/python")
    subprocess.run(
        [python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
         "-d", str(folder), PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def descriptors(source: bytes):
    """The serialised file descriptors that a generated module adds to its pool."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile":
            yield ast.literal_eval(node.args[0])


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    out = bytearray()
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(download(pathlib.Path(folder))) as wheel:
            for name in sorted(wheel.namelist()):
                if not name.endswith("_pb2.py"):
                    continue
                for descriptor in descriptors(wheel.read(name)):
                    out += b"\n" + varint(len(descriptor)) + descriptor
    target.parent.mkdir(parents=True, exist_ok=True)
    # A name of this process's own: two builds may make it at once.
    partial = target.with_suffix(f".{os.getpid()}.partial")
    partial.write_bytes(bytes(out))
    partial.rename(target)


main()
