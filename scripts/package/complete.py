# SPDX-License-Identifier: Apache-2.0
"""Checks that a folder of packages has all that belongs to a release, and that each has what it is for: a part that is missing is an
error, never left out in silence.

usage: complete.py FOLDER VERSION ARCHITECTURE
"""

import os
import re
import subprocess
import sys
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPONENTS = re.compile(r"^set\(fairway_components ([^)]*)\)", re.MULTILINE)
UNITS = ["fairway-serve.service", "fairway-apiserver.service", "fairway-operator.service"]


def components():
    """The modules that are installed, from CMakeLists.txt."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return COMPONENTS.search(file.read()).group(1).split()


def commands():
    """The commands of the program, from its help."""
    shown = subprocess.run([os.path.join(ROOT, "build", "fairway"), "--help"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^  ([a-z]+)  +\S", shown.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)


def expected(version, architecture):
    """For each file of a release the paths that it has to have, below usr/ or the tarball's folder."""
    manuals = ["fairway.1"] + [f"fairway-{command}.1" for command in commands() if command != "gateway"]
    manuals.append("kubectl-fairway.1")
    program = ["bin/kubectl-fairway", "bin/kubectl_complete-fairway", "share/bash-completion/completions/fairway",
               "share/bash-completion/completions/kubectl-fairway", "share/fish/vendor_completions.d/kubectl-fairway.fish",
               "share/zsh/vendor-completions/_fairway", "share/fish/vendor_completions.d/fairway.fish",
               "share/fairway/deploy/operator/kustomization.yaml", "share/fairway/examples/cluster/up.sh",
               "share/fairway/examples/testserver/go/testserver.go", "share/fairway/examples/testserver/python/pyproject.toml"]
    program += [f"share/man/man1/{manual}" for manual in manuals]
    units = [f"lib/systemd/system/{unit}" for unit in UNITS]
    gateway = ["share/man/man1/fairway-gateway.1"]
    files = {
        f"fairway_{version}_{architecture}.deb": ["bin/fairway", *program, *units],
        f"fairway-gateway_{version}_{architecture}.deb": ["libexec/fairway/fairway-gateway",
                                                              "lib/systemd/system/fairway-gateway.service", *gateway],
        f"fairway-{version}-linux-{architecture}.tar.gz": ["bin/fairway", "lib/fairway/fairway", "lib/fairway/fairway-gateway",
                                                           "lib/fairway/glibc/libc.so.6", "LICENSE", *program, *gateway],
        f"kubectl-fairway-{version}-linux-{architecture}.tar.gz": ["kubectl-fairway", "fairway/kubectl-fairway",
                                                                   "fairway/glibc/libc.so.6"],
        f"fairway-{version}.oci.tar": [], f"fairway-gateway-{version}.oci.tar": [],
        f"libfairway-dev_{version}_{architecture}.deb": ["share/doc/libfairway-dev/copyright"],
    }
    for component in components():
        package = f"libfairway-{component.replace('_', '-')}-dev"
        files[f"{package}_{version}_{architecture}.deb"] = [f"share/doc/{package}/copyright"]
    return files


def paths_of(file):
    """The paths in a Debian package or a tarball, without what all of them begin with, nor ".gz"."""
    if file.endswith(".deb"):
        shown = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], check=True, capture_output=True).stdout
        names = subprocess.run(["tar", "-t"], input=shown, check=True, capture_output=True).stdout.decode().split("\n")
        return {name.removeprefix("./usr/").removesuffix(".gz") for name in names}
    with tarfile.open(file) as tar:
        return {name.partition("/")[2].removesuffix(".gz") for name in tar.getnames()}


def main():
    folder, version, architecture = sys.argv[1:]
    manifest = os.path.join(folder, "fairway.yaml")
    missing = [] if os.path.exists(manifest) else [f"{manifest}, krew's manifest, was not made"]
    for file, paths in expected(version, architecture).items():
        path = os.path.join(folder, file)
        for needed in (path, path + ".spdx.json"):
            if not os.path.exists(needed):
                missing.append(f"{needed} was not made")
        if paths and os.path.exists(path):
            there = paths_of(path)
            missing += [f"{file} lacks {needed}" for needed in paths if needed not in there]
    for what in missing:
        print(f"error: {what}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
