#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings the tables of src/envtest/data to a release of kube-apiserver, by what its --help says: writes the feature gates anew, takes out
flags and plugins that are gone, and names those that are new, whose lines have to be written by hand. Exit status 3: there are some.

Gates that are settled (GA) are no longer in its --help, and are accepted all the same: those come from the sources.

usage: scripts/kinds/envtest_tables.py KUBE-APISERVER MODULES-FOLDER VERSION   (such as ~/go/pkg/mod/k8s.io 1.37.2)
"""
import glob
import os
import re
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "envtest", "data")


def gates_of(text):
    """{gate: default} of the list that follows --feature-gates."""
    return dict(re.findall(r"^(?:\s*|.*\s)(?:kube:)?(\w+)=true\|false \((?:ALPHA|BETA|GA|DEPRECATED) - default=(true|false)\)", text, re.M))


def settled_gates(modules, version):
    """{gate: default} of the gates whose last stage in the sources is GA or deprecated."""
    files = [os.path.join(modules, f"kubernetes@v{version}", "pkg/features/kube_features.go")]
    files += glob.glob(os.path.join(modules, f"*@v0.{version.split('.', 1)[1]}", "pkg/**/*features.go"), recursive=True)
    found = {}
    for file in files:
        with open(file, encoding="utf-8") as source:
            text = source.read()
        names = dict(re.findall(r"^\t?(?:const )?(\w+) +featuregate\.Feature = \"(\w+)\"", text, re.M))
        for constant, stages in re.findall(r"^\t(?:\w+\.)?(\w+): \{\n((?:\t\t\{.*\n)+)\t\}", text, re.M):
            last = stages.strip().splitlines()[-1]
            default = re.search(r"Default: (true|false)", last)
            if re.search(r"PreRelease: featuregate\.(GA|Deprecated)", last) and default:
                found[names.get(constant, constant)] = default.group(1)
    return found


def flags_of(text):
    """{flag: whether it is a bool}. A flag without a type is one."""
    return {name: not kind or "[=" in kind
            for name, kind in re.findall(r"^ +(?:-\w, )?--([\w-]+)(?: (\w[\w,./=\[\]]*))?(?:  |$)", text, re.M)}


def plugins_of(text):
    found = re.search(r"Comma-delimited list of admission plugins: ([\w, ]+)\.", text)
    return set(found.group(1).split(", "))


def rewrite(name, keep):
    """Writes a table without the lines that `keep` refuses, and returns the first words of those that stay."""
    path = os.path.join(DATA, name)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    kept = [line for line in lines if line.startswith("#") or keep(line.split(" ")[0])]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(kept) + "\n")
    return {line.split(" ")[0] for line in kept if not line.startswith("#")}


def main():
    text = subprocess.run([sys.argv[1], "--help"], check=True, capture_output=True, text=True).stdout
    gates, flags, plugins = settled_gates(sys.argv[2], sys.argv[3]) | gates_of(text), flags_of(text), plugins_of(text)
    path = os.path.join(DATA, "feature-gates.txt")
    with open(path, encoding="utf-8") as file:
        comment = [line for line in file.read().splitlines() if line.startswith("#")]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(comment + [f"{gate} {gates[gate]}" for gate in sorted(gates)]) + "\n")
    new = [f"kube-apiserver-flags.txt: --{flag}{' (bool)' if flags[flag] else ''}"
           for flag in sorted(set(flags) - rewrite("kube-apiserver-flags.txt", lambda flag: flag in flags))]
    new += [f"admission-plugins.txt: {plugin}"
            for plugin in sorted(plugins - rewrite("admission-plugins.txt", lambda plugin: plugin in plugins))]
    print(f"{len(gates)} feature gates, {len(flags)} flags, {len(plugins)} admission plugins")
    for line in new:
        print("new, write its line: " + line)
    return 3 if new else 0


if __name__ == "__main__":
    sys.exit(main())
