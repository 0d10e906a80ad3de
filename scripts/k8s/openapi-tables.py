#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/k8s/internal/kinds/openapi_*.h: names and types of the members of API types, which views are checked against.

Source: the OpenAPI v3 documents of Kubernetes, api/openapi-spec/v3 of the Go module k8s.io/kubernetes of the version in
tests/conformance/kube/go.mod (`go mod download k8s.io/kubernetes`). Only names and types are taken. `./dev conformance kube` compares
the tables with what the real API server serves.

usage: scripts/k8s/openapi-tables.py FOLDER-WITH-OPENAPI-DOCUMENTS
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
# File of the tables -> (document, prefix of the definitions' names, definitions). A definition that is not listed is an object whose
# members are not known.
TABLES = {
    "meta": ("api__v1", META, "ObjectMeta OwnerReference LabelSelector LabelSelectorRequirement Condition"),
    "core": ("api__v1", "io.k8s.api.core.v1.", """
        ConfigMap Container ContainerPort ContainerState ContainerStateRunning ContainerStateTerminated ContainerStateWaiting
        ContainerStatus Event EventSource LoadBalancerIngress LoadBalancerStatus LocalObjectReference Node NodeAddress NodeCondition
        NodeSpec NodeStatus ObjectReference Pod PodCondition PodIP PodSpec PodStatus PodTemplateSpec PortStatus Secret Service
        ServiceAccount ServicePort ServiceSpec ServiceStatus Taint"""),
    "apps": ("apis__apps__v1", "io.k8s.api.apps.v1.", """
        DaemonSet DaemonSetCondition DaemonSetSpec DaemonSetStatus DaemonSetUpdateStrategy Deployment DeploymentCondition
        DeploymentSpec DeploymentStatus DeploymentStrategy RollingUpdateStatefulSetStrategy StatefulSet StatefulSetCondition
        StatefulSetSpec StatefulSetStatus StatefulSetUpdateStrategy"""),
    "batch": ("apis__batch__v1", "io.k8s.api.batch.v1.", "Job JobCondition JobSpec JobStatus"),
    "discovery": ("apis__discovery.k8s.io__v1", "io.k8s.api.discovery.v1.",
                  "Endpoint EndpointConditions EndpointPort EndpointSlice"),
    "rbac": ("apis__rbac.authorization.k8s.io__v1", "io.k8s.api.rbac.v1.",
             "AggregationRule ClusterRole ClusterRoleBinding PolicyRule Role RoleBinding RoleRef Subject"),
    "coordination": ("apis__coordination.k8s.io__v1", "io.k8s.api.coordination.v1.", "Lease LeaseSpec"),
    "admissionregistration": ("apis__admissionregistration.k8s.io__v1", "io.k8s.api.admissionregistration.v1.", """
        MutatingWebhook MutatingWebhookConfiguration RuleWithOperations ServiceReference ValidatingWebhook
        ValidatingWebhookConfiguration WebhookClientConfig"""),
    "apiextensions": ("apis__apiextensions.k8s.io__v1", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.", """
        CustomResourceConversion CustomResourceDefinition CustomResourceDefinitionCondition CustomResourceDefinitionNames
        CustomResourceDefinitionSpec CustomResourceDefinitionStatus CustomResourceDefinitionVersion CustomResourceSubresources
        CustomResourceValidation ServiceReference WebhookClientConfig WebhookConversion"""),
    "apiregistration": ("apis__apiregistration.k8s.io__v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.",
                        "APIService APIServiceCondition APIServiceSpec APIServiceStatus ServiceReference"),
}


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def reference(schema):
    """The name of the definition that a schema refers to, if it does."""
    found = schema.get("$ref") or next((one["$ref"] for one in schema.get("allOf", []) if "$ref" in one), None)
    return found and found.rsplit("/", 1)[1]


class Tables:
    def __init__(self, folder):
        self.folder = folder
        self.schemas = {}
        self.listed = {}  # full name -> (file, name in C++)
        for file, (document, prefix, names) in TABLES.items():
            with open(os.path.join(folder, document + "_openapi.json"), encoding="utf-8") as text:
                for name, schema in json.load(text)["components"]["schemas"].items():
                    self.schemas.setdefault(name, schema)
            for name in names.split():
                # Some names are in more than one group.
                groups = [other for other, (_, _, listed) in TABLES.items() if name in listed.split()]
                self.listed[prefix + name] = (file, snake(name) if len(groups) == 1 else f"{file}_{snake(name)}")

    def type_of(self, schema):
        """The type in the table, and the definition that it has items or members of."""
        name = reference(schema)
        if name:
            schema = self.schemas[name]
            if "properties" in schema or schema.get("type") == "object":
                return "object", name
        kind = schema.get("type")
        if kind == "string" and schema.get("format") == "date-time":
            return "time", None
        if kind in ("string", "integer", "number", "boolean"):
            return {"string": "text", "boolean": "flag"}.get(kind, kind), None
        if kind == "array":
            item, of = self.type_of(schema["items"])
            return {"object": ("object_list", of), "text": ("text_list", None)}.get(item, ("other", None))
        if kind == "object" and "additionalProperties" in schema:
            return ("text_map" if self.type_of(schema["additionalProperties"])[0] == "text" else "other"), None
        return ("object" if kind == "object" else "other"), None

    def write(self, file):
        _, prefix, names = TABLES[file]
        done, lines, includes = set(), [], {"k8s/internal/kinds/openapi.h"}

        def add(name):
            if name in done:
                return
            done.add(name)
            members = []
            for member, schema in sorted(self.schemas[name].get("properties", {}).items()):
                kind, of = self.type_of(schema)
                text = f'{{"{member}", Type::{kind}'
                if of in self.listed:
                    of_file, of_name = self.listed[of]
                    if of_file == file:
                        add(of)
                    else:
                        includes.add(f"k8s/internal/kinds/openapi_{of_file}.h")
                    text += f", &{of_name}"
                members.append(text + "}")
            own = self.listed[name][1]
            lines.append(f"inline constexpr Member {own}_members[] = {{" + ", ".join(members) + "};")
            lines.append(f'inline constexpr Definition {own}{{"{name}", {own}_members}};\n')

        for name in names.split():
            add(prefix + name)
        listed = ", ".join("&" + self.listed[prefix + name][1] for name in names.split())
        lines.append(f"inline constexpr const Definition* {file}_definitions[] = {{{listed}}};")
        path = os.path.join(ROOT, "src/k8s/internal/kinds", f"openapi_{file}.h")
        with open(path, "w", encoding="utf-8") as out:
            # In two parts, so that it is no such line itself.
            out.write("// SPDX-" "License-Identifier: Apache-2.0\n\n")
            out.write(f"// Members of {prefix}*. Written by scripts/k8s/openapi-tables.py; do not edit.\n#pragma once\n\n")
            out.write("".join(f'#include "{one}"\n' for one in sorted(includes)))
            out.write("\nnamespace fairway::k8s::openapi {\n\n" + "\n".join(lines) + "\n\n}  // namespace fairway::k8s::openapi\n")
        subprocess.run(["clang-format-19", "-i", path], check=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tables = Tables(sys.argv[1])
    for file in TABLES:
        tables.write(file)


main()
