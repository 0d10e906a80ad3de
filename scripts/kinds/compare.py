#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of built-in kinds (src/apiserver/internal/kinds/data) with the generated.proto files of Kubernetes's Go modules:
every message, field, number and type must be the same. The tables are made of something else: the tags of the Go types.

usage: scripts/kinds/compare.py MODULES-FOLDER VERSION   (such as ~/go/pkg/mod v0.36.3)
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MODULES = ("api", "apimachinery", "apiextensions-apiserver", "kube-aggregator")
SCALARS = {"quantity": "k8s.io.apimachinery.pkg.api.resource.Quantity", "time": "k8s.io.apimachinery.pkg.apis.meta.v1.Time",
           "micro-time": "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime",
           "duration": "k8s.io.apimachinery.pkg.apis.meta.v1.Duration",
           "int-or-string": "k8s.io.apimachinery.pkg.util.intstr.IntOrString",
           "raw": "k8s.io.apimachinery.pkg.runtime.RawExtension", "fields": "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1",
           "float64": "double"}
# Messages in a package with a table that JSON shows as something else.
SPECIAL = {"json": "JSON", "schema-or-array": "JSONSchemaPropsOrArray", "schema-or-bool": "JSONSchemaPropsOrBool",
           "schema-or-strings": "JSONSchemaPropsOrStringArray"}


def read_proto(text):
    """{message: {number: (name, shape, type)}} of one file."""
    package = re.search(r"^package ([\w.\-]+);", text, re.M).group(1)
    messages, current = {}, None
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        if found := re.match(r"message (\w+) \{", line):
            current = messages.setdefault(f"{package}.{found.group(1)}", {})
        elif found := re.match(r"(optional|repeated) ([\w.\-]+) (\w+) = (\d+);", line):
            current[int(found.group(4))] = (found.group(3), found.group(1), full(found.group(2), package))
        elif found := re.match(r"map<string, ([\w.\-]+)> (\w+) = (\d+);", line):
            current[int(found.group(3))] = (found.group(2), "map", full(found.group(1), package))
    return messages


def full(name, package):
    if name in ("string", "bool", "int32", "int64", "double", "bytes"):
        return name
    return name[1:] if name.startswith(".") else f"{package}.{name}"


def package_of(table):
    """k8s.io.api.core.v1 for core/v1."""
    known = {"meta/v1": "k8s.io.apimachinery.pkg.apis.meta.v1",
             "apiextensions/v1": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1",
             "apiregistration/v1": "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1"}
    return known.get(table, "k8s.io.api." + table.replace("/", "."))


def read_tables():
    messages = {}
    folder = os.path.join(ROOT, "src/apiserver/internal/kinds/data")
    for file in sorted(os.listdir(folder)):
        if file == "resources.txt":
            continue
        package = package_of(file[:-4].replace("_", "/"))
        for line in open(os.path.join(folder, file), encoding="utf-8"):
            words = line.split()
            if line.startswith("message "):
                current = messages.setdefault(f"{package}.{words[1]}", {})
            elif line.startswith(" ") and words[0] != "<TypeMeta>" and words[1] != "0":
                current[int(words[1])] = read_field(words, package)
    return messages


def read_field(words, package):
    name, kind = words[0].strip("<>"), words[2]
    shape = {"[]": "repeated", "{}": "map"}.get(kind[:2], "optional")
    kind, _, go_name = kind.removeprefix("[]").removeprefix("{}").partition(":")
    if kind == "strings":
        kind = f"{package}.{go_name.split('.')[1]}"
    elif kind in SCALARS:
        kind = SCALARS[kind]
    elif kind in SPECIAL:
        kind = f"{package}.{SPECIAL[kind]}"
    elif "." in kind:
        kind = f"{package_of(kind.split('.')[0])}.{kind.split('.')[1]}"
    elif kind not in ("string", "bool", "int32", "int64", "bytes"):
        kind = f"{package}.{kind}"
    return name, shape, kind


def plain(name):
    """Protobuf has other names for $ref, x-kubernetes-list-type, apiGroup and an inlined ProbeHandler."""
    name = re.sub(r"[^a-z0-9]", "", name.lower())
    return "handler" if name == "probehandler" else name


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    protos = {}
    for module in MODULES:
        for folder, _, files in os.walk(os.path.join(sys.argv[1], "k8s.io", f"{module}@{sys.argv[2]}")):
            # Fields of stable kinds refer to messages of alpha and beta versions too (the `scheduling` of a Job).
            if "generated.proto" in files and re.search(r"/(v\d\w*|resource|intstr|runtime)$", folder):
                protos |= read_proto(open(os.path.join(folder, "generated.proto"), encoding="utf-8").read())
    problems, fields, tables = [], 0, read_tables()
    for message, table in tables.items():
        proto = protos.get(message)
        if proto is None:
            problems.append(f"{message}: no generated.proto has it")
            continue
        fields += len(table)
        for number in sorted(set(table) | set(proto)):
            ours, theirs = table.get(number), proto.get(number)
            if not ours or not theirs or plain(ours[0]) != plain(theirs[0]) or ours[1:] != theirs[1:]:
                problems.append(f"{message} {number}: the table has {ours}, generated.proto {theirs}")
    for problem in problems:
        print(problem)
    print(f"{len(tables)} messages, {fields} fields compared with generated.proto: {len(problems)} differences")
    return 1 if problems or not fields else 0


if __name__ == "__main__":
    sys.exit(main())
